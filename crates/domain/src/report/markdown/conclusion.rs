//! Conclusion and profiles: baseline against recommended.

use super::Page;

use crate::report::ConclusionRow;
use crate::text::number::unit;
use crate::text::{self, Rich};

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
        vec![
            self.profile_name(&row.profile),
            self.both_of(&row.baseline),
            self.both_of(&row.recommended),
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
}
