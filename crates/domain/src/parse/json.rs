//! JSON results: documents, JSON lines and appended objects. Each document is given to the first reader that knows it.

use std::cell::RefCell;
use std::io::Read;

use serde_json::Value;

use super::node::{Doubts, Node};
use super::{
    ParseError, Parsed, aiperf, evalscope, gpustack, guidellm, inference_benchmarker, inference_perf, inferencemax, llm_d,
    llmperf, prune,
};
use crate::run::Measurement;

/// A reader of one tool's documents.
struct Reader {
    /// Whether the document is this tool's, by the keys that only it has.
    knows: fn(&Node<'_>) -> bool,
    /// Its results, in order.
    read: fn(&Node<'_>) -> Result<Vec<Measurement>, ParseError>,
}

/// In the order in which they are asked: the first that knows a document reads it.
const READERS: [Reader; 10] = [
    Reader { knows: gpustack::knows, read: gpustack::read },
    Reader { knows: guidellm::knows, read: guidellm::read },
    Reader { knows: inference_perf::knows, read: inference_perf::read },
    Reader { knows: llmperf::knows, read: llmperf::read },
    Reader { knows: aiperf::knows, read: aiperf::read },
    Reader { knows: aiperf::knows_sweep, read: aiperf::read_sweep },
    Reader { knows: inference_benchmarker::knows, read: inference_benchmarker::read },
    Reader { knows: inferencemax::knows, read: inferencemax::read },
    Reader { knows: evalscope::knows, read: evalscope::read },
    Reader { knows: llm_d::knows, read: llm_d::read },
];

/// Reads all documents of a stream. `lines` stand before `start`.
pub(super) fn parse(start: &[u8], lines: usize, source: &mut dyn Read) -> Result<Parsed, ParseError> {
    let doubts: Doubts = RefCell::default();
    let mut runs = Vec::new();
    prune::documents(start, source, |document| {
        let value = document.value()?;
        runs.extend(one(&value, document.first_line + lines, &doubts)?);
        Ok(())
    })?;
    finished(runs, doubts)
}

/// Reads one document that starts on `line`, of whatever notation it was.
pub(super) fn read(value: &Value, line: usize) -> Result<Parsed, ParseError> {
    let doubts: Doubts = RefCell::default();
    let runs = one(value, line, &doubts)?;
    finished(runs, doubts)
}

fn one(value: &Value, line: usize, doubts: &Doubts) -> Result<Vec<Measurement>, ParseError> {
    let root = Node::root(value, line, doubts);
    let Some(reader) = READERS.iter().find(|reader| (reader.knows)(&root)) else {
        let keys: Vec<&str> = root.entries().take(6).map(|(key, _)| key).collect();
        let keys = if keys.is_empty() { "(none)".to_owned() } else { keys.join(", ") };
        return Err(ParseError::UnknownDocument { line, keys });
    };
    (reader.read)(&root)
}

fn finished(runs: Vec<Measurement>, doubts: Doubts) -> Result<Parsed, ParseError> {
    if runs.is_empty() {
        return Err(ParseError::NoResult);
    }
    Ok(Parsed { runs, warnings: doubts.into_inner() })
}
