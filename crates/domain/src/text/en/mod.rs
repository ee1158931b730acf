//! English sentences. Plain and short; the figures come from the facts.

mod conclusion;
mod doubts;
mod evidence;
mod ranking;
mod spread;
mod steps;

pub(in crate::text) use conclusion::{explanation, got_worse, headline, noise, row_latency, row_note, wrong_choice};
pub(in crate::text) use evidence::evidence;
pub(in crate::text) use ranking::{
    difference, front, goal, objective, outcome, ranked_by, rival, slo_detail, slo_state,
};
pub(in crate::text) use steps::{reason, summary};

use crate::advise::Decision;
use crate::change::Verdict;
use crate::check::Severity;
use crate::metric::Metric;
use crate::metrics::{Latency, Stat};
use crate::report::{Report, Standing};
use crate::study::{Basis, OptionBase};
use crate::text::number::{percentile, threshold};

pub(in crate::text) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Better => "better",
        Verdict::Worse => "worse",
        Verdict::Neutral => "no change",
        Verdict::WithinNoise => "within noise",
        Verdict::Unknown => "unknown",
        Verdict::NotComparable => "not comparable",
    }
}

pub(in crate::text) fn decision(decision: Decision) -> &'static str {
    match decision {
        Decision::Baseline => "baseline kept",
        Decision::Adopted => "adopted",
        Decision::Rejected => "rejected",
        Decision::NoRelevantGain => "no relevant gain",
        Decision::NotComparable => "not comparable",
    }
}

pub(in crate::text) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "info",
        Severity::Warning => "warning",
        Severity::Disqualifying => "disqualifying",
    }
}

pub(in crate::text) fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Recommended => "recommended",
        Standing::WithReservations => "recommended, with reservations",
        Standing::KeepBaseline => "keep the baseline",
        Standing::Nothing => "no recommendation",
    }
}

pub(in crate::text) fn basis(basis: Basis) -> &'static str {
    match basis {
        Basis::Recomputed => "recomputed",
        Basis::Reported => "reported",
    }
}

pub(in crate::text) fn latency(latency: Latency) -> &'static str {
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

pub(in crate::text) fn capital(text: &str) -> String {
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

pub(in crate::text) fn metric(metric: Metric) -> String {
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

pub(in crate::text) fn method(report: &Report) -> Vec<String> {
    let mut out = vec![
        "What the raw result allows is recomputed: token throughput is tokens / duration, TPOT is (E2EL − TTFT) / (output tokens per request − 1). Other figures are shown as reported. Where a recomputed figure and the reported one differ, both are shown.".to_owned(),
        match report.basis {
            Basis::Reported => "In this study the figures as reported rank the variants and fill summaries and the option table.".to_owned(),
            Basis::Recomputed => "In this study the recomputed figures rank the variants and fill summaries and the option table. A figure that cannot be recomputed is the reported one.".to_owned(),
        },
        match report.option_base {
            OptionBase::Baseline => "Each option is compared with the study's baseline.".to_owned(),
            OptionBase::Previous => "Each option is compared with the best of the step before.".to_owned(),
        },
    ];
    out.push(format!(
        "A change below {} counts as no change. A run with fewer than {} successful requests is disqualified. Among variants within {} of the best, the one with the fewest arguments is recommended.",
        threshold(report.relevance_pct),
        threshold(report.min_success_pct),
        threshold(report.relevance_pct)
    ));
    out
}

pub(in crate::text) fn line(number: usize) -> String {
    format!("line {number}")
}

pub(in crate::text) fn runs(n: usize) -> String {
    plural(n, "run", "runs")
}
