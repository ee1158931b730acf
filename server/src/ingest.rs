//! Uploads, from received files to stored runs: masked, packed, read, stored, file after file.
//!
//! Invariant: memory does not grow with the files. A secret is masked before anything of it is stored, logged or
//! answered.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use domain::digest::Digest;
use domain::mask::{Found, MaskingReader, mask_args, mask_env, mask_text};
use domain::parse::{self, ParseError, Parsed};
use domain::upload::{Commands, Envelope, Refusal, Short};
use serde::Serialize;
use serde_json::json;
use store::{Packed, Store, Upload, UploadError, UploadedFile};
use tokio::sync::Semaphore;
use utoipa::ToSchema;

use crate::spool::{Limit, Limits, Spooled};

/// What became of an upload. The same upload gets the same answer, however often and by however many it is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct UploadAnswer {
    /// The study's slug.
    pub study: String,
    /// Runs that are stored now.
    pub accepted: usize,
    /// Files that could not be read.
    pub rejected: usize,
    /// The runs, file by file; one that came in two forms once.
    pub runs: Vec<RunLink>,
    /// Why files could not be read.
    pub rejections: Vec<Rejection>,
    /// What was doubted, left out or kept as it was.
    pub warnings: Vec<Warning>,
    /// Secrets that were masked.
    pub masked: Vec<MaskedPlace>,
}

/// A stored run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct RunLink {
    /// Its id.
    pub id: String,
    /// Its page.
    pub url: String,
    /// The file that it came in.
    pub file: String,
    /// The place among the results of the file, from 0.
    pub index: usize,
    /// What was under test.
    pub variant: String,
    /// The workload.
    pub profile: String,
}

/// Why a file was not taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Rejection {
    /// Its name.
    pub file: String,
    /// From 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The key or label in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What was found and what was expected.
    pub reason: String,
}

/// Something strange that did not keep an upload from being stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Warning {
    /// The file, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// From 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// What was found and what was made of it.
    pub message: String,
}

/// Where a secret was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct MaskedPlace {
    /// The file, or `envelope`.
    pub file: String,
    /// From 1; in a list of the envelope, the place in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The key, in the envelope.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What it was: `bearer token`.
    pub what: String,
}

/// Why nothing was stored.
#[derive(Debug)]
pub enum IngestError {
    /// The envelope.
    Refused(Refusal),
    /// No file could be read.
    AllRejected(Box<UploadAnswer>),
    /// Too much.
    TooLarge(Limit),
    /// This machine or the database.
    Store(store::StoreError),
    /// This machine's disk, or a fault of ours.
    Failed(String),
}

impl From<UploadError> for IngestError {
    fn from(error: UploadError) -> Self {
        match error {
            UploadError::Refused(refusal) => Self::Refused(refusal),
            UploadError::Store(error) => Self::Store(error),
        }
    }
}

/// Stores uploads.
#[derive(Clone)]
pub struct Ingest {
    pub store: Store,
    /// Where files wait.
    pub spool: Arc<Path>,
    /// Reading keeps a core busy and holds some megabytes: more at once than cores only costs memory.
    reading: Arc<Semaphore>,
}

impl Ingest {
    /// Ingests into `store`; files wait in the directory `spool`.
    pub fn new(store: Store, spool: Arc<Path>) -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self { store, spool, reading: Arc::new(Semaphore::new(cores.max(2))) }
    }

    /// Stores what can be stored of an upload. `token` is the name of the token that it came with.
    pub async fn upload(
        &self,
        mut envelope: Envelope,
        files: Vec<Spooled>,
        token: Option<String>,
        now_ms: i64,
    ) -> Result<UploadAnswer, IngestError> {
        envelope.check().map_err(IngestError::Refused)?;
        let started_at = envelope.started_at_ms().map_err(IngestError::Refused)?;
        let mut answer = Answering::new(&envelope);
        answer.mask(&mut envelope);

        let mut packed = Vec::with_capacity(files.len());
        let mut limits = Limits::of_contents();
        for file in files {
            let spool = Arc::clone(&self.spool);
            let (name, outcome, left) = self
                .blocking(move || {
                    let (name, outcome) = pack(file, &spool, &mut limits);
                    (name, outcome, limits)
                })
                .await?;
            limits = left;
            match outcome {
                Ok((raw, found)) => {
                    answer.found(&name, found);
                    packed.push((name, raw));
                }
                Err(NotPacked::Unreadable(reason)) => answer.reject(name, None, None, reason),
                Err(NotPacked::TooLarge(limit)) => return Err(IngestError::TooLarge(limit)),
                Err(NotPacked::Failed(error)) => {
                    return Err(IngestError::Failed(format!("a raw output cannot be spooled: {error}")));
                }
            }
        }

        let document = document(&envelope, &packed);
        let id = Digest::of(document.as_bytes()).to_string();
        let upload = Upload { id, envelope, token, document, started_at };
        for (name, mut raw) in packed {
            let (raw, parsed) = self
                .blocking(move || {
                    let parsed = raw.reader().map_err(|error| ParseError::Source { reason: error.to_string() });
                    let parsed = parsed.and_then(|mut reader| parse::read(&mut reader));
                    (raw, parsed)
                })
                .await?;
            let Parsed { runs, warnings } = match parsed {
                Ok(parsed) => parsed,
                Err(error) => {
                    let (line, path) = (error.line(), error.path().map(str::to_owned));
                    answer.reject(name, line, path, error.to_string());
                    continue;
                }
            };
            for parse::Warning { line, message } in warnings {
                answer.warn(Some(&name), line, message);
            }
            let mut file = UploadedFile { name, raw, runs };
            let stored = self.store.upload(&upload, &mut file, now_ms).await?;
            answer.stored(&file.name, stored);
        }
        answer.finish()
    }

    async fn blocking<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, IngestError> {
        let _turn = self.reading.acquire().await.expect("the semaphore is never closed");
        let done = tokio::task::spawn_blocking(work).await;
        done.map_err(|error| IngestError::Failed(format!("reading an upload ended early: {error}")))
    }
}

enum NotPacked {
    Unreadable(String),
    TooLarge(Limit),
    Failed(io::Error),
}

/// Masks and compresses a file. The name loses the suffix of the compression that it came in.
fn pack(file: Spooled, spool: &Path, limits: &mut Limits) -> (String, Result<(Packed, Vec<Found>), NotPacked>) {
    let (name, source) = file.open();
    let mut source = match source {
        Ok(source) => MaskingReader::new(Watched { source: limits.around(source), failed: None }),
        Err(error) => return (name, Err(NotPacked::Failed(error))),
    };
    let packed = Packed::pack(&mut source, spool);
    let (watched, found) = source.into_parts();
    let outcome = packed.map(|raw| (raw, found)).map_err(|error| match (watched.source.exceeded(), watched.failed) {
        (Some(limit), _) => NotPacked::TooLarge(limit),
        (None, Some(reason)) => NotPacked::Unreadable(format!("the file cannot be decompressed: {reason}")),
        (None, None) => NotPacked::Failed(error),
    });
    (name, outcome)
}

/// Tells a source that cannot be read from a disk that cannot be written.
struct Watched<R> {
    source: R,
    failed: Option<String>,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.source.read(to).inspect_err(|error| self.failed = Some(error.to_string()))
    }
}

/// What is kept of an upload beside its runs; it is the upload's identity, too.
fn document(envelope: &Envelope, files: &[(String, Packed)]) -> String {
    let files: Vec<_> = files
        .iter()
        .map(|(name, raw)| json!({ "name": name, "digest": raw.digest.as_str(), "size": raw.size }))
        .collect();
    json!({ "envelope": Envelope { files: Vec::new(), ..envelope.clone() }, "files": files }).to_string()
}

/// An answer while it is written.
struct Answering {
    answer: UploadAnswer,
    listed: BTreeSet<String>,
    warned: bool,
}

impl Answering {
    fn new(envelope: &Envelope) -> Self {
        let answer = UploadAnswer {
            study: envelope.slug().to_owned(),
            accepted: 0,
            rejected: 0,
            runs: Vec::new(),
            rejections: Vec::new(),
            warnings: Vec::new(),
            masked: Vec::new(),
        };
        Self { answer, listed: BTreeSet::new(), warned: false }
    }

    /// Takes the secrets out of all that an envelope says in free words.
    fn mask(&mut self, envelope: &mut Envelope) {
        let mut masked = |path: &str, found: Vec<Found>, listed: bool| {
            let places = found.into_iter().map(|found| MaskedPlace {
                file: "envelope".to_owned(),
                line: listed.then_some(found.line),
                path: Some(path.to_owned()),
                what: found.what.to_owned(),
            });
            self.answer.masked.extend(places);
        };
        let mut text = |path: &str, text: Option<&mut String>| {
            let Some(text) = text else { return };
            let (safe, found) = mask_text(text);
            if !found.is_empty() {
                *text = safe;
                masked(path, found, false);
            }
        };
        if let Short::Full(profile) = &mut envelope.profile {
            text("profile.command", profile.command.as_mut());
            text("profile.dataset_path", profile.dataset_path.as_mut());
        }
        if let Some(Commands { serve, bench }) = &mut envelope.commands {
            text("commands.serve", serve.as_mut());
            text("commands.bench", bench.as_mut());
        }
        if let Short::Full(variant) = &mut envelope.variant {
            text("variant.model", variant.model.as_mut());
            masked("variant.args", mask_args(&mut variant.args), true);
            masked("variant.env", mask_env(&mut variant.env), true);
        }
    }

    fn found(&mut self, file: &str, found: Vec<Found>) {
        let places = found.into_iter().map(|found| MaskedPlace {
            file: file.to_owned(),
            line: Some(found.line),
            path: None,
            what: found.what.to_owned(),
        });
        self.answer.masked.extend(places);
    }

    fn reject(&mut self, file: String, line: Option<usize>, path: Option<String>, reason: String) {
        self.answer.rejected += 1;
        self.answer.rejections.push(Rejection { file, line, path, reason });
    }

    fn warn(&mut self, file: Option<&str>, line: Option<usize>, message: String) {
        self.answer.warnings.push(Warning { file: file.map(str::to_owned), line, message });
    }

    fn stored(&mut self, file: &str, stored: store::Stored) {
        // They are about the envelope, which all files share.
        if !std::mem::replace(&mut self.warned, true) {
            for message in stored.warnings {
                self.warn(None, None, message);
            }
        }
        for (index, run) in stored.runs.into_iter().enumerate() {
            let id = run.id.to_string();
            if let Some(first) = run.same_as {
                let message = format!(
                    "result {} is the same measurement as one in \"{first}\": both files are kept, as one run",
                    index + 1
                );
                self.warn(Some(file), None, message);
            } else if self.listed.contains(&id) {
                self.warn(Some(file), None, format!("result {} came in this upload before", index + 1));
            }
            if self.listed.insert(id.clone()) {
                self.answer.accepted += 1;
                self.answer.runs.push(RunLink {
                    url: format!("/en/runs/{id}"),
                    id,
                    file: file.to_owned(),
                    index,
                    variant: stored.variant.to_string(),
                    profile: stored.profile.to_string(),
                });
            }
        }
    }

    fn finish(self) -> Result<UploadAnswer, IngestError> {
        if self.answer.accepted == 0 {
            return Err(IngestError::AllRejected(Box::new(self.answer)));
        }
        Ok(self.answer)
    }
}
