//! Tables of results, one row a run: `summary.csv` of `vllm bench sweep` (pandas, with lists in cells), LMDeploy's CSV,
//! JSON lines that somebody turned into a table, and tables made by hand whose columns are named like the rows of a text
//! block.

use serde_json::Value;

use super::node::{Doubts, Node};
use super::table::Row;
use super::{ParseError, Parsed, Warning, block, json};
use crate::run::Measurement;

/// Columns that make a header worth a look.
const BY_LABEL: [&str; 2] = ["Successful requests", "Benchmark duration (s)"];
const BY_KEY: [&str; 2] = ["completed", "duration"];
/// A cell with more is a list of per-request values, which no figure rests on.
const MAX_CELL: usize = 1_000;

/// The runs of such a table.
pub(super) fn csv(rows: &[Row]) -> Option<Result<Parsed, ParseError>> {
    let (header, rows) = rows.split_first()?;
    let has = |column: &&str| header.cells.iter().any(|cell| cell.eq_ignore_ascii_case(column));
    let by_label = BY_LABEL.iter().all(has);
    (by_label || BY_KEY.iter().all(has)).then(|| read(header, rows, by_label))
}

fn read(header: &Row, rows: &[Row], by_label: bool) -> Result<Parsed, ParseError> {
    let doubts = Doubts::default();
    let rows = rows.iter().filter(|row| row.cells.iter().any(|cell| !cell.is_empty()));
    let runs: Vec<Measurement> =
        rows.filter_map(|row| doubts.attempt(|| of_row(header, row, by_label, &doubts))).flatten().collect();
    doubts.parsed(runs)
}

/// A row with fewer cells than the header is cut off, one with more is no row of this table.
fn of_row(header: &Row, row: &Row, by_label: bool, doubts: &Doubts) -> Result<Vec<Measurement>, ParseError> {
    if row.cells.len() != header.cells.len() {
        return Err(ParseError::BadValue {
            line: row.line,
            field: "the row".to_owned(),
            value: format!("{} cells long", row.cells.len()),
            expected: "as many cells as the header has",
        });
    }
    let cells = header.cells.iter().zip(&row.cells).map(|(key, cell)| (key.as_str(), cell.as_str()));
    if by_label {
        let mut warnings = Vec::new();
        let run = block::parse_row(row.line, cells, &mut warnings)?;
        warnings.into_iter().for_each(|Warning { message, .. }| doubts.warn(row.line, || message));
        return Ok(vec![run]);
    }
    let document = Value::Object(cells.filter(|(key, _)| !key.is_empty()).map(entry).collect());
    json::document(&Node::root(&document, row.line, doubts))
}

/// A cell as an entry of a document. Blanks are pandas' missing values; a list is per-request data.
fn entry((key, cell): (&str, &str)) -> (String, Value) {
    let missing = cell.is_empty() || cell.len() > MAX_CELL || cell.starts_with('[');
    let value = match cell {
        _ if missing => Value::Null,
        "True" => Value::Bool(true),
        "False" => Value::Bool(false),
        text => Value::String(text.to_owned()),
    };
    (key.to_owned(), value)
}
