//! A file before it is stored: masked, put aside, read and checked, with the readers and limits of an upload.
//!
//! Invariant: what is put aside is masked already; nothing else of a file stays on disk.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, Read, Write as _};
use std::path::{Path, PathBuf};

use app::upload::{
    MaskedLine, Outcome, ReadFile, SHOWN_MASKED, SHOWN_REJECTED, SHOWN_RUNS, SHOWN_WARNINGS, SeenFile, SeenWarning,
    Unread,
};
use domain::check::{Severity, check_runs};
use domain::digest::Digesting;
use domain::mask::{MaskingReader, mask_text};
use domain::parse::{self, ParseError, Parsed};
use domain::run::{Excerpt, Measurement};
use domain::text::{Lang, unreadable};
use domain::upload::guess::Said;

use super::{Ingest, IngestError};
use crate::spool::{Limit, Limits, Spooled};

/// Of a line that cannot be read, so many characters are shown.
const EXCERPT: usize = 160;
/// Beyond this, finding the line again is not worth the time.
const EXCERPT_WITHIN: u64 = 64 * 1024 * 1024;

impl Ingest {
    /// Reads files that are not to be stored yet. What may be kept of file `n` lies in `dir` under the name `n`.
    pub async fn examine(&self, files: Vec<Spooled>, dir: &Path) -> Result<Vec<SeenFile>, IngestError> {
        let mut limits = Limits::of_contents();
        let mut seen = Vec::with_capacity(files.len());
        for (at, file) in files.into_iter().enumerate() {
            let to = dir.join(at.to_string());
            let name = file.name().to_owned();
            let (outcome, left) = self
                .blocking(move || {
                    let outcome = examine(file, to, &mut limits);
                    (outcome, limits)
                })
                .await?;
            limits = left;
            seen.push(outcome.map_err(|error| match error {
                NotSeen::TooLarge(limit) => IngestError::TooLarge(limit, name),
                NotSeen::Failed(error) => IngestError::Failed(format!("a preview cannot be put aside: {error}")),
            })?);
        }
        Ok(seen)
    }
}

enum NotSeen {
    TooLarge(Limit),
    Failed(io::Error),
}

impl From<io::Error> for NotSeen {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

fn examine(file: Spooled, to: PathBuf, limits: &mut Limits) -> Result<SeenFile, NotSeen> {
    let (name, source) = file.open();
    let name = mask_text(&name).0;
    let mut source = MaskingReader::new(limits.around(source?));
    let mut out = BufWriter::new(File::create_new(&to)?);
    let (mut digest, mut size) = (Digesting::default(), 0);
    let mut buffer = vec![0; 64 * 1024];
    let broken = loop {
        match source.read(&mut buffer) {
            Ok(0) => break None,
            Ok(read) => {
                digest.update(&buffer[..read]);
                out.write_all(&buffer[..read])?;
                size += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => break Some(error),
        }
    };
    out.flush()?;
    let (source, found) = source.into_parts();
    if let Some(limit) = source.exceeded() {
        return Err(NotSeen::TooLarge(limit));
    }
    let parsed = match broken {
        Some(error) => Err(ParseError::Source { reason: error.to_string() }),
        None => parse::read(&mut File::open(&to)?),
    };
    let outcome = match parsed {
        Ok(parsed) => Outcome::Read(Box::new(read(parsed))),
        Err(error) => Outcome::Unreadable(Box::new(unread(&error, Some(&to)))),
    };
    let masked = found.iter().take(SHOWN_MASKED).map(|one| MaskedLine { line: one.line, what: one.what.to_owned() });
    Ok(SeenFile { name, size, digest: digest.finish(), masked: masked.collect(), masked_count: found.len(), outcome })
}

fn read(Parsed { mut runs, warnings, rejected }: Parsed) -> ReadFile {
    let heavy = |run: &domain::check::CheckedRun| {
        run.findings.iter().any(|finding| finding.evidence.severity() == Severity::Disqualifying)
    };
    // One by one: twins are looked for among those that are shown, not among ten thousand.
    let disqualified = runs.iter().filter(|run| check_runs(std::slice::from_ref(run)).iter().any(heavy)).count();
    let (count, said) = (runs.len(), Said::of(&runs));
    runs.truncate(SHOWN_RUNS);
    let (tool, shown) = (runs[0].tool, warnings.iter().take(SHOWN_WARNINGS));
    let shown = shown.map(|warning| SeenWarning { line: warning.line, message: warning.message.clone() });
    ReadFile {
        tool,
        count,
        disqualified,
        warnings: shown.collect(),
        warning_count: warnings.len(),
        rejected: rejected.iter().take(SHOWN_REJECTED).map(|error| unread(error, None)).collect(),
        rejected_count: rejected.len(),
        said,
        runs: runs.into_iter().map(without_text).collect(),
    }
}

/// The text itself is in the file; only where it starts is worth keeping beside it. Requests one by one are shown nowhere.
fn without_text(run: Measurement) -> Measurement {
    let excerpt = run.excerpt.map(|Excerpt { first_line, .. }| Excerpt { text: String::new(), first_line });
    Measurement { excerpt, requests: None, ..run }
}

/// An error in words, with the line that it is about where a file is given.
fn unread(error: &ParseError, file: Option<&Path>) -> Unread {
    // A binary file has no lines that a person reads.
    let shows = !matches!(error, ParseError::Binary { .. } | ParseError::Source { .. } | ParseError::Empty);
    Unread {
        line: error.line(),
        path: error.path().map(str::to_owned),
        excerpt: file.zip(error.line()).filter(|_| shows).and_then(|(file, line)| excerpt(file, line)),
        ja: unreadable(Lang::Ja, error),
        en: unreadable(Lang::En, error),
    }
}

/// The start of a line, from 1. A file that cannot be read again has none: it was seen, and that is what counts.
fn excerpt(file: &Path, line: usize) -> Option<String> {
    let mut source = BufReader::new(File::open(file).ok()?.take(EXCERPT_WITHIN));
    for _ in 1..line {
        source.skip_until(b'\n').ok()?;
    }
    let mut start = Vec::new();
    source.take(4 * EXCERPT as u64).read_until(b'\n', &mut start).ok()?;
    let text = String::from_utf8_lossy(&start);
    let text: String = text.trim_end().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let cut: String = text.chars().take(EXCERPT).collect();
    let cut = if cut.len() < text.len() { cut + " …" } else { cut };
    (!cut.trim().is_empty()).then_some(cut)
}
