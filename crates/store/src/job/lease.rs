//! Who gets which job: one statement, so that of two agents that ask at once each gets another one, or none.
//!
//! This is where the two databases differ. SQLite's writers take turns anyway; PostgreSQL's must not wait for the row that
//! another is just taking, and go on to the next (`FOR UPDATE SKIP LOCKED`).
//!
//! The statement does what [`domain::job::Event::Lease`] does; a test holds the two together.

use domain::agent::LeaseAsk;
use domain::job::Phase;
use domain::plan::Needs;

use super::{NOUN, Row, StoredJob, columns, put_event};
use crate::agent::{self, Agent};
use crate::db::{Db, Tx, on};
use crate::{Result, StoreError};

const WAITING: &str = "SELECT DISTINCT needs FROM jobs WHERE phase = 'queued'";

/// Jobs of the server start that the agent runs already come first; then those of starts that nobody is at; in each the
/// older plan, and its order.
fn statement(needs: usize, for_update: &str) -> String {
    let first = 6;
    let asked: Vec<String> = (first..first + needs).map(|number| format!("${number}")).collect();
    format!(
        "UPDATE jobs SET phase = 'leased', attempt = attempt + 1, tries = tries + 1, agent = $1, lease_expires_at = $2, \
         failure = NULL, progress_done = NULL, progress_total = NULL, leased_at = $3, updated_at = $3, version = version + 1 \
         WHERE id = (SELECT id FROM jobs WHERE phase = 'queued' AND needs IN ({}) \
         ORDER BY CASE WHEN plan = $4 AND start_key = $5 THEN 0 \
         WHEN EXISTS (SELECT 1 FROM jobs AS others WHERE others.plan = jobs.plan AND others.start_key = jobs.start_key \
         AND others.phase IN ('leased', 'starting', 'warming', 'running', 'uploading')) THEN 2 ELSE 1 END, \
         plan_at, plan, ordinal, id LIMIT 1{for_update}) AND phase = 'queued' RETURNING {}",
        asked.join(", "),
        columns!()
    )
}

/// Gives an agent a job that it can do, where one waits.
pub(crate) async fn lease(
    db: &Db,
    agent: &Agent,
    ask: &LeaseAsk,
    for_ms: i64,
    now_ms: i64,
) -> Result<Option<StoredJob>> {
    let mut tx = db.read().await?;
    let waiting: Vec<String> = on!(&mut tx, db => sqlx::query_scalar(WAITING).fetch_all(db).await)?;
    drop(tx);
    let mut fitting = Vec::new();
    for text in waiting {
        let needs: Needs = serde_json::from_str(&text).map_err(|error| StoreError::corrupt(NOUN, &text, error))?;
        if needs.unmet(&agent.facts, ask.free_gpus).is_none() {
            fitting.push(text);
        }
    }
    // Idle agents write nothing but now and then that they are there.
    agent::seen(db, agent, now_ms).await?;
    if fitting.is_empty() {
        return Ok(None);
    }
    let mut tx = db.write().await?;
    let for_update = match &tx {
        Tx::Sqlite(..) => "",
        Tx::Postgres(_) => " FOR UPDATE SKIP LOCKED",
    };
    let text = statement(fitting.len(), for_update);
    let (plan, start) = ask.prefer.as_ref().map(|(plan, start)| (plan.as_str(), start.as_str())).unzip();
    let row: Option<Row> = on!(&mut tx, db => {
        let mut query = sqlx::query_as(&text).bind(agent.id.as_str()).bind(now_ms.saturating_add(for_ms)).bind(now_ms);
        query = query.bind(plan).bind(start);
        for needs in &fitting {
            query = query.bind(needs);
        }
        query.fetch_optional(db).await
    })?;
    let Some(job) = row.map(Row::read).transpose()? else { return Ok(None) };
    let place = (Phase::Leased, job.job.attempt);
    put_event(&mut tx, &job.id, job.version, place, Some(agent.id.as_str()), None, now_ms).await?;
    tx.commit().await?;
    Ok(Some(job))
}
