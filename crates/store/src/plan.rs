//! Plans: the text as it was written, and the jobs that it has become so far.

use domain::id::{PlanId, StudySlug};
use domain::job::{Event, job_id};
use domain::plan::{Ending, Going, Next, Plan, Traced, join, next, parse};

use crate::db::{Db, Tx, on};
use crate::job::{self, PlanRef, StoredJob, Told};
use crate::study::{self, Description, document};
use crate::{Result, StoreError, part, run};

const NOUN: &str = "plan";

macro_rules! select {
    ($rest:literal) => {
        concat!("SELECT id, study, body, author, state, trace, created_at, updated_at FROM plans ", $rest)
    };
}

const ALL: &str = select!("ORDER BY created_at DESC, id");
const ONE: &str = select!("WHERE id = $1");
const OF_STUDY: &str = select!("WHERE study = $1 ORDER BY created_at DESC, id");
const PUT: &str = "INSERT INTO plans (id, study, body, author, state, trace, created_at, updated_at) \
     VALUES ($1, $2, $3, $4, 'going', '[]', $5, $5)";
/// Writes nothing new, but keeps others who go on with this plan waiting until this transaction ends.
const LOCK: &str = "UPDATE plans SET updated_at = updated_at WHERE id = $1 RETURNING id, study, body, author, state, trace, \
     created_at, updated_at";
const UPDATE: &str = "UPDATE plans SET state = $2, trace = $3, updated_at = $4 WHERE id = $1";

/// Whether a plan goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanState {
    /// Jobs are open, or will be made.
    Going,
    /// Somebody stopped it.
    Stopped,
    /// It is at its end.
    Ended(Ending),
}

impl PlanState {
    fn key(self) -> &'static str {
        match self {
            Self::Going => "going",
            Self::Stopped => "stopped",
            Self::Ended(Ending::Complete) => "complete",
            Self::Ended(Ending::Jobs) => "jobs",
            Self::Ended(Ending::Minutes) => "minutes",
        }
    }

    const ALL: [Self; 5] = [
        Self::Going,
        Self::Stopped,
        Self::Ended(Ending::Complete),
        Self::Ended(Ending::Jobs),
        Self::Ended(Ending::Minutes),
    ];
}

/// A plan as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredPlan {
    /// Its id.
    pub id: PlanId,
    /// The study that it makes or adds to.
    pub study: StudySlug,
    /// As it was written.
    pub text: String,
    /// Name of the token; none for whoever sits at the server.
    pub author: Option<String>,
    /// Whether it goes on.
    pub state: PlanState,
    /// What a search has decided so far.
    pub trace: Vec<Traced>,
    /// Milliseconds since 1970 UTC, as what follows.
    pub created_at: i64,
    /// When it went on last.
    pub updated_at: i64,
}

#[derive(sqlx::FromRow)]
struct PlanRow {
    id: String,
    study: String,
    body: String,
    author: Option<String>,
    state: String,
    trace: String,
    created_at: i64,
    updated_at: i64,
}

impl TryFrom<PlanRow> for StoredPlan {
    type Error = StoreError;

    fn try_from(row: PlanRow) -> Result<Self> {
        let state = PlanState::ALL.into_iter().find(|state| state.key() == row.state);
        let state =
            state.ok_or_else(|| StoreError::corrupt(NOUN, &row.id, format!("\"{}\" is no state", row.state)))?;
        let trace = serde_json::from_str(&row.trace).map_err(|error| StoreError::corrupt(NOUN, &row.id, error))?;
        Ok(Self {
            id: PlanId::new(row.id),
            study: StudySlug::new(row.study),
            text: row.body,
            author: row.author,
            state,
            trace,
            created_at: row.created_at,
            updated_at: row.updated_at,
        })
    }
}

/// A new plan.
#[derive(Debug, Clone, Copy)]
pub struct NewPlan<'a> {
    /// Unique everywhere.
    pub id: &'a PlanId,
    /// As it was written.
    pub text: &'a str,
    /// The same, read.
    pub plan: &'a Plan,
    /// Name of the token; none for whoever sits at the server.
    pub author: Option<&'a str>,
}

pub(crate) async fn all(tx: &mut Tx) -> Result<Vec<StoredPlan>> {
    let rows: Vec<PlanRow> = on!(tx, db => sqlx::query_as(ALL).fetch_all(db).await)?;
    rows.into_iter().map(TryFrom::try_from).collect()
}

pub(crate) async fn of_study(tx: &mut Tx, study: &StudySlug) -> Result<Vec<StoredPlan>> {
    let rows: Vec<PlanRow> = on!(tx, db => sqlx::query_as(OF_STUDY).bind(study.as_str()).fetch_all(db).await)?;
    rows.into_iter().map(TryFrom::try_from).collect()
}

pub(crate) async fn one(tx: &mut Tx, id: &PlanId) -> Result<StoredPlan> {
    let row: Option<PlanRow> = on!(tx, db => sqlx::query_as(ONE).bind(id.as_str()).fetch_optional(db).await)?;
    row.ok_or_else(|| StoreError::not_found(NOUN, id.as_str()))?.try_into()
}

/// Keeps a plan, makes or adds to its study, and makes its first jobs; all of it or nothing.
pub(crate) async fn create(db: &Db, new: NewPlan<'_>, now_ms: i64) -> Result<Next> {
    let mut tx = db.write().await?;
    let study = &new.plan.study;
    put_study(&mut tx, study, now_ms).await?;
    on!(&mut tx, db => {
        let query = sqlx::query(PUT).bind(new.id.as_str()).bind(study.slug.as_str()).bind(new.text).bind(new.author);
        query.bind(now_ms).execute(db).await.map(drop)
    })?;
    let stored = lock(&mut tx, new.id).await?;
    let next = go_on(&mut tx, &stored, new.plan, now_ms).await?;
    tx.commit().await?;
    Ok(next)
}

/// Makes the jobs that come next, by what was measured so far. A plan that was stopped makes none.
pub(crate) async fn advance(db: &Db, id: &PlanId, now_ms: i64) -> Result<Option<Next>> {
    let mut tx = db.write().await?;
    let study = one(&mut tx, id).await?.study;
    // In the order in which everybody locks: first the study, then what is in it.
    study::lock(&mut tx, study.as_str()).await?;
    let stored = lock(&mut tx, id).await?;
    if stored.state == PlanState::Stopped {
        return Ok(None);
    }
    let plan = read(&stored)?;
    let next = go_on(&mut tx, &stored, &plan, now_ms).await?;
    tx.commit().await?;
    Ok(Some(next))
}

/// The plan as its text says.
pub(crate) fn read(stored: &StoredPlan) -> Result<Plan> {
    parse(&stored.text).map_err(|error| StoreError::corrupt(NOUN, stored.id.as_str(), error))
}

async fn lock(tx: &mut Tx, id: &PlanId) -> Result<StoredPlan> {
    let row: Option<PlanRow> = on!(tx, db => sqlx::query_as(LOCK).bind(id.as_str()).fetch_optional(db).await)?;
    row.ok_or_else(|| StoreError::not_found(NOUN, id.as_str()))?.try_into()
}

async fn go_on(tx: &mut Tx, stored: &StoredPlan, plan: &Plan, now_ms: i64) -> Result<Next> {
    let slug = stored.study.as_str();
    let runs: Vec<_> = run::of_study(tx, Some(slug)).await?.into_iter().map(|(_, run)| run).collect();
    let jobs: Vec<_> = job::of_plan(tx, &stored.id).await?.iter().map(StoredJob::known).collect();
    let next = next(plan, &runs, &jobs);
    put_study(tx, &next.study, now_ms).await?;
    let of = PlanRef { id: &stored.id, study: slug, created_at: stored.created_at };
    for spec in &next.jobs {
        job::put(tx, &of, &job_id(&stored.id, &spec.key), spec, now_ms).await?;
    }
    let state = match next.going {
        Going::Measuring => PlanState::Going,
        Going::Ended(ending) => PlanState::Ended(ending),
    };
    update(tx, &stored.id, state, &next.trace, now_ms).await?;
    Ok(next)
}

async fn update(tx: &mut Tx, id: &PlanId, state: PlanState, trace: &[Traced], now_ms: i64) -> Result<()> {
    on!(tx, db => {
        let query = sqlx::query(UPDATE).bind(id.as_str()).bind(state.key()).bind(document(&trace)).bind(now_ms);
        query.execute(db).await.map(drop)
    })?;
    Ok(())
}

/// Makes a study, or adds to it what it does not have yet.
async fn put_study(tx: &mut Tx, planned: &domain::study::Study, now_ms: i64) -> Result<()> {
    let description = Description { study: planned, manifest: "", folder_digest: "" };
    let Some(before) = description.claim(tx, now_ms).await? else { return part::put(tx, planned).await };
    let stored = study::described(tx, planned.slug.as_str()).await?;
    let Some(joined) = join(&stored, planned).map_err(|error| StoreError::Conflict(error.to_string()))? else {
        return Ok(());
    };
    part::put(tx, &joined).await?;
    study::touch(tx, planned.slug.as_str(), now_ms.max(before.updated_at + 1)).await
}

/// Stops a plan: no more jobs are made, and those that are open are cancelled.
pub(crate) async fn stop(db: &Db, id: &PlanId, now_ms: i64) -> Result<()> {
    let mut tx = db.write().await?;
    let stored = lock(&mut tx, id).await?;
    if stored.state == PlanState::Going {
        update(&mut tx, id, PlanState::Stopped, &stored.trace, now_ms).await?;
    }
    let jobs = job::of_plan(&mut tx, id).await?;
    tx.commit().await?;
    for job in jobs.iter().filter(|job| !job.job.phase.is_ended()) {
        // One whose result is on the way ends by itself.
        job::happen(db, &job.id, &Event::Cancel, &Told::default(), now_ms).await?.ok();
    }
    Ok(())
}
