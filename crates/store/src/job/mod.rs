//! Jobs: rows whose life is [`domain::job::Job::after`]. Nothing is decided here but who of two comes first.
//!
//! Invariant: a change is written only over what it was computed from (`version`), so of two at once one is told to look
//! again, on either database.

mod lease;
mod log;
mod row;

use domain::agent::{Progress, Settled};
use domain::id::{JobId, PlanId};
use domain::job::{Event, Job, Phase, Refusal};
use domain::plan::JobSpec;

use crate::db::{Db, Tx, on};
use crate::study::document;
use crate::{Result, StoreError};
pub(crate) use lease::lease;
pub use log::LogLine;
pub(crate) use log::tail;
pub use row::{JobEvent, StoredJob};
pub(crate) use row::{NOUN, Row};

macro_rules! columns {
    () => {
        "id, plan, study, document, phase, attempt, tries, max_tries, agent, lease_expires_at, cancelling, result, failure, \
         progress_done, progress_total, settled, created_at, leased_at, ended_at, updated_at, version"
    };
}
pub(crate) use columns;

const ONE: &str = concat!("SELECT ", columns!(), " FROM jobs WHERE id = $1");
const OF_PLAN: &str = concat!("SELECT ", columns!(), " FROM jobs WHERE plan = $1 ORDER BY ordinal, id");
/// Those that are not at their end, and the last that are.
const RECENT: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM jobs ORDER BY CASE WHEN ended_at IS NULL THEN 0 ELSE 1 END, ended_at DESC, plan_at, plan, ordinal LIMIT $1"
);
const PUT: &str = "INSERT INTO jobs (id, plan, study, plan_at, ordinal, start_key, needs, document, phase, attempt, tries, \
     max_tries, cancelling, created_at, updated_at, version) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, 0, $10, $11, $12, $12, 0) ON CONFLICT (id) DO NOTHING";
const CHANGE: &str = "UPDATE jobs SET phase = $3, attempt = $4, tries = $5, agent = $6, lease_expires_at = $7, \
     cancelling = $8, result = $9, failure = $10, progress_done = $11, progress_total = $12, settled = $13, \
     ended_at = $14, updated_at = $15, version = version + 1 WHERE id = $1 AND version = $2";
const PUT_EVENT: &str = "INSERT INTO job_events (job, version, at, phase, attempt, agent, failure) \
     VALUES ($1, $2, $3, $4, $5, $6, $7)";
const EVENTS: &str = "SELECT at, phase, attempt, agent, failure FROM job_events WHERE job = $1 ORDER BY version";
const EXPIRED: &str = "SELECT id FROM jobs WHERE lease_expires_at <= $1 ORDER BY lease_expires_at, id LIMIT 500";

/// A change of a job is tried again this often where somebody else changed it meanwhile.
const TRIES: usize = 8;

/// What is said about a job beside what happens to it.
#[derive(Debug, Clone, Default)]
pub struct Told {
    /// Requests of the run that came back.
    pub progress: Option<Progress>,
    /// New lines of its logs, masked.
    pub log: Vec<String>,
    /// How it was measured.
    pub settled: Option<Settled>,
}

/// Makes a job of a plan; one that is there stays.
pub(crate) async fn put(tx: &mut Tx, plan: &PlanRef<'_>, id: &JobId, spec: &JobSpec, now_ms: i64) -> Result<()> {
    on!(tx, db => {
        let query = sqlx::query(PUT).bind(id.as_str()).bind(plan.id.as_str()).bind(plan.study).bind(plan.created_at);
        let query = query.bind(spec.ordinal).bind(spec.key.start()).bind(document(&spec.needs)).bind(document(spec));
        let query = query.bind(Phase::Queued.key()).bind(i64::from(spec.method.attempts)).bind(false).bind(now_ms);
        query.execute(db).await.map(drop)
    })?;
    Ok(())
}

/// The plan of a new job.
pub(crate) struct PlanRef<'a> {
    pub id: &'a PlanId,
    pub study: &'a str,
    pub created_at: i64,
}

pub(crate) async fn one(tx: &mut Tx, id: &JobId) -> Result<StoredJob> {
    row(tx, id).await?.read()
}

async fn row(tx: &mut Tx, id: &JobId) -> Result<Row> {
    let row: Option<Row> = on!(tx, db => sqlx::query_as(ONE).bind(id.as_str()).fetch_optional(db).await)?;
    row.ok_or_else(|| StoreError::not_found(NOUN, id.as_str()))
}

pub(crate) async fn of_plan(tx: &mut Tx, plan: &PlanId) -> Result<Vec<StoredJob>> {
    let rows: Vec<Row> = on!(tx, db => sqlx::query_as(OF_PLAN).bind(plan.as_str()).fetch_all(db).await)?;
    rows.into_iter().map(Row::read).collect()
}

pub(crate) async fn recent(tx: &mut Tx, limit: u32) -> Result<Vec<StoredJob>> {
    let rows: Vec<Row> = on!(tx, db => sqlx::query_as(RECENT).bind(i64::from(limit)).fetch_all(db).await)?;
    rows.into_iter().map(Row::read).collect()
}

pub(crate) async fn events(tx: &mut Tx, id: &JobId) -> Result<Vec<JobEvent>> {
    let rows: Vec<row::EventRow> = on!(tx, db => sqlx::query_as(EVENTS).bind(id.as_str()).fetch_all(db).await)?;
    rows.into_iter().map(|row| row.read(id)).collect()
}

/// What an event makes of a job, or why it cannot happen.
pub(crate) type Outcome = std::result::Result<StoredJob, Refusal>;

/// Lets an event happen.
pub(crate) async fn happen(db: &Db, id: &JobId, event: &Event, told: &Told, now_ms: i64) -> Result<Outcome> {
    for _ in 0..TRIES {
        let mut tx = db.write().await?;
        let before = one(&mut tx, id).await?;
        let after = match before.job.after(event, now_ms) {
            Ok(after) => after,
            Err(refusal) => return Ok(Err(refusal)),
        };
        if change(&mut tx, &before, &after, told, now_ms).await? {
            let stored = one(&mut tx, id).await?;
            tx.commit().await?;
            return Ok(Ok(stored));
        }
    }
    Err(StoreError::Conflict(format!("job \"{id}\" changes all the time")))
}

/// Writes what became of a job; `false` where it is not any more what it was.
async fn change(tx: &mut Tx, before: &StoredJob, after: &Job, told: &Told, now_ms: i64) -> Result<bool> {
    if before.job == *after && told.progress.is_none() && told.log.is_empty() && told.settled.is_none() {
        return Ok(true);
    }
    let moved = (before.job.phase, before.job.attempt) != (after.phase, after.attempt);
    // Requests of an attempt before, or of the warm-up, are not this run's.
    let progress = told.progress.or(before.progress.filter(|_| !moved));
    let settled = told.settled.as_ref().map(document).or_else(|| before.settled.as_ref().map(document));
    let ended_at = after.phase.is_ended().then(|| before.ended_at.filter(|_| !moved).unwrap_or(now_ms));
    let (agent, expires_at) = after.lease.as_ref().map(|lease| (lease.agent.as_str(), lease.expires_at)).unzip();
    // Who did it last is told of a job that ended, too.
    let agent = agent.or(before.agent.as_ref().map(|agent| agent.as_str()));
    let count =
        |of: fn(&Progress) -> u64| progress.as_ref().map(|progress| i64::try_from(of(progress)).unwrap_or(i64::MAX));
    let changed = on!(tx, db => {
        let query = sqlx::query(CHANGE).bind(before.id.as_str()).bind(before.version).bind(after.phase.key());
        let query = query.bind(i64::from(after.attempt)).bind(i64::from(after.tries)).bind(agent).bind(expires_at);
        let query = query.bind(after.cancelling).bind(after.result.as_ref().map(|digest| digest.as_str()));
        let query = query.bind(after.failure.map(|class| class.key()));
        let query = query.bind(count(|progress| progress.done)).bind(count(|progress| progress.total)).bind(&settled);
        query.bind(ended_at).bind(now_ms).execute(db).await.map(|done| done.rows_affected())
    })?;
    if changed == 0 {
        return Ok(false);
    }
    if moved {
        let failure = after.failure.map(|class| class.key());
        put_event(tx, &before.id, before.version + 1, (after.phase, after.attempt), agent, failure, now_ms).await?;
    }
    log::append(tx, &before.id, &told.log, now_ms).await?;
    Ok(true)
}

async fn put_event(
    tx: &mut Tx,
    id: &JobId,
    version: i64,
    (phase, attempt): (Phase, u32),
    agent: Option<&str>,
    failure: Option<&str>,
    now_ms: i64,
) -> Result<()> {
    on!(tx, db => {
        let query = sqlx::query(PUT_EVENT).bind(id.as_str()).bind(version).bind(now_ms).bind(phase.key());
        query.bind(i64::from(attempt)).bind(agent).bind(failure).execute(db).await.map(drop)
    })?;
    Ok(())
}

/// Lets time pass for every job whose lease is over, and says which these were.
pub(crate) async fn expire(db: &Db, now_ms: i64) -> Result<Vec<StoredJob>> {
    let mut tx = db.read().await?;
    let ids: Vec<String> = on!(&mut tx, db => sqlx::query_scalar(EXPIRED).bind(now_ms).fetch_all(db).await)?;
    drop(tx);
    let mut lost = Vec::new();
    for id in ids {
        if let Ok(job) = happen(db, &JobId::new(id), &Event::Tick, &Told::default(), now_ms).await? {
            lost.push(job);
        }
    }
    Ok(lost)
}
