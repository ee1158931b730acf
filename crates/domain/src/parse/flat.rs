//! Results whose figures are keys of one flat object (`mean_ttft_ms`, `p99.9_e2el_ms`): vLLM, SGLang, LMDeploy. What they
//! share is read here, and what they write as 0 because nothing was measured is taken out here.

use std::collections::BTreeMap;

use serde_json::Value;

use super::node::{Node, Unit};
use crate::metrics::{Distribution, Latency, Metrics, Stat};

/// What is kept of one parameter: paths and texts may be long.
const PARAMETER_CHARS: usize = 200;
/// Parts of key names under which secrets stand.
const SECRET: [&str; 5] = ["api_key", "apikey", "password", "secret", "authorization"];

/// The statistics of every latency, from keys `<statistic>_<name>_ms`. `names` says what a tool calls each latency.
pub(super) fn latencies(root: &Node<'_>, metrics: &mut Metrics, names: &[(&str, Latency)]) {
    for (key, _) in root.entries() {
        let Some((stat, name)) = key.strip_suffix("_ms").and_then(|key| key.split_once('_')) else { continue };
        let Ok(stat) = stat.parse::<Stat>() else { continue };
        let Some((_, latency)) = names.iter().find(|(known, _)| *known == name) else { continue };
        if let Some(value) = root.figure_at(key).and_then(|figure| Unit::Millis.ms(figure)) {
            metrics.latency_mut(*latency).insert(stat, value);
        }
    }
}

/// Takes out what is 0, or a leftover, because nothing was measured. The counts decide: without a success there is no
/// latency and no rate, without an output token there is no first one and no gap. A distribution that is 0 throughout was
/// computed over nothing.
pub(super) fn drop_unmeasured(metrics: &mut Metrics) {
    drop_by_counts(metrics);
    let zero = |distribution: &Distribution| distribution.values().all(|value| value.get() == 0.0);
    for latency in Latency::ALL {
        let distribution = metrics.latency_mut(latency);
        if zero(distribution) {
            distribution.clear();
        }
    }
    if zero(&metrics.tpot_including_first) {
        metrics.tpot_including_first.clear();
    }
}

/// The part of [`drop_unmeasured`] that rests on counts alone; a printed block keeps its rounded zeros.
pub(super) fn drop_by_counts(metrics: &mut Metrics) {
    if metrics.successful_requests == Some(0) {
        for latency in Latency::ALL {
            metrics.latency_mut(latency).clear();
        }
        metrics.tpot_including_first.clear();
        metrics.request_throughput = None;
        metrics.output_throughput = None;
        metrics.total_token_throughput = None;
        metrics.peak_output_throughput = None;
        metrics.goodput = None;
        metrics.peak_concurrent_requests = metrics.peak_concurrent_requests.filter(|peak| *peak > 0);
        metrics.mean_concurrency = metrics.mean_concurrency.filter(|mean| *mean > 0.0);
    } else if metrics.total_output_tokens == Some(0) {
        metrics.ttft.clear();
        metrics.tpot.clear();
        metrics.tpot_including_first.clear();
        metrics.itl.clear();
        metrics.e2el.retain(|_, value| value.get() > 0.0);
    }
}

/// Failures where a file has none: planned less completed. More completed than planned says nothing about failures.
pub(super) fn derived_failures(root: &Node<'_>, metrics: &Metrics) -> Option<u64> {
    let (planned, completed) = metrics.planned_requests.zip(metrics.successful_requests)?;
    let failed = planned.checked_sub(completed)?;
    if failed > 0 {
        root.doubt(&format!("has no count of failures; {planned} planned less {completed} completed makes {failed}"));
    }
    Some(failed)
}

/// Short texts of an object that no metric maps to, without secrets: user's metadata, swept parameters, settings.
/// False, null and empty values say nothing.
pub(super) fn parameters(root: &Node<'_>, wanted: impl Fn(&str) -> bool) -> BTreeMap<String, String> {
    let short = |text: &str| text.chars().take(PARAMETER_CHARS).collect::<String>();
    let secret = |key: &str| {
        let key = key.to_ascii_lowercase().replace('-', "_");
        key == "token" || key.ends_with("_token") || SECRET.iter().any(|part| key.contains(part))
    };
    let kept = root.entries().filter(|(key, _)| wanted(key) && !secret(key)).filter_map(|(key, node)| {
        let text = match node.value() {
            Value::Bool(true) => "true".to_owned(),
            _ => node.text()?,
        };
        Some((short(key), short(&text)))
    });
    kept.collect()
}
