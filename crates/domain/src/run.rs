//! One measurement of a variant under a profile at one load point.

mod same;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::id::{ProfileId, RunId, StudySlug, VariantId};
use crate::metrics::Metrics;
use crate::requests::Requests;
use crate::study::Localized;
pub use same::same_run;

/// The program that printed a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Tool {
    /// The "Serving Benchmark Result" text block; several tools print it (vLLM, SGLang, GPUStack's runner).
    #[serde(rename = "serving-benchmark-block")]
    ServingBenchmarkBlock,
    /// `vllm bench serve`, `benchmark_serving.py`.
    #[serde(rename = "vllm-bench-serve")]
    VllmServe,
    /// `vllm bench throughput`.
    #[serde(rename = "vllm-bench-throughput")]
    VllmThroughput,
    /// `vllm bench latency`.
    #[serde(rename = "vllm-bench-latency")]
    VllmLatency,
    /// `sglang.bench_serving`.
    #[serde(rename = "sglang-bench-serving")]
    SglangServing,
    /// GuideLLM.
    #[serde(rename = "guidellm")]
    GuideLlm,
    /// GPUStack's benchmark record.
    #[serde(rename = "gpustack")]
    GpuStack,
    /// NVIDIA AIPerf.
    #[serde(rename = "aiperf")]
    AiPerf,
    /// NVIDIA GenAI-Perf.
    #[serde(rename = "genai-perf")]
    GenAiPerf,
    /// `trtllm-bench`, `tensorrt_llm.serve.scripts.benchmark_serving`.
    #[serde(rename = "trtllm-bench")]
    TrtLlmBench,
    /// InferenceMAX / InferenceX.
    #[serde(rename = "inferencemax")]
    InferenceMax,
    /// LLMPerf.
    #[serde(rename = "llmperf")]
    LlmPerf,
    /// EvalScope perf.
    #[serde(rename = "evalscope")]
    EvalScope,
    /// LMDeploy `profile_restful_api.py`.
    #[serde(rename = "lmdeploy")]
    LmDeploy,
    /// Hugging Face inference-benchmarker.
    #[serde(rename = "hf-inference-benchmarker")]
    InferenceBenchmarker,
    /// inference-perf.
    #[serde(rename = "inference-perf")]
    InferencePerf,
    /// llm-d Benchmark Report.
    #[serde(rename = "llm-d-benchmark-report")]
    LlmDReport,
    /// MLPerf LoadGen.
    #[serde(rename = "mlperf-loadgen")]
    MlPerf,
    /// genai-bench.
    #[serde(rename = "genai-bench")]
    GenAiBench,
}

impl Tool {
    /// The name that users and programs see.
    pub fn key(self) -> &'static str {
        match self {
            Self::ServingBenchmarkBlock => "serving-benchmark-block",
            Self::VllmServe => "vllm-bench-serve",
            Self::VllmThroughput => "vllm-bench-throughput",
            Self::VllmLatency => "vllm-bench-latency",
            Self::SglangServing => "sglang-bench-serving",
            Self::GuideLlm => "guidellm",
            Self::GpuStack => "gpustack",
            Self::AiPerf => "aiperf",
            Self::GenAiPerf => "genai-perf",
            Self::TrtLlmBench => "trtllm-bench",
            Self::InferenceMax => "inferencemax",
            Self::LlmPerf => "llmperf",
            Self::EvalScope => "evalscope",
            Self::LmDeploy => "lmdeploy",
            Self::InferenceBenchmarker => "hf-inference-benchmarker",
            Self::InferencePerf => "inference-perf",
            Self::LlmDReport => "llm-d-benchmark-report",
            Self::MlPerf => "mlperf-loadgen",
            Self::GenAiBench => "genai-bench",
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

/// What the output says besides figures. All of it is the tool's word, none of it is checked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Context {
    /// Version of the tool that printed the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_version: Option<String>,
    /// The engine under test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine_version: Option<String>,
    /// The model, as the tool names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The data set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dataset: Option<String>,
    /// Input tokens per request that were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Output tokens per request that were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// The GPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu: Option<String>,
    /// How many; unknown is none, never 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpus: Option<u32>,
    /// When the run started, milliseconds since 1970 UTC; only where the output gives a zone or a Unix time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<i64>,
    /// What the user called the run, or the load point in a file of many (`constant@4`, `warmup`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Everything else worth keeping, in short texts: parallelism, precision, swept parameters.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, String>,
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
    /// What else the output says.
    #[serde(default)]
    pub context: Context,
    /// The lines it was read from, where the format is text that a person reads.
    pub excerpt: Option<Excerpt>,
    /// Its successful requests one by one, where the output lists all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<Requests>,
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
    /// Markdown, per language.
    #[serde(default, skip_serializing_if = "Localized::is_empty")]
    pub notes: Localized,
    /// What was read.
    #[serde(flatten)]
    pub measurement: Measurement,
}

/// A run's id: the same upload gives the same id, so sending it twice adds nothing.
pub fn run_id(study: &StudySlug, variant: &VariantId, profile: &ProfileId, digest: &Digest, index: u32) -> RunId {
    let identity = format!("{study}\n{variant}\n{profile}\n{digest}\n{index}");
    RunId::new(&Digest::of(identity.as_bytes()).as_str()[..20])
}
