//! What to recommend, and why: the objective over eligible variants, fewest arguments among equals, and a decision with
//! its reason for every step.

use serde::{Deserialize, Serialize};

use crate::aggregate::{Figures, figures};
use crate::change::{Change, Verdict, Yardstick, change_pct};
use crate::check::load_limited;
use crate::command::diff::Settings;
use crate::command::flags;
use crate::id::{StepId, VariantId};
use crate::metric::Direction;
use crate::noise::{NoiseEstimate, band, equivalents};
use crate::study::{StudyData, Variant};

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
    /// Slower by more than noise.
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
    /// The figure that decides was not measured.
    NotMeasured,
}

/// What the study recommends.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// The variant; none where nothing is eligible.
    pub recommended: Option<VariantId>,
    /// The variant with the best figure, where it is not the recommended one.
    pub highest: Option<Highest>,
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
    /// Another variant is as good for the reader with fewer arguments.
    FewerArguments,
}

struct Candidate<'a> {
    variant: &'a Variant,
    value: f64,
    other_value: Option<f64>,
    eligible: bool,
    beats: bool,
}

impl Candidate<'_> {
    fn may_win(&self) -> bool {
        self.eligible && self.beats
    }
}

/// Whether a candidate may displace the baseline: the recomputed figure does not say that it is worse, and the load does
/// not set a throughput on both sides.
fn may_win(data: &StudyData, baseline: &Figures, candidate: &Figures) -> bool {
    let study = &data.study;
    let noise = equivalents(data, &study.primary_profile);
    let change = metric_change(data, study.objective, baseline, candidate, noise.as_ref(), true);
    let throughput = study.objective.direction() == Direction::HigherIsBetter;
    let rate = study.profile(&study.primary_profile).and_then(|profile| profile.request_rate);
    let load_limited = throughput && load_limited(rate, baseline, candidate).is_some();
    change.verdict != Verdict::Worse && !load_limited
}

/// Ranks the variants on the primary profile by the study's objective and basis.
pub fn advise(data: &StudyData) -> Advice {
    let study = &data.study;
    let direction = study.objective.direction();
    let baseline =
        figures(data, &study.baseline, &study.primary_profile).filter(|base| eligible(base, study.min_success_pct));
    let mut candidates: Vec<Candidate<'_>> = study
        .variants
        .iter()
        .filter_map(|variant| {
            let figures = figures(data, &variant.id, &study.primary_profile)?;
            let value = figures.on(study.basis, study.objective)?;
            let eligible = eligible(&figures, study.min_success_pct);
            // What we do not believe to be a gain, or what the load made of it, cannot displace the baseline.
            let beats =
                baseline.as_ref().is_none_or(|base| base.variant == variant.id || may_win(data, base, &figures));
            let other_value = figures.beside(study.basis, study.objective);
            Some(Candidate { variant, value, other_value, eligible, beats })
        })
        .collect();
    // Stable: of equal figures the variant described first stays first.
    candidates.sort_by(|a, b| best_first(direction, a.value, b.value));
    let Some(best) = candidates.iter().find(|candidate| candidate.may_win()) else {
        let highest = candidates.first().map(|candidate| highest(candidate, None));
        return Advice { recommended: None, highest };
    };
    let within = |candidate: &&Candidate<'_>| {
        let gap = change_pct(Some(best.value), Some(candidate.value));
        candidate.may_win() && gap.is_some_and(|gap| gap.abs() <= study.relevance_pct)
    };
    let arguments = |variant: &Variant| flags(&variant.args).len() + variant.env.len();
    let recommended = candidates.iter().filter(within).min_by_key(|c| arguments(c.variant)).unwrap_or(best);
    // The best figure that is not recommended although it was not ruled out, or that failed.
    let first = candidates.iter().find(|candidate| candidate.beats || !candidate.eligible);
    let first = first.filter(|first| first.variant.id != recommended.variant.id);
    Advice {
        recommended: Some(recommended.variant.id.clone()),
        highest: first.map(|first| highest(first, Some(recommended.value))),
    }
}

/// Whether a variant may win: enough of its requests succeeded. An unknown success rate is no failure.
pub fn eligible(figures: &Figures, min_success_pct: f64) -> bool {
    figures.recomputed.success_rate_pct.is_none_or(|pct| pct >= min_success_pct)
}

/// Order in which the better figure comes first.
pub fn best_first(direction: Direction, a: f64, b: f64) -> std::cmp::Ordering {
    match direction {
        Direction::HigherIsBetter => b.total_cmp(&a),
        Direction::LowerIsBetter => a.total_cmp(&b),
    }
}

fn highest(candidate: &Candidate<'_>, recommended: Option<f64>) -> Highest {
    Highest {
        variant: candidate.variant.id.clone(),
        value: candidate.value,
        other_value: candidate.other_value,
        above_recommended_pct: change_pct(recommended, Some(candidate.value)),
        why: if candidate.eligible { NotRecommended::FewerArguments } else { NotRecommended::Disqualified },
    }
}

/// The change of the objective from one variant to another under a profile.
pub fn objective_change(
    data: &StudyData,
    base: &Figures,
    candidate: &Figures,
    noise: Option<&NoiseEstimate>,
    comparable: bool,
) -> Change {
    metric_change(data, data.study.objective, base, candidate, noise, comparable)
}

/// The change of any figure from one variant to another.
pub fn metric_change(
    data: &StudyData,
    metric: crate::metric::Metric,
    base: &Figures,
    candidate: &Figures,
    noise: Option<&NoiseEstimate>,
    comparable: bool,
) -> Change {
    let by =
        Yardstick { relevance_pct: data.study.relevance_pct, noise: band(metric, base, candidate, noise), comparable };
    let reported = change_pct(metric.of(&base.metrics), metric.of(&candidate.metrics));
    let recomputed = change_pct(base.recomputed.get(metric), candidate.recomputed.get(metric));
    Change::judge(metric, reported, recomputed, &by)
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
}

/// Decides a step.
pub fn decide(data: &StudyData, facts: &StepFacts<'_>) -> (Decision, Reason) {
    let study = &data.study;
    let (Some(shown), Some(change)) = (facts.shown, facts.change) else {
        return (Decision::NotComparable, Reason::NotMeasured);
    };
    let Some(best) = facts.best else {
        let success_pct = shown.recomputed.success_rate_pct.unwrap_or_default();
        return (Decision::Rejected, Reason::TooManyFailures { success_pct, minimum_pct: study.min_success_pct });
    };
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
        Verdict::NotComparable => (Decision::NotComparable, Reason::LoadLimited),
        Verdict::Unknown => (Decision::NotComparable, Reason::NotMeasured),
        Verdict::Better if contained(data, &best.variant, recommended) => {
            (Decision::Adopted, Reason::PartOfRecommended { change })
        }
        Verdict::Better => match recommended {
            None => (Decision::NoRelevantGain, Reason::NotOnPrimary { change }),
            Some(by) if surpassed(data, best, &by.id) => {
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

/// Whether another variant has the better figure on the primary profile.
fn surpassed(data: &StudyData, best: &Figures, by: &VariantId) -> bool {
    let study = &data.study;
    let on_primary = |id: &VariantId| figures(data, id, &study.primary_profile)?.on(study.basis, study.objective);
    let (Some(ours), Some(theirs)) = (on_primary(&best.variant), on_primary(by)) else { return true };
    best_first(study.objective.direction(), theirs, ours).is_lt()
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
pub fn previous<'a>(data: &'a StudyData, step: &StepId) -> Option<&'a crate::study::Step> {
    let at = data.study.steps.iter().position(|known| &known.id == step)?;
    data.study.steps[..at].last()
}
