//! GuideLLM's CSV: one row a load point, brought into the shape of the JSON report.
//!
//! <https://github.com/vllm-project/guidellm/blob/v0.3.1/src/guidellm/benchmark/output.py> (one header row, to 0.3),
//! <https://github.com/vllm-project/guidellm/blob/v0.5.4/src/guidellm/benchmark/outputs/csv.py> (three: group, name with
//! unit, statistic). Times have no zone and are left out; totals are the mean times the count.

use serde_json::{Map, Value, json};

use super::super::table::Row;
use super::super::{ParseError, Parsed, Warning, json as documents};
use super::align::align;

/// The percentiles of one cell, in this order in every version.
const PERCENTILES: [&str; 11] = ["min", "p001", "p01", "p05", "p10", "p25", "p75", "p90", "p95", "p99", "max"];

/// Reads the table, if it is GuideLLM's.
pub(in crate::parse) fn parse(rows: &[Row]) -> Option<Result<Parsed, ParseError>> {
    let header = rows.first()?;
    let has = |name: &str| header.cells.iter().any(|cell| cell == name);
    let mut doubts = Vec::new();
    let (points, first) = if has("Successful Time to first token ms mean") && has("Successful Requests") {
        (rows[1..].iter().map(|row| to_0_3(header, row)).collect(), rows.get(1))
    } else if has("Run Info") && has("Request Counts") && rows.len() >= 3 {
        let read = |row| {
            let aligned = align(&rows[..3], row);
            doubts.extend(aligned.doubt.map(|message| Warning { line: Some(row.line), message }));
            from_0_4(&rows[..3], &aligned.cells)
        };
        (rows[3..].iter().map(read).collect(), rows.get(3))
    } else {
        return None;
    };
    let points: Vec<(Value, Value)> = points;
    let Some(first) = first else {
        return Some(Err(ParseError::NotAResult {
            line: header.line,
            found: "a GuideLLM table without a row",
            instead: "give a table with a row for each load point",
        }));
    };
    // What holds for the whole report stands in every row.
    let root = points.first().map(|(_, root)| root.clone()).unwrap_or_default();
    let mut report = root.as_object().cloned().unwrap_or_default();
    report.insert("benchmarks".to_owned(), points.into_iter().map(|(point, _)| point).collect());
    let parsed = documents::read(&Value::Object(report), first.line);
    Some(parsed.map(|mut parsed| {
        parsed.warnings.extend(doubts);
        parsed
    }))
}

/// One header row: `Successful Time to first token ms mean`, `Successful Request latency [min, 0.1, …, max]`.
fn to_0_3(header: &Row, row: &Row) -> (Value, Value) {
    let mut totals = Map::new();
    let mut metrics = Map::new();
    let mut point = Map::new();
    for (name, cell) in header.cells.iter().zip(&row.cells) {
        match name.as_str() {
            "Duration" => put(&mut point, "duration", cell),
            "Args" => put(&mut point, "args", cell),
            "Worker" => put(&mut point, "worker", cell),
            "Request Loader" => put(&mut point, "request_loader", cell),
            "Successful Requests" => put(&mut totals, "successful", cell),
            "Errored Requests" => put(&mut totals, "errored", cell),
            "Incomplete Requests" => put(&mut totals, "incomplete", cell),
            name => {
                let Some(name) = name.strip_prefix("Successful ") else { continue };
                let statistic = ["mean", "median", "std dev"]
                    .iter()
                    .find_map(|stat| Some((name.strip_suffix(stat)?.strip_suffix(' ')?, *stat)));
                let list = || Some((name.strip_suffix(']')?.split_once(" [")?.0, "percentiles"));
                if let Some((metric, statistic)) = statistic.or_else(list) {
                    let metric = metric.to_lowercase().replace(' ', "_");
                    set(&mut metrics, &metric, &statistic.replace(' ', "_"), cell);
                }
            }
        }
    }
    point.insert("request_totals".to_owned(), Value::Object(totals));
    // The mark of these versions, whose time per output token is another one.
    point.insert("run_stats".to_owned(), json!({}));
    point.insert("metrics".to_owned(), Value::Object(metrics));
    (Value::Object(point), json!({}))
}

/// Three header rows.
fn from_0_4(header: &[Row], cells: &[Option<&str>]) -> (Value, Value) {
    let (mut totals, mut metrics, mut point, mut root) = (Map::new(), Map::new(), Map::new(), Map::new());
    let (mut strategy, mut profile, mut index) = (None, Value::Null, 0);
    for (at, cell) in cells.iter().enumerate().filter_map(|(at, cell)| Some((at, (*cell)?))) {
        let head = |level: usize| header[level].cells.get(at).map_or("", String::as_str);
        let statistic = match head(2) {
            "Mean" => "mean",
            "Median" => "median",
            "Std Dev" => "std_dev",
            "Percentiles" => "percentiles",
            _ => "",
        };
        match (head(0), head(1)) {
            ("Run Info", "Profile") => profile = value(cell),
            ("Run Info", "Run Index") => index = cell.parse().unwrap_or(0),
            ("Run Info", "Backend") => point_config(&mut point, "backend", value(cell)),
            ("Benchmark", "Strategy") => strategy = Some(cell.to_owned()),
            ("Timings", "Duration") => put(&mut point, "duration", cell),
            ("Timings", "Warmup") => put(&mut point, "warmup_duration", cell),
            ("Timings", "Cooldown") => put(&mut point, "cooldown_duration", cell),
            ("Request Counts", "Successful") => put(&mut totals, "successful", cell),
            ("Request Counts", "Errored") => put(&mut totals, "errored", cell),
            ("Request Counts", "Incomplete") => put(&mut totals, "incomplete", cell),
            ("Scheduler State", "End Processing Constraints") => {
                point.insert("scheduler_state".to_owned(), json!({ "end_processing_constraints": value(cell) }));
            }
            ("Scheduler Metrics", "Requests Made Successful") => made(&mut point, "successful", cell),
            ("Scheduler Metrics", "Requests Made Errored") => made(&mut point, "errored", cell),
            ("Runtime Info", "Metadata") => put(&mut root, "metadata", cell),
            // The arguments of 0.7 on are what the JSON calls the configuration.
            ("Runtime Info", "Arguments") => {
                let arguments = value(cell);
                let key = if arguments.get("spec").is_some() { "config" } else { "args" };
                root.insert(key.to_owned(), arguments);
            }
            (group, name) if !statistic.is_empty() => {
                if let Some(metric) = metric(group, name) {
                    set(&mut metrics, metric, statistic, cell);
                }
            }
            _ => {}
        }
    }
    point_config(&mut point, "strategy", of_point(strategy.as_deref(), &profile, index));
    point_config(&mut point, "profile", profile);
    metrics.insert("request_totals".to_owned(), Value::Object(totals));
    point.insert("metrics".to_owned(), Value::Object(metrics));
    (Value::Object(point), Value::Object(root))
}

fn metric(group: &str, name: &str) -> Option<&'static str> {
    Some(match (group, name) {
        ("Request Latency", "Successful Sec") => "request_latency",
        ("Time to First Token", "Successful ms") => "time_to_first_token_ms",
        ("Time per Output Token", "Successful ms") => "time_per_output_token_ms",
        ("Inter Token Latency", "Successful ms") => "inter_token_latency_ms",
        ("Server Throughput", "Successful Requests/Sec") => "requests_per_second",
        ("Server Throughput", "Successful Concurrency") => "request_concurrency",
        ("Token Metrics", "Successful Input Tokens") => "prompt_token_count",
        ("Token Metrics", "Successful Output Tokens") => "output_token_count",
        ("Token Throughput", "Successful Output Tokens/Sec") => "output_tokens_per_second",
        ("Token Throughput", "Successful Total Tokens/Sec") => "tokens_per_second",
        _ => return None,
    })
}

/// The strategy of a point: `concurrent@2` says all (0.8); `concurrent` alone is the one at the row's index in the
/// profile's list.
fn of_point(name: Option<&str>, profile: &Value, index: usize) -> Value {
    let Some(name) = name else { return Value::Null };
    if let Some(done) = profile["completed_strategies"].get(index).filter(|done| done["type_"] == name) {
        return done.clone();
    }
    let (kind, at) = name.split_once('@').unwrap_or((name, ""));
    let listed = |key: &str| profile[key].get(index).cloned().unwrap_or_default();
    match kind {
        "concurrent" => json!({ "type_": kind, "streams": at.parse::<u64>().map_or(listed("streams"), Value::from) }),
        _ => json!({ "type_": kind, "rate": at.parse::<f64>().map_or(listed("rate"), Value::from) }),
    }
}

fn point_config(point: &mut Map<String, Value>, key: &str, value: Value) {
    let config = point.entry("config").or_insert_with(|| json!({}));
    config[key] = value;
}

fn made(point: &mut Map<String, Value>, key: &str, cell: &str) {
    let metrics = point.entry("scheduler_metrics").or_insert_with(|| json!({ "requests_made": {} }));
    metrics["requests_made"][key] = value(cell);
}

fn put(into: &mut Map<String, Value>, key: &str, cell: &str) {
    into.insert(key.to_owned(), value(cell));
}

/// A cell of a statistic, or a list of percentiles with the extremes at its ends.
fn set(metrics: &mut Map<String, Value>, metric: &str, statistic: &str, cell: &str) {
    let metric = metrics.entry(metric.to_owned()).or_insert_with(|| json!({ "successful": {} }));
    let successful = &mut metric["successful"];
    if statistic != "percentiles" {
        successful[statistic] = value(cell);
        return;
    }
    let Value::Array(list) = value(cell) else { return };
    if list.len() != PERCENTILES.len() {
        return;
    }
    for (name, figure) in PERCENTILES.iter().zip(list) {
        match *name {
            "min" | "max" => successful[*name] = figure,
            _ => successful["percentiles"][*name] = figure,
        }
    }
}

/// A cell is JSON (numbers, lists, objects), else text.
fn value(cell: &str) -> Value {
    if cell.is_empty() {
        return Value::Null;
    }
    serde_json::from_str(cell).unwrap_or_else(|_| Value::String(cell.to_owned()))
}
