//! The option table, a row a step, as the page has it.

use super::{Cell, Field, Kind, Page, Show, Table};
use crate::id::VariantId;
use crate::metric::Metric;
use crate::metrics::{Latency, Stat};
use crate::report::OptionRow;
use crate::study::Basis;
use crate::text::{self, export_labels};

impl Page<'_> {
    pub(super) fn options(&self) -> Table {
        let (words, own) = (self.words, export_labels(self.lang));
        let named = |id: &Option<VariantId>| id.as_ref().map(|id| self.variant_name(id));
        let figure = |metric: Metric, of: fn(&OptionRow) -> Option<f64>| {
            let basis = text::basis(self.lang, self.report.basis);
            let heading = self.heading(&text::metric(self.lang, metric), &[basis, metric.unit()]);
            field(heading, Show::Figure(2), of)
        };
        let other = |metric: Metric, of: fn(&OptionRow) -> Option<f64>| {
            let basis = text::basis(self.lang, self.report.basis.other());
            let heading = self.heading(&text::metric(self.lang, metric), &[basis, metric.unit()]);
            field(heading, Show::Figure(2), of)
        };
        let tpot = Metric::Latency(Latency::Tpot, Stat::Mean);
        let pct = |basis| self.heading(words.change, &[basis, "%"]);
        let fields = vec![
            field(words.option, Show::Words, |row| Some(text::step_name(self.lang, self.report, &row.step))),
            field(words.variant, Show::Words, |row| named(&row.variant)),
            figure(Metric::TotalTps, |row| row.total_token_throughput),
            other(Metric::TotalTps, |row| row.other_total_token_throughput),
            figure(tpot, |row| row.tpot_mean_ms),
            other(tpot, |row| row.other_tpot_mean_ms),
            field(words.against, Show::Words, |row| named(&row.base)),
            field(pct(text::basis(self.lang, Basis::Recomputed)), self.pct(), |row| {
                row.change.and_then(|change| change.recomputed_pct)
            }),
            field(pct(text::basis(self.lang, Basis::Reported)), self.pct(), |row| {
                row.change.and_then(|change| change.reported_pct)
            }),
            field(words.verdict, Show::Words, |row| {
                row.change.map(|change| text::verdict(self.lang, change.verdict).to_owned())
            }),
            field(self.heading(words.success_rate, &["%"]), Show::Figure(2), |row| row.success_rate_pct),
            field(words.decision, Show::Words, |row| text::decision(self.lang, row.decision)),
            field(words.reason, Show::Sentence, |row| Some(text::reason(self.lang, self.report, &row.reason).plain())),
            field(self.heading(words.step, &["ID"]), Show::Words, |row| Cell::from(row.step.as_str())),
            field(own.variant_id, Show::Words, |row| row.variant.as_ref().map(ToString::to_string)),
        ];
        Self::table(Kind::Options, fields, &self.report.options)
    }
}

/// A column whose cells follow from this kind of row.
fn field<'a, C: Into<Cell>>(
    heading: impl Into<String>,
    show: Show,
    cell: impl Fn(&OptionRow) -> C + 'a,
) -> Field<'a, OptionRow> {
    Field::new(heading, show, cell)
}
