//! What a reader with another wish would take: the best variant of each profile, and the Pareto fronts of throughput
//! against latency.

use serde::Serialize;

use super::slo::{SloState, check};
use super::{Goal, Measured, best_first, comparable, eligible, goal_change, load_sets, pareto, unlike};
use crate::aggregate::Figures;
use crate::change::{Change, Verdict, change_pct};
use crate::id::{ProfileId, VariantId};
use crate::metric::Metric;
use crate::metrics::{Latency, Stat};
use crate::noise::NoiseEstimate;
use crate::study::{Basis, Profile, StudyData};

/// The best variant of one profile.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BestOn {
    /// The profile.
    pub profile: ProfileId,
    /// The variant with the best figure among those whose requests succeeded, that keep the profile's limits and that can
    /// be compared; none where the load sets the figure.
    pub variant: Option<VariantId>,
    /// Its figure, in the objective's unit, on the study's basis.
    pub value: Option<f64>,
    /// The recommended variant's.
    pub recommended: Option<f64>,
    /// From the recommended variant to the best one; none where they are one, or the recommended one was not run.
    pub lead: Option<Change>,
    /// Variants that were compared.
    pub compared: usize,
    /// Whether the load sets the figure of all of them.
    pub load_limited: bool,
}

/// Throughput against one latency under one profile.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Front {
    /// The profile.
    pub profile: ProfileId,
    /// The latency.
    pub latency: Metric,
    /// Whether the load sets the throughput of all of them: then the latency alone decides what is on the front.
    pub load_limited: bool,
    /// Whether the latency of all of them is recomputed.
    pub recomputed: bool,
    /// The form of the throughput: recomputed where that of all of them is, since a printed figure that its own counts
    /// refute is no place on a front.
    pub throughput: Basis,
    /// Variants whose requests succeeded, that keep the profile's limits, ran the same workload on the same hardware, and
    /// measured both; the highest throughput first.
    pub points: Vec<FrontPoint>,
}

/// A variant in a plane of throughput and latency.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FrontPoint {
    /// The variant.
    pub variant: VariantId,
    /// Total TPS in the front's form, tok/s.
    pub total_token_throughput: f64,
    /// The latency, ms.
    pub latency_ms: f64,
    /// Whether no other variant is as good in both and better in one.
    pub on_front: bool,
}

/// Variants that a front is drawn of; one alone is no choice.
const LEAST_POINTS: usize = 2;

/// The best variant of every profile that somebody was measured under.
pub fn best_per_profile(
    data: &StudyData,
    measured: &Measured,
    recommended: Option<&VariantId>,
    noise: &[NoiseEstimate],
) -> Vec<BestOn> {
    let of = |profile: &Profile| best_on(data, measured, recommended, noise, profile);
    data.study.profiles.iter().filter_map(of).collect()
}

fn best_on(
    data: &StudyData,
    measured: &Measured,
    recommended: Option<&VariantId>,
    noise: &[NoiseEstimate],
    profile: &Profile,
) -> Option<BestOn> {
    let study = &data.study;
    let goal = study.objective.goal;
    let value = |figures: &Figures| goal.of(study, &profile.id, figures, study.basis);
    let noise = noise.iter().find(|estimate| estimate.profile == profile.id);
    let change = |from: &Figures, to: &Figures| {
        goal_change(data, goal, &profile.id, from, to, noise, comparable(data, &profile.id, goal, from, to))
    };
    let alike = alike(data, measured, recommended, profile, goal);
    let reference = recommended.into_iter().chain([&study.baseline]).find_map(|id| {
        let of = |figures: &&&Figures| figures.variant == *id;
        alike.iter().find(of).copied()
    });
    // A printed lead that its own counts refute is none.
    let refuted = |figures: &Figures| {
        reference.is_some_and(|reference| {
            let ahead = value(figures).zip(value(reference));
            let ahead = ahead.is_some_and(|(ours, theirs)| best_first(goal.direction(), ours, theirs).is_lt());
            ahead && change(reference, figures).verdict == Verdict::Worse
        })
    };
    let mut ranked: Vec<(&Figures, f64)> = alike
        .iter()
        .filter(|figures| !refuted(figures))
        .filter_map(|figures| Some((*figures, value(figures)?)))
        .collect();
    // Stable: of equal figures the variant described first stays first.
    ranked.sort_by(|(_, a), (_, b)| best_first(goal.direction(), *a, *b));
    let (best, best_value) = *ranked.first()?;
    let all: Vec<&Figures> = ranked.iter().map(|(figures, _)| *figures).collect();
    let load_limited = goal.set_by_load() && all_keep_up(data, profile, &all);
    let ours = recommended.and_then(|id| measured.get(id, &profile.id));
    let lead = ours.filter(|ours| !load_limited && ours.variant != best.variant).map(|ours| change(ours, best));
    // Of equal figures the recommended variant is the one to name.
    let tied = ours.filter(|ours| value(ours).and_then(|v| change_pct(Some(v), Some(best_value))) == Some(0.0));
    let named = tied.filter(|ours| all.iter().any(|other| other.variant == ours.variant)).unwrap_or(best);
    Some(BestOn {
        profile: profile.id.clone(),
        variant: (!load_limited).then(|| named.variant.clone()),
        value: (!load_limited).then_some(best_value),
        recommended: ours.and_then(value),
        lead: lead.filter(|_| named.variant == best.variant),
        compared: all.len(),
        load_limited,
    })
}

/// The fronts of every profile under which at least two variants can be told apart: against mean TPOT (recomputed, where
/// it can be) and against mean TTFT.
pub fn fronts(data: &StudyData, measured: &Measured, recommended: Option<&VariantId>) -> Vec<Front> {
    let latencies = [Latency::Tpot, Latency::Ttft].map(|latency| Metric::Latency(latency, Stat::Mean));
    let of = |profile: &Profile| {
        let alike = alike(data, measured, recommended, profile, Goal::Metric(Metric::TotalTps));
        latencies.map(|latency| front(data, &alike, profile, latency))
    };
    data.study.profiles.iter().flat_map(of).flatten().collect()
}

fn front(data: &StudyData, alike: &[&Figures], profile: &Profile, latency: Metric) -> Option<Front> {
    let both = |figures: &&&Figures| {
        figures.on(Basis::Recomputed, Metric::TotalTps).and(figures.on(Basis::Recomputed, latency)).is_some()
    };
    let counted = |figures: &&Figures| figures.recomputed.get(Metric::TotalTps).is_some();
    let throughput = match alike.iter().filter(both).all(counted) {
        true => Basis::Recomputed,
        false => data.study.basis,
    };
    let place =
        |figures: &Figures| figures.on(throughput, Metric::TotalTps).zip(figures.on(Basis::Recomputed, latency));
    let mut measured: Vec<(&Figures, (f64, f64))> =
        alike.iter().filter_map(|figures| Some((*figures, place(figures)?))).collect();
    if measured.len() < LEAST_POINTS {
        return None;
    }
    measured.sort_by(|(_, (a, _)), (_, (b, _))| b.total_cmp(a));
    let all: Vec<&Figures> = measured.iter().map(|(figures, _)| *figures).collect();
    let load_limited = all_keep_up(data, profile, &all);
    let point = |(throughput, latency): (f64, f64)| Some((if load_limited { 0.0 } else { throughput }, latency));
    let on_front = pareto::front(&measured.iter().map(|(_, place)| point(*place)).collect::<Vec<_>>());
    Some(Front {
        profile: profile.id.clone(),
        latency,
        load_limited,
        recomputed: all.iter().all(|figures| figures.recomputed.get(latency).is_some()),
        throughput,
        points: measured
            .iter()
            .zip(on_front)
            .map(|((figures, (total_token_throughput, latency_ms)), on_front)| FrontPoint {
                variant: figures.variant.clone(),
                total_token_throughput: *total_token_throughput,
                latency_ms: *latency_ms,
                on_front,
            })
            .collect(),
    })
}

/// Variants that a reader can choose between under a profile, in the study's order: enough requests succeeded, the profile's
/// limits are kept, and workload and hardware are those of the recommended variant, else of the baseline, else of the first.
fn alike<'a>(
    data: &'a StudyData,
    measured: &'a Measured,
    recommended: Option<&VariantId>,
    profile: &Profile,
    goal: Goal,
) -> Vec<&'a Figures> {
    let study = &data.study;
    let keeps_limits = |variant: &VariantId| {
        check(data, measured, variant).iter().filter(|check| check.profile == profile.id).all(|check| {
            match check.state {
                SloState::Met | SloState::WeaklyMeasured => true,
                SloState::NotMeasured | SloState::NotMet => false,
            }
        })
    };
    let figures = study.variants.iter().filter_map(|variant| measured.get(&variant.id, &profile.id));
    let sound: Vec<&Figures> =
        figures.filter(|figures| eligible(figures, study.min_success_pct) && keeps_limits(&figures.variant)).collect();
    let named = recommended.into_iter().chain([&study.baseline]).filter_map(|id| measured.get(id, &profile.id));
    // What failed was another workload.
    let like = named.into_iter().find(|figures| eligible(figures, study.min_success_pct));
    let Some(like) = like.or(sound.first().copied()) else { return Vec::new() };
    sound.into_iter().filter(|figures| unlike(goal, like, figures).is_none()).collect()
}

fn all_keep_up(data: &StudyData, profile: &Profile, all: &[&Figures]) -> bool {
    let Some((first, others)) = all.split_first() else { return false };
    !others.is_empty() && others.iter().all(|other| load_sets(data, &profile.id, first, other))
}
