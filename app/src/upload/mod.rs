//! An upload in the browser between its two forms: what was seen in the files, what the reader chose, what became of it.
//! Plain data; the server keeps it beside the files until it is saved, discarded or too old.

mod assign;
mod sheet;

use std::collections::BTreeMap;

use domain::{
    digest::Digest,
    run::{Measurement, Tool},
    text::{
        Unreadable,
        upload::{Notice, Wrong},
    },
    upload::guess::Said,
};
use serde::{Deserialize, Serialize};

pub use assign::{Part, assign, field_of};
pub use sheet::{FileFields, NEW, Sheet, StudyFields, chosen_study};

/// So many results of a file are shown one by one; the rest is counted.
pub const SHOWN_RUNS: usize = 20;
/// So many remarks of a reader are shown.
pub const SHOWN_WARNINGS: usize = 20;
/// So many results that cannot be read are shown.
pub const SHOWN_REJECTED: usize = 20;
/// So many masked places are shown.
pub const SHOWN_MASKED: usize = 50;

/// One upload that waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Waiting {
    /// Unguessable: whoever knows it may see and save it.
    pub id: String,
    /// Milliseconds since 1970 UTC.
    pub created_at: i64,
    /// From then on it is gone.
    pub expires_at: i64,
    /// How long reading took.
    pub took_ms: u64,
    /// Digest of the token that it came with; none where the site asks for none.
    pub token: Option<Digest>,
    /// In the order in which they came.
    pub files: Vec<SeenFile>,
    /// What the reader entered last.
    #[serde(default)]
    pub choices: Choices,
    /// Secrets that were masked in it: what they were.
    #[serde(default)]
    pub masked: Vec<String>,
    /// What was wrong with it.
    #[serde(default)]
    pub faults: Vec<Fault>,
    /// What became of it.
    #[serde(default)]
    pub saved: Option<Saved>,
}

/// A file as it was seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeenFile {
    /// Without the suffix of a compression.
    pub name: String,
    /// Bytes, unpacked and masked.
    pub size: u64,
    /// Of those bytes.
    pub digest: Digest,
    /// Secrets that were masked, up to [`SHOWN_MASKED`].
    pub masked: Vec<MaskedLine>,
    /// All of them.
    pub masked_count: usize,
    /// What is in it.
    pub outcome: Outcome,
}

/// Where a secret was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MaskedLine {
    /// From 1.
    pub line: usize,
    /// `bearer token`.
    pub what: String,
}

/// What a file turned out to be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Outcome {
    /// It holds results.
    Read(Box<ReadFile>),
    /// It does not.
    Unreadable(Box<Unread>),
}

/// A file with results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadFile {
    /// Who printed it.
    pub tool: Tool,
    /// The first results, without their text.
    pub runs: Vec<Measurement>,
    /// How many there are.
    pub count: usize,
    /// How many of them can never be recommended.
    pub disqualified: usize,
    /// What the reader remarked, first ones first.
    pub warnings: Vec<SeenWarning>,
    /// How many remarks there are.
    pub warning_count: usize,
    /// The first results that cannot be read although others can.
    #[serde(default)]
    pub rejected: Vec<Unread>,
    /// How many of them there are.
    #[serde(default)]
    pub rejected_count: usize,
    /// What all of its results agree on.
    pub said: Said,
}

/// A remark of a reader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenWarning {
    /// From 1.
    pub line: Option<usize>,
    /// What was found and what was made of it.
    pub message: String,
}

/// A file, or one result of it, that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unread {
    /// From 1.
    pub line: Option<usize>,
    /// The key or label.
    pub path: Option<String>,
    /// The start of that line.
    pub excerpt: Option<String>,
    /// In Japanese.
    pub ja: Unreadable,
    /// In English.
    pub en: Unreadable,
}

/// Field names and what was entered; empty before the form was sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Choices(pub BTreeMap<String, String>);

/// Something wrong with the form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The field's id; none where it concerns all of it.
    pub field: Option<String>,
    /// What is wrong.
    pub wrong: Wrong,
}

/// What became of an upload.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saved {
    /// The study's slug.
    pub study: String,
    /// Runs that hold its results.
    pub runs: Vec<SavedRun>,
    /// Files that were not taken: name and reason.
    pub rejections: Vec<(String, String)>,
    /// Remarks: a file's name where it is about one, and the words.
    pub warnings: Vec<(Option<String>, String)>,
}

/// A run that holds a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedRun {
    /// Its id.
    pub id: String,
    /// The file that it came in.
    pub file: String,
    /// The place among the results of the file, from 0.
    pub index: usize,
    /// What was under test.
    pub variant: String,
    /// The workload.
    pub profile: String,
    /// Whether it was there already.
    pub before: bool,
}

/// What the server tells the upload page.
#[derive(Clone, Debug, Default)]
pub struct UploadDesk {
    /// What went wrong with the form that was sent, and the answer's status.
    pub notice: Option<(Notice, u16)>,
    /// Whether a token is asked for.
    pub token: bool,
}

impl SeenFile {
    /// Its results, if it has any.
    #[must_use]
    pub fn read(&self) -> Option<&ReadFile> {
        match &self.outcome {
            Outcome::Read(read) => Some(read),
            Outcome::Unreadable(_) => None,
        }
    }
}

impl Choices {
    /// What was entered into a field.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}
