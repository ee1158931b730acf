//! The conclusion card: baseline against recommended, profile by profile.

use super::{Builder, TPOT};
use crate::advise::cost::Tokens;
use crate::advise::goodput::{self, GoodputSource};
use crate::advise::{Goal, comparable, goal_change, incomparable, metric_change};
use crate::aggregate::{Figures, SHOW_BOTH_PCT};
use crate::change::{Change, Verdict, Yardstick, change_pct};
use crate::check::{Comparison, Evidence, Finding, Subject, check_comparison};
use crate::command::Command;
use crate::id::ProfileId;
use crate::metric::Metric;
use crate::metrics::{Latency, Stat};
use crate::report::{Conclusion, ConclusionRow, GoalRow, MetricRow, Standing, launchable};
use crate::run::TpotDefinition;
use crate::study::{Basis, Variant};

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
        let is_goodput = goal == Goal::Metric(Metric::Goodput);
        let of = |figures: &Figures, basis: Basis| goal.of(study, profile, figures, basis);
        let source = |figures: &Figures| {
            let best = match study.basis {
                Basis::Reported => goodput::reported(figures, slo),
                Basis::Recomputed => goodput::goodput(figures, slo),
            };
            best.filter(|_| is_goodput).map(|goodput| goodput.source)
        };
        let other = |figures: &Figures| {
            let other = of(figures, study.basis.other()).filter(|_| is_goodput);
            let apart = change_pct(of(figures, study.basis), other).is_some_and(|pct| pct.abs() > SHOW_BOTH_PCT);
            other.filter(|_| apart)
        };
        let (baseline_source, recommended_source) = (source(baseline), source(recommended));
        GoalRow {
            goal,
            at_least: [baseline_source, recommended_source].contains(&Some(GoodputSource::Percentiles)),
            baseline: of(baseline, study.basis),
            recommended: of(recommended, study.basis),
            baseline_source,
            recommended_source,
            other_baseline: other(baseline),
            other_recommended: other(recommended),
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
}

/// A change whose printed form is not to be believed keeps a verdict only from its recomputed form.
fn believed(change: Change, believed: bool) -> Change {
    if believed || change.recomputed_pct.is_some() { change } else { Change { verdict: Verdict::Unknown, ..change } }
}
