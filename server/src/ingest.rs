//! Uploads, from received files to stored runs: masked, packed, read, stored, file after file.
//!
//! Invariant: memory does not grow with the files. A secret is masked before anything of it is stored, logged or
//! answered.

mod answer;
mod examine;
pub mod identity;
mod masking;

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use domain::mask::{Found, MaskingReader, mask_text};
use domain::parse::{self, ParseError, Parsed};
use domain::upload::{Envelope, Refusal};
use store::{Answers, Packed, Store, Upload, UploadedFile};
use tokio::sync::Semaphore;

use self::answer::Answering;
pub use self::answer::{MaskedPlace, Rejection, RunLink, UploadAnswer, Warning};
use self::identity::Identity;
use self::masking::mask_envelope;
use crate::spool::{Limit, Limits, Spooled};

/// Why nothing was stored.
#[derive(Debug)]
pub enum IngestError {
    /// The envelope.
    Refused(Refusal),
    /// No file could be read.
    AllRejected(Box<UploadAnswer>),
    /// Too much, in this file.
    TooLarge(Limit, String),
    /// This machine or the database.
    Store(store::StoreError),
    /// This machine's disk, or a fault of ours.
    Failed(String),
}

impl From<store::StoreError> for IngestError {
    fn from(error: store::StoreError) -> Self {
        Self::Store(error)
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
        // First of all, so that no refusal repeats a secret.
        let masked = mask_envelope(&mut envelope);
        envelope.check().map_err(IngestError::Refused)?;
        let started_at = envelope.started_at_ms().map_err(IngestError::Refused)?;
        let mut answer = Answering::new(&envelope);
        answer.masked(masked);

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
            let (name, in_name) = mask_text(&name);
            answer.named(&name, in_name);
            match outcome {
                Ok((raw, found)) => {
                    answer.found(&name, found);
                    packed.push((name, raw));
                }
                Err(NotPacked::Unreadable(reason)) => answer.reject(name, None, None, reason),
                Err(NotPacked::TooLarge(limit)) => return Err(IngestError::TooLarge(limit, name)),
                Err(NotPacked::Failed(error)) => {
                    return Err(IngestError::Failed(format!("a raw output cannot be spooled: {error}")));
                }
            }
        }

        let kept = packed.iter().map(|(name, raw)| (name.as_str(), &raw.digest, raw.size));
        let Identity { id, document } = Identity::of(&envelope, kept);
        answer.of(&id);
        let upload = Arc::new(Upload { id, envelope, token, document, started_at });
        let last = packed.len().saturating_sub(1);
        let mut kept = false;
        for (at, (name, mut raw)) in packed.into_iter().enumerate() {
            let (raw, parsed) = self
                .blocking(move || {
                    let parsed = raw.reader().map_err(|error| ParseError::Source { reason: error.to_string() });
                    let parsed = parsed.and_then(|mut reader| parse::read(&mut reader));
                    (raw, parsed)
                })
                .await?;
            let mut reject = |error: &ParseError| {
                answer.reject(name.clone(), error.line(), error.path().map(str::to_owned), error.to_string());
            };
            let Parsed { runs, warnings, rejected } = match parsed {
                Ok(parsed) => parsed,
                Err(error) => {
                    reject(&error);
                    continue;
                }
            };
            rejected.iter().for_each(reject);
            for parse::Warning { line, message } in warnings {
                answer.warn(Some(&name), line, message);
            }
            kept = at == last;
            let answers = kept.then(|| {
                let (so_far, name) = (answer.clone(), name.clone());
                let answers: Answers = Arc::new(move |stored| so_far.document(&name, stored));
                answers
            });
            let file = UploadedFile { name: name.clone(), raw, runs, answers };
            let stored = self.store.upload(&upload, file, now_ms).await?;
            answer.stored(&name, stored);
        }
        let answer = answer.finish()?;
        if !kept {
            self.store.keep_answer(&upload.id, &answer.document()).await?;
        }
        Ok(answer)
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
