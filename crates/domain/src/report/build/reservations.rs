//! What is to be said against a recommendation, one fact each.

use super::Builder;
use crate::advise::slo::SloState;
use crate::advise::{Goal, Incomparable, eligible, incomparable};
use crate::change::{Change, Verdict};
use crate::check::{Evidence, Subject};
use crate::id::{ProfileId, VariantId};
use crate::metric::Metric;
use crate::metrics::{Latency, Stat};
use crate::report::{ConclusionRow, Reservation};

/// PRODUCT: where reported and recomputed differ by more than this, in percent, every place shows both.
const SHOW_BOTH_PCT: f64 = 2.0;
/// Latencies get no noise estimate from throughputs; below this a single pair of runs is not called worse in the card.
const LATENCY_WORSE_PCT: f64 = 5.0;

impl Builder<'_> {
    /// Why the recommendation does not stand more firmly.
    pub(super) fn reservations(&self, rows: &[ConclusionRow]) -> Vec<Reservation> {
        let Some(recommended) = &self.advice.recommended else { return Vec::new() };
        let mut found = Vec::new();
        if *recommended != self.data.study.baseline {
            self.on_rows(rows, &mut found);
        }
        self.on_runs_that_decide(recommended, &mut found);
        self.on_limits(&mut found);
        self.elsewhere(recommended, &mut found);
        found
    }

    /// The change that the recommendation rests on: over all profiles that are weighted together, or on the primary one.
    fn deciding_change<'r>(&'r self, rows: &'r [ConclusionRow]) -> Option<&'r Change> {
        match self.data.study.objective.is_weighted() {
            true => self.advice.of(self.advice.recommended.as_ref()?)?.change.as_ref(),
            false => rows.iter().find(|row| row.primary).map(|row| &row.objective_change),
        }
    }

    /// Whether what the recommendation rests on is a gain.
    pub(super) fn gains(&self, rows: &[ConclusionRow]) -> bool {
        self.deciding_change(rows).is_some_and(|change| change.verdict == Verdict::Better)
    }

    /// What runs of the two sides say against the figures that decide: each finding once a side and profile.
    fn on_runs_that_decide(&self, recommended: &VariantId, found: &mut Vec<Reservation>) {
        let study = &self.data.study;
        let decides = |id: &ProfileId| match study.objective.is_weighted() {
            true => study.objective.weights.contains_key(id),
            false => *id == study.primary_profile,
        };
        let sides = std::iter::once(recommended).chain((study.baseline != *recommended).then_some(&study.baseline));
        for (variant, profile) in
            sides.flat_map(|variant| study.profiles.iter().map(move |profile| (variant, &profile.id)))
        {
            let Some(figures) = self.measured.get(variant, profile).filter(|_| decides(profile)) else { continue };
            let mut named = Vec::new();
            for finding in &self.on_runs {
                let Subject::Run(run) = &finding.about else { continue };
                let id = finding.evidence.id();
                let ours = figures.runs.contains(run) && !self.same_variant_twice(variant, &finding.evidence);
                if ours && finding.evidence.doubts(study.objective.goal, study.basis) && !named.contains(&id) {
                    named.push(id);
                    let (variant, profile, run) = (variant.clone(), profile.clone(), run.clone());
                    found.push(Reservation::Doubted { variant, profile, run, finding: id });
                }
            }
        }
    }

    /// A measurement that a variant has twice is still its own.
    fn same_variant_twice(&self, variant: &VariantId, evidence: &Evidence) -> bool {
        let Evidence::DuplicateMeasurement { same_as } = evidence else { return false };
        self.data.runs.iter().any(|run| run.id == *same_as && run.variant == *variant)
    }

    /// What the rows of the conclusion say against the recommendation.
    fn on_rows(&self, rows: &[ConclusionRow], found: &mut Vec<Reservation>) {
        let has = |row: &ConclusionRow, id: &str| row.findings.iter().any(|finding| finding.evidence.id() == id);
        let primary = rows.iter().find(|row| row.primary);
        if primary.is_none() {
            found.push(Reservation::BaselineNotMeasured);
        }
        let deciding = self.deciding_change(rows);
        if rows.iter().any(|row| has(row, "single-run")) || deciding.is_some_and(|change| change.noise.is_none()) {
            found.push(Reservation::SingleRun);
        }
        let weighted = self.data.study.objective.is_weighted();
        if weighted && deciding.is_some_and(|change| change.verdict == Verdict::WithinNoise) {
            found.push(Reservation::WithinNoiseOverall);
        }
        if rows.iter().any(|row| has(row, "precision-changed")) {
            found.push(Reservation::PrecisionChanged);
        }
        let goal = self.data.study.objective.goal;
        for row in rows {
            let profile = || row.profile.clone();
            match row.objective_change.verdict {
                Verdict::WithinNoise => found.push(Reservation::WithinNoise { profile: profile() }),
                Verdict::Worse if goal.is_rate() => found.push(Reservation::Loses { profile: profile() }),
                Verdict::Worse => found.push(Reservation::ObjectiveWorse { profile: profile() }),
                Verdict::NotComparable => match row.not_comparable {
                    Some(Incomparable::Load) => found.push(Reservation::LoadLimited { profile: profile() }),
                    Some(Incomparable::Hardware) => found.push(Reservation::HardwareDiffers { profile: profile() }),
                    Some(Incomparable::Workload) => found.push(Reservation::WorkloadDiffers { profile: profile() }),
                    // Failures on either side; the recommended variant's are told with its other profiles.
                    Some(Incomparable::Failures) | None => {}
                },
                Verdict::Better | Verdict::Neutral | Verdict::Unknown => {}
            }
            // An objective that is no total may have been bought with more hardware.
            let total = Goal::Metric(Metric::TotalTps);
            let total = || incomparable(self.data, &row.profile, total, &row.baseline, &row.recommended);
            if row.not_comparable.is_none() && total() == Some(Incomparable::Hardware) {
                found.push(Reservation::HardwareDiffers { profile: profile() });
            }
            // Throughput that another objective was bought with.
            if !goal.is_rate() && row.change.verdict == Verdict::Worse {
                found.push(Reservation::Loses { profile: profile() });
            }
            // An objective that got worse is told already.
            let told = |metric: &Metric| goal == Goal::Metric(*metric);
            if let Some(metric) = worst_latency(row).filter(|metric| !told(metric)) {
                found.push(Reservation::LatencyWorse { profile: profile(), metric });
            }
        }
        let apart =
            |row: &&ConclusionRow| row.change.reported_pct.zip(row.change.recomputed_pct).map(|(a, b)| (a - b).abs());
        let furthest = rows.iter().max_by(|a, b| apart(a).unwrap_or(0.0).total_cmp(&apart(b).unwrap_or(0.0)));
        if let Some(row) = furthest.filter(|row| apart(row).is_some_and(|points| points > SHOW_BOTH_PCT)) {
            found.push(Reservation::ReportedDiffers { profile: row.profile.clone() });
        }
    }

    /// Limits that are kept by too few requests.
    fn on_limits(&self, found: &mut Vec<Reservation>) {
        let advised = self.advice.recommended.as_ref().and_then(|id| self.advice.of(id));
        let weak = advised.into_iter().flat_map(|ranked| &ranked.slo).filter(|c| c.state == SloState::WeaklyMeasured);
        found.extend(
            weak.map(|check| Reservation::SloWeaklyMeasured { profile: check.profile.clone(), metric: check.metric }),
        );
    }

    /// Profiles where the recommended variant fails, was not tried, or is not the best.
    fn elsewhere(&self, recommended: &VariantId, found: &mut Vec<Reservation>) {
        for profile in &self.data.study.profiles {
            let best = self.best.iter().find(|best| best.profile == profile.id);
            let profile = profile.id.clone();
            match (self.measured.get(recommended, &profile), best) {
                (None, None) => {}
                (None, Some(_)) => found.push(Reservation::NotMeasuredOn { profile }),
                (Some(ours), _) if !eligible(ours, self.data.study.min_success_pct) => {
                    found.push(Reservation::Fails { profile });
                }
                (Some(_), best) => {
                    let better = best.filter(|best| best.lead.is_some_and(|lead| lead.verdict == Verdict::Better));
                    if let Some(variant) = better.and_then(|best| best.variant.clone()) {
                        found.push(Reservation::BetterElsewhere { profile, variant });
                    }
                }
            }
        }
    }
}

/// The latency of a row that got worse the most, where it is more than scatter.
fn worst_latency(row: &ConclusionRow) -> Option<Metric> {
    let p99_tpot = Metric::Latency(Latency::Tpot, Stat::P99);
    let tail = row.findings.iter().find_map(|finding| match finding.evidence {
        Evidence::TailRegression { latency: Latency::Tpot, change_pct, .. } => Some((p99_tpot, change_pct)),
        _ => None,
    });
    row.metrics
        .iter()
        .filter(|metric| metric.change.verdict == Verdict::Worse && matches!(metric.metric, Metric::Latency(..)))
        .filter_map(|metric| Some((metric.metric, metric.change.pct()?)))
        .chain(tail)
        .filter(|(_, pct)| *pct >= LATENCY_WORSE_PCT)
        .max_by(|(_, a), (_, b)| a.total_cmp(b))
        .map(|(metric, _)| metric)
}
