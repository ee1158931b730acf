//! Requests per second that met the limits.
//!
//! Where every run keeps its requests, they are counted: the figure is exact, and is the recomputed one. Else the
//! percentiles that the tool computed bracket the share of requests within a limit: where P95 lies below it and P99 above,
//! between 95 and 99 % met it. Where the tool printed a goodput that fits into the bracket, that is the figure.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::aggregate::Figures;
use crate::change::change_pct;
use crate::metric::Metric;
use crate::metrics::{Distribution, Latency, Stat};
use crate::requests::limits;
use crate::round::derived;

/// Goodput of a variant under a profile, requests per second.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Goodput {
    /// At least.
    pub low: f64,
    /// At most.
    pub high: f64,
    /// Where the figure comes from.
    pub source: GoodputSource,
}

/// Where a goodput comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GoodputSource {
    /// The requests that met the study's limits were counted; over repeats, the mean of the runs.
    Requests,
    /// The tool printed it, and its percentiles do not speak against it.
    Tool,
    /// The share within the study's limits, as the percentiles bracket it, of the request throughput.
    Percentiles,
}

impl Goodput {
    /// The figure that ranks: what is certain.
    pub fn ranked(self) -> f64 {
        self.low
    }

    /// From this goodput to another, percent: what is certain of the change. None where the brackets overlap, and
    /// nothing is.
    pub fn certain_change(self, other: Self) -> Option<f64> {
        if other.low >= self.high {
            change_pct(Some(self.high), Some(other.low))
        } else if other.high <= self.low {
            change_pct(Some(self.low), Some(other.high))
        } else {
            None
        }
    }
}

/// The goodput under the latency limits of `slo`, from the best source. Without limits a printed goodput stands alone: its
/// limits are the tool's.
pub fn goodput(figures: &Figures, slo: Option<&BTreeMap<Metric, f64>>) -> Option<Goodput> {
    counted(figures).or_else(|| stated(figures, slo))
}

/// The goodput on the reported basis: the tool's own figure where its percentiles do not speak against it, else the best
/// there is.
pub fn reported(figures: &Figures, slo: Option<&BTreeMap<Metric, f64>>) -> Option<Goodput> {
    let stated = stated(figures, slo);
    stated.filter(|goodput| goodput.source == GoodputSource::Tool).or_else(|| counted(figures)).or(stated)
}

/// From one side to another on the reported basis, percent. None where both sides were counted and not both tools printed
/// a figure: then the recomputed change says all.
pub fn reported_change(base: &Figures, candidate: &Figures, slo: Option<&BTreeMap<Metric, f64>>) -> Option<f64> {
    let (from, to) = reported(base, slo).zip(reported(candidate, slo))?;
    let both_counted = counted(base).and(counted(candidate)).is_some();
    let both_printed = [from, to].iter().all(|side| side.source == GoodputSource::Tool);
    if both_counted && !both_printed { None } else { from.certain_change(to) }
}

/// Figures are recomputed under the limits of their profile.
fn counted(figures: &Figures) -> Option<Goodput> {
    let value = figures.recomputed.goodput?.get();
    Some(Goodput { low: value, high: value, source: GoodputSource::Requests })
}

/// What the tool says, in figures over all requests.
fn stated(figures: &Figures, slo: Option<&BTreeMap<Metric, f64>>) -> Option<Goodput> {
    let printed = figures.metrics.goodput.map(|goodput| goodput.get());
    let by_tool = |value: f64| Goodput { low: value, high: value, source: GoodputSource::Tool };
    match slo.map(limits).filter(|limits| !limits.is_empty()).and_then(|limits| bracket(figures, &limits)) {
        None => printed.map(by_tool),
        Some(bracket) => {
            // A printed figure has two decimals.
            let fits = |value: &f64| (bracket.low - 0.005..=bracket.high + 0.005).contains(value);
            Some(printed.filter(fits).map_or(bracket, by_tool))
        }
    }
}

/// Request throughput times the share that met all limits. At least 1 − Σ (share beyond each limit), at most the
/// smallest of the shares (Fréchet's bounds: requests beyond one limit may or may not be those beyond another).
fn bracket(figures: &Figures, limits: &BTreeMap<Latency, f64>) -> Option<Goodput> {
    let rate = figures.recomputed.request_throughput.or(figures.metrics.request_throughput)?.get();
    let shares: Vec<(f64, f64)> = limits
        .iter()
        .map(|(latency, limit)| share(figures.metrics.latency(*latency), *limit))
        .collect::<Option<_>>()?;
    let low = 1.0 - shares.iter().map(|(low, _)| 1.0 - low).sum::<f64>();
    let high = shares.iter().map(|(_, high)| *high).fold(1.0, f64::min);
    let of = |share: f64| derived(rate * share.clamp(0.0, 1.0));
    Some(Goodput { low: of(low), high: of(high), source: GoodputSource::Percentiles })
}

/// The share of requests within a limit, at least and at most; none where no percentile was measured.
fn share(distribution: &Distribution, limit: f64) -> Option<(f64, f64)> {
    let ranked = || {
        let stats = distribution.iter().filter(|(stat, _)| !matches!(stat, Stat::Mean | Stat::Std));
        stats.filter_map(|(stat, value)| Some((f64::from(stat.rank()?) / 1000.0, value.get())))
    };
    ranked().next()?;
    let low = ranked().filter(|(_, value)| *value <= limit).map(|(rank, _)| rank).fold(0.0, f64::max);
    let high = ranked().filter(|(_, value)| *value > limit).map(|(rank, _)| rank).fold(1.0, f64::min);
    // Percentiles out of order bracket nothing.
    (low <= high).then_some((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Metrics;
    use crate::recompute::Recomputed;
    use crate::units::{Ms, ReqPerSec};

    fn figures(goodput: Option<f64>, ttft: &[(&str, f64)], e2el: &[(&str, f64)]) -> Figures {
        let distribution = |stats: &[(&str, f64)]| -> Distribution {
            stats.iter().map(|(stat, ms)| (stat.parse().unwrap(), Ms::new(*ms).unwrap())).collect()
        };
        let metrics = Metrics {
            request_throughput: ReqPerSec::new(10.0),
            goodput: goodput.and_then(ReqPerSec::new),
            ttft: distribution(ttft),
            e2el: distribution(e2el),
            ..Metrics::default()
        };
        let recomputed = Recomputed::default();
        Figures {
            variant: "v".into(),
            runs: Vec::new(),
            n: 1,
            starts: 1,
            gpu: None,
            gpus: None,
            metrics,
            recomputed,
            per_start: [].into(),
        }
    }

    fn slo(limits: &[(&str, f64)]) -> BTreeMap<Metric, f64> {
        limits.iter().map(|(metric, limit)| (metric.parse().unwrap(), *limit)).collect()
    }

    #[test]
    fn only_brackets_that_lie_apart_differ() {
        let bracket = |(low, high)| Goodput { low, high, source: GoodputSource::Percentiles };
        let cases = [
            ((4.0, 5.0), (6.0, 7.0), Some(20.0)),
            ((6.0, 7.0), (3.0, 4.5), Some(-25.0)),
            ((4.0, 6.0), (5.0, 7.0), None),
            ((4.0, 4.0), (5.0, 5.0), Some(25.0)),
            ((0.0, 0.0), (1.0, 1.0), None),
        ];
        for (from, to, expected) in cases {
            assert_eq!(bracket(from).certain_change(bracket(to)), expected, "{from:?} {to:?}");
        }
    }

    #[test]
    fn percentiles_bracket_the_share_within_the_limits() {
        let ttft: &[(&str, f64)] = &[("mean", 5.0), ("median", 100.0), ("p95", 900.0), ("p99", 2500.0)];
        let e2el: &[(&str, f64)] = &[("median", 4000.0), ("p99", 9000.0), ("max", 9500.0)];
        // Printed goodput, limits, and what is expected: at least, at most, by the tool.
        type Case<'a> = (Option<f64>, &'a [(&'a str, f64)], Option<(f64, f64, bool)>);
        let cases: [Case<'_>; 9] = [
            (None, &[("ttft_p99_ms", 2000.0)], Some((9.5, 9.9, false))),
            (None, &[("ttft_p99_ms", 3000.0)], Some((9.9, 10.0, false))),
            (None, &[("ttft_p99_ms", 50.0)], Some((0.0, 5.0, false))),
            (None, &[("ttft_p99_ms", 2000.0), ("e2el_p99_ms", 5000.0)], Some((4.5, 9.9, false))),
            (None, &[("e2el_p99_ms", 9500.0)], Some((10.0, 10.0, false))),
            // The highest percentile named is the limit of a request.
            (None, &[("ttft_median_ms", 90.0), ("ttft_p99_ms", 2000.0)], Some((9.5, 9.9, false))),
            (Some(9.62), &[("ttft_p99_ms", 2000.0)], Some((9.62, 9.62, true))),
            (Some(3.0), &[("ttft_p99_ms", 2000.0)], Some((9.5, 9.9, false))),
            (Some(3.0), &[], Some((3.0, 3.0, true))),
        ];
        for (printed, limits, expected) in cases {
            let found = goodput(&figures(printed, ttft, e2el), Some(&slo(limits)));
            let found = found.map(|found| (found.low, found.high, found.source == GoodputSource::Tool));
            assert_eq!(found, expected, "{printed:?} {limits:?}");
        }
        assert_eq!(goodput(&figures(None, ttft, e2el), None), None);
        assert_eq!(goodput(&figures(None, &[("mean", 5.0)], e2el), Some(&slo(&[("ttft_p99_ms", 1.0)]))), None);
        let crossed: &[(&str, f64)] = &[("median", 900.0), ("p99", 100.0)];
        assert_eq!(goodput(&figures(None, crossed, e2el), Some(&slo(&[("ttft_p99_ms", 500.0)]))), None);
    }
}
