//! What a run's latencies say against one another beyond their order.

use super::{Evidence, RunFacts};
use crate::metrics::{Latency, Stat};
use crate::round::derived;
use crate::run::TpotDefinition;

/// As for TPOT: means over requests and over tokens differ by some percent with mixed lengths; a fifth is something else.
const UNEXPLAINED_PCT: f64 = 20.0;
/// A benchmark's printed duration has two decimals, its means too.
const DURATION_SLACK: f64 = 1.01;
/// Printed latencies have two decimals.
const HALF_UNIT_MS: f64 = 0.005;
/// Three and five intervals were seen where there are three tokens after the first; a twentieth of one is rounding.
const INTERVAL_SLACK: f64 = 0.05;
/// Under load some tokens share a chunk: up to 4 % of the gaps were missing in runs of vLLM on an H200.
const MERGED_SHARE: f64 = 0.05;
/// Tokens that come one by one have a median gap near the mean: 0.4 and more in real runs, 0.001 where they come in bursts.
const BURST_SHARE: f64 = 0.05;
/// A tail that lies beyond its P99 by this much hides stalls; real runs without stalls reach 2.
const BEYOND_P99: f64 = 10.0;
/// Half units of mean, median and P99, over the hundredth that they are divided by.
const BEYOND_P99_SLACK_MS: f64 = 2.0;

fn stat(facts: &RunFacts<'_>, latency: Latency, stat: Stat) -> Option<f64> {
    facts.metrics.latency(latency).get(&stat).map(|value| value.get())
}

fn mean(facts: &RunFacts<'_>, latency: Latency) -> Option<f64> {
    stat(facts, latency, Stat::Mean)
}

/// TTFT and the gaps between tokens are all of a request's time. Where they leave much of it open, tokens were not seen one
/// by one, and neither ITL nor what rests on it is a decode time.
pub(super) fn latency_unexplained(facts: &RunFacts<'_>) -> Vec<Evidence> {
    let found = || {
        let gaps = facts.recomputed.output_tokens_per_request? - 1.0;
        let e2el_ms = mean(facts, Latency::E2el).filter(|e2el| *e2el > 0.0)?;
        let explained_ms = derived(mean(facts, Latency::Ttft)? + mean(facts, Latency::Itl)? * gaps);
        let unexplained_pct = derived((1.0 - explained_ms / e2el_ms) * 100.0);
        (unexplained_pct > UNEXPLAINED_PCT).then_some(Evidence::LatencyUnexplained {
            explained_ms,
            e2el_ms,
            unexplained_pct,
        })
    };
    found().into_iter().collect()
}

/// Without E2EL the duration is the bound: no mean request is longer than the benchmark. A mean over requests counts a short
/// answer like a long one, so with mixed lengths it overshoots.
pub(super) fn tpot_weight(facts: &RunFacts<'_>) -> Vec<Evidence> {
    let found = || {
        if mean(facts, Latency::E2el).is_some() {
            return None;
        }
        let gaps = facts.recomputed.output_tokens_per_request? - 1.0;
        let duration_s = facts.metrics.duration?.get();
        let implied_s = derived((mean(facts, Latency::Ttft)? + mean(facts, Latency::Tpot)? * gaps) / 1000.0);
        (implied_s > duration_s * DURATION_SLACK).then_some(Evidence::TpotWeight { implied_s, duration_s })
    };
    found().into_iter().collect()
}

/// TPOT · (n − 1) / ITL is the number of gaps that ITL counted. With answers of one length it must be n − 1; more means
/// that ITL is the gap between chunks of the stream.
pub(super) fn itl_intervals(facts: &RunFacts<'_>) -> Vec<Evidence> {
    let found = || {
        let asked = facts.profile?.output_tokens?;
        let exact = facts.metrics.successful_requests?.checked_mul(asked)? == facts.metrics.total_output_tokens?;
        let (tpot, itl) = (mean(facts, Latency::Tpot)?, mean(facts, Latency::Itl).filter(|itl| *itl > 0.0)?);
        let own = facts.tpot_definition != TpotDefinition::IncludesFirstToken;
        let expected = asked.checked_sub(1).filter(|gaps| *gaps > 0 && exact && own)? as f64;
        let intervals = derived(tpot * expected / itl);
        let slack = INTERVAL_SLACK + intervals * HALF_UNIT_MS * (1.0 / tpot + 1.0 / itl);
        let merged = intervals < expected * (1.0 - MERGED_SHARE) - slack;
        (intervals > expected + slack || merged).then_some(Evidence::ItlIntervals { intervals, expected })
    };
    found().into_iter().collect()
}

/// Half of all gaps are next to nothing: tokens come in bursts.
pub(super) fn itl_bursts(facts: &RunFacts<'_>) -> Vec<Evidence> {
    let found = || {
        let mean_ms = mean(facts, Latency::Itl)?;
        let median_ms = stat(facts, Latency::Itl, Stat::Median).filter(|median| *median > 0.0)?;
        (median_ms < mean_ms * BURST_SHARE).then_some(Evidence::ItlBursts { median_ms, mean_ms })
    };
    found().into_iter().collect()
}

/// Half of the values are at most the median, 49 % at most P99, so the last hundredth makes up the rest of the mean.
pub(super) fn tail_beyond_p99(facts: &RunFacts<'_>) -> Vec<Evidence> {
    let of = |latency: Latency| {
        let mean_ms = mean(facts, latency)?;
        let (median_ms, p99_ms) = (stat(facts, latency, Stat::Median)?, stat(facts, latency, Stat::P99)?);
        let least_ms = derived((mean_ms - 0.5 * median_ms - 0.49 * p99_ms) / 0.01);
        let beyond = mean_ms <= p99_ms && least_ms > p99_ms * BEYOND_P99 + BEYOND_P99_SLACK_MS;
        beyond.then_some(Evidence::TailBeyondP99 { latency, mean_ms, median_ms, p99_ms, least_ms })
    };
    Latency::ALL.into_iter().filter_map(of).collect()
}
