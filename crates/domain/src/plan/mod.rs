//! A plan: what is still to be measured, how, and until when. It becomes jobs, each one run of one variant in one server
//! start; what was measured decides which jobs come next.
//!
//! Invariant: [`next`] is a function of the plan, the runs and the jobs so far. It remembers nothing, so whoever crashed
//! asks again and gets the same answer.

pub mod bench;
mod estimate;
mod join;
mod judge;
mod next;
pub(crate) mod raw;
mod read;
mod rounds;
mod search;

use serde::{Deserialize, Serialize};

pub use bench::{Place, fill};
pub use estimate::{Estimate, Span, estimate};
pub use join::{JoinError, join};
pub use judge::Outcome;
pub use next::{Ending, Going, Known, KnownState, Next, Spent, next};
pub use read::parse;
pub use search::{Traced, TracedStep, Tried};

use crate::command::bench::BenchTool;
use crate::id::{ProfileId, StepId, VariantId};
use crate::study::{Localized, Profile, Study, Variant};

/// A plan, read whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The study that it makes or adds to: its head, its profiles, the variants that are described.
    pub study: Study,
    /// How a run is measured.
    pub method: Method,
    /// How often.
    pub repeats: RepeatPolicy,
    /// When it ends at the latest.
    pub budget: Budget,
    /// What is known beforehand of how long things take.
    pub durations: Durations,
    /// The knobs of a search, in the order in which they are tried; none where the variants are given.
    pub search: Option<Vec<Knob>>,
}

/// How a run is measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Method {
    /// Who measures profiles that have no command of their own.
    pub tool: BenchTool,
    /// Arguments after the tool's own.
    pub tool_args: Vec<String>,
    /// The file that a command of one's own writes in `{out}`; none: the only one there, or else what it prints.
    pub result: Option<String>,
    /// What becomes of the prefix cache before a run.
    pub cache: CachePolicy,
    /// Short requests before the first run of a server start; kernels are compiled during them.
    pub warmup_requests: u32,
    /// A server that is not healthy after this many seconds is given up.
    pub start_timeout_s: u32,
    /// A run that takes longer than this many seconds is given up.
    pub run_timeout_s: u32,
    /// A job that fails for a reason that may pass is tried this often.
    pub attempts: u32,
}

/// What becomes of the prefix cache before a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CachePolicy {
    /// It is cleared, or the run says that it could not be.
    #[default]
    Reset,
    /// It stays as the run before left it, and the run says that it is warm.
    Keep,
}

/// How often a variant is measured under a profile. Every repeat is another server start.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RepeatPolicy {
    /// At least so many starts.
    pub min: u32,
    /// At most so many.
    pub max: u32,
    /// Enough, once half the 95 % interval over starts is at most this many percent of the mean.
    pub width_pct: f64,
}

/// When a plan ends at the latest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// Minutes that jobs may take together.
    pub minutes: Option<f64>,
    /// Jobs that may be made.
    pub jobs: Option<u32>,
}

/// How long things take, as far as people say.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Durations {
    /// Until a server is healthy, minutes.
    pub start_minutes: Option<f64>,
    /// A run under a profile, minutes.
    pub runs: std::collections::BTreeMap<ProfileId, f64>,
}

/// One thing to turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Knob {
    /// The step that it becomes.
    pub id: StepId,
    /// For people.
    pub name: Localized,
    /// Engines that have it; none: all of them.
    pub engines: Vec<String>,
    /// What it is turned to.
    pub values: Vec<KnobValue>,
}

/// What a knob is turned to: what it changes in a variant.
#[derive(Debug, Clone, PartialEq)]
pub struct KnobValue {
    /// The variant that it becomes, alone or in a combination.
    pub id: VariantId,
    /// For people.
    pub name: Option<Localized>,
    /// Another engine: its arguments and environment replace the variant's.
    pub engine: Option<EngineChange>,
    /// Other weights.
    pub model: Option<String>,
    /// Flags that are set, in place of their values before.
    pub args: Vec<String>,
    /// Variables that are set.
    pub env: std::collections::BTreeMap<String, String>,
    /// Another number of GPUs.
    pub gpus: Option<u32>,
}

/// Another engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineChange {
    /// Its name.
    pub engine: String,
    /// Its version, where one is asked for.
    pub version: Option<String>,
}

impl Knob {
    /// Whether it chooses the engine; such knobs come first.
    pub fn is_engine(&self) -> bool {
        self.values.iter().any(|value| value.engine.is_some())
    }

    /// Whether an engine has it.
    pub fn fits(&self, engine: &str) -> bool {
        self.engines.is_empty() || self.engines.iter().any(|known| known.eq_ignore_ascii_case(engine))
    }
}

/// What makes a job of a plan what it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct JobKey {
    /// What is under test.
    pub variant: VariantId,
    /// The workload.
    pub profile: ProfileId,
    /// The server start, from 1.
    pub repeat: u32,
}

impl JobKey {
    /// Jobs of one server start may share it: this is what they have in common.
    pub fn start(&self) -> String {
        format!("{}/{}", self.variant, self.repeat)
    }
}

/// A job: all that an agent has to know to measure one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobSpec {
    /// Which one of the plan's.
    pub key: JobKey,
    /// Its place among the plan's: the lower the earlier.
    pub ordinal: i64,
    /// The step that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<StepId>,
    /// What is under test.
    pub variant: Variant,
    /// The workload.
    pub profile: Profile,
    /// How it is measured.
    pub method: Method,
    /// Who may do it.
    pub needs: Needs,
}

/// What a job asks of an agent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Needs {
    /// The GPU, as the study names it; none: any.
    pub gpu: Option<String>,
    /// How many of them.
    pub gpus: u32,
    /// The engine.
    pub engine: String,
    /// Its version, where one is asked for.
    pub engine_version: Option<String>,
}
