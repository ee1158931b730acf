//! What one run says against itself.

use super::{Contradiction, Evidence, Side, hardware, latency, load};
use crate::aggregate::LoadPoint;
use crate::change::change_pct;
use crate::machine::Machine;
use crate::metric::Metric;
use crate::metrics::{Latency, Metrics, Stat};
use crate::recompute::{Recomputed, attempted};
use crate::round::derived;
use crate::run::{Tool, TpotDefinition};
use crate::study::Profile;

/// Rounding of a printed block explains at most 0.63 % (0.26 req/s for 0.2585); 2 % is beyond it.
const RATE_TOLERANCE_PCT: f64 = 2.0;
/// A printed rate may also be off by half its last of two decimals.
const PRINTED_HALF_UNIT: f64 = 0.005;
/// Means over requests and over tokens differ by some percent with mixed lengths; a fifth is another definition.
const TPOT_TOLERANCE_PCT: f64 = 20.0;
/// A one-second peak of a batch server lies below ten times its mean; real runs reach 8.
const PEAK_TIMES_MEAN: f64 = 50.0;
/// Rounding of printed peaks and means.
const PEAK_SLACK: f64 = 0.995;
/// Requests in flight beyond what was allowed, explained by rounding of printed means.
const LITTLE_SLACK: f64 = 1.02;
/// Token counts are whole numbers, so any difference is a fact; one token in ten thousand is a fact of no use.
const LENGTH_TOLERANCE_PCT: f64 = 0.01;
/// A percentile needs some requests beyond it to be more than one unlucky request.
const TAIL_REQUESTS: f64 = 5.0;
/// Printed milliseconds and seconds have two decimals.
const LATENCY_SLACK_MS: f64 = 10.0;
/// A printed token rate over tokens per request is good to this share of it.
const RATE_SLACK: f64 = 0.001;

/// All that the rules for one run look at.
#[derive(Debug, Clone, Copy)]
pub struct RunFacts<'a> {
    /// As printed.
    pub metrics: &'a Metrics,
    /// As it follows.
    pub recomputed: &'a Recomputed,
    /// Who printed it.
    pub tool: Tool,
    /// What the tool says its TPOT is.
    pub tpot_definition: TpotDefinition,
    /// The load that the tool was told to send.
    pub load: LoadPoint,
    /// What the hardware can do at most, where it is known.
    pub machine: Option<Machine>,
    /// The workload asked for, where it is known.
    pub profile: Option<&'a Profile>,
    /// Below this success rate, percent, a run is disqualified.
    pub min_success_pct: f64,
}

type Rule = fn(&RunFacts<'_>) -> Vec<Evidence>;

const RULES: [Rule; 19] = [
    success_rate,
    rate_mismatch,
    tpot_identity,
    peak_implausible,
    peak_below_mean,
    percentile_order,
    mean_above_p99,
    not_measured_zero,
    contradictory_counts,
    littles_law,
    hardware::beyond_hardware,
    latency::latency_unexplained,
    latency::tpot_weight,
    latency::tail_beyond_p99,
    load::closed_loop,
    load::all_at_once,
    latency::itl_intervals,
    latency::itl_bursts,
    length_deviation,
];

/// Every finding on one run, in the order of the rules.
pub fn check_run(facts: &RunFacts<'_>) -> Vec<Evidence> {
    RULES.iter().flat_map(|rule| rule(facts)).chain(low_sample_tail(facts)).collect()
}

fn mean(metrics: &Metrics, latency: Latency) -> Option<f64> {
    metrics.latency(latency).get(&Stat::Mean).map(|v| v.get())
}

fn success_rate(facts: &RunFacts<'_>) -> Vec<Evidence> {
    let found = || {
        let successful = facts.metrics.successful_requests?;
        let attempted = attempted(facts.metrics, facts.profile.and_then(|profile| profile.requests))?;
        let success_pct = facts.recomputed.success_rate_pct?;
        let minimum_pct = facts.min_success_pct;
        (success_pct < minimum_pct).then_some(Evidence::SuccessRate { successful, attempted, success_pct, minimum_pct })
    };
    found().into_iter().collect()
}

fn rate_mismatch(facts: &RunFacts<'_>) -> Vec<Evidence> {
    let rates = [Metric::TotalTps, Metric::OutputTps, Metric::RequestThroughput];
    let found = |figure: Metric| {
        let (reported, recomputed) = figure.of(facts.metrics).zip(facts.recomputed.get(figure))?;
        let deviation_pct = change_pct(Some(recomputed), Some(reported))?;
        let beyond = deviation_pct.abs() > RATE_TOLERANCE_PCT && (reported - recomputed).abs() > PRINTED_HALF_UNIT;
        let other_window = deviation_pct > 0.0 && is_guidellm(facts);
        beyond.then_some(Evidence::RateMismatch { figure, reported, recomputed, deviation_pct, other_window })
    };
    rates.into_iter().filter_map(found).collect()
}

/// GuideLLM, or GPUStack, which runs it and prints its figures as a block that counts the first token into TPOT. Their
/// rates are counts over a window that is shorter than the duration beside them.
fn is_guidellm(facts: &RunFacts<'_>) -> bool {
    let first_token_counts = facts.tpot_definition == TpotDefinition::IncludesFirstToken;
    matches!(facts.tool, Tool::GuideLlm | Tool::GpuStack)
        || facts.tool == Tool::ServingBenchmarkBlock && first_token_counts
}

fn tpot_identity(facts: &RunFacts<'_>) -> Vec<Evidence> {
    let found = || {
        let reported_ms = mean(facts.metrics, Latency::Tpot)?;
        let recomputed_ms = facts.recomputed.tpot.get(&Stat::Mean)?.get();
        let deviation_pct = change_pct(Some(recomputed_ms), Some(reported_ms))?;
        let includes_first_token = includes_first_token(facts, reported_ms);
        (deviation_pct.abs() > TPOT_TOLERANCE_PCT).then(|| Evidence::TpotIdentity {
            reported_ms,
            recomputed_ms,
            deviation_pct,
            includes_first_token,
            from_itl_ms: from_itl(facts, reported_ms).filter(|_| !includes_first_token),
            weighs_requests: facts.tpot_definition == TpotDefinition::ExcludesFirstToken && deviation_pct > 0.0,
        })
    };
    found().into_iter().collect()
}

/// Whether the printed TPOT is E2EL / n within the rounding of its inputs: then the first token is all of the gap.
fn includes_first_token(facts: &RunFacts<'_>, reported_ms: f64) -> bool {
    let of = || {
        let n = facts.recomputed.output_tokens_per_request.filter(|n| *n > 0.0)?;
        let inclusive = mean(facts.metrics, Latency::E2el)? / n;
        Some((inclusive - reported_ms).abs() <= LATENCY_SLACK_MS / n + PRINTED_HALF_UNIT)
    };
    of().unwrap_or(false)
}

/// The mean ITL, where the printed TPOT is (TTFT + ITL · (n − 1)) / n within the rounding of its inputs.
fn from_itl(facts: &RunFacts<'_>, reported_ms: f64) -> Option<f64> {
    let n = facts.recomputed.output_tokens_per_request.filter(|n| *n > 0.0)?;
    let itl = mean(facts.metrics, Latency::Itl)?;
    let inclusive = (mean(facts.metrics, Latency::Ttft)? + itl * (n - 1.0)) / n;
    ((inclusive - reported_ms).abs() <= 2.0 * PRINTED_HALF_UNIT + 1e-9).then_some(itl)
}

fn peak_implausible(facts: &RunFacts<'_>) -> Vec<Evidence> {
    let found = || {
        let peak = facts.metrics.peak_output_throughput?.get();
        let mean = facts.recomputed.output_throughput.or(facts.metrics.output_throughput)?.get();
        let generated_tokens = facts.metrics.total_output_tokens;
        let times_mean = if mean > 0.0 { derived(peak / mean) } else { return None };
        let beyond_all = generated_tokens.is_some_and(|tokens| peak > tokens as f64);
        (beyond_all || times_mean > PEAK_TIMES_MEAN).then_some(Evidence::PeakImplausible {
            peak,
            mean,
            times_mean,
            generated_tokens,
        })
    };
    found().into_iter().collect()
}

fn peak_below_mean(facts: &RunFacts<'_>) -> Vec<Evidence> {
    let found = || {
        let peak = facts.metrics.peak_output_throughput?.get();
        let mean = facts.recomputed.output_throughput.or(facts.metrics.output_throughput)?.get();
        (peak < mean * PEAK_SLACK).then_some(Evidence::PeakBelowMean { peak, mean })
    };
    found().into_iter().collect()
}

fn percentile_order(facts: &RunFacts<'_>) -> Vec<Evidence> {
    let of = |latency: Latency| {
        let mut ranked: Vec<(u16, Stat, f64)> = facts
            .metrics
            .latency(latency)
            .iter()
            .filter_map(|(stat, value)| Some((stat.rank()?, *stat, value.get())))
            .collect();
        ranked.sort_by_key(|(rank, ..)| *rank);
        ranked.windows(2).find_map(|pair| {
            let [(_, lower, lower_ms), (_, higher, higher_ms)] = pair else { return None };
            (lower_ms > higher_ms).then_some(Evidence::PercentileOrder {
                latency,
                lower: *lower,
                lower_ms: *lower_ms,
                higher: *higher,
                higher_ms: *higher_ms,
            })
        })
    };
    Latency::ALL.into_iter().filter_map(of).collect()
}

fn mean_above_p99(facts: &RunFacts<'_>) -> Vec<Evidence> {
    let of = |latency: Latency| {
        let mean_ms = mean(facts.metrics, latency)?;
        let p99_ms = facts.metrics.latency(latency).get(&Stat::P99)?.get();
        (mean_ms > p99_ms).then_some(Evidence::MeanAboveP99 { latency, mean_ms, p99_ms })
    };
    Latency::ALL.into_iter().filter_map(of).collect()
}

/// A latency of exactly 0.00 is no latency: nothing was timed, or many tokens came at once. Standard deviation and minimum
/// may be 0.
fn not_measured_zero(facts: &RunFacts<'_>) -> Vec<Evidence> {
    let of = |latency: Latency| {
        let may_be_zero = |stat: &Stat| matches!(stat, Stat::Std | Stat::Min);
        let distribution = facts.metrics.latency(latency);
        let zero = distribution.iter().filter(|(stat, value)| value.get() == 0.0 && !may_be_zero(stat));
        let stats: Vec<Stat> = zero.map(|(stat, _)| *stat).collect();
        (!stats.is_empty()).then_some(Evidence::NotMeasuredZero { latency, stats })
    };
    Latency::ALL.into_iter().filter_map(of).collect()
}

fn contradictory_counts(facts: &RunFacts<'_>) -> Vec<Evidence> {
    let metrics = facts.metrics;
    let planned = metrics.planned_requests.or(facts.profile.and_then(|profile| profile.requests));
    let counted = metrics.successful_requests.map(|ok| ok.saturating_add(metrics.failed_requests.unwrap_or(0)));
    let largest = |latency: Latency| {
        let values = metrics.latency(latency).iter().filter(|(stat, _)| **stat != Stat::Std);
        values.map(|(_, value)| value.get()).reduce(f64::max)
    };
    let (implied, offered) = load::above_offered(facts).unzip();
    let pairs = [
        (Contradiction::MoreThanPlanned, counted.map(|v| v as f64), planned.map(|v| v as f64), 0.0),
        (Contradiction::TtftAboveE2el, mean(metrics, Latency::Ttft), mean(metrics, Latency::E2el), LATENCY_SLACK_MS),
        (
            Contradiction::E2elAboveDuration,
            largest(Latency::E2el),
            metrics.duration.map(|duration| duration.get() * 1000.0),
            LATENCY_SLACK_MS,
        ),
        (Contradiction::AboveOffered, implied, offered, offered.unwrap_or_default() * RATE_SLACK),
    ];
    pairs
        .into_iter()
        .filter_map(|(contradiction, larger, bound, slack)| {
            let (larger, bound) = larger.zip(bound)?;
            (larger > bound + slack).then_some(Evidence::ContradictoryCounts { contradiction, larger, bound })
        })
        .collect()
}

/// Little's law: requests per second · mean latency is the mean number in flight, which no run exceeds.
fn littles_law(facts: &RunFacts<'_>) -> Vec<Evidence> {
    let found = || {
        let rate = facts.recomputed.request_throughput?.get();
        let implied = derived(rate * mean(facts.metrics, Latency::E2el)? / 1000.0);
        let limits = [facts.metrics.peak_concurrent_requests, facts.metrics.max_concurrency];
        let limit = limits.into_iter().flatten().max()? as f64;
        (implied > limit * LITTLE_SLACK).then_some(Evidence::LittlesLaw { implied, limit })
    };
    found().into_iter().collect()
}

fn length_deviation(facts: &RunFacts<'_>) -> Vec<Evidence> {
    let Some(profile) = facts.profile else { return Vec::new() };
    let sides = [
        (Side::Input, profile.input_tokens, facts.recomputed.input_tokens_per_request),
        (Side::Output, profile.output_tokens, facts.recomputed.output_tokens_per_request),
    ];
    sides
        .into_iter()
        .filter_map(|(side, asked, measured)| {
            let (asked, measured) = (asked? as f64, measured?);
            let deviation_pct = change_pct(Some(asked), Some(measured))?;
            let beyond = deviation_pct.abs() > LENGTH_TOLERANCE_PCT;
            beyond.then_some(Evidence::LengthDeviation { side, asked, measured, deviation_pct })
        })
        .collect()
}

/// The highest percentile that rests on too few requests, once a run.
fn low_sample_tail(facts: &RunFacts<'_>) -> Option<Evidence> {
    let requests = facts.metrics.successful_requests?;
    let per_request = [Latency::Ttft, Latency::E2el];
    let stats = per_request.iter().flat_map(|latency| facts.metrics.latency(*latency).keys().copied());
    let percentile = |stat: &Stat| matches!(stat, Stat::Percentile(tenths) if *tenths > 500);
    let stat = stats.filter(percentile).max()?;
    let beyond = derived(requests as f64 * (1000.0 - f64::from(stat.rank()?)) / 1000.0);
    (beyond < TAIL_REQUESTS).then_some(Evidence::LowSampleTail { stat, requests, beyond })
}
