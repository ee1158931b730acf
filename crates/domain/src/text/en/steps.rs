//! Steps: best against worst, and why each was decided as it was.

use super::in_sentence;
use super::ranking::{goal, misses, outcome};
use crate::advise::{Barred, Elsewhere, Goal, Reason};
use crate::change::{Change, Verdict};
use crate::report::{StepReport, Summary, TpotDirection};
use crate::study::Basis;
use crate::text::facts::Facts;
use crate::text::number::{grouped, pct, pct_below, signed, threshold};
use crate::text::rich::strong;

pub(in crate::text) fn summary(facts: &Facts<'_>, step: &StepReport, summary: &Summary) -> Option<String> {
    let (best, worst) = step.best.as_ref().zip(step.worst.as_ref())?;
    let names = [best, worst];
    let other = summary.other_tps.map_or_else(String::new, |(difference, percent)| {
        let basis = crate::text::basis(facts.lang, facts.report.basis.other());
        format!(" ({basis} {} tok/s, {})", signed(difference, 2), facts.pct(percent))
    });
    let mut text = format!(
        "{} delivers {} tok/s ({}) more total TPS than {}{}",
        facts.variant_among(best, &names),
        strong(grouped(summary.tps_difference, 2)),
        strong(facts.unsigned(summary.tps_pct)),
        facts.variant_among(worst, &names),
        other
    );
    if let (Some(difference), Some(percent), Some(direction)) =
        (summary.tpot_difference_ms, summary.tpot_pct, summary.tpot_direction)
    {
        let way = match direction {
            TpotDirection::Reduction => "shorter",
            TpotDirection::Increase => "longer",
        };
        let which = if facts.report.basis == Basis::Reported { "reported mean TPOT" } else { "mean TPOT" };
        text += &format!(
            ", and a {which} {} ms ({}) {way}",
            strong(grouped(difference, 2)),
            strong(facts.unsigned(percent))
        );
    }
    text.push('.');
    if let Some((best_ms, worst_ms)) = summary.tpot_recomputed_ms {
        let reverses = summary.tpot_reverses();
        text += &format!(
            " From the latencies, TPOT is {} ms against {} ms{}.",
            strong(grouped(best_ms, 2)),
            strong(grouped(worst_ms, 2)),
            if reverses { ": the order reverses" } else { "" }
        );
    }
    Some(text)
}

pub(in crate::text) fn reason(facts: &Facts<'_>, reason: &Reason) -> String {
    let change = |change: &Change| match (facts.both(change), facts.change(change)) {
        (Some((reported, recomputed)), _) if reported != recomputed => {
            format!("{} (reported {reported})", strong(recomputed))
        }
        (Some((_, recomputed)), _) => strong(recomputed),
        (None, Some(pct)) => strong(pct),
        (None, None) => "unknown".to_owned(),
    };
    let band = |change: &Change| change.band().map_or_else(String::new, |band| format!(" of ±{}", pct(band, 2)));
    // Beside figures of total TPS, a change of another figure has to say of which.
    let named = |by: &Change| match facts.other_goal() {
        Some(of) => format!("{} {}", goal(of), change(by)),
        None => change(by),
    };
    let place = |elsewhere: Option<&Elsewhere>| match elsewhere {
        None => String::new(),
        Some(Elsewhere::Profile(profile)) => format!(" on {}", facts.profile(profile)),
        Some(Elsewhere::Weighted) => format!(" over the {} weighted profiles", facts.report.objective.weights.len()),
    };
    let ruled_out = |barred: &Option<Barred>| match barred {
        None => String::new(),
        Some(Barred { variant, why }) => {
            format!(" {} cannot be recommended. {}", facts.variant(variant), outcome(facts, Some(why)))
        }
    };
    match reason {
        Reason::BaselineWins { runner_up: Some(other), change: Some(by), barred } => format!(
            "Nothing in this step beats the baseline; next is {} with {}.{}",
            facts.variant(other),
            change(by),
            ruled_out(barred)
        ),
        Reason::BaselineWins { barred, .. } => {
            format!("Nothing in this step can be compared with the baseline.{}", ruled_out(barred))
        }
        Reason::Recommended { change: None } => "The recommended variant.".to_owned(),
        Reason::Recommended { change: Some(by) } => match by.verdict {
            Verdict::WithinNoise => {
                format!("The recommended variant: {}, though within the noise{}.", named(by), band(by))
            }
            Verdict::NotComparable | Verdict::Unknown => {
                "The recommended variant; what it gains here cannot be told.".to_owned()
            }
            Verdict::Worse => format!("The recommended variant, although worse here: {}.", named(by)),
            Verdict::Better | Verdict::Neutral => format!("The recommended variant: {}.", named(by)),
        },
        Reason::PartOfRecommended { change: by } => format!("Part of the recommended command: {}.", named(by)),
        Reason::TooManyFailures { success_pct, minimum_pct } => {
            format!(
                "Only {} of the requests succeeded; at least {} must.",
                strong(pct_below(*success_pct, *minimum_pct)),
                threshold(*minimum_pct)
            )
        }
        Reason::MissesSlo { profile, metric, limit, value } => {
            format!("Misses an SLO. {}", misses(facts, profile, *metric, *limit, *value))
        }
        Reason::SloNotMeasured { profile, metric, .. } => {
            format!("An SLO is open: {} on {} was not measured.", in_sentence(*metric), facts.profile(profile))
        }
        Reason::Worse { change: by } => match facts.report.objective.goal {
            Goal::Metric(_) => format!("Slower: {}.", change(by)),
            Goal::Cost(_) | Goal::TokensPerJoule => format!("Worse: {}.", change(by)),
        },
        Reason::BelowRelevance { change: by, relevance_pct } => {
            format!("{} is below the relevance threshold of {}.", change(by), threshold(*relevance_pct))
        }
        Reason::WithinNoise { change: by } => format!("{} is within the noise{}.", change(by), band(by)),
        Reason::Surpassed { change: by, by: other, elsewhere } => {
            format!("A gain of {}, but {} gains more{}.", change(by), facts.variant(other), place(elsewhere.as_ref()))
        }
        Reason::WorseWhereItCounts { change: by, there, elsewhere } => {
            format!("A gain of {}, but {}{}, where it counts.", change(by), change(there), place(Some(elsewhere)))
        }
        Reason::UnknownWhereItCounts { change: by, why } => {
            format!("A gain of {}, but not by what decides. {}", change(by), outcome(facts, Some(why)))
        }
        Reason::NotOnPrimary { change: by } => {
            format!("A gain of {}, but nothing was measured on the primary profile.", change(by))
        }
        Reason::FewerArguments { change: by, by: other, elsewhere } => format!(
            "A gain of {}, but {} is as good{} with fewer arguments.",
            change(by),
            facts.variant(other),
            place(elsewhere.as_ref())
        ),
        Reason::BaseFailed => "What it is compared with failed too many requests.".to_owned(),
        Reason::HardwareDiffers => {
            "Measured on other hardware than what it is compared with, so totals cannot be compared.".to_owned()
        }
        Reason::WorkloadDiffers => {
            "The prompts were of another length than those of what it is compared with, so nothing can be compared."
                .to_owned()
        }
        Reason::LoadLimited => "The load sets the throughput here, so it cannot be compared.".to_owned(),
        Reason::NotMeasured { profile } => {
            format!("The figure that decides was not measured on {}.", facts.profile(profile))
        }
    }
}
