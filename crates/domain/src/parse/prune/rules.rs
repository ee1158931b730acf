//! What of a document is per-request data.

/// A value under `key` is skipped where `inside` (the key of the object or array around it) fits, or anywhere.
pub(super) struct Rule {
    inside: Option<&'static str>,
    key: &'static str,
}

const fn anywhere(key: &'static str) -> Rule {
    Rule { inside: None, key }
}

const fn inside(inside: &'static str, key: &'static str) -> Rule {
    Rule { inside: Some(inside), key }
}

/// At the top of a document, or of an item in a list of documents.
const fn top(key: &'static str) -> Rule {
    Rule { inside: Some(""), key }
}

/// Per-request lists, generated texts and density curves.
pub(super) const SKIPPED: [Rule; 18] = [
    inside("benchmarks", "requests"),
    anywhere("requests_truncated"),
    anywhere("pdf"),
    anywhere("cumulative_distribution_function"),
    anywhere("generated_texts"),
    anywhere("itls"),
    anywhere("ttfts"),
    anywhere("queue_times"),
    anywhere("start_times"),
    anywhere("errors_detail"),
    anywhere("raw_metrics"),
    inside("results", "prompt"),
    inside("results", "output"),
    inside("results", "request"),
    inside("results", "decode_times"),
    inside("benchmarks", "concurrencies"),
    anywhere("individual_request_metrics"),
    top("errors"),
];

/// Per-request lists of GuideLLM 0.1, which has no figures but them: every item is read, added up and dropped, and the sum
/// stands in the list's place.
pub(super) const COUNTED: [Rule; 2] = [inside("benchmarks", "results"), inside("benchmarks", "errors")];

/// Whether one of `rules` is about the value under `key`, in something that stands under `around`.
pub(super) fn fits(rules: &[Rule], around: Option<&str>, key: &str) -> bool {
    let around = around.unwrap_or_default();
    rules.iter().any(|rule| rule.key == key && rule.inside.is_none_or(|inside| inside == around))
}

/// Whether the value under `key`, in something that stands under `around`, is per-request data.
pub(in crate::parse) fn is_skipped(around: Option<&str>, key: &str) -> bool {
    fits(&SKIPPED, around, key)
}
