//! Agents: what they say of their machine, which jobs they may take, and what they and the server say to one another.

mod wire;

use serde::{Deserialize, Serialize};

pub use wire::{Alive, Claim, Enrol, Failure, Finish, LeaseAsk, Leased, Progress, Settled, Stop, StopReason};

use crate::machine::differ;
use crate::plan::Needs;

/// A machine with an agent on it, as far as the agent knows and is allowed to say.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentFacts {
    /// What people call it.
    pub name: String,
    /// The agent's version.
    pub version: String,
    /// GPUs that it may use, in the order of their numbers.
    pub gpus: Vec<GpuFact>,
    /// NVIDIA's driver.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// The newest CUDA that the driver knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cuda: Option<String>,
    /// Engines that are installed.
    pub engines: Vec<EngineFact>,
    /// The host; none where it is not to be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostFacts>,
}

/// A GPU.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GpuFact {
    /// For `CUDA_VISIBLE_DEVICES`.
    pub index: u32,
    /// As the driver names it.
    pub name: String,
    /// Its memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<u64>,
}

/// An engine that is installed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineFact {
    /// `vLLM`, `SGLang`, …
    pub name: String,
    /// As it says itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// A host.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HostFacts {
    /// Its name in the network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hostname: Option<String>,
    /// Distribution and version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub os: Option<String>,
    /// The kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// The processor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu: Option<String>,
    /// Its cores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cores: Option<u32>,
    /// Its memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<u64>,
}

/// Why an agent cannot take a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "id", rename_all = "kebab-case")]
pub enum Unmet {
    /// Its GPUs are other ones.
    Gpu {
        /// The one that is asked for.
        asked: String,
    },
    /// It has too few of them, or too few are free.
    Gpus {
        /// So many are asked for.
        asked: u32,
        /// So many are free.
        free: u32,
    },
    /// It does not have the engine.
    Engine {
        /// The one that is asked for.
        asked: String,
    },
    /// It has the engine in another version.
    EngineVersion {
        /// The one that is asked for.
        asked: String,
        /// The one that it has.
        found: String,
    },
}

impl Needs {
    /// Why an agent with so many free GPUs cannot do the job; none: it can.
    #[must_use]
    pub fn unmet(&self, facts: &AgentFacts, free: u32) -> Option<Unmet> {
        if let Some(asked) = self.gpu.as_ref().filter(|asked| facts.gpus.iter().any(|gpu| differ(asked, &gpu.name))) {
            return Some(Unmet::Gpu { asked: asked.clone() });
        }
        if self.gpus > free {
            return Some(Unmet::Gpus { asked: self.gpus, free });
        }
        let of_engine = || facts.engines.iter().filter(|engine| engine.name.eq_ignore_ascii_case(&self.engine));
        if of_engine().next().is_none() {
            return Some(Unmet::Engine { asked: self.engine.clone() });
        }
        let asked = self.engine_version.as_ref()?;
        // A version that nobody knows may be the right one: what ran says itself what it was.
        let fits = |engine: &EngineFact| engine.version.as_ref().is_none_or(|found| found == asked);
        let other = of_engine().find_map(|engine| engine.version.clone())?;
        (!of_engine().any(fits)).then(|| Unmet::EngineVersion { asked: asked.clone(), found: other })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_takes_what_it_can_do() {
        let gpu = |index, name: &str| GpuFact { index, name: name.to_owned(), memory_mib: None };
        let engine = |name: &str, version: Option<&str>| EngineFact {
            name: name.to_owned(),
            version: version.map(str::to_owned),
        };
        let facts = AgentFacts {
            gpus: vec![gpu(0, "NVIDIA H100 80GB HBM3"), gpu(1, "NVIDIA H100 80GB HBM3")],
            engines: vec![engine("vLLM", Some("0.26.0")), engine("SGLang", None)],
            ..AgentFacts::default()
        };
        let needs = |gpu: Option<&str>, gpus, engine: &str, version: Option<&str>| Needs {
            gpu: gpu.map(str::to_owned),
            gpus,
            engine: engine.to_owned(),
            engine_version: version.map(str::to_owned),
        };
        let h100 = Some("NVIDIA H100 SXM GPU");
        assert_eq!(needs(h100, 2, "vllm", Some("0.26.0")).unmet(&facts, 2), None);
        assert_eq!(needs(None, 1, "SGLang", Some("0.5.6")).unmet(&facts, 1), None);
        assert_eq!(
            needs(Some("NVIDIA H200"), 1, "vLLM", None).unmet(&facts, 2),
            Some(Unmet::Gpu { asked: "NVIDIA H200".to_owned() })
        );
        assert_eq!(needs(h100, 2, "vLLM", None).unmet(&facts, 1), Some(Unmet::Gpus { asked: 2, free: 1 }));
        assert!(matches!(needs(h100, 1, "TensorRT-LLM", None).unmet(&facts, 1), Some(Unmet::Engine { .. })));
        assert!(matches!(needs(h100, 1, "vLLM", Some("0.17.1")).unmet(&facts, 1), Some(Unmet::EngineVersion { .. })));
    }
}
