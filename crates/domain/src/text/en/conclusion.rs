//! The conclusion card and its rows.

use super::ranking::{goal, misses};
use super::{capital, in_sentence, list, plural, spread};
use crate::advise::NotRecommended;
use crate::change::{Change, Repeats, Verdict};
use crate::id::ProfileId;
use crate::metric::{Direction, Metric};
use crate::noise::NoiseEstimate;
use crate::report::{Reservation, Standing};
use crate::text::facts::{Facts, RowNote, Worsening};
use crate::text::number::{count, grouped, pct, short, threshold, with_unit};
use crate::text::ranking::objective_value;
use crate::text::rich::{code, strong};

pub(in crate::text) fn headline(facts: &Facts<'_>) -> String {
    let report = facts.report;
    let primary = facts.profile(&report.primary_profile);
    match report.conclusion.standing {
        Standing::Nothing if facts.limits_rule_all_out() => {
            return "No variant can be recommended: none is known to keep every SLO.".to_owned();
        }
        Standing::Nothing => {
            return format!(
                "No variant can be recommended: none was measured on {primary} with enough successful requests."
            );
        }
        Standing::KeepBaseline => {
            if !facts.anything_compared() {
                return match report.objective.weights.len() {
                    0 => format!("Keep the baseline. No other variant could be compared with it on {primary}."),
                    n => format!(
                        "Keep the baseline. No other variant could be compared with it over the {n} weighted profiles."
                    ),
                };
            }
            let whatever = if report.has_limits() { "Nothing that keeps the SLOs" } else { "Nothing that was tried" };
            return match report.objective.weights.len() {
                0 => format!("Keep the baseline. {whatever} beats it on {primary}."),
                n => format!("Keep the baseline. {whatever} beats it over the {n} weighted profiles."),
            };
        }
        Standing::Recommended | Standing::WithReservations => {}
    }
    if let Some(change) = facts.overall() {
        return overall(facts, change);
    }
    let Some(row) = report.primary_row() else {
        return format!("The recommended variant and the baseline were not both measured on {primary}.");
    };
    let change = &row.objective_change;
    let what = goal(report.objective.goal);
    // Throughput rises where it improves, latency falls.
    let (up, down) = match report.objective.goal.direction() {
        Direction::HigherIsBetter => ("rises", "falls"),
        Direction::LowerIsBetter => ("falls", "rises"),
    };
    let by = |pct: f64| strong(facts.unsigned(pct));
    let first = match (change.verdict, change.pct()) {
        (_, None) | (Verdict::Unknown, _) => format!("On {primary} the change in {what} is unknown."),
        (Verdict::Better, Some(pct)) => {
            format!("{} {up} by {} on {primary}{}.", capital(&what), by(pct), unproven(change))
        }
        (Verdict::Worse, Some(pct)) => format!("{} {down} by {} on {primary}.", capital(&what), by(pct)),
        (Verdict::Neutral, Some(pct)) => format!("On {primary} {what} stays the same ({}).", strong(facts.pct(pct))),
        (Verdict::WithinNoise, Some(pct)) => {
            format!("On {primary} the {} in {what} cannot be told from noise.", strong(facts.pct(pct)))
        }
        (Verdict::NotComparable, Some(_)) if facts.workload_differs(row) => {
            format!("On {primary} {what} cannot be compared: the prompts were of different lengths.")
        }
        (Verdict::NotComparable, Some(_)) if facts.hardware_differs(row) => {
            format!("On {primary} {what} cannot be compared: the hardware differs.")
        }
        (Verdict::NotComparable, Some(_)) if !facts.load_limited(row) => {
            format!("On {primary} {what} cannot be compared: too many requests failed.")
        }
        (Verdict::NotComparable, Some(_)) => {
            format!("On {primary} the load sets the throughput, so a gain cannot be shown.")
        }
    };
    // Where the first sentence is about the load, "it" would be that.
    let named = change.verdict != Verdict::NotComparable;
    let gains = facts.others(Verdict::Better);
    let second = match (gains.as_slice(), facts.range(&gains)) {
        ([], _) | (_, None) => String::new(),
        ([one], Some((pct, _))) => {
            let it = if named { "It".to_owned() } else { capital(&what) };
            format!(" {it} {up} by {} on {}{}.", by(pct), facts.profile(&one.profile), unproven(&one.objective_change))
        }
        (many, Some((low, high))) => {
            let others = match facts.all_others(many) {
                true => format!("the other {} profiles", many.len()),
                false => format!("{} other profiles", many.len()),
            };
            let luck = bracketed(facts.unproven_among(many, change));
            format!(" On {others} {} {up} by {} to {}{luck}.", if named { "it" } else { &what }, by(low), by(high))
        }
    };
    let losses = facts.others(Verdict::Worse);
    let losses = losses
        .iter()
        .filter_map(|row| Some(format!("by {} on {}", by(row.objective_change.pct()?), facts.profile(&row.profile))));
    let losses: Vec<String> = losses.collect();
    let it = if named || !second.is_empty() { "It".to_owned() } else { capital(&what) };
    let third = if losses.is_empty() { String::new() } else { format!(" {it} {down} {}.", list(&losses)) };
    let worst = facts.worst_latency().map(|(id, metric, pct)| {
        format!(" But {} rises by {} on {}.", in_sentence(metric), by(pct), facts.profile(id))
    });
    let quality = if facts.precision_changed() { " Answer quality was not measured." } else { "" };
    first + &second + &third + &worst.unwrap_or_default() + quality
}

/// The headline where several profiles decide together.
fn overall(facts: &Facts<'_>, change: &Change) -> String {
    let objective = &facts.report.objective;
    let what = capital(&goal(objective.goal));
    let (up, down) = match objective.goal.direction() {
        Direction::HigherIsBetter => ("rises", "falls"),
        Direction::LowerIsBetter => ("falls", "rises"),
    };
    let over = format!("over {} weighted profiles", objective.weights.len());
    let first = match (change.verdict, change.pct()) {
        (_, None) | (Verdict::Unknown | Verdict::NotComparable, _) => format!("{what} {over} cannot be compared."),
        (Verdict::Better, Some(pct)) => {
            format!("{what} {up} by {} {over}{}.", strong(facts.unsigned(pct)), unproven(change))
        }
        (Verdict::Worse, Some(pct)) => format!("{what} {down} by {} {over}.", strong(facts.unsigned(pct))),
        (Verdict::Neutral, Some(pct)) => format!("{what} {over} stays the same ({}).", strong(facts.pct(pct))),
        (Verdict::WithinNoise, Some(pct)) => {
            format!("{what} {over}: the {} cannot be told from noise.", strong(facts.pct(pct)))
        }
    };
    let parts = facts.report.advised().into_iter().flat_map(|ranked| &ranked.parts);
    let parts: Vec<String> = parts
        .filter_map(|part| {
            Some(format!("{} on {}", strong(facts.change(&part.change?)?), facts.profile(&part.profile)))
        })
        .collect();
    if parts.is_empty() { first } else { format!("{first} It is {}.", list(&parts)) }
}

/// What a gain without repeats lacks.
fn unproven(change: &Change) -> String {
    bracketed(change.unproven())
}

fn bracketed(unproven: Option<Repeats>) -> String {
    unproven.map_or_else(String::new, |repeats| format!(" ({})", spread::unproven(repeats)))
}

pub(in crate::text) fn explanation(facts: &Facts<'_>) -> Vec<String> {
    let report = facts.report;
    let conclusion = &report.conclusion;
    let mut out = Vec::new();
    let Some(recommended) = &conclusion.recommended else { return out };
    if *recommended != conclusion.baseline {
        out.extend(difference(facts, recommended));
    }
    if let Some((profile, metric, limit, value)) = facts.baseline_misses() {
        out.push(format!("The baseline misses an SLO. {}", misses(facts, profile, metric, limit, value)));
    }
    for reservation in &conclusion.reservations {
        let Reservation::ReportedDiffers { profile } = reservation else { continue };
        let Some((reported, recomputed)) = facts.row(profile).and_then(|row| facts.both(&row.change)) else { continue };
        out.push(format!(
            "The tool reported {} for {}; its own token counts and duration give {}.",
            strong(reported),
            facts.profile(profile),
            strong(recomputed)
        ));
    }
    for (variant, profile, found) in facts.doubts() {
        out.push(format!(
            "The figures of {} on {} are in doubt. {}",
            facts.variant(variant),
            facts.profile(profile),
            found.iter().map(|of| facts.evidence(of)).collect::<Vec<_>>().join(" ")
        ));
    }
    if let Some(highest) = &conclusion.highest {
        let name = facts.variant(&highest.variant);
        let shown = |value: f64| objective_value(facts.lang, report, value);
        let other = highest.other_value.map_or_else(String::new, |other| format!(" ({})", facts.beside(other)));
        let value = shown(highest.value) + &other;
        out.push(match (highest.why, highest.above_recommended_pct) {
            (NotRecommended::Disqualified, _) => {
                format!("The best figure, {value}, belongs to {name}. It is disqualified: too many of its requests failed.")
            }
            (NotRecommended::MissesSlo, _) => {
                format!("The best figure, {value}, belongs to {name}. It misses an SLO of the study.")
            }
            (NotRecommended::SloNotMeasured, _) => {
                format!("The best figure, {value}, belongs to {name}. Whether it keeps every SLO was not measured.")
            }
            (NotRecommended::FewerArguments, Some(pct)) => format!(
                "The best figure, {value}, belongs to {name}. It is only {} away, below the relevance threshold of {}, so the command with fewer arguments is recommended.",
                strong(facts.unsigned(pct)),
                threshold(report.relevance_pct)
            ),
            (NotRecommended::FewerArguments, None) => format!("The best figure, {value}, belongs to {name}; the command with fewer arguments is recommended."),
        });
    }
    out.extend(disagreeing(facts));
    out
}

/// Other studies of the question that say something else.
fn disagreeing(facts: &Facts<'_>) -> Option<String> {
    let titles: Vec<String> = facts.disagreeing().collect();
    match titles.as_slice() {
        [] => None,
        [one] => Some(format!("Another study of this question disagrees: {one}.")),
        many => Some(format!("{} other studies of this question disagree: {}.", many.len(), list(many))),
    }
}

fn difference(facts: &Facts<'_>, recommended: &crate::id::VariantId) -> Option<String> {
    let conclusion = &facts.report.conclusion;
    let (engine_from, model_from) = facts.engine_and_model(&conclusion.baseline)?;
    let (engine_to, model_to) = facts.engine_and_model(recommended)?;
    let mut parts = Vec::new();
    if engine_from != engine_to {
        parts.push(format!("the engine changes from {engine_from} to {engine_to}"));
    }
    if model_from != model_to {
        parts.push(format!("the weights change from {} to {}", code(model_from), code(model_to)));
    }
    if !conclusion.added.is_empty() {
        parts.push(format!(
            "{} {} added",
            plural(conclusion.added.len(), "argument", "arguments"),
            if conclusion.added.len() == 1 { "is" } else { "are" }
        ));
    }
    if !conclusion.removed.is_empty() {
        parts.push(format!(
            "{} {} dropped",
            plural(conclusion.removed.len(), "argument", "arguments"),
            if conclusion.removed.len() == 1 { "is" } else { "are" }
        ));
    }
    (!parts.is_empty()).then(|| format!("Against the baseline, {}.", list(&parts)))
}

pub(in crate::text) fn noise(facts: &Facts<'_>) -> Vec<String> {
    let report = facts.report;
    let mut out: Vec<String> = facts.unrepeated().iter().map(|of| spread::unrepeated(facts, of)).collect();
    out.extend(report.noise.iter().map(|estimate| noise_estimate(facts, estimate)));
    out.extend(facts.spreads().map(|(profile, variant, of)| spread::spread(facts, profile, variant, of)));
    out.extend(facts.measured_bands().map(|(profile, band)| {
        format!(
            "{}: the 95% interval of the change in total TPS, over server starts, is {}.",
            facts.profile(profile),
            strong(format!("±{}", pct(band, 2)))
        )
    }));
    out
}

fn noise_estimate(facts: &Facts<'_>, estimate: &NoiseEstimate) -> String {
    let sd = estimate.sd_recomputed_pct.or(estimate.sd_reported_pct).unwrap_or_default();
    let band = estimate.band.recomputed_pct.or(estimate.band.reported_pct).unwrap_or_default();
    format!(
        "On {}, {} variants cannot differ, since {} admits all {} requests in flight. Their total TPS has a standard deviation of {}, so a change of one start against one counts only beyond {} (95% interval).",
        facts.profile(&estimate.profile),
        estimate.n,
        code(&estimate.flag),
        count(estimate.concurrency),
        pct(sd, 2),
        strong(format!("±{}", pct(band, 2)))
    )
}

pub(in crate::text) fn got_worse(facts: &Facts<'_>) -> Vec<String> {
    let sentence = |worsening: &Worsening<'_>| match *worsening {
        Worsening::Throughput { profile, pct } => {
            let way = if pct < 0.0 { "falls" } else { "rises" };
            format!("{}: total TPS {way} by {}.", facts.profile(profile), strong(facts.unsigned(pct)))
        }
        Worsening::Latency { profile, metric, from, to, pct } => format!(
            "{}: {} goes from {} to {} ({}).",
            facts.profile(profile),
            in_sentence(metric),
            with_unit(metric, from),
            with_unit(metric, to),
            strong(facts.pct(pct))
        ),
    };
    facts.worsenings().iter().map(sentence).collect()
}

pub(in crate::text) fn wrong_choice(facts: &Facts<'_>) -> Vec<String> {
    let wrong = facts.wrong_choice();
    let names = |profiles: &[&ProfileId]| list(&profiles.iter().map(|id| facts.profile(id)).collect::<Vec<_>>());
    let mut out = Vec::new();
    if !wrong.loses.is_empty() {
        out.push(format!("Traffic like {}: throughput falls.", names(&wrong.loses)));
    }
    if !wrong.objective_worse.is_empty() {
        let what = goal(facts.report.objective.goal);
        out.push(format!("Traffic like {}: {what} gets worse.", names(&wrong.objective_worse)));
    }
    if !wrong.latency_worse.is_empty() {
        let latencies =
            wrong.latency_worse.iter().map(|(id, metric)| format!("{} on {}", in_sentence(*metric), facts.profile(id)));
        out.push(format!("Work where latency counts: {}.", list(&latencies.collect::<Vec<_>>())));
    }
    if !wrong.load_limited.is_empty() {
        out.push(format!(
            "No gain in throughput on {}: both settings keep up with the load.",
            names(&wrong.load_limited)
        ));
    }
    if !wrong.hardware_differs.is_empty() {
        out.push(format!(
            "No gain in throughput can be told on {}: the hardware differs.",
            names(&wrong.hardware_differs)
        ));
    }
    if !wrong.workload_differs.is_empty() {
        out.push(format!(
            "No gain can be told on {}: the prompts of the two sides were of different lengths.",
            names(&wrong.workload_differs)
        ));
    }
    for (profile, variant) in &wrong.better {
        let by = |pct: f64| {
            let way = if pct < 0.0 { "lower" } else { "higher" };
            format!(" ({} {} {way})", goal(facts.report.objective.goal), strong(facts.unsigned(pct)))
        };
        let lead = facts.lead(profile).map_or_else(String::new, by);
        out.push(format!("Traffic like {}: {} is better there{lead}.", facts.profile(profile), facts.variant(variant)));
    }
    if !wrong.fails.is_empty() {
        out.push(format!("Traffic like {}: too many requests fail.", names(&wrong.fails)));
    }
    if !wrong.not_measured.is_empty() {
        out.push(format!("Traffic like {}: it was not measured there.", names(&wrong.not_measured)));
    }
    if !wrong.weak.is_empty() {
        let limits = wrong.weak.iter().map(|(id, metric)| format!("{} on {}", in_sentence(*metric), facts.profile(id)));
        let limits = list(&limits.collect::<Vec<_>>());
        out.push(format!("Promises on {limits}: too few requests were measured to be sure of the SLO."));
    }
    if wrong.precision_changed {
        out.push("Work that needs the quality of the original weights: answer quality was not measured.".to_owned());
    }
    out
}

pub(in crate::text) fn row_note(facts: &Facts<'_>, note: RowNote) -> String {
    match note {
        RowNote::LoadLimited { offered } => {
            format!("Load-limited: both keep up with {} req/s, so throughput cannot be compared.", short(offered, 2))
        }
        RowNote::WorkloadDiffers => "Prompts of different lengths: nothing can be compared.".to_owned(),
        RowNote::HardwareDiffers => "Other hardware: totals cannot be compared.".to_owned(),
        RowNote::ReportedOff { points } => {
            let way = if points > 0.0 { "higher" } else { "lower" };
            format!("The reported figure is {} points {way}.", grouped(points.abs(), 1))
        }
        RowNote::Interval { low, high } => format!("95% interval {} to {}.", facts.pct(low), facts.pct(high)),
        RowNote::NoiseUnknown(repeats) => format!("{}.", capital(&spread::unproven(repeats))),
    }
}

pub(in crate::text) fn row_latency(facts: &Facts<'_>, metric: Metric, pct: f64) -> String {
    format!("{} {} (worse).", capital(&in_sentence(metric)), strong(facts.pct(pct)))
}
