//! Foreign formats, one file each. The format is found from the content, never asked for; units are set here, once.
//!
//! Invariant: what was not measured is absent. A strange optional field is a warning, a missing essential one an error
//! that says where.

mod aiperf;
mod block;
mod evalscope;
mod flat;
mod flat_table;
mod genai_bench;
mod gpustack;
mod guidellm;
mod inference_benchmarker;
mod inference_perf;
mod inferencemax;
mod json;
mod listed;
mod llm_d;
mod llmperf;
mod lmdeploy;
mod measured;
mod mlperf;
mod node;
mod prune;
mod sglang;
mod table;
mod text;
mod trtllm;
mod vllm_offline;
mod vllm_serve;
mod yaml;

use std::io::{self, Read};

use thiserror::Error;

use crate::run::Measurement;

/// What a raw output holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parsed {
    /// Results in the order of the file. Never empty.
    pub runs: Vec<Measurement>,
    /// What was doubted or left out.
    pub warnings: Vec<Warning>,
    /// Results that cannot be read, each with its place and reason, in the order of the file. Nothing of them is in `runs`,
    /// whose places count only what was read: the same bytes give the same places.
    pub rejected: Vec<ParseError>,
}

impl Parsed {
    /// What a file holds; one without any result is the first reason why.
    fn of(runs: Vec<Measurement>, warnings: Vec<Warning>, rejected: Vec<ParseError>) -> Result<Self, ParseError> {
        if runs.is_empty() {
            return Err(rejected.into_iter().next().unwrap_or(ParseError::NoResult));
        }
        Ok(Self { runs, warnings, rejected })
    }
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
    /// The source could not be read to its end.
    #[error("the file cannot be read: {reason}")]
    Source {
        /// In the system's words.
        reason: String,
    },
    /// A text or document beyond what any tool writes.
    #[error(
        "line {line}: the file holds more than {limit_mb} MB besides per-request data; no benchmark tool writes that"
    )]
    TooLarge {
        /// Where the limit was reached, from 1.
        line: usize,
        /// The limit.
        limit_mb: usize,
    },
    /// JSON that is none.
    #[error("line {line}: the JSON cannot be read: {reason}")]
    Json {
        /// From 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// A key that every result of a format has.
    #[error("line {line}: {path} is missing; every result of this tool has it")]
    MissingPath {
        /// Where the document starts, from 1.
        line: usize,
        /// Its path.
        path: String,
    },
    /// A value that cannot be what its key says.
    #[error("line {line}: {path} is {value}; expected {expected}")]
    BadPath {
        /// Where the document starts, from 1.
        line: usize,
        /// Its path.
        path: String,
        /// The value found, cut at 80 characters.
        value: String,
        /// What could have stood there.
        expected: &'static str,
    },
    /// JSON of a shape that no known tool writes.
    #[error("line {line}: no benchmark result found; the document has the keys {keys}, which fit no known tool")]
    UnknownDocument {
        /// Where the document starts, from 1.
        line: usize,
        /// Its first keys.
        keys: String,
    },
    /// YAML that is none, or not a report's.
    #[error("line {line}: the YAML cannot be read: {reason}")]
    Yaml {
        /// From 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// Requests listed one by one, more than are added up.
    #[error("line {line}: the file lists more than {limit} requests of one load point")]
    TooManyRequests {
        /// Where the limit was reached, from 1.
        line: usize,
        /// The limit.
        limit: usize,
    },
    /// More results than a file can be meant to hold.
    #[error("line {line}: the file holds more than {limit} results; divide it")]
    TooManyRuns {
        /// Where the limit was reached, from 1.
        line: usize,
        /// The limit.
        limit: usize,
    },
    /// A file of a known tool that goes with a result but does not hold one.
    #[error("line {line}: the file holds {found}; {instead}")]
    NotAResult {
        /// From 1.
        line: usize,
        /// What it is.
        found: &'static str,
        /// What to do.
        instead: &'static str,
    },
    /// Text without a result.
    #[error(
        "line 1: no benchmark result found; expected the output of vllm bench serve, sglang.bench_serving, GuideLLM, AIPerf or another known tool"
    )]
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
    /// A block that stops before its end.
    #[error("line {line}: the block that starts here has no closing rule (a line of \"=\"); it is cut off")]
    CutOff {
        /// Where the block starts, from 1.
        line: usize,
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

impl ParseError {
    /// The line that it is about, from 1; none where the whole file is.
    pub fn line(&self) -> Option<usize> {
        match self {
            Self::Source { .. } => None,
            Self::Empty | Self::NoResult => Some(1),
            Self::Binary { line, .. }
            | Self::TooLarge { line, .. }
            | Self::Json { line, .. }
            | Self::MissingPath { line, .. }
            | Self::BadPath { line, .. }
            | Self::UnknownDocument { line, .. }
            | Self::Yaml { line, .. }
            | Self::TooManyRequests { line, .. }
            | Self::TooManyRuns { line, .. }
            | Self::NotAResult { line, .. }
            | Self::Template { line, .. }
            | Self::CutOff { line }
            | Self::BadValue { line, .. }
            | Self::MissingField { line, .. }
            | Self::GivenTwice { line, .. } => Some(*line),
        }
    }

    /// The key or label that it is about, where it is about one.
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::MissingPath { path, .. } | Self::BadPath { path, .. } => Some(path),
            Self::BadValue { field, .. } | Self::GivenTwice { field, .. } => Some(field),
            Self::MissingField { field, .. } => Some(field),
            Self::Source { .. }
            | Self::Empty
            | Self::NoResult
            | Self::Binary { .. }
            | Self::TooLarge { .. }
            | Self::Json { .. }
            | Self::UnknownDocument { .. }
            | Self::Yaml { .. }
            | Self::TooManyRequests { .. }
            | Self::TooManyRuns { .. }
            | Self::NotAResult { .. }
            | Self::Template { .. }
            | Self::CutOff { .. } => None,
        }
    }
}

/// Readers of text by its content, in the order in which they are asked; none means "not mine".
type TextReader = fn(&str) -> Option<Result<Parsed, ParseError>>;
const TEXTS: [TextReader; 6] =
    [guidellm::html, table::parse, yaml::parse, block::parse, trtllm::console, mlperf::summary];

/// Console output that is not read, because the tool writes a file with more: it is answered with that file's name.
const CONSOLES: [fn(&str) -> Option<ParseError>; 2] = [guidellm::console, evalscope::console];

/// A text is read whole: logs with results reach some megabytes.
const MAX_TEXT: usize = 64 * 1024 * 1024;
/// A text that starts like JSON (a log line before a block) is told only at its end: so much is kept until then.
const MAX_HELD: usize = 4 * 1024 * 1024;

/// Reads a raw output in whatever known format it has.
pub fn parse(bytes: &[u8]) -> Result<Parsed, ParseError> {
    read(&mut &*bytes)
}

/// Reads a raw output of any size from a stream: JSON with bounded memory, text up to 64 MB.
pub fn read(source: &mut dyn Read) -> Result<Parsed, ParseError> {
    let failed = |error: io::Error| ParseError::Source { reason: error.to_string() };
    let mut start = Vec::new();
    source.take(4096).read_to_end(&mut start).map_err(failed)?;
    let bare = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&start);
    if let Some(at) = json_at(bare) {
        let lines = bare[..at].iter().filter(|byte| **byte == b'\n').count();
        let mut held = Held { source, bytes: start.clone(), is_whole: false };
        let parsed = json::parse(&bare[at..], lines, &mut held);
        let Err(error) = parsed else { return parsed };
        let text = held.text().and_then(|bytes| text::decode(bytes).ok());
        return text.and_then(|text| of_text(&text)?.ok()).ok_or(error);
    }
    source.take(MAX_TEXT as u64 + 1).read_to_end(&mut start).map_err(failed)?;
    if start.len() > MAX_TEXT {
        return Err(ParseError::TooLarge { line: 1, limit_mb: MAX_TEXT / (1024 * 1024) });
    }
    let text = text::decode(&start)?;
    if text.trim().is_empty() {
        return Err(ParseError::Empty);
    }
    match of_text(&text) {
        Some(Ok(parsed)) => Ok(parsed),
        // A page may show a document instead.
        other => json::inside(&text)
            .or_else(|| other?.err().map(Err))
            .unwrap_or_else(|| Err(CONSOLES.iter().find_map(|console| console(&text)).unwrap_or(ParseError::NoResult))),
    }
}

fn of_text(text: &str) -> Option<Result<Parsed, ParseError>> {
    TEXTS.iter().find_map(|read| read(text))
}

/// Keeps the start of what is read from a source.
struct Held<'a> {
    source: &'a mut dyn Read,
    bytes: Vec<u8>,
    /// The source has ended.
    is_whole: bool,
}

impl Held<'_> {
    /// All of the source, if it has ended and was not longer than is kept.
    fn text(&self) -> Option<&[u8]> {
        (self.is_whole && !self.bytes.is_empty()).then_some(&self.bytes)
    }
}

impl Read for Held<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(to)?;
        self.is_whole |= read == 0;
        if self.bytes.len() + read > MAX_HELD {
            self.bytes = Vec::new();
        } else if !self.bytes.is_empty() {
            self.bytes.extend_from_slice(&to[..read]);
        }
        Ok(read)
    }
}

/// Whether a file starts like JSON, and where. A log may start with a bracket too (`[2026-03-01 10:15:00]`, `[INFO]`): a
/// result is an object, or a list of objects.
fn json_at(bytes: &[u8]) -> Option<usize> {
    let solid = |from: usize| bytes[from..].iter().position(|byte| !byte.is_ascii_whitespace()).map(|at| from + at);
    let at = solid(0)?;
    let next = solid(at + 1).map(|at| bytes[at]);
    let fits = match bytes[at] {
        b'{' => matches!(next, None | Some(b'"' | b'}' | b'{')),
        b'[' => matches!(next, None | Some(b'{' | b'[' | b']' | b'"')),
        _ => false,
    };
    fits.then_some(at)
}
