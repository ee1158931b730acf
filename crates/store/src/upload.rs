//! Uploads: each file's runs in one transaction, with whatever of study, step, variant and profile must exist for them.
//!
//! Invariant: what is stored follows from the content alone, so that the same upload, the tenth time and ten times at
//! once, leaves the same rows and gets the same answer.

use std::collections::BTreeMap;

use domain::digest::Digest;
use domain::id::{ProfileId, RunId, StudySlug, VariantId};
use domain::run::{Measurement, Run, run_id, same_run};
use domain::upload::{Envelope, Plan, Refusal, plan};
use thiserror::Error;

use crate::db::{Db, Tx, on};
use crate::raw::{self, Packed};
use crate::study::{self, Description};
use crate::{Result, StoreError, part, run};

/// Two databases' worth of bad luck: a deadlock or a lost race is tried again this often.
const TRIES: usize = 5;
/// Two forms of one run print their durations and throughputs with no decimals at worst; see `domain::run::same_run`.
const APART: f64 = 0.51;

const PUT_UPLOAD: &str = "INSERT INTO uploads (id, study, variant, profile, token, document, created_at) \
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING";
const KNOWN: &str = "SELECT id, raw_index FROM runs \
     WHERE digest = $1 AND study = $2 AND variant = $3 AND profile = $4 ORDER BY raw_index";
const KNOWN_FORMS: &str = "SELECT runs.id, run_forms.raw_index, runs.file FROM run_forms \
     JOIN runs ON runs.id = run_forms.run \
     WHERE run_forms.digest = $1 AND runs.study = $2 AND runs.variant = $3 AND runs.profile = $4 \
     ORDER BY run_forms.raw_index";
/// Whether other raw outputs hold runs of the same variant under the same profile.
const OTHERS: &str =
    "SELECT EXISTS (SELECT 1 FROM runs WHERE study = $1 AND variant = $2 AND profile = $3 AND digest <> $4)";
macro_rules! like {
    ($duration:literal) => {
        concat!(
            "SELECT id, file, document, position FROM runs \
             WHERE study = $1 AND variant = $2 AND profile = $3 AND digest <> $4 AND ",
            $duration,
            " AND (total_token_throughput IS NULL OR CAST($6 AS DOUBLE PRECISION) IS NULL \
                   OR ABS(total_token_throughput - $6) <= $7)"
        )
    };
}
/// Runs that may be the same one in another form: what both say of duration and throughput agrees.
const LIKE: &str = concat!(
    "SELECT id, file, document FROM (",
    like!("duration_s BETWEEN $5 - $7 AND $5 + $7"),
    " UNION ALL ",
    like!("duration_s IS NULL"),
    ") AS alike ORDER BY position, id"
);
/// The same for a run that says nothing of its duration.
const LIKE_ANY: &str =
    concat!(like!("(duration_s IS NULL OR duration_s > CAST($5 AS DOUBLE PRECISION))"), " ORDER BY position, id");
const PUT_FORM: &str = "INSERT INTO run_forms (run, digest, raw_index, file, created_at) VALUES ($1, $2, $3, $4, $5) \
     ON CONFLICT (run, digest, raw_index) DO NOTHING";
const LAST_POSITION: &str = "SELECT MAX(position) FROM runs WHERE study = $1";

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

/// A raw output and what was read from it.
pub struct UploadedFile {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub raw: Packed,
    /// Its results, in their order.
    pub runs: Vec<Measurement>,
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

/// Why an upload was not stored.
#[derive(Debug, Error)]
pub enum UploadError {
    /// It names something that is not there, or leaves out what is needed.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for UploadError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

pub(crate) async fn store(
    db: &Db,
    upload: &Upload,
    file: &mut UploadedFile,
    now_ms: i64,
) -> std::result::Result<Stored, UploadError> {
    let mut tries = 1;
    loop {
        match once(db, upload, file, now_ms).await {
            Err(UploadError::Store(StoreError::Conflict(_))) if tries < TRIES => tries += 1,
            outcome => return outcome,
        }
    }
}

async fn once(
    db: &Db,
    upload: &Upload,
    file: &mut UploadedFile,
    now_ms: i64,
) -> std::result::Result<Stored, UploadError> {
    let mut tx = db.write().await?;
    let Claimed { plan, updated_at } = claim(&mut tx, &upload.envelope, &file.runs, now_ms).await?;
    if plan.new_parts {
        part::put(&mut tx, &plan.study).await?;
    }
    raw::put(&mut tx, &mut file.raw, now_ms).await?;
    put_upload(&mut tx, upload, &plan, now_ms).await?;
    let (runs, added) = put_runs(&mut tx, upload, &plan, file, now_ms).await?;
    // What a reader keeps by slug and `updated_at` must be looked up again.
    if let Some(before) = updated_at.filter(|_| added || plan.new_parts) {
        study::touch(&mut tx, plan.study.slug.as_str(), now_ms.max(before + 1)).await?;
    }
    tx.commit().await?;
    Ok(Stored { variant: plan.variant, profile: plan.profile, runs, warnings: plan.warnings })
}

struct Claimed {
    plan: Plan,
    /// Of the study that was there before.
    updated_at: Option<i64>,
}

/// Claims the study for this transaction, made where it is new, and plans what is missing in it.
async fn claim(tx: &mut Tx, envelope: &Envelope, runs: &[Measurement], now_ms: i64) -> Result<Claimed> {
    let slug = envelope.slug();
    let before = match study::lock(tx, slug).await? {
        Some(before) => before,
        None => {
            let plan = plan(envelope, None, runs);
            // No folder described it.
            let description = Description { study: &plan.study, manifest: "", folder_digest: "" };
            match description.claim(tx, now_ms).await? {
                None => return Ok(Claimed { plan, updated_at: None }),
                // Somebody else made it meanwhile.
                Some(before) => before,
            }
        }
    };
    let stored = study::described(tx, slug).await?;
    Ok(Claimed { plan: plan(envelope, Some(&stored), runs), updated_at: Some(before.updated_at) })
}

async fn put_upload(tx: &mut Tx, upload: &Upload, plan: &Plan, now_ms: i64) -> Result<()> {
    on!(tx, db => {
        let query = sqlx::query(PUT_UPLOAD).bind(&upload.id).bind(plan.study.slug.as_str());
        let query = query.bind(plan.variant.as_str()).bind(plan.profile.as_str()).bind(&upload.token);
        query.bind(&upload.document).bind(now_ms).execute(db).await.map(drop)
    })?;
    Ok(())
}

/// Writes the runs of a file that are not there, and says whether any was new.
async fn put_runs(
    tx: &mut Tx,
    upload: &Upload,
    plan: &Plan,
    file: &UploadedFile,
    now_ms: i64,
) -> Result<(Vec<StoredRun>, bool)> {
    let slug = &plan.study.slug;
    let digest = &file.raw.digest;
    let known = known(tx, plan, digest).await?;
    let others = others(tx, plan, digest).await?;
    let mut position = None;
    let mut stored = Vec::with_capacity(file.runs.len());
    for (index, measurement) in (0_u32..).zip(&file.runs) {
        if let Some(known) = known.get(&i64::from(index)) {
            stored.push(known.clone());
            continue;
        }
        if others && let Some(first) = same(tx, plan, digest, measurement).await? {
            on!(tx, db => {
                let query = sqlx::query(PUT_FORM).bind(first.id.as_str()).bind(digest.as_str()).bind(i64::from(index));
                query.bind(&file.name).bind(now_ms).execute(db).await.map(drop)
            })?;
            stored.push(first);
            continue;
        }
        let next = match position {
            Some(last) => last + 1,
            None => first_position(tx, slug).await?,
        };
        position = Some(next);
        let run = Run {
            id: run_id(slug, &plan.variant, &plan.profile, digest, index),
            variant: plan.variant.clone(),
            profile: plan.profile.clone(),
            file: file.name.clone(),
            digest: digest.clone(),
            index,
            start: upload.envelope.start.clone(),
            started_at: upload.started_at,
            measurement: measurement.clone(),
        };
        let place = run::Place { study: slug, position: next, upload: Some(&upload.id) };
        run::put(tx, place, &run, now_ms).await?;
        stored.push(StoredRun { id: run.id, same_as: None });
    }
    Ok((stored, position.is_some()))
}

/// What is stored of a raw output under one variant and profile, by place in it.
async fn known(tx: &mut Tx, plan: &Plan, digest: &Digest) -> Result<BTreeMap<i64, StoredRun>> {
    let (slug, variant, profile) = (plan.study.slug.as_str(), plan.variant.as_str(), plan.profile.as_str());
    let runs: Vec<(String, i64)> = on!(tx, db => {
        sqlx::query_as(KNOWN).bind(digest.as_str()).bind(slug).bind(variant).bind(profile).fetch_all(db).await
    })?;
    let forms: Vec<(String, i64, String)> = on!(tx, db => {
        sqlx::query_as(KNOWN_FORMS).bind(digest.as_str()).bind(slug).bind(variant).bind(profile).fetch_all(db).await
    })?;
    let forms =
        forms.into_iter().map(|(id, index, file)| (index, StoredRun { id: RunId::new(id), same_as: Some(file) }));
    let runs = runs.into_iter().map(|(id, index)| (index, StoredRun { id: RunId::new(id), same_as: None }));
    Ok(forms.chain(runs).collect())
}

/// Without other raw outputs there is nothing to look for: ten thousand results of one file need not search themselves.
async fn others(tx: &mut Tx, plan: &Plan, digest: &Digest) -> Result<bool> {
    let (slug, variant, profile) = (plan.study.slug.as_str(), plan.variant.as_str(), plan.profile.as_str());
    Ok(on!(tx, db => {
        sqlx::query_scalar(OTHERS).bind(slug).bind(variant).bind(profile).bind(digest.as_str()).fetch_one(db).await
    })?)
}

/// The run that is the same measurement in another form, if it is stored.
async fn same(tx: &mut Tx, plan: &Plan, digest: &Digest, measurement: &Measurement) -> Result<Option<StoredRun>> {
    let metrics = &measurement.metrics;
    let duration = metrics.duration.map(|value| value.get());
    let (like, duration) = match duration {
        Some(duration) => (LIKE, duration),
        None => (LIKE_ANY, -1.0),
    };
    let rows: Vec<(String, String, String)> = on!(tx, db => {
        let query = sqlx::query_as(like).bind(plan.study.slug.as_str()).bind(plan.variant.as_str());
        let query = query.bind(plan.profile.as_str()).bind(digest.as_str());
        let query = query.bind(duration);
        query.bind(metrics.total_token_throughput.map(|value| value.get())).bind(APART).fetch_all(db).await
    })?;
    for (id, file, document) in rows {
        let other: Measurement =
            serde_json::from_str(&document).map_err(|error| StoreError::corrupt("run", &id, error))?;
        if same_run(measurement, &other) {
            return Ok(Some(StoredRun { id: RunId::new(id), same_as: Some(file) }));
        }
    }
    Ok(None)
}

async fn first_position(tx: &mut Tx, study: &StudySlug) -> Result<i64> {
    let last: Option<i64> = on!(tx, db => sqlx::query_scalar(LAST_POSITION).bind(study.as_str()).fetch_one(db).await)?;
    Ok(last.map_or(0, |last| last + 1))
}
