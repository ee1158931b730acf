//! Hugging Face inference-benchmarker: one file, one result a rate, the first of them the warm-up.
//!
//! <https://github.com/huggingface/inference-benchmarker/blob/v1.1.0/src/requests.rs>
//! (`TextGenerationAggregatedResponse`).
//!
//! Its inter-token latency is (last − first token) / (tokens − 1), one sample a request: TPOT as we mean it. It is kept
//! under both names, as TPOT and as what the tool prints.
//!
//! `request_rate` of a result is what was achieved; the rate asked for is in its `config`. The warm-up is left out: it is
//! there to be. `system` names the host and is not kept.

use chrono::DateTime;

use super::ParseError;
use super::measured::measurement;
use super::node::{Node, Unit};
use crate::metrics::{Distribution, Metrics, Stat};
use crate::run::{Context, Measurement, Tool, TpotDefinition};
use crate::units::{Ms, ReqPerSec, RequestRate, Secs, TokPerSec};

/// A report with at least one timed result.
pub(super) fn knows(root: &Node<'_>) -> bool {
    let timed = |one: Node<'_>| one.get("inter_token_latency_ms").is_some() && one.get("executor_type").is_some();
    root.get("results").is_some_and(|results| results.items().any(timed))
}

/// Its results but the warm-up, in order.
pub(super) fn read(root: &Node<'_>) -> Result<Vec<Measurement>, ParseError> {
    let Some(results) = root.get("results") else { return Ok(Vec::new()) };
    let (warmups, measured): (Vec<_>, Vec<_>) =
        results.items().partition(|result| result.text_at("id").as_deref() == Some("warmup"));
    if let Some(warmup) = warmups.first() {
        warmup.doubt("is the warm-up; left out");
    }
    if measured.is_empty() {
        return Err(ParseError::NotAResult {
            line: root.line(),
            found: "only the warm-up of an inference-benchmarker run",
            instead: "let the run finish",
        });
    }
    let shared = context(root);
    Ok(measured.iter().filter_map(|result| result.attempt(|result| one(result, &shared))).collect())
}

fn one(result: &Node<'_>, shared: &Context) -> Result<Measurement, ParseError> {
    let latency = |name: &str| -> Distribution {
        result.get(name).map(|of| of.distribution(Unit::Millis, |key| key.parse().ok())).unwrap_or_default()
    };
    let mut between = latency("inter_token_latency_ms");
    if between.get(&Stat::Mean).is_some_and(|mean| mean.get() == 0.0) {
        result.doubt("has an inter-token latency of 0: answers came in one chunk; it was not measured");
        between.clear();
    }
    let executor = result.text_at("executor_type").unwrap_or_default();
    let asked = result.get("config");
    let rate = asked.as_ref().and_then(|config| config.rate_at("rate"));
    let metrics = Metrics {
        successful_requests: result.sound_count("successful_requests")?,
        failed_requests: result.count_at("failed_requests"),
        planned_requests: result.count_at("total_requests"),
        request_rate: rate.or_else(|| (executor == "ConstantVUs").then_some(RequestRate::Unlimited)),
        max_concurrency: asked.as_ref().and_then(|config| config.count_at("max_vus")),
        duration: result.sound("duration_ms")?.and_then(Ms::new).and_then(|ms| Secs::new(ms.secs())),
        total_input_tokens: result.count_at("total_tokens_sent"),
        total_output_tokens: result.count_at("total_tokens"),
        request_throughput: result.figure_at("request_rate").and_then(ReqPerSec::new),
        output_throughput: result.figure_at("token_throughput_secs").and_then(TokPerSec::new),
        ttft: latency("time_to_first_token_ms"),
        tpot: between.clone(),
        itl: between,
        e2el: latency("e2e_latency_ms"),
        ..Metrics::default()
    };
    let mut context = shared.clone();
    context.label = result.text_at("id");
    context.parameters.insert("executor".to_owned(), executor);
    Ok(measurement(Tool::InferenceBenchmarker, TpotDefinition::ExcludesFirstToken, metrics, context))
}

fn context(root: &Node<'_>) -> Context {
    let start = root.text_at("start_time").and_then(|time| DateTime::parse_from_rfc3339(&time).ok());
    let mut context = Context { started_at: start.map(|time| time.timestamp_millis()), ..Context::default() };
    let Some(config) = root.get("config") else { return context };
    context.model = config.text_at("model_name");
    let length = |key: &str| config.get(key)?.count_at("num_tokens");
    context.input_tokens = length("prompt_options");
    context.output_tokens = length("decode_options");
    if let Some(meta) = config.get("meta") {
        context.engine = meta.text_at("engine");
        context.engine_version = meta.text_at("version");
        context.gpu = meta.text_at("gpu").or_else(|| meta.text_at("device"));
        context.parameters.extend(meta.entries().filter_map(|(key, value)| Some((key.to_owned(), value.text()?))));
    }
    if let Some(kind) = config.text_at("benchmark_kind") {
        context.parameters.insert("benchmark".to_owned(), kind);
    }
    context
}
