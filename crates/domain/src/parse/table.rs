//! CSV: rows with their lines. Which tool wrote a table is told by its header, never by the file's name.

use super::{ParseError, Parsed};

/// A table that many cells large is no summary; a cell costs a few bytes even when it is empty.
const MAX_CELLS: usize = 2_000_000;
/// No header has a shorter one, and prose with commas is no table.
const MIN_COLUMNS: usize = 2;

/// One record.
pub(super) struct Row {
    /// Where it starts in the file, from 1.
    pub(super) line: usize,
    pub(super) cells: Vec<String>,
}

/// Readers of tables; none means "not mine".
type Reader = fn(&[Row]) -> Option<Result<Parsed, ParseError>>;
const READERS: [Reader; 3] = [super::guidellm::csv, super::aiperf::csv, super::flat_table::csv];

/// Reads a table of a known tool.
pub(super) fn parse(text: &str) -> Option<Result<Parsed, ParseError>> {
    let first = text.lines().find(|line| !line.trim().is_empty())?;
    if first.split(',').count() < MIN_COLUMNS || !first.is_ascii() {
        return None;
    }
    // The header alone says whether it is worth reading on.
    let head = rows(first).ok()?;
    if !head
        .first()
        .is_some_and(|row| row.cells.iter().any(|cell| HEADERS.iter().any(|known| cell.eq_ignore_ascii_case(known))))
    {
        return None;
    }
    match rows(text) {
        Ok(rows) => READERS.iter().find_map(|read| read(&rows)),
        Err(error) => Some(Err(error)),
    }
}

/// Columns that a known table has in its first row.
const HEADERS: [&str; 4] = ["Run Info", "Successful Requests", "Metric", "completed"];

fn rows(text: &str) -> Result<Vec<Row>, ParseError> {
    if text.bytes().filter(|byte| *byte == b',').count() > MAX_CELLS {
        return Err(ParseError::TooLarge { line: 1, limit_mb: MAX_CELLS / 1_000_000 });
    }
    let mut reader = ::csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut rows = Vec::new();
    for record in reader.records() {
        let line = reader_line(&record);
        let record = record.map_err(|error| ParseError::BadValue {
            line,
            field: "the table".to_owned(),
            value: error.to_string().chars().take(80).collect(),
            expected: "rows of cells divided by commas",
        })?;
        rows.push(Row { line, cells: record.iter().map(|cell| cell.trim().to_owned()).collect() });
    }
    Ok(rows)
}

fn reader_line(record: &Result<::csv::StringRecord, ::csv::Error>) -> usize {
    let position = match record {
        Ok(record) => record.position(),
        Err(error) => error.position(),
    };
    position.map_or(1, |position| usize::try_from(position.line()).unwrap_or(usize::MAX))
}
