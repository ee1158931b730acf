//! `vllm bench serve --save-result`, `benchmark_serving.py`, and `vllm bench sweep serve`, whose runs are the same object
//! with the swept parameters as further keys. TensorRT-LLM's `benchmark_serving` is a fork with some keys of its own.
//!
//! One object (vLLM 0.6 to 0.33):
//! <https://github.com/vllm-project/vllm/blob/v0.17.1/vllm/benchmarks/serve.py>,
//! <https://github.com/vllm-project/vllm/blob/v0.7.3/benchmarks/benchmark_serving.py>.

use super::ParseError;
use super::flat;
use super::listed;
use super::node::Node;
use crate::metrics::{Latency, Metrics};
use crate::run::{Context, Measurement, Tool, TpotDefinition};
use crate::units::{ReqPerSec, Secs, TokPerSec};

const LATENCIES: [(&str, Latency); 4] =
    [("ttft", Latency::Ttft), ("tpot", Latency::Tpot), ("itl", Latency::Itl), ("e2el", Latency::E2el)];

/// Keys that become figures or context; every other key is the user's metadata, a swept parameter or a setting.
const MAPPED: [&str; 21] = [
    "model_id",
    "label",
    "num_prompts",
    "request_rate",
    "max_concurrency",
    "duration",
    "completed",
    "failed",
    "total_input_tokens",
    "total_output_tokens",
    "request_throughput",
    "request_goodput",
    "request_goodput:",
    "output_throughput",
    "total_token_throughput",
    "max_output_tokens_per_s",
    "max_concurrent_requests",
    "spec_decode_acceptance_rate",
    "spec_decode_acceptance_length",
    // 0.0 unless the task is audio.
    "rtfx",
    "total_input_sequences",
];

pub(super) fn knows(root: &Node<'_>) -> bool {
    let has = |key: &str| root.value().get(key).is_some();
    has("completed") && has("duration") && has("request_throughput") && (has("model_id") || has("num_prompts"))
}

pub(super) fn read(root: &Node<'_>) -> Result<Vec<Measurement>, ParseError> {
    let has = |key: &str| root.get(key).is_some();
    let tool = match has("user_throughput") || has("avg_decoded_tokens_per_iter") {
        true => Tool::TrtLlmBench,
        false => Tool::VllmServe,
    };
    let metrics = metrics(root)?;
    Ok(vec![Measurement {
        tool,
        tpot_definition: TpotDefinition::ExcludesFirstToken,
        requests: listed::in_columns(root, &metrics),
        metrics,
        context: context(root),
        excerpt: None,
    }])
}

fn metrics(root: &Node<'_>) -> Result<Metrics, ParseError> {
    root.need("completed")?;
    let tokens_per_sec = |key: &str| root.figure_at(key).and_then(TokPerSec::new);
    // Up to 0.8, and in the fork to this day, the key has a colon inside.
    let goodput = root.figure_at("request_goodput").or_else(|| root.figure_at("request_goodput:"));
    let mut metrics = Metrics {
        successful_requests: root.count_at("completed"),
        failed_requests: root.count_at("failed"),
        planned_requests: root.count_at("num_prompts"),
        request_rate: root.rate_at("request_rate"),
        max_concurrency: root.count_at("max_concurrency").filter(|limit| *limit > 0),
        peak_concurrent_requests: root.count_at("max_concurrent_requests"),
        duration: Secs::new(root.need("duration")?),
        total_input_tokens: root.count_at("total_input_tokens"),
        total_output_tokens: root.count_at("total_output_tokens"),
        request_throughput: root.figure_at("request_throughput").and_then(ReqPerSec::new),
        output_throughput: tokens_per_sec("output_throughput"),
        total_token_throughput: tokens_per_sec("total_token_throughput"),
        peak_output_throughput: tokens_per_sec("max_output_tokens_per_s"),
        goodput: goodput.and_then(ReqPerSec::new),
        acceptance_rate_pct: root.figure_at("spec_decode_acceptance_rate"),
        acceptance_length: root.figure_at("spec_decode_acceptance_length"),
        ..Metrics::default()
    };
    flat::latencies(root, &mut metrics, &LATENCIES);
    if metrics.failed_requests.is_none() {
        metrics.failed_requests = flat::derived_failures(root, &metrics);
    }
    flat::drop_unmeasured(&mut metrics);
    Ok(metrics)
}

fn context(root: &Node<'_>) -> Context {
    // Statistics of the client's own queue are kept by their mean; the rest of them is in the raw output.
    let wanted = |key: &str| {
        let statistic = key.ends_with("_ms") && !key.starts_with("mean_");
        let mapped = LATENCIES.iter().any(|(name, _)| key.strip_prefix("mean_") == Some(&format!("{name}_ms")));
        !statistic && !mapped && !MAPPED.contains(&key)
    };
    Context {
        model: root.text_at("model_id"),
        label: root.text_at("label"),
        parameters: flat::parameters(root, wanted),
        ..Context::default()
    }
}
