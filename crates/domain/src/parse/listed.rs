//! Requests that an output lists one by one: as lists of one figure each (vLLM, SGLang), or as a list of requests
//! (GuideLLM, genai-bench).
//!
//! Invariant: all successful requests of a run are kept, or none. A list that holds a sample of them, or that does not fit
//! the others, gives none; nothing here keeps a run from being read.

use serde_json::Value;

use super::node::{Node, Unit};
use super::prune::unfolded;
use crate::aggregate::SHOW_BOTH_PCT;
use crate::change::change_pct;
use crate::metrics::{Metrics, Stat};
use crate::requests::{MAX_REQUESTS, Requests, Timing};
use crate::units::Ms;

/// Requests by columns, one entry a request that was sent: `ttfts` (s), `itls` (their sum, s), `output_lens`, `errors`
/// (empty where there was none), and the latency itself where a version writes it: `latencies` (vLLM from 0.31), `e2els`
/// (TensorRT-LLM's fork). Else it is TTFT + Σ ITL, which is how the tools time it.
pub(super) fn in_columns(root: &Node<'_>, metrics: &Metrics) -> Option<Requests> {
    let column = |key: &str| root.value().get(key).and_then(numbers).filter(|column| !column.is_empty());
    let (ttfts, decode, tokens, errors) = (column("ttfts"), column("itls"), column("output_lens"), column("errors"));
    let latencies = column("latencies").or_else(|| column("e2els"));
    let columns = [&ttfts, &decode, &tokens, &errors, &latencies];
    let count = columns.iter().find_map(|column| Some(column.as_ref()?.len()))?;
    if columns.iter().any(|column| column.as_ref().is_some_and(|column| column.len() != count)) {
        root.doubt("has per-request lists of different lengths; no request is kept by itself");
        return None;
    }
    let at = |column: &Option<Vec<f64>>, request: usize| column.as_ref().map(|column| column[request]);
    let seconds = |figure: Option<f64>| Unit::Seconds.ms(figure?);
    let timing = |request: usize| {
        let ttft = at(&ttfts, request);
        let summed = || ttft.zip(at(&decode, request)).map(|(ttft, decode)| ttft + decode);
        Timing {
            ttft: seconds(ttft),
            tpot: None,
            e2el: seconds(at(&latencies, request).or_else(summed)),
            tokens: at(&tokens, request).and_then(self::count),
        }
    };
    // Some failures have no text, and only details have errors and tokens: a request that failed has no token, and took no
    // time.
    let failures: [&dyn Fn(usize) -> bool; 3] = [
        &|request| at(&errors, request).is_some_and(|flag| flag != 0.0),
        &|request| at(&tokens, request) == Some(0.0),
        &|request| at(&latencies, request) == Some(0.0),
    ];
    let succeeded = failures.into_iter().find_map(|failed| {
        let succeeded: Vec<Timing> = (0..count).filter(|request| !failed(*request)).map(timing).collect();
        (metrics.successful_requests == Some(succeeded.len() as u64)).then_some(succeeded)
    });
    whole(root, &succeeded?, metrics)
}

/// Requests by rows, as the pruner folds them.
pub(super) fn in_rows(list: &Node<'_>, metrics: &Metrics, timing: impl Fn([f64; 4]) -> Timing) -> Option<Requests> {
    let numbers = unfolded(list.value())?;
    let (rows, rest) = numbers.as_chunks::<4>();
    let timings: Vec<Timing> = rows.iter().copied().map(timing).collect();
    rest.is_empty().then(|| whole(list, &timings, metrics)).flatten()
}

/// A count of a request; NaN stands for none.
pub(super) fn count(figure: f64) -> Option<f64> {
    (figure.is_finite() && figure >= 0.0).then_some(figure)
}

/// Only where every request that succeeded is there can it be said how many of them met a limit. Requests that do not give
/// the printed means back are not the ones behind the figures.
fn whole(root: &Node<'_>, succeeded: &[Timing], metrics: &Metrics) -> Option<Requests> {
    if metrics.successful_requests != Some(succeeded.len() as u64) {
        return None;
    }
    type Of = fn(&Timing) -> Option<Ms>;
    let (ttft, e2el): (Of, Of) = (|one| one.ttft, |one| one.e2el);
    for (name, of, printed) in [("TTFT", ttft, &metrics.ttft), ("latency", e2el, &metrics.e2el)] {
        let listed: Option<f64> = succeeded.iter().map(|one| of(one).map(|ms| ms.get())).sum();
        let listed = listed.map(|sum| sum / succeeded.len() as f64);
        let printed = printed.get(&Stat::Mean).map(|ms| ms.get());
        if change_pct(printed, listed).is_some_and(|pct| pct.abs() > SHOW_BOTH_PCT) {
            let (listed, printed) = (listed.unwrap_or_default(), printed.unwrap_or_default());
            root.doubt(&format!(
                "lists requests with a mean {name} of {listed:.2} ms and prints {printed:.2} ms; no request is kept by itself"
            ));
            return None;
        }
    }
    Requests::of(succeeded)
}

/// A list that was folded, or one of numbers and nulls that was kept as it is.
fn numbers(value: &Value) -> Option<Vec<f64>> {
    let number = |value: &Value| match value {
        Value::Null => Some(f64::NAN),
        Value::String(text) if text == "NaN" => Some(f64::NAN),
        other => other.as_f64(),
    };
    match value {
        Value::Array(items) if items.len() <= MAX_REQUESTS => items.iter().map(number).collect(),
        Value::Array(_) => None,
        other => unfolded(other),
    }
}
