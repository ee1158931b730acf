//! Studies: their description in a document, their parts and runs in rows of their own, which are the source of truth.

use std::collections::BTreeMap;

use domain::id::StudySlug;
use domain::run::Run;
use domain::study::{Localized, Model, Study, StudyData};
use serde::Serialize;

use crate::db::{Tx, on};
use crate::note::Overlay;
use crate::part::Parts;
use crate::{Result, StoreError, run};

const NOUN: &str = "study";

const HEADS: &str = "SELECT slug, title_ja, title_en, created_at, updated_at, \
     (SELECT COUNT(*) FROM runs WHERE runs.study = studies.slug) AS runs \
     FROM studies ORDER BY updated_at DESC, slug";
const ALL: &str = "SELECT slug, document, created_at, updated_at FROM studies ORDER BY updated_at DESC, slug";
const ONE: &str = "SELECT slug, document, created_at, updated_at FROM studies WHERE slug = $1";
/// The pattern is the model as documents write it: a document of another study may hold the same words in its notes, so
/// what is found is looked at again. Comparing costs one pass over the descriptions.
const WITH_MODEL: &str = "SELECT slug FROM studies WHERE slug <> $1 AND LOWER(document) LIKE LOWER($2) ESCAPE '!' \
     ORDER BY updated_at DESC, slug";
const RECEIVED: &str = "SELECT manifest FROM studies WHERE slug = $1";
const INSERT: &str = "INSERT INTO studies (slug, title_ja, title_en, document, manifest, folder_digest, created_at, \
     updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $7) ON CONFLICT (slug) DO NOTHING";
/// Writes nothing new, but keeps other writers of this study waiting until this transaction ends.
const LOCK: &str = "UPDATE studies SET updated_at = updated_at WHERE slug = $1 \
     RETURNING folder_digest, created_at, updated_at";
const TOUCH: &str = "UPDATE studies SET updated_at = $2 WHERE slug = $1";
const DESCRIBE: &str = "UPDATE studies SET document = $2 WHERE slug = $1";
const UPDATE: &str = "UPDATE studies SET title_ja = $2, title_en = $3, document = $4, manifest = $5, \
     folder_digest = $6, updated_at = $7 WHERE slug = $1";

/// A study as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredStudy {
    /// The study and its runs.
    pub data: StudyData,
    /// First import, milliseconds since 1970 UTC.
    pub created_at: i64,
    /// Last change, milliseconds since 1970 UTC. It grows with every change, so slug and `updated_at` together name
    /// one state of a study.
    pub updated_at: i64,
}

/// What a list of studies says about one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StudyHead {
    /// Its name in URLs.
    pub slug: StudySlug,
    /// For people.
    pub title: Localized,
    /// How many runs it has.
    pub runs: u64,
    /// First import, milliseconds since 1970 UTC.
    pub created_at: i64,
    /// Last change, as in [`StoredStudy::updated_at`].
    pub updated_at: i64,
}

#[derive(sqlx::FromRow)]
struct HeadRow {
    slug: String,
    title_ja: Option<String>,
    title_en: Option<String>,
    created_at: i64,
    updated_at: i64,
    runs: i64,
}

impl TryFrom<HeadRow> for StudyHead {
    type Error = StoreError;

    fn try_from(row: HeadRow) -> Result<Self> {
        let runs = u64::try_from(row.runs).map_err(|error| StoreError::corrupt(NOUN, &row.slug, error))?;
        Ok(Self {
            slug: StudySlug::new(row.slug),
            title: Localized { ja: row.title_ja, en: row.title_en },
            runs,
            created_at: row.created_at,
            updated_at: row.updated_at,
        })
    }
}

#[derive(sqlx::FromRow)]
struct StudyRow {
    slug: String,
    document: String,
    created_at: i64,
    updated_at: i64,
}

impl TryFrom<StudyRow> for StoredStudy {
    type Error = StoreError;

    /// The study alone: its parts and runs are filled in from their rows.
    fn try_from(row: StudyRow) -> Result<Self> {
        let study: Study =
            serde_json::from_str(&row.document).map_err(|error| StoreError::corrupt(NOUN, &row.slug, error))?;
        if study.slug.as_str() != row.slug {
            let reason = format!("its document is about \"{}\"", study.slug);
            return Err(StoreError::corrupt(NOUN, &row.slug, reason));
        }
        let data = StudyData { study, runs: Vec::new() };
        Ok(Self { data, created_at: row.created_at, updated_at: row.updated_at })
    }
}

pub(crate) async fn heads(tx: &mut Tx) -> Result<Vec<StudyHead>> {
    let rows: Vec<HeadRow> = on!(tx, db => sqlx::query_as(HEADS).fetch_all(db).await)?;
    rows.into_iter().map(TryFrom::try_from).collect()
}

pub(crate) async fn all(tx: &mut Tx) -> Result<Vec<StoredStudy>> {
    let rows: Vec<StudyRow> = on!(tx, db => sqlx::query_as(ALL).fetch_all(db).await)?;
    let overlay = Overlay::read(tx, None).await?;
    fill(tx, None, rows, overlay).await
}

pub(crate) async fn one(tx: &mut Tx, slug: &StudySlug) -> Result<StoredStudy> {
    let overlay = Overlay::read(tx, Some(slug.as_str())).await?;
    with(tx, slug, overlay).await
}

/// The study without what was written on it in the browser.
pub(crate) async fn as_received(tx: &mut Tx, slug: &StudySlug) -> Result<StoredStudy> {
    let overlay = Overlay::of_folders(tx, Some(slug.as_str())).await?;
    with(tx, slug, overlay).await
}

async fn with(tx: &mut Tx, slug: &StudySlug, overlay: Overlay) -> Result<StoredStudy> {
    let row: Option<StudyRow> = on!(tx, db => sqlx::query_as(ONE).bind(slug.as_str()).fetch_optional(db).await)?;
    let studies = fill(tx, Some(slug.as_str()), row.into_iter().collect(), overlay).await?;
    studies.into_iter().next().ok_or_else(|| StoreError::not_found(NOUN, slug.as_str()))
}

async fn fill(tx: &mut Tx, only: Option<&str>, rows: Vec<StudyRow>, mut overlay: Overlay) -> Result<Vec<StoredStudy>> {
    let mut parts = Parts::read(tx, only).await?;
    let mut runs = BTreeMap::<StudySlug, Vec<Run>>::new();
    for (study, run) in run::of_study(tx, only).await? {
        runs.entry(study).or_default().push(run);
    }
    let filled = rows.into_iter().map(|row| {
        let mut stored = StoredStudy::try_from(row)?;
        parts.fill(&mut stored.data.study);
        stored.data.runs = runs.remove(&stored.data.study.slug).unwrap_or_default();
        overlay.fill(&mut stored.data);
        Ok(stored)
    });
    filled.collect()
}

/// The `study.toml` that a study came with; empty where uploads made it.
pub(crate) async fn received(tx: &mut Tx, slug: &StudySlug) -> Result<String> {
    let manifest = on!(tx, db => sqlx::query_scalar(RECEIVED).bind(slug.as_str()).fetch_optional(db).await)?;
    manifest.ok_or_else(|| StoreError::not_found(NOUN, slug.as_str()))
}

/// Slugs of other studies whose descriptions name this model, freshest first.
pub(crate) async fn with_model(tx: &mut Tx, not: &StudySlug, model: &str) -> Result<Vec<String>> {
    let json = document(&Model { id: model.trim().to_owned() });
    let pattern = format!("%{}%", json.replace('!', "!!").replace('%', "!%").replace('_', "!_"));
    let query = on!(tx, db => sqlx::query_scalar(WITH_MODEL).bind(not.as_str()).bind(&pattern).fetch_all(db).await);
    Ok(query?)
}

/// Keeps other writers of a study waiting until this transaction ends, and says what is there.
pub(crate) async fn lock(tx: &mut Tx, slug: &str) -> Result<Option<Before>> {
    Ok(on!(tx, db => sqlx::query_as(LOCK).bind(slug).fetch_optional(db).await)?)
}

/// The description of a study and its parts as folder and uploads have them, without its runs: what may be written back.
pub(crate) async fn described(tx: &mut Tx, slug: &str) -> Result<Study> {
    let row: Option<StudyRow> = on!(tx, db => sqlx::query_as(ONE).bind(slug).fetch_optional(db).await)?;
    let mut stored = StoredStudy::try_from(row.ok_or_else(|| StoreError::not_found(NOUN, slug))?)?;
    Parts::read(tx, Some(slug)).await?.fill(&mut stored.data.study);
    Ok(stored.data.study)
}

/// Gives the state of a study another name.
pub(crate) async fn touch(tx: &mut Tx, slug: &str, updated_at: i64) -> Result<()> {
    on!(tx, db => sqlx::query(TOUCH).bind(slug).bind(updated_at).execute(db).await.map(drop))?;
    Ok(())
}

/// Replaces the description of a study, whose title stays.
pub(crate) async fn describe(tx: &mut Tx, study: &Study) -> Result<()> {
    let document = Description { study, manifest: "", folder_digest: "" }.document();
    on!(tx, db => sqlx::query(DESCRIBE).bind(study.slug.as_str()).bind(&document).execute(db).await.map(drop))?;
    Ok(())
}

/// What an import writes into a study's row.
pub(crate) struct Description<'a> {
    pub study: &'a Study,
    pub manifest: &'a str,
    pub folder_digest: &'a str,
}

/// What was there before a change.
#[derive(sqlx::FromRow)]
pub(crate) struct Before {
    pub folder_digest: String,
    pub created_at: i64,
    pub updated_at: i64,
}

impl Description<'_> {
    /// Claims the study for this transaction: writes it where it is new, or else says what is there.
    pub async fn claim(&self, tx: &mut Tx, now_ms: i64) -> Result<Option<Before>> {
        let (slug, title, document) = (self.study.slug.as_str(), &self.study.title, self.document());
        // Where another import of the same study is under way, this waits for its end.
        let inserted = on!(tx, db => {
            let query = sqlx::query(INSERT).bind(slug).bind(&title.ja).bind(&title.en).bind(&document);
            let query = query.bind(self.manifest).bind(self.folder_digest).bind(now_ms);
            query.execute(db).await.map(|done| done.rows_affected())
        })?;
        if inserted > 0 {
            return Ok(None);
        }
        lock(tx, slug).await
    }

    /// Replaces what is there.
    pub async fn update(&self, tx: &mut Tx, updated_at: i64) -> Result<()> {
        let (slug, title, document) = (self.study.slug.as_str(), &self.study.title, self.document());
        on!(tx, db => {
            let query = sqlx::query(UPDATE).bind(slug).bind(&title.ja).bind(&title.en).bind(&document);
            let query = query.bind(self.manifest).bind(self.folder_digest).bind(updated_at);
            query.execute(db).await.map(drop)
        })?;
        Ok(())
    }

    fn document(&self) -> String {
        document(&Study { profiles: Vec::new(), variants: Vec::new(), steps: Vec::new(), ..self.study.clone() })
    }
}

/// A domain value as it is kept in a document column.
pub(crate) fn document(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("domain types have text keys, so they can always be written as JSON")
}
