//! The report as Markdown: the same facts and the same sentences as the page.

mod command;
mod conclusion;
mod ranking;
mod steps;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::{Kind, Report, RunReport, kinds_of};
use crate::aggregate::Figures;
use crate::change::Change;
use crate::check::{Finding, Severity, Subject};
use crate::id::{ProfileId, VariantId};
use crate::metric::Metric;
use crate::metrics::{Latency, Stat};
use crate::note::Target;
use crate::study::{Basis, Localized, Profile};
use crate::text::number::{count, figure, short, signed_pct};
use crate::text::{self, Labels, Lang, Rich, code_markdown, escape_markdown, labels, phrase};
use crate::units::RequestRate;
use crate::upload::UNKNOWN;

const TPOT: Metric = Metric::Latency(Latency::Tpot, Stat::Mean);

/// Writes the report in `lang`. Same report, same language, same bytes.
pub fn markdown(report: &Report, lang: Lang) -> String {
    let mut page = Page { report, lang, words: labels(lang), out: String::new(), noted: BTreeSet::new() };
    page.title();
    page.conclusion();
    page.profiles();
    page.ranking();
    page.rivals();
    page.notes();
    page.environment();
    page.method();
    page.steps();
    page.options();
    page.cases();
    page.findings();
    page.arguments();
    page.containers();
    page.out
}

struct Page<'a> {
    report: &'a Report,
    lang: Lang,
    words: &'static Labels,
    out: String,
    /// What a note was written out on.
    noted: BTreeSet<Target>,
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

    /// A figure on the study's basis, and the other form beside it where the two lie apart.
    fn both(&self, metric: Metric, value: Option<f64>, other: Option<f64>) -> String {
        let other = other.map(|other| self.bracketed(&text::beside(self.lang, self.report.basis, metric, other)));
        self.figure(metric, value) + &other.unwrap_or_default()
    }

    fn both_of(&self, figures: &Figures) -> String {
        let (basis, metric) = (self.report.basis, Metric::TotalTps);
        let value = figures.on(basis, metric);
        let printed = value.filter(|_| figures.basis(basis, metric) != basis);
        let said = printed.map(|_| self.bracketed(text::basis(self.lang, Basis::Reported)));
        self.both(metric, value, figures.beside(basis, metric)) + &said.unwrap_or_default()
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
            Some(version) => format!("{} {version}", phrase::engine(self.lang, &engine.engine)),
            None => phrase::engine(self.lang, &engine.engine).to_owned(),
        });
        let engines = engines.collect::<Vec<_>>().join(self.words.comma);
        let model = phrase::model(self.lang, &report.model.id);
        let line = match report.hardware.gpu.as_str() {
            UNKNOWN => format!("{model} · {} · {engines}", phrase::hardware(self.lang, &report.hardware)),
            gpu => format!("{model} · {gpu}{gpus} · {engines}"),
        };
        self.line(escape_markdown(&line));
    }

    fn notes(&mut self) {
        self.heading(2, self.words.notes);
        let apart = self.report.notes_apart();
        if self.report.notes.is_empty() && apart.is_empty() {
            self.line(self.words.no_notes);
        }
        self.note(&self.report.notes.clone());
        for (about, notes) in apart {
            let name = text::notes::target_in(self.lang, self.report, &about).markdown();
            self.line(format!("**{name}**\n"));
            self.note(notes);
        }
    }

    /// As a quotation: an unclosed fence or comment in it ends with it, not with the report.
    fn note(&mut self, notes: &Localized) {
        let text = notes.get(self.lang).trim_end().to_owned();
        if text.is_empty() {
            return;
        }
        for line in text.lines() {
            // Raw HTML is text here as everywhere.
            self.line(format!("> {}", line.replace('<', "&lt;")).trim_end());
        }
        self.line("");
    }

    /// The note on a variant or run, the first time that it is asked for.
    fn note_once(&mut self, on: Target, notes: &Localized) {
        if self.noted.insert(on) {
            self.note(notes);
        }
    }

    fn environment(&mut self) {
        let report = self.report;
        let unknown = || self.words.not_recorded.to_owned();
        let engines = report.engines.iter().map(|engine| {
            let version = engine.version.clone().unwrap_or_else(unknown);
            escape_markdown(&format!("{} {version}", phrase::engine(self.lang, &engine.engine)))
        });
        let named = |name: &str, written: fn(&str) -> String| if name == UNKNOWN { unknown() } else { written(name) };
        let tools = report.tools.iter().map(|tool| escape_markdown(text::tool(self.lang, *tool)));
        let rows = [
            (self.words.model, named(&report.model.id, code_markdown)),
            (self.words.gpu, named(&report.hardware.gpu, escape_markdown)),
            (self.words.gpu_count, report.hardware.count.map_or_else(unknown, |count| count.to_string())),
            (self.words.engines, engines.collect::<Vec<_>>().join(self.words.comma)),
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

    fn findings(&mut self) {
        self.heading(2, self.words.findings);
        if self.report.findings.is_empty() {
            self.line(self.words.no_findings);
            return;
        }
        for severity in [Severity::Disqualifying, Severity::Warning, Severity::Info] {
            let kinds = kinds_of(self.report, severity);
            if kinds.is_empty() {
                continue;
            }
            self.heading(3, &format!("{} ({})", text::severity(self.lang, severity), kinds.len()));
            for Kind { id, findings } in kinds {
                let name = findings.first().map_or("", |first| phrase::finding(self.lang, &first.evidence));
                self.line(format!("**{name}** `{id}`\n"));
                let lines: Vec<String> = findings.into_iter().map(|finding| self.finding(finding)).collect();
                self.line(format!("{}\n", lines.join("\n")));
            }
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
        format!("- {about}{sentence}")
    }
}
