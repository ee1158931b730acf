//! Steps and the option table: what was tried, and what became of it.

use std::cmp::Ordering;

use super::{Builder, TPOT};
use crate::advise::{
    Barred, Goal, Incomparable, StepFacts, WhyNot, best_first, comparable, decide, eligible, incomparable,
    metric_change, objective_change, previous,
};
use crate::aggregate::{Figures, SHOW_BOTH_PCT};
use crate::change::{Change, Verdict, change_pct};
use crate::check::{Evidence, Finding};
use crate::id::{ProfileId, VariantId};
use crate::metric::Metric;
use crate::report::{OptionRow, StepReport, StepVariant, Summary, TpotDirection};
use crate::round::derived;
use crate::study::{Basis, OptionBase, Step};

impl Builder<'_> {
    pub(super) fn step(&self, step: &Step) -> StepReport {
        let study = &self.data.study;
        let baseline = self.figures(&study.baseline, &step.profile);
        let variants: Vec<StepVariant> = step
            .variants
            .iter()
            .map(|id| {
                let figures = self.figures(id, &step.profile);
                let sides = baseline.as_ref().zip(figures.as_ref()).filter(|(base, _)| base.variant != *id);
                let change = sides.map(|(base, figures)| self.change_on(step, base, figures));
                let disqualified = figures.as_ref().is_some_and(|figures| !eligible(figures, study.min_success_pct));
                StepVariant { id: id.clone(), disqualified, figures, change, barred: self.barred(id) }
            })
            .collect();
        let ranked = self.ranked(step, &variants, false);
        let best = ranked.first().copied();
        let worst = ranked.last().copied().filter(|_| ranked.len() > 1);
        let all = self.ranked(step, &variants, true);
        let base = self.option_base(step);
        let decided = self.decided(step, &variants);
        let sides = base.as_ref().zip(decided);
        let others = ranked.iter().copied().filter(|figures| figures.variant != study.baseline);
        let against_baseline = |figures: &Figures| {
            let change = variants.iter().find(|variant| variant.id == figures.variant)?.change?;
            let told = !matches!(change.verdict, Verdict::NotComparable | Verdict::Unknown);
            told.then(|| (figures.variant.clone(), change))
        };
        let barred = |figures: &&Figures| {
            let why = self.barred(&figures.variant)?;
            Some(Barred { variant: figures.variant.clone(), why })
        };
        let facts = StepFacts {
            profile: &step.profile,
            best: decided.filter(|_| best.is_some()),
            why_not: decided.and_then(|decided| self.advice.of(&decided.variant)?.why_not.clone()),
            shown: all.first().copied(),
            change: sides.map(|(base, decided)| self.change_on(step, base, decided)),
            apart: sides.and_then(|(base, decided)| self.apart(step, base, decided)),
            runner_up: others.clone().find_map(against_baseline),
            runner_up_apart: baseline
                .as_ref()
                .and_then(|baseline| others.clone().find_map(|figures| self.apart(step, baseline, figures))),
            recommended: self.advice.recommended.as_ref(),
            barred: all.iter().find_map(barred),
        };
        let (decision, reason) = decide(self.data, &facts);
        StepReport {
            id: step.id.clone(),
            name: step.name.clone(),
            profile: step.profile.clone(),
            best: best.map(|figures| figures.variant.clone()),
            worst: worst.map(|figures| figures.variant.clone()),
            summary: best.zip(worst).and_then(|(best, worst)| self.summary(step, best, worst)),
            decision,
            reason,
            notes: step.notes.clone(),
            variants,
        }
    }

    /// The figures that stand for a step: those of the recommended variant where it is one of the step's, else of the best
    /// that nothing rules out, else of the best.
    fn decided<'b>(&self, step: &Step, variants: &'b [StepVariant]) -> Option<&'b Figures> {
        let ranked = self.ranked(step, variants, false);
        let recommended = self.advice.recommended.as_ref().filter(|id| **id != self.data.study.baseline);
        let ours = ranked.iter().find(|figures| recommended == Some(&figures.variant)).copied();
        ours.or(ranked.first().copied()).or_else(|| self.ranked(step, variants, true).first().copied())
    }

    /// Why variants of a step cannot be compared with the baseline, where load or hardware is the reason: whether or not one
    /// of them is recommended.
    pub(super) fn not_comparable(&self, step: &Step) -> Vec<Finding> {
        let Some(baseline) = self.figures(&self.data.study.baseline, &step.profile) else { return Vec::new() };
        let figures = step.variants.iter().filter_map(|id| self.figures(id, &step.profile));
        let found = figures.flat_map(|figures| self.comparison_findings(&step.profile, &baseline, &figures));
        let why = |finding: &Finding| {
            matches!(finding.evidence, Evidence::LoadLimited { .. } | Evidence::HardwareDiffers { .. })
        };
        found.filter(why).collect()
    }

    /// The constraint that rules a variant out.
    fn barred(&self, variant: &VariantId) -> Option<WhyNot> {
        self.advice.of(variant)?.why_not.clone().filter(WhyNot::rules_out)
    }

    fn change_on(&self, step: &Step, base: &Figures, candidate: &Figures) -> Change {
        let (profile, goal) = (&step.profile, self.data.study.objective.goal);
        let comparable = comparable(self.data, profile, goal, base, candidate);
        objective_change(self.data, profile, base, candidate, self.noise_of(profile), comparable)
    }

    fn apart(&self, step: &Step, base: &Figures, candidate: &Figures) -> Option<Incomparable> {
        incomparable(self.data, &step.profile, self.data.study.objective.goal, base, candidate)
    }

    fn objective(&self, profile: &ProfileId, figures: &Figures) -> Option<f64> {
        let study = &self.data.study;
        study.objective.goal.of(study, profile, figures, study.basis)
    }

    /// Measured variants of a step, the best first; those that cannot win only where asked for.
    fn ranked<'b>(&self, step: &Step, variants: &'b [StepVariant], all: bool) -> Vec<&'b Figures> {
        let mut ranked: Vec<&Figures> = variants
            .iter()
            .filter(|variant| all || may_win(variant))
            .filter_map(|variant| variant.figures.as_ref())
            .filter(|figures| self.objective(&step.profile, figures).is_some())
            .collect();
        ranked.sort_by(|a, b| self.compare(step, a, b));
        ranked
    }

    fn compare(&self, step: &Step, a: &Figures, b: &Figures) -> Ordering {
        let value = |figures: &Figures| self.objective(&step.profile, figures).unwrap_or(f64::NAN);
        best_first(self.data.study.objective.goal.direction(), value(a), value(b))
    }

    /// Best against worst, where their throughputs compare: what load or hardware sets apart is no difference.
    fn summary(&self, step: &Step, best: &Figures, worst: &Figures) -> Option<Summary> {
        let basis = self.data.study.basis;
        if !comparable(self.data, &step.profile, Goal::Metric(Metric::TotalTps), best, worst) {
            return None;
        }
        let (high, low) = best.on(basis, Metric::TotalTps).zip(worst.on(basis, Metric::TotalTps))?;
        let elsewhere = |figures: &Figures| match basis {
            Basis::Reported => figures.recomputed.get(Metric::TotalTps),
            Basis::Recomputed => Metric::TotalTps.of(&figures.metrics),
        };
        let other = elsewhere(best).zip(elsewhere(worst)).and_then(|(other_high, other_low)| {
            let apart = change_pct(Some(other_high - other_low), Some(high - low))?.abs() > SHOW_BOTH_PCT;
            apart.then_some((derived(other_high - other_low), change_pct(Some(other_low), Some(other_high))?))
        });
        let tpot = best.on(basis, TPOT).zip(worst.on(basis, TPOT));
        let doubted = self.other_tpot(best) || self.other_tpot(worst);
        Some(Summary {
            tps_difference: derived(high - low),
            tps_pct: change_pct(Some(low), Some(high))?,
            other_tps: other,
            tpot_difference_ms: tpot.map(|(best, worst)| derived((worst - best).abs())),
            tpot_pct: tpot.and_then(|(best, worst)| change_pct(Some(worst), Some(best))).map(f64::abs),
            tpot_direction: tpot.map(|(best, worst)| match best.total_cmp(&worst) {
                Ordering::Less => TpotDirection::Reduction,
                Ordering::Greater => TpotDirection::Increase,
                Ordering::Equal => TpotDirection::Equal,
            }),
            tpot_recomputed_ms: best.recomputed.get(TPOT).zip(worst.recomputed.get(TPOT)).filter(|_| doubted),
        })
    }

    /// What a step's row is compared with: the baseline, or the best of the step before that no constraint rules out.
    fn option_base(&self, step: &Step) -> Option<Figures> {
        let study = &self.data.study;
        let baseline = || self.figures(&study.baseline, &step.profile);
        match study.option_base {
            OptionBase::Baseline => baseline(),
            OptionBase::Previous => match previous(self.data, &step.id) {
                None => baseline(),
                Some(previous) => {
                    let allowed = previous.variants.iter().filter(|id| self.barred(id).is_none());
                    let measured = allowed.filter_map(|id| self.figures(id, &step.profile));
                    let eligible = measured.filter(|figures| eligible(figures, study.min_success_pct));
                    eligible.min_by(|a, b| self.compare(step, a, b)).or_else(baseline)
                }
            },
        }
    }

    pub(super) fn option(&self, step: &Step, report: &StepReport) -> OptionRow {
        let basis = self.data.study.basis;
        let shown = self.decided(step, &report.variants);
        let base = self.option_base(step);
        let objective_change = base.as_ref().zip(shown).map(|(base, shown)| self.change_on(step, base, shown));
        let change = base.as_ref().zip(shown).map(|(base, shown)| {
            let comparable = self.comparable(&step.profile, base, shown);
            metric_change(self.data, Metric::TotalTps, base, shown, self.noise_of(&step.profile), comparable)
        });
        OptionRow {
            step: step.id.clone(),
            variant: shown.map(|figures| figures.variant.clone()),
            total_token_throughput: shown.and_then(|figures| figures.on(basis, Metric::TotalTps)),
            tpot_mean_ms: shown.and_then(|figures| figures.on(basis, TPOT)),
            other_total_token_throughput: shown.and_then(|figures| figures.beside(basis, Metric::TotalTps)),
            other_tpot_mean_ms: shown.and_then(|figures| figures.beside(basis, TPOT)),
            base_total_token_throughput: base.as_ref().and_then(|figures| figures.on(basis, Metric::TotalTps)),
            base_tpot_mean_ms: base.as_ref().and_then(|figures| figures.on(basis, TPOT)),
            base: base.map(|figures| figures.variant),
            change,
            objective_change,
            success_rate_pct: shown.and_then(|figures| figures.recomputed.success_rate_pct),
            decision: report.decision,
            reason: report.reason.clone(),
        }
    }
}

/// Whether nothing rules a variant out.
fn may_win(variant: &StepVariant) -> bool {
    !variant.disqualified && variant.barred.is_none()
}
