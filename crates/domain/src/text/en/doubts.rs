//! Findings about load, latencies, cache and hardware.

use super::{latency, list, plural};
use crate::check::{HardwareLimit, WarmSign};
use crate::id::VariantId;
use crate::metrics::Latency;
use crate::text::number::{count, grouped, short};
use crate::text::rich::{code, strong};

/// So many pairs are named; the others are counted.
const NAMED_PAIRS: usize = 5;

pub(super) fn closed_loop(offered: f64, achieved: f64, in_flight: u64) -> String {
    format!(
        "{} requests per second were asked for, but the client had at most {} in flight, and {} req/s were served: in effect a closed loop.",
        short(offered, 2),
        strong(count(in_flight)),
        grouped(achieved, 2)
    )
}

pub(super) fn all_at_once(requests: u64) -> String {
    format!("All {} requests were sent at once, so TTFT is mostly waiting for the others.", strong(count(requests)))
}

pub(super) fn concurrency_capped(flag: &str, knob: u64, in_flight: u64, declared: bool) -> String {
    let (flag, knob, in_flight) = (code(flag), strong(count(knob)), strong(count(in_flight)));
    if declared {
        format!("{flag} is {knob}, but the client sends at most {in_flight} requests at once: the setting cannot act.")
    } else {
        format!(
            "{flag} is {knob}, but the client never had more than {in_flight} requests in flight: the setting cannot act."
        )
    }
}

pub(super) fn latency_unexplained(explained_ms: f64, e2el_ms: f64, unexplained: &str) -> String {
    format!(
        "TTFT and the reported ITL make up {} s of a mean E2EL of {} s; {} of it stays unexplained. The tool probably did not see tokens arrive one by one.",
        grouped(explained_ms / 1000.0, 2),
        grouped(e2el_ms / 1000.0, 2),
        strong(unexplained)
    )
}

pub(super) fn tpot_weight(implied_s: f64, duration_s: f64) -> String {
    format!(
        "Mean TTFT + mean TPOT × (output tokens − 1) gives {} s, longer than the whole benchmark of {} s. Mean TPOT counts a short answer like a long one, so with mixed lengths it is no decode time per token.",
        strong(grouped(implied_s, 2)),
        grouped(duration_s, 2)
    )
}

pub(super) fn itl_intervals(intervals: f64, expected: f64) -> String {
    format!(
        "Mean ITL counts {} gaps an answer, but {} tokens follow the first. It is the gap between chunks of the stream and cannot be compared between engines.",
        strong(grouped(intervals, 2)),
        grouped(expected, 0)
    )
}

pub(super) fn itl_bursts(median_ms: f64, mean_ms: f64) -> String {
    format!(
        "Half of the gaps between tokens are at most {} ms, but their mean is {} ms. Tokens come in bursts, so the median of ITL says little.",
        strong(grouped(median_ms, 2)),
        grouped(mean_ms, 2)
    )
}

pub(super) fn tail_beyond_p99(of: Latency, mean_ms: f64, median_ms: f64, p99_ms: f64, least_ms: f64) -> String {
    format!(
        "{} has a median of {} ms, a P99 of {} ms and a mean of {} ms. The slowest 1% must then take {} ms on average or more: stalls that P99 does not show.",
        latency(of),
        grouped(median_ms, 2),
        grouped(p99_ms, 2),
        grouped(mean_ms, 2),
        strong(grouped(least_ms, 0))
    )
}

pub(super) fn warm_cache(sign: WarmSign, ttft_ms: f64, least_ms: f64, tps: Option<(f64, f64)>) -> String {
    let (ttft, least) = (strong(grouped(ttft_ms, 2)), grouped(least_ms, 2));
    match (sign, tps) {
        (WarmSign::Repeats, Some((total, most))) => format!(
            "Mean TTFT is {ttft} ms, less than half of what every other run of this variant took ({least} ms or more), and total TPS is {} against {} at most. The prompts probably came from a prefix cache that was still warm, so the run is part of no mean.",
            strong(grouped(total, 2)),
            grouped(most, 2)
        ),
        (WarmSign::Repeats, None) | (WarmSign::Prefill, _) => format!(
            "Mean TTFT is {ttft} ms, but even at its peak the GPU needs {least} ms for a prompt of this length. The prompts probably came from a prefix cache that was still warm."
        ),
    }
}

/// A GPU, a number of GPUs, or both.
fn hardware(gpu: Option<&str>, gpus: Option<u32>) -> String {
    match (gpu, gpus) {
        (Some(gpu), Some(gpus)) => format!("{gpus} × {gpu}"),
        (Some(gpu), None) => gpu.to_owned(),
        (None, Some(gpus)) => plural(gpus as usize, "GPU", "GPUs"),
        (None, None) => "other hardware".to_owned(),
    }
}

/// One side: GPU and number of GPUs.
pub(super) type Side<'a> = (Option<&'a str>, Option<u32>);

pub(super) fn hardware_differs(
    ours: Side<'_>,
    usual: Side<'_>,
    per_gpu: Option<(f64, f64, String)>,
    compared: bool,
) -> String {
    let (ours, usual) = (strong(hardware(ours.0, ours.1)), hardware(usual.0, usual.1));
    if !compared {
        return format!("Measured on {ours}; the study describes {usual}.");
    }
    let per_gpu = per_gpu.map_or_else(String::new, |(from, to, change)| {
        format!(" Total TPS per GPU goes from {} to {} ({}).", grouped(from, 2), grouped(to, 2), strong(change))
    });
    format!("The baseline ran on {usual}, the other side on {ours}: totals cannot be compared.{per_gpu}")
}

/// What a machine is and serves: GPU, GPUs, billions of weights, bits.
pub(super) type Serves<'a> = (&'a str, u32, f64, u8);

pub(super) fn beyond_hardware(
    limit: HardwareLimit,
    measured: f64,
    bound: f64,
    (gpu, gpus, billions, bits): Serves<'_>,
    in_flight: Option<u64>,
) -> String {
    let (figure, what) = match limit {
        HardwareLimit::Compute => ("Total TPS", "arithmetic"),
        HardwareLimit::Output => ("Output TPS", "memory bandwidth"),
        HardwareLimit::PeakOutput => ("Peak output TPS", "memory bandwidth"),
        HardwareLimit::Pace => ("The pace of a single answer", "memory bandwidth"),
    };
    let with = in_flight.map_or_else(String::new, |n| format!(" and {} requests in flight", count(n)));
    let why = match limit {
        HardwareLimit::Compute => " Either a prefix cache spared it most of the prompts, or the figure is wrong.",
        HardwareLimit::Output | HardwareLimit::PeakOutput | HardwareLimit::Pace => "",
    };
    format!(
        "{figure} is {} tok/s, but with {} billion weights of {bits} bits{with} the {what} of {gpus} × {gpu} allows {} tok/s at most.{why}",
        strong(grouped(measured, 2)),
        short(billions, 2),
        grouped(bound, 0)
    )
}

pub(super) fn sign_flips(reported: &str, recomputed: &str) -> String {
    format!(
        "Total TPS changes by {} against the baseline as reported, but by {} by token counts and duration.",
        strong(reported),
        strong(recomputed)
    )
}

pub(super) fn order_flips(pairs: &[(VariantId, VariantId)]) -> String {
    let named = pairs.iter().take(NAMED_PAIRS);
    let mut named: Vec<String> =
        named.map(|(first, second)| format!("{} leads {}", code(first.as_str()), code(second.as_str()))).collect();
    if pairs.len() > NAMED_PAIRS {
        named.push(plural(pairs.len() - NAMED_PAIRS, "more pair", "more pairs"));
    }
    format!("In total TPS as reported, {}. By token counts and duration it is the other way round.", list(&named))
}
