//! One file on its own: read, recomputed, held against itself. What `touchstone check` prints.

use std::collections::BTreeMap;
use std::io::Read;

use serde::Serialize;

use super::{Evidence, Finding, RunFacts, Severity, Subject, check_run, heaviest_first};
use crate::aggregate::LoadPoint;
use crate::id::RunId;
use crate::metrics::Metrics;
use crate::parse::{self, ParseError, Warning};
use crate::recompute::{Recomputed, recompute};
use crate::run::{Excerpt, Measurement, Tool, TpotDefinition};

/// Without a study there is no threshold of its own: the default of one.
const MIN_SUCCESS_PCT: f64 = 99.0;

/// What a file holds, or why it cannot be read.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckedFile {
    /// As named.
    pub file: String,
    /// Who printed it.
    pub tool: Option<Tool>,
    /// Results in the order of the file.
    pub runs: Vec<CheckedRun>,
    /// What was doubted.
    pub warnings: Vec<FileWarning>,
    /// Why it, or the first of its results that cannot be read, cannot.
    pub error: Option<FileError>,
    /// Every result that cannot be read although others can.
    pub rejected: Vec<FileError>,
}

/// A result of a file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckedRun {
    /// What `tpot_ms` is in the answer.
    pub tpot_definition: TpotDefinition,
    /// As printed, each figure under the name that its definition has.
    #[serde(rename = "metrics")]
    pub defined: Metrics,
    /// As printed, each figure under the name that the tool gave it.
    #[serde(skip)]
    pub metrics: Metrics,
    /// As it follows.
    pub recomputed: Recomputed,
    /// What was found.
    pub findings: Vec<Finding>,
    /// Where it stands in the file.
    #[serde(skip)]
    pub excerpt: Option<Excerpt>,
}

/// A doubt about a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileWarning {
    /// From 1, where there is one.
    pub line: Option<usize>,
    /// What was found.
    pub message: String,
}

/// Why a file, or one result of it, cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileError {
    /// From 1, where it is about a line.
    pub line: Option<usize>,
    /// The key or label, where it is about one.
    pub path: Option<String>,
    /// Where, what was found, what was expected.
    pub message: String,
}

impl From<&ParseError> for FileError {
    fn from(error: &ParseError) -> Self {
        Self { line: error.line(), path: error.path().map(str::to_owned), message: error.to_string() }
    }
}

impl CheckedFile {
    /// A file that could not even be opened.
    pub fn unreadable(file: &str, message: String) -> Self {
        Self::without_result(file, FileError { line: None, path: None, message })
    }

    fn without_result(file: &str, error: FileError) -> Self {
        Self {
            file: file.to_owned(),
            tool: None,
            runs: Vec::new(),
            warnings: Vec::new(),
            error: Some(error),
            rejected: Vec::new(),
        }
    }

    /// Whether any of its runs cannot win.
    pub fn disqualified(&self) -> bool {
        let findings = self.runs.iter().flat_map(|run| &run.findings);
        findings.into_iter().any(|finding| finding.evidence.severity() == Severity::Disqualifying)
    }
}

/// Reads and checks a file. Never fails: what is wrong is part of the answer.
pub fn check_file(file: &str, bytes: &[u8]) -> CheckedFile {
    check_stream(file, &mut &*bytes)
}

/// The same from a stream: JSON of any size is never held in memory.
pub fn check_stream(file: &str, source: &mut dyn Read) -> CheckedFile {
    let parsed = match parse::read(source) {
        Ok(parsed) => parsed,
        Err(error) => return CheckedFile::without_result(file, FileError::from(&error)),
    };
    let tool = parsed.runs.first().map(|run| run.tool);
    let runs = check_runs(&parsed.runs);
    let warnings = parsed.warnings.into_iter().map(|Warning { line, message }| FileWarning { line, message }).collect();
    let rejected: Vec<FileError> = parsed.rejected.iter().map(FileError::from).collect();
    CheckedFile { file: file.to_owned(), tool, runs, warnings, error: rejected.first().cloned(), rejected }
}

/// Recomputes and checks the results of one file, each on its own.
pub fn check_runs(runs: &[Measurement]) -> Vec<CheckedRun> {
    // Only what took as long can be the same: ten thousand results are not compared with one another.
    let mut timed: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (at, run) in runs.iter().enumerate().filter(|(_, run)| !run.metrics.ttft.is_empty()) {
        if let Some(duration) = run.metrics.duration {
            timed.entry(duration.get().to_bits()).or_default().push(at);
        }
    }
    // Runs of a file have no ids yet: a twin is named by its number in the file.
    let twin = |at: usize| {
        let ours = &runs[at].metrics;
        let others = timed.get(&ours.duration?.get().to_bits()).filter(|_| !ours.ttft.is_empty())?;
        let other = others.iter().find(|other| **other != at && runs[**other].metrics == *ours)?;
        Some(RunId::new((other + 1).to_string()))
    };
    let checked = runs.iter().enumerate().map(|(at, run)| {
        let recomputed = recompute(&run.metrics, None, run.context.gpus);
        let facts = RunFacts {
            metrics: &run.metrics,
            recomputed: &recomputed,
            tool: run.tool,
            tpot_definition: run.tpot_definition,
            load: LoadPoint::of(run),
            // Without the server's arguments neither precision nor speculation is known.
            machine: None,
            profile: None,
            min_success_pct: MIN_SUCCESS_PCT,
        };
        let duplicate = twin(at).map(|same_as| Evidence::DuplicateMeasurement { same_as });
        let found = check_run(&facts).into_iter().chain(duplicate);
        let mut findings: Vec<Finding> = found.map(|evidence| Finding { about: Subject::Study, evidence }).collect();
        heaviest_first(&mut findings);
        let (tpot_definition, defined) = defined(run);
        CheckedRun {
            tpot_definition,
            defined,
            findings,
            metrics: run.metrics.clone(),
            recomputed,
            excerpt: run.excerpt.clone(),
        }
    });
    checked.collect()
}

/// A block that GPUStack's runner prints calls GuideLLM's time per output token TPOT, which holds the first token, and the
/// decode time ITL; its peak is the largest of a rate's moments, which no second ever saw. Outside a report, which repeats what
/// was printed, each goes by what it is, as in the runner's own JSON; 0 there is a stream that came in one chunk.
fn defined(run: &Measurement) -> (TpotDefinition, Metrics) {
    let mut metrics = run.metrics.clone();
    let misnamed = run.tpot_definition == TpotDefinition::IncludesFirstToken && metrics.tpot_including_first.is_empty();
    if !misnamed || metrics.itl.is_empty() {
        return (run.tpot_definition, metrics);
    }
    metrics.tpot_including_first = std::mem::take(&mut metrics.tpot);
    metrics.tpot = std::mem::take(&mut metrics.itl).into_iter().filter(|(_, value)| value.get() != 0.0).collect();
    metrics.peak_output_throughput = None;
    (TpotDefinition::ExcludesFirstToken, metrics)
}
