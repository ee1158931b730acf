//! Foreign formats, one file each. The format is found from the content, never asked for; units are set here, once.
//!
//! Invariant: what was not measured is absent. A strange optional field is a warning, a missing essential one an error
//! that says where.

mod block;
mod text;

use thiserror::Error;

use crate::run::Measurement;

/// What a raw output holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parsed {
    /// Results in the order of the file. Never empty.
    pub runs: Vec<Measurement>,
    /// What was doubted or left out.
    pub warnings: Vec<Warning>,
}

/// Something strange that does not keep a result from being read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// Line in the file, from 1, where there is one.
    pub line: Option<usize>,
    /// What was found and what was made of it.
    pub message: String,
}

/// Why a raw output cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ParseError {
    /// Nothing there.
    #[error("line 1: the file is empty; expected the output of a benchmark tool")]
    Empty,
    /// Not text.
    #[error("line {line}: byte {byte:#04x} is not text; expected the output of a benchmark tool")]
    Binary {
        /// From 1.
        line: usize,
        /// The byte found.
        byte: u8,
    },
    /// Text without a result.
    #[error("line 1: no benchmark result found; looked for a \"Serving Benchmark Result\" block")]
    NoResult,
    /// A result that is only a template, such as `xxx.xx`.
    #[error("line {line}: the block is a template (\"{value}\"), not a result")]
    Template {
        /// From 1.
        line: usize,
        /// The value found.
        value: String,
    },
    /// A value that cannot be what its label says.
    #[error("line {line}: {field} is \"{value}\"; expected {expected}")]
    BadValue {
        /// From 1.
        line: usize,
        /// The label as printed.
        field: String,
        /// The value as printed, cut at 80 characters.
        value: String,
        /// What could have stood there.
        expected: &'static str,
    },
    /// A label that every result has.
    #[error("line {line}: the block that starts here has no \"{field}\" line; it may be cut off")]
    MissingField {
        /// Where the block starts, from 1.
        line: usize,
        /// The label that is missing.
        field: &'static str,
    },
    /// The same label twice with different values: two blocks run into one another.
    #[error(
        "line {line}: {field} is given twice in one block, as {first} and {second}; two results may have run into one another"
    )]
    GivenTwice {
        /// From 1.
        line: usize,
        /// The label as printed.
        field: String,
        /// The first value.
        first: String,
        /// The second value.
        second: String,
    },
}

/// Reads a raw output in whatever known format it has.
pub fn parse(bytes: &[u8]) -> Result<Parsed, ParseError> {
    let text = text::decode(bytes)?;
    if text.trim().is_empty() {
        return Err(ParseError::Empty);
    }
    block::parse(&text)
}
