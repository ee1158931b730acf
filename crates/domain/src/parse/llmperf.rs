//! LLMPerf: a flat summary, or several keyed by concurrency. Everything in seconds.
//!
//! <https://github.com/ray-project/llmperf/blob/main/token_benchmark_ray.py>
//!
//! Its "inter token latency" is the whole latency divided by the output tokens: it counts the first token in and is no
//! TPOT. It does not write the duration, which follows from requests per minute.

use super::ParseError;
use super::measured::{measurement, near_whole, total};
use super::node::{Node, Unit};
use crate::metrics::{Distribution, Metrics, Stat};
use crate::run::{Context, Measurement, Tool, TpotDefinition};
use crate::units::{ReqPerSec, Secs, TokPerSec};

/// A summary, or an object of nothing but summaries.
pub(super) fn knows(root: &Node<'_>) -> bool {
    is_summary(root) || is_requests(root) || root.entries().any(|(_, one)| is_summary(&one))
}

/// `*_individual_responses.json`.
fn is_requests(root: &Node<'_>) -> bool {
    let has = |first: &Node<'_>| first.get("ttft_s").is_some() && first.get("inter_token_latency_s").is_some();
    root.items().next().is_some_and(|first| has(&first))
}

fn is_summary(node: &Node<'_>) -> bool {
    node.get("results_ttft_s_mean").is_some() || node.get("results_num_completed_requests").is_some()
}

/// Its summaries, by concurrency.
pub(super) fn read(root: &Node<'_>) -> Result<Vec<Measurement>, ParseError> {
    if is_requests(root) {
        return Err(root.not_a_result(
            "the requests of an LLMPerf run one by one, without its duration",
            "give the file that ends in _summary.json",
        ));
    }
    if is_summary(root) {
        return Ok(vec![summary(root, None)?]);
    }
    let mut runs = Vec::new();
    for (key, node) in root.entries() {
        if is_summary(&node) {
            runs.extend(node.attempt(|node| summary(node, Some(key))));
        } else {
            node.doubt("is no LLMPerf summary; left out");
        }
    }
    // "1", "16", "2" as texts are in no order of load.
    runs.sort_by_key(|run| run.metrics.max_concurrency);
    Ok(runs)
}

fn summary(summary: &Node<'_>, key: Option<&str>) -> Result<Measurement, ParseError> {
    let completed = summary.need("results_num_completed_requests")?;
    let ok = near_whole(completed, 0.0);
    let per_second = summary.figure_at("results_num_completed_requests_per_min").map(|per_minute| per_minute / 60.0);
    let tokens = |side: &str| total(summary.figure_at(&format!("results_number_{side}_tokens_mean")), ok);
    let metrics = Metrics {
        successful_requests: ok,
        failed_requests: summary.count_at("results_number_errors"),
        planned_requests: summary.count_at("results_num_requests_started"),
        max_concurrency: summary.count_at("num_concurrent_requests").or_else(|| key.and_then(|key| key.parse().ok())),
        // Nothing completed in no time at all: the duration is not known.
        duration: per_second.filter(|rate| *rate > 0.0 && completed > 0.0).and_then(|rate| Secs::new(completed / rate)),
        total_input_tokens: tokens("input"),
        total_output_tokens: tokens("output"),
        request_throughput: per_second.and_then(ReqPerSec::new),
        output_throughput: summary.figure_at("results_mean_output_throughput_token_per_s").and_then(TokPerSec::new),
        ttft: distribution(summary, "ttft"),
        tpot_including_first: distribution(summary, "inter_token_latency"),
        e2el: distribution(summary, "end_to_end_latency"),
        ..Metrics::default()
    };
    let mut context = Context {
        tool_version: summary.text_at("version"),
        model: summary.text_at("model"),
        label: summary.text_at("name"),
        input_tokens: summary.count_at("mean_input_tokens"),
        output_tokens: summary.count_at("mean_output_tokens"),
        started_at: summary.count_at("timestamp").and_then(|s| i64::try_from(s).ok()?.checked_mul(1000)),
        ..Context::default()
    };
    let kept = ["framework", "stddev_input_tokens", "stddev_output_tokens", "results_error_code_frequency"];
    for key in kept {
        if let Some(text) = summary.text_at(key).filter(|text| text != "{}") {
            context.parameters.insert(key.to_owned(), text);
        }
    }
    Ok(measurement(Tool::LlmPerf, TpotDefinition::IncludesFirstToken, metrics, context))
}

fn distribution(summary: &Node<'_>, name: &str) -> Distribution {
    let stats = [
        ("mean", Stat::Mean),
        ("stddev", Stat::Std),
        ("min", Stat::Min),
        ("max", Stat::Max),
        ("quantiles_p50", Stat::Median),
        ("quantiles_p25", Stat::Percentile(250)),
        ("quantiles_p75", Stat::Percentile(750)),
        ("quantiles_p90", Stat::Percentile(900)),
        ("quantiles_p95", Stat::P95),
        ("quantiles_p99", Stat::P99),
    ];
    let figures = stats.into_iter().filter_map(|(key, stat)| {
        Some((stat, Unit::Seconds.ms(summary.figure_at(&format!("results_{name}_s_{key}"))?)?))
    });
    figures.collect()
}
