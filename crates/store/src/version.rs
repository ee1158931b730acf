//! Published versions: written once, read for ever. Nothing here changes a row or takes one out.

use std::collections::BTreeMap;

use domain::digest::Digest;
use domain::id::StudySlug;
use domain::text::Lang;
use domain::version::{Outline, Snapshot};

use crate::db::{Db, Tx, on};
use crate::study::{self, document};
use crate::{Result, StoreError};

const NOUN: &str = "version";
const FILE: &str = "file of a version";
/// Written once and read for years: denser than raw outputs, and still a few milliseconds a file.
const LEVEL: i32 = 9;

const COLUMNS: &str = "number, published_at, author, remark, study_updated_at, content, outline, text_version, program";
const PUT: &str = "INSERT INTO versions (study, number, published_at, author, remark, study_updated_at, content, outline, \
     text_version, program) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
const PUT_FILE: &str = "INSERT INTO version_files (study, number, audience, lang, name, sha256, size, body) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
const FILES: &str = "SELECT number, audience, lang, name, sha256, size FROM version_files WHERE study = $1 \
     ORDER BY number, audience, lang, name";
const BODY: &str = "SELECT sha256, size, body FROM version_files \
     WHERE study = $1 AND number = $2 AND audience = $3 AND lang = $4 AND name = $5";

/// For whom a file was frozen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Audience {
    /// Everybody who may see the study.
    All,
    /// Whoever got a link: names of hosts and people, addresses and keys are redacted.
    Outsiders,
}

impl Audience {
    const BOTH: [Self; 2] = [Self::All, Self::Outsiders];

    const fn key(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Outsiders => "outsiders",
        }
    }
}

/// A version as it is published.
#[derive(Debug, Clone, PartialEq)]
pub struct NewVersion {
    /// The number that its files say, one above the newest.
    pub number: u32,
    /// Milliseconds since 1970 UTC, as its files say.
    pub published_at: i64,
    /// Name of the token; none for whoever sits at the server.
    pub author: Option<String>,
    /// Empty where there is none.
    pub remark: String,
    /// Last change of the study that was published, milliseconds since 1970 UTC.
    pub study_updated_at: i64,
    /// What it can be compared by.
    pub snapshot: Snapshot,
    /// What is served.
    pub files: Vec<NewFile>,
}

/// A file as it is frozen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    /// For whom.
    pub audience: Audience,
    /// Its language; none for a file that is both.
    pub lang: Option<Lang>,
    /// `report.html`.
    pub name: String,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// What became of a version.
#[derive(Debug, Clone, PartialEq)]
pub enum Published {
    /// It is kept.
    New(Version),
    /// The newest says the same already: nothing was written.
    Same(Version),
    /// Somebody else has published meanwhile, so its number is taken: nothing was written.
    Overtaken,
}

/// A version that is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Version {
    /// From 1.
    pub number: u32,
    /// Milliseconds since 1970 UTC.
    pub published_at: i64,
    /// Name of the token; none for whoever sits at the server.
    pub author: Option<String>,
    /// Empty where there is none.
    pub remark: String,
    /// Last change of the study that was published, milliseconds since 1970 UTC.
    pub study_updated_at: i64,
    /// What it can be compared by.
    pub snapshot: Snapshot,
    /// Its files, without their bytes.
    pub files: Vec<VersionFile>,
}

/// A file of a version, without its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionFile {
    /// For whom.
    pub audience: Audience,
    /// Its language; none for a file that is both.
    pub lang: Option<Lang>,
    /// `report.html`.
    pub name: String,
    /// SHA-256 of its bytes.
    pub sha256: Digest,
    /// How many.
    pub size: u64,
}

impl Version {
    /// A file of everybody's.
    #[must_use]
    pub fn file(&self, lang: Option<Lang>, name: &str) -> Option<&VersionFile> {
        self.files.iter().find(|file| file.audience == Audience::All && file.lang == lang && file.name == name)
    }
}

#[derive(sqlx::FromRow)]
struct VersionRow {
    number: i64,
    published_at: i64,
    author: Option<String>,
    remark: String,
    study_updated_at: i64,
    content: String,
    outline: String,
    text_version: i64,
    program: String,
}

impl VersionRow {
    fn read(self, slug: &StudySlug, files: Vec<VersionFile>) -> Result<Version> {
        let id = name(slug, self.number);
        let corrupt = |reason: &dyn ToString| StoreError::corrupt(NOUN, &id, reason.to_string());
        let outline: Outline = serde_json::from_str(&self.outline).map_err(|error| corrupt(&error))?;
        let content = Digest::from_hex(&self.content).ok_or_else(|| corrupt(&"its content is no SHA-256"))?;
        let text_version = u32::try_from(self.text_version).map_err(|error| corrupt(&error))?;
        Ok(Version {
            number: u32::try_from(self.number).map_err(|error| corrupt(&error))?,
            published_at: self.published_at,
            author: self.author,
            remark: self.remark,
            study_updated_at: self.study_updated_at,
            snapshot: Snapshot { outline, content, text_version, program: self.program },
            files,
        })
    }
}

#[derive(sqlx::FromRow)]
struct FileRow {
    number: i64,
    audience: String,
    lang: String,
    name: String,
    sha256: String,
    size: i64,
}

impl FileRow {
    fn read(self, slug: &StudySlug) -> Result<(i64, VersionFile)> {
        let id = format!("{} {}", name(slug, self.number), self.name);
        let corrupt = |reason: &str| StoreError::corrupt(FILE, &id, reason);
        let audience = Audience::BOTH.into_iter().find(|one| one.key() == self.audience);
        let lang = match self.lang.as_str() {
            "" => None,
            code => Some(code.parse::<Lang>().map_err(|()| corrupt("its language is not known"))?),
        };
        let file = VersionFile {
            audience: audience.ok_or_else(|| corrupt("its audience is not known"))?,
            lang,
            sha256: Digest::from_hex(&self.sha256).ok_or_else(|| corrupt("its digest is no SHA-256"))?,
            size: u64::try_from(self.size).map_err(|_| corrupt("its size is below zero"))?,
            name: self.name,
        };
        Ok((self.number, file))
    }
}

/// Keeps a version, all of its files or none, unless the newest one says the same or has its number.
pub(crate) async fn publish(db: &Db, slug: &StudySlug, new: &NewVersion) -> Result<Published> {
    // Before the lock: others may publish meanwhile.
    let mut packed = Vec::with_capacity(new.files.len());
    for file in &new.files {
        let body = zstd::bulk::compress(&file.bytes, LEVEL)
            .map_err(|error| StoreError::unavailable(format!("a file cannot be compressed: {error}"), "try again"))?;
        packed.push((file, Digest::of(&file.bytes), body));
    }
    let mut tx = db.write().await?;
    // Whoever publishes the same study waits here.
    study::lock(&mut tx, slug.as_str()).await?.ok_or_else(|| StoreError::not_found("study", slug.as_str()))?;
    let newest = newest(&mut tx, slug).await?;
    let next = newest.as_ref().map_or(1, |newest| newest.number + 1);
    if let Some(newest) = newest
        && newest.snapshot.content == new.snapshot.content
    {
        return Ok(Published::Same(one(&mut tx, slug, newest.number).await?));
    }
    if next != new.number {
        return Ok(Published::Overtaken);
    }
    put(&mut tx, slug, new).await?;
    for (file, sha256, body) in &packed {
        put_file(&mut tx, slug, new.number, file, sha256, body).await?;
    }
    let version = one(&mut tx, slug, new.number).await?;
    tx.commit().await?;
    Ok(Published::New(version))
}

async fn put(tx: &mut Tx, slug: &StudySlug, new: &NewVersion) -> Result<()> {
    let outline = document(&new.snapshot.outline);
    on!(tx, db => {
        let query = sqlx::query(PUT).bind(slug.as_str()).bind(i64::from(new.number)).bind(new.published_at);
        let query = query.bind(&new.author).bind(&new.remark).bind(new.study_updated_at);
        let query = query.bind(new.snapshot.content.as_str()).bind(&outline);
        let query = query.bind(i64::from(new.snapshot.text_version)).bind(&new.snapshot.program);
        query.execute(db).await.map(drop)
    })?;
    Ok(())
}

async fn put_file(
    tx: &mut Tx,
    slug: &StudySlug,
    number: u32,
    file: &NewFile,
    sha256: &Digest,
    body: &[u8],
) -> Result<()> {
    let size = i64::try_from(file.bytes.len()).expect("memory holds less than 2^63 bytes");
    on!(tx, db => {
        let query = sqlx::query(PUT_FILE).bind(slug.as_str()).bind(i64::from(number)).bind(file.audience.key());
        let query = query.bind(file.lang.map_or("", Lang::code)).bind(&file.name).bind(sha256.as_str());
        query.bind(size).bind(body).execute(db).await.map(drop)
    })?;
    Ok(())
}

/// All versions of a study, newest first.
pub(crate) async fn all(tx: &mut Tx, slug: &StudySlug) -> Result<Vec<Version>> {
    let text = format!("SELECT {COLUMNS} FROM versions WHERE study = $1 ORDER BY number DESC");
    let rows: Vec<VersionRow> = on!(tx, db => sqlx::query_as(&text).bind(slug.as_str()).fetch_all(db).await)?;
    if rows.is_empty() {
        // A study without versions has none; what is no study is not found.
        study::received(tx, slug).await?;
        return Ok(Vec::new());
    }
    let mut files = files(tx, slug).await?;
    rows.into_iter()
        .map(|row| {
            let files = files.remove(&row.number).unwrap_or_default();
            row.read(slug, files)
        })
        .collect()
}

/// The newest version, where there is one, without its files: what the live report is held against.
pub(crate) async fn newest(tx: &mut Tx, slug: &StudySlug) -> Result<Option<Version>> {
    let text = format!("SELECT {COLUMNS} FROM versions WHERE study = $1 ORDER BY number DESC LIMIT 1");
    let row: Option<VersionRow> = on!(tx, db => sqlx::query_as(&text).bind(slug.as_str()).fetch_optional(db).await)?;
    row.map(|row| row.read(slug, Vec::new())).transpose()
}

async fn one(tx: &mut Tx, slug: &StudySlug, number: u32) -> Result<Version> {
    let found = all(tx, slug).await?.into_iter().find(|version| version.number == number);
    found.ok_or_else(|| StoreError::not_found(NOUN, &name(slug, number.into())))
}

async fn files(tx: &mut Tx, slug: &StudySlug) -> Result<BTreeMap<i64, Vec<VersionFile>>> {
    let rows: Vec<FileRow> = on!(tx, db => sqlx::query_as(FILES).bind(slug.as_str()).fetch_all(db).await)?;
    let mut files = BTreeMap::<i64, Vec<VersionFile>>::new();
    for row in rows {
        let (number, file) = row.read(slug)?;
        files.entry(number).or_default().push(file);
    }
    Ok(files)
}

/// The bytes of a file, with their digest. Nothing leaves that is not what was frozen.
pub(crate) async fn file(
    tx: &mut Tx,
    slug: &StudySlug,
    number: u32,
    audience: Audience,
    lang: Option<Lang>,
    file: &str,
) -> Result<(Digest, Vec<u8>)> {
    let row: Option<(String, i64, Vec<u8>)> = on!(tx, db => {
        let query = sqlx::query_as(BODY).bind(slug.as_str()).bind(i64::from(number)).bind(audience.key());
        query.bind(lang.map_or("", Lang::code)).bind(file).fetch_optional(db).await
    })?;
    let id = format!("{} {file}", name(slug, number.into()));
    let (sha256, size, body) = row.ok_or_else(|| StoreError::not_found(FILE, &id))?;
    let room = usize::try_from(size).unwrap_or_default();
    let bytes = zstd::bulk::decompress(&body, room).map_err(|error| StoreError::corrupt(FILE, &id, error))?;
    let digest = Digest::of(&bytes);
    if digest.as_str() != sha256 {
        return Err(StoreError::corrupt(FILE, &id, "its bytes are not the ones that were frozen"));
    }
    Ok((digest, bytes))
}

/// As people name a version.
fn name(slug: &StudySlug, number: i64) -> String {
    format!("{slug} v{number}")
}
