//! A report as tables: what CSV and workbooks hold. Cells are figures in the units of their headings, or words.
//!
//! Invariant: absent is an empty cell, and every row has a cell for every column.

mod conclusion;
mod findings;
mod options;
mod runs;

use super::Report;
use crate::id::{ProfileId, VariantId};
use crate::text::{Labels, Lang, labels, variant_name};

/// The tables there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Baseline beside recommended, a row a figure of a profile.
    Conclusion,
    /// The option table, a row a step.
    Options,
    /// A row a run.
    Runs,
    /// A row a finding.
    Findings,
}

impl Kind {
    /// All of them, as a workbook has them.
    pub const ALL: [Self; 4] = [Self::Conclusion, Self::Options, Self::Runs, Self::Findings];

    /// As in addresses and on the command line.
    pub fn key(self) -> &'static str {
        match self {
            Self::Conclusion => "conclusion",
            Self::Options => "options",
            Self::Runs => "runs",
            Self::Findings => "findings",
        }
    }

    /// The table with this key.
    pub fn of_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.key() == key)
    }
}

/// How the cells of a column are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Show {
    /// Words of one line.
    Words,
    /// Words that need more room.
    Sentence,
    /// A number without decimals.
    Count,
    /// A figure with this many decimals.
    Figure(u8),
    /// A change in percent, with its sign and this many decimals.
    Change(u8),
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// With its unit.
    pub heading: String,
    /// What its cells are.
    pub show: Show,
}

/// A cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Not measured, not recorded, not applicable.
    Absent,
    /// Words, possibly of people who cannot be trusted.
    Text(String),
    /// A figure in the unit of its column.
    Number(f64),
}

/// A table in one language.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Which it is.
    pub kind: Kind,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows.
    pub rows: Vec<Vec<Cell>>,
}

/// One table of a report.
#[must_use]
pub fn table(report: &Report, kind: Kind, lang: Lang) -> Table {
    let page = Page { report, lang, words: labels(lang) };
    match kind {
        Kind::Conclusion => page.conclusion(),
        Kind::Options => page.options(),
        Kind::Runs => page.runs(),
        Kind::Findings => page.findings(),
    }
}

impl From<Option<String>> for Cell {
    fn from(text: Option<String>) -> Self {
        text.filter(|text| !text.is_empty()).map_or(Self::Absent, Self::Text)
    }
}

impl From<Option<f64>> for Cell {
    fn from(value: Option<f64>) -> Self {
        value.filter(|value| value.is_finite()).map_or(Self::Absent, Self::Number)
    }
}

impl From<Option<u64>> for Cell {
    fn from(value: Option<u64>) -> Self {
        value.map(|value| value as f64).into()
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Some(text.to_owned()).into()
    }
}

/// A column and how its cell follows from a row.
struct Field<'a, Row> {
    column: Column,
    cell: Box<dyn Fn(&Row) -> Cell + 'a>,
}

impl<'a, Row> Field<'a, Row> {
    fn new<C: Into<Cell>>(heading: impl Into<String>, show: Show, cell: impl Fn(&Row) -> C + 'a) -> Self {
        Self { column: Column { heading: heading.into(), show }, cell: Box::new(move |row| cell(row).into()) }
    }
}

struct Page<'a> {
    report: &'a Report,
    lang: Lang,
    words: &'static Labels,
}

impl Page<'_> {
    fn table<'r, Row: 'r>(kind: Kind, fields: Vec<Field<'_, Row>>, rows: impl IntoIterator<Item = &'r Row>) -> Table {
        let cells = |row: &Row| fields.iter().map(|field| (field.cell)(row)).collect();
        Table {
            kind,
            rows: rows.into_iter().map(cells).collect(),
            columns: fields.into_iter().map(|field| field.column).collect(),
        }
    }

    /// A heading with what it is measured in: `Total TPS (reported, tok/s)`.
    fn heading(&self, name: &str, more: &[&str]) -> String {
        format!("{name}{}{}{}", self.words.open, more.join(self.words.comma), self.words.close)
    }

    fn profile_name(&self, id: &ProfileId) -> String {
        self.report.profile(id).map_or(id.as_str(), |profile| profile.name.get(self.lang)).to_owned()
    }

    fn variant_name(&self, id: &VariantId) -> String {
        variant_name(self.lang, self.report, id).plain()
    }

    fn pct(&self) -> Show {
        Show::Change(self.report.decimals)
    }
}
