//! A study folder: `study.toml` and the raw outputs that it names.

use thiserror::Error;

use super::{MANIFEST, ManifestError, RunEntry, StudyData, parse_manifest};
use crate::digest::Digest;
use crate::mask::{Found, Masked, mask, mask_args, mask_env, mask_text};
use crate::parse::{self, ParseError, Parsed};
use crate::run::{Run, run_id};

/// A study folder, read whole: what an import stores.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyFolder {
    /// The study and its runs.
    pub data: StudyData,
    /// `study.toml` as received, but for its secrets.
    pub manifest: String,
    /// Raw outputs as received, but for their secrets; one entry a distinct content. Without those that whoever read the
    /// folder keeps himself, because they are long.
    pub raw: Vec<(Digest, Vec<u8>)>,
    /// What the readers doubted, with the file it is about.
    pub warnings: Vec<Located<String>>,
    /// Secrets that were masked, by what they were.
    pub masked: Vec<Located<&'static str>>,
}

/// A raw output that was received: masked, known by its digest, read.
#[derive(Debug)]
pub struct Received {
    /// Of what is kept.
    pub digest: Digest,
    /// Its results.
    pub parsed: Result<Parsed, ParseError>,
    /// What is kept, where it came in memory.
    pub bytes: Option<Vec<u8>>,
    /// What was masked.
    pub found: Vec<Found>,
}

impl Received {
    /// A raw output that came in memory.
    fn whole(bytes: &[u8]) -> Self {
        let Masked { bytes, found } = mask(bytes);
        Self { digest: Digest::of(&bytes), parsed: parse::parse(&bytes), bytes: Some(bytes), found }
    }
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
    /// A secret in a form of TOML that cannot be masked as text.
    #[error(
        "{MANIFEST}: the {part} of variant \"{variant}\" hold a secret ({what}); take it out, its value is never needed"
    )]
    Secret {
        /// The variant's id.
        variant: String,
        /// Arguments or environment.
        part: &'static str,
        /// What it is.
        what: &'static str,
    },
    /// A file has fewer results than are named.
    #[error("{MANIFEST}, line {line}: file \"{file}\" holds {holds} results, and result {place} is named")]
    Fewer {
        /// As named.
        file: String,
        /// Where it is named.
        line: usize,
        /// How many there are.
        holds: usize,
        /// The one that is not, from 1.
        place: u32,
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

/// Reads a study folder. `read` gives the bytes of a file of the folder, or says in words why it cannot. Secrets are masked
/// before anything else looks at them.
pub fn load(manifest: &str, mut read: impl FnMut(&str) -> Result<Vec<u8>, String>) -> Result<StudyFolder, FolderError> {
    load_with(manifest, |file| read(file).map(|bytes| Received::whole(&bytes)))
}

/// The same where raw outputs may be too long for memory: `receive` masks, keeps and reads them.
pub fn load_with(
    manifest: &str,
    mut receive: impl FnMut(&str) -> Result<Received, String>,
) -> Result<StudyFolder, FolderError> {
    let (manifest, found) = mask_text(manifest);
    let (study, entries) = parse_manifest(&manifest)?;
    for variant in &study.variants {
        let hidden = |part, found: Vec<Found>| match found.first() {
            Some(found) => Err(FolderError::Secret { variant: variant.id.to_string(), part, what: found.what }),
            None => Ok(()),
        };
        hidden("arguments", mask_args(&mut variant.args.clone()))?;
        hidden("environment variables", mask_env(&mut variant.env.clone()))?;
    }
    let mut folder = StudyFolder {
        data: StudyData { study, runs: Vec::with_capacity(entries.len()) },
        manifest,
        raw: Vec::new(),
        warnings: Vec::new(),
        masked: Vec::new(),
    };
    folder.note(MANIFEST, found);
    for entry in entries {
        let received = receive(&entry.file).map_err(|reason| FolderError::Missing {
            file: entry.file.clone(),
            line: entry.line,
            reason,
        })?;
        folder.add(entry, received)?;
    }
    Ok(folder)
}

impl StudyFolder {
    fn note(&mut self, file: &str, found: Vec<Found>) {
        self.masked.extend(found.into_iter().map(|found| Located {
            file: file.to_owned(),
            line: Some(found.line),
            about: found.what,
        }));
    }

    fn add(&mut self, entry: RunEntry, received: Received) -> Result<(), FolderError> {
        let Received { digest, parsed, bytes, found } = received;
        let parsed = parsed.and_then(|parsed| match parsed.rejected.first() {
            // A study is stored whole or not at all.
            Some(error) if entry.results.is_none() => Err(error.clone()),
            // What is not asked for may be broken.
            Some(_) | None => Ok(parsed),
        });
        let parsed = parsed.map_err(|error| FolderError::Raw { file: entry.file.clone(), error })?;
        self.note(&entry.file, found);
        self.warnings.extend(parsed.warnings.into_iter().map(|warning| Located {
            file: entry.file.clone(),
            line: warning.line,
            about: warning.message,
        }));
        let holds = parsed.runs.len();
        if let Some(place) = entry.results.iter().flatten().find(|place| **place as usize >= holds) {
            return Err(FolderError::Fewer { file: entry.file, line: entry.line, holds, place: place + 1 });
        }
        let wanted = |index: &u32| entry.results.as_ref().is_none_or(|results| results.contains(index));
        let called = entry.name.as_ref().unwrap_or(&entry.file);
        for (index, measurement) in (0..).zip(parsed.runs).filter(|(index, _)| wanted(index)) {
            let id = run_id(&self.data.study.slug, &entry.variant, &entry.profile, &digest, index);
            if self.data.runs.iter().any(|run| run.id == id) {
                return Err(FolderError::Twice { file: entry.file, line: entry.line });
            }
            self.data.runs.push(Run {
                id,
                variant: entry.variant.clone(),
                profile: entry.profile.clone(),
                file: called.clone(),
                digest: digest.clone(),
                index,
                start: entry.start.clone(),
                started_at: entry.started_at,
                notes: entry.notes.clone(),
                measurement,
            });
        }
        if let Some(bytes) = bytes
            && !self.raw.iter().any(|(known, _)| *known == digest)
        {
            self.raw.push((digest, bytes));
        }
        Ok(())
    }
}
