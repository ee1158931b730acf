//! GuideLLM 0.1 to 0.8: JSON, and YAML, CSV and HTML, which are brought into JSON's shape first.
//!
//! <https://github.com/vllm-project/guidellm/blob/v0.3.1/src/guidellm/benchmark/benchmark.py> (0.2, 0.3),
//! <https://github.com/vllm-project/guidellm/blob/v0.5.4/src/guidellm/benchmark/schemas/generative/metrics.py> (0.4 on).
//!
//! `inter_token_latency_ms` is (last token − first token) / (tokens − 1): our TPOT. `time_per_output_token_ms` counts the
//! first token in from 0.4 on and goes where such figures go; the one of 0.2 and 0.3, (last − first token) / tokens, is
//! TPOT with another divisor and is left out. GuideLLM does not time chunks: ITL stays absent. Only the `successful`
//! branch is read: `total` mixes in requests that failed or were cut. Rates are `.successful.mean`, over a window of
//! GuideLLM's own; what else a rate's distribution says comes from interpolated token times and is no peak.

mod align;
mod csv;
mod html;
mod requests;

pub(super) use csv::parse as csv;
pub(super) use html::parse as html;
pub(super) use requests::Requests;

use serde_json::Value;

use super::ParseError;
use super::listed;
use super::measured::{measurement, near_whole, total};
use super::node::{Node, Unit};
use crate::metrics::{Distribution, Metrics, Stat};
use crate::requests::Timing;
use crate::run::{Context, Measurement, Tool, TpotDefinition};
use crate::units::{ReqPerSec, RequestRate, Secs, TokPerSec};

/// A report: points with metrics, or 0.1's two levels of them.
pub(super) fn knows(root: &Node<'_>) -> bool {
    let Some(benchmarks) = root.get("benchmarks") else { return false };
    // A figure may be null in one point and there in the next.
    let measured = |point: &Node<'_>| point.value()["metrics"].get("requests_per_second").is_some();
    let counted = |point: &Node<'_>| point.get("mode").is_some() && point.get("results").is_some();
    root.at(&["metadata", "guidellm_version"]).is_some()
        || benchmarks.items().any(|point| measured(&point))
        || benchmarks.items().filter_map(|one| one.get("benchmarks")).any(|all| all.items().any(|one| counted(&one)))
}

/// Its points, in order.
pub(super) fn read(root: &Node<'_>) -> Result<Vec<Measurement>, ParseError> {
    let Some(benchmarks) = root.get("benchmarks") else { return Ok(Vec::new()) };
    let runs = benchmarks.items().flat_map(|benchmark| match benchmark.get("benchmarks") {
        Some(points) => {
            points.items().filter_map(|one| one.attempt(|point| counted(point, &benchmark))).collect::<Vec<_>>()
        }
        None => benchmark.attempt(|one| point(one, root)).into_iter().collect(),
    });
    Ok(runs.collect())
}

/// A point of 0.2 or later.
fn point(point: &Node<'_>, root: &Node<'_>) -> Result<Measurement, ParseError> {
    let Some(figures) = point.get("metrics") else {
        return Err(ParseError::MissingPath { line: point.line(), path: format!("{}.metrics", point.path()) });
    };
    let mut metrics = Metrics::default();
    counts(&mut metrics, point, &figures)?;
    let ok = metrics.successful_requests;
    let successful = |name: &str| figures.at(&[name, "successful"]);
    let mean = |name: &str| successful(name)?.figure_at("mean");
    let tokens = |name: &str| {
        let exact = successful(name)?.figure_at("total_sum").and_then(|sum| near_whole(sum, 0.01));
        exact.or_else(|| total(mean(name), ok))
    };
    metrics.duration = duration(point)?.and_then(Secs::new);
    metrics.total_input_tokens = tokens("prompt_token_count");
    metrics.total_output_tokens = tokens("output_token_count");
    metrics.request_throughput = mean("requests_per_second").and_then(ReqPerSec::new);
    metrics.output_throughput = mean("output_tokens_per_second").and_then(TokPerSec::new);
    metrics.total_token_throughput = mean("tokens_per_second").and_then(TokPerSec::new);
    metrics.goodput = goodput(&figures).and_then(ReqPerSec::new);
    metrics.mean_concurrency = mean("request_concurrency");
    metrics.peak_concurrent_requests =
        successful("request_concurrency").and_then(|of| of.figure_at("max")).and_then(|max| near_whole(max, 1e-6));
    metrics.e2el = distribution(successful("request_latency"), Unit::Seconds);
    metrics.ttft = distribution(successful("time_to_first_token_ms"), Unit::Millis);
    metrics.tpot = distribution(successful("inter_token_latency_ms"), Unit::Millis);
    one_chunk(&mut metrics.tpot, point);
    if !before_0_4(point) {
        metrics.tpot_including_first = distribution(successful("time_per_output_token_ms"), Unit::Millis);
    }
    let strategy = Strategy::of(point);
    strategy.load(&mut metrics);
    let requests = point.get("requests").and_then(|list| {
        listed::in_rows(&list, &metrics, |[ttft, tpot, e2el, tokens]| Timing {
            ttft: Unit::Millis.ms(ttft),
            tpot: Unit::Millis.ms(tpot),
            e2el: Unit::Seconds.ms(e2el),
            tokens: listed::count(tokens),
        })
    });
    let context = context(point, root, &strategy);
    let measured = measurement(Tool::GuideLlm, TpotDefinition::ExcludesFirstToken, metrics, context);
    Ok(Measurement { requests, ..measured })
}

/// 0.2 and 0.3 tell of their workers and schedule in `run_stats`, later versions in `scheduler_metrics`.
fn before_0_4(point: &Node<'_>) -> bool {
    point.get("run_stats").is_some()
}

fn counts(metrics: &mut Metrics, point: &Node<'_>, figures: &Node<'_>) -> Result<(), ParseError> {
    let made = point.at(&["scheduler_metrics", "requests_made"]).or_else(|| point.at(&["run_stats", "requests_made"]));
    let Some(totals) = figures.get("request_totals").or_else(|| point.get("request_totals")).or_else(|| made.clone())
    else {
        return Ok(());
    };
    metrics.successful_requests = totals.sound_count("successful")?;
    metrics.failed_requests = totals.sound_count("errored")?;
    metrics.incomplete_requests = totals.sound_count("incomplete")?;
    // 0.4.0 drops an error without a start time from its totals; where no part of the run was cut away, its scheduler
    // counted the same requests and knows better.
    let whole_run =
        ["warmup_duration", "cooldown_duration"].iter().all(|key| point.figure_at(key).unwrap_or(0.0) == 0.0);
    let Some(made) = made.filter(|made| whole_run && made.count_at("successful") == metrics.successful_requests) else {
        return Ok(());
    };
    let errored = made.count_at("errored");
    if errored > metrics.failed_requests {
        totals.doubt(&format!(
            "counts {} failed requests, {} {}; the higher count is taken",
            metrics.failed_requests.unwrap_or(0),
            made.path(),
            errored.unwrap_or(0)
        ));
        metrics.failed_requests = errored;
    }
    Ok(())
}

fn duration(point: &Node<'_>) -> Result<Option<f64>, ParseError> {
    let between = || {
        let (start, end) = (point.figure_at("start_time")?, point.figure_at("end_time")?);
        (end >= start).then_some(end - start)
    };
    Ok(point.sound("duration")?.or_else(between))
}

/// A number, or a distribution of one.
fn goodput(figures: &Node<'_>) -> Option<f64> {
    let goodput = figures.get("request_goodput")?;
    match goodput.value() {
        Value::Object(_) => goodput.get("successful").unwrap_or(goodput).figure_at("mean"),
        _ => figures.figure_at("request_goodput"),
    }
}

/// A distribution without samples is all zeros.
fn distribution(of: Option<Node<'_>>, unit: Unit) -> Distribution {
    let Some(of) = of.filter(|of| of.figure_at("count") != Some(0.0)) else { return Distribution::default() };
    let mut figures = of.distribution(unit, |key| match key {
        "mean" => Some(Stat::Mean),
        "median" => Some(Stat::Median),
        "std_dev" => Some(Stat::Std),
        "min" => Some(Stat::Min),
        "max" => Some(Stat::Max),
        _ => None,
    });
    if let Some(percentiles) = of.get("percentiles") {
        figures.extend(percentiles.distribution(unit, percentile));
    }
    figures
}

/// `p001` is the 0.1th, `p999` the 99.9th.
fn percentile(key: &str) -> Option<Stat> {
    match key {
        "p001" => Some(Stat::Percentile(1)),
        "p01" => Some(Stat::Percentile(10)),
        "p05" => Some(Stat::Percentile(50)),
        "p999" => Some(Stat::Percentile(999)),
        "p10" | "p25" | "p50" | "p75" | "p90" | "p95" | "p99" => key.parse().ok(),
        _ => None,
    }
}

/// A server that answers in one chunk leaves no time between tokens.
fn one_chunk(tpot: &mut Distribution, place: &Node<'_>) {
    if tpot.get(&Stat::Mean).is_some_and(|mean| mean.get() == 0.0) {
        place.doubt("has an inter-token latency of 0: answers came in one chunk; TPOT was not measured");
        tpot.clear();
    }
}

/// How requests were sent.
#[derive(Default)]
struct Strategy {
    kind: Option<String>,
    rate: Option<RequestRate>,
    streams: Option<u64>,
    /// The user's own cap, not the client's default.
    cap: Option<u64>,
}

impl Strategy {
    fn of(point: &Node<'_>) -> Self {
        let Some(config) = point.get("config").or_else(|| point.get("args")) else { return Self::default() };
        let cap = config.get("profile").and_then(|profile| profile.count_at("max_concurrency"));
        let Some(strategy) = config.get("strategy") else { return Self { cap, ..Self::default() } };
        Self {
            kind: strategy.text_at("type_").or_else(|| strategy.text_at("kind")),
            rate: strategy.rate_at("rate"),
            streams: strategy.count_at("streams"),
            cap,
        }
    }

    fn load(&self, metrics: &mut Metrics) {
        metrics.max_concurrency = self.cap;
        match self.kind.as_deref() {
            Some("synchronous") => metrics.max_concurrency = Some(1),
            Some("concurrent") => metrics.max_concurrency = self.streams,
            Some("throughput") => metrics.request_rate = Some(RequestRate::Unlimited),
            _ => metrics.request_rate = self.rate,
        }
    }

    /// As GuideLLM names a point: `constant@8.76`, `concurrent@2`.
    fn label(&self) -> Option<String> {
        let kind = self.kind.as_deref()?;
        Some(match (self.streams, self.rate) {
            (Some(streams), _) => format!("{kind}@{streams}"),
            (None, Some(RequestRate::PerSec(rate))) => format!("{kind}@{:.2}", rate.get()),
            _ => kind.to_owned(),
        })
    }
}

fn context(point: &Node<'_>, root: &Node<'_>, strategy: &Strategy) -> Context {
    let mut context = Context {
        tool_version: root.at(&["metadata", "guidellm_version"]).and_then(|version| version.text()),
        label: strategy.label(),
        started_at: point.figure_at("start_time").and_then(millis),
        ..Context::default()
    };
    let models: [(&Node<'_>, &[&str]); 5] = [
        (root, &["config", "spec", "backend", "model"]),
        (root, &["args", "model"]),
        (root, &["args", "backend_kwargs", "model"]),
        (point, &["config", "backend", "model"]),
        (point, &["worker", "backend_model"]),
    ];
    context.model = models.iter().find_map(|(node, path)| node.at(path)?.text());
    let data: [(&Node<'_>, &[&str]); 4] = [
        (root, &["config", "spec", "data"]),
        (root, &["args", "data"]),
        (point, &["request_loader", "data"]),
        (point, &["config", "requests", "data"]),
    ];
    if let Some(data) = data.iter().find_map(|(node, path)| node.at(path)) {
        dataset(&mut context, &data);
    }
    for (key, name) in [("warmup_duration", "warm-up (s)"), ("cooldown_duration", "cool-down (s)")] {
        if let Some(seconds) = point.figure_at(key).filter(|seconds| *seconds > 0.0) {
            context.parameters.insert(name.to_owned(), seconds.to_string());
        }
    }
    if let Some(constraints) = point.at(&["scheduler_state", "end_processing_constraints"]) {
        let names: Vec<&str> = constraints.entries().map(|(name, _)| name).collect();
        if !names.is_empty() {
            context.parameters.insert("ended by".to_owned(), names.join(", "));
        }
    }
    context
}

/// Unix seconds; what is no instant of our times is none.
fn millis(seconds: f64) -> Option<i64> {
    (0.0..4e9).contains(&seconds).then(|| (seconds * 1000.0).round() as i64)
}

/// `prompt_tokens=64,output_tokens=32`, the same as an object, or the name of a data set; alone or in a list.
fn dataset(context: &mut Context, data: &Node<'_>) {
    let data = data.items().next().unwrap_or_else(|| data.clone());
    if data.value().is_object() {
        context.dataset = data.text_at("kind");
        context.input_tokens = data.count_at("prompt_tokens");
        context.output_tokens = data.count_at("output_tokens");
        return;
    }
    let Some(text) = data.text() else { return };
    let asked = |name: &str| {
        let at = text.find(name)? + name.len();
        let rest = text[at..].trim_start_matches(['"', ':', '=', ' ']);
        rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())].parse().ok()
    };
    context.input_tokens = asked("prompt_tokens");
    context.output_tokens = asked("output_tokens");
    context.dataset = Some(text.chars().take(200).collect());
}

/// A point of 0.1, whose requests were added up while they streamed by.
fn counted(point: &Node<'_>, benchmark: &Node<'_>) -> Result<Measurement, ParseError> {
    let Some(results) = point.get("results").filter(|results| results.get("requests").is_some()) else {
        return Err(ParseError::MissingPath { line: point.line(), path: format!("{}.results", point.path()) });
    };
    let by_name = |key: &str| results.get(key).map(|of| of.distribution(Unit::Millis, |stat| stat.parse().ok()));
    let ok = results.count_at("requests");
    let mut metrics = Metrics {
        successful_requests: ok,
        failed_requests: point.get("errors").and_then(|errors| errors.count_at("requests")),
        duration: results.figure_at("span_s").and_then(Secs::new),
        total_input_tokens: results.count_at("input_tokens"),
        total_output_tokens: results.count_at("output_tokens"),
        e2el: by_name("e2el_ms").unwrap_or_default(),
        ttft: by_name("ttft_ms").unwrap_or_default(),
        tpot: by_name("tpot_ms").unwrap_or_default(),
        ..Metrics::default()
    };
    let strategy = Strategy { kind: point.text_at("mode"), rate: point.rate_at("rate"), ..Strategy::default() };
    strategy.load(&mut metrics);
    let mut context = Context {
        label: strategy.label(),
        started_at: results.figure_at("started").and_then(millis),
        ..Context::default()
    };
    if let Some(args) = benchmark.get("args") {
        context.model = args.text_at("model");
        context.dataset = args.text_at("data");
    }
    let requests = results.get("each").and_then(|list| {
        listed::in_rows(&list, &metrics, |[ttft, tpot, e2el, tokens]| Timing {
            ttft: Unit::Millis.ms(ttft),
            tpot: Unit::Millis.ms(tpot),
            e2el: Unit::Millis.ms(e2el),
            tokens: listed::count(tokens),
        })
    });
    let measured = measurement(Tool::GuideLlm, TpotDefinition::ExcludesFirstToken, metrics, context);
    Ok(Measurement { requests, ..measured })
}

/// Console tables round, leave out and break across lines: the file beside them has everything.
pub(super) fn console(text: &str) -> Option<ParseError> {
    let at = text.lines().position(|line| {
        line.contains("|guidellm.benchmark")
            || line.contains("ℹ Run Summary Info")
            || line.contains("Benchmarks Stats:")
    })?;
    Some(ParseError::NotAResult {
        line: at + 1,
        found: "GuideLLM's console tables, which round and leave out figures",
        instead: "give the JSON file of the same run (benchmarks.json)",
    })
}
