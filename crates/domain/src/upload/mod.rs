//! An upload: what was under test, under which workload, and raw outputs. The envelope as it is sent, what is refused in
//! it, and the plan of what must exist before its runs can be stored.
//!
//! Invariant: a plan follows from the envelope and what is stored, so the same upload asks for the same things whenever
//! it comes.

mod check;
mod envelope;
mod fingerprint;
pub mod guess;
mod plan;
mod typed;

use thiserror::Error;

pub use check::{MAX_FILES, file_name};
pub use envelope::{
    Commands, Envelope, File, HardwarePart, Languages, ModelPart, ProfilePart, Short, StepPart, StudyPart, VariantPart,
};
pub use plan::{Plan, UNKNOWN, plan};
pub use typed::{Typed, typed};

/// Why an envelope is not taken: which key, what is wrong with it, what could have stood there.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{path}: {reason}")]
pub struct Refusal {
    /// The key's path, like `variant.env.HOME`.
    pub path: String,
    /// What was found.
    pub reason: String,
    /// What could have stood there, where a list helps.
    pub expected: Option<String>,
}

impl Refusal {
    pub(crate) fn new(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { path: path.into(), reason: reason.into(), expected: None }
    }

    pub(crate) fn expected(self, expected: impl Into<String>) -> Self {
        Self { expected: Some(expected.into()), ..self }
    }
}
