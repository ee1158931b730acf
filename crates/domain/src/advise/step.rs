//! What became of a step, and why.

use serde::{Deserialize, Serialize};

use super::{Incomparable, WhyNot};
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

/// Why a decision was taken, with its numbers. Changes are against the baseline of the option row, under the step's profile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "id", rename_all = "kebab-case")]
pub enum Reason {
    /// Nothing in the step that may win beats the baseline.
    BaselineWins {
        /// The best other variant; none where no other can be compared.
        runner_up: Option<VariantId>,
        /// Its change against the baseline.
        change: Option<Change>,
        /// The best of those that a constraint rules out, where it has the better figure or is all there is.
        barred: Option<Barred>,
    },
    /// The recommended variant is one of the step's.
    Recommended {
        /// What it gained; none where the other side was not measured.
        change: Option<Change>,
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
        /// Where both are compared, where that is not this step's profile alone.
        elsewhere: Option<Elsewhere>,
    },
    /// What it is compared with failed too many requests.
    BaseFailed,
    /// A gain, but another variant gains more.
    Surpassed {
        /// The change.
        change: Change,
        /// The recommended variant.
        by: VariantId,
        /// Where it gains more, where that is not this step's profile alone.
        elsewhere: Option<Elsewhere>,
    },
    /// A gain here, but a loss against the baseline by what decides.
    WorseWhereItCounts {
        /// The change here.
        change: Change,
        /// The change of the objective against the baseline.
        there: Change,
        /// Where.
        elsewhere: Elsewhere,
    },
    /// A gain here, but what decides cannot be compared.
    UnknownWhereItCounts {
        /// The change here.
        change: Change,
        /// Why not.
        why: WhyNot,
    },
    /// The load set the figure.
    LoadLimited,
    /// Measured on other hardware than what it is compared with.
    HardwareDiffers,
    /// Measured with prompts of another length than what it is compared with.
    WorkloadDiffers,
    /// The figure that decides was not measured.
    NotMeasured {
        /// The first profile where it is missing.
        profile: ProfileId,
    },
}

/// A variant of a step that a constraint rules out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Barred {
    /// The variant.
    pub variant: VariantId,
    /// The constraint.
    pub why: WhyNot,
}

/// What decides, where that is not a step's own profile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Elsewhere {
    /// The primary profile.
    Profile(ProfileId),
    /// The profiles that are weighted together.
    Weighted,
}

/// What a step is decided on.
pub struct StepFacts<'a> {
    /// The step's profile.
    pub profile: &'a ProfileId,
    /// The variant that stands for the step: the recommended one, else the best that nothing rules out.
    pub best: Option<&'a Figures>,
    /// Why `best` is not recommended.
    pub why_not: Option<WhyNot>,
    /// The step's best figure, failures not considered.
    pub shown: Option<&'a Figures>,
    /// The change of `best`, else of `shown`, against the row's base.
    pub change: Option<Change>,
    /// Why that change cannot be compared.
    pub apart: Option<Incomparable>,
    /// The change of the best variant that is not the baseline and compares with it.
    pub runner_up: Option<(VariantId, Change)>,
    /// Why the best variant that is not the baseline does not compare with it.
    pub runner_up_apart: Option<Incomparable>,
    /// What the study recommends.
    pub recommended: Option<&'a VariantId>,
    /// The constraint that rules out the best of those that one rules out.
    pub barred: Option<Barred>,
}

/// Decides a step.
pub fn decide(data: &StudyData, facts: &StepFacts<'_>) -> (Decision, Reason) {
    let study = &data.study;
    let not_measured = || (Decision::NotComparable, Reason::NotMeasured { profile: facts.profile.clone() });
    let Some(shown) = facts.shown else { return not_measured() };
    let Some(best) = facts.best else { return ruled_out(data, facts, shown) };
    if best.variant == study.baseline {
        return baseline_wins(facts, shown);
    }
    let recommended = facts.recommended.and_then(|id| study.variant(id));
    if recommended.is_some_and(|recommended| recommended.id == best.variant) {
        return (Decision::Adopted, Reason::Recommended { change: facts.change });
    }
    let Some(change) = facts.change else { return not_measured() };
    match change.verdict {
        Verdict::NotComparable => (Decision::NotComparable, not_comparable(facts.apart)),
        Verdict::Unknown => not_measured(),
        Verdict::Better if contained(data, &best.variant, recommended) => {
            (Decision::Adopted, Reason::PartOfRecommended { change })
        }
        Verdict::Better => match recommended {
            None => (Decision::NoRelevantGain, Reason::NotOnPrimary { change }),
            Some(by) => not_chosen(data, facts, change, &by.id),
        },
        Verdict::Worse => (Decision::Rejected, Reason::Worse { change }),
        Verdict::Neutral => {
            (Decision::NoRelevantGain, Reason::BelowRelevance { change, relevance_pct: study.relevance_pct })
        }
        Verdict::WithinNoise => (Decision::NoRelevantGain, Reason::WithinNoise { change }),
    }
}

fn not_comparable(apart: Option<Incomparable>) -> Reason {
    match apart {
        Some(Incomparable::Failures) => Reason::BaseFailed,
        Some(Incomparable::Workload) => Reason::WorkloadDiffers,
        Some(Incomparable::Hardware) => Reason::HardwareDiffers,
        Some(Incomparable::Load) | None => Reason::LoadLimited,
    }
}

/// The baseline stands for its step: because nothing beats it, or because nothing that may win compares with it.
fn baseline_wins(facts: &StepFacts<'_>, shown: &Figures) -> (Decision, Reason) {
    if let (None, Some(apart)) = (&facts.runner_up, facts.runner_up_apart) {
        return (Decision::NotComparable, not_comparable(Some(apart)));
    }
    let (runner_up, change) = facts.runner_up.clone().unzip();
    let told = |barred: &Barred| runner_up.is_none() || barred.variant == shown.variant;
    let barred = facts.barred.clone().filter(told);
    (Decision::Baseline, Reason::BaselineWins { runner_up, change, barred })
}

/// A gain under the step's profile of a variant that is not recommended: the ranking says why.
fn not_chosen(data: &StudyData, facts: &StepFacts<'_>, change: Change, by: &VariantId) -> (Decision, Reason) {
    let study = &data.study;
    let elsewhere = match study.objective.is_weighted() {
        true => Some(Elsewhere::Weighted),
        false => {
            Some(Elsewhere::Profile(study.primary_profile.clone())).filter(|_| study.primary_profile != *facts.profile)
        }
    };
    let by = by.clone();
    match facts.why_not.clone() {
        Some(WhyNot::FewerArguments { .. }) => {
            (Decision::NoRelevantGain, Reason::FewerArguments { change, by, elsewhere })
        }
        Some(WhyNot::NotMeasured { profile }) => (Decision::NotComparable, Reason::NotMeasured { profile }),
        Some(WhyNot::Worse { change: there }) => {
            let elsewhere = elsewhere.unwrap_or_else(|| Elsewhere::Profile(study.primary_profile.clone()));
            (Decision::Rejected, Reason::WorseWhereItCounts { change, there, elsewhere })
        }
        Some(
            why @ (WhyNot::OtherDefinition { .. }
            | WhyNot::LoadLimited
            | WhyNot::HardwareDiffers
            | WhyNot::WorkloadDiffers
            | WhyNot::TooManyFailures { .. }
            | WhyNot::MissesSlo { .. }
            | WhyNot::SloNotMeasured { .. }),
        ) => (Decision::NotComparable, Reason::UnknownWhereItCounts { change, why }),
        Some(WhyNot::Surpassed { .. }) | None => (Decision::Rejected, Reason::Surpassed { change, by, elsewhere }),
    }
}

/// A step of which no variant may win.
fn ruled_out(data: &StudyData, facts: &StepFacts<'_>, shown: &Figures) -> (Decision, Reason) {
    match facts.barred.clone().map(|barred| barred.why) {
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
            | WhyNot::WorkloadDiffers
            | WhyNot::Surpassed { .. }
            | WhyNot::FewerArguments { .. },
        )
        | None => match shown.recomputed.success_rate_pct {
            Some(success_pct) => {
                (Decision::Rejected, Reason::TooManyFailures { success_pct, minimum_pct: data.study.min_success_pct })
            }
            None => (Decision::NotComparable, Reason::NotMeasured { profile: facts.profile.clone() }),
        },
    }
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
