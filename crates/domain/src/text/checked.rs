//! A checked file in words, for a terminal.

use super::number::{count, figure, short, signed_pct, unit};
use super::upload::{left_out_label, results_left_out};
use super::{Lang, basis, evidence_with, labels, line, metric, runs, severity, tool};
use crate::change::change_pct;
use crate::check::{CheckedFile, CheckedRun};
use crate::metric::Metric;
use crate::metrics::{Latency, Stat};
use crate::study::Basis;

/// What is shown of a run: the figures that decide, and the means behind them.
const SHOWN: [Metric; 7] = [
    Metric::TotalTps,
    Metric::OutputTps,
    Metric::RequestThroughput,
    Metric::Latency(Latency::Ttft, Stat::Mean),
    Metric::Latency(Latency::Tpot, Stat::Mean),
    Metric::Latency(Latency::E2el, Stat::Mean),
    Metric::Latency(Latency::E2el, Stat::P99),
];

/// A file with its runs, figures and findings, a line each. Ends with a line break.
#[must_use]
pub fn checked_file(lang: Lang, file: &CheckedFile) -> String {
    let words = labels(lang);
    if let Some(error) = file.error.as_ref().filter(|_| file.runs.is_empty()) {
        return format!("{}{}{}\n", file.file, words.colon, error.message);
    }
    let printed_by = file.tool.map_or(words.not_recorded, |of| tool(lang, of));
    let left_out = match file.rejected.len() {
        0 => String::new(),
        count => words.comma.to_owned() + &results_left_out(lang, count),
    };
    let read = runs(lang, file.runs.len());
    let mut out = format!("{}{}{printed_by}{}{read}{left_out}\n", file.file, words.colon, words.comma);
    for error in &file.rejected {
        out += &format!("  ✗ {}{}{}\n", left_out_label(lang), words.colon, error.message);
    }
    for warning in &file.warnings {
        let line = warning.line.map_or_else(String::new, |number| line(lang, number) + words.colon);
        out += &format!("  ! {line}{}\n", warning.message);
    }
    for (number, run) in (1..).zip(&file.runs) {
        out += &checked_run(lang, number, run);
    }
    out
}

fn checked_run(lang: Lang, number: usize, run: &CheckedRun) -> String {
    let words = labels(lang);
    let place = run
        .excerpt
        .as_ref()
        .map_or_else(String::new, |at| format!("{}{}{}", words.open, line(lang, at.first_line), words.close));
    let requests = run.metrics.successful_requests.map_or_else(|| words.not_measured.to_owned(), count);
    let duration =
        run.metrics.duration.map_or_else(|| words.not_measured.to_owned(), |d| format!("{} s", short(d.get(), 2)));
    let (colon, comma) = (words.colon, words.comma);
    let mut out = format!(
        "  {} {number}{place}{colon}{}{colon}{requests}{comma}{}{colon}{duration}\n",
        words.run, words.successful, words.duration
    );
    for which in SHOWN {
        let (reported, recomputed) = (which.of(&run.metrics), run.recomputed.get(which));
        let Some(value) = recomputed.or(reported) else { continue };
        out += &format!("    {}{}{} {}", metric(lang, which), words.colon, figure(which, value), unit(which));
        // Recomputed first, and what the tool printed beside it.
        if let (Some(reported), Some(recomputed)) = (reported, recomputed) {
            let off = change_pct(Some(recomputed), Some(reported))
                .map_or_else(String::new, |pct| format!("{}{}", words.comma, signed_pct(pct, 2)));
            out += &format!(
                "{}{} {}{off}{}",
                words.open,
                basis(lang, Basis::Reported),
                figure(which, reported),
                words.close
            );
        }
        out.push('\n');
    }
    for finding in &run.findings {
        let sentence = evidence_with(lang, &finding.evidence, &|run| run.to_string()).plain();
        out += &format!(
            "    [{}] {}{}{sentence}\n",
            severity(lang, finding.evidence.severity()),
            finding.evidence.id(),
            words.colon
        );
    }
    out
}
