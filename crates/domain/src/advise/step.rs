//! What became of a step, and why.

use serde::{Deserialize, Serialize};

use super::{Measured, WhyNot, best_first};
use crate::aggregate::Figures;
use crate::change::{Change, Verdict};
use crate::command::diff::Settings;
use crate::id::{ProfileId, StepId, VariantId};
use crate::metric::Metric;
use crate::study::{Step, StudyData, Variant};

/// What became of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The baseline won its own step.
    Baseline,
    /// Part of the recommended command.
    Adopted,
    /// Worse, or failing.
    Rejected,
    /// No gain that matters or that can be told from noise.
    NoRelevantGain,
    /// The load set the figure.
    NotComparable,
}

impl Decision {
    /// All of them, for tests and legends.
    pub const ALL: [Self; 5] =
        [Self::Baseline, Self::Adopted, Self::Rejected, Self::NoRelevantGain, Self::NotComparable];

    /// As in JSON.
    pub fn key(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Adopted => "adopted",
            Self::Rejected => "rejected",
            Self::NoRelevantGain => "no_relevant_gain",
            Self::NotComparable => "not_comparable",
        }
    }
}

/// Why a decision was taken, with its numbers. Changes are against the baseline of the option row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "id", rename_all = "kebab-case")]
pub enum Reason {
    /// Nothing in the step beats the baseline.
    BaselineWins {
        /// The best other variant.
        runner_up: Option<VariantId>,
        /// Its change against the baseline.
        change: Option<Change>,
    },
    /// The step's best is the recommended variant.
    Recommended {
        /// What it gained.
        change: Change,
    },
    /// The recommended variant contains what this step found.
    PartOfRecommended {
        /// What it gained.
        change: Change,
    },
    /// Every variant of the step fails too many requests.
    TooManyFailures {
        /// Success rate of the variant shown, percent.
        success_pct: f64,
        /// What the study asks for, percent.
        minimum_pct: f64,
    },
    /// Every variant of the step breaks a limit of the study.
    MissesSlo {
        /// The profile.
        profile: ProfileId,
        /// What is limited.
        metric: Metric,
        /// The limit, in the metric's unit.
        limit: f64,
        /// What the variant shown measured.
        value: f64,
    },
    /// No variant of the step breaks a limit, and nothing says that one keeps them all.
    SloNotMeasured {
        /// The profile.
        profile: ProfileId,
        /// What is limited.
        metric: Metric,
        /// The limit, in the metric's unit.
        limit: f64,
    },
    /// Worse by more than noise.
    Worse {
        /// By how much.
        change: Change,
    },
    /// Below the relevance threshold.
    BelowRelevance {
        /// The change.
        change: Change,
        /// The study's threshold, percent.
        relevance_pct: f64,
    },
    /// Not beyond noise.
    WithinNoise {
        /// The change.
        change: Change,
    },
    /// A gain on a profile that does not decide, and nothing decides.
    NotOnPrimary {
        /// The change.
        change: Change,
    },
    /// A gain, but the recommended variant is as good with fewer arguments.
    FewerArguments {
        /// The change.
        change: Change,
        /// The recommended variant.
        by: VariantId,
    },
    /// What it is compared with failed too many requests.
    BaseFailed,
    /// A gain, but another variant gains more.
    Surpassed {
        /// The change.
        change: Change,
        /// The recommended variant.
        by: VariantId,
    },
    /// The load set the figure.
    LoadLimited,
    /// Measured on other hardware than what it is compared with.
    HardwareDiffers,
    /// The figure that decides was not measured.
    NotMeasured,
}

/// What a step is decided on.
pub struct StepFacts<'a> {
    /// The step's best eligible variant.
    pub best: Option<&'a Figures>,
    /// The step's best figure, failures not considered.
    pub shown: Option<&'a Figures>,
    /// The change of `shown` against the row's base.
    pub change: Option<Change>,
    /// The change of the best variant that is not the baseline.
    pub runner_up: Option<(VariantId, Change)>,
    /// What the study recommends.
    pub recommended: Option<&'a VariantId>,
    /// Whether what the step is compared with failed too many requests.
    pub base_failed: bool,
    /// Whether what the step is compared with ran on other hardware.
    pub hardware_differs: bool,
    /// Why a constraint rules out `shown`, where it does.
    pub barred: Option<WhyNot>,
}

/// Decides a step.
pub fn decide(data: &StudyData, measured: &Measured, facts: &StepFacts<'_>) -> (Decision, Reason) {
    let study = &data.study;
    let Some(shown) = facts.shown else { return (Decision::NotComparable, Reason::NotMeasured) };
    let Some(best) = facts.best else { return ruled_out(data, shown, facts.barred.clone()) };
    let Some(change) = facts.change else { return (Decision::NotComparable, Reason::NotMeasured) };
    if best.variant == study.baseline {
        let (runner_up, change) = facts.runner_up.clone().unzip();
        return (Decision::Baseline, Reason::BaselineWins { runner_up, change });
    }
    let recommended = facts.recommended.and_then(|id| study.variant(id));
    if recommended.is_some_and(|recommended| recommended.id == best.variant) {
        return (Decision::Adopted, Reason::Recommended { change });
    }
    match change.verdict {
        Verdict::NotComparable if facts.base_failed => (Decision::NotComparable, Reason::BaseFailed),
        Verdict::NotComparable if facts.hardware_differs => (Decision::NotComparable, Reason::HardwareDiffers),
        Verdict::NotComparable => (Decision::NotComparable, Reason::LoadLimited),
        Verdict::Unknown => (Decision::NotComparable, Reason::NotMeasured),
        Verdict::Better if contained(data, &best.variant, recommended) => {
            (Decision::Adopted, Reason::PartOfRecommended { change })
        }
        Verdict::Better => match recommended {
            None => (Decision::NoRelevantGain, Reason::NotOnPrimary { change }),
            Some(by) if surpassed(data, measured, best, &by.id) => {
                (Decision::Rejected, Reason::Surpassed { change, by: by.id.clone() })
            }
            Some(by) => (Decision::NoRelevantGain, Reason::FewerArguments { change, by: by.id.clone() }),
        },
        Verdict::Worse => (Decision::Rejected, Reason::Worse { change }),
        Verdict::Neutral => {
            (Decision::NoRelevantGain, Reason::BelowRelevance { change, relevance_pct: study.relevance_pct })
        }
        Verdict::WithinNoise => (Decision::NoRelevantGain, Reason::WithinNoise { change }),
    }
}

/// A step of which no variant may win.
fn ruled_out(data: &StudyData, shown: &Figures, barred: Option<WhyNot>) -> (Decision, Reason) {
    match barred {
        Some(WhyNot::MissesSlo { profile, metric, limit, value }) => {
            (Decision::Rejected, Reason::MissesSlo { profile, metric, limit, value })
        }
        Some(WhyNot::SloNotMeasured { profile, metric, limit }) => {
            (Decision::NotComparable, Reason::SloNotMeasured { profile, metric, limit })
        }
        Some(WhyNot::TooManyFailures { success_pct, minimum_pct, .. }) => {
            (Decision::Rejected, Reason::TooManyFailures { success_pct, minimum_pct })
        }
        Some(
            WhyNot::NotMeasured { .. }
            | WhyNot::OtherDefinition { .. }
            | WhyNot::Worse { .. }
            | WhyNot::LoadLimited
            | WhyNot::HardwareDiffers
            | WhyNot::Surpassed { .. }
            | WhyNot::FewerArguments { .. },
        )
        | None => match shown.recomputed.success_rate_pct {
            Some(success_pct) => {
                (Decision::Rejected, Reason::TooManyFailures { success_pct, minimum_pct: data.study.min_success_pct })
            }
            None => (Decision::NotComparable, Reason::NotMeasured),
        },
    }
}

/// Whether another variant has the better figure on the primary profile.
fn surpassed(data: &StudyData, measured: &Measured, best: &Figures, by: &VariantId) -> bool {
    let study = &data.study;
    let goal = study.objective.goal;
    let on_primary =
        |id: &VariantId| goal.of(study, &study.primary_profile, measured.get(id, &study.primary_profile)?, study.basis);
    let (Some(ours), Some(theirs)) = (on_primary(&best.variant), on_primary(by)) else { return true };
    best_first(goal.direction(), theirs, ours).is_lt()
}

/// Whether everything in which `variant` differs from the baseline is also in `recommended`.
fn contained(data: &StudyData, variant: &VariantId, recommended: Option<&Variant>) -> bool {
    let study = &data.study;
    let of = || {
        let (variant, baseline, recommended) = (study.variant(variant)?, study.variant(&study.baseline)?, recommended?);
        let kept = |changed: bool, same: bool| !changed || same;
        let engine = |v: &Variant| (v.engine.clone(), v.engine_version.clone());
        let settings = |variant: &Variant| Settings::of(&variant.engine, &variant.args);
        let (ours, base, theirs) = (settings(variant), settings(baseline), settings(recommended));
        let flags_kept =
            ours.iter().all(|(flag, value)| base.get(flag) == Some(value) || theirs.get(flag) == Some(value));
        let env_kept = variant
            .env
            .iter()
            .all(|(key, value)| baseline.env.get(key) == Some(value) || recommended.env.get(key) == Some(value));
        let dropped_kept = base.iter().all(|(flag, _)| ours.get(flag).is_some() || theirs.get(flag).is_none());
        Some(
            kept(engine(variant) != engine(baseline), engine(variant) == engine(recommended))
                && kept(variant.model != baseline.model, variant.model == recommended.model)
                && flags_kept
                && dropped_kept
                && env_kept,
        )
    };
    of().unwrap_or(false)
}

/// The step before, for option rows that chain.
pub fn previous<'a>(data: &'a StudyData, step: &StepId) -> Option<&'a Step> {
    let at = data.study.steps.iter().position(|known| &known.id == step)?;
    data.study.steps[..at].last()
}
