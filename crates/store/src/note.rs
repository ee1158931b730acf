//! Notes: what people wrote in the browser stands over what the study folder has, target by target and language by
//! language, in whatever is read from here.
//!
//! Invariant: no import, upload or reparse writes `notes` or `note_revisions`, and no revision ever changes.

mod save;

use std::collections::BTreeMap;

use domain::digest::Digest;
use domain::id::{RunId, StudySlug};
use domain::note::Target;
use domain::run::Run;
use domain::study::{Localized, StudyData, StudyFolder};
use domain::text::Lang;

use crate::db::{Tx, on};
use crate::study::{StoredStudy, document};
use crate::{Result, StoreError, study};

pub(crate) use save::save;
pub use save::{NoteEdit, NotesSaved};

const NOUN: &str = "note";

const TEXTS: &str = "SELECT study, target, lang, body FROM notes ORDER BY study, target, lang";
const TEXTS_OF_STUDY: &str =
    "SELECT study, target, lang, body FROM notes WHERE study = $1 ORDER BY study, target, lang";
const TEXTS_OF_TARGET: &str =
    "SELECT study, target, lang, body FROM notes WHERE study = $1 AND target = $2 ORDER BY study, target, lang";
const RUN_NOTES: &str = "SELECT study, run, document FROM run_notes ORDER BY study, run";
const RUN_NOTES_OF_STUDY: &str = "SELECT study, run, document FROM run_notes WHERE study = $1 ORDER BY study, run";
const RUN_NOTE: &str = "SELECT study, run, document FROM run_notes WHERE study = $1 AND run = $2";
const FORGET_RUN_NOTES: &str = "DELETE FROM run_notes WHERE study = $1";
const PUT_RUN_NOTE: &str = "INSERT INTO run_notes (study, run, document) VALUES ($1, $2, $3)";
const WRITTEN: &str = "SELECT notes.target, notes.lang, notes.revision, notes.body, notes.folder, notes.about, \
     note_revisions.author, note_revisions.created_at FROM notes JOIN note_revisions \
     ON note_revisions.study = notes.study AND note_revisions.target = notes.target \
     AND note_revisions.lang = notes.lang AND note_revisions.revision = notes.revision \
     WHERE notes.study = $1 ORDER BY notes.target, notes.lang";
const REVISIONS: &str = "SELECT revision, CAST(LENGTH(body) AS BIGINT) AS characters, origin, author, restored, created_at \
     FROM note_revisions WHERE study = $1 AND target = $2 AND lang = $3 ORDER BY revision DESC";
const REVISION: &str =
    "SELECT body FROM note_revisions WHERE study = $1 AND target = $2 AND lang = $3 AND revision = $4";

/// A note that was written in the browser, as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// What it is on; the study may no longer have it.
    pub target: Target,
    /// In this language.
    pub lang: Lang,
    /// Its newest revision, from 1.
    pub revision: u64,
    /// Markdown; empty where the note was taken away.
    pub text: String,
    /// Of the folder's note, normalised, as its writer saw it.
    pub folder: Digest,
    /// What the target was, in ids.
    pub about: Option<String>,
    /// Name of the token; none for whoever sits at the server.
    pub author: Option<String>,
    /// Milliseconds since 1970 UTC.
    pub at: i64,
}

/// One text that a note had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteRevision {
    /// From 1.
    pub revision: u64,
    /// How long it is.
    pub characters: u64,
    /// Whether it is the folder's note, which the next revision replaced.
    pub of_folder: bool,
    /// Name of the token; none for whoever sits at the server.
    pub author: Option<String>,
    /// The revision whose text this is again.
    pub restored: Option<u64>,
    /// Milliseconds since 1970 UTC.
    pub at: i64,
}

/// A study as its folder and uploads have it, and the notes that were written in the browser.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyNotes {
    /// With the folder's notes alone.
    pub study: StoredStudy,
    /// In the order of their targets' names.
    pub written: Vec<Note>,
}

impl StudyNotes {
    /// The study as a report shows it: what was written here stands over what the folder has.
    #[must_use]
    pub fn shown(&self) -> StudyData {
        let mut data = self.study.data.clone();
        for note in &self.written {
            data.put_note(&note.target, note.lang, &note.text);
        }
        data
    }

    /// What was written on a target in one language.
    #[must_use]
    pub fn written(&self, on: &Target, lang: Lang) -> Option<&Note> {
        self.written.iter().find(|note| note.target == *on && note.lang == lang)
    }

    /// What was written on things that the study no longer has, each once.
    #[must_use]
    pub fn orphans(&self) -> Vec<&Target> {
        let mut gone: Vec<&Target> = Vec::new();
        for Note { target, .. } in &self.written {
            if self.study.data.notes(target).is_none() && !gone.contains(&target) {
                gone.push(target);
            }
        }
        gone
    }
}

/// Reads a study and what was written on it.
pub(crate) async fn of_study(tx: &mut Tx, slug: &StudySlug) -> Result<StudyNotes> {
    let study = study::as_received(tx, slug).await?;
    let rows: Vec<NoteRow> = on!(tx, db => sqlx::query_as(WRITTEN).bind(slug.as_str()).fetch_all(db).await)?;
    let written = rows.into_iter().map(|row| row.read(slug)).collect::<Result<_>>()?;
    Ok(StudyNotes { study, written })
}

/// The revisions of a note, newest first.
pub(crate) async fn revisions(tx: &mut Tx, slug: &StudySlug, on: &Target, lang: Lang) -> Result<Vec<NoteRevision>> {
    let rows: Vec<RevisionRow> = on!(tx, db => {
        let query = sqlx::query_as(REVISIONS).bind(slug.as_str()).bind(on.to_string()).bind(lang.code());
        query.fetch_all(db).await
    })?;
    rows.into_iter().map(|row| row.read(slug, on)).collect()
}

/// The text of one revision.
pub(crate) async fn text(tx: &mut Tx, slug: &StudySlug, on: &Target, lang: Lang, revision: u64) -> Result<String> {
    let number = i64::try_from(revision).unwrap_or(i64::MAX);
    let text: Option<String> = on!(tx, db => {
        let query = sqlx::query_scalar(REVISION).bind(slug.as_str()).bind(on.to_string()).bind(lang.code());
        query.bind(number).fetch_optional(db).await
    })?;
    text.ok_or_else(|| StoreError::not_found("note revision", &format!("{slug}/{on}/{}/{revision}", lang.code())))
}

/// What was written in the browser, and what folders say of runs, by study.
pub(crate) struct Overlay {
    runs: BTreeMap<String, Vec<(RunId, Localized)>>,
    written: BTreeMap<String, Vec<(Target, Lang, String)>>,
}

impl Overlay {
    /// Of one study, or of all.
    pub async fn read(tx: &mut Tx, only: Option<&str>) -> Result<Self> {
        let notes: Vec<TextRow> = match only {
            None => on!(tx, db => sqlx::query_as(TEXTS).fetch_all(db).await)?,
            Some(slug) => on!(tx, db => sqlx::query_as(TEXTS_OF_STUDY).bind(slug).fetch_all(db).await)?,
        };
        let mut written = BTreeMap::<String, Vec<_>>::new();
        for row in notes {
            let (study, note) = row.read()?;
            written.entry(study).or_default().push(note);
        }
        Ok(Self { written, ..Self::of_folders(tx, only).await? })
    }

    /// Without what was written in the browser.
    pub async fn of_folders(tx: &mut Tx, only: Option<&str>) -> Result<Self> {
        let rows: Vec<RunNoteRow> = match only {
            None => on!(tx, db => sqlx::query_as(RUN_NOTES).fetch_all(db).await)?,
            Some(slug) => on!(tx, db => sqlx::query_as(RUN_NOTES_OF_STUDY).bind(slug).fetch_all(db).await)?,
        };
        let mut runs = BTreeMap::<String, Vec<_>>::new();
        for row in rows {
            let (study, run, notes) = row.read()?;
            runs.entry(study).or_default().push((run, notes));
        }
        Ok(Self { runs, written: BTreeMap::new() })
    }

    /// Puts the notes of a study into it.
    pub fn fill(&mut self, data: &mut StudyData) {
        let slug = data.study.slug.as_str();
        let (runs, written) = (self.runs.remove(slug), self.written.remove(slug));
        let mut of_folder: BTreeMap<RunId, Localized> = runs.unwrap_or_default().into_iter().collect();
        if !of_folder.is_empty() {
            for run in &mut data.runs {
                run.notes = of_folder.remove(&run.id).unwrap_or_default();
            }
        }
        for (target, lang, text) in written.unwrap_or_default() {
            data.put_note(&target, lang, &text);
        }
    }
}

/// Puts the notes on one run into it.
pub(crate) async fn fill_run(tx: &mut Tx, slug: &StudySlug, run: &mut Run) -> Result<()> {
    run.notes = of_folder(tx, slug, &run.id).await?;
    let target = Target::Run(run.id.clone()).to_string();
    let rows: Vec<TextRow> =
        on!(tx, db => sqlx::query_as(TEXTS_OF_TARGET).bind(slug.as_str()).bind(&target).fetch_all(db).await)?;
    for row in rows {
        let (_, (_, lang, text)) = row.read()?;
        run.put_note(lang, &text);
    }
    Ok(())
}

/// What the folder says of a run.
async fn of_folder(tx: &mut Tx, slug: &StudySlug, run: &RunId) -> Result<Localized> {
    let row: Option<RunNoteRow> =
        on!(tx, db => sqlx::query_as(RUN_NOTE).bind(slug.as_str()).bind(run.as_str()).fetch_optional(db).await)?;
    row.map_or_else(|| Ok(Localized::default()), |row| row.read().map(|(_, _, notes)| notes))
}

/// Replaces what a folder says of its runs.
pub(crate) async fn import(tx: &mut Tx, folder: &StudyFolder) -> Result<()> {
    let slug = folder.data.study.slug.as_str();
    on!(tx, db => sqlx::query(FORGET_RUN_NOTES).bind(slug).execute(db).await.map(drop))?;
    for run in folder.data.runs.iter().filter(|run| !run.notes.is_empty()) {
        let notes = document(&run.notes);
        on!(tx, db => {
            sqlx::query(PUT_RUN_NOTE).bind(slug).bind(run.id.as_str()).bind(&notes).execute(db).await.map(drop)
        })?;
    }
    Ok(())
}

#[derive(sqlx::FromRow)]
struct TextRow {
    study: String,
    target: String,
    lang: String,
    body: String,
}

impl TextRow {
    fn read(self) -> Result<(String, (Target, Lang, String))> {
        let (target, lang) = place(&self.study, &self.target, &self.lang)?;
        Ok((self.study, (target, lang, self.body)))
    }
}

#[derive(sqlx::FromRow)]
struct RunNoteRow {
    study: String,
    run: String,
    document: String,
}

impl RunNoteRow {
    fn read(self) -> Result<(String, RunId, Localized)> {
        let notes = serde_json::from_str(&self.document)
            .map_err(|error| StoreError::corrupt(NOUN, &format!("{}/run:{}", self.study, self.run), error))?;
        Ok((self.study, RunId::new(self.run), notes))
    }
}

#[derive(sqlx::FromRow)]
struct NoteRow {
    target: String,
    lang: String,
    revision: i64,
    body: String,
    folder: String,
    about: Option<String>,
    author: Option<String>,
    created_at: i64,
}

impl NoteRow {
    fn read(self, study: &StudySlug) -> Result<Note> {
        let (target, lang) = place(study.as_str(), &self.target, &self.lang)?;
        let corrupt = |reason: &str| StoreError::corrupt(NOUN, &format!("{study}/{}", self.target), reason);
        Ok(Note {
            target,
            lang,
            revision: number(self.revision).ok_or_else(|| corrupt("its revision is no number"))?,
            folder: Digest::from_hex(&self.folder).ok_or_else(|| corrupt("its digest is none"))?,
            text: self.body,
            about: self.about,
            author: self.author,
            at: self.created_at,
        })
    }
}

#[derive(sqlx::FromRow)]
struct RevisionRow {
    revision: i64,
    characters: i64,
    origin: String,
    author: Option<String>,
    restored: Option<i64>,
    created_at: i64,
}

impl RevisionRow {
    fn read(self, study: &StudySlug, on: &Target) -> Result<NoteRevision> {
        let corrupt = || StoreError::corrupt(NOUN, &format!("{study}/{on}"), "its revision cannot be read");
        Ok(NoteRevision {
            revision: number(self.revision).ok_or_else(corrupt)?,
            characters: number(self.characters).ok_or_else(corrupt)?,
            of_folder: self.origin == save::FOLDER,
            author: self.author,
            restored: self.restored.map(|from| number(from).ok_or_else(corrupt)).transpose()?,
            at: self.created_at,
        })
    }
}

fn number(stored: i64) -> Option<u64> {
    u64::try_from(stored).ok()
}

/// What a stored note is on, and in which language.
fn place(study: &str, target: &str, lang: &str) -> Result<(Target, Lang)> {
    let known = Target::parse(target).zip(lang.parse().ok());
    known.ok_or_else(|| StoreError::corrupt(NOUN, &format!("{study}/{target}/{lang}"), "its place cannot be read"))
}
