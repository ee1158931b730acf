//! llm-d Benchmark Report 0.1 and 0.2: YAML (or JSON) that any load generator's result is converted to.
//!
//! <https://github.com/llm-d/llm-d-benchmark/blob/8bc9f1ddd8/docs/benchmark_report.md>
//!
//! The unit of a statistic is in the file and differs between writers: figures are converted by it, and left out without
//! one. Durations are seconds (0.1) or ISO 8601 (0.2).

use chrono::DateTime;

use super::ParseError;
use super::measured::{measurement, near_whole, total};
use super::node::{Node, Unit};
use crate::metrics::{Distribution, Metrics, Stat};
use crate::run::{Context, Measurement, Tool, TpotDefinition};
use crate::units::{ReqPerSec, RequestRate, Secs, TokPerSec};

/// inference-perf's duration ends with the sending; more than this off the counts and rate, it is not the run's.
const DURATION_TOLERANCE: f64 = 0.005;

/// A report of either layout.
pub(super) fn knows(root: &Node<'_>) -> bool {
    root.get("version").is_some() && aggregate(root).is_some()
}

/// Where requests, latency and throughput stand.
fn aggregate<'a>(root: &Node<'a>) -> Option<Node<'a>> {
    let old =
        root.get("metrics").filter(|metrics| metrics.get("requests").is_some() && metrics.get("latency").is_some());
    old.or_else(|| root.at(&["results", "request_performance", "aggregate"]))
}

/// The run.
pub(super) fn read(root: &Node<'_>) -> Result<Vec<Measurement>, ParseError> {
    let Some(figures) = aggregate(root) else { return Ok(Vec::new()) };
    let Some(requests) = figures.get("requests") else {
        return Err(ParseError::MissingPath { line: root.line(), path: format!("{}.requests", figures.path()) });
    };
    let failed = requests.sound_count("failures")?;
    let incomplete = requests.count_at("incomplete");
    let attempted = requests.sound_count("total")?;
    let ok = attempted.and_then(|all| all.checked_sub(failed.unwrap_or(0))?.checked_sub(incomplete.unwrap_or(0)));
    if ok.is_none() && attempted.is_some() {
        requests.doubt("counts more failures than requests; the successes are not known");
    }
    let latency = |name: &str| figures.at(&["latency", name]).map(|of| distribution(&of)).unwrap_or_default();
    let per_second = throughput(&figures, "requests_per_sec", "request_rate");
    let tokens = |name: &str| total(requests.get(name)?.figure_at("mean"), ok);
    let load = Load::of(root);
    let metrics = Metrics {
        successful_requests: ok,
        failed_requests: failed,
        incomplete_requests: incomplete,
        request_rate: load.rate,
        max_concurrency: load.concurrency,
        duration: duration(root, &load, ok, per_second)?.and_then(Secs::new),
        total_input_tokens: tokens("input_length"),
        total_output_tokens: tokens("output_length"),
        request_throughput: per_second.and_then(ReqPerSec::new),
        output_throughput: throughput(&figures, "output_tokens_per_sec", "output_token_rate").and_then(TokPerSec::new),
        total_token_throughput: throughput(&figures, "total_tokens_per_sec", "total_token_rate")
            .and_then(TokPerSec::new),
        ttft: latency("time_to_first_token"),
        tpot: latency("time_per_output_token"),
        tpot_including_first: latency("normalized_time_per_output_token"),
        itl: latency("inter_token_latency"),
        e2el: latency("request_latency"),
        ..Metrics::default()
    };
    // The report defines its TPOT so; what a converter filled in is its word.
    Ok(vec![measurement(Tool::LlmDReport, TpotDefinition::ExcludesFirstToken, metrics, context(root, &load))])
}

fn distribution(of: &Node<'_>) -> Distribution {
    let Some(unit) = of.text_at("units").and_then(|units| Unit::named(&units)) else {
        of.doubt("does not say in which unit of time it is; left out");
        return Distribution::default();
    };
    of.distribution(unit, |key| match key {
        "stddev" => Some(Stat::Std),
        // `p0p1` is the 0.1th percentile, `p99p9` the 99.9th.
        key => key
            .strip_prefix('p')
            .map_or_else(|| key.parse(), |rank| format!("p{}", rank.replace('p', ".")).parse())
            .ok(),
    })
}

/// A number (0.1), or a distribution of one (0.2).
fn throughput(figures: &Node<'_>, old: &str, new: &str) -> Option<f64> {
    let throughput = figures.get("throughput")?;
    let of = throughput.get(new).or_else(|| throughput.get(old))?;
    if of.value().is_object() { of.figure_at("mean") } else { throughput.figure_at(old) }
}

/// How requests were sent.
struct Load {
    tool: Option<String>,
    tool_version: Option<String>,
    rate: Option<RequestRate>,
    concurrency: Option<u64>,
    stage: Option<String>,
}

impl Load {
    fn of(root: &Node<'_>) -> Self {
        let standard = root.at(&["scenario", "load", "standardized"]);
        let old = root.at(&["scenario", "load"]);
        let text = |node: &Option<Node<'_>>, key: &str| node.as_ref().and_then(|node| node.text_at(key));
        Self {
            tool: text(&standard, "tool").or_else(|| text(&old, "name")),
            tool_version: text(&standard, "tool_version"),
            rate: standard.as_ref().and_then(|load| load.rate_at("rate_qps")),
            concurrency: standard.as_ref().and_then(|load| load.count_at("concurrency")),
            stage: text(&standard, "stage")
                .or_else(|| text(&old.as_ref().and_then(|load| load.get("metadata")), "stage")),
        }
    }
}

fn duration(root: &Node<'_>, load: &Load, ok: Option<u64>, per_second: Option<f64>) -> Result<Option<f64>, ParseError> {
    let derived = ok.zip(per_second.filter(|rate| *rate > 0.0)).map(|(ok, rate)| ok as f64 / rate);
    let seconds = match root.at(&["metrics", "time"]) {
        Some(time) => time.sound("duration")?,
        None => None,
    };
    let written = match root.at(&["run", "time", "duration"]).and_then(|duration| duration.text()) {
        Some(iso) => Some(iso_seconds(&iso).ok_or_else(|| ParseError::BadPath {
            line: root.line(),
            path: "run.time.duration".to_owned(),
            value: iso.chars().take(80).collect(),
            expected: "an ISO 8601 duration such as PT49.97S",
        })?),
        None => seconds,
    };
    let (Some(derived), Some(written)) = (derived, written) else { return Ok(written.or(derived)) };
    let is_sending = load.tool.as_deref() == Some("inference-perf");
    if is_sending && ((derived - written) / derived).abs() > DURATION_TOLERANCE {
        let message = format!(
            "has a duration of {written:.3} s, in which inference-perf sent its requests; {derived:.3} s follow from the \
             counts and the rate and are taken"
        );
        root.doubt(&message);
        return Ok(Some(derived));
    }
    Ok(Some(written))
}

/// `PT1H2M49.97S`: hours, minutes and seconds, days at most; months have no length.
fn iso_seconds(text: &str) -> Option<f64> {
    let (days, time) = text.strip_prefix('P')?.split_once('T').unwrap_or((text.strip_prefix('P')?, ""));
    let mut seconds = 0.0;
    for (part, units) in
        [(days, &[('W', 604_800.0), ('D', 86_400.0)][..]), (time, &[('H', 3600.0), ('M', 60.0), ('S', 1.0)])]
    {
        let mut rest = part;
        for (letter, factor) in units {
            if let Some((figure, after)) = rest.split_once(*letter) {
                seconds += figure.replace(',', ".").parse::<f64>().ok().filter(|figure| *figure >= 0.0)? * factor;
                rest = after;
            }
        }
        if !rest.is_empty() {
            return None;
        }
    }
    Some(seconds).filter(|seconds: &f64| seconds.is_finite())
}

fn context(root: &Node<'_>, load: &Load) -> Context {
    let start = root.at(&["run", "time", "start"]).and_then(|start| start.text());
    let start = start.and_then(|time| DateTime::parse_from_rfc3339(&time).ok());
    let mut context = Context {
        tool_version: root.text_at("version"),
        started_at: start.map(|time| time.timestamp_millis()).or_else(|| {
            let seconds = root.at(&["metrics", "time"])?.figure_at("start")?;
            (0.0..4e9).contains(&seconds).then(|| (seconds * 1000.0).round() as i64)
        }),
        label: root.at(&["run", "description"]).and_then(|text| text.text()),
        model: root.at(&["scenario", "model", "name"]).and_then(|name| name.text()).filter(|name| name != "unknown"),
        ..Context::default()
    };
    // A mean of lengths that vary is not what was asked for.
    let asked = |key: &str| near_whole(root.at(&["scenario", "load", "standardized", key])?.figure_at("value")?, 1e-6);
    context.input_tokens = asked("input_seq_len");
    context.output_tokens = asked("output_seq_len");
    if let Some(engine) = root.at(&["scenario", "platform", "engine"]).and_then(|all| all.items().next()) {
        context.engine = engine.text_at("name");
        context.engine_version = engine.text_at("version");
    }
    stack(root, &mut context);
    let said = [
        ("load generator", load.tool.clone()),
        ("load generator version", load.tool_version.clone()),
        ("stage", load.stage.clone()),
    ];
    context.parameters.extend(said.into_iter().filter_map(|(key, text)| Some((key.to_owned(), text?))));
    context
}

/// The engines of the stack: model, GPUs of all replicas, parallelism of the first.
fn stack(root: &Node<'_>, context: &mut Context) {
    let Some(stack) = root.at(&["scenario", "stack"]) else { return };
    let mut gpus = Some(0_u32);
    for component in stack.items().filter_map(|component| component.get("standardized")) {
        if component.text_at("kind").as_deref() != Some("inference_engine") {
            continue;
        }
        if context.engine.is_none() {
            context.engine = component.text_at("tool");
            context.engine_version = component.text_at("tool_version");
            context.model = context.model.take().or_else(|| component.get("model")?.text_at("name"));
            context.gpu = component.get("accelerator").and_then(|accelerator| accelerator.text_at("model"));
            if let Some(parallelism) = component.at(&["accelerator", "parallelism"]) {
                let texts = parallelism.entries().filter_map(|(key, value)| Some((key.to_owned(), value.text()?)));
                context.parameters.extend(texts);
            }
        }
        let here = component
            .get("accelerator")
            .and_then(|accelerator| accelerator.count_at("count"))
            .and_then(|count| count.checked_mul(component.count_at("replicas").unwrap_or(1)))
            .and_then(|count| u32::try_from(count).ok());
        // One engine that does not say leaves the number unknown.
        gpus = gpus.zip(here).and_then(|(all, here)| all.checked_add(here));
    }
    context.gpus = gpus.filter(|gpus| *gpus > 0);
}
