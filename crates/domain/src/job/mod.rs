//! A job: one run that somebody is to measure. Who may do what to it and when is one function, [`Job::after`].
//!
//! Invariants, held by property tests: whatever happens in whatever order, a job gets at most one result, and never stays
//! where nothing can move it. Only one clock counts, that of the server: agents say how long something took, never when.

mod classify;
mod step;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use classify::{Exit, classify};
pub use step::{Event, Refusal};

use crate::digest::Digest;
use crate::id::{AgentId, JobId, PlanId};
use crate::plan::JobKey;

/// How far a job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Nobody has it.
    Queued,
    /// An agent has it.
    Leased,
    /// Its server starts.
    Starting,
    /// Its server is warmed up.
    Warming,
    /// It is measured.
    Running,
    /// Its result is on the way.
    Uploading,
    /// Its result is stored.
    Done,
    /// It failed, and is not tried again by itself.
    Failed,
    /// Somebody cancelled it.
    Cancelled,
}

impl Phase {
    /// All of them, in their order.
    pub const ALL: [Self; 9] = [
        Self::Queued,
        Self::Leased,
        Self::Starting,
        Self::Warming,
        Self::Running,
        Self::Uploading,
        Self::Done,
        Self::Failed,
        Self::Cancelled,
    ];

    /// As in JSON and in the store.
    pub fn key(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Leased => "leased",
            Self::Starting => "starting",
            Self::Warming => "warming",
            Self::Running => "running",
            Self::Uploading => "uploading",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether an agent is at work on it.
    pub fn is_active(self) -> bool {
        match self {
            Self::Leased | Self::Starting | Self::Warming | Self::Running | Self::Uploading => true,
            Self::Queued | Self::Done | Self::Failed | Self::Cancelled => false,
        }
    }

    /// Whether nothing more happens to it by itself.
    pub fn is_ended(self) -> bool {
        match self {
            Self::Done | Self::Failed | Self::Cancelled => true,
            Self::Queued | Self::Leased | Self::Starting | Self::Warming | Self::Running | Self::Uploading => false,
        }
    }
}

impl FromStr for Phase {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|phase| phase.key() == text).ok_or(())
    }
}

/// Why a job failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureClass {
    /// The GPU's or the machine's memory did not suffice.
    OutOfMemory,
    /// The server ended by itself.
    Crash,
    /// The benchmark did not come to an end in time.
    Hang,
    /// Another program listens where the server should.
    PortInUse,
    /// No room for logs or results.
    DiskFull,
    /// The engine is not installed where it was looked for.
    MissingEngine,
    /// The server did not become healthy in time.
    Unhealthy,
    /// The benchmark failed, or its output cannot be read.
    BenchFailed,
    /// Somebody cancelled it.
    Cancelled,
    /// The agent was not heard of any more.
    Lost,
}

impl FailureClass {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::OutOfMemory,
        Self::Crash,
        Self::Hang,
        Self::PortInUse,
        Self::DiskFull,
        Self::MissingEngine,
        Self::Unhealthy,
        Self::BenchFailed,
        Self::Cancelled,
        Self::Lost,
    ];

    /// As in JSON and in the store.
    pub fn key(self) -> &'static str {
        match self {
            Self::OutOfMemory => "out_of_memory",
            Self::Crash => "crash",
            Self::Hang => "hang",
            Self::PortInUse => "port_in_use",
            Self::DiskFull => "disk_full",
            Self::MissingEngine => "missing_engine",
            Self::Unhealthy => "unhealthy",
            Self::BenchFailed => "bench_failed",
            Self::Cancelled => "cancelled",
            Self::Lost => "lost",
        }
    }

    /// Whether the same job may succeed when it is tried again.
    pub fn may_pass(self) -> bool {
        match self {
            Self::Crash
            | Self::Hang
            | Self::PortInUse
            | Self::DiskFull
            | Self::Unhealthy
            | Self::BenchFailed
            | Self::Lost => true,
            // The same configuration needs the same memory, and nobody installs an engine meanwhile.
            Self::OutOfMemory | Self::MissingEngine | Self::Cancelled => false,
        }
    }

    /// Whether it is certain that the server never ran, whatever was to be measured.
    pub fn is_of_start(self) -> bool {
        match self {
            Self::MissingEngine | Self::Unhealthy => true,
            Self::OutOfMemory
            | Self::Crash
            | Self::Hang
            | Self::PortInUse
            | Self::DiskFull
            | Self::BenchFailed
            | Self::Cancelled
            | Self::Lost => false,
        }
    }
}

impl fmt::Display for FailureClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}

impl FromStr for FailureClass {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|class| class.key() == text).ok_or(())
    }
}

/// Who has a job, and until when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// Who.
    pub agent: AgentId,
    /// Milliseconds since 1970 UTC on the server's clock.
    pub expires_at: i64,
}

/// A job as it is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// How far it is.
    pub phase: Phase,
    /// How often it was leased: every lease has its own number, so that what a lost agent says late is known as such.
    pub attempt: u32,
    /// How often it was leased since it was made, or since somebody asked for it again.
    pub tries: u32,
    /// Tries until it is given up.
    pub max_tries: u32,
    /// Who has it.
    pub lease: Option<Lease>,
    /// Whether whoever has it is to stop.
    pub cancelling: bool,
    /// The result that was accepted: no other one will be.
    pub result: Option<Digest>,
    /// Why it failed last.
    pub failure: Option<FailureClass>,
}

impl Job {
    /// A new one.
    #[must_use]
    pub fn new(max_tries: u32) -> Self {
        Self {
            phase: Phase::Queued,
            attempt: 0,
            tries: 0,
            max_tries: max_tries.max(1),
            lease: None,
            cancelling: false,
            result: None,
            failure: None,
        }
    }
}

/// A job's id: making the same job of the same plan twice makes one.
#[must_use]
pub fn job_id(plan: &PlanId, key: &JobKey) -> JobId {
    let JobKey { variant, profile, repeat } = key;
    let identity = serde_json::to_string(&(plan, variant, profile, repeat)).expect("texts and numbers are JSON");
    JobId::new(&Digest::of(identity.as_bytes()).as_str()[..20])
}
