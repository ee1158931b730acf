//! One measurement of a variant under a profile at one load point.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::id::{ProfileId, RunId, StudySlug, VariantId};
use crate::metrics::Metrics;

/// The program that printed a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tool {
    /// The "Serving Benchmark Result" text block; several tools print it (vLLM, SGLang, GPUStack's runner).
    ServingBenchmarkBlock,
}

impl Tool {
    /// The name that users and programs see.
    pub fn key(self) -> &'static str {
        match self {
            Self::ServingBenchmarkBlock => "serving-benchmark-block",
        }
    }
}

/// What a tool means by TPOT. Two definitions never meet in one comparison unsaid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TpotDefinition {
    /// (E2EL − TTFT) / (output tokens − 1), which is what Touchstone means by TPOT.
    ExcludesFirstToken,
    /// E2EL (or TTFT + decode time) / output tokens, as GuideLLM has it.
    IncludesFirstToken,
    /// The output does not say.
    Unstated,
}

/// The lines a result was read from, verbatim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    /// The text as received, without colour codes and carriage returns.
    pub text: String,
    /// The line in the file, from 1, where it starts.
    pub first_line: usize,
}

/// A result as read from a raw output, before it belongs to a variant and a profile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Who printed it.
    pub tool: Tool,
    /// What the tool says its TPOT is.
    pub tpot_definition: TpotDefinition,
    /// The figures.
    pub metrics: Metrics,
    /// The lines it was read from, where the format is text that a person reads.
    pub excerpt: Option<Excerpt>,
}

/// A measurement in its place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Follows from all the below: see [`run_id`].
    pub id: RunId,
    /// What was under test.
    pub variant: VariantId,
    /// The workload asked for.
    pub profile: ProfileId,
    /// The path in the study folder, or the name of the uploaded file.
    pub file: String,
    /// The raw output.
    pub digest: Digest,
    /// The place among the results of the raw output, from 0.
    pub index: u32,
    /// The server start it belongs to, where known. Runs of one start share its luck.
    pub start: Option<String>,
    /// When it started, milliseconds since 1970 UTC, where known.
    pub started_at: Option<i64>,
    /// What was read.
    #[serde(flatten)]
    pub measurement: Measurement,
}

/// A run's id: the same upload gives the same id, so sending it twice adds nothing.
pub fn run_id(study: &StudySlug, variant: &VariantId, profile: &ProfileId, digest: &Digest, index: u32) -> RunId {
    let identity = format!("{study}\n{variant}\n{profile}\n{digest}\n{index}");
    RunId::new(&Digest::of(identity.as_bytes()).as_str()[..20])
}
