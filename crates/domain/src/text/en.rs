//! English sentences. Plain and short; the figures come from the facts.

use super::facts::Facts;
use super::number::{count, grouped, pct, percentile, short, with_unit};
use super::rich::{code, strong};
use crate::advise::{Decision, NotRecommended, Reason};
use crate::change::{Change, NoiseBand, NoiseSource, Verdict};
use crate::check::{Contradiction, Evidence, Severity, Side};
use crate::metric::Metric;
use crate::metrics::{Latency, Stat};
use crate::noise::NoiseEstimate;
use crate::report::{ConclusionRow, Report, Reservation, Standing, StepReport, Summary, TpotDirection};
use crate::study::{Basis, OptionBase};

pub(super) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Better => "better",
        Verdict::Worse => "worse",
        Verdict::Neutral => "no change",
        Verdict::WithinNoise => "within noise",
        Verdict::Unknown => "unknown",
        Verdict::NotComparable => "not comparable",
    }
}

pub(super) fn decision(decision: Decision) -> &'static str {
    match decision {
        Decision::Baseline => "baseline kept",
        Decision::Adopted => "adopted",
        Decision::Rejected => "rejected",
        Decision::NoRelevantGain => "no relevant gain",
        Decision::NotComparable => "not comparable",
    }
}

pub(super) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "info",
        Severity::Warning => "warning",
        Severity::Disqualifying => "disqualifying",
    }
}

pub(super) fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Recommended => "recommended",
        Standing::WithReservations => "recommended, with reservations",
        Standing::KeepBaseline => "keep the baseline",
        Standing::Nothing => "no recommendation",
    }
}

pub(super) fn basis(basis: Basis) -> &'static str {
    match basis {
        Basis::Recomputed => "recomputed",
        Basis::Reported => "reported",
    }
}

pub(super) fn latency(latency: Latency) -> &'static str {
    match latency {
        Latency::Ttft => "TTFT",
        Latency::Tpot => "TPOT",
        Latency::Itl => "ITL",
        Latency::E2el => "E2EL",
    }
}

fn stat(stat: Stat) -> String {
    match stat {
        Stat::Mean => "mean".to_owned(),
        Stat::Median => "median".to_owned(),
        Stat::Std => "standard deviation of".to_owned(),
        Stat::Min => "minimum".to_owned(),
        Stat::Max => "maximum".to_owned(),
        Stat::Percentile(_) => percentile(stat),
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// A metric in the middle of a sentence.
fn in_sentence(metric: Metric) -> String {
    match metric {
        Metric::TotalTps => "total TPS".to_owned(),
        Metric::OutputTps => "output TPS".to_owned(),
        Metric::RequestThroughput => "request throughput".to_owned(),
        Metric::Goodput => "goodput".to_owned(),
        Metric::Latency(name, of) => format!("{} {}", stat(of), latency(name)),
    }
}

pub(super) fn metric(metric: Metric) -> String {
    capital(&in_sentence(metric))
}

fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn plural(n: usize, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
}

pub(super) fn headline(facts: &Facts<'_>) -> String {
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

pub(super) fn explanation(facts: &Facts<'_>) -> Vec<String> {
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
                super::number::pct(report.relevance_pct, 1)
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

pub(super) fn noise(facts: &Facts<'_>) -> Vec<String> {
    let report = facts.report;
    let single = report.conclusion.reservations.contains(&Reservation::SingleRun);
    let mut out = Vec::new();
    if single {
        out.push("Variants were measured once, so the noise across server starts is unknown.".to_owned());
    }
    out.extend(report.noise.iter().map(|estimate| noise_estimate(facts, estimate)));
    for row in &report.conclusion.rows {
        let Some(NoiseBand { recomputed_pct: Some(band), source: NoiseSource::Starts, .. }) = row.change.noise else {
            continue;
        };
        out.push(format!(
            "{}: the 95% interval over server starts is ±{}.",
            facts.profile(&row.profile),
            strong(pct(band, 2))
        ));
    }
    if out.is_empty() {
        out.push("Repeats over server starts were measured.".to_owned());
    }
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

pub(super) fn got_worse(facts: &Facts<'_>) -> Vec<String> {
    facts.report.conclusion.rows.iter().flat_map(|row| worse_in(facts, row)).collect()
}

fn worse_in(facts: &Facts<'_>, row: &ConclusionRow) -> Vec<String> {
    let profile = facts.profile(&row.profile);
    let tails = row.findings.iter().filter_map(|finding| match &finding.evidence {
        Evidence::TailRegression { latency: name, stat: of, baseline_ms, candidate_ms, change_pct } => {
            let metric = Metric::Latency(*name, *of);
            Some(worsened(facts, &profile, metric, *baseline_ms, *candidate_ms, *change_pct))
        }
        _ => None,
    });
    let means = row.metrics.iter().filter_map(|metric| {
        let mean = matches!(metric.metric, Metric::Latency(_, Stat::Mean));
        let (from, to) = metric.baseline.zip(metric.recommended)?;
        let pct = metric.change.pct()?;
        (mean && metric.change.verdict == Verdict::Worse && pct >= super::MENTIONED_PCT)
            .then(|| worsened(facts, &profile, metric.metric, from, to, pct))
    });
    let loss = (row.change.verdict == Verdict::Worse).then(|| facts.change(&row.change)).flatten();
    loss.map(|pct| format!("{profile}: total TPS {}.", strong(pct))).into_iter().chain(tails).chain(means).collect()
}

fn worsened(facts: &Facts<'_>, profile: &str, metric: Metric, from: f64, to: f64, pct: f64) -> String {
    format!(
        "{profile}: {} goes from {} to {} ({}).",
        in_sentence(metric),
        with_unit(metric, from),
        with_unit(metric, to),
        strong(facts.pct(pct))
    )
}

pub(super) fn wrong_choice(facts: &Facts<'_>) -> Vec<String> {
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

pub(super) fn row_note(facts: &Facts<'_>, row: &ConclusionRow) -> Option<String> {
    if let Some(Evidence::LoadLimited { offered, .. }) =
        row.findings.iter().map(|f| &f.evidence).find(|e| matches!(e, Evidence::LoadLimited { .. }))
    {
        return Some(format!(
            "Load-limited: both keep up with {} req/s, so throughput cannot be compared.",
            short(*offered, 2)
        ));
    }
    let points =
        row.change.reported_pct.zip(row.change.recomputed_pct).map(|(reported, recomputed)| reported - recomputed);
    if let Some(points) = points.filter(|points| points.abs() > super::SHOW_BOTH_POINTS) {
        let way = if points > 0.0 { "higher" } else { "lower" };
        return Some(format!("The reported figure is {} points {way}.", grouped(points.abs(), 1)));
    }
    match (
        row.change.verdict,
        row.change.noise.and_then(|noise| noise.recomputed_pct.or(noise.reported_pct)),
        row.change.pct(),
    ) {
        (Verdict::WithinNoise, Some(band), Some(change)) => {
            Some(format!("95% interval {} to {}.", facts.pct(change - band), facts.pct(change + band)))
        }
        (Verdict::Better | Verdict::Worse, None, _) => Some("Measured once: noise unknown.".to_owned()),
        _ => None,
    }
}

pub(super) fn summary(facts: &Facts<'_>, step: &StepReport, summary: &Summary) -> Option<String> {
    let (best, worst) = step.best.as_ref().zip(step.worst.as_ref())?;
    let names = [best, worst];
    let mut text = format!(
        "{} has {} tok/s ({}) more total TPS than {}",
        facts.variant_among(best, &names),
        strong(grouped(summary.tps_difference, 2)),
        strong(facts.unsigned(summary.tps_pct)),
        facts.variant_among(worst, &names)
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
        let reverses =
            summary.tpot_direction.is_some_and(|way| (way == TpotDirection::Reduction) != (best_ms < worst_ms));
        text += &format!(
            " From the latencies, TPOT is {} ms against {} ms{}.",
            strong(grouped(best_ms, 2)),
            strong(grouped(worst_ms, 2)),
            if reverses { ": the order reverses" } else { "" }
        );
    }
    Some(text)
}

pub(super) fn reason(facts: &Facts<'_>, reason: &Reason) -> String {
    let change = |change: &Change| match (facts.both(change), facts.change(change)) {
        (Some((reported, recomputed)), _) if reported != recomputed => {
            format!("{} (reported {reported})", strong(recomputed))
        }
        (Some((_, recomputed)), _) => strong(recomputed),
        (None, Some(pct)) => strong(pct),
        (None, None) => "unknown".to_owned(),
    };
    let band = |change: &Change| {
        let band = change
            .noise
            .and_then(|noise| if change.recomputed_pct.is_some() { noise.recomputed_pct } else { noise.reported_pct });
        band.map_or_else(String::new, |band| format!(" of ±{}", pct(band, 2)))
    };
    match reason {
        Reason::BaselineWins { runner_up: Some(other), change: Some(by) } => {
            format!("Nothing in this step beats the baseline; next is {} with {}.", facts.variant(other), change(by))
        }
        Reason::BaselineWins { .. } => "Nothing in this step beats the baseline.".to_owned(),
        Reason::Recommended { change: by } if by.verdict == Verdict::WithinNoise => {
            format!("Best of the study: {}, though within the noise{}.", change(by), band(by))
        }
        Reason::Recommended { change: by } => format!("Best of the study: {}.", change(by)),
        Reason::PartOfRecommended { change: by } => format!("Part of the recommended command: {}.", change(by)),
        Reason::TooManyFailures { success_pct, minimum_pct } => {
            format!(
                "Only {} of the requests succeeded; at least {} must.",
                strong(pct(*success_pct, 1)),
                pct(*minimum_pct, 0)
            )
        }
        Reason::Worse { change: by } => format!("Slower: {}.", change(by)),
        Reason::BelowRelevance { change: by, relevance_pct } => {
            format!("{} is below the relevance threshold of {}.", change(by), pct(*relevance_pct, 1))
        }
        Reason::WithinNoise { change: by } => format!("{} is within the noise{}.", change(by), band(by)),
        Reason::Surpassed { change: by, by: other } => {
            format!("A gain of {}, but {} gains more.", change(by), facts.variant(other))
        }
        Reason::LoadLimited => "The load sets the throughput here, so it cannot be compared.".to_owned(),
        Reason::NotMeasured => "The figure that decides was not measured.".to_owned(),
    }
}

pub(super) fn evidence(evidence: &Evidence, number: &dyn Fn(&crate::id::RunId) -> String) -> String {
    match evidence {
        Evidence::RateMismatch { figure, reported, recomputed, deviation_pct } => format!(
            "{} is printed as {}, but counts and duration give {} ({}). GuideLLM-based tools divide by a window shorter than the duration.",
            metric(*figure),
            strong(with_unit(*figure, *reported)),
            strong(with_unit(*figure, *recomputed)),
            super::number::signed_pct(*deviation_pct, 2)
        ),
        Evidence::TpotIdentity { reported_ms, recomputed_ms, includes_first_token, .. } => format!(
            "Mean TPOT is printed as {} ms, but (E2EL − TTFT) / (output tokens − 1) gives {} ms.{}",
            strong(grouped(*reported_ms, 2)),
            strong(grouped(*recomputed_ms, 2)),
            if *includes_first_token { " The printed figure includes the first token." } else { "" }
        ),
        Evidence::PeakImplausible { peak, times_mean, generated_tokens, .. } => {
            match generated_tokens.filter(|all| *peak > *all as f64) {
                Some(all) => format!(
                    "The peak of {} tok/s is more than all {} tokens that the run generated.",
                    strong(grouped(*peak, 2)),
                    count(all)
                ),
                None => format!(
                    "The peak of {} tok/s is {} times the mean.",
                    strong(grouped(*peak, 2)),
                    grouped(*times_mean, 1)
                ),
            }
        }
        Evidence::PeakBelowMean { peak, mean } => {
            format!(
                "The peak of {} tok/s lies below the mean of {} tok/s.",
                strong(grouped(*peak, 2)),
                grouped(*mean, 2)
            )
        }
        Evidence::PercentileOrder { latency: name, lower, lower_ms, higher, higher_ms } => format!(
            "{} of {} is {} ms, above its {} of {} ms.",
            capital(&stat(*lower)),
            latency(*name),
            strong(grouped(*lower_ms, 2)),
            stat(*higher),
            strong(grouped(*higher_ms, 2))
        ),
        Evidence::MeanAboveP99 { latency: name, mean_ms, p99_ms } => format!(
            "Mean {} of {} ms lies above its P99 of {} ms: a few requests carry it.",
            latency(*name),
            strong(grouped(*mean_ms, 2)),
            strong(grouped(*p99_ms, 2))
        ),
        Evidence::NotMeasuredZero { latency: name, stats } => {
            let stats: Vec<String> = stats.iter().map(|of| stat(*of)).collect();
            format!(
                "{}: {} printed as 0.00 ms. No token takes no time; it was not measured.",
                latency(*name),
                list(&stats)
            )
        }
        Evidence::SuccessRate { successful, attempted, success_pct, minimum_pct } => format!(
            "{} of {} requests succeeded ({}); at least {} must. The run cannot win.",
            strong(count(*successful)),
            count(*attempted),
            strong(pct(*success_pct, 1)),
            pct(*minimum_pct, 0)
        ),
        Evidence::SurvivorsDiffer { input_per_request, output_per_request, usual_input, usual_output } => format!(
            "The successful requests have {} input and {} output tokens each; the profile's other runs have {} and {}. It is not the same workload.",
            strong(grouped(*input_per_request, 2)),
            strong(grouped(*output_per_request, 2)),
            grouped(*usual_input, 2),
            grouped(*usual_output, 2)
        ),
        Evidence::ContradictoryCounts { contradiction, larger, bound } => match contradiction {
            Contradiction::MoreThanPlanned => format!(
                "{} requests were counted, but only {} were to be sent.",
                strong(grouped(*larger, 0)),
                grouped(*bound, 0)
            ),
            Contradiction::TtftAboveE2el => format!(
                "Mean TTFT of {} ms lies above mean E2EL of {} ms.",
                strong(grouped(*larger, 2)),
                grouped(*bound, 2)
            ),
            Contradiction::E2elAboveDuration => {
                format!(
                    "A request of {} s is longer than the whole benchmark of {} s.",
                    strong(grouped(larger / 1000.0, 2)),
                    grouped(bound / 1000.0, 2)
                )
            }
        },
        Evidence::LittlesLaw { implied, limit } => format!(
            "Throughput times latency needs {} requests in flight, but there were at most {}.",
            strong(grouped(*implied, 1)),
            grouped(*limit, 0)
        ),
        Evidence::LoadLimited { offered, achieved_baseline, achieved_candidate } => format!(
            "Requests arrive at {} per second and both sides keep up ({} and {} req/s). The load sets the throughput; only latency can be compared.",
            strong(short(*offered, 2)),
            grouped(*achieved_baseline, 2),
            grouped(*achieved_candidate, 2)
        ),
        Evidence::LengthDeviation { side, asked, measured, deviation_pct } => format!(
            "{} tokens per request: {} measured, {} asked for ({}).",
            match side {
                Side::Input => "Input",
                Side::Output => "Output",
            },
            strong(grouped(*measured, 2)),
            grouped(*asked, 0),
            super::number::signed_pct(*deviation_pct, 2)
        ),
        Evidence::LowSampleTail { stat: of, requests, beyond } => {
            format!(
                "{} of {} requests rests on about {} of them.",
                stat(*of),
                count(*requests),
                strong(short(*beyond, 1))
            )
        }
        Evidence::DuplicateMeasurement { same_as } => {
            format!("Every figure equals that of run {}: one measurement under two names.", strong(number(same_as)))
        }
        Evidence::SingleRun { baseline_n, candidate_n } => {
            format!(
                "The baseline was measured {}, the other side {}: noise unknown.",
                times(*baseline_n),
                times(*candidate_n)
            )
        }
        Evidence::TailRegression { latency: name, stat: of, baseline_ms, candidate_ms, change_pct } => {
            let metric = Metric::Latency(*name, *of);
            format!(
                "{} goes from {} to {} ({}).",
                capital(&in_sentence(metric)),
                with_unit(metric, *baseline_ms),
                with_unit(metric, *candidate_ms),
                strong(super::number::signed_pct(*change_pct, 2))
            )
        }
        Evidence::PrecisionChanged { baseline_model, candidate_model } => format!(
            "The weights differ: {} against {}. Whether the answers are as good was not measured.",
            code(baseline_model),
            code(candidate_model)
        ),
    }
}

fn times(n: usize) -> String {
    if n == 1 { "once".to_owned() } else { format!("{n} times") }
}

pub(super) fn method(report: &Report) -> Vec<String> {
    let mut out = vec![
        "Every figure is recomputed from the raw result block: token throughput is tokens / duration, TPOT is (E2EL − TTFT) / (output tokens per request − 1). Where a recomputed figure and the tool's own differ, both are shown.".to_owned(),
        match report.basis {
            Basis::Reported => "In this study the figures as reported rank the variants and fill summaries and the option table.".to_owned(),
            Basis::Recomputed => "In this study the recomputed figures rank the variants and fill summaries and the option table.".to_owned(),
        },
        match report.option_base {
            OptionBase::Baseline => "Each option is compared with the study's baseline.".to_owned(),
            OptionBase::Previous => "Each option is compared with the best of the step before.".to_owned(),
        },
    ];
    out.push(format!(
        "A change below {} counts as no change. A run with less than {} successful requests is disqualified. Among variants within {} of the best, the one with the fewest arguments is recommended.",
        pct(report.relevance_pct, 1),
        pct(report.min_success_pct, 0),
        pct(report.relevance_pct, 1)
    ));
    out
}

pub(super) fn line(number: usize) -> String {
    format!("line {number}")
}

pub(super) fn runs(n: usize) -> String {
    plural(n, "run", "runs")
}
