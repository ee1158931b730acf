//! From figures to a ranking: constraints first, then the objective, then fewest arguments among equals.

use super::slo::{SloCheck, SloState, check, includes_first_token};
use super::{
    Advice, Goal, Highest, Incomparable, Measured, NotRecommended, Part, Ranked, WhyNot, best_first, comparable,
    eligible, goal_change, incomparable, load_sets,
};
use crate::advise::cost::Tokens;
use crate::aggregate::Figures;
use crate::change::{Change, NoiseBand, NoiseSource, Verdict, Yardstick, change_pct};
use crate::check::hardware_differs;
use crate::command::flags;
use crate::id::{ProfileId, VariantId};
use crate::metric::Metric;
use crate::metrics::Latency;
use crate::noise::NoiseEstimate;
use crate::round::derived;
use crate::study::{Basis, StudyData, Variant};

/// As for figures: reported and recomputed further apart than this, in percent, are both shown.
const SHOW_BOTH_PCT: f64 = 2.0;

/// A variant with all that decides about it.
struct Candidate<'a> {
    variant: &'a Variant,
    value: Option<f64>,
    other_value: Option<f64>,
    change: Option<Change>,
    parts: Vec<Part>,
    slo: Vec<SloCheck>,
    /// Why a constraint rules it out.
    barred: Option<WhyNot>,
    /// Why it cannot displace the baseline, although no constraint rules it out.
    beaten: Option<WhyNot>,
}

impl Candidate<'_> {
    fn may_win(&self) -> bool {
        self.value.is_some() && self.barred.is_none() && self.beaten.is_none()
    }
}

/// Arguments and variables that somebody has to keep.
pub(crate) fn arguments(variant: &Variant) -> usize {
    flags(&variant.args).len() + variant.env.len()
}

/// [`super::advise`] on figures that are aggregated already.
pub(crate) fn advise_on(data: &StudyData, measured: &Measured, noise: &[NoiseEstimate]) -> Advice {
    let study = &data.study;
    let direction = study.objective.goal.direction();
    let ranker = Ranker { data, measured, noise };
    let mut candidates: Vec<Candidate<'_>> = study.variants.iter().map(|variant| ranker.candidate(variant)).collect();
    let reference = ranker.reference(&candidates).map(|variant| &variant.id);
    for candidate in &mut candidates {
        candidate.beaten = ranker.beaten(candidate, reference);
    }
    // Stable: of equal figures the variant described first stays first.
    candidates.sort_by(|a, b| match (a.value, b.value) {
        (Some(a), Some(b)) => best_first(direction, a, b),
        (a, b) => b.is_some().cmp(&a.is_some()),
    });
    let best = candidates.iter().find(|candidate| candidate.may_win());
    let within = |candidate: &&Candidate<'_>| {
        let gap = change_pct(best.and_then(|best| best.value), candidate.value);
        candidate.may_win() && gap.is_some_and(|gap| gap.abs() <= study.relevance_pct)
    };
    let recommended = candidates.iter().filter(within).min_by_key(|c| arguments(c.variant)).or(best);
    let advised = recommended.map(|recommended| &recommended.variant.id);
    // The best figure that is not recommended although it was not ruled out, or that a constraint ruled out.
    let first = candidates.iter().find(|candidate| {
        candidate.value.is_some() && (candidate.beaten.is_none() || candidate.barred.is_some() || recommended.is_none())
    });
    let first = first.filter(|first| Some(&first.variant.id) != advised);
    let highest = first.and_then(|first| highest(first, recommended.and_then(|recommended| recommended.value)));
    let mut places = 1..;
    let ranking = candidates
        .iter()
        .map(|candidate| Ranked {
            variant: candidate.variant.id.clone(),
            place: candidate.may_win().then(|| places.next()).flatten(),
            value: candidate.value,
            other_value: candidate.other_value,
            change: candidate.change,
            parts: candidate.parts.clone(),
            slo: candidate.slo.clone(),
            arguments: arguments(candidate.variant),
            cost_per_million_tokens: ranker.on_primary(&candidate.variant.id, Goal::Cost(Tokens::Total)),
            cost_per_million_output_tokens: ranker.on_primary(&candidate.variant.id, Goal::Cost(Tokens::Output)),
            tokens_per_joule: ranker.on_primary(&candidate.variant.id, Goal::TokensPerJoule),
            why_not: ranker.why_not(candidate, recommended),
        })
        .collect();
    Advice { recommended: advised.cloned(), highest, ranking }
}

fn highest(candidate: &Candidate<'_>, recommended: Option<f64>) -> Option<Highest> {
    let why = match &candidate.barred {
        Some(WhyNot::MissesSlo { .. }) => NotRecommended::MissesSlo,
        Some(WhyNot::SloNotMeasured { .. }) => NotRecommended::SloNotMeasured,
        Some(_) => NotRecommended::Disqualified,
        None => NotRecommended::FewerArguments,
    };
    Some(Highest {
        variant: candidate.variant.id.clone(),
        value: candidate.value?,
        other_value: candidate.other_value,
        above_recommended_pct: change_pct(recommended, candidate.value),
        why,
    })
}

struct Ranker<'a> {
    data: &'a StudyData,
    measured: &'a Measured,
    noise: &'a [NoiseEstimate],
}

impl<'a> Ranker<'a> {
    /// All but whether it is beaten, which others decide.
    fn candidate(&self, variant: &'a Variant) -> Candidate<'a> {
        let study = &self.data.study;
        let slo = check(self.data, self.measured, &variant.id);
        let barred = self.barred(&variant.id, &slo);
        let (value, other_value) = self.values(&variant.id);
        let parts = self.parts(&variant.id);
        let change = if variant.id == study.baseline { None } else { self.change(&variant.id, &parts) };
        let apart = self.other_definition(&variant.id);
        let value = value.filter(|_| apart.is_none());
        let change = change.map(|change| match apart {
            Some(_) => Change { verdict: Verdict::Unknown, ..change },
            None => change,
        });
        Candidate { variant, value, other_value, change, parts, slo, barred, beaten: None }
    }

    /// What the others are held against: the baseline, or, where a constraint rules it out or its figure is missing, the
    /// variant with fewest arguments among those that may win, on the baseline's hardware where there is one.
    fn reference(&self, candidates: &[Candidate<'a>]) -> Option<&'a Variant> {
        let stands = |candidate: &&Candidate<'a>| candidate.barred.is_none() && candidate.value.is_some();
        let baseline = candidates.iter().find(|candidate| candidate.variant.id == self.data.study.baseline);
        let others = || {
            let order = |c: &&Candidate<'a>| (self.unlike_baseline(c.variant), arguments(c.variant));
            candidates.iter().filter(stands).min_by_key(order)
        };
        baseline.filter(stands).or_else(others).map(|candidate| candidate.variant)
    }

    /// Whether a variant has other hardware than the baseline, measured or described.
    fn unlike_baseline(&self, variant: &Variant) -> bool {
        let study = &self.data.study;
        let described = study.variant(&study.baseline).and_then(|baseline| study.gpus(baseline));
        self.deciding().any(|profile| {
            let Some(ours) = self.measured.get(&variant.id, profile) else { return false };
            match self.measured.get(&study.baseline, profile) {
                Some(base) => hardware_differs(base, ours).is_some(),
                None => ours.gpus.zip(described).is_some_and(|(ours, described)| ours != described),
            }
        })
    }

    /// Why a variant cannot displace the reference, although no constraint rules it out. A baseline that is out itself holds
    /// nobody back by its figure; what cannot be compared stays so.
    fn beaten(&self, candidate: &Candidate<'_>, reference: Option<&VariantId>) -> Option<WhyNot> {
        let id = &candidate.variant.id;
        if let Some(profile) = self.other_definition(id) {
            return Some(WhyNot::OtherDefinition { profile });
        }
        let reference = reference.filter(|reference| *reference != id)?;
        match self.apart(reference, id) {
            Some(Incomparable::Hardware) => Some(WhyNot::HardwareDiffers),
            Some(Incomparable::Workload) => Some(WhyNot::WorkloadDiffers),
            Some(Incomparable::Load) => Some(WhyNot::LoadLimited),
            // A constraint, told as such.
            Some(Incomparable::Failures) => None,
            None => {
                let worse = candidate.change.filter(|change| change.verdict == Verdict::Worse);
                worse.filter(|_| *reference == self.data.study.baseline).map(|change| WhyNot::Worse { change })
            }
        }
    }

    /// Why the objective of two variants cannot be compared: because one profile that decides cannot be, or because the load
    /// sets all of them.
    fn apart(&self, reference: &VariantId, variant: &VariantId) -> Option<Incomparable> {
        let goal = self.data.study.objective.goal;
        let on = |profile: &ProfileId| {
            let sides = self.measured.get(reference, profile).zip(self.measured.get(variant, profile));
            sides.and_then(|(base, ours)| incomparable(self.data, profile, goal, base, ours))
        };
        let all: Vec<Option<Incomparable>> = self.deciding().map(on).collect();
        let load = Some(Incomparable::Load);
        let other = all.iter().copied().flatten().find(|why| Some(*why) != load);
        other.or_else(|| load.filter(|_| !all.is_empty() && all.iter().all(|why| *why == load)))
    }

    /// The profile under which a TPOT that cannot be recomputed has another definition than the baseline's: two
    /// definitions are no ranking.
    fn other_definition(&self, variant: &VariantId) -> Option<ProfileId> {
        let study = &self.data.study;
        let Goal::Metric(tpot @ Metric::Latency(Latency::Tpot, _)) = study.objective.goal else { return None };
        let differs = |profile: &&ProfileId| {
            let base = self.measured.get(&study.baseline, profile)?;
            let ours = self.measured.get(variant, profile)?;
            let recomputed = base.recomputed.get(tpot).is_some() && ours.recomputed.get(tpot).is_some();
            let first = |figures: &Figures| includes_first_token(self.data, figures);
            Some(first(base) != first(ours) && !(recomputed && study.basis == Basis::Recomputed))
        };
        self.deciding().find(|profile| differs(profile) == Some(true)).cloned()
    }

    /// The profiles whose figures the objective is made of.
    fn deciding(&self) -> impl Iterator<Item = &'a ProfileId> {
        let study = &self.data.study;
        study.profiles.iter().map(|profile| &profile.id).filter(|profile| match study.objective.is_weighted() {
            true => study.objective.weights.contains_key(profile),
            false => **profile == study.primary_profile,
        })
    }

    /// The first constraint that a variant does not keep: failures first, then limits that are broken, then limits of
    /// which nothing is known.
    fn barred(&self, variant: &VariantId, slo: &[SloCheck]) -> Option<WhyNot> {
        let study = &self.data.study;
        let minimum_pct = study.min_success_pct;
        let decides = |profile: &ProfileId| {
            let weighted = study.objective.weights.contains_key(profile);
            let alone = !study.objective.is_weighted() && *profile == study.primary_profile;
            weighted || alone || study.profile(profile).is_some_and(|profile| !profile.slo.is_empty())
        };
        let deciding = study.profiles.iter().map(|profile| &profile.id).filter(|id| decides(id));
        let failed = deciding.into_iter().find_map(|profile| {
            let figures = self.measured.get(variant, profile).filter(|figures| !eligible(figures, minimum_pct))?;
            let success_pct = figures.recomputed.success_rate_pct?;
            Some(WhyNot::TooManyFailures { profile: profile.clone(), success_pct, minimum_pct })
        });
        let in_state = |state: SloState| slo.iter().find(|check| check.state == state);
        let broken = || {
            let SloCheck { profile, metric, limit, value, .. } = in_state(SloState::NotMet)?;
            Some(WhyNot::MissesSlo { profile: profile.clone(), metric: *metric, limit: *limit, value: (*value)? })
        };
        let unknown = || {
            let SloCheck { profile, metric, limit, .. } = in_state(SloState::NotMeasured)?;
            Some(WhyNot::SloNotMeasured { profile: profile.clone(), metric: *metric, limit: *limit })
        };
        failed.or_else(broken).or_else(unknown)
    }

    /// The figure that ranks, and the other form beside it where the two lie apart.
    fn values(&self, variant: &VariantId) -> (Option<f64>, Option<f64>) {
        let study = &self.data.study;
        let goal = study.objective.goal;
        let of = |basis: Basis| {
            if study.objective.is_weighted() {
                return self.mean_ratio(variant, |profile, figures| goal.of(study, profile, figures, basis));
            }
            let figures = self.measured.get(variant, &study.primary_profile)?;
            goal.of(study, &study.primary_profile, figures, basis)
        };
        let (value, other) = (of(study.basis), of(study.basis.other()));
        let recomputed_exists = !study.objective.is_weighted() || self.all_recomputed(variant);
        let apart = change_pct(value, other).is_some_and(|pct| pct.abs() > SHOW_BOTH_PCT);
        (value, other.filter(|_| apart && recomputed_exists))
    }

    fn all_recomputed(&self, variant: &VariantId) -> bool {
        let study = &self.data.study;
        self.mean_ratio(variant, |_, figures| study.objective.goal.recomputed(study, figures)).is_some()
    }

    /// The weighted geometric mean of a variant's ratios to the baseline. A ratio that the load set is 1: it speaks
    /// neither for nor against anybody.
    fn mean_ratio(&self, variant: &VariantId, of: impl Fn(&ProfileId, &Figures) -> Option<f64>) -> Option<f64> {
        let study = &self.data.study;
        let mut sum = 0.0;
        for (profile, weight) in &study.objective.weights {
            let base = self.measured.get(&study.baseline, profile)?;
            let candidate = self.measured.get(variant, profile)?;
            let (from, to) = (of(profile, base)?, of(profile, candidate)?);
            let ratio = if self.set_by_load(profile, base, candidate) { 1.0 } else { to / from };
            if !(ratio.is_finite() && ratio > 0.0) {
                return None;
            }
            sum += weight * ratio.ln();
        }
        let all: f64 = study.objective.weights.values().sum();
        (all > 0.0).then(|| derived((sum / all).exp()))
    }

    fn set_by_load(&self, profile: &ProfileId, base: &Figures, candidate: &Figures) -> bool {
        self.data.study.objective.goal.set_by_load() && load_sets(self.data, profile, base, candidate)
    }

    fn parts(&self, variant: &VariantId) -> Vec<Part> {
        let study = &self.data.study;
        let change = |profile: &ProfileId| {
            let base = self.measured.get(&study.baseline, profile).filter(|base| base.variant != *variant)?;
            self.change_on(profile, base, self.measured.get(variant, profile)?)
        };
        let weights = study.objective.weights.iter();
        weights.map(|(id, weight)| Part { profile: id.clone(), weight: *weight, change: change(id) }).collect()
    }

    /// The change of the objective under one profile; not comparable where the load set it.
    fn change_on(&self, profile: &ProfileId, base: &Figures, candidate: &Figures) -> Option<Change> {
        let noise = self.noise.iter().find(|estimate| estimate.profile == *profile);
        let goal = self.data.study.objective.goal;
        let comparable = comparable(self.data, profile, goal, base, candidate);
        Some(goal_change(self.data, goal, profile, base, candidate, noise, comparable))
    }

    /// The change of the objective against the baseline.
    fn change(&self, variant: &VariantId, parts: &[Part]) -> Option<Change> {
        let study = &self.data.study;
        if !study.objective.is_weighted() {
            let base = self.measured.get(&study.baseline, &study.primary_profile)?;
            return self.change_on(&study.primary_profile, base, self.measured.get(variant, &study.primary_profile)?);
        }
        let goal = study.objective.goal;
        let pct = |ratio: Option<f64>| change_pct(Some(1.0), ratio);
        let reported = pct(self.mean_ratio(variant, |profile, figures| goal.reported(study, profile, figures)));
        let recomputed = pct(self.mean_ratio(variant, |_, figures| goal.recomputed(study, figures)));
        let by = Yardstick {
            relevance_pct: study.relevance_pct,
            noise: mean_band(parts),
            comparable: self.apart(&study.baseline, variant).is_none(),
            repeats: parts.iter().filter_map(|part| Some(part.change?.repeats)).min().unwrap_or_default(),
        };
        Some(Change::judge_toward(goal.direction(), reported, recomputed, &by))
    }

    fn on_primary(&self, variant: &VariantId, goal: Goal) -> Option<f64> {
        let study = &self.data.study;
        let figures = self.measured.get(variant, &study.primary_profile)?;
        goal.of(study, &study.primary_profile, figures, study.basis)
    }

    fn why_not(&self, candidate: &Candidate<'_>, recommended: Option<&Candidate<'_>>) -> Option<WhyNot> {
        let by = recommended.filter(|by| by.variant.id != candidate.variant.id);
        if recommended.is_some() && by.is_none() {
            return None;
        }
        let lesser = || {
            let by = by?;
            let gap_pct = change_pct(by.value, candidate.value)?;
            let id = by.variant.id.clone();
            let fewer = arguments(by.variant) < arguments(candidate.variant);
            Some(match fewer && gap_pct.abs() <= self.data.study.relevance_pct {
                true => WhyNot::FewerArguments { by: id, gap_pct },
                false => WhyNot::Surpassed { by: id, gap_pct },
            })
        };
        let missing = || {
            let study = &self.data.study;
            let lacks = |profile: &&ProfileId| {
                let figures = self.measured.get(&candidate.variant.id, profile);
                figures.is_none_or(|figures| study.objective.goal.of(study, profile, figures, study.basis).is_none())
            };
            // Where the variant has them all, it is the baseline that lacks one.
            let profile = self.deciding().find(lacks).or_else(|| self.deciding().next())?;
            candidate.value.is_none().then(|| WhyNot::NotMeasured { profile: profile.clone() })
        };
        let apart = candidate.beaten.clone().filter(|why| matches!(why, WhyNot::OtherDefinition { .. }));
        candidate.barred.clone().or(apart).or_else(missing).or_else(|| candidate.beaten.clone()).or_else(lesser)
    }
}

/// The band around a weighted mean of changes whose errors are independent: √Σ(w·b)² / Σw. None where one is unknown.
fn mean_band(parts: &[Part]) -> Option<NoiseBand> {
    let changes: Vec<(f64, Change)> =
        parts.iter().map(|part| Some((part.weight, part.change?))).collect::<Option<_>>()?;
    let all: f64 = changes.iter().map(|(weight, _)| weight).sum();
    let counted: Vec<(f64, NoiseBand)> = changes
        .iter()
        .filter(|(_, change)| change.verdict != Verdict::NotComparable)
        .map(|(weight, change)| Some((*weight, change.noise?)))
        .collect::<Option<_>>()?;
    let of = |band: fn(&NoiseBand) -> Option<f64>| {
        let squares: Option<f64> = counted.iter().map(|(weight, noise)| Some((weight * band(noise)?).powi(2))).sum();
        squares.filter(|_| !counted.is_empty() && all > 0.0).map(|squares| derived(squares.sqrt() / all))
    };
    let starts = counted.iter().all(|(_, noise)| noise.source == NoiseSource::Starts);
    let source = if starts { NoiseSource::Starts } else { NoiseSource::Equivalents };
    let band = NoiseBand { reported_pct: of(|n| n.reported_pct), recomputed_pct: of(|n| n.recomputed_pct), source };
    (band.reported_pct.is_some() || band.recomputed_pct.is_some()).then_some(band)
}
