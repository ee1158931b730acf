//! A study folder: `study.toml` and the raw outputs that it names.

use thiserror::Error;

use super::{MANIFEST, ManifestError, RunEntry, StudyData, parse_manifest};
use crate::digest::Digest;
use crate::parse::{self, ParseError};
use crate::run::{Run, run_id};

/// A study folder, read whole: what an import stores.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyFolder {
    /// The study and its runs.
    pub data: StudyData,
    /// `study.toml` as received.
    pub manifest: String,
    /// Raw outputs as received, one entry a distinct content.
    pub raw: Vec<(Digest, Vec<u8>)>,
    /// What the readers doubted, with the file it is about.
    pub warnings: Vec<Located<String>>,
}

/// Something about a place in a file of the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located<T> {
    /// The file's path in the folder.
    pub file: String,
    /// From 1; unknown for a whole file.
    pub line: Option<usize>,
    /// What is said of it.
    pub about: T,
}

/// Why a study folder cannot be read: which file, which line, what was expected.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FolderError {
    /// The description is wrong.
    #[error("{MANIFEST}, {0}")]
    Manifest(#[from] ManifestError),
    /// A file that the description names cannot be read.
    #[error("{MANIFEST}, line {line}: file \"{file}\" cannot be read: {reason}")]
    Missing {
        /// As named.
        file: String,
        /// Where it is named.
        line: usize,
        /// In the system's words.
        reason: String,
    },
    /// A raw output holds no result that can be read.
    #[error("{file}, {error}")]
    Raw {
        /// The raw output.
        file: String,
        /// What is wrong with it.
        error: ParseError,
    },
    /// The same run is named twice.
    #[error(
        "{MANIFEST}, line {line}: file \"{file}\" has the same content as another run of the same variant and profile; name it once"
    )]
    Twice {
        /// As named.
        file: String,
        /// Where it is named the second time.
        line: usize,
    },
}

/// Reads a study folder. `read` gives the bytes of a file of the folder, or says in words why it cannot.
pub fn load(manifest: &str, mut read: impl FnMut(&str) -> Result<Vec<u8>, String>) -> Result<StudyFolder, FolderError> {
    let (study, entries) = parse_manifest(manifest)?;
    let mut folder = StudyFolder {
        data: StudyData { study, runs: Vec::with_capacity(entries.len()) },
        manifest: manifest.to_owned(),
        raw: Vec::new(),
        warnings: Vec::new(),
    };
    for entry in entries {
        let bytes = read(&entry.file).map_err(|reason| FolderError::Missing {
            file: entry.file.clone(),
            line: entry.line,
            reason,
        })?;
        folder.add(entry, bytes)?;
    }
    Ok(folder)
}

impl StudyFolder {
    fn add(&mut self, entry: RunEntry, bytes: Vec<u8>) -> Result<(), FolderError> {
        let parsed = parse::parse(&bytes).map_err(|error| FolderError::Raw { file: entry.file.clone(), error })?;
        let digest = Digest::of(&bytes);
        self.warnings.extend(parsed.warnings.into_iter().map(|warning| Located {
            file: entry.file.clone(),
            line: warning.line,
            about: warning.message,
        }));
        for (index, measurement) in (0..).zip(parsed.runs) {
            let id = run_id(&self.data.study.slug, &entry.variant, &entry.profile, &digest, index);
            if self.data.runs.iter().any(|run| run.id == id) {
                return Err(FolderError::Twice { file: entry.file, line: entry.line });
            }
            self.data.runs.push(Run {
                id,
                variant: entry.variant.clone(),
                profile: entry.profile.clone(),
                file: entry.file.clone(),
                digest: digest.clone(),
                index,
                start: entry.start.clone(),
                started_at: entry.started_at,
                measurement,
            });
        }
        if !self.raw.iter().any(|(known, _)| *known == digest) {
            self.raw.push((digest, bytes));
        }
        Ok(())
    }
}
