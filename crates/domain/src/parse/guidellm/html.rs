//! GuideLLM's report page: the data stands in a script, as JSON after an assignment. The script is never run.
//!
//! <https://github.com/vllm-project/guidellm/blob/v0.5.4/src/guidellm/benchmark/outputs/html.py> (`window.benchmarks`, to
//! 0.7), <https://github.com/vllm-project/guidellm/tree/v0.8.1/src/guidellm/benchmark/outputs/html_report>
//! (`window.GUIDELLM_REPORT`). Both are brought into the shape of the JSON report; what they leave out stays absent.

use serde_json::{Map, Value, json};

use super::super::{ParseError, Parsed, json as documents, prune};

/// Reads the page, if it is one.
pub(in crate::parse) fn parse(text: &str) -> Option<Result<Parsed, ParseError>> {
    if let Some(report) = assigned(text, "window.GUIDELLM_REPORT") {
        return Some(report.and_then(|(report, line)| documents::read(&from_0_8(&report), line)));
    }
    let points = assigned(text, "window.benchmarks")?;
    let model = assigned(text, "window.runInfo").and_then(Result::ok).map(|(info, _)| info["model"]["name"].clone());
    Some(points.and_then(|(points, line)| documents::read(&from_0_2(&points, model), line)))
}

/// The value of an assignment and the line on which it starts.
fn assigned(text: &str, name: &str) -> Option<Result<(Value, usize), ParseError>> {
    let at = text.find(name)? + name.len();
    let rest = text[at..].trim_start().strip_prefix('=')?.trim_start();
    let before = &text[..text.len() - rest.len()];
    let lines = before.bytes().filter(|byte| *byte == b'\n').count();
    Some(prune::first(rest.as_bytes(), lines).map(|value| (value, lines + 1)))
}

/// To 0.7: successful requests only, camel case, no counts but of the samples, percentiles with gaps.
fn from_0_2(points: &Value, model: Option<Value>) -> Value {
    let points = points.as_array().map(Vec::as_slice).unwrap_or_default().iter().map(|point| {
        let successful = |key: &str| json!({ "successful": distribution(&point[key]) });
        json!({
            "metrics": {
                "request_totals": { "successful": point["ttft"]["count"] },
                "requests_per_second": { "successful": { "mean": point["requestsPerSecond"] } },
                "output_tokens_per_second": { "successful": { "mean": point["throughput"]["mean"] } },
                "request_latency": successful("timePerRequest"),
                "time_to_first_token_ms": successful("ttft"),
                "inter_token_latency_ms": successful("itl"),
            },
        })
    });
    json!({ "benchmarks": points.collect::<Vec<_>>(), "args": { "model": model } })
}

/// A percentile that equals the next higher one is left out of `percentiles`; `percentileRows` has four of them.
fn distribution(of: &Value) -> Value {
    const NAMES: [&str; 11] = ["p999", "p99", "p95", "p90", "p75", "p50", "p25", "p10", "p05", "p01", "p001"];
    let rows = of["percentileRows"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut percentiles = Map::new();
    let mut higher = None;
    for name in NAMES {
        let row = rows.iter().find(|row| row["percentile"] == name).map(|row| &row["value"]);
        let value = of["percentiles"].get(name).or(row).or(higher);
        if let Some(value) = value {
            percentiles.insert(name.to_owned(), value.clone());
            higher = Some(value);
        }
    }
    json!({
        "mean": of["mean"], "median": of["median"], "std_dev": of["stdDev"], "min": of["min"], "max": of["max"],
        "count": of["count"], "percentiles": percentiles,
    })
}

/// From 0.8 on: one row a point. Its request rate and its input and total token rates count failed and cut requests too,
/// so they are taken only where there are none; latencies have two percentiles and no mean.
fn from_0_8(report: &Value) -> Value {
    let points = report["runs"].as_array().map(Vec::as_slice).unwrap_or_default().iter().map(|run| {
        let clean = ["errored", "incomplete"].iter().all(|key| run[*key].as_f64() == Some(0.0));
        let only_clean = |key: &str| if clean { run[key].clone() } else { Value::Null };
        let latency = |name: &str, factor: f64| {
            let at = |percent: u8| run[format!("{name}_p{percent}_ms")].as_f64().map(|figure| figure * factor);
            json!({ "successful": { "percentiles": { "p95": at(95), "p99": at(99) } } })
        };
        json!({
            "config": {
                "strategy": {
                    "type_": run["strategy"], "streams": run["configured_concurrency"],
                    "rate": run["configured_request_rate"],
                },
            },
            "metrics": {
                "request_totals": {
                    "successful": run["successful"], "errored": run["errored"], "incomplete": run["incomplete"],
                },
                "requests_per_second": { "successful": { "mean": only_clean("request_rate") } },
                "request_concurrency": { "successful": { "mean": only_clean("concurrency") } },
                "output_tokens_per_second": { "successful": { "mean": run["output_tps"] } },
                "tokens_per_second": { "successful": { "mean": only_clean("total_tps") } },
                "request_latency": latency("request_latency", 0.001),
                "time_to_first_token_ms": latency("ttft", 1.0),
                "inter_token_latency_ms": latency("itl", 1.0),
                "time_per_output_token_ms": latency("tpot", 1.0),
            },
        })
    });
    json!({
        "metadata": { "guidellm_version": report["header"]["guidellm_version"] },
        "args": { "model": report["header"]["model"] },
        "benchmarks": points.collect::<Vec<_>>(),
    })
}
