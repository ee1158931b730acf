//! NVIDIA AIPerf 0.3 to 0.13 and GenAI-Perf: JSON with an object a metric, CSV with several tables, AIPerf's sweep.
//!
//! <https://github.com/ai-dynamo/aiperf/blob/main/docs/tutorials/working-with-profile-exports.md>,
//! <https://github.com/triton-inference-server/perf_analyzer/blob/main/genai-perf/genai_perf/export_data/json_exporter.py>
//!
//! Every metric names its unit. `inter_token_latency` is (latency − TTFT) / (tokens − 1) a request: TPOT.
//! `inter_chunk_latency` is one sample a gap: ITL.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::measured::{measurement, near_whole};
use super::node::{Node, Unit};
use super::table::Row;
use super::{ParseError, Parsed, json as documents};
use crate::metrics::{Distribution, Metrics, Stat};
use crate::run::{Context, Measurement, Tool, TpotDefinition};
use crate::units::{ReqPerSec, RequestRate, Secs, TokPerSec, Watts};

/// A summary of a run, or the requests of one.
pub(super) fn knows(root: &Node<'_>) -> bool {
    root.at(&["time_to_first_token", "unit"]).is_some()
        || root.at(&["request_latency", "unit"]).is_some()
        || is_request(root)
        || is_confidence(root)
        || root.get("aiperf_version").is_some() && root.get("request_count").is_some()
}

/// A line of `profile_export.jsonl`.
fn is_request(root: &Node<'_>) -> bool {
    root.at(&["metadata", "request_start_ns"]).is_some() && root.get("metrics").is_some()
}

/// `profile_export_aiperf_aggregate.json`: means over several runs.
fn is_confidence(root: &Node<'_>) -> bool {
    let kind = root.get("aggregation_type").or_else(|| root.at(&["metadata", "aggregation_type"]));
    kind.and_then(|kind| kind.text()).as_deref() == Some("confidence")
}

/// The run.
pub(super) fn read(root: &Node<'_>) -> Result<Vec<Measurement>, ParseError> {
    let refused = if is_request(root) {
        Some((
            "the requests of an AIPerf run one by one, without its duration and failures",
            "give profile_export_aiperf.json of the same run",
        ))
    } else if is_confidence(root) {
        Some((
            "AIPerf's means over several runs, in which the runs cannot be told apart",
            "give profile_export_aiperf.json of each run",
        ))
    } else {
        None
    };
    if let Some((found, instead)) = refused {
        return Err(ParseError::NotAResult { line: root.line(), found, instead });
    }
    for key in ["request_count", "error_request_count", "benchmark_duration"] {
        if let Some(metric) = root.get(key) {
            metric.sound("avg")?;
        }
    }
    let context = context(root);
    let tool = if is_genai_perf(root) { Tool::GenAiPerf } else { Tool::AiPerf };
    let mut metrics = figures(root, |name, stat| root.get(name)?.figure_at(stat), |name| root.get(name));
    // AIPerf writes null for no errors; GenAI-Perf does not count them.
    if tool == Tool::AiPerf && metrics.successful_requests.is_some() {
        metrics.failed_requests = metrics.failed_requests.or(Some(0));
    }
    load(root, &mut metrics);
    metrics.gpu_power = power(root);
    if root.value().get("was_cancelled").and_then(Value::as_bool) == Some(true) {
        root.doubt("says that the run was cancelled");
    }
    Ok(vec![measurement(tool, TpotDefinition::ExcludesFirstToken, metrics, context)])
}

/// GenAI-Perf: its client is named in the configuration; its table is marked by the reader.
fn is_genai_perf(root: &Node<'_>) -> bool {
    root.at(&["input_config", "perf_analyzer"]).is_some() || root.get("request_goodput").is_some()
}

/// The figures of a run. `at` gives a statistic of a metric, `of` the metric with its unit.
fn figures<'a>(
    place: &Node<'a>,
    at: impl Fn(&str, &str) -> Option<f64>,
    of: impl Fn(&str) -> Option<Node<'a>>,
) -> Metrics {
    let first = |names: &[&str]| names.iter().find_map(|name| at(name, "avg"));
    let count = |names: &[&str]| near_whole(first(names)?, 0.01);
    let latency = |name: &str| of(name).map(|metric| distribution(&metric)).unwrap_or_default();
    let duration = of("benchmark_duration").and_then(|metric| {
        let unit = metric.text_at("unit").map_or(Some(Unit::Seconds), |unit| Unit::named(&unit));
        let ms = unit?.ms(at("benchmark_duration", "avg")?)?;
        Secs::new(ms.secs())
    });
    if of("benchmark_duration").is_some() && duration.is_none() {
        place.doubt("has a benchmark_duration in a unit that is not known; left out");
    }
    Metrics {
        successful_requests: count(&["request_count"]),
        failed_requests: count(&["error_request_count"]),
        duration,
        total_input_tokens: count(&["total_isl"]),
        total_output_tokens: count(&["total_osl", "total_output_tokens"]),
        request_throughput: first(&["request_throughput"]).and_then(ReqPerSec::new),
        output_throughput: first(&["output_token_throughput"]).and_then(TokPerSec::new),
        total_token_throughput: first(&["total_token_throughput"]).and_then(TokPerSec::new),
        goodput: first(&["goodput", "request_goodput"]).and_then(ReqPerSec::new),
        mean_concurrency: first(&["effective_concurrency"]),
        e2el: latency("request_latency"),
        ttft: latency("time_to_first_token"),
        tpot: latency("inter_token_latency"),
        itl: latency("inter_chunk_latency"),
        ..Metrics::default()
    }
}

fn distribution(metric: &Node<'_>) -> Distribution {
    let name = metric.text_at("unit").unwrap_or_default();
    let Some(unit) = Unit::named(&name) else {
        metric.doubt(&format!("is in \"{}\", not a unit of time; left out", name.chars().take(40).collect::<String>()));
        return Distribution::default();
    };
    metric.distribution(unit, |key| key.parse().ok())
}

/// What all GPUs drew in the mean: `telemetry_data` has every GPU of every exporter, in watts. A GPU behind two exporters
/// counts once; one without a figure leaves the sum unknown.
fn power(root: &Node<'_>) -> Option<Watts> {
    let mut gpus = BTreeMap::new();
    for (endpoint, exporter) in root.at(&["telemetry_data", "endpoints"])?.entries() {
        for (name, gpu) in exporter.get("gpus")?.entries() {
            let host = gpu.text_at("hostname").unwrap_or_else(|| endpoint.to_owned());
            let id = gpu.text_at("gpu_uuid").unwrap_or_else(|| name.to_owned());
            let usage = gpu.at(&["metrics", "gpu_power_usage"]);
            let watts = usage.filter(|usage| usage.text_at("unit").as_deref() == Some("W"));
            gpus.insert((host, name.to_owned(), id), watts.and_then(|watts| watts.figure_at("avg")));
        }
    }
    let drawn: Vec<f64> = gpus.into_values().collect::<Option<_>>()?;
    let all: f64 = drawn.iter().sum();
    Watts::new(all).filter(|_| all > 0.0 && drawn.iter().all(|watts| *watts >= 0.0))
}

/// The load asked for: 0.3's `loadgen`, 0.13's `phases`, GenAI-Perf's `stimulus`.
fn load(root: &Node<'_>, metrics: &mut Metrics) {
    let Some(config) = root.get("input_config") else { return };
    let phase = config.get("phases").and_then(|phases| {
        let is_measured = |phase: &Node<'_>| phase.text_at("kind").is_none_or(|kind| kind == "profiling");
        phases.items().find(is_measured)
    });
    let phase = phase.or_else(|| config.get("loadgen")).or_else(|| config.at(&["perf_analyzer", "stimulus"]));
    let Some(phase) = phase else { return };
    metrics.max_concurrency = phase.count_at("concurrency");
    metrics.request_rate = phase.rate_at("rate").or_else(|| phase.rate_at("request_rate"));
    metrics.planned_requests = phase.count_at("requests").or_else(|| phase.count_at("request_count"));
}

fn context(root: &Node<'_>) -> Context {
    let mut context =
        Context { tool_version: root.text_at("aiperf_version"), label: root.text_at("label"), ..Context::default() };
    let Some(config) = root.get("input_config") else { return context };
    let first = |path: &[&str]| config.at(path)?.items().next();
    context.model = first(&["models", "items"])
        .and_then(|model| model.text_at("name"))
        .or_else(|| first(&["endpoint", "model_names"])?.text())
        .or_else(|| first(&["model_names"])?.text());
    let dataset = first(&["datasets"]);
    context.dataset = dataset.as_ref().and_then(|dataset| dataset.text_at("type"));
    let lengths: [Option<Node<'_>>; 3] =
        [dataset.and_then(|dataset| dataset.get("prompts")), config.at(&["input", "prompt"]), config.get("input")];
    let asked = |names: [&str; 3]| {
        lengths.iter().flatten().find_map(|node| {
            let length = names.iter().find_map(|name| node.get(name))?;
            if length.value().is_object() { length.count_at("mean") } else { near_whole(length.figure()?, 1e-6) }
        })
    };
    context.input_tokens = asked(["isl", "input_tokens", "synthetic_tokens"]);
    context.output_tokens = asked(["osl", "output_tokens", "output_tokens"]);
    if let Some(slos) = config.get("slos").or_else(|| config.at(&["input", "goodput"])) {
        let slos: Vec<String> =
            slos.entries().filter_map(|(name, slo)| Some(format!("{name} {}", slo.text()?))).collect();
        if !slos.is_empty() {
            context.parameters.insert("SLO (ms)".to_owned(), slos.join(", "));
        }
    }
    context
}

/// `profile_export_aiperf_sweep.json`: metrics are keyed `time_to_first_token_p99`, or `ttft_p99_ms` in early versions.
pub(super) fn knows_sweep(root: &Node<'_>) -> bool {
    root.get("per_combination_metrics").is_some() || root.get("per_value_metrics").is_some()
}

/// Its combinations, in order.
pub(super) fn read_sweep(root: &Node<'_>) -> Result<Vec<Measurement>, ParseError> {
    let trials = root.at(&["metadata", "num_trials_per_value"]).and_then(|trials| trials.figure());
    if trials.is_some_and(|trials| trials > 1.0) {
        root.doubt("holds means over several runs a load point; the runs themselves are in the files beside it");
    }
    let mut runs = Vec::new();
    if let Some(combinations) = root.get("per_combination_metrics") {
        for combination in combinations.items() {
            let parameters = combination.get("parameters");
            let parameters = parameters.iter().flat_map(Node::entries).collect::<Vec<_>>();
            let texts = parameters.iter().filter_map(|(key, value)| Some(((*key).to_owned(), value.text()?)));
            runs.extend(combination.get("metrics").map(|metrics| swept(&metrics, texts.collect())));
        }
    } else if let Some(values) = root.get("per_value_metrics") {
        let name = root.at(&["metadata", "parameter_name"]).and_then(|name| name.text()).unwrap_or_default();
        runs.extend(values.entries().map(|(value, metrics)| swept(&metrics, vec![(name.clone(), value.to_owned())])));
        // JSON objects have no order; load points do.
        runs.sort_by_key(|run| run.metrics.max_concurrency);
    }
    Ok(runs)
}

fn swept(metrics: &Node<'_>, parameters: Vec<(String, String)>) -> Measurement {
    let value = |name: &str, stat: &str| {
        let metric = metrics.get(&format!("{name}_{stat}"))?;
        metric.figure_at("mean").or_else(|| metric.figure_at("avg"))
    };
    let mut read = figures(metrics, value, |_| None);
    let latencies = [
        ("request_latency", "request_latency", &mut read.e2el),
        ("time_to_first_token", "ttft", &mut read.ttft),
        ("inter_token_latency", "itl", &mut read.tpot),
        ("inter_chunk_latency", "icl", &mut read.itl),
    ];
    for (name, short, into) in latencies {
        for stat in ["avg", "min", "max", "std", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99"] {
            let Ok(key) = stat.parse::<Stat>() else { continue };
            let metric = metrics.get(&format!("{name}_{stat}")).or_else(|| metrics.get(&format!("{short}_{stat}_ms")));
            let Some(metric) = metric else { continue };
            let unit = metric.text_at("unit").map_or(Some(Unit::Millis), |unit| Unit::named(&unit));
            let figure = metric.figure_at("mean").or_else(|| metric.figure_at("avg"));
            if let Some(ms) = unit.zip(figure).and_then(|(unit, figure)| unit.ms(figure)) {
                into.insert(key, ms);
            }
        }
    }
    if let Some(seconds) = value("benchmark_duration", "avg") {
        read.duration = Secs::new(seconds);
    }
    let mut context = Context::default();
    for (key, text) in parameters {
        let last = key.rsplit('.').next().unwrap_or(&key);
        match last {
            "concurrency" => read.max_concurrency = text.parse().ok(),
            "rate" | "request_rate" => {
                read.request_rate = text.parse().ok().and_then(ReqPerSec::new).map(RequestRate::PerSec);
            }
            _ => {}
        }
        context.parameters.insert(key, text);
    }
    let label: Vec<String> = context.parameters.iter().map(|(key, text)| format!("{key}={text}")).collect();
    context.label = Some(label.join(", "));
    measurement(Tool::AiPerf, TpotDefinition::ExcludesFirstToken, read, context)
}

/// CSV: a table of distributions, an empty line, a table of single values, perhaps telemetry. Units stand in brackets
/// behind the names, thousands are grouped inside quotes, figures have two decimals.
pub(super) fn csv(rows: &[Row]) -> Option<Result<Parsed, ParseError>> {
    let is = |row: &Row, names: [&str; 2]| row.cells.len() >= 2 && row.cells[0] == names[0] && row.cells[1] == names[1];
    let head = rows.iter().find(|row| is(row, ["Metric", "avg"]) || is(row, ["Metric", "Value"]))?;
    if !rows.iter().any(|row| row.cells[0].starts_with("Request Throughput (")) {
        return None;
    }
    let mut report = Map::new();
    let mut columns: &[String] = &[];
    for row in rows {
        if is(row, ["Metric", "avg"]) || is(row, ["Metric", "Value"]) {
            columns = &row.cells;
            continue;
        }
        // Another table begins: telemetry of GPUs.
        if row.cells.len() > 2 && row.cells[0] == "Endpoint" {
            break;
        }
        let (name, unit) = row.cells[0]
            .split_once(" (")
            .map_or((row.cells[0].as_str(), ""), |(name, unit)| (name, unit.trim_end_matches(')')));
        let Some(key) = key(name) else { continue };
        let mut metric = Map::from_iter([("unit".to_owned(), json!(unit))]);
        for (column, cell) in columns.iter().zip(&row.cells).skip(1).filter(|(_, cell)| !cell.is_empty()) {
            let column = if column == "Value" { "avg" } else { column };
            metric.insert(column.to_owned(), json!(cell));
        }
        // A name in brackets that is no unit marks a variant of a metric: "(error-adjusted) (ms)".
        if !unit.contains('(') {
            report.insert(key.to_owned(), Value::Object(metric));
        }
    }
    // AIPerf's table has a sum; GenAI-Perf says how it counts.
    let genai = rows.iter().any(|row| row.cells[0] == "Request Throughput (per sec)");
    if genai {
        report.insert("input_config".to_owned(), json!({ "perf_analyzer": {} }));
    }
    Some(documents::read(&Value::Object(report), head.line))
}

/// The JSON key of a row.
fn key(name: &str) -> Option<&'static str> {
    Some(match name.to_ascii_lowercase().as_str() {
        "request latency" => "request_latency",
        "time to first token" => "time_to_first_token",
        "inter token latency" => "inter_token_latency",
        "inter chunk latency" => "inter_chunk_latency",
        "effective concurrency" => "effective_concurrency",
        "benchmark duration" => "benchmark_duration",
        "request count" => "request_count",
        "error request count" => "error_request_count",
        "request throughput" => "request_throughput",
        "request goodput" => "request_goodput",
        "goodput" => "goodput",
        "output token throughput" => "output_token_throughput",
        "total token throughput" => "total_token_throughput",
        "total input sequence length" => "total_isl",
        "total output sequence length" => "total_osl",
        _ => return None,
    })
}
