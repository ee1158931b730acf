//! The answer to an upload, and how it is put together file by file.

use std::collections::BTreeSet;

use domain::mask::Found;
use domain::upload::Envelope;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::IngestError;

/// What became of an upload. The same upload gets the same answer, however often and by however many it is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UploadAnswer {
    /// The upload's id, which follows from its content: `GET /api/v1/uploads/{id}` gives this answer again.
    pub id: String,
    /// The study's slug.
    pub study: String,
    /// Runs that are stored now.
    pub accepted: usize,
    /// Files that could not be read, and results that could not in files with others that could.
    pub rejected: usize,
    /// The runs, file by file; one that came in two forms once.
    pub runs: Vec<RunLink>,
    /// Why, one entry each.
    pub rejections: Vec<Rejection>,
    /// What was doubted, left out or kept as it was.
    pub warnings: Vec<Warning>,
    /// Secrets that were masked.
    pub masked: Vec<MaskedPlace>,
}

impl UploadAnswer {
    /// As it is kept.
    pub fn document(&self) -> String {
        serde_json::to_string(self).expect("texts, numbers and lists can be written as JSON")
    }
}

/// A stored run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunLink {
    /// Its id.
    pub id: String,
    /// Its page.
    pub url: String,
    /// The file that it came in.
    pub file: String,
    /// The place among the results that could be read in the file, from 0.
    pub index: usize,
    /// What was under test.
    pub variant: String,
    /// The workload.
    pub profile: String,
}

/// Why a file, or one result of it, was not taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MaskedPlace {
    /// The file, or `envelope`.
    pub file: String,
    /// From 1; in a list of the envelope, the place in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The key, in the envelope; `name` where it was a file's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What it was: `bearer token`.
    pub what: String,
}

/// An answer while it is written.
#[derive(Clone)]
pub(super) struct Answering {
    answer: UploadAnswer,
    listed: BTreeSet<String>,
    warned: bool,
}

impl Answering {
    pub fn new(envelope: &Envelope) -> Self {
        let answer = UploadAnswer {
            id: String::new(),
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

    /// Says what was masked in the envelope or in a file's name.
    pub fn masked(&mut self, places: impl IntoIterator<Item = MaskedPlace>) {
        self.answer.masked.extend(places);
    }

    /// Says what was masked in the name that a file came with.
    pub fn named(&mut self, file: &str, found: Vec<Found>) {
        self.masked(found.into_iter().map(|found| MaskedPlace {
            file: file.to_owned(),
            line: None,
            path: Some("name".to_owned()),
            what: found.what.to_owned(),
        }));
    }

    /// With the id of the upload.
    pub fn of(&mut self, id: &str) {
        id.clone_into(&mut self.answer.id);
    }

    pub fn found(&mut self, file: &str, found: Vec<Found>) {
        let places = found.into_iter().map(|found| MaskedPlace {
            file: file.to_owned(),
            line: Some(found.line),
            path: None,
            what: found.what.to_owned(),
        });
        self.answer.masked.extend(places);
    }

    pub fn reject(&mut self, file: String, line: Option<usize>, path: Option<String>, reason: String) {
        self.answer.rejected += 1;
        self.answer.rejections.push(Rejection { file, line, path, reason });
    }

    pub fn warn(&mut self, file: Option<&str>, line: Option<usize>, message: String) {
        self.answer.warnings.push(Warning { file: file.map(str::to_owned), line, message });
    }

    pub fn stored(&mut self, file: &str, stored: store::Stored) {
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

    /// The answer as a document, as it will be when this became of the last file.
    pub fn document(&self, file: &str, stored: &store::Stored) -> String {
        let mut answering = self.clone();
        answering.stored(file, stored.clone());
        answering.answer.document()
    }

    pub fn finish(self) -> Result<UploadAnswer, IngestError> {
        if self.answer.accepted == 0 {
            return Err(IngestError::AllRejected(Box::new(self.answer)));
        }
        Ok(self.answer)
    }
}
