//! JSON results: documents, JSON lines and appended objects. Each document is given to the first reader that knows it.

use std::cell::RefCell;
use std::io::Read;

use serde_json::Value;

use super::node::{Doubts, Node};
use super::{
    ParseError, Parsed, aiperf, evalscope, genai_bench, gpustack, guidellm, inference_benchmarker, inference_perf,
    inferencemax, llm_d, llmperf, lmdeploy, prune, sglang, trtllm, vllm_offline, vllm_serve,
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
const READERS: &[Reader] = &[
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
    Reader { knows: trtllm::knows, read: trtllm::read },
    Reader { knows: genai_bench::knows, read: genai_bench::read },
    Reader { knows: vllm_offline::knows_side_file, read: vllm_offline::read_side_file },
    Reader { knows: vllm_offline::knows_latency, read: vllm_offline::read_latency },
    Reader { knows: vllm_offline::knows_throughput, read: vllm_offline::read_throughput },
    Reader { knows: sglang::knows, read: sglang::read },
    Reader { knows: sglang::knows_one_batch, read: sglang::read_one_batch },
    Reader { knows: lmdeploy::knows, read: lmdeploy::read },
    Reader { knows: vllm_serve::knows, read: vllm_serve::read },
];

/// A study has hundreds of runs; a file of more than this is no benchmark's.
const MAX_RUNS: usize = 20_000;

/// Reads all documents of a stream. `lines` stand before `start`.
pub(super) fn parse(start: &[u8], lines: usize, source: &mut dyn Read) -> Result<Parsed, ParseError> {
    let doubts: Doubts = RefCell::default();
    let mut runs = Vec::new();
    prune::documents(start, source, |document| {
        let value = document.value()?;
        let line = document.first_line + lines;
        runs.extend(one(&value, line, &doubts)?);
        if runs.len() > MAX_RUNS { Err(ParseError::TooManyRuns { line, limit: MAX_RUNS }) } else { Ok(()) }
    })?;
    finished(runs, doubts)
}

/// Reads one document that starts on `line`, of whatever notation it was.
pub(super) fn read(value: &Value, line: usize) -> Result<Parsed, ParseError> {
    let doubts: Doubts = RefCell::default();
    let runs = one(value, line, &doubts)?;
    finished(runs, doubts)
}

/// A list that no reader knows is a list of documents: a sweep's summary, results gathered by hand.
fn one(value: &Value, line: usize, doubts: &Doubts) -> Result<Vec<Measurement>, ParseError> {
    let root = Node::root(value, line, doubts);
    if value.as_array().is_none_or(Vec::is_empty) || reader(&root).is_some() {
        return document(&root);
    }
    let mut runs = Vec::new();
    for item in root.items() {
        runs.extend(document(&item)?);
    }
    Ok(runs)
}

/// Reads one document by the reader that knows it.
pub(super) fn document(root: &Node<'_>) -> Result<Vec<Measurement>, ParseError> {
    (reader(root).ok_or_else(|| root.unknown())?.read)(root)
}

fn reader(root: &Node<'_>) -> Option<&'static Reader> {
    READERS.iter().find(|reader| (reader.knows)(root))
}

fn finished(runs: Vec<Measurement>, doubts: Doubts) -> Result<Parsed, ParseError> {
    if runs.is_empty() {
        return Err(ParseError::NoResult);
    }
    Ok(Parsed { runs, warnings: doubts.into_inner() })
}
