//! GPUStack's benchmark record: one, an export of many (YAML or JSON), or the rows of a benchmark's load points.
//!
//! <https://github.com/gpustack/gpustack/blob/0b9fef2edd1535a40c6863a5af4c2ee285a08b65/gpustack/schemas/benchmark.py>
//!
//! The figures are GuideLLM's: `inter_token_latency_*` is TPOT, `time_per_output_token_*` counts the first token in, rates
//! cover GuideLLM's window. The record has no duration. `itl_per_chunk_*` (2.3 on) are real gaps.

use serde_json::Value;

use super::ParseError;
use super::measured::{measurement, near_whole};
use super::node::{Node, Unit};
use crate::metrics::{Distribution, Metrics, Stat};
use crate::run::{Context, Measurement, Tool, TpotDefinition};
use crate::units::{ReqPerSec, RequestRate, TokPerSec};

/// By convention of its profiles (Throughput, ShareGPT) this rate means "all at once", as −1 does.
const UNLIMITED: f64 = 1000.0;

/// A record, a list of rows, or either under `benchmarks` or `items`.
pub(super) fn knows(root: &Node<'_>) -> bool {
    is_record(root) || records(root).any(|record| is_record(&record))
}

fn is_record(node: &Node<'_>) -> bool {
    let has = |key: &str| node.value().get(key).is_some();
    has("requests_per_second_mean") && (has("request_successful") || has("request_total") || has("raw_metrics"))
}

fn records<'a>(root: &Node<'a>) -> impl Iterator<Item = Node<'a>> {
    let list = match root.value() {
        Value::Array(_) => Some(root.clone()),
        _ => root.get("benchmarks").or_else(|| root.get("items")),
    };
    let alone = list.is_none().then(|| root.clone());
    list.into_iter().flat_map(|list| list.items()).chain(alone)
}

/// Its measured points, in order. A record that has not run yet is no result.
pub(super) fn read(root: &Node<'_>) -> Result<Vec<Measurement>, ParseError> {
    let mut runs = Vec::new();
    let (mut unmeasured, mut rejected) = (false, false);
    for record in records(root) {
        if record.get("requests_per_second_mean").is_none() && record.get("request_successful").is_none() {
            let state = record.text_at("state").unwrap_or_else(|| "not known".to_owned());
            record.doubt(&format!("has no figures (state {state}); left out"));
            unmeasured = true;
            continue;
        }
        match record.attempt(point) {
            Some(run) => runs.push(run),
            None => rejected = true,
        }
    }
    if runs.is_empty() && unmeasured && !rejected {
        return Err(ParseError::NotAResult {
            line: root.line(),
            found: "a GPUStack benchmark that has no figures",
            instead: "export it when its state is \"completed\"",
        });
    }
    Ok(runs)
}

fn point(record: &Node<'_>) -> Result<Measurement, ParseError> {
    let mean = |name: &str| record.figure_at(&format!("{name}_mean"));
    let mut metrics = Metrics {
        successful_requests: record.sound_count("request_successful")?,
        failed_requests: record.sound_count("request_errored")?,
        incomplete_requests: record.count_at("request_incomplete"),
        planned_requests: record.count_at("total_requests"),
        request_throughput: mean("requests_per_second").and_then(ReqPerSec::new),
        output_throughput: mean("output_tokens_per_second").and_then(TokPerSec::new),
        total_token_throughput: mean("tokens_per_second").and_then(TokPerSec::new),
        mean_concurrency: mean("request_concurrency"),
        peak_concurrent_requests: record.figure_at("request_concurrency_max").and_then(|max| near_whole(max, 1e-6)),
        e2el: distribution(record, "request_latency", Unit::Seconds),
        ttft: distribution(record, "time_to_first_token", Unit::Millis),
        tpot: distribution(record, "inter_token_latency", Unit::Millis),
        tpot_including_first: distribution(record, "time_per_output_token", Unit::Millis),
        itl: distribution(record, "itl_per_chunk", Unit::Millis),
        ..Metrics::default()
    };
    let mut definition = TpotDefinition::ExcludesFirstToken;
    if metrics.tpot.get(&Stat::Mean).is_some_and(|mean| mean.get() == 0.0) {
        let instead = if metrics.tpot_including_first.is_empty() {
            "TPOT was not measured"
        } else {
            definition = TpotDefinition::IncludesFirstToken;
            "TPOT was not measured; the time per output token that counts the first token in stands by itself"
        };
        record.doubt(&format!("has an inter_token_latency of 0: answers came in one chunk; {instead}"));
        metrics.tpot.clear();
    }
    load(record, &mut metrics);
    Ok(measurement(Tool::GpuStack, definition, metrics, context(record)))
}

fn distribution(record: &Node<'_>, name: &str, unit: Unit) -> Distribution {
    let stats = [("mean", Stat::Mean), ("p95", Stat::P95), ("p99", Stat::P99), ("max", Stat::Max)];
    let figures =
        stats.into_iter().filter_map(|(key, stat)| Some((stat, unit.ms(record.figure_at(&format!("{name}_{key}"))?)?)));
    figures.collect()
}

/// A row says its own load; a record says what was asked for.
fn load(record: &Node<'_>, metrics: &mut Metrics) {
    if let Some(strategy) = record.text_at("strategy_type") {
        match strategy.as_str() {
            "concurrent" => metrics.max_concurrency = record.figure_at("rate").and_then(|rate| near_whole(rate, 1e-6)),
            "throughput" => metrics.request_rate = Some(RequestRate::Unlimited),
            _ => metrics.request_rate = record.rate_at("rate"),
        }
        return;
    }
    let is_tuned = record.value().get("auto_tune").and_then(Value::as_bool) == Some(true);
    let has_stages = record.get("stages").is_some_and(|stages| stages.items().next().is_some());
    // The record of a ramp or of stages has the figures of one point and does not say at which load.
    if is_tuned || has_stages {
        return;
    }
    if record.text_at("load_type").as_deref() == Some("concurrency") {
        metrics.max_concurrency = record.count_at("request_rate").filter(|streams| *streams > 0);
    } else {
        metrics.request_rate = match record.rate_at("request_rate") {
            Some(RequestRate::PerSec(rate)) if rate.get() == UNLIMITED => Some(RequestRate::Unlimited),
            rate => rate,
        };
    }
}

fn context(record: &Node<'_>) -> Context {
    let mut context = Context {
        model: record.text_at("model_name"),
        dataset: record.text_at("dataset_name"),
        input_tokens: record.count_at("dataset_input_tokens").or_else(|| record.count_at("input_tokens")),
        output_tokens: record.count_at("dataset_output_tokens"),
        label: record.text_at("name").or_else(|| {
            let rate = record.figure_at("rate")?;
            Some(format!("{}@{rate}", record.text_at("strategy_type")?))
        }),
        gpu: record.text_at("gpu_summary"),
        ..Context::default()
    };
    if let Some(instance) = record.at(&["snapshot", "instances"]).and_then(|all| all.entries().next()) {
        let (_, instance) = instance;
        context.engine = instance.text_at("backend");
        context.engine_version =
            instance.text_at("api_detected_backend_version").or_else(|| instance.text_at("backend_version"));
        context.gpus = instance
            .get("gpu_indexes")
            .and_then(|indexes| u32::try_from(indexes.items().count()).ok())
            .filter(|gpus| *gpus > 0);
        if let Some(parameters) = instance.get("backend_parameters") {
            let texts: Vec<String> = parameters.items().filter_map(|parameter| parameter.text()).collect();
            if !texts.is_empty() {
                context.parameters.insert("arguments".to_owned(), texts.join(" "));
            }
        }
    }
    for key in ["profile", "state", "load_type", "strategy_type", "target_mode", "dataset_seed", "validity"] {
        if let Some(text) = record.text_at(key) {
            context.parameters.insert(key.to_owned(), text);
        }
    }
    context
}
