//! Limits that a study sets: whether a variant keeps them, and whether that was measured well enough to say so.

use std::collections::BTreeMap;

use serde::Serialize;

use super::goodput::goodput;
use super::measured::Measured;
use crate::aggregate::Figures;
use crate::change::change_pct;
use crate::id::{ProfileId, VariantId};
use crate::metric::{Direction, Metric};
use crate::metrics::{Latency, Stat};
use crate::run::TpotDefinition;
use crate::study::{Profile, StudyData};

/// The confidence with which a sample must bound a percentile.
const CONFIDENCE: f64 = 0.95;
/// As the finding tpot-identity has it: beyond a fifth the printed TPOT is another figure than decode time per token.
const TPOT_TOLERANCE_PCT: f64 = 20.0;

/// How a limit is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SloState {
    /// Kept.
    Met,
    /// Kept, by a percentile of so few requests that it bounds nothing.
    WeaklyMeasured,
    /// Nothing says so: no run, no such figure, or a figure by another definition.
    NotMeasured,
    /// Broken.
    NotMet,
}

impl SloState {
    /// All of them, the best first.
    pub const ALL: [Self; 4] = [Self::Met, Self::WeaklyMeasured, Self::NotMeasured, Self::NotMet];

    /// As in JSON.
    pub fn key(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::WeaklyMeasured => "weakly_measured",
            Self::NotMeasured => "not_measured",
            Self::NotMet => "not_met",
        }
    }
}

/// One limit held against one variant.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SloCheck {
    /// The profile.
    pub profile: ProfileId,
    /// What is limited.
    pub metric: Metric,
    /// The limit, in the metric's unit: at most for a latency, at least for a rate.
    pub limit: f64,
    /// What was measured, in the metric's unit.
    pub value: Option<f64>,
    /// How it is kept.
    pub state: SloState,
    /// Values that the figure is a statistic of, where it is known how many.
    pub samples: Option<u64>,
    /// Values that a percentile needs; none for a figure that is no percentile.
    pub needed: Option<u64>,
    /// Whether the tool's figure is there, but by a definition that is not ours.
    pub other_definition: bool,
}

/// Values that a percentile needs to be bounded by its sample: below n = ln(1 − confidence) / ln(p) even the largest of
/// n values lies below the true percentile with more than 5 % probability (order statistics: p^n; "rule of three"). For
/// P99 that is 299, for P95 59, for the median 5. Nothing bounds a maximum.
pub fn samples_needed(stat: Stat) -> Option<u64> {
    match stat {
        Stat::Median | Stat::Percentile(501..1000) => {
            let share = f64::from(stat.rank()?) / 1000.0;
            Some(((1.0 - CONFIDENCE).ln() / share.ln()).ceil() as u64)
        }
        Stat::Mean | Stat::Std | Stat::Min | Stat::Max | Stat::Percentile(_) => None,
    }
}

/// Every limit of the study, held against a variant, in the study's order.
pub fn check(data: &StudyData, measured: &Measured, variant: &VariantId) -> Vec<SloCheck> {
    let limits = |profile: &Profile| -> Vec<(ProfileId, Metric, f64)> {
        profile.slo.iter().map(|(metric, limit)| (profile.id.clone(), *metric, *limit)).collect()
    };
    let all = data.study.profiles.iter().flat_map(limits);
    all.map(|(profile, metric, limit)| {
        let figures = measured.get(variant, &profile);
        let slo = data.study.profile(&profile).map(|profile| &profile.slo);
        let (value, other_definition) = figures.map(|figures| value(data, figures, metric, slo)).unwrap_or_default();
        let needed = match metric {
            Metric::Latency(_, stat) => samples_needed(stat),
            Metric::TotalTps | Metric::OutputTps | Metric::RequestThroughput | Metric::Goodput => None,
        };
        let samples = figures.and_then(|figures| samples(figures, metric));
        let state = state(metric, limit, value, samples.zip(needed));
        SloCheck { profile, metric, limit, value, state, samples, needed, other_definition }
    })
    .collect()
}

fn state(metric: Metric, limit: f64, value: Option<f64>, samples: Option<(u64, u64)>) -> SloState {
    let Some(value) = value.filter(|value| !value.is_nan()) else { return SloState::NotMeasured };
    let kept = match metric.direction() {
        Direction::HigherIsBetter => value >= limit,
        Direction::LowerIsBetter => value <= limit,
    };
    match samples {
        // What the sample already broke is broken.
        _ if !kept => SloState::NotMet,
        Some((samples, needed)) if samples < needed => SloState::WeaklyMeasured,
        Some(_) | None => SloState::Met,
    }
}

/// The figure, and whether there is one that another definition made.
fn value(
    data: &StudyData,
    figures: &Figures,
    metric: Metric,
    slo: Option<&BTreeMap<Metric, f64>>,
) -> (Option<f64>, bool) {
    match metric {
        Metric::Latency(Latency::Tpot, stat) => {
            let recomputed = figures.recomputed.get(metric).filter(|_| stat == Stat::Mean);
            let printed = metric.of(&figures.metrics);
            let other = printed.is_some() && other_tpot(data, figures);
            (recomputed.or(printed.filter(|_| !other)), other && recomputed.is_none())
        }
        Metric::Goodput => (goodput(figures, slo).map(|goodput| goodput.ranked()), false),
        Metric::TotalTps | Metric::OutputTps | Metric::RequestThroughput | Metric::Latency(..) => {
            (figures.on(data.study.basis, metric), false)
        }
    }
}

/// Whether the tool of any of these runs counts the first token into its TPOT.
pub(super) fn includes_first_token(data: &StudyData, figures: &Figures) -> bool {
    data.runs.iter().any(|run| {
        figures.runs.contains(&run.id) && run.measurement.tpot_definition == TpotDefinition::IncludesFirstToken
    })
}

/// Whether the printed TPOT is not the decode time per token after the first: by the tool's definition, or because it
/// does not follow from the latencies.
fn other_tpot(data: &StudyData, figures: &Figures) -> bool {
    let mean = Metric::Latency(Latency::Tpot, Stat::Mean);
    let off = change_pct(figures.recomputed.get(mean), mean.of(&figures.metrics));
    includes_first_token(data, figures) || off.is_some_and(|pct| pct.abs() > TPOT_TOLERANCE_PCT)
}

/// Values behind a latency's statistics, over all repeats: requests, or gaps between tokens.
fn samples(figures: &Figures, metric: Metric) -> Option<u64> {
    let Metric::Latency(latency, _) = metric else { return None };
    let requests = figures.metrics.successful_requests?;
    let of_one_run = match latency {
        Latency::Ttft | Latency::Tpot | Latency::E2el => requests,
        Latency::Itl => figures.metrics.total_output_tokens?.saturating_sub(requests),
    };
    Some(of_one_run.saturating_mul(figures.n as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_needs_as_many_values_as_order_statistics_ask() {
        let cases =
            [("median", Some(5)), ("p90", Some(29)), ("p95", Some(59)), ("p99", Some(299)), ("p99.9", Some(2995))];
        for (stat, expected) in cases.into_iter().chain([("mean", None), ("max", None), ("p25", None)]) {
            assert_eq!(samples_needed(stat.parse().unwrap()), expected, "{stat}");
        }
    }

    #[test]
    fn four_states_and_what_is_broken_is_broken_however_few() {
        let ttft: Metric = "ttft_p99_ms".parse().unwrap();
        let cases = [
            (ttft, 2000.0, Some(2000.0), Some((300, 299)), SloState::Met),
            (ttft, 2000.0, Some(2000.1), Some((300, 299)), SloState::NotMet),
            (ttft, 2000.0, Some(1999.0), Some((298, 299)), SloState::WeaklyMeasured),
            (ttft, 2000.0, Some(2001.0), Some((10, 299)), SloState::NotMet),
            (ttft, 2000.0, None, None, SloState::NotMeasured),
            (ttft, 2000.0, Some(f64::NAN), None, SloState::NotMeasured),
            (ttft, 2000.0, Some(1.0), None, SloState::Met),
            (Metric::Goodput, 5.0, Some(5.0), None, SloState::Met),
            (Metric::Goodput, 5.0, Some(4.9), None, SloState::NotMet),
        ];
        for (metric, limit, value, samples, expected) in cases {
            assert_eq!(state(metric, limit, value, samples), expected, "{metric} {limit} {value:?} {samples:?}");
        }
    }
}
