//! JSON results: documents, JSON lines and appended objects. Each document is given to the first reader that knows it.

use std::io::Read;

use serde_json::Value;

use super::node::{Doubts, Node};
use super::prune::{Document, Found};
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

/// Reads all documents of a stream. `lines` stand before `start`. A document that cannot be read leaves the others as they
/// are; text between documents (a traceback, a log line) is no result.
pub(super) fn parse(start: &[u8], lines: usize, source: &mut dyn Read) -> Result<Parsed, ParseError> {
    let mut reading = Reading::default();
    prune::documents(start, lines, source, |found| match found {
        Found::Document(document) => reading.document(&document),
        Found::Cut(error) => reading.broken(error, false),
        Found::Broken(error) => reading.broken(error, true),
        Found::Text { line } => {
            if !reading.resumed {
                reading.doubts.warn(line, || "what stands here is no JSON; left out".to_owned());
            }
            Ok(())
        }
    })?;
    reading.doubts.parsed(reading.runs)
}

/// Reads the documents that a page or a log shows, each at the start of a line. None where there is no result among them;
/// what else stands in braces is anybody's, and only doubted.
pub(super) fn inside(text: &str) -> Option<Result<Parsed, ParseError>> {
    let mut reading = Reading::default();
    let all = prune::documents_inside(text.as_bytes(), |found| match found {
        Found::Document(document) => match document.value() {
            Ok(value) if is_known(&value) => reading.document(&document),
            Ok(_) => Ok(()),
            Err(error) => reading.doubted(&error),
        },
        Found::Cut(error) | Found::Broken(error) => reading.doubted(&error),
        Found::Text { .. } => Ok(()),
    });
    match all {
        Ok(()) if reading.runs.is_empty() => None,
        Ok(()) => Some(reading.doubts.parsed(reading.runs)),
        Err(error) => Some(Err(error)),
    }
}

/// What was read of a stream so far.
#[derive(Default)]
struct Reading {
    runs: Vec<Measurement>,
    doubts: Doubts,
    /// Whether what follows may be a shred of a document that broke.
    resumed: bool,
}

impl Reading {
    fn document(&mut self, document: &Document) -> Result<(), ParseError> {
        let (line, doubts, resumed) = (document.first_line, &self.doubts, self.resumed);
        let read = doubts.attempt(|| match one(&document.value()?, line, doubts) {
            Err(ParseError::UnknownDocument { .. }) if resumed => Ok(None),
            read => read.map(Some),
        });
        self.resumed &= matches!(read, Some(None));
        self.runs.extend(read.flatten().into_iter().flatten());
        self.bounded(line)
    }

    fn broken(&mut self, error: ParseError, resumed: bool) -> Result<(), ParseError> {
        let line = error.line().unwrap_or(1);
        self.doubts.reject(error);
        self.resumed = resumed;
        self.bounded(line)
    }

    fn doubted(&self, error: &ParseError) -> Result<(), ParseError> {
        self.doubts.warn(error.line().unwrap_or(1), || format!("what stands here cannot be read ({error}); left out"));
        Ok(())
    }

    fn bounded(&self, line: usize) -> Result<(), ParseError> {
        if self.runs.len() + self.doubts.rejections() <= MAX_RUNS {
            return Ok(());
        }
        // Not one result in so many documents: what is wrong with them says more than their number.
        let first = self.doubts.first_rejected().filter(|_| self.runs.is_empty());
        Err(first.unwrap_or(ParseError::TooManyRuns { line, limit: MAX_RUNS }))
    }
}

/// Reads one document that starts on `line`, of whatever notation it was.
pub(super) fn read(value: &Value, line: usize) -> Result<Parsed, ParseError> {
    let doubts = Doubts::default();
    let runs = one(value, line, &doubts)?;
    doubts.parsed(runs)
}

/// A list that no reader knows is a list of documents: a sweep's summary, results gathered by hand.
fn one(value: &Value, line: usize, doubts: &Doubts) -> Result<Vec<Measurement>, ParseError> {
    let root = Node::root(value, line, doubts);
    if value.as_array().is_none_or(Vec::is_empty) || reader(&root).is_some() {
        return document(&root);
    }
    Ok(root.items().filter_map(|item| item.attempt(document)).flatten().collect())
}

/// Reads one document by the reader that knows it.
pub(super) fn document(root: &Node<'_>) -> Result<Vec<Measurement>, ParseError> {
    (reader(root).ok_or_else(|| root.unknown())?.read)(root)
}

fn reader(root: &Node<'_>) -> Option<&'static Reader> {
    READERS.iter().find(|reader| (reader.knows)(root))
}

/// Whether a document, or one of a list of them, is a known tool's.
fn is_known(value: &Value) -> bool {
    let doubts = Doubts::default();
    let root = Node::root(value, 1, &doubts);
    reader(&root).is_some() || root.items().any(|item| reader(&item).is_some())
}
