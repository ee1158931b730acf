//! EvalScope perf: `benchmark_summary.json` (all seconds up to 1.0, seconds and milliseconds side by side later) and
//! `benchmark_percentile.json`.
//!
//! <https://github.com/modelscope/evalscope/blob/main/evalscope/perf/utils/benchmark_util.py>,
//! <https://github.com/modelscope/evalscope/blob/main/evalscope/perf/utils/db_util.py>
//!
//! The unit is in the key. Figures have four decimals at most; `Input Throughput` is 0 whatever was measured.

use super::ParseError;
use super::measured::{measurement, total};
use super::node::{Node, Unit};
use crate::metrics::{Distribution, Latency, Metrics, Stat};
use crate::run::{Context, Measurement, Tool, TpotDefinition};
use crate::units::{Ms, ReqPerSec, Secs, TokPerSec};

/// A summary, or the percentiles of a run.
pub(super) fn knows(root: &Node<'_>) -> bool {
    is_summary(root) || root.items().any(|row| label(&row).is_some())
}

fn is_summary(root: &Node<'_>) -> bool {
    let has = |key: &str| root.value().get(key).is_some();
    (has("Time taken for tests (s)") || has("Test Duration (s)"))
        && (has("Succeed requests") || has("Success Requests"))
}

/// `Percentiles` (early: `Percentile`): "50%", "min".
fn label(row: &Node<'_>) -> Option<String> {
    row.text_at("Percentiles").or_else(|| row.text_at("Percentile"))
}

/// The run.
pub(super) fn read(root: &Node<'_>) -> Result<Vec<Measurement>, ParseError> {
    let metrics = if is_summary(root) { summary(root)? } else { percentiles(root) };
    // EvalScope takes (latency − TTFT) / (output tokens − 1).
    Ok(vec![measurement(Tool::EvalScope, TpotDefinition::ExcludesFirstToken, metrics, Context::default())])
}

fn summary(root: &Node<'_>) -> Result<Metrics, ParseError> {
    for key in ["Test Duration (s)", "Time taken for tests (s)", "Success Requests", "Succeed requests"] {
        root.sound(key)?;
    }
    let figure = |keys: &[&str]| keys.iter().find_map(|key| root.figure_at(key));
    let count = |keys: [&str; 2]| keys.into_iter().find_map(|key| root.count_at(key));
    let mean = |keys: [&str; 3]| -> Distribution {
        let ms = keys.into_iter().find_map(|key| timed(root, key));
        ms.map(|ms| (Stat::Mean, ms)).into_iter().collect()
    };
    let ok = count(["Success Requests", "Succeed requests"]);
    let tokens = |keys: [&str; 2]| total(figure(&keys), ok);
    Ok(Metrics {
        successful_requests: ok,
        failed_requests: count(["Failed Requests", "Failed requests"]),
        planned_requests: count(["Total Requests", "Total requests"]),
        request_rate: root.rate_at("Request Rate (req/s)").or_else(|| root.rate_at("Request rate (req/s)")),
        max_concurrency: count(["Concurrency", "Number of concurrency"]),
        duration: figure(&["Test Duration (s)", "Time taken for tests (s)"]).and_then(Secs::new),
        total_input_tokens: tokens(["Avg Input Tokens", "Average input tokens per request"]),
        total_output_tokens: tokens(["Avg Output Tokens", "Average output tokens per request"]),
        request_throughput: figure(&["Req Throughput (req/s)", "Request throughput (req/s)", "Average QPS"])
            .and_then(ReqPerSec::new),
        output_throughput: figure(&[
            "Output Throughput (tok/s)",
            "Output token throughput (tok/s)",
            "Throughput(average tokens/s)",
        ])
        .and_then(TokPerSec::new),
        total_token_throughput: figure(&["Total Throughput (tok/s)", "Total token throughput (tok/s)"])
            .and_then(TokPerSec::new),
        ttft: mean(["Avg TTFT", "Average time to first token", "Average TTFT"]),
        tpot: mean(["Avg TPOT", "Average time per output token", "Average TPOT"]),
        itl: mean(["Avg ITL", "Average inter-token latency", "Average ITL"]),
        e2el: mean(["Avg Latency", "Average latency", "Average Latency"]),
        ..Metrics::default()
    })
}

/// The latency under a key whose unit stands behind it in brackets.
fn timed(node: &Node<'_>, name: &str) -> Option<Ms> {
    let units = [(" (ms)", Unit::Millis), (" (s)", Unit::Seconds)];
    units.into_iter().find_map(|(suffix, unit)| unit.ms(node.figure_at(&format!("{name}{suffix}"))?))
}

fn percentiles(root: &Node<'_>) -> Metrics {
    let mut metrics = Metrics::default();
    for row in root.items() {
        let Some(label) = label(&row) else { continue };
        let stat = match label.strip_suffix('%') {
            Some(percent) => format!("p{percent}").parse(),
            None => label.parse::<Stat>(),
        };
        let Ok(stat) = stat else {
            row.doubt(&format!(
                "is for \"{}\", not a percentile; left out",
                label.chars().take(40).collect::<String>()
            ));
            continue;
        };
        for (name, latency) in
            [("TTFT", Latency::Ttft), ("TPOT", Latency::Tpot), ("ITL", Latency::Itl), ("Latency", Latency::E2el)]
        {
            if let Some(ms) = timed(&row, name) {
                metrics.latency_mut(latency).insert(stat, ms);
            }
        }
    }
    metrics
}

/// Console boxes and `benchmark.log`.
pub(super) fn console(text: &str) -> Option<ParseError> {
    let has = |line: &str| line.contains("Benchmarking summary:") || line.contains("Performance Test Summary Report");
    let at = text.lines().position(has)?;
    text.contains("evalscope").then_some(ParseError::NotAResult {
        line: at + 1,
        found: "EvalScope's console tables",
        instead: "give benchmark_summary.json and benchmark_percentile.json of the same run",
    })
}
