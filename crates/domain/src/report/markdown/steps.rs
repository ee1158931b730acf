//! Steps, options and other cases: what was tried, with the raw results.

use super::{Page, TPOT};

use crate::advise::Goal;
use crate::aggregate::Figures;
use crate::change::{Change, Verdict};
use crate::id::{RunId, VariantId};
use crate::metric::Metric;
use crate::note::Target;
use crate::report::{OptionRow, StepReport, StepVariant};
use crate::study::Basis;
use crate::text::number::{figure, pct, unit};
use crate::text::{self, code_markdown, escape_markdown};

impl Page<'_> {
    pub(super) fn steps(&mut self) {
        self.heading(2, self.words.steps);
        for (number, step) in (1..).zip(&self.report.steps) {
            self.heading(3, &format!("{number}. {}", step.name.get(self.lang)));
            let decision = text::decision(self.lang, step.decision);
            let reason = text::reason(self.lang, self.report, &step.reason).markdown();
            self.line(format!("**{decision}** – {reason}\n"));
            self.note(&step.notes);
            for variant in &step.variants {
                self.step_variant(step, variant);
            }
            if let Some(summary) = text::summary(self.lang, self.report, step) {
                self.line(format!("{}\n", summary.markdown()));
            }
        }
    }

    fn step_variant(&mut self, step: &StepReport, variant: &StepVariant) {
        let name = text::variant_name(self.lang, self.report, &variant.id).plain();
        let disqualified = if variant.disqualified { self.bracketed(self.words.disqualified) } else { String::new() };
        self.heading(4, &format!("{name}{disqualified}"));
        if let Some(facts) = self.report.variant(&variant.id) {
            if facts.has_command() {
                self.fence("bash", &facts.command.text);
            } else {
                self.line(format!("{}\n", self.words.command_unknown));
            }
            self.note_once(Target::Variant(variant.id.clone()), &facts.notes);
        }
        let Some(figures) = &variant.figures else {
            let absent = self.absent();
            self.line(format!("{absent}\n"));
            return;
        };
        let reading = self.readout(figures);
        self.line(format!("{}{}\n", self.profile_name(&step.profile), self.words.colon));
        self.out.push_str(&reading);
        if let Some(change) = variant.change {
            let reported = self.bracketed(&format!("{} {}", self.words.reported, self.pct(change.reported_pct)));
            let (colon, comma, verdict) = (self.words.colon, self.words.comma, self.verdict(&change));
            // Below total TPS, another figure needs its name.
            let of = match self.report.objective.goal {
                Goal::Metric(Metric::TotalTps) => String::new(),
                of => self.bracketed(&text::goal(self.lang, of)),
            };
            self.line(format!(
                "- {}{of}{colon}{}{reported}{comma}{verdict}",
                self.words.baseline_change,
                self.pct(change.pct())
            ));
        }
        self.line("");
        self.raw(&figures.runs);
    }

    /// Total TPS and mean TPOT, recomputed before reported.
    fn readout(&self, figures: &Figures) -> String {
        [(Metric::TotalTps, self.words.total_tps), (TPOT, self.words.mean_tpot)]
            .into_iter()
            .map(|(metric, name)| {
                let with_unit = |value: Option<f64>, absent: &str| match value {
                    Some(value) => format!("{} {}", figure(metric, value), unit(metric)),
                    None => absent.to_owned(),
                };
                let recomputed = with_unit(figures.recomputed.get(metric), self.words.not_recomputable);
                let reported = with_unit(metric.of(&figures.metrics), self.words.not_measured);
                let reported = format!("{} {reported}", text::basis(self.lang, Basis::Reported));
                format!("- {name}{}{recomputed}{}\n", self.words.colon, self.bracketed(&reported))
            })
            .collect()
    }

    fn raw(&mut self, runs: &[RunId]) {
        let report = self.report;
        for run in runs.iter().filter_map(|id| report.run(id)) {
            let file = code_markdown(&run.file);
            let (colon, comma) = (self.words.colon, self.words.comma);
            let name = self.run_name(run);
            self.line(format!(
                "{}{colon}{name}{comma}{file}{comma}SHA-256 `{}`\n",
                self.words.raw_result,
                run.digest.short()
            ));
            self.note_once(Target::Run(run.id.clone()), &run.notes);
            if let Some(excerpt) = &run.excerpt {
                self.fence("text", &excerpt.text);
            }
        }
    }

    pub(super) fn options(&mut self) {
        self.heading(2, self.words.options);
        let rows: Vec<Vec<String>> = self.report.options.iter().map(|row| self.option_row(row)).collect();
        let words = self.words;
        let basis = text::basis(self.lang, self.report.basis);
        let head =
            |name: &str, unit: &str| format!("{name}{}", self.bracketed(&format!("{basis}{}{unit}", words.comma)));
        let (tps, tpot) = (head(words.total_tps, "tok/s"), head(words.mean_tpot, "ms"));
        let head = [
            words.option,
            words.variant,
            &tps,
            &tpot,
            words.against,
            words.recomputed,
            words.reported,
            words.success_rate,
            words.decision,
            words.reason,
        ];
        self.table(&head, &[2, 3, 5, 6, 7], &rows);
    }

    fn option_row(&self, row: &OptionRow) -> Vec<String> {
        let name = |id: &Option<VariantId>| id.as_ref().map_or_else(|| self.absent(), |id| self.variant_name(id));
        // A difference that cannot be compared says so; a variant has none against itself.
        let compared = |of: fn(&Change) -> Option<f64>| {
            if row.is_base() {
                return self.pct(None);
            }
            let apart = row.change.filter(|change| change.verdict == Verdict::NotComparable);
            let apart = apart.map_or_else(String::new, |change| self.bracketed(self.verdict(&change)));
            self.pct(row.change.as_ref().and_then(of)) + &apart
        };
        let stands_in = |metric: Metric, value: Option<f64>| {
            let said = value.and_then(|_| text::stands_in(self.lang, self.report, row, metric));
            said.map_or_else(String::new, |basis| self.bracketed(basis))
        };
        vec![
            escape_markdown(&text::step_name(self.lang, self.report, &row.step)),
            name(&row.variant),
            self.both(Metric::TotalTps, row.total_token_throughput, row.other_total_token_throughput)
                + &stands_in(Metric::TotalTps, row.total_token_throughput),
            self.both(TPOT, row.tpot_mean_ms, row.other_tpot_mean_ms) + &stands_in(TPOT, row.tpot_mean_ms),
            name(&row.base),
            compared(|change| change.recomputed_pct),
            compared(|change| change.reported_pct),
            row.success_rate_pct.map_or_else(|| self.words.not_recorded.to_owned(), |rate| pct(rate, 1)),
            text::decision(self.lang, row.decision).to_owned(),
            text::reason(self.lang, self.report, &row.reason).markdown(),
        ]
    }

    pub(super) fn cases(&mut self) {
        if self.report.cases.is_empty() {
            return;
        }
        self.heading(2, self.words.other_cases);
        let report = self.report;
        for case in &report.cases {
            let name =
                report.profile(&case.profile).map_or(case.profile.as_str(), |profile| profile.name.get(self.lang));
            self.heading(3, name);
            for run in case.runs.iter().filter_map(|id| report.run(id)) {
                let variant = self.variant_name(&run.variant);
                self.line(format!("**{variant}**\n"));
                self.raw(std::slice::from_ref(&run.id));
            }
        }
    }
}
