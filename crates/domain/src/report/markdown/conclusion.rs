//! Conclusion and profiles: baseline against recommended.

use super::Page;

use crate::advise::Goal;
use crate::advise::goodput::GoodputSource;
use crate::aggregate::SHOW_BOTH_PCT;
use crate::change::Change;
use crate::metric::Metric;
use crate::report::{ConclusionRow, GoalRow};
use crate::study::Basis;
use crate::text::number::unit;
use crate::text::{self, Rich, goodput_source};

impl Page<'_> {
    pub(super) fn conclusion(&mut self) {
        let report = self.report;
        let words = text::conclusion(self.lang, report);
        self.heading(2, self.words.conclusion);
        self.line(format!("**{}**\n", text::standing(self.lang, report.conclusion.standing)));
        self.line(format!("{}\n", words.headline.markdown()));
        self.paragraphs(&words.explanation);
        if let Some(command) = &report.conclusion.command {
            self.heading(3, self.words.serving_command);
            self.fence("bash", &command.text);
        } else if report.conclusion.recommended.is_some() {
            self.line(format!("{}\n", self.words.command_unknown));
        }
        if self.differs() && !report.conclusion.rows.is_empty() {
            let head = [
                self.words.profile,
                self.words.baseline,
                self.words.recommended,
                self.words.recomputed,
                self.words.reported,
                self.words.verdict,
                self.words.mean_tpot,
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
            self.table(&head, &[1, 2, 3, 4, 6], &rows);
        }
        self.caveat(self.words.noise, &words.noise);
        self.caveat(self.words.got_worse, &words.got_worse);
        self.caveat(self.words.wrong_choice, &words.wrong_choice);
    }

    /// Whether there is another side: a baseline beside itself would only repeat its figures.
    fn differs(&self) -> bool {
        let conclusion = &self.report.conclusion;
        conclusion.recommended.as_ref().is_some_and(|recommended| *recommended != conclusion.baseline)
    }

    fn conclusion_row(&self, row: &ConclusionRow) -> Vec<String> {
        vec![
            self.profile_name(&row.profile),
            self.both_of(&row.baseline),
            self.both_of(&row.recommended),
            format!("**{}**", self.pct(row.change.recomputed_pct)),
            self.pct(row.change.reported_pct),
            self.verdict(&row.change).to_owned(),
            self.tpot(&row.tpot_change),
            text::row_note(self.lang, self.report, row).map(|note| note.markdown()).unwrap_or_default(),
        ]
    }

    /// The change of mean TPOT with its verdict, beside the gain; as reported too where that is another change.
    fn tpot(&self, change: &Change) -> String {
        if change.pct().is_none() {
            return self.pct(None);
        }
        let apart = change.reported_pct.zip(change.recomputed_pct).filter(|(a, b)| (a - b).abs() > SHOW_BOTH_PCT);
        let reported = apart.map_or_else(String::new, |(reported, _)| {
            self.bracketed(&format!("{} {}", text::basis(self.lang, Basis::Reported), self.pct(Some(reported))))
        });
        format!("{} {}{reported}", self.pct(change.pct()), self.verdict(change))
    }

    fn caveat(&mut self, title: &str, sentences: &[Rich]) {
        if !sentences.is_empty() {
            self.heading(3, title);
            self.bullets(sentences);
        }
    }

    /// Goodput, money or energy of both sides.
    fn derived_row(&self, row: &GoalRow) -> Vec<String> {
        let report = self.report;
        let (common, lang) = (row.source(), self.lang);
        let said = |source: GoodputSource| self.bracketed(goodput_source(lang, source));
        let figure = |value: Option<f64>, source: Option<GoodputSource>, other: Option<f64>| {
            let Some(value) = value else { return self.absent() };
            let own = source.filter(|_| common.is_none()).map(said).unwrap_or_default();
            let other = other.map(|other| self.bracketed(&text::beside(lang, report.basis, Metric::Goodput, other)));
            text::goal_figure(report, row.goal, value) + &own + &other.unwrap_or_default()
        };
        let goodput = common.or(row.baseline_source);
        // A goodput is recomputed unless it is the tool's own.
        let basis = match (row.goal, goodput) {
            (Goal::Metric(_), Some(GoodputSource::Tool) | None) => Basis::Reported,
            (Goal::Metric(_), Some(GoodputSource::Requests | GoodputSource::Percentiles)) => Basis::Recomputed,
            (Goal::Cost(_) | Goal::TokensPerJoule, _) => report.basis,
        };
        // That the tool's own figure is reported says enough.
        let source = common.filter(|source| *source != GoodputSource::Tool).map(said).unwrap_or_default();
        vec![
            format!("{}{source} ({})", text::goal(lang, row.goal), text::goal_unit(report, row.goal)),
            text::basis(lang, basis).to_owned(),
            figure(row.baseline, row.baseline_source, row.other_baseline),
            figure(row.recommended, row.recommended_source, row.other_recommended),
            self.pct(row.change.pct()),
            self.verdict(&row.change).to_owned(),
        ]
    }

    pub(super) fn profiles(&mut self) {
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
                .chain(row.derived.iter().map(|derived| self.derived_row(derived)))
                .collect();
            let words = self.words;
            let head =
                [words.metric, words.kind_of_value, words.baseline, words.recommended, words.change, words.verdict];
            if self.differs() {
                self.table(&head, &[2, 3, 4], &rows);
            } else {
                let rows: Vec<_> = rows.into_iter().map(|row| row.into_iter().take(3).collect()).collect();
                self.table(&head[..3], &[2], &rows);
            }
            if row.metrics.iter().any(|metric| metric.other_definition) {
                self.line(format!("\\* {}\n", self.words.other_tpot));
            }
        }
    }
}
