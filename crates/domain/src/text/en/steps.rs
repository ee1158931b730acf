//! Steps: best against worst, and why each was decided as it was.

use std::cmp::Ordering;

use super::ranking::{goal, misses, outcome};
use super::{capital, in_sentence};
use crate::advise::{Barred, Elsewhere, Goal, Reason};
use crate::change::{Change, Verdict};
use crate::metric::Metric;
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
    let [best, worst] = names.map(|id| facts.variant_among(id, &names));
    let by = format!(
        "{} tok/s ({})",
        strong(grouped(summary.tps_difference.abs(), 2)),
        strong(facts.unsigned(summary.tps_pct))
    );
    // The best by another objective may serve fewer tokens.
    let mut text = match summary.tps_difference.total_cmp(&0.0) {
        Ordering::Greater => format!("{best} delivers {by} more total TPS than {worst}{other}"),
        Ordering::Less => format!("{best} delivers {by} less total TPS than {worst}{other}"),
        Ordering::Equal => format!("{best} delivers as much total TPS as {worst}{other}"),
    };
    if let (Some(difference), Some(percent), Some(direction)) =
        (summary.tpot_difference_ms, summary.tpot_pct, summary.tpot_direction)
    {
        let by = format!("{} ms ({})", strong(grouped(difference, 2)), strong(facts.unsigned(percent)));
        let which = if facts.report.basis == Basis::Reported { "reported mean TPOT" } else { "mean TPOT" };
        text += &match direction {
            TpotDirection::Reduction => format!(", and a {which} {by} shorter"),
            TpotDirection::Increase => format!(", and a {which} {by} longer"),
            TpotDirection::Equal => format!(", and the same {which}"),
        };
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
    let figure = |change: &Change| match (facts.both(change), facts.change(change)) {
        (Some((reported, recomputed)), _) if reported != recomputed => {
            format!("{} (reported {reported})", strong(recomputed))
        }
        (Some((_, recomputed)), _) => strong(recomputed),
        (None, Some(pct)) => strong(pct),
        (None, None) => "unknown".to_owned(),
    };
    // Beside a column of total TPS, another figure needs its name.
    let change = |change: &Change| match facts.report.objective.goal {
        Goal::Metric(Metric::TotalTps) => figure(change),
        of => format!("{} in {}", figure(change), goal(of)),
    };
    let band = |change: &Change| change.band().map_or_else(String::new, |band| format!(" of ±{}", pct(band, 2)));
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
                format!("The recommended variant: {}, though within the noise{}.", change(by), band(by))
            }
            Verdict::NotComparable | Verdict::Unknown => {
                "The recommended variant; what it gains here cannot be told.".to_owned()
            }
            Verdict::Worse => format!("The recommended variant, although worse here: {}.", change(by)),
            Verdict::Better | Verdict::Neutral => format!("The recommended variant: {}.", change(by)),
        },
        Reason::PartOfRecommended { change: by } => format!("Part of the recommended command: {}.", change(by)),
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
        Reason::Worse { change: by } => {
            let way = if by.pct().is_some_and(|pct| pct < 0.0) { "falls" } else { "rises" };
            format!("{} {way}: {}.", capital(&goal(facts.report.objective.goal)), figure(by))
        }
        Reason::BelowRelevance { change: by, relevance_pct } => {
            format!("A change of {}, below the relevance threshold of {}.", change(by), threshold(*relevance_pct))
        }
        Reason::WithinNoise { change: by } => format!("A change of {}, within the noise{}.", change(by), band(by)),
        Reason::Surpassed { change: by, by: other, elsewhere } => format!(
            "{}, an improvement, but {} is better still{}.",
            change(by),
            facts.variant(other),
            place(elsewhere.as_ref())
        ),
        Reason::WorseWhereItCounts { change: by, there, elsewhere } => {
            format!("{}, an improvement, but {}{}, where it counts.", change(by), figure(there), place(Some(elsewhere)))
        }
        Reason::UnknownWhereItCounts { change: by, why } => {
            format!("{}, an improvement, but not by what decides. {}", change(by), outcome(facts, Some(why)))
        }
        Reason::NotOnPrimary { change: by } => {
            format!("{}, an improvement, but nothing was measured on the primary profile.", change(by))
        }
        Reason::FewerArguments { change: by, by: other, elsewhere } => format!(
            "{}, an improvement, but {} is as good{} with fewer arguments.",
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
