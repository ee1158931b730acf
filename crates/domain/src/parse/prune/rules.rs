//! What of a document is per-request data.

use super::fold::Fold;

/// A value under `key` is skipped where `inside` (the key of the object or array around it) fits, or anywhere.
pub(super) struct Rule {
    inside: Option<&'static str>,
    key: &'static str,
    /// What is kept of it.
    fold: Fold,
}

const fn anywhere(key: &'static str) -> Rule {
    Rule { inside: None, key, fold: Fold::Nothing }
}

const fn inside(inside: &'static str, key: &'static str) -> Rule {
    Rule { inside: Some(inside), key, fold: Fold::Nothing }
}

/// At the top of a document, or of an item in a list of documents.
const fn top(key: &'static str) -> Rule {
    Rule { inside: Some(""), key, fold: Fold::Nothing }
}

const fn folded(fold: Fold, rule: Rule) -> Rule {
    Rule { fold, ..rule }
}

/// Requests of GuideLLM from 0.2 on.
const GUIDELLM: Fold = Fold::Items {
    list: Some("successful"),
    keys: ["time_to_first_token_ms", "inter_token_latency_ms", "request_latency", "output_tokens"],
};
/// Requests of genai-bench.
const GENAI_BENCH: Fold = Fold::Items { list: None, keys: ["ttft", "tpot", "e2e_latency", "num_output_tokens"] };

/// Per-request lists, generated texts and density curves.
const SKIPPED: [Rule; 18] = [
    folded(GUIDELLM, inside("benchmarks", "requests")),
    anywhere("requests_truncated"),
    anywhere("pdf"),
    anywhere("cumulative_distribution_function"),
    anywhere("generated_texts"),
    folded(Fold::Sums, anywhere("itls")),
    folded(Fold::Numbers, anywhere("ttfts")),
    anywhere("queue_times"),
    anywhere("start_times"),
    anywhere("errors_detail"),
    anywhere("raw_metrics"),
    inside("results", "prompt"),
    inside("results", "output"),
    inside("results", "request"),
    inside("results", "decode_times"),
    inside("benchmarks", "concurrencies"),
    folded(GENAI_BENCH, anywhere("individual_request_metrics")),
    folded(Fold::Flags, top("errors")),
];

/// Per-request lists of GuideLLM 0.1, which has no figures but them: every item is read, added up and dropped, and the sum
/// stands in the list's place.
const COUNTED: [Rule; 2] = [inside("benchmarks", "results"), inside("benchmarks", "errors")];

/// The rule that is about the value under `key`, in something that stands under `around`.
fn rule<'a>(rules: &'a [Rule], around: Option<&str>, key: &str) -> Option<&'a Rule> {
    let around = around.unwrap_or_default();
    rules.iter().find(|rule| rule.key == key && rule.inside.is_none_or(|inside| inside == around))
}

/// What is kept of the value under `key`, in something that stands under `around`, if it is skipped.
pub(super) fn skipped(around: Option<&str>, key: &str) -> Option<Fold> {
    rule(&SKIPPED, around, key).map(|rule| rule.fold)
}

/// Whether the list under `key`, in something that stands under `around`, is added up.
pub(super) fn is_counted(around: Option<&str>, key: &str) -> bool {
    rule(&COUNTED, around, key).is_some()
}

/// Whether the value under `key`, in something that stands under `around`, is per-request data.
pub(in crate::parse) fn is_skipped(around: Option<&str>, key: &str) -> bool {
    skipped(around, key).is_some()
}
