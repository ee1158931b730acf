//! YAML reports (GuideLLM, GPUStack's export, llm-d's Benchmark Report): read as events, so that depth, aliases and size
//! can be counted, and handed to the same readers as JSON.

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Number, Value};

use super::{ParseError, Parsed, json, prune};

/// As deep as serde_json reads JSON.
const MAX_DEPTH: usize = 128;
/// Aliases repeat what they name: a small file can ask for any number of values.
const MAX_VALUES: usize = 1_000_000;

/// Reads a report, if the text is one by its keys.
pub(super) fn parse(text: &str) -> Option<Result<Parsed, ParseError>> {
    if !is_report(text) {
        return None;
    }
    Some(load(text).and_then(|value| json::read(&value, 1)))
}

/// The top-level keys of a known report, at the start of lines.
fn is_report(text: &str) -> bool {
    let (mut version, mut figures, mut benchmarks) = (false, false, false);
    for line in text.lines() {
        match line.split(':').next().unwrap_or_default().trim_end() {
            "version" => version = true,
            "metrics" | "results" => figures = true,
            "benchmarks" => benchmarks = true,
            key if key.starts_with("===") => return false,
            _ => {}
        }
    }
    benchmarks || (version && figures)
}

/// A collection that is being filled.
enum Open {
    List { anchor: usize, items: Vec<Value> },
    Map { anchor: usize, entries: Map<String, Value>, key: Option<String> },
}

#[derive(Default)]
struct Loader {
    open: Vec<Open>,
    anchors: std::collections::HashMap<usize, Value>,
    values: usize,
    done: Option<Value>,
}

/// The first document of a text. Values under keys that hold per-request data are passed over.
fn load(text: &str) -> Result<Value, ParseError> {
    let mut loader = Loader::default();
    // Depth inside a value that is passed over.
    let mut skipping = 0_usize;
    for event in Parser::new_from_str(text) {
        let (event, span) =
            event.map_err(|error| ParseError::Yaml { line: error.marker().line(), reason: error.info().to_owned() })?;
        let line = span.start.line();
        let opens = matches!(event, Event::SequenceStart(..) | Event::MappingStart(..));
        if skipping > 0 {
            match event {
                _ if opens => skipping += 1,
                Event::SequenceEnd | Event::MappingEnd => skipping -= 1,
                _ => {}
            }
            continue;
        }
        if opens && loader.is_per_request() {
            skipping = 1;
            loader.put(Value::Null, 0, line)?;
            continue;
        }
        match event {
            Event::Scalar(text, style, anchor, _) => {
                let value = if style == ScalarStyle::Plain { plain(&text) } else { Value::String(text.into_owned()) };
                loader.scalar(value, anchor, line)?;
            }
            Event::SequenceStart(anchor, _) => loader.start(Open::List { anchor, items: Vec::new() }, line)?,
            Event::MappingStart(anchor, _) => {
                loader.start(Open::Map { anchor, entries: Map::new(), key: None }, line)?;
            }
            Event::SequenceEnd | Event::MappingEnd => loader.end(line)?,
            Event::Alias(anchor) => {
                let value = loader.anchors.get(&anchor).cloned().unwrap_or_default();
                loader.values += size(&value);
                loader.scalar(value, 0, line)?;
            }
            Event::DocumentEnd => break,
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) => {}
        }
    }
    Ok(loader.done.unwrap_or_default())
}

impl Loader {
    /// Whether the value that starts here is per-request data, by the rules for JSON.
    fn is_per_request(&self) -> bool {
        let Some(Open::Map { key: Some(key), .. }) = self.open.last() else { return false };
        let around = self.open.iter().rev().skip(1).find_map(|open| match open {
            Open::Map { key, .. } => key.as_deref(),
            Open::List { .. } => None,
        });
        prune::is_skipped(around, key)
    }

    fn start(&mut self, open: Open, line: usize) -> Result<(), ParseError> {
        if self.open.len() >= MAX_DEPTH {
            return Err(ParseError::Yaml { line, reason: "values are nested too deeply".to_owned() });
        }
        if let Some(Open::Map { key: None, .. }) = self.open.last() {
            return Err(ParseError::Yaml { line, reason: "a key is a list or a map".to_owned() });
        }
        self.open.push(open);
        Ok(())
    }

    fn end(&mut self, line: usize) -> Result<(), ParseError> {
        match self.open.pop() {
            Some(Open::List { anchor, items }) => self.put(Value::Array(items), anchor, line),
            Some(Open::Map { anchor, entries, .. }) => self.put(Value::Object(entries), anchor, line),
            None => Err(ParseError::Yaml { line, reason: "a value ends that never started".to_owned() }),
        }
    }

    /// A key, or a value by itself.
    fn scalar(&mut self, value: Value, anchor: usize, line: usize) -> Result<(), ParseError> {
        if let Some(Open::Map { key: key @ None, .. }) = self.open.last_mut() {
            *key = Some(match value {
                Value::String(text) => text,
                other => other.to_string(),
            });
            return Ok(());
        }
        self.put(value, anchor, line)
    }

    fn put(&mut self, value: Value, anchor: usize, line: usize) -> Result<(), ParseError> {
        self.values += 1;
        if self.values > MAX_VALUES {
            return Err(ParseError::Yaml { line, reason: format!("more than {MAX_VALUES} values") });
        }
        if anchor > 0 {
            self.values += size(&value);
            self.anchors.insert(anchor, value.clone());
        }
        match self.open.last_mut() {
            None => self.done = Some(value),
            Some(Open::List { items, .. }) => items.push(value),
            Some(Open::Map { entries, key, .. }) => {
                entries.insert(key.take().unwrap_or_default(), value);
            }
        }
        Ok(())
    }
}

/// How many values a value holds; sixteen bytes of text weigh as one, since aliases repeat texts too.
fn size(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(entries) => entries.iter().map(|(key, value)| key.len() / 16 + size(value)).sum(),
        Value::String(text) => text.len() / 16,
        _ => 0,
    }
}

/// A plain scalar of the core schema; `.inf` and `.nan` become the words that JSON's readers know.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    match text.to_ascii_lowercase().trim_start_matches(['+', '-']) {
        ".inf" if text.starts_with('-') => return Value::String("-Infinity".to_owned()),
        ".inf" => return Value::String("Infinity".to_owned()),
        ".nan" => return Value::String("NaN".to_owned()),
        _ => {}
    }
    if let Ok(whole) = text.parse::<i64>() {
        return Value::Number(whole.into());
    }
    let numeric = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    let figure = numeric.then(|| text.parse::<f64>().ok().and_then(Number::from_f64)).flatten();
    figure.map_or_else(|| Value::String(text.to_owned()), Value::Number)
}
