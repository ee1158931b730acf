//! The report as Markdown: the same facts and the same sentences as the page.

use std::fmt::Write as _;

use super::{ConclusionRow, OptionRow, Report, RunReport, StepReport, StepVariant};
use crate::aggregate::Figures;
use crate::change::Change;
use crate::check::{Finding, Severity, Subject};
use crate::id::{ProfileId, RunId, VariantId};
use crate::metric::Metric;
use crate::metrics::{Latency, Stat};
use crate::study::Profile;
use crate::text::number::{count, figure, pct, short, signed_pct, unit};
use crate::text::{self, Labels, Lang, Rich, code_markdown, escape_markdown, labels};
use crate::units::RequestRate;

const TPOT: Metric = Metric::Latency(Latency::Tpot, Stat::Mean);

/// Writes the report in `lang`. Same report, same language, same bytes.
pub fn markdown(report: &Report, lang: Lang) -> String {
    let mut page = Page { report, lang, words: labels(lang), out: String::new() };
    page.title();
    page.conclusion();
    page.profiles();
    page.notes();
    page.environment();
    page.method();
    page.steps();
    page.options();
    page.cases();
    page.findings();
    page.out
}

struct Page<'a> {
    report: &'a Report,
    lang: Lang,
    words: &'static Labels,
    out: String,
}

impl Page<'_> {
    fn line(&mut self, text: impl AsRef<str>) {
        self.out.push_str(text.as_ref());
        self.out.push('\n');
    }

    fn heading(&mut self, level: usize, text: &str) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
        let _ = writeln!(self.out, "{} {}\n", "#".repeat(level), escape_markdown(text));
    }

    fn paragraphs(&mut self, all: &[Rich]) {
        for text in all {
            self.line(text.markdown());
            self.line("");
        }
    }

    fn bullets(&mut self, all: &[Rich]) {
        for text in all {
            self.line(format!("- {}", text.markdown()));
        }
        self.line("");
    }

    fn fence(&mut self, language: &str, text: &str) {
        // A fence longer than any run of backticks inside, so that a raw block cannot end it.
        let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(longest.max(2) + 1);
        self.line(format!("{fence}{language}\n{text}\n{fence}\n"));
    }

    /// `numbers`: which columns hold figures, set to the right.
    fn table(&mut self, head: &[&str], numbers: &[usize], rows: &[Vec<String>]) {
        self.line(format!("| {} |", head.join(" | ")));
        let rule = (0..head.len()).map(|column| if numbers.contains(&column) { "---:" } else { "---" });
        self.line(format!("| {} |", rule.collect::<Vec<_>>().join(" | ")));
        for row in rows {
            self.line(format!("| {} |", row.join(" | ")));
        }
        self.line("");
    }

    fn decimals(&self) -> usize {
        usize::from(self.report.decimals)
    }

    fn absent(&self) -> String {
        self.words.not_measured.to_owned()
    }

    fn figure(&self, metric: Metric, value: Option<f64>) -> String {
        value.map_or_else(|| self.absent(), |value| figure(metric, value))
    }

    fn pct(&self, pct: Option<f64>) -> String {
        pct.map_or_else(|| "–".to_owned(), |pct| signed_pct(pct, self.decimals()))
    }

    /// In brackets of the language.
    fn bracketed(&self, text: &str) -> String {
        format!("{}{text}{}", self.words.open, self.words.close)
    }

    fn verdict(&self, change: &Change) -> &'static str {
        text::verdict(self.lang, change.verdict)
    }

    fn profile_name(&self, id: &ProfileId) -> String {
        escape_markdown(self.report.profile(id).map_or(id.as_str(), |profile| profile.name.get(self.lang)))
    }

    fn variant_name(&self, id: &VariantId) -> String {
        text::variant_name(self.lang, self.report, id).markdown()
    }

    fn run_name(&self, run: &RunReport) -> String {
        format!("{} {:02}", self.words.run, run.number)
    }

    fn title(&mut self) {
        let report = self.report;
        self.heading(1, report.title.get(self.lang));
        let gpus = report.hardware.count.map_or_else(String::new, |count| format!(" × {count}"));
        let engines = report.engines.iter().map(|engine| match &engine.version {
            Some(version) => format!("{} {version}", engine.engine),
            None => engine.engine.clone(),
        });
        let engines = engines.collect::<Vec<_>>().join(", ");
        let line = format!("{} · {}{gpus} · {engines}", report.model.id, report.hardware.gpu);
        self.line(escape_markdown(&line));
    }

    fn conclusion(&mut self) {
        let report = self.report;
        let words = text::conclusion(self.lang, report);
        self.heading(2, self.words.conclusion);
        self.line(format!("**{}**\n", text::standing(self.lang, report.conclusion.standing)));
        self.line(format!("{}\n", words.headline.markdown()));
        self.paragraphs(&words.explanation);
        if let Some(command) = &report.conclusion.command {
            self.heading(3, self.words.serving_command);
            self.fence("bash", &command.text);
        }
        if !report.conclusion.rows.is_empty() {
            let head = [
                self.words.profile,
                self.words.baseline,
                self.words.recommended,
                self.words.recomputed,
                self.words.reported,
                self.words.verdict,
                "",
            ];
            let head: Vec<String> = head.iter().map(|word| (*word).to_owned()).collect();
            let rows: Vec<Vec<String>> = report.conclusion.rows.iter().map(|row| self.conclusion_row(row)).collect();
            let mut head: Vec<&str> = head.iter().map(String::as_str).collect();
            let basis = self.bracketed(text::basis(self.lang, report.basis));
            let side = |word: &str| format!("{word}{}{}{basis}", self.words.colon, self.words.total_tps);
            let (baseline, recommended) = (side(self.words.baseline), side(self.words.recommended));
            head[1] = &baseline;
            head[2] = &recommended;
            self.table(&head, &[1, 2, 3, 4], &rows);
        }
        self.caveat(self.words.noise, &words.noise);
        self.caveat(self.words.got_worse, &words.got_worse);
        self.caveat(self.words.wrong_choice, &words.wrong_choice);
    }

    fn conclusion_row(&self, row: &ConclusionRow) -> Vec<String> {
        let basis = self.report.basis;
        vec![
            self.profile_name(&row.profile),
            self.figure(Metric::TotalTps, row.baseline.on(basis, Metric::TotalTps)),
            self.figure(Metric::TotalTps, row.recommended.on(basis, Metric::TotalTps)),
            format!("**{}**", self.pct(row.change.recomputed_pct)),
            self.pct(row.change.reported_pct),
            self.verdict(&row.change).to_owned(),
            text::row_note(self.lang, self.report, row).map(|note| note.markdown()).unwrap_or_default(),
        ]
    }

    fn caveat(&mut self, title: &str, sentences: &[Rich]) {
        if !sentences.is_empty() {
            self.heading(3, title);
            self.bullets(sentences);
        }
    }

    fn profiles(&mut self) {
        if self.report.conclusion.rows.is_empty() {
            return;
        }
        self.heading(2, self.words.profile_by_profile);
        for row in &self.report.conclusion.rows {
            let name =
                self.report.profile(&row.profile).map_or(row.profile.as_str(), |profile| profile.name.get(self.lang));
            self.heading(3, name);
            let rows: Vec<Vec<String>> = row
                .metrics
                .iter()
                .map(|metric| {
                    let other = if metric.other_definition { " \\*" } else { "" };
                    vec![
                        format!("{}{other} ({})", text::metric(self.lang, metric.metric), unit(metric.metric)),
                        text::basis(self.lang, metric.basis).to_owned(),
                        self.figure(metric.metric, metric.baseline),
                        self.figure(metric.metric, metric.recommended),
                        self.pct(metric.change.pct()),
                        self.verdict(&metric.change).to_owned(),
                    ]
                })
                .collect();
            let words = self.words;
            let head =
                [words.metric, words.kind_of_value, words.baseline, words.recommended, words.change, words.verdict];
            self.table(&head, &[2, 3, 4], &rows);
            if row.metrics.iter().any(|metric| metric.other_definition) {
                self.line(format!("\\* {}\n", self.words.other_tpot));
            }
        }
    }

    fn notes(&mut self) {
        let notes = self.report.notes.get(self.lang).trim().to_owned();
        self.heading(2, self.words.notes);
        let notes = if notes.is_empty() { self.words.no_notes.to_owned() } else { notes };
        self.line(notes);
    }

    fn environment(&mut self) {
        let report = self.report;
        let unknown = || self.words.not_recorded.to_owned();
        let engines = report.engines.iter().map(|engine| {
            let version = engine.version.clone().unwrap_or_else(unknown);
            escape_markdown(&format!("{} {version}", engine.engine))
        });
        let tools = report.tools.iter().map(|tool| escape_markdown(text::tool(self.lang, *tool)));
        let rows = [
            (self.words.model, code_markdown(&report.model.id)),
            (self.words.gpu, escape_markdown(&report.hardware.gpu)),
            (self.words.gpu_count, report.hardware.count.map_or_else(unknown, |count| count.to_string())),
            (self.words.engines, engines.collect::<Vec<_>>().join(", ")),
            (self.words.tool, tools.collect::<Vec<_>>().join(self.words.comma)),
        ];
        let colon = self.words.colon;
        let rows: Vec<String> = rows.iter().map(|(name, value)| format!("- {name}{colon}{value}")).collect();
        self.heading(2, self.words.environment);
        self.line(rows.join("\n"));
    }

    fn method(&mut self) {
        self.heading(2, self.words.method);
        let method = text::method(self.lang, self.report);
        self.paragraphs(&method);
        let words = self.words;
        let head = [
            words.profile,
            words.dataset,
            words.input_tokens,
            words.output_tokens,
            words.seed,
            words.request_rate,
            words.max_concurrency,
            words.requests,
        ];
        let rows: Vec<Vec<String>> = self.report.profiles.iter().map(|profile| self.profile_row(profile)).collect();
        self.table(&head, &[2, 3, 4, 5, 6, 7], &rows);
        for profile in &self.report.profiles {
            if let Some(command) = &profile.command {
                let name = self.bracketed(&self.profile_name(&profile.id));
                self.line(format!("{}{name}\n", self.words.benchmark_command));
                self.fence("bash", command);
            }
        }
    }

    fn profile_row(&self, profile: &Profile) -> Vec<String> {
        let or_dash = |value: Option<String>| value.unwrap_or_else(|| "–".to_owned());
        let rate = profile.request_rate.map(|rate| match rate {
            RequestRate::Unlimited => self.words.unlimited.to_owned(),
            RequestRate::PerSec(rate) => short(rate.get(), 2),
        });
        vec![
            self.profile_name(&profile.id),
            or_dash(profile.dataset.as_deref().map(escape_markdown)),
            or_dash(profile.input_tokens.map(count)),
            or_dash(profile.output_tokens.map(count)),
            or_dash(profile.seed.map(|seed| seed.to_string())),
            or_dash(rate),
            or_dash(profile.max_concurrency.map(count)),
            or_dash(profile.requests.map(count)),
        ]
    }

    fn steps(&mut self) {
        self.heading(2, self.words.steps);
        for (number, step) in (1..).zip(&self.report.steps) {
            self.heading(3, &format!("{number}. {}", step.name.get(self.lang)));
            let decision = text::decision(self.lang, step.decision);
            let reason = text::reason(self.lang, self.report, &step.reason).markdown();
            self.line(format!("**{decision}** – {reason}\n"));
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
            self.fence("bash", &facts.command.text);
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
            self.line(format!(
                "- {}{colon}{}{reported}{comma}{verdict}",
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
                let with_unit = |value: Option<f64>| match value {
                    Some(value) => format!("{} {}", figure(metric, value), unit(metric)),
                    None => self.absent(),
                };
                let recomputed = with_unit(figures.recomputed.get(metric));
                let reported = format!("{} {}", self.words.reported, with_unit(metric.of(&figures.metrics)));
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
            if let Some(excerpt) = &run.excerpt {
                self.fence("text", &excerpt.text);
            }
        }
    }

    fn options(&mut self) {
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
        vec![
            escape_markdown(&text::step_name(self.lang, self.report, &row.step)),
            name(&row.variant),
            self.figure(Metric::TotalTps, row.total_token_throughput),
            self.figure(TPOT, row.tpot_mean_ms),
            name(&row.base),
            self.pct(row.change.and_then(|change| change.recomputed_pct)),
            self.pct(row.change.and_then(|change| change.reported_pct)),
            row.success_rate_pct.map_or_else(|| self.words.not_recorded.to_owned(), |rate| pct(rate, 1)),
            text::decision(self.lang, row.decision).to_owned(),
            text::reason(self.lang, self.report, &row.reason).markdown(),
        ]
    }

    fn cases(&mut self) {
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

    fn findings(&mut self) {
        self.heading(2, self.words.findings);
        if self.report.findings.is_empty() {
            self.line(self.words.no_findings);
            return;
        }
        for severity in [Severity::Disqualifying, Severity::Warning, Severity::Info] {
            let of = self.report.findings.iter().filter(|finding| finding.evidence.severity() == severity);
            let lines: Vec<String> = of.map(|finding| self.finding(finding)).collect();
            if lines.is_empty() {
                continue;
            }
            self.heading(3, &format!("{} ({})", text::severity(self.lang, severity), lines.len()));
            self.line(lines.join("\n"));
        }
    }

    fn finding(&self, finding: &Finding) -> String {
        let about = match &finding.about {
            Subject::Run(id) => {
                self.report.run(id).map(|run| format!("{} {}", self.run_name(run), self.variant_name(&run.variant)))
            }
            Subject::Comparison(profile, variant) => {
                Some(format!("{} {}", self.profile_name(profile), self.variant_name(variant)))
            }
            Subject::Study => None,
        };
        let about = about.map_or_else(String::new, |about| format!("{about}{}", self.words.colon));
        let sentence = text::evidence(self.lang, self.report, &finding.evidence).markdown();
        format!("- `{}` {about}{sentence}", finding.evidence.id())
    }
}
