//! Uploads: each file's runs in one transaction, with whatever of study, step, variant and profile must exist for them.
//!
//! Invariant: what is stored follows from the content alone, so that the same upload, the tenth time and ten times at
//! once, leaves the same rows and gets the same answer.

mod alike;
mod answer;
mod group;
mod seen;
mod write;

use std::sync::Arc;

use domain::id::{ProfileId, RunId, VariantId};
use domain::run::Measurement;
use domain::upload::Envelope;

use crate::Result;
use crate::db::Db;
use crate::raw::Packed;
use crate::study::document;
pub(crate) use answer::{answered, forget, keep};
pub(crate) use group::Uploads;

/// What all files of an upload share.
#[derive(Debug, Clone)]
pub struct Upload {
    /// Follows from all that was sent.
    pub id: String,
    /// What was said about the files; checked.
    pub envelope: Envelope,
    /// Name of the token that it came with.
    pub token: Option<String>,
    /// Commands, hardware, times and files, to be kept with it.
    pub document: String,
    /// Start of the runs, milliseconds since 1970 UTC.
    pub started_at: Option<i64>,
}

/// The answer to a whole upload, as a document, given what became of its last file. Asked again where a transaction is
/// tried again, so it must say the same each time.
pub type Answers = Arc<dyn Fn(&Stored) -> String + Send + Sync>;

/// A raw output and what was read from it.
pub struct UploadedFile {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub raw: Packed,
    /// Its results, in their order.
    pub runs: Vec<Measurement>,
    /// With the last file of an upload: the answer is kept together with it, which costs no transaction of its own.
    pub answers: Option<Answers>,
}

/// What became of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// The runs' variant.
    pub variant: VariantId,
    /// The runs' profile.
    pub profile: ProfileId,
    /// One entry a result of the file, in their order.
    pub runs: Vec<StoredRun>,
    /// What the envelope describes differently from what is stored.
    pub warnings: Vec<String>,
}

/// What became of one result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRun {
    /// The run that holds it.
    pub id: RunId,
    /// The file that the run was read from, where that is another form of the same measurement.
    pub same_as: Option<String>,
}

/// A file on its way into the store; whatever can be done before its transaction is done.
pub(crate) struct Job {
    upload: Arc<Upload>,
    name: String,
    raw: Packed,
    runs: Vec<Measurement>,
    /// The runs as they are kept.
    documents: Vec<String>,
    answers: Option<Answers>,
    now_ms: i64,
}

pub(crate) async fn store(
    db: &Db,
    uploads: &Arc<Uploads>,
    upload: &Arc<Upload>,
    file: UploadedFile,
    now_ms: i64,
) -> Result<Stored> {
    let UploadedFile { name, raw, runs, answers } = file;
    let documents = runs.iter().map(document).collect();
    let job = Job { upload: Arc::clone(upload), name, raw, runs, documents, answers, now_ms };
    uploads.store(db, job).await
}
