//! The ranking: objective, limits, and what became of each variant.

use super::{capital, in_sentence, list, metric, stat};
use crate::advise::cost::Tokens;
use crate::advise::fronts::Front;
use crate::advise::slo::{SloCheck, SloState};
use crate::advise::{Goal, WhyNot};
use crate::change::Change;
use crate::metric::{Direction, Metric};
use crate::report::{Difference, Rival};
use crate::text::Lang;
use crate::text::facts::Facts;
use crate::text::number::{count, pct_below, short, threshold, with_unit};
use crate::text::ranking::{limit_value, limits, machine, objective_name};
use crate::text::rich::{clean, code, strong};

/// A figure that can be an objective, in the middle of a sentence.
pub(in crate::text) fn goal(of: Goal) -> String {
    match of {
        Goal::Metric(metric) => in_sentence(metric),
        Goal::Cost(Tokens::Total) => "cost per million tokens".to_owned(),
        Goal::Cost(Tokens::Output) => "cost per million output tokens".to_owned(),
        Goal::TokensPerJoule => "tokens per joule".to_owned(),
    }
}

pub(in crate::text) fn objective(facts: &Facts<'_>) -> String {
    let objective = &facts.report.objective;
    let what = goal(objective.goal);
    if !objective.is_weighted() {
        return format!("{what} on {}", facts.profile(&facts.report.primary_profile));
    }
    let weights = objective.weights.iter();
    let weighted = weights.map(|(id, weight)| format!("{} (weight {})", facts.profile(id), short(*weight, 3)));
    format!("{what} against the baseline, as a weighted geometric mean over {}", list(&weighted.collect::<Vec<_>>()))
}

pub(in crate::text) fn ranked_by(facts: &Facts<'_>) -> String {
    let report = facts.report;
    let limits = match report.has_limits() {
        true => " Neither can one that misses an SLO, or for which an SLO was not measured.",
        false => "",
    };
    let goodput = match report.objective.goal {
        Goal::Metric(Metric::Goodput) => {
            " Goodput is counted request by request where the output lists them all. Else it is the tool's own figure; \
             where percentiles only bracket it, the lower end counts."
        }
        Goal::Metric(_) | Goal::Cost(_) | Goal::TokensPerJoule => "",
    };
    format!(
        "Ranked by {} ({}). A variant of which fewer than {} of the requests succeed cannot be recommended.{limits}{goodput}",
        objective(facts),
        super::basis(facts.ranking_basis()),
        threshold(report.min_success_pct)
    )
}

pub(in crate::text) fn outcome(facts: &Facts<'_>, why_not: Option<&WhyNot>) -> String {
    let change = |change: &Change| match (facts.both(change), facts.change(change)) {
        (Some((reported, recomputed)), _) if reported != recomputed => {
            format!("{} (reported {reported})", strong(recomputed))
        }
        (_, Some(pct)) => strong(pct),
        (_, None) => "unknown".to_owned(),
    };
    match why_not {
        None if facts.report.conclusion.recommended.as_ref() == Some(&facts.report.conclusion.baseline) => {
            "The baseline, kept.".to_owned()
        }
        None => "Recommended.".to_owned(),
        Some(WhyNot::TooManyFailures { profile, success_pct, minimum_pct }) => format!(
            "Disqualified: only {} of the requests on {} succeeded; at least {} must.",
            strong(pct_below(*success_pct, *minimum_pct)),
            facts.profile(profile),
            threshold(*minimum_pct)
        ),
        Some(WhyNot::MissesSlo { profile, metric, limit, value }) => {
            format!("Misses an SLO. {}", misses(facts, profile, *metric, *limit, *value))
        }
        Some(WhyNot::SloNotMeasured { profile, metric, .. }) => {
            format!("An SLO is open: {} on {} was not measured.", in_sentence(*metric), facts.profile(profile))
        }
        Some(WhyNot::NotMeasured { profile }) => {
            format!("{} on {} was not measured.", capital(&goal(facts.report.objective.goal)), facts.profile(profile))
        }
        Some(WhyNot::OtherDefinition { profile }) => {
            format!("Its TPOT on {} has another definition than the baseline's.", facts.profile(profile))
        }
        Some(WhyNot::Worse { change: by }) => format!("Worse than the baseline: {}.", change(by)),
        Some(WhyNot::LoadLimited) => "The load sets the figure, so a gain cannot be shown.".to_owned(),
        Some(WhyNot::HardwareDiffers) => "Other hardware than the baseline's: totals cannot be compared.".to_owned(),
        Some(WhyNot::WorkloadDiffers) => {
            "Prompts of another length than the baseline's: nothing can be compared.".to_owned()
        }
        Some(WhyNot::Surpassed { by, gap_pct }) => {
            format!("{} against {}.", strong(facts.pct(*gap_pct)), facts.variant(by))
        }
        Some(WhyNot::FewerArguments { by, gap_pct }) => format!(
            "{} against {}, which is as good with fewer arguments.",
            strong(facts.pct(*gap_pct)),
            facts.variant(by)
        ),
    }
}

/// A limit that is broken.
pub(in crate::text) fn misses(
    facts: &Facts<'_>,
    profile: &crate::id::ProfileId,
    of: Metric,
    limit: f64,
    value: f64,
) -> String {
    let bound = match of.direction() {
        Direction::LowerIsBetter => "at most",
        Direction::HigherIsBetter => "at least",
    };
    format!(
        "{} on {} is {}, and {bound} {} is asked for.",
        metric(of),
        facts.profile(profile),
        strong(with_unit(of, value)),
        limit_value(of, limit)
    )
}

pub(in crate::text) fn slo_state(state: SloState) -> &'static str {
    match state {
        SloState::Met => "met",
        SloState::WeaklyMeasured => "weakly measured",
        SloState::NotMeasured => "not measured",
        SloState::NotMet => "not met",
    }
}

pub(in crate::text) fn slo_detail(check: &SloCheck) -> Option<String> {
    match (check.state, check.samples, check.needed, check.metric) {
        (SloState::WeaklyMeasured, Some(samples), Some(needed), Metric::Latency(_, of)) => {
            Some(format!("{} values, {} needs {}", count(samples), stat(of), count(needed)))
        }
        (SloState::NotMeasured, ..) if check.other_definition => {
            Some("the tool's TPOT is not the decode time per token".to_owned())
        }
        _ => None,
    }
}

pub(in crate::text) fn front(facts: &Facts<'_>, front: &Front) -> String {
    let on: Vec<String> = front
        .points
        .iter()
        .filter(|point| point.on_front)
        .map(|point| {
            format!(
                "{} ({}, {})",
                facts.variant(&point.variant),
                with_unit(Metric::TotalTps, point.total_token_throughput),
                with_unit(front.latency, point.latency_ms)
            )
        })
        .collect();
    let latency = in_sentence(front.latency);
    if front.load_limited {
        return format!(
            "{}: the load sets the throughput, so only latency tells the variants apart. The shortest {latency} belongs to {}.",
            facts.profile(&front.profile),
            list(&on)
        );
    }
    let what = format!(
        "{}, total TPS ({}) against {latency}{}",
        facts.profile(&front.profile),
        super::basis(front.throughput),
        if front.recomputed { " (recomputed)" } else { "" }
    );
    let others = match front.points.len() - on.len() {
        0 => String::new(),
        1 => " The other variant is beaten by one of these.".to_owned(),
        n => format!(" Each of the other {n} variants is beaten by one of these."),
    };
    match on.as_slice() {
        [one] => format!("{what}: {one} is the best in both."),
        many => format!("{what}: nothing beats {} in both.{others}", list(many)),
    }
}

pub(in crate::text) fn rival(facts: &Facts<'_>, rival: &Rival) -> String {
    let title = clean(rival.title.get(facts.lang));
    let name = |rival: &Rival| {
        let advice = rival.advice.as_ref()?;
        Some(advice.name.as_ref().map_or_else(|| code(advice.variant.as_str()), |name| clean(name.get(Lang::En))))
    };
    match (name(rival), rival.agrees) {
        (None, _) => format!("“{title}” recommends nothing."),
        (Some(name), true) => format!("“{title}” recommends the same command ({name})."),
        (Some(name), false) => format!("“{title}” recommends another command ({name})."),
    }
}

pub(in crate::text) fn difference(facts: &Facts<'_>, difference: &Difference) -> String {
    let set = |value: &Option<String>| match value.as_deref() {
        None => "not set".to_owned(),
        Some("") => "set".to_owned(),
        Some(value) => code(value),
    };
    let known = |value: &Option<String>| value.clone().map_or_else(|| "not recorded".to_owned(), |v| clean(&v));
    match difference {
        Difference::Advice { ours: true, .. } => "Only this study has a variant to recommend.".to_owned(),
        Difference::Advice { .. } => "Only the other study has a variant to recommend.".to_owned(),
        Difference::Engine { ours, theirs } => format!("Engine: {} here, {} there.", clean(ours), clean(theirs)),
        Difference::Weights { ours, theirs } => format!("Weights: {} here, {} there.", code(ours), code(theirs)),
        Difference::Argument { name, ours, theirs } | Difference::Environment { name, ours, theirs } => {
            format!("{}: {} here, {} there.", code(name), set(ours), set(theirs))
        }
        Difference::Gain { profile, ours, theirs } => format!(
            "Total TPS on {}: {} here, {} there.",
            facts.profile(profile),
            strong(facts.change(ours).unwrap_or_default()),
            strong(facts.change(theirs).unwrap_or_default())
        ),
        Difference::EngineVersion { ours, theirs } => {
            format!("Engine version: {} here, {} there.", known(ours), known(theirs))
        }
        Difference::Hardware { ours, theirs } => {
            format!("Hardware: {} here, {} there.", machine(Lang::En, ours), machine(Lang::En, theirs))
        }
        Difference::Objective { ours, theirs } => {
            format!("Objective: {} here, {} there.", objective_name(Lang::En, ours), objective_name(Lang::En, theirs))
        }
        Difference::Limits { profile, ours, theirs } => {
            let shown = |slo| limits(Lang::En, slo).map_or_else(|| "none".to_owned(), |all| list(&all));
            format!("SLO on {}: {} here, {} there.", facts.profile(profile), shown(ours), shown(theirs))
        }
        Difference::Baseline { .. } => "The baselines differ, so gains do not compare.".to_owned(),
    }
}
