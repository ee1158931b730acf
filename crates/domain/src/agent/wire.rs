//! What agents and the server say to one another. Agents say how long, never when: their clocks do not count.

use serde::{Deserialize, Serialize};

use super::AgentFacts;
use crate::digest::Digest;
use crate::id::{AgentId, JobId, PlanId, StudySlug};
use crate::job::{FailureClass, Phase, Refusal};
use crate::plan::JobSpec;

/// `POST /api/v1/agents`: an agent is there, or knows more of its machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Enrol {
    /// Made by the agent, once; it keeps it.
    pub id: AgentId,
    /// What it says of its machine.
    pub facts: AgentFacts,
}

/// `POST /api/v1/agents/{id}/lease`: an agent asks for a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeaseAsk {
    /// GPUs that do nothing.
    pub free_gpus: u32,
    /// The server start that runs already, whose jobs it would rather have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefer: Option<(PlanId, String)>,
}

/// A job that an agent was given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Leased {
    /// Its id.
    pub job: JobId,
    /// Its plan.
    pub plan: PlanId,
    /// The study that its result belongs to.
    pub study: StudySlug,
    /// To be named in whatever is said about it.
    pub attempt: u32,
    /// How long the agent may stay silent, milliseconds.
    pub lease_ms: i64,
    /// What is to be done.
    pub spec: JobSpec,
}

/// Requests of a run that came back, of those that are sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// Those that came back.
    pub done: u64,
    /// All of them.
    pub total: u64,
}

/// `POST /api/v1/jobs/{id}/alive`: the agent is at work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alive {
    /// Of this attempt.
    pub attempt: u32,
    /// How far it is.
    pub phase: Phase,
    /// How long it has been there, milliseconds.
    pub phase_ms: u64,
    /// How many requests came back, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
    /// New lines of the logs, masked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<String>,
}

/// `POST /api/v1/jobs/{id}/fail`: the agent failed, or was told to stop and has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// Of this attempt.
    pub attempt: u32,
    /// Why.
    pub class: FailureClass,
    /// The last lines of the logs, masked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<String>,
}

/// `POST /api/v1/jobs/{id}/claim`: a result is there. Whoever is refused throws it away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Of this attempt.
    pub attempt: u32,
    /// Who has it.
    pub agent: AgentId,
    /// Of the raw output.
    pub digest: Digest,
}

/// `POST /api/v1/jobs/{id}/finish`: the result is uploaded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finish {
    /// Of the raw output.
    pub digest: Digest,
    /// How it was measured.
    #[serde(default)]
    pub settled: Settled,
}

/// How a run was measured, as far as its output does not say.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settled {
    /// Whether the prefix cache was cleared before it; none where the engine has no way to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_cleared: Option<bool>,
    /// Runs of the same server start before it.
    pub runs_before: u32,
    /// Seconds until the server was healthy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_s: Option<f64>,
    /// Seconds that the benchmark took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_s: Option<f64>,
    /// Mean watts of all GPUs of the job together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_power_w: Option<f64>,
    /// Mean clock of the multiprocessors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_sm_clock_mhz: Option<f64>,
    /// The hottest that a GPU was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_temperature_c: Option<u32>,
    /// The most memory that the GPUs had in use together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_memory_mib: Option<u64>,
}

/// With status 409: whoever spoke must stop, or forget its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stop {
    /// Why.
    pub reason: StopReason,
    /// The same in words, for the agent's log.
    pub detail: String,
}

/// Why an agent must stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// Somebody cancelled the job.
    Cancelled,
    /// The job is another agent's, or over.
    NotYours,
    /// What was said cannot be said.
    Misplaced,
}

impl From<&Refusal> for Stop {
    fn from(refusal: &Refusal) -> Self {
        let reason = match refusal {
            Refusal::Cancelling => StopReason::Cancelled,
            Refusal::NotYours { .. } | Refusal::OtherResult | Refusal::Ended(_) | Refusal::NoSuchResult => {
                StopReason::NotYours
            }
            Refusal::NotQueued(_) | Refusal::NotEnded(_) | Refusal::NotActive(_) => StopReason::Misplaced,
        };
        Self { reason, detail: refusal.to_string() }
    }
}
