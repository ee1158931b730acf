//! The conclusion card: baseline against recommended, profile by profile.

use super::{Builder, TPOT};
use crate::advise::cost::Tokens;
use crate::advise::goodput::{GoodputSource, goodput};
use crate::advise::slo::SloState;
use crate::advise::{Goal, Incomparable, comparable, eligible, goal_change, incomparable, metric_change};
use crate::aggregate::Figures;
use crate::change::{Change, Verdict, Yardstick, change_pct};
use crate::check::{Comparison, Evidence, Finding, Subject, check_comparison};
use crate::command::Command;
use crate::id::{ProfileId, VariantId};
use crate::metric::Metric;
use crate::metrics::{Latency, Stat};
use crate::report::{Conclusion, ConclusionRow, GoalRow, MetricRow, Reservation, Standing, launchable};
use crate::run::TpotDefinition;
use crate::study::{Basis, Variant};

/// PRODUCT: where reported and recomputed differ by more than this, in percent, every place shows both.
const SHOW_BOTH_PCT: f64 = 2.0;
/// Latencies get no noise estimate from throughputs; below this a single pair of runs is not called worse in the card.
const LATENCY_WORSE_PCT: f64 = 5.0;

/// What the per-profile table compares.
const COMPARED: [(Metric, Basis); 10] = [
    (Metric::TotalTps, Basis::Recomputed),
    (Metric::TotalTps, Basis::Reported),
    (Metric::OutputTps, Basis::Recomputed),
    (TPOT, Basis::Recomputed),
    (TPOT, Basis::Reported),
    (Metric::Latency(Latency::Tpot, Stat::P99), Basis::Reported),
    (Metric::Latency(Latency::Ttft, Stat::Mean), Basis::Reported),
    (Metric::Latency(Latency::Ttft, Stat::P99), Basis::Reported),
    (Metric::Latency(Latency::E2el, Stat::Mean), Basis::Reported),
    (Metric::Latency(Latency::E2el, Stat::P99), Basis::Reported),
];

/// What follows from limits, prices and telemetry.
const DERIVED: [Goal; 4] =
    [Goal::Metric(Metric::Goodput), Goal::Cost(Tokens::Total), Goal::Cost(Tokens::Output), Goal::TokensPerJoule];

impl Builder<'_> {
    pub(super) fn conclusion(&self) -> Conclusion {
        let study = &self.data.study;
        let recommended = self.advice.recommended.as_ref().and_then(|id| study.variant(id));
        let rows: Vec<ConclusionRow> = recommended.map(|recommended| self.rows(recommended)).unwrap_or_default();
        let reservations = self.reservations(&rows);
        let standing = match recommended {
            None => Standing::Nothing,
            Some(recommended) if recommended.id == study.baseline => Standing::KeepBaseline,
            Some(_) if reservations.is_empty() && self.gains(&rows) => Standing::Recommended,
            Some(_) => Standing::WithReservations,
        };
        let (added, removed) = recommended.map(|recommended| self.argument_changes(recommended)).unwrap_or_default();
        Conclusion {
            baseline: study.baseline.clone(),
            recommended: self.advice.recommended.clone(),
            standing,
            reservations,
            command: recommended
                .filter(|variant| launchable(&variant.engine, &variant.model))
                .map(|variant| Command::with_forms(variant, study.gpus(variant))),
            added,
            removed,
            rows,
            highest: self.advice.highest.clone(),
        }
    }

    /// One row a profile that both sides were run under, the primary one first.
    fn rows(&self, recommended: &Variant) -> Vec<ConclusionRow> {
        let study = &self.data.study;
        let primary_first = study.profiles.iter().filter(|p| p.id == study.primary_profile);
        let others = study.profiles.iter().filter(|p| p.id != study.primary_profile);
        primary_first.chain(others).filter_map(|profile| self.row(&profile.id, recommended)).collect()
    }

    fn row(&self, profile: &ProfileId, candidate: &Variant) -> Option<ConclusionRow> {
        let study = &self.data.study;
        let baseline = self.figures(&study.baseline, profile)?;
        let recommended = self.figures(&candidate.id, profile)?;
        let findings = self.comparison_findings(profile, &baseline, &recommended);
        let comparable = self.comparable(profile, &baseline, &recommended);
        let noise = self.noise_of(profile);
        let change = metric_change(self.data, Metric::TotalTps, &baseline, &recommended, noise, comparable);
        let metrics = COMPARED
            .into_iter()
            .map(|(metric, basis)| self.metric_row(profile, metric, basis, &baseline, &recommended))
            .filter(|row| row.baseline.is_some() || row.recommended.is_some())
            .collect();
        let goal_change = |goal: Goal| {
            let comparable = crate::advise::comparable(self.data, profile, goal, &baseline, &recommended);
            goal_change(self.data, goal, profile, &baseline, &recommended, noise, comparable)
        };
        let objective_change = goal_change(study.objective.goal);
        let derived = DERIVED
            .into_iter()
            .map(|goal| self.goal_row(goal, profile, &baseline, &recommended, goal_change(goal)))
            .filter(|row| row.baseline.is_some() || row.recommended.is_some())
            .collect();
        let tpot_believed = !self.other_tpot(&baseline) && !self.other_tpot(&recommended);
        let same = crate::advise::comparable(self.data, profile, Goal::Metric(TPOT), &baseline, &recommended);
        let tpot_change = believed(metric_change(self.data, TPOT, &baseline, &recommended, None, same), tpot_believed);
        Some(ConclusionRow {
            profile: profile.clone(),
            primary: *profile == study.primary_profile,
            change,
            tpot_change,
            objective_change,
            not_comparable: incomparable(self.data, profile, study.objective.goal, &baseline, &recommended),
            metrics,
            derived,
            findings,
            baseline_spread: baseline.spread(Metric::TotalTps),
            recommended_spread: recommended.spread(Metric::TotalTps),
            baseline,
            recommended,
        })
    }

    fn goal_row(
        &self,
        goal: Goal,
        profile: &ProfileId,
        baseline: &Figures,
        recommended: &Figures,
        change: Change,
    ) -> GoalRow {
        let study = &self.data.study;
        let slo = study.profile(profile).map(|profile| &profile.slo);
        let bracketed = |figures: &Figures| {
            goodput(figures, slo).is_some_and(|goodput| goodput.source == GoodputSource::Percentiles)
        };
        GoalRow {
            goal,
            at_least: goal == Goal::Metric(Metric::Goodput) && (bracketed(baseline) || bracketed(recommended)),
            baseline: goal.of(study, profile, baseline, study.basis),
            recommended: goal.of(study, profile, recommended, study.basis),
            change,
        }
    }

    fn metric_row(
        &self,
        profile: &ProfileId,
        metric: Metric,
        basis: Basis,
        baseline: &Figures,
        recommended: &Figures,
    ) -> MetricRow {
        let of = |figures: &Figures| match basis {
            Basis::Reported => metric.of(&figures.metrics),
            Basis::Recomputed => figures.recomputed.get(metric),
        };
        let throughput = !matches!(metric, Metric::Latency(..));
        let is_tpot = matches!(metric, Metric::Latency(Latency::Tpot, _));
        let other_definition =
            is_tpot && basis == Basis::Reported && (self.other_tpot(baseline) || self.other_tpot(recommended));
        let (from, to) = (of(baseline), of(recommended));
        let pct = change_pct(from, to);
        let by = Yardstick {
            relevance_pct: self.data.study.relevance_pct,
            noise: crate::noise::band(metric, baseline, recommended, self.noise_of(profile).filter(|_| throughput)),
            comparable: comparable(self.data, profile, Goal::Metric(metric), baseline, recommended),
            repeats: baseline.repeats().min(recommended.repeats()),
        };
        let change = match basis {
            Basis::Reported => Change::judge(metric, pct, None, &by),
            Basis::Recomputed => Change::judge(metric, None, pct, &by),
        };
        let change = if other_definition { Change { verdict: Verdict::Unknown, ..change } } else { change };
        MetricRow { metric, basis, other_definition, baseline: from, recommended: to, change }
    }

    /// Whether the printed TPOT of any of these runs is not the decode time: by the tool's definition, or by its figures.
    pub(super) fn other_tpot(&self, figures: &Figures) -> bool {
        let defined = self.data.runs.iter().any(|run| {
            figures.runs.contains(&run.id) && run.measurement.tpot_definition == TpotDefinition::IncludesFirstToken
        });
        defined
            || self.on_runs.iter().any(|finding| {
                let ours = matches!(&finding.about, Subject::Run(run) if figures.runs.contains(run));
                ours && matches!(finding.evidence, Evidence::TpotIdentity { .. })
            })
    }

    pub(super) fn comparison_findings(
        &self,
        profile: &ProfileId,
        baseline: &Figures,
        candidate: &Figures,
    ) -> Vec<Finding> {
        let study = &self.data.study;
        let sides = || {
            Some(Comparison {
                profile: study.profile(profile)?,
                baseline: (study.variant(&baseline.variant)?, baseline),
                candidate: (study.variant(&candidate.variant)?, candidate),
                tpot_believed: !self.other_tpot(baseline) && !self.other_tpot(candidate),
            })
        };
        if baseline.variant == candidate.variant {
            return Vec::new();
        }
        sides().map(|comparison| check_comparison(&comparison)).unwrap_or_default()
    }

    /// Whether a throughput of the two sides can be compared.
    pub(super) fn comparable(&self, profile: &ProfileId, baseline: &Figures, candidate: &Figures) -> bool {
        comparable(self.data, profile, Goal::Metric(Metric::TotalTps), baseline, candidate)
    }

    fn reservations(&self, rows: &[ConclusionRow]) -> Vec<Reservation> {
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

    fn gains(&self, rows: &[ConclusionRow]) -> bool {
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

/// A change whose printed form is not to be believed keeps a verdict only from its recomputed form.
fn believed(change: Change, believed: bool) -> Change {
    if believed || change.recomputed_pct.is_some() { change } else { Change { verdict: Verdict::Unknown, ..change } }
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
