//! inference-perf: `stage_N_lifecycle_metrics.json` and `summary_lifecycle_metrics.json`. Everything in seconds.
//!
//! <https://github.com/kubernetes-sigs/inference-perf/blob/7de5ef2ed6/inference_perf/reportgen/base.py>
//!
//! `time_per_output_token` is TPOT, `inter_token_latency` one sample a chunk, `normalized_time_per_output_token` the whole
//! latency divided by the output tokens. The duration is not written (`send_duration` is only the sending): it follows
//! from the successes and their rate.

use super::ParseError;
use super::measured::{measurement, total};
use super::node::{Node, Unit};
use crate::metrics::{Distribution, Metrics};
use crate::run::{Context, Measurement, Tool, TpotDefinition};
use crate::units::{ReqPerSec, Secs, TokPerSec};

/// A stage, or the summary of all.
pub(super) fn knows(root: &Node<'_>) -> bool {
    root.get("successes").is_some() && root.get("load_summary").is_some()
}

/// The stage.
pub(super) fn read(root: &Node<'_>) -> Result<Vec<Measurement>, ParseError> {
    let Some(successes) = root.get("successes") else { return Ok(Vec::new()) };
    let count = successes.need("count")?;
    let ok = successes.count_at("count");
    let latency = |name: &str| -> Distribution {
        let of = successes.at(&["latency", name]);
        of.map(|of| of.distribution(Unit::Seconds, |key| key.parse().ok())).unwrap_or_default()
    };
    let rate = |name: &str| successes.get("throughput")?.figure_at(name);
    let tokens = |name: &str| total(successes.get(name)?.figure_at("mean"), ok);
    let per_second = rate("requests_per_sec");
    let load = root.get("load_summary");
    let metrics = Metrics {
        successful_requests: ok,
        failed_requests: root.get("failures").and_then(|failures| failures.count_at("count")),
        planned_requests: load.as_ref().and_then(|load| load.count_at("count")),
        request_rate: load.as_ref().and_then(|load| load.rate_at("requested_rate")),
        max_concurrency: load.as_ref().and_then(|load| load.count_at("concurrency")),
        duration: per_second.filter(|rate| *rate > 0.0).and_then(|rate| Secs::new(count / rate)),
        total_input_tokens: tokens("prompt_len"),
        total_output_tokens: tokens("output_len"),
        request_throughput: per_second.and_then(ReqPerSec::new),
        output_throughput: rate("output_tokens_per_sec").and_then(TokPerSec::new),
        total_token_throughput: rate("total_tokens_per_sec").and_then(TokPerSec::new),
        ttft: latency("time_to_first_token"),
        tpot: latency("time_per_output_token"),
        tpot_including_first: latency("normalized_time_per_output_token"),
        itl: latency("inter_token_latency"),
        e2el: latency("request_latency"),
        ..Metrics::default()
    };
    let mut context = Context::default();
    for key in ["achieved_rate", "send_duration"] {
        if let Some(text) = load.as_ref().and_then(|load| load.text_at(key)) {
            context.parameters.insert(key.to_owned(), text);
        }
    }
    Ok(vec![measurement(Tool::InferencePerf, TpotDefinition::ExcludesFirstToken, metrics, context)])
}
