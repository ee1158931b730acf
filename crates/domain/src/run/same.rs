//! One run in two forms: the JSON beside its console log, the table beside the page. The forms round differently, so equal
//! bytes are not asked for; figures that agree as far as the coarser form prints them are. EvalScope's summary (means and
//! counts) and its percentile file have no figure in common: nothing in them tells that they are one run, and they stay two.

use super::{Measurement, Tool, TpotDefinition};
use crate::metrics::{Distribution, Metrics};
use crate::units::RequestRate;

/// How many measured figures must agree, beside the counts. Runs of one workload share their counts (same seed, same
/// lengths), so these say nothing, and duration and throughputs are one figure, since the counts turn one into the other.
/// A latency printed with two decimals meets that of another run by luck in about 1 of 100 cases (some ms of scatter), so
/// three of them beside the duration leave 1 in 10^7. An embeddings run prints exactly that: duration, mean, median, P99.
const ENOUGH_FIGURES: usize = 4;
/// Seconds with two decimals, the coarsest latency that a tool prints, are steps of 10 ms.
const COARSEST_DECIMALS: i32 = -1;
/// Configured rates are printed with two decimals or in full.
const CONFIGURED_HALF_UNIT: f64 = 0.005_001;
/// A figure that went through another unit and back.
const CONVERSION: f64 = 1e-9;

/// Whether two measurements are one run: every count and every setting that both have is equal, every figure that both
/// have is equal as far as the coarser of the two prints it, and enough figures are there to tell. Symmetric; a
/// measurement with enough figures is the same run as itself.
pub fn same_run(a: &Measurement, b: &Measurement) -> bool {
    if !same_counts(&a.metrics, &b.metrics) || !same_load(&a.metrics, &b.metrics) {
        return false;
    }
    let rates = agreement(&rates(&a.metrics), &rates(&b.metrics), 0);
    let mut agreed = match rates {
        Some(figures) => figures.min(1),
        None => return false,
    };
    for (a, b) in distributions(a).into_iter().zip(distributions(b)) {
        let Some((a, b)) = a.zip(b) else { continue };
        let common: Vec<_> = a.iter().filter_map(|(stat, value)| Some((value.get(), b.get(stat)?.get()))).collect();
        let (a, b): (Vec<_>, Vec<_>) = common.into_iter().map(|(a, b)| (Some(a), Some(b))).unzip();
        match agreement(&a, &b, COARSEST_DECIMALS) {
            Some(figures) => agreed += figures,
            None => return false,
        }
    }
    agreed >= ENOUGH_FIGURES
}

fn agree<T: PartialEq>(pairs: &[(Option<T>, Option<T>)]) -> bool {
    pairs.iter().all(|pair| match pair {
        (Some(a), Some(b)) => a == b,
        _ => true,
    })
}

fn same_counts(a: &Metrics, b: &Metrics) -> bool {
    agree(&[
        (a.successful_requests, b.successful_requests),
        (a.failed_requests, b.failed_requests),
        (a.incomplete_requests, b.incomplete_requests),
        (a.planned_requests, b.planned_requests),
        (a.total_input_tokens, b.total_input_tokens),
        (a.total_output_tokens, b.total_output_tokens),
        (a.peak_concurrent_requests, b.peak_concurrent_requests),
    ])
}

fn same_load(a: &Metrics, b: &Metrics) -> bool {
    let rate = match (a.request_rate, b.request_rate) {
        (Some(RequestRate::PerSec(a)), Some(RequestRate::PerSec(b))) => {
            (a.get() - b.get()).abs() <= CONFIGURED_HALF_UNIT
        }
        (Some(a), Some(b)) => a == b,
        _ => true,
    };
    rate && agree(&[(a.max_concurrency, b.max_concurrency)])
}

/// Figures over the whole run.
fn rates(metrics: &Metrics) -> [Option<f64>; 7] {
    [
        metrics.duration.map(|value| value.get()),
        metrics.request_throughput.map(|value| value.get()),
        metrics.output_throughput.map(|value| value.get()),
        metrics.total_token_throughput.map(|value| value.get()),
        metrics.peak_output_throughput.map(|value| value.get()),
        metrics.goodput.map(|value| value.get()),
        metrics.mean_concurrency,
    ]
}

/// TTFT, decode time per token, time per token with the first one, gap between chunks, end-to-end latency.
fn distributions(of: &Measurement) -> [Option<&Distribution>; 5] {
    let metrics = &of.metrics;
    let (tpot, including, itl) = match of.tpot_definition {
        // GPUStack prints GuideLLM's figures in vLLM's clothes: ITL rows are the decode time.
        TpotDefinition::IncludesFirstToken if of.tool == Tool::ServingBenchmarkBlock => {
            (Some(&metrics.itl), Some(&metrics.tpot), None)
        }
        TpotDefinition::IncludesFirstToken if metrics.tpot_including_first.is_empty() => {
            (None, Some(&metrics.tpot), Some(&metrics.itl))
        }
        TpotDefinition::IncludesFirstToken | TpotDefinition::ExcludesFirstToken | TpotDefinition::Unstated => {
            (Some(&metrics.tpot), Some(&metrics.tpot_including_first), Some(&metrics.itl))
        }
    };
    [Some(&metrics.ttft), tpot, including, itl, Some(&metrics.e2el)]
}

/// How many different figures both sides have, if all of them agree; none if one does not. Figures of a group are printed
/// alike, so the longest of them shows with how many decimals; `coarsest` is the fewest that any tool prints.
fn agreement(a: &[Option<f64>], b: &[Option<f64>], coarsest: i32) -> Option<usize> {
    let decimals = |side: &[Option<f64>]| side.iter().flatten().map(|value| decimals(*value)).max();
    let Some(coarser) = decimals(a).zip(decimals(b)).map(|(a, b)| a.min(b).max(coarsest)) else { return Some(0) };
    let half_unit = 0.5 * 10_f64.powi(-coarser);
    let mut seen: Vec<f64> = Vec::new();
    for (a, b) in a.iter().zip(b).filter_map(|(a, b)| a.zip(*b)) {
        if (a - b).abs() > half_unit * (1.0 + 1e-6) + CONVERSION * a.abs().max(b.abs()) {
            return None;
        }
        // Mean, median and P99 of a single request are one figure, and zeros are none.
        if a != 0.0 && b != 0.0 && !seen.contains(&a) {
            seen.push(a);
        }
    }
    Some(seen.len())
}

/// Decimals of a figure's shortest text; −1 for a whole ten, −2 for a whole hundred.
fn decimals(value: f64) -> i32 {
    let text = value.to_string();
    match text.split_once('.') {
        Some((_, fraction)) => fraction.len() as i32,
        None if value == 0.0 => 0,
        None => -((text.len() - text.trim_end_matches('0').len()) as i32),
    }
}
