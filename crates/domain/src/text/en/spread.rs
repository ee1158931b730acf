//! Repeats: how often something was measured, and how far it scatters at each level.

use super::list;
use crate::aggregate::Figures;
use crate::change::Repeats;
use crate::id::ProfileId;
use crate::stats::Spread;
use crate::text::facts::{Facts, Sides, Unrepeated};
use crate::text::number::{grouped, pct};
use crate::text::rich::strong;

/// `ShareGPT, baseline: 3 starts, total TPS 33,089.00 tok/s on average, standard deviation 2.65% …`
pub(super) fn spread(facts: &Facts<'_>, profile: &ProfileId, figures: &Figures, spread: &Spread) -> String {
    let (starts, recorded) = (&spread.starts, figures.repeats().starts.is_some());
    let runs: Vec<String> = spread.runs.iter().map(|level| level.n.to_string()).collect();
    let mean = grouped(starts.mean, 2);
    let of = format!("{}, {}: ", facts.profile(profile), facts.variant(&figures.variant));
    let between = match (starts.pct(starts.sd), starts.pct(starts.half_width)) {
        (Some(sd), Some(half)) => format!(
            "{} server starts with {} runs, total TPS {mean} tok/s on average; the starts have a standard deviation of {}, and the 95% interval of their mean is {}.",
            starts.n,
            runs.join(" + "),
            pct(sd, 2),
            strong(format!("±{}", pct(half, 2)))
        ),
        _ if !recorded => format!("{} runs, total TPS {mean} tok/s on average.", runs.join(" + ")),
        _ => format!("one server start with {} runs, total TPS {mean} tok/s on average.", runs.join(" + ")),
    };
    let within = starts.pct(spread.within_sd);
    let of_runs = if recorded { "Within a start the" } else { "Their" };
    of + &between + &within.map_or_else(String::new, |sd| format!(" {of_runs} standard deviation is {}.", pct(sd, 2)))
}

/// `measured once`, `3 runs in one server start`
pub(super) fn repeats(of: Repeats) -> String {
    match (of.starts, of.runs) {
        (_, ..2) => "measured once".to_owned(),
        (Some(..2), runs) => format!("{runs} runs in one server start"),
        (Some(starts), runs) => format!("{runs} runs in {starts} server starts"),
        (None, runs) => format!("{runs} runs in unrecorded server starts"),
    }
}

/// How often, and what that does not tell.
pub(super) fn unproven(of: Repeats) -> String {
    match (of.restarted(), of.runs) {
        (false, 2..) => format!("{}: noise across restarts unknown", repeats(of)),
        (_, _) => format!("{}: noise unknown", repeats(of)),
    }
}

/// What was measured in one server start.
pub(super) fn unrepeated(facts: &Facts<'_>, of: &Unrepeated<'_>) -> String {
    let profiles: Vec<String> = of.profiles.iter().map(|id| facts.profile(id)).collect();
    let on = if profiles.is_empty() { String::new() } else { format!(" on {}", list(&profiles)) };
    let (who, whose) = match of.sides {
        Sides::Both => ("Both sides were", "each side"),
        Sides::Baseline => ("The baseline was", "the baseline"),
        Sides::Recommended => ("The recommended variant was", "the recommended variant"),
    };
    match (of.repeats.runs, of.repeats.starts) {
        (..2, _) => format!("{who} measured once{on}, so the noise across server starts is unknown."),
        (n, None) => format!(
            "The {n} runs of {whose}{on} do not say which server start they belong to, so the noise across server starts is unknown."
        ),
        (n, Some(_)) => format!(
            "The {n} runs of {whose}{on} lie within one server start, so the noise across server starts is unknown."
        ),
    }
}

/// A comparison that alone says nothing about noise.
pub(super) fn single_run(baseline: Repeats, candidate: Repeats) -> String {
    let was = |of: Repeats, [once, often]: [&str; 2]| match of.runs {
        ..2 => format!("{once} {}", repeats(of)),
        _ => format!("{often} {}", repeats(of)),
    };
    let one = ["was", "has"];
    let who = match baseline == candidate {
        true => format!("Both sides {}.", was(baseline, ["were", "have"])),
        false => format!("The baseline {}, the other side {}.", was(baseline, one), was(candidate, one)),
    };
    match baseline.runs.min(candidate.runs) {
        ..2 => format!("{who} This comparison alone does not tell the noise."),
        _ => format!("{who} This comparison alone does not tell the noise across server starts."),
    }
}
