//! A place in a foreign document, with its path: what is absent is `None`, what is strange is a warning that names the
//! path, what is missing although every result has it is an error that names the path.

use std::cell::RefCell;

use serde_json::Value;

use super::{ParseError, Parsed, Warning, text};
use crate::metrics::{Distribution, Stat};
use crate::run::Measurement;
use crate::units::{Ms, ReqPerSec, RequestRate};

/// Words that stand for "no figure".
const NOT_MEASURED: [&str; 9] = ["", "n/a", "na", "nan", "-nan", "none", "null", "-", "--"];
/// Above this, a rate is a way to say "all at once" (1e9, 1e13; GPUStack's 1000 is a rate that a client can send).
const UNLIMITED_FROM: f64 = 1e7;

/// Above 2^53 a double cannot tell whole numbers apart.
const MAX_COUNT: f64 = 9_007_199_254_740_992.0;

/// Nobody reads more; a file can ask for any number.
const MAX_DOUBTS: usize = 500;

/// What is noted while documents are read: doubts about places, and results that cannot be read.
#[derive(Default)]
pub(super) struct Doubts {
    warnings: RefCell<Vec<Warning>>,
    rejected: RefCell<Vec<ParseError>>,
}

impl Doubts {
    /// Reads one result among others. One that cannot be read is noted, and what was doubted about it is taken back.
    pub(super) fn attempt<T>(&self, read: impl FnOnce() -> Result<T, ParseError>) -> Option<T> {
        let before = self.warnings.borrow().len();
        match read() {
            Ok(read) => Some(read),
            Err(error) => {
                self.warnings.borrow_mut().truncate(before);
                self.reject(error);
                None
            }
        }
    }

    /// Notes a result that cannot be read. Lines that belong to a result but are none (one a request) are noted once.
    pub(super) fn reject(&self, error: ParseError) {
        let mut rejected = self.rejected.borrow_mut();
        if let (ParseError::NotAResult { found, .. }, Some(ParseError::NotAResult { found: last, .. })) =
            (&error, rejected.last())
            && found == last
        {
            return;
        }
        rejected.push(error);
    }

    /// The first result that cannot be read.
    pub(super) fn first_rejected(&self) -> Option<ParseError> {
        self.rejected.borrow().first().cloned()
    }

    /// How many results cannot be read so far.
    pub(super) fn rejections(&self) -> usize {
        self.rejected.borrow().len()
    }

    /// Notes a doubt; a file can ask for any number of them.
    pub(super) fn warn(&self, line: usize, message: impl FnOnce() -> String) {
        let mut warnings = self.warnings.borrow_mut();
        let message = match warnings.len() {
            0..MAX_DOUBTS => message(),
            MAX_DOUBTS => "more was doubted than is listed here".to_owned(),
            _ => return,
        };
        warnings.push(Warning { line: Some(line), message });
    }

    /// What was read, with what was noted meanwhile.
    pub(super) fn parsed(self, runs: Vec<Measurement>) -> Result<Parsed, ParseError> {
        Parsed::of(runs, self.warnings.into_inner(), self.rejected.into_inner())
    }
}

/// A value, where it stands, and where doubts about it go.
#[derive(Clone)]
pub(super) struct Node<'a> {
    value: &'a Value,
    path: String,
    line: usize,
    doubts: &'a Doubts,
}

/// How a latency is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// Nanoseconds.
    Nanos,
    /// Microseconds.
    Micros,
    /// Milliseconds.
    Millis,
    /// Seconds.
    Seconds,
}

impl Unit {
    /// A figure in this unit, in milliseconds.
    pub(super) fn ms(self, figure: f64) -> Option<Ms> {
        match self {
            Self::Nanos => Ms::new(figure / 1_000_000.0),
            Self::Micros => Ms::new(figure / 1_000.0),
            Self::Millis => Ms::new(figure),
            Self::Seconds => Ms::from_secs(figure),
        }
    }

    /// The unit that a file names: `ms`, `s`, `sec`, `us`, `ns`, `s/token`, `ms/token`.
    pub(super) fn named(name: &str) -> Option<Self> {
        match name.trim().to_ascii_lowercase().trim_end_matches("/token") {
            "ms" | "msec" | "milliseconds" => Some(Self::Millis),
            "s" | "sec" | "seconds" => Some(Self::Seconds),
            // The sign for micro is two characters of Unicode.
            "us" | "usec" | "\u{b5}s" | "\u{3bc}s" | "microseconds" => Some(Self::Micros),
            "ns" | "nanoseconds" => Some(Self::Nanos),
            _ => None,
        }
    }
}

impl<'a> Node<'a> {
    /// The whole document, which starts at `line` of its file.
    pub(super) fn root(value: &'a Value, line: usize, doubts: &'a Doubts) -> Self {
        Self { value, path: String::new(), line, doubts }
    }

    /// The bare value, for detection.
    pub(super) fn value(&self) -> &'a Value {
        self.value
    }

    /// The line on which its document starts.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// Where it stands, for messages.
    pub(super) fn path(&self) -> &str {
        if self.path.is_empty() { "the document" } else { &self.path }
    }

    /// The value under `key`; a null is no value.
    pub(super) fn get(&self, key: &str) -> Option<Self> {
        let value = self.value.get(key).filter(|value| !value.is_null())?;
        let path = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        Some(Self { value, path, line: self.line, doubts: self.doubts })
    }

    /// The value at the end of `keys`.
    pub(super) fn at(&self, keys: &[&str]) -> Option<Self> {
        keys.iter().try_fold(self.clone(), |node, key| node.get(key))
    }

    /// The items of a list; anything else has none.
    pub(super) fn items(&self) -> impl Iterator<Item = Self> + use<'a> {
        let items = self.value.as_array().map(Vec::as_slice).unwrap_or_default();
        let (path, line, doubts) = (self.path.clone(), self.line, self.doubts);
        items.iter().enumerate().map(move |(at, value)| Self { value, path: format!("{path}[{at}]"), line, doubts })
    }

    /// The entries of an object, in the file's order; anything else has none.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&'a str, Self)> + use<'a> {
        let object = self.value.as_object();
        let (path, line, doubts) = (self.path.clone(), self.line, self.doubts);
        object.into_iter().flatten().map(move |(key, value)| {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            (key.as_str(), Self { value, path, line, doubts })
        })
    }

    /// A text, or a number as text.
    pub(super) fn text(&self) -> Option<String> {
        match self.value {
            Value::String(text) if !NOT_MEASURED.contains(&text.trim().to_ascii_lowercase().as_str()) => {
                Some(text.trim().to_owned())
            }
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }

    /// The text under `key`.
    pub(super) fn text_at(&self, key: &str) -> Option<String> {
        self.get(key)?.text()
    }

    /// A finite figure: a number, or a text that holds one (`"1,103.58"`). Words for "no figure" are none; anything else
    /// is none with a doubt.
    pub(super) fn figure(&self) -> Option<f64> {
        match self.value {
            Value::Number(number) => number.as_f64().filter(|figure| figure.is_finite()),
            Value::String(written) => {
                let word = written.trim().to_ascii_lowercase();
                if NOT_MEASURED.contains(&word.as_str()) || word.trim_start_matches('-').starts_with("inf") {
                    return None;
                }
                let figure = text::number(&word).filter(|figure| figure.is_finite());
                if figure.is_none() {
                    self.doubt(&format!("is \"{}\", not a number; left out", shortened(written)));
                }
                figure
            }
            Value::Null => None,
            other => {
                self.doubt(&format!("is {}, not a number; left out", kind(other)));
                None
            }
        }
    }

    /// The figure under `key`, if it is there and not negative; a negative one is left out with a doubt.
    pub(super) fn figure_at(&self, key: &str) -> Option<f64> {
        let node = self.get(key)?;
        let figure = node.figure()?;
        if figure < 0.0 {
            node.doubt(&format!("is {figure}, below 0; left out"));
            return None;
        }
        Some(figure)
    }

    /// The figure under `key`, which every result of this kind has.
    pub(super) fn need(&self, key: &str) -> Result<f64, ParseError> {
        let path = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        let Some(node) = self.get(key) else {
            return Err(ParseError::MissingPath { line: self.line, path });
        };
        match node.figure() {
            Some(figure) if figure >= 0.0 => Ok(figure),
            Some(figure) => Err(ParseError::BadPath {
                line: self.line,
                path,
                value: figure.to_string(),
                expected: "a number that is not negative",
            }),
            None => Err(ParseError::BadPath {
                line: self.line,
                path,
                value: shortened(&node.value.to_string()),
                expected: "a number",
            }),
        }
    }

    /// The figure under `key`, which may be missing or not measured, but not be anything else: durations and counts of
    /// requests, which everything rests on.
    pub(super) fn sound(&self, key: &str) -> Result<Option<f64>, ParseError> {
        let Some(node) = self.get(key) else { return Ok(None) };
        let unmeasured = |text: &str| NOT_MEASURED.contains(&text.trim().to_ascii_lowercase().as_str());
        match node.value {
            Value::String(text) if unmeasured(text) => Ok(None),
            _ => self.need(key).map(Some),
        }
    }

    /// As [`Node::sound`], a count.
    pub(super) fn sound_count(&self, key: &str) -> Result<Option<u64>, ParseError> {
        let Some(figure) = self.sound(key)? else { return Ok(None) };
        if figure.fract() == 0.0 && figure <= MAX_COUNT {
            return Ok(Some(figure as u64));
        }
        let path = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        Err(ParseError::BadPath { line: self.line, path, value: figure.to_string(), expected: "a whole number" })
    }

    /// The count under `key`; one that is not whole is left out with a doubt.
    pub(super) fn count_at(&self, key: &str) -> Option<u64> {
        let figure = self.figure_at(key)?;
        if figure.fract() == 0.0 && figure <= MAX_COUNT {
            return Some(figure as u64);
        }
        self.get(key)?.doubt(&format!("is {figure}, not a count; left out"));
        None
    }

    /// A load asked for: a rate, or a way to say "all at once" (`inf`, −1, 1e9).
    pub(super) fn rate_at(&self, key: &str) -> Option<RequestRate> {
        let node = self.get(key)?;
        if let Value::String(text) = node.value
            && text.trim().to_ascii_lowercase().starts_with("inf")
        {
            return Some(RequestRate::Unlimited);
        }
        match node.figure()? {
            figure if !(0.0..UNLIMITED_FROM).contains(&figure) => Some(RequestRate::Unlimited),
            figure => ReqPerSec::new(figure).filter(|rate| rate.get() > 0.0).map(RequestRate::PerSec),
        }
    }

    /// Statistics that stand as keys of an object, read by `stat` (which says none for keys that are no statistic).
    pub(super) fn distribution(&self, unit: Unit, stat: impl Fn(&str) -> Option<Stat>) -> Distribution {
        let figures = self.entries().filter_map(|(key, _)| {
            let stat = stat(key)?;
            Some((stat, unit.ms(self.figure_at(key)?)?))
        });
        figures.collect()
    }

    /// The error for a file that holds no result of its own but belongs to one.
    pub(super) fn not_a_result(&self, found: &'static str, instead: &'static str) -> ParseError {
        ParseError::NotAResult { line: self.line, found, instead }
    }

    /// The error for a document that no reader knows.
    pub(super) fn unknown(&self) -> ParseError {
        let keys: Vec<&str> = self.entries().take(6).map(|(key, _)| key).collect();
        let keys = if keys.is_empty() { "(none)".to_owned() } else { shortened(&keys.join(", ")) };
        ParseError::UnknownDocument { line: self.line, keys }
    }

    /// Notes a doubt about this place.
    pub(super) fn doubt(&self, what: &str) {
        self.doubts.warn(self.line, || format!("{} {what}", self.path()));
    }

    /// Reads this place as a result of its own: see [`Doubts::attempt`].
    pub(super) fn attempt<T>(&self, read: impl FnOnce(&Self) -> Result<T, ParseError>) -> Option<T> {
        self.doubts.attempt(|| read(self))
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// At most 80 characters of a value, for a message.
fn shortened(text: &str) -> String {
    text.chars().take(80).collect()
}
