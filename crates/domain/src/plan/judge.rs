//! Whether something that was tried is kept: by the ranking of the report, among what was tried and what it was tried on.

use serde::{Deserialize, Serialize};

use super::rounds::{Board, GivenUp};
use crate::advise::{Measured, Ranked, WhyNot, advise_on, estimates};
use crate::change::{Change, Verdict};
use crate::id::VariantId;
use crate::job::FailureClass;
use crate::study::{Study, StudyData};

/// What became of a variant that was tried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "id", rename_all = "kebab-case")]
pub enum Outcome {
    /// Better, and kept.
    Adopted {
        /// Against what it was tried on; none where that one cannot win or was not measured.
        change: Option<Change>,
    },
    /// Better, but another value of the same knob is kept.
    Surpassed {
        /// Against what it was tried on.
        change: Change,
        /// The one that is kept.
        by: VariantId,
    },
    /// Worse, too small to matter, not beyond noise, or not comparable: the change's verdict says which.
    NoGain {
        /// Against what it was tried on.
        change: Change,
    },
    /// A constraint of the study rules it out.
    RuledOut {
        /// Which.
        why: WhyNot,
    },
    /// No job of it came to an end.
    Failed {
        /// Why.
        class: FailureClass,
    },
    /// Its jobs were cancelled.
    Cancelled,
    /// The figure that decides is not there.
    NotMeasured,
}

pub(super) struct Judged {
    pub adopted: Option<VariantId>,
    /// In the order of the candidates.
    pub outcomes: Vec<Outcome>,
}

/// Judges candidates against the variant that they were tried on.
pub(super) fn judge(board: &Board<'_>, base: &VariantId, candidates: &[VariantId]) -> Judged {
    let data = among(&board.data, base, candidates);
    let advice = advise_on(&data, &Measured::of(&data), &estimates(&board.data));
    let stands = |id: &VariantId| advice.of(id).is_some_and(|ranked| ranked.place.is_some());
    let better = |ranked: &&Ranked| ranked.place.is_some() && verdict(ranked) == Some(Verdict::Better);
    let recommended = advice.recommended.as_ref().filter(|id| *id != base);
    let adopted = match stands(base) {
        // Whatever can win is better than what cannot.
        false => recommended.cloned(),
        true => {
            let first = recommended.and_then(|id| advice.of(id)).filter(better);
            first.or_else(|| advice.ranking.iter().find(better)).map(|ranked| ranked.variant.clone())
        }
    };
    let outcome = |id: &VariantId| {
        let ranked = advice.of(id);
        let change = ranked.and_then(|ranked| ranked.change);
        if adopted.as_ref() == Some(id) {
            return Outcome::Adopted { change };
        }
        if ranked.is_none_or(|ranked| ranked.value.is_none())
            && let Some(given_up) = board.given_up(id)
        {
            return match given_up {
                GivenUp::Failed(class) => Outcome::Failed { class },
                GivenUp::Cancelled => Outcome::Cancelled,
            };
        }
        if let Some(why) = ranked.and_then(|ranked| ranked.why_not.clone()).filter(WhyNot::rules_out) {
            return Outcome::RuledOut { why };
        }
        match (change, &adopted) {
            (Some(change), Some(by)) if change.verdict == Verdict::Better => {
                Outcome::Surpassed { change, by: by.clone() }
            }
            (Some(change), _) if change.verdict != Verdict::Unknown => Outcome::NoGain { change },
            (Some(_) | None, _) => Outcome::NotMeasured,
        }
    };
    let outcomes = candidates.iter().map(outcome).collect();
    Judged { adopted, outcomes }
}

/// Variants by the objective, the best first; those without a figure last.
pub(super) fn ranked(board: &Board<'_>, base: &VariantId, candidates: &[VariantId]) -> Vec<VariantId> {
    let data = among(&board.data, base, candidates);
    let advice = advise_on(&data, &Measured::of(&data), &estimates(&board.data));
    let order = advice.ranking.into_iter().map(|ranked| ranked.variant);
    order.filter(|id| candidates.contains(id)).collect()
}

fn verdict(ranked: &Ranked) -> Option<Verdict> {
    ranked.change.map(|change| change.verdict)
}

/// The study of these variants alone, with `base` as its baseline.
fn among(data: &StudyData, base: &VariantId, candidates: &[VariantId]) -> StudyData {
    let in_it = |id: &VariantId| id == base || candidates.contains(id);
    let study = Study {
        baseline: base.clone(),
        variants: data.study.variants.iter().filter(|variant| in_it(&variant.id)).cloned().collect(),
        ..data.study.clone()
    };
    StudyData { study, runs: data.runs.iter().filter(|run| in_it(&run.variant)).cloned().collect() }
}
