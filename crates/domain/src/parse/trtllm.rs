//! `trtllm-bench throughput`: its `--report_json` and its console report, which print the same figures.
//!
//! <https://github.com/NVIDIA/TensorRT-LLM/blob/0249976575050d2c624a5f285683c66de311a3b7/tensorrt_llm/bench/dataclasses/reporting.py>. TPOT is a request's
//! generation time over its tokens but the first. `Issue Rate` is no rate that was asked for: the tool multiplies a time
//! by 10^9, so it comes out as 10^13 and more.

use super::node::{Node, Unit};
use super::{ParseError, Parsed, flat, text};
use crate::metrics::{Distribution, Latency, Metrics, Stat};
use crate::run::{Context, Measurement, Tool, TpotDefinition};
use crate::units::{ReqPerSec, RequestRate, Secs, TokPerSec};

/// Half of the last of the four decimals that the console prints.
const PRINTED_HALF_UNIT: f64 = 0.000_05;

pub(super) fn knows(root: &Node<'_>) -> bool {
    root.value().get("performance").is_some_and(|performance| performance.get("request_throughput_req_s").is_some())
}

pub(super) fn read(root: &Node<'_>) -> Result<Vec<Measurement>, ParseError> {
    let performance = root.get("performance").unwrap_or_else(|| root.clone());
    let section = |name: &str| root.get(name);
    let requests = section("request_info");
    let count = requests.as_ref().and_then(|node| node.count_at("num_requests"));
    let mean = |key: &str| requests.as_ref().and_then(|node| node.figure_at(key));
    let tokens_per_sec = |key: &str| performance.figure_at(key).and_then(TokPerSec::new);
    let mut metrics = Metrics {
        // Requests that fail stop the tool.
        successful_requests: count,
        request_rate: Some(RequestRate::Unlimited),
        mean_concurrency: mean("avg_num_concurrent_requests"),
        duration: Secs::new(performance.need("total_latency_ms")? / 1000.0),
        total_input_tokens: total(mean("avg_input_length"), count, 0.0),
        total_output_tokens: total(mean("avg_output_length"), count, 0.0),
        request_throughput: ReqPerSec::new(performance.need("request_throughput_req_s")?),
        output_throughput: tokens_per_sec("system_output_throughput_tok_s"),
        total_token_throughput: tokens_per_sec("system_total_throughput_tok_s"),
        e2el: statistics(&performance, "request_latency_percentiles_ms", "avg_request_latency_ms"),
        ..Metrics::default()
    };
    if let Some(streaming) = section("streaming_metrics") {
        metrics.ttft = statistics(&streaming, "ttft_percentiles", "avg_ttft_ms");
        metrics.tpot = statistics(&streaming, "tpot_percentiles", "avg_tpot_ms");
    }
    let accepted = root.at(&["decoding_stats", "acceptance_length_percentiles"]);
    metrics.acceptance_length = accepted.and_then(|node| node.figure_at("average"));
    flat::drop_unmeasured(&mut metrics);
    Ok(vec![measurement(metrics, context(root))])
}

/// Only the lower-case names are in milliseconds; the tool also dumps the same statistics in nanoseconds.
fn statistics(root: &Node<'_>, percentiles: &str, mean: &str) -> Distribution {
    let stat = |key: &str| match key {
        "minimum" => Some(Stat::Min),
        "maximum" => Some(Stat::Max),
        "average" => Some(Stat::Mean),
        key if key.starts_with('p') => key.parse().ok(),
        _ => None,
    };
    let mut statistics = root.get(percentiles).map(|node| node.distribution(Unit::Millis, stat)).unwrap_or_default();
    if let Some(mean) = root.figure_at(mean).and_then(|figure| Unit::Millis.ms(figure)) {
        statistics.entry(Stat::Mean).or_insert(mean);
    }
    statistics
}

fn context(root: &Node<'_>) -> Context {
    let engine = root.get("engine");
    let text = |key: &str| engine.as_ref().and_then(|node| node.text_at(key));
    let world = root.get("world_info");
    let mut context = Context {
        engine: Some("tensorrt-llm".to_owned()),
        engine_version: text("version"),
        model: text("model"),
        gpu: root.at(&["machine", "name"]).and_then(|node| node.text()),
        gpus: world.as_ref().and_then(|node| node.count_at("world_size")).and_then(|gpus| u32::try_from(gpus).ok()),
        ..Context::default()
    };
    let kept = ["backend", "dtype", "kv_cache_dtype", "quantization"];
    for (node, wanted) in [(engine, &kept[..]), (world, &[][..])] {
        let Some(node) = node else { continue };
        let all = wanted.is_empty();
        let not_mapped = |key: &str| !matches!(key, "world_size" | "issue_rate");
        context.parameters.extend(flat::parameters(&node, |key| wanted.contains(&key) || (all && not_mapped(key))));
    }
    context
}

fn measurement(metrics: Metrics, context: Context) -> Measurement {
    let definition =
        if metrics.tpot.is_empty() { TpotDefinition::Unstated } else { TpotDefinition::ExcludesFirstToken };
    Measurement {
        tool: Tool::TrtLlmBench,
        tpot_definition: definition,
        metrics,
        context,
        excerpt: None,
        requests: None,
    }
}

/// Tokens of all requests, where the mean (known to `half_unit`) leaves one whole number.
fn total(mean: Option<f64>, requests: Option<u64>, half_unit: f64) -> Option<u64> {
    let (mean, requests) = mean.zip(requests.map(|count| count as f64))?;
    let (product, slack) = (mean * requests, half_unit * requests + mean * requests * 1e-9);
    let whole = product.round();
    (slack < 0.5 && (product - whole).abs() <= slack && whole <= 9_007_199_254_740_992.0).then_some(whole as u64)
}

const OVERVIEW: &str = "= PERFORMANCE OVERVIEW";

/// Reads every report of a log. A report is a row of sections, each under `= NAME` between rules.
pub(super) fn console(text: &str) -> Option<Result<Parsed, ParseError>> {
    let known = text::lines(text).any(|(_, line)| line.trim_start().starts_with(OVERVIEW));
    known.then(|| reports(text))
}

fn reports(text: &str) -> Result<Parsed, ParseError> {
    let mut reports: Vec<Report> = vec![Report::default()];
    for (line, row) in text::lines(text) {
        let row = row.trim();
        let report = reports.last_mut().expect("there is one from the start");
        if let Some(section) = row.strip_prefix("= ") {
            let after = ["DECODING", "STREAMING", "DATASET", "ENERGY"].iter().any(|name| section.starts_with(name));
            let overview = row.starts_with(OVERVIEW);
            if report.overview.is_some() && !after {
                reports.push(Report::default());
            }
            let report = reports.last_mut().expect("one was just there");
            report.in_machine = section.starts_with("MACHINE");
            if overview {
                report.overview = Some(line);
            }
        } else if let Some((label, value)) = row.split_once(':') {
            if let Err(error) = report.row(line, label.trim(), value.trim()) {
                report.wrong.get_or_insert(error);
            }
        } else if let Some((gpu, _)) = row.split_once(", memory ").filter(|_| report.in_machine) {
            report.context.gpu = Some(gpu.chars().take(80).collect());
        }
    }
    let (mut runs, mut rejected) = (Vec::new(), Vec::new());
    for report in reports.into_iter().filter_map(Report::measurement) {
        match report {
            Ok(run) => runs.push(run),
            Err(error) => rejected.push(error),
        }
    }
    Parsed::of(runs, Vec::new(), rejected)
}

#[derive(Default)]
struct Report {
    overview: Option<usize>,
    in_machine: bool,
    metrics: Metrics,
    context: Context,
    mean_input: Option<f64>,
    mean_output: Option<f64>,
    tensor_parallel: Option<u32>,
    pipeline_parallel: Option<u32>,
    /// The first row that cannot be read.
    wrong: Option<ParseError>,
}

impl Report {
    fn row(&mut self, line: usize, label: &str, value: &str) -> Result<(), ParseError> {
        let lower = label.to_ascii_lowercase();
        let said =
            || Some(value.chars().take(200).collect::<String>()).filter(|text| !text.is_empty() && text != "None");
        let metrics = &mut self.metrics;
        match lower.as_str() {
            "model" => self.context.model = said(),
            "tensorrt llm version" | "tensorrt-llm version" => self.context.engine_version = said(),
            "tp size" => self.tensor_parallel = value.parse().ok(),
            "pp size" => self.pipeline_parallel = value.parse().ok(),
            "number of requests" => metrics.successful_requests = Some(count(line, label, value)?),
            "number of concurrent requests" => metrics.mean_concurrency = Some(figure(line, label, value)?),
            "average input length (tokens)" => self.mean_input = Some(figure(line, label, value)?),
            "average output length (tokens)" => self.mean_output = Some(figure(line, label, value)?),
            "request throughput (req/sec)" => metrics.request_throughput = ReqPerSec::new(figure(line, label, value)?),
            // Versions before 0.17 say `Token Throughput` and mean output tokens.
            "total output throughput (tokens/sec)" | "token throughput (tokens/sec)" => {
                metrics.output_throughput = TokPerSec::new(figure(line, label, value)?);
            }
            "total token throughput (tokens/sec)" => {
                metrics.total_token_throughput = TokPerSec::new(figure(line, label, value)?);
            }
            "total latency (ms)" => metrics.duration = Secs::new(figure(line, label, value)? / 1000.0),
            _ => {
                if let Some((latency, stat)) = statistic(&lower) {
                    let value = Unit::Millis.ms(figure(line, label, value)?);
                    metrics.latency_mut(latency).extend(value.map(|value| (stat, value)));
                }
            }
        }
        let kept =
            ["dtype", "kv cache dtype", "quantization", "ep size", "max runtime batch size", "max runtime tokens"];
        if kept.contains(&lower.as_str()) || matches!(lower.as_str(), "tp size" | "pp size" | "scheduling policy") {
            self.context.parameters.extend(said().map(|value| (lower.replace(' ', "_"), value)));
        }
        Ok(())
    }

    /// None for what stands after the last report.
    fn measurement(mut self) -> Option<Result<Measurement, ParseError>> {
        let line = self.overview?;
        if let Some(wrong) = self.wrong {
            return Some(Err(wrong));
        }
        if self.metrics.duration.is_none() {
            return Some(Err(ParseError::MissingField { line, field: "Total Latency (ms)" }));
        }
        let metrics = &mut self.metrics;
        metrics.request_rate = Some(RequestRate::Unlimited);
        metrics.total_input_tokens = total(self.mean_input, metrics.successful_requests, PRINTED_HALF_UNIT);
        metrics.total_output_tokens = total(self.mean_output, metrics.successful_requests, PRINTED_HALF_UNIT);
        flat::drop_unmeasured(metrics);
        self.context.engine = Some("tensorrt-llm".to_owned());
        let ranks = self.tensor_parallel.zip(self.pipeline_parallel);
        self.context.gpus = ranks.and_then(|(tensor, pipeline)| tensor.checked_mul(pipeline)).filter(|gpus| *gpus > 0);
        Some(Ok(measurement(self.metrics, self.context)))
    }
}

/// `[TPOT] P50`, `[Latency] MINIMUM`, `Average time-to-first-token [TTFT] (ms)`, in lower case.
fn statistic(label: &str) -> Option<(Latency, Stat)> {
    match label {
        "average request latency (ms)" => return Some((Latency::E2el, Stat::Mean)),
        "average time-to-first-token [ttft] (ms)" => return Some((Latency::Ttft, Stat::Mean)),
        "average time-per-output-token [tpot] (ms)" => return Some((Latency::Tpot, Stat::Mean)),
        _ => {}
    }
    let (name, stat) = label.strip_prefix('[')?.split_once("] ")?;
    let latency = match name {
        "latency" => Latency::E2el,
        "ttft" => Latency::Ttft,
        "tpot" => Latency::Tpot,
        _ => return None,
    };
    let stat = match stat.trim() {
        "minimum" => Stat::Min,
        "maximum" => Stat::Max,
        other => other.parse().ok()?,
    };
    Some((latency, stat))
}

fn figure(line: usize, label: &str, value: &str) -> Result<f64, ParseError> {
    let figure = text::number(value).filter(|figure| figure.is_finite() && *figure >= 0.0);
    figure.ok_or_else(|| bad(line, label, value, "a number that is not negative"))
}

fn count(line: usize, label: &str, value: &str) -> Result<u64, ParseError> {
    value.parse().map_err(|_| bad(line, label, value, "a whole number"))
}

fn bad(line: usize, label: &str, value: &str, expected: &'static str) -> ParseError {
    let quoted = |text: &str| text.chars().take(80).collect();
    ParseError::BadValue { line, field: quoted(label), value: quoted(value), expected }
}
