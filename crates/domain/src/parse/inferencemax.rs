//! InferenceMAX / InferenceX: a list, one configuration an entry, throughput per GPU and latencies in seconds.
//!
//! <https://github.com/InferenceMAX/InferenceMAX/blob/main/utils/process_result.py>
//!
//! Throughputs times GPUs are the system's. `*_intvty` is 1 / TPOT (its P99 is the slow end, its standard deviation means
//! nothing), read only where TPOT itself is not there. There are no counts and no duration.

use super::ParseError;
use super::measured::measurement;
use super::node::{Node, Unit};
use crate::metrics::{Distribution, Metrics, Stat};
use crate::run::{Context, Measurement, Tool, TpotDefinition};
use crate::units::{Ms, TokPerSec};

/// Throughputs per GPU add up to the total within rounding.
const SUM_TOLERANCE: f64 = 0.01;

/// A list (or one entry of it) with throughput per GPU.
pub(super) fn knows(root: &Node<'_>) -> bool {
    is_entry(root) || root.items().next().is_some_and(|entry| is_entry(&entry))
}

fn is_entry(node: &Node<'_>) -> bool {
    node.get("tput_per_gpu").is_some() && node.get("hw").is_some()
}

/// Its configurations, in order.
pub(super) fn read(root: &Node<'_>) -> Result<Vec<Measurement>, ParseError> {
    if is_entry(root) {
        return Ok(vec![entry(root)?]);
    }
    Ok(root.items().filter_map(|item| item.attempt(entry)).collect())
}

fn entry(entry: &Node<'_>) -> Result<Measurement, ParseError> {
    let total_per_gpu = entry.need("tput_per_gpu")?;
    let gpus = Gpus::of(entry);
    let times = |per_gpu: f64, gpus: Option<u32>| TokPerSec::new(per_gpu * f64::from(gpus?));
    let latency = |name: &str| {
        let stats = [("mean", Stat::Mean), ("median", Stat::Median), ("std", Stat::Std), ("p99", Stat::P99)]
            .into_iter()
            .chain([("p90", Stat::Percentile(900)), ("p95", Stat::P95)]);
        let figures =
            stats.filter_map(|(key, stat)| Some((stat, Unit::Seconds.ms(entry.figure_at(&format!("{key}_{name}"))?)?)));
        figures.collect::<Distribution>()
    };
    let mut metrics = Metrics {
        max_concurrency: entry.count_at("conc"),
        total_token_throughput: times(total_per_gpu, gpus.all),
        output_throughput: output(entry, total_per_gpu, &gpus),
        ttft: latency("ttft"),
        tpot: latency("tpot"),
        itl: latency("itl"),
        e2el: latency("e2el"),
        ..Metrics::default()
    };
    if metrics.tpot.is_empty() {
        // Tokens per second of one user; the median of an inverse is the inverse of the median, a mean's is not.
        let median =
            entry.figure_at("median_intvty").filter(|rate| *rate > 0.0).and_then(|rate| Ms::from_secs(1.0 / rate));
        metrics.tpot.extend(median.map(|median| (Stat::Median, median)));
    }
    Ok(measurement(Tool::InferenceMax, TpotDefinition::ExcludesFirstToken, metrics, context(entry, gpus.all)))
}

/// Prefill and decode GPUs serve apart when disaggregated.
struct Gpus {
    all: Option<u32>,
    apart: Option<(u32, u32)>,
}

impl Gpus {
    fn of(entry: &Node<'_>) -> Self {
        let count = |key: &str| entry.count_at(key).and_then(|gpus| u32::try_from(gpus).ok()).filter(|gpus| *gpus > 0);
        let apart = count("num_prefill_gpu").zip(count("num_decode_gpu"));
        let is_disaggregated = entry.text_at("disagg").is_some_and(|text| text.eq_ignore_ascii_case("true"))
            || entry.value().get("disagg").and_then(serde_json::Value::as_bool) == Some(true);
        match apart {
            Some((prefill, decode)) if is_disaggregated => {
                Self { all: prefill.checked_add(decode), apart: Some((prefill, decode)) }
            }
            _ if is_disaggregated => {
                entry.doubt(
                    "is disaggregated and does not say on how many GPUs; throughputs of the system are not known",
                );
                Self { all: None, apart: None }
            }
            _ => Self { all: count("tp"), apart: None },
        }
    }
}

/// Output tokens per GPU, times the GPUs that they were divided by: all, or those that decode. Which it was shows in the
/// sum with the input tokens.
fn output(entry: &Node<'_>, total_per_gpu: f64, gpus: &Gpus) -> Option<TokPerSec> {
    let per_gpu = entry.figure_at("output_tput_per_gpu")?;
    let all = f64::from(gpus.all?);
    let Some((prefill, decode)) = gpus.apart else { return TokPerSec::new(per_gpu * all) };
    let input = entry.figure_at("input_tput_per_gpu")?;
    let is_near = |sum: f64| (sum - total_per_gpu * all).abs() <= SUM_TOLERANCE * total_per_gpu * all;
    if is_near(input * f64::from(prefill) + per_gpu * f64::from(decode)) {
        return TokPerSec::new(per_gpu * f64::from(decode));
    }
    if is_near((input + per_gpu) * all) {
        return TokPerSec::new(per_gpu * all);
    }
    entry.doubt("has input and output throughputs per GPU that do not add up; the output throughput is left out");
    None
}

fn context(entry: &Node<'_>, gpus: Option<u32>) -> Context {
    let mut context = Context {
        engine: entry.text_at("framework"),
        model: entry.text_at("model"),
        gpu: entry.text_at("hw"),
        gpus,
        input_tokens: entry.count_at("isl"),
        output_tokens: entry.count_at("osl"),
        ..Context::default()
    };
    let kept = [
        "precision",
        "tp",
        "ep",
        "dp_attention",
        "parallelism",
        "serving_config",
        "speculation_length",
        "spec_decoding",
        "disagg",
        "image",
        "num_prefill_gpu",
        "num_decode_gpu",
    ];
    for key in kept {
        let text = entry.text_at(key).or_else(|| Some(entry.value().get(key)?.as_bool()?.to_string()));
        if let Some(text) = text {
            context.parameters.insert(key.to_owned(), text);
        }
    }
    context.label = context.engine.as_deref().zip(context.gpu.as_deref()).map(|(engine, gpu)| {
        let part = |key: &str| context.parameters.get(key).map(|text| format!(" {key} {text}")).unwrap_or_default();
        let conc = entry.count_at("conc").map(|conc| format!(" conc {conc}")).unwrap_or_default();
        format!("{gpu} {engine}{}{}{}{conc}", part("precision"), part("tp"), part("ep"))
    });
    context
}
