//! What to recommend, and why: the objective over eligible variants, fewest arguments among equals, and a reason for
//! every variant that is not recommended and for every step.

pub mod cost;
pub mod fronts;
pub mod goodput;
mod measured;
pub mod objective;
pub mod pareto;
mod rank;
pub mod slo;
mod step;

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

pub use measured::Measured;
pub use objective::{Goal, Objective};
pub(crate) use rank::advise_on;
pub use step::{Barred, Decision, Elsewhere, Reason, StepFacts, decide, previous};

use crate::aggregate::Figures;
use crate::change::{Change, Yardstick, change_pct};
use crate::check::{hardware_differs, load_limited, workload_differs};
use crate::id::{ProfileId, VariantId};
use crate::metric::{Direction, Metric};
use crate::noise::{NoiseEstimate, band, equivalents};
use crate::study::StudyData;
use slo::SloCheck;

/// What the study recommends.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// The variant; none where nothing is eligible.
    pub recommended: Option<VariantId>,
    /// The variant with the best figure, where it is not the recommended one.
    pub highest: Option<Highest>,
    /// Every variant, the best figure first, those without one last.
    pub ranking: Vec<Ranked>,
}

impl Advice {
    /// A variant's place.
    pub fn of(&self, variant: &VariantId) -> Option<&Ranked> {
        self.ranking.iter().find(|ranked| &ranked.variant == variant)
    }
}

/// A variant among all of a study.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ranked {
    /// The variant.
    pub variant: VariantId,
    /// Among those that may be recommended, from 1.
    pub place: Option<usize>,
    /// The objective on the study's basis, in its unit; the ratio to the baseline where several profiles decide.
    pub value: Option<f64>,
    /// The same on the other basis, where the two differ by more than 2 %.
    pub other_value: Option<f64>,
    /// Change of the objective against the baseline.
    pub change: Option<Change>,
    /// The profiles that decide together, where they do.
    pub parts: Vec<Part>,
    /// Every limit of the study.
    pub slo: Vec<SloCheck>,
    /// Arguments and variables of its environment.
    pub arguments: usize,
    /// What a million tokens cost on the primary profile, where the study has a price.
    pub cost_per_million_tokens: Option<f64>,
    /// What a million output tokens cost on the primary profile, where the study has a price.
    pub cost_per_million_output_tokens: Option<f64>,
    /// Tokens for a joule on the primary profile, where power was measured.
    pub tokens_per_joule: Option<f64>,
    /// Why it is not recommended; none for the one that is.
    pub why_not: Option<WhyNot>,
}

/// A profile of a weighted objective.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Part {
    /// The profile.
    pub profile: ProfileId,
    /// Its weight.
    pub weight: f64,
    /// Change of the figure under it against the baseline. One that the load set counts as a ratio of 1.
    pub change: Option<Change>,
}

/// Why a variant is not recommended: one line of the ablation log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "id", rename_all = "kebab-case")]
pub enum WhyNot {
    /// Too many of its requests failed under a profile that decides.
    TooManyFailures {
        /// The profile.
        profile: ProfileId,
        /// Success rate, percent.
        success_pct: f64,
        /// What the study asks for, percent.
        minimum_pct: f64,
    },
    /// It breaks a limit.
    MissesSlo {
        /// The profile.
        profile: ProfileId,
        /// What is limited.
        metric: Metric,
        /// The limit, in the metric's unit.
        limit: f64,
        /// What was measured.
        value: f64,
    },
    /// Nothing says that it keeps a limit.
    SloNotMeasured {
        /// The profile.
        profile: ProfileId,
        /// What is limited.
        metric: Metric,
        /// The limit, in the metric's unit.
        limit: f64,
    },
    /// The figure that decides was not measured.
    NotMeasured {
        /// The first profile where it is missing.
        profile: ProfileId,
    },
    /// Its TPOT is another figure than the baseline's: one of the tools counts the first token in.
    OtherDefinition {
        /// The profile.
        profile: ProfileId,
    },
    /// Worse than the baseline, or said to be better by a figure that its own counts refute.
    Worse {
        /// The change.
        change: Change,
    },
    /// The load set its figure.
    LoadLimited,
    /// Measured on other hardware than the baseline: more of it is no tuning.
    HardwareDiffers,
    /// Measured with prompts of another length than the baseline's: another workload.
    WorkloadDiffers,
    /// Another variant is better.
    Surpassed {
        /// The recommended variant.
        by: VariantId,
        /// How far it lies behind, percent of the recommended variant's figure, with the figure's sign.
        gap_pct: f64,
    },
    /// The recommended variant is as good with fewer arguments.
    FewerArguments {
        /// The recommended variant.
        by: VariantId,
        /// How far the figures lie apart, percent of the recommended variant's.
        gap_pct: f64,
    },
}

impl WhyNot {
    /// Whether a constraint, and not the figure, keeps it from being recommended.
    pub fn rules_out(&self) -> bool {
        match self {
            Self::TooManyFailures { .. } | Self::MissesSlo { .. } | Self::SloNotMeasured { .. } => true,
            Self::NotMeasured { .. }
            | Self::OtherDefinition { .. }
            | Self::Worse { .. }
            | Self::LoadLimited
            | Self::HardwareDiffers
            | Self::WorkloadDiffers
            | Self::Surpassed { .. }
            | Self::FewerArguments { .. } => false,
        }
    }
}

/// The best figure of the study, and why its variant is not recommended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Highest {
    /// The variant.
    pub variant: VariantId,
    /// Its figure, in the objective's unit, on the study's basis.
    pub value: f64,
    /// Its figure on the other basis, where the two differ by more than 2 %.
    pub other_value: Option<f64>,
    /// How far it lies from the recommended variant's, percent.
    pub above_recommended_pct: Option<f64>,
    /// Why it is not recommended.
    pub why: NotRecommended,
}

/// Why the best figure is not recommended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotRecommended {
    /// Too many requests failed.
    Disqualified,
    /// It breaks a limit of the study.
    MissesSlo,
    /// Nothing says that it keeps a limit of the study.
    SloNotMeasured,
    /// Another variant is as good for the reader with fewer arguments.
    FewerArguments,
}

/// Ranks the variants by the study's objective and basis, under its constraints.
pub fn advise(data: &StudyData) -> Advice {
    advise_on(data, &Measured::of(data), &estimates(data))
}

/// The noise estimates of a study, one a profile where there is one.
pub(crate) fn estimates(data: &StudyData) -> Vec<NoiseEstimate> {
    data.study.profiles.iter().filter_map(|profile| equivalents(data, &profile.id)).collect()
}

/// Whether enough of a variant's requests succeeded. An unknown success rate is no failure.
pub fn eligible(figures: &Figures, min_success_pct: f64) -> bool {
    figures.recomputed.success_rate_pct.is_none_or(|pct| pct >= min_success_pct)
}

/// Order in which the better figure comes first.
pub fn best_first(direction: Direction, a: f64, b: f64) -> Ordering {
    match direction {
        Direction::HigherIsBetter => b.total_cmp(&a),
        Direction::LowerIsBetter => a.total_cmp(&b),
    }
}

/// Why a figure of two sides cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Incomparable {
    /// Too many requests of a side failed: those that succeeded are not the workload.
    Failures,
    /// The two sides had prompts of different lengths.
    Workload,
    /// A total of different hardware.
    Hardware,
    /// The load set the figure of both.
    Load,
}

/// Why a figure of the two sides cannot be compared under a profile, where it cannot.
pub fn incomparable(
    data: &StudyData,
    profile: &ProfileId,
    goal: Goal,
    base: &Figures,
    candidate: &Figures,
) -> Option<Incomparable> {
    let fails = |figures: &Figures| !eligible(figures, data.study.min_success_pct);
    if fails(base) || fails(candidate) {
        return Some(Incomparable::Failures);
    }
    unlike(goal, base, candidate).or_else(|| {
        let load = goal.set_by_load() && load_sets(data, profile, base, candidate);
        load.then_some(Incomparable::Load)
    })
}

/// Whether the two sides had another workload, or a total of theirs other hardware.
pub(crate) fn unlike(goal: Goal, base: &Figures, candidate: &Figures) -> Option<Incomparable> {
    if workload_differs(base, candidate) {
        return Some(Incomparable::Workload);
    }
    (goal.is_total() && hardware_differs(base, candidate).is_some()).then_some(Incomparable::Hardware)
}

/// Whether a figure of the two sides can be compared under a profile.
pub fn comparable(data: &StudyData, profile: &ProfileId, goal: Goal, base: &Figures, candidate: &Figures) -> bool {
    incomparable(data, profile, goal, base, candidate).is_none()
}

/// Whether both sides keep up with the profile's open loop.
pub(crate) fn load_sets(data: &StudyData, profile: &ProfileId, base: &Figures, candidate: &Figures) -> bool {
    let rate = data.study.profile(profile).and_then(|profile| profile.request_rate);
    base.variant != candidate.variant && load_limited(rate, base, candidate).is_some()
}

/// The change of the study's figure from one variant to another under a profile.
pub fn objective_change(
    data: &StudyData,
    profile: &ProfileId,
    base: &Figures,
    candidate: &Figures,
    noise: Option<&NoiseEstimate>,
    comparable: bool,
) -> Change {
    goal_change(data, data.study.objective.goal, profile, base, candidate, noise, comparable)
}

/// The change of a figure that may follow from price or telemetry.
pub fn goal_change(
    data: &StudyData,
    goal: Goal,
    profile: &ProfileId,
    base: &Figures,
    candidate: &Figures,
    noise: Option<&NoiseEstimate>,
    comparable: bool,
) -> Change {
    let study = &data.study;
    let noise = band(goal.scatters_as(), base, candidate, noise);
    let repeats = base.repeats().min(candidate.repeats());
    let by = Yardstick { relevance_pct: study.relevance_pct, noise, comparable, repeats };
    let reported = match goal {
        Goal::Metric(Metric::Goodput) => {
            let slo = study.profile(profile).map(|profile| &profile.slo);
            goodput::reported_change(base, candidate, slo)
        }
        Goal::Metric(_) | Goal::Cost(_) | Goal::TokensPerJoule => {
            change_pct(goal.reported(study, profile, base), goal.reported(study, profile, candidate))
        }
    };
    let recomputed = change_pct(goal.recomputed(study, base), goal.recomputed(study, candidate));
    Change::judge_toward(goal.direction(), reported, recomputed, &by)
}

/// The change of any metric from one variant to another.
pub fn metric_change(
    data: &StudyData,
    metric: Metric,
    base: &Figures,
    candidate: &Figures,
    noise: Option<&NoiseEstimate>,
    comparable: bool,
) -> Change {
    let (noise, repeats) = (band(metric, base, candidate, noise), base.repeats().min(candidate.repeats()));
    let by = Yardstick { relevance_pct: data.study.relevance_pct, noise, comparable, repeats };
    let reported = change_pct(metric.of(&base.metrics), metric.of(&candidate.metrics));
    let recomputed = change_pct(base.recomputed.get(metric), candidate.recomputed.get(metric));
    Change::judge(metric, reported, recomputed, &by)
}
