//! Baseline beside recommended, a row a figure of a profile, as the page has them.

use super::{Cell, Field, Kind, Page, Show, Table};
use crate::advise::Goal;
use crate::change::Change;
use crate::report::ConclusionRow;
use crate::study::Basis;
use crate::text::{self, export_labels};

/// A figure of both sides.
struct Row<'a> {
    of: &'a ConclusionRow,
    metric: String,
    unit: &'static str,
    basis: Basis,
    baseline: Option<f64>,
    recommended: Option<f64>,
    change: Change,
}

impl Page<'_> {
    pub(super) fn conclusion(&self) -> Table {
        let (words, own) = (self.words, export_labels(self.lang));
        // Where the baseline stays, there is nothing to set beside it.
        let differs = self.report.conclusion.recommended.as_ref() != Some(&self.report.conclusion.baseline);
        let change = |of: fn(&Change) -> Option<f64>| move |row: &Row<'_>| if differs { of(&row.change) } else { None };
        let fields = vec![
            field(own.profile_id, Show::Words, |row| Cell::from(row.of.profile.as_str())),
            field(words.profile, Show::Words, |row| Some(self.profile_name(&row.of.profile))),
            field(own.primary, Show::Words, |row| row.of.primary.then(|| own.yes.to_owned())),
            field(words.metric, Show::Words, |row| Cell::from(row.metric.as_str())),
            field(own.unit, Show::Words, |row| row.unit),
            field(words.kind_of_value, Show::Words, |row| text::basis(self.lang, row.basis)),
            field(words.baseline, Show::Figure(2), |row| row.baseline),
            field(words.recommended, Show::Figure(2), |row| row.recommended),
            field(self.heading(words.change, &["%"]), self.pct(), change(Change::pct)),
            field(words.verdict, Show::Words, move |row| {
                differs.then(|| text::verdict(self.lang, row.change.verdict).to_owned())
            }),
            field(self.heading(words.noise, &["±%"]), Show::Figure(2), |row| {
                let noise = row.change.noise?;
                match row.change.recomputed_pct {
                    Some(_) => noise.recomputed_pct,
                    None => noise.reported_pct,
                }
            }),
            field(self.heading(own.repeats, &[words.baseline]), Show::Count, |row| Some(row.of.baseline.n as u64)),
            field(self.heading(own.repeats, &[words.recommended]), Show::Count, |row| {
                Some(row.of.recommended.n as u64)
            }),
        ];
        let rows: Vec<Row<'_>> = self.report.conclusion.rows.iter().flat_map(|row| self.figures(row)).collect();
        Self::table(Kind::Conclusion, fields, &rows)
    }

    fn figures<'b>(&'b self, of: &'b ConclusionRow) -> impl Iterator<Item = Row<'b>> {
        let metrics = of.metrics.iter().map(move |row| Row {
            of,
            metric: text::metric(self.lang, row.metric),
            unit: row.metric.unit(),
            basis: row.basis,
            baseline: row.baseline,
            recommended: row.recommended,
            change: row.change,
        });
        let derived = of.derived.iter().map(move |row| Row {
            of,
            metric: text::goal(self.lang, row.goal),
            unit: text::goal_unit(self.report, row.goal),
            // A goodput is the tool's own, unless it follows from percentiles.
            basis: match (row.goal, row.at_least) {
                (Goal::Metric(_), false) => Basis::Reported,
                (Goal::Metric(_), true) => Basis::Recomputed,
                (Goal::Cost(_) | Goal::TokensPerJoule, _) => self.report.basis,
            },
            baseline: row.baseline,
            recommended: row.recommended,
            change: row.change,
        });
        metrics.chain(derived)
    }
}

/// A column whose cells follow from this kind of row.
fn field<'a, C: Into<Cell>>(
    heading: impl Into<String>,
    show: Show,
    cell: impl Fn(&Row<'_>) -> C + 'a,
) -> Field<'a, Row<'a>> {
    Field::new(heading, show, cell)
}
