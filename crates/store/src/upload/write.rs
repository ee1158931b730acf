//! What one transaction does for the uploads that share it.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::id::{RunId, StudySlug};
use domain::run::run_id;
use domain::study::Study;
use domain::upload::{Plan, plan};

use super::alike::{Same, known, same};
use super::seen::{Known, Seen};
use super::{Job, Stored, StoredRun};
use crate::db::{Db, Tx, on};
use crate::study::{self, Before, Description};
use crate::{Result, StoreError, part, raw, run};

const PUT_UPLOAD: &str = "INSERT INTO uploads (id, study, variant, profile, token, document, created_at, answer) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO UPDATE SET answer = excluded.answer \
     WHERE uploads.answer IS NULL AND excluded.answer IS NOT NULL";
const PUT_FORM: &str = "INSERT INTO run_forms (run, digest, raw_index, file, created_at) VALUES ($1, $2, $3, $4, $5) \
     ON CONFLICT (run, digest, raw_index) DO NOTHING";
/// Only requests are added, which no column has.
const COMPLETE: &str = "UPDATE runs SET document = $2 WHERE id = $1";
const LAST_POSITION: &str = "SELECT MAX(position) FROM runs WHERE study = $1";

/// Why a transaction came to nothing.
pub(super) enum Failed {
    /// It did not even begin: no upload is to blame.
    Begin(StoreError),
    /// One of its uploads, or the database.
    Within(StoreError),
}

impl From<Failed> for StoreError {
    fn from(failed: Failed) -> Self {
        match failed {
            Failed::Begin(error) | Failed::Within(error) => error,
        }
    }
}

/// Stores uploads in one transaction, and gives what each comes to when it is durable.
pub(super) async fn write(db: &Db, seen: &Seen, jobs: &mut [Job]) -> std::result::Result<Vec<Stored>, Failed> {
    let mut tx = db.write().await.map_err(Failed::Begin)?;
    let mut claims = Claims { seen, studies: BTreeMap::new(), changed: false };
    let mut outcomes = Vec::with_capacity(jobs.len());
    for job in jobs {
        outcomes.push(claims.write(&mut tx, job).await.map_err(Failed::Within)?);
    }
    if claims.changed {
        let states = claims.finish(&mut tx).await.map_err(Failed::Within)?;
        tx.commit().await.map_err(Failed::Within)?;
        seen.keep(states);
    }
    Ok(outcomes)
}

/// The studies that a transaction has claimed.
struct Claims<'a> {
    seen: &'a Seen,
    studies: BTreeMap<StudySlug, Claimed>,
    /// Whether there is anything to commit.
    changed: bool,
}

/// A study that no other writer can change until the transaction ends.
struct Claimed {
    /// Times of the study as readers see it; of its making, where this transaction made it.
    created_at: i64,
    updated_at: i64,
    made_here: bool,
    /// Without its runs. `None` where it has changed since it was read.
    study: Option<Arc<Study>>,
    /// Place of the next run, once it is known.
    next: Option<i64>,
    /// When runs or parts were added.
    changed_at: Option<i64>,
}

impl Claims<'_> {
    async fn write(&mut self, tx: &mut Tx, job: &mut Job) -> Result<Stored> {
        let (plan, claimed) = self.claim(tx, job).await?;
        if plan.new_facts && !plan.new_study {
            study::describe(tx, &plan.study).await?;
        }
        if plan.new_parts {
            part::put(tx, &plan.study).await?;
        }
        let better_known = plan.new_parts || plan.new_facts;
        if better_known {
            // What is read back is what counts.
            claimed.study = None;
        }
        let new_raw = raw::put(tx, &mut job.raw, job.now_ms).await?;
        let (runs, added) = put_runs(tx, job, &plan, new_raw, claimed).await?;
        let (variant, profile) = (plan.variant.clone(), plan.profile.clone());
        let stored = Stored { variant, profile, runs, warnings: plan.warnings.clone() };
        let new_upload = put_upload(tx, job, &plan, &stored).await?;
        if added || better_known {
            claimed.changed_at = claimed.changed_at.max(Some(job.now_ms));
        }
        self.changed |= added || better_known || plan.new_study || new_raw || new_upload;
        Ok(stored)
    }

    /// Claims a study, made where it is new, and plans what is missing in it.
    async fn claim(&mut self, tx: &mut Tx, job: &Job) -> Result<(Plan, &mut Claimed)> {
        let envelope = &job.upload.envelope;
        let slug = StudySlug::new(envelope.slug());
        if !self.studies.contains_key(&slug) {
            let mut before = study::lock(tx, slug.as_str()).await?;
            if before.is_none() {
                let plan = plan(envelope, None, &job.runs);
                // No folder described it.
                let description = Description { study: &plan.study, manifest: "", folder_digest: "" };
                before = description.claim(tx, job.now_ms).await?;
                if before.is_none() {
                    let claimed = Claimed {
                        created_at: job.now_ms,
                        updated_at: job.now_ms,
                        made_here: true,
                        study: None,
                        next: Some(0),
                        changed_at: None,
                    };
                    return Ok((plan, self.studies.entry(slug).or_insert(claimed)));
                }
                // Somebody else made it meanwhile.
            }
            let before = before.ok_or_else(|| StoreError::not_found("study", slug.as_str()))?;
            let known = self.seen.get(&slug, &before);
            let Before { created_at, updated_at, .. } = before;
            let next = known.as_ref().map(|known| known.next);
            let study = known.map(|known| known.study);
            let claimed = Claimed { created_at, updated_at, made_here: false, study, next, changed_at: None };
            self.studies.insert(slug.clone(), claimed);
        }
        let claimed = self.studies.get_mut(&slug).expect("it was put there above");
        let study = match &claimed.study {
            Some(study) => Arc::clone(study),
            None => {
                let study = Arc::new(study::described(tx, slug.as_str()).await?);
                claimed.study = Some(Arc::clone(&study));
                study
            }
        };
        Ok((plan(envelope, Some(&study), &job.runs), claimed))
    }

    /// Gives every study that was added to another time, since what a reader keeps by slug and `updated_at` must be looked
    /// up again. What is returned is true once the transaction is committed.
    async fn finish(self, tx: &mut Tx) -> Result<Vec<(StudySlug, Known)>> {
        let mut states = Vec::new();
        for (slug, claimed) in self.studies {
            let Claimed { created_at, mut updated_at, made_here, study, next, changed_at } = claimed;
            if let Some(changed_at) = changed_at.filter(|_| !made_here) {
                updated_at = changed_at.max(updated_at + 1);
                study::touch(tx, slug.as_str(), updated_at).await?;
            }
            if let Some((study, next)) = study.zip(next) {
                states.push((slug, Known { created_at, updated_at, study, next }));
            }
        }
        Ok(states)
    }
}

/// Whether the upload, or its answer, was not there before.
async fn put_upload(tx: &mut Tx, job: &Job, plan: &Plan, stored: &Stored) -> Result<bool> {
    let upload = &job.upload;
    let answer = job.answers.as_ref().map(|answers| answers(stored));
    let put = on!(tx, db => {
        let query = sqlx::query(PUT_UPLOAD).bind(&upload.id).bind(plan.study.slug.as_str());
        let query = query.bind(plan.variant.as_str()).bind(plan.profile.as_str()).bind(&upload.token);
        query.bind(&upload.document).bind(job.now_ms).bind(&answer).execute(db).await.map(|done| done.rows_affected())
    })?;
    Ok(put > 0)
}

/// Writes the runs of a file that are not there, and says whether anything was new.
async fn put_runs(
    tx: &mut Tx,
    job: &Job,
    plan: &Plan,
    new_raw: bool,
    claimed: &mut Claimed,
) -> Result<(Vec<StoredRun>, bool)> {
    let slug = &plan.study.slug;
    let digest = &job.raw.digest;
    // Of a raw output that was not there, nothing can be.
    let known = if new_raw { BTreeMap::new() } else { known(tx, plan, digest).await? };
    let unknown: Vec<_> =
        (0_u32..).zip(&job.runs).filter(|(index, _)| !known.contains_key(&i64::from(*index))).collect();
    let same = same(tx, plan, digest, &unknown).await?;
    let new: Vec<(u32, RunId)> = unknown
        .iter()
        .filter(|(index, _)| !same.contains_key(index))
        .map(|(index, _)| (*index, run_id(slug, &plan.variant, &plan.profile, digest, *index)))
        .collect();
    for (index, Same { run: first, completed }) in &same {
        if let Some(completed) = completed {
            on!(tx, db => {
                sqlx::query(COMPLETE).bind(first.id.as_str()).bind(completed).execute(db).await.map(drop)
            })?;
        }
        on!(tx, db => {
            let query = sqlx::query(PUT_FORM).bind(first.id.as_str()).bind(digest.as_str()).bind(i64::from(*index));
            query.bind(&job.name).bind(job.now_ms).execute(db).await.map(drop)
        })?;
    }
    if !new.is_empty() {
        let first = match claimed.next {
            Some(next) => next,
            None => first_position(tx, slug).await?,
        };
        let row = |(position, (index, id)): (i64, &'_ (u32, RunId))| (position, *index, id.clone());
        let placed: Vec<_> = (first..).zip(&new).map(row).collect();
        let rows: Vec<_> = placed
            .iter()
            .map(|(position, index, id)| run::Row {
                id,
                position: *position,
                index: *index,
                measurement: &job.runs[*index as usize],
                document: &job.documents[*index as usize],
            })
            .collect();
        let shared = run::Shared {
            study: slug,
            variant: &plan.variant,
            profile: &plan.profile,
            file: &job.name,
            digest,
            start: job.upload.envelope.start.as_deref(),
            started_at: job.upload.started_at,
            upload: Some(&job.upload.id),
        };
        run::put_all(tx, shared, &rows, job.now_ms).await?;
        claimed.next = placed.last().map(|(position, ..)| position + 1);
    }
    let added = !new.is_empty() || same.values().any(|same| same.completed.is_some());
    let mut new: BTreeMap<u32, RunId> = new.into_iter().collect();
    let stored = (0_u32..).zip(&job.runs).filter_map(|(index, _)| {
        let new = new.remove(&index).map(|id| StoredRun { id, same_as: None });
        new.or_else(|| same.get(&index).map(|same| same.run.clone())).or_else(|| known.get(&i64::from(index)).cloned())
    });
    Ok((stored.collect(), added))
}

async fn first_position(tx: &mut Tx, study: &StudySlug) -> Result<i64> {
    let last: Option<i64> = on!(tx, db => sqlx::query_scalar(LAST_POSITION).bind(study.as_str()).fetch_one(db).await)?;
    Ok(last.map_or(0, |last| last + 1))
}
