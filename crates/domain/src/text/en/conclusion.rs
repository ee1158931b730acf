//! The conclusion card and its rows.

use super::{in_sentence, list, plural};
use crate::advise::NotRecommended;
use crate::change::{Change, Verdict};
use crate::noise::NoiseEstimate;
use crate::report::{Reservation, Standing};
use crate::text::facts::{Facts, Repeats, RowNote, Worsening};
use crate::text::number::{count, grouped, pct, short, with_unit};
use crate::text::rich::{code, strong};

pub(in crate::text) fn headline(facts: &Facts<'_>) -> String {
    let report = facts.report;
    let primary = facts.profile(&report.primary_profile);
    match report.conclusion.standing {
        Standing::Nothing => {
            return format!(
                "No variant can be recommended: none was measured on {primary} with enough successful requests."
            );
        }
        Standing::KeepBaseline => return format!("Keep the baseline. Nothing that was tried beats it on {primary}."),
        Standing::Recommended | Standing::WithReservations => {}
    }
    let Some(row) = report.primary_row() else {
        return format!("The recommended variant and the baseline were not both measured on {primary}.");
    };
    let first = match (row.change.verdict, facts.change(&row.change)) {
        (_, None) | (Verdict::Unknown, _) => format!("On {primary} the change in total TPS is unknown."),
        (Verdict::Better, Some(pct)) => {
            format!("Total TPS rises by {} on {primary}{}.", strong(pct), once(&row.change))
        }
        (Verdict::Worse, Some(pct)) => format!("Total TPS falls on {primary}: {}.", strong(pct)),
        (Verdict::Neutral, Some(pct)) => format!("On {primary} total TPS stays the same ({}).", strong(pct)),
        (Verdict::WithinNoise, Some(pct)) => {
            format!("On {primary} the {} in total TPS cannot be told from noise.", strong(pct))
        }
        (Verdict::NotComparable, Some(_)) => {
            format!("On {primary} the load sets the throughput, so a gain cannot be shown.")
        }
    };
    let gains = facts.others(Verdict::Better);
    let second = match (gains.as_slice(), facts.range(&gains)) {
        ([], _) | (_, None) => String::new(),
        ([one], Some((pct, _))) => {
            format!(" It rises by {} on {}{}.", strong(pct), facts.profile(&one.profile), once(&one.change))
        }
        (many, Some((low, high))) => {
            format!(
                " On the other {} it rises by {} to {}.",
                plural(many.len(), "profile", "profiles"),
                strong(low),
                strong(high)
            )
        }
    };
    let losses = facts.others(Verdict::Worse);
    let third = losses
        .iter()
        .filter_map(|row| Some(format!("{} on {}", strong(facts.change(&row.change)?), facts.profile(&row.profile))));
    let third: Vec<String> = third.collect();
    let third = if third.is_empty() { String::new() } else { format!(" It falls: {}.", list(&third)) };
    first + &second + &third
}

/// What a gain without repeats lacks.
fn once(change: &Change) -> &'static str {
    if change.noise.is_none() { " (measured once, noise unknown)" } else { "" }
}

pub(in crate::text) fn explanation(facts: &Facts<'_>) -> Vec<String> {
    let report = facts.report;
    let conclusion = &report.conclusion;
    let mut out = Vec::new();
    let Some(recommended) = &conclusion.recommended else { return out };
    if *recommended != conclusion.baseline {
        out.extend(difference(facts, recommended));
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
    if let Some(highest) = &conclusion.highest {
        let name = facts.variant(&highest.variant);
        let value = with_unit(report.objective, highest.value);
        out.push(match (highest.why, highest.above_recommended_pct) {
            (NotRecommended::Disqualified, _) => {
                format!("The best figure, {value}, belongs to {name}. It is disqualified: too many of its requests failed.")
            }
            (NotRecommended::FewerArguments, Some(pct)) => format!(
                "The best figure, {value}, belongs to {name}. It is only {} away, below the relevance threshold of {}, so the command with fewer arguments is recommended.",
                strong(facts.unsigned(pct)),
                crate::text::number::pct(report.relevance_pct, 1)
            ),
            (NotRecommended::FewerArguments, None) => format!("The best figure, {value}, belongs to {name}; the command with fewer arguments is recommended."),
        });
    }
    out
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
    let mut out: Vec<String> = match facts.repeats() {
        Some(Repeats::None) => {
            vec!["Variants were measured once, so the noise across server starts is unknown.".to_owned()]
        }
        Some(Repeats::OneStart) => {
            vec!["Repeats lie within one server start, so the noise across server starts is unknown.".to_owned()]
        }
        Some(Repeats::Starts) | None => Vec::new(),
    };
    out.extend(report.noise.iter().map(|estimate| noise_estimate(facts, estimate)));
    out.extend(facts.measured_bands().map(|(profile, band)| {
        format!("{}: the 95% interval over server starts is ±{}.", facts.profile(profile), strong(pct(band, 2)))
    }));
    out
}

fn noise_estimate(facts: &Facts<'_>, estimate: &NoiseEstimate) -> String {
    let sd = estimate.sd_recomputed_pct.or(estimate.sd_reported_pct).unwrap_or_default();
    let band = estimate.band.recomputed_pct.or(estimate.band.reported_pct).unwrap_or_default();
    format!(
        "On {}, {} variants cannot differ, since {} admits all {} requests in flight. Their total TPS has a standard deviation of {}, so one start against one needs {} (95%) to count.",
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
            format!("{}: total TPS {}.", facts.profile(profile), strong(facts.pct(pct)))
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
    facts.report.conclusion.reservations.iter().filter_map(|reservation| wrong_for(facts, reservation)).collect()
}

fn wrong_for(facts: &Facts<'_>, reservation: &Reservation) -> Option<String> {
    Some(match reservation {
        Reservation::Loses { profile } => format!("Traffic like {}: throughput falls there.", facts.profile(profile)),
        Reservation::LatencyWorse { profile, metric } => {
            format!("Traffic like {} where {} counts.", facts.profile(profile), in_sentence(*metric))
        }
        Reservation::LoadLimited { profile } => {
            format!(
                "Traffic as slow as {}: both settings keep up, so throughput stays the same.",
                facts.profile(profile)
            )
        }
        Reservation::PrecisionChanged => {
            "Work that needs the quality of the original weights: answer quality was not measured.".to_owned()
        }
        Reservation::SingleRun | Reservation::WithinNoise { .. } | Reservation::ReportedDiffers { .. } => return None,
    })
}

pub(in crate::text) fn row_note(facts: &Facts<'_>, note: RowNote) -> String {
    match note {
        RowNote::LoadLimited { offered } => {
            format!("Load-limited: both keep up with {} req/s, so throughput cannot be compared.", short(offered, 2))
        }
        RowNote::ReportedOff { points } => {
            let way = if points > 0.0 { "higher" } else { "lower" };
            format!("The reported figure is {} points {way}.", grouped(points.abs(), 1))
        }
        RowNote::Interval { low, high } => format!("95% interval {} to {}.", facts.pct(low), facts.pct(high)),
        RowNote::MeasuredOnce => "Measured once: noise unknown.".to_owned(),
    }
}
