//! Saving notes: what one form holds goes in as a whole, or, where somebody else was faster, not at all.

use domain::digest::Digest;
use domain::id::StudySlug;
use domain::note::{Target, normalised};
use domain::study::StudyData;
use domain::text::Lang;

use crate::db::{Db, Tx, on};
use crate::{Result, StoreError, run, study};

const NEWEST: &str = "SELECT revision, body FROM notes WHERE study = $1 AND target = $2 AND lang = $3";
const NOTED: &str = "SELECT COUNT(*) FROM notes WHERE study = $1 AND target = $2";
const LAST_OF_FOLDER: &str = "SELECT body FROM note_revisions WHERE study = $1 AND target = $2 AND lang = $3 \
     AND origin = 'folder' ORDER BY revision DESC LIMIT 1";
const PUT: &str = "INSERT INTO notes (study, target, lang, revision, body, folder, about) \
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (study, target, lang) DO UPDATE SET \
     revision = excluded.revision, body = excluded.body, folder = excluded.folder, \
     about = COALESCE(excluded.about, notes.about)";
const PUT_REVISION: &str = "INSERT INTO note_revisions (study, target, lang, revision, body, origin, author, restored, \
     created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";

/// Written by people on the site.
const BROWSER: &str = "browser";
/// Had by the folder.
pub(super) const FOLDER: &str = "folder";

/// A note as a form sends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteEdit {
    /// Its language.
    pub lang: Lang,
    /// What is to be kept, normalised; empty takes the note away.
    pub text: String,
    /// The revision that was in the form when it was opened; 0 where nothing had been written here.
    pub base: u64,
    /// Of the folder's note, normalised, at that time.
    pub folder: Digest,
    /// The revision whose text this is again.
    pub restored: Option<u64>,
}

/// What became of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotesSaved {
    /// Everything is kept. Languages in which something was different.
    Saved(Vec<Lang>),
    /// Nothing is kept: somebody else has saved these languages since the form was opened.
    Conflict {
        /// Where both changed the text.
        both: Vec<Lang>,
        /// Where only the other did.
        theirs: Vec<Lang>,
    },
}

/// Who saves, what on, and when.
#[derive(Clone, Copy)]
struct Place<'a> {
    slug: &'a StudySlug,
    on: &'a str,
    author: Option<&'a str>,
    now_ms: i64,
}

/// Saves the notes of one form. A target that the study has never had is not found.
pub(crate) async fn save(
    db: &Db,
    slug: &StudySlug,
    on: &Target,
    edits: &[NoteEdit],
    author: Option<&str>,
    now_ms: i64,
) -> Result<NotesSaved> {
    let mut tx = db.write().await?;
    let before = study::lock(&mut tx, slug.as_str()).await?;
    let before = before.ok_or_else(|| StoreError::not_found("study", slug.as_str()))?;
    let (data, about) = described(&mut tx, slug, on).await?;
    let key = on.to_string();
    let place = Place { slug, on: &key, author, now_ms };
    let of_folder = data.notes(on);
    if of_folder.is_none() && !is_noted(&mut tx, place).await? {
        return Err(StoreError::not_found("target of a note", &key));
    }

    let (mut saved, mut both, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
    for edit in edits {
        let folder = of_folder.and_then(|notes| notes.own(edit.lang)).map(normalised).unwrap_or_default();
        let newest = newest(&mut tx, place, edit.lang).await?;
        let (revision, text) = newest.unwrap_or_else(|| (0, folder.clone()));
        if text == edit.text {
            continue;
        }
        if is_untouched(&mut tx, slug, on, edit).await? {
            // Whoever sent the form left this language as it was, and somebody else did not.
            theirs.push(edit.lang);
        } else if revision == edit.base {
            let next = keep_folder(&mut tx, place, edit.lang, revision + 1, &folder).await?;
            put(&mut tx, place, edit, next, about.as_deref()).await?;
            saved.push(edit.lang);
        } else {
            both.push(edit.lang);
        }
    }
    if !both.is_empty() {
        return Ok(NotesSaved::Conflict { both, theirs });
    }
    if !saved.is_empty() {
        study::touch(&mut tx, slug.as_str(), now_ms.max(before.updated_at + 1)).await?;
        tx.commit().await?;
    }
    Ok(NotesSaved::Saved(saved))
}

/// The study with the run that the note may be on, as the folder has them, and what that run is.
async fn described(tx: &mut Tx, slug: &StudySlug, on: &Target) -> Result<(StudyData, Option<String>)> {
    let study = study::described(tx, slug.as_str()).await?;
    let mut data = StudyData { study, runs: Vec::new() };
    let Target::Run(id) = on else { return Ok((data, None)) };
    let mut about = None;
    match run::one(tx, id).await {
        Ok((of, mut run)) if of == *slug => {
            about = Some(format!("{} · {} · {}", run.variant, run.profile, run.file));
            run.notes = super::of_folder(tx, slug, id).await?;
            data.runs.push(run);
        }
        Ok(_) | Err(StoreError::NotFound { .. }) => {}
        Err(error) => return Err(error),
    }
    Ok((data, about))
}

async fn is_noted(tx: &mut Tx, place: Place<'_>) -> Result<bool> {
    let count: i64 =
        on!(tx, db => sqlx::query_scalar(NOTED).bind(place.slug.as_str()).bind(place.on).fetch_one(db).await)?;
    Ok(count > 0)
}

async fn newest(tx: &mut Tx, place: Place<'_>, lang: Lang) -> Result<Option<(u64, String)>> {
    let row: Option<(i64, String)> = on!(tx, db => {
        let query = sqlx::query_as(NEWEST).bind(place.slug.as_str()).bind(place.on).bind(lang.code());
        query.fetch_optional(db).await
    })?;
    Ok(row.map(|(revision, text)| (u64::try_from(revision).unwrap_or_default(), text)))
}

/// Whether the form holds what it was opened with.
async fn is_untouched(tx: &mut Tx, slug: &StudySlug, on: &Target, edit: &NoteEdit) -> Result<bool> {
    if edit.base == 0 {
        return Ok(Digest::of(edit.text.as_bytes()) == edit.folder);
    }
    match super::text(tx, slug, on, edit.lang, edit.base).await {
        Ok(text) => Ok(text == edit.text),
        Err(StoreError::NotFound { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Keeps the folder's note in the history before something is put over it, unless it is there; the next free revision.
async fn keep_folder(tx: &mut Tx, place: Place<'_>, lang: Lang, next: u64, folder: &str) -> Result<u64> {
    let known: Option<String> = on!(tx, db => {
        let query = sqlx::query_scalar(LAST_OF_FOLDER).bind(place.slug.as_str()).bind(place.on).bind(lang.code());
        query.fetch_optional(db).await
    })?;
    if folder == known.unwrap_or_default() {
        return Ok(next);
    }
    put_revision(tx, Place { author: None, ..place }, lang, next, folder, FOLDER, None).await?;
    Ok(next + 1)
}

async fn put(tx: &mut Tx, place: Place<'_>, edit: &NoteEdit, revision: u64, about: Option<&str>) -> Result<()> {
    on!(tx, db => {
        let query = sqlx::query(PUT).bind(place.slug.as_str()).bind(place.on).bind(edit.lang.code());
        let query = query.bind(stored(revision)).bind(&edit.text).bind(edit.folder.as_str()).bind(about);
        query.execute(db).await.map(drop)
    })?;
    put_revision(tx, place, edit.lang, revision, &edit.text, BROWSER, edit.restored).await
}

async fn put_revision(
    tx: &mut Tx,
    place: Place<'_>,
    lang: Lang,
    revision: u64,
    text: &str,
    origin: &str,
    restored: Option<u64>,
) -> Result<()> {
    on!(tx, db => {
        let query = sqlx::query(PUT_REVISION).bind(place.slug.as_str()).bind(place.on).bind(lang.code());
        let query = query.bind(stored(revision)).bind(text).bind(origin).bind(place.author);
        query.bind(restored.map(stored)).bind(place.now_ms).execute(db).await.map(drop)
    })?;
    Ok(())
}

/// A number as columns hold it; nobody saves a note nine quintillion times.
fn stored(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
