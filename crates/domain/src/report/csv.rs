//! A table of a report as CSV (RFC 4180): UTF-8 with a byte order mark, for Excel takes it for another encoding without,
//! lines that end with CR LF, and figures with all of their digits.
//!
//! Invariant: no cell is a formula. Programs take a text for one by its first character, and a study's names are written by
//! people who cannot be trusted; such a text gets an apostrophe in front. A figure below zero is a figure.

use super::Report;
use super::table::{Cell, Kind, table};
use crate::text::Lang;

const BYTE_ORDER_MARK: char = '\u{feff}';
/// What makes spreadsheet programs calculate. Those of East Asia take the full-width forms, too.
const CALCULATES: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// Writes a table of the report. Same report, same language, same bytes.
#[must_use]
pub fn csv(report: &Report, kind: Kind, lang: Lang) -> String {
    let table = table(report, kind, lang);
    let mut out = String::from(BYTE_ORDER_MARK);
    line(&mut out, table.columns.into_iter().map(|column| column.heading));
    for row in table.rows {
        line(&mut out, row.into_iter().map(written));
    }
    out
}

fn written(cell: Cell) -> String {
    match cell {
        Cell::Absent => String::new(),
        // Shortest text that reads back as the same number.
        Cell::Number(value) => value.to_string(),
        // Some programs drop the space in front before they look.
        Cell::Text(text) if text.trim_start().starts_with(CALCULATES) || text.starts_with(CALCULATES) => {
            format!("'{text}")
        }
        Cell::Text(text) => text,
    }
}

fn line(out: &mut String, cells: impl Iterator<Item = String>) {
    for (at, cell) in cells.enumerate() {
        if at > 0 {
            out.push(',');
        }
        // A space at an end is lost in some programs where it is not quoted.
        if cell.contains([',', '"', '\r', '\n']) || cell.starts_with(' ') || cell.ends_with(' ') {
            out.push('"');
            out.push_str(&cell.replace('"', "\"\""));
            out.push('"');
        } else {
            out.push_str(&cell);
        }
    }
    out.push_str("\r\n");
}
