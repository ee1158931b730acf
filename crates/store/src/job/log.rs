//! The last lines of a job's logs.

use domain::id::JobId;

use crate::db::{Tx, on};
use crate::{Result, StoreError};

use super::NOUN;

/// What somebody reads who asks why a job failed.
const KEPT: i64 = 500;
/// A longer line is the dump of something.
const LONGEST: usize = 4000;

const LAST: &str = "SELECT MAX(line) FROM job_log WHERE job = $1";
const PUT: &str =
    "INSERT INTO job_log (job, line, at, body) VALUES ($1, $2, $3, $4) ON CONFLICT (job, line) DO NOTHING";
const FORGET: &str = "DELETE FROM job_log WHERE job = $1 AND line <= $2";
const AFTER: &str = "SELECT line, at, body FROM job_log WHERE job = $1 AND line > $2 ORDER BY line";

/// A line of a job's logs.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct LogLine {
    /// From 1, over all that were ever there.
    pub line: i64,
    /// When it came, milliseconds since 1970 UTC.
    pub at: i64,
    /// Without its end.
    pub body: String,
}

/// Adds lines, and forgets those that are too old.
pub(super) async fn append(tx: &mut Tx, job: &JobId, lines: &[String], now_ms: i64) -> Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    let last: Option<i64> = on!(tx, db => sqlx::query_scalar(LAST).bind(job.as_str()).fetch_one(db).await)?;
    let last = last.unwrap_or_default();
    let kept = usize::try_from(KEPT).unwrap_or(usize::MAX);
    let skipped = lines.len().saturating_sub(kept);
    for (number, line) in (last + 1..).zip(lines).skip(skipped) {
        // PostgreSQL keeps every character but one.
        let body: String = line.chars().filter(|c| *c != '\0').take(LONGEST).collect();
        on!(tx, db => {
            sqlx::query(PUT).bind(job.as_str()).bind(number).bind(now_ms).bind(&body).execute(db).await.map(drop)
        })?;
    }
    let end = last.saturating_add(i64::try_from(lines.len()).unwrap_or(i64::MAX));
    on!(tx, db => sqlx::query(FORGET).bind(job.as_str()).bind(end - KEPT).execute(db).await.map(drop))?;
    Ok(())
}

/// The lines after a line; 0 for all that are kept.
pub(crate) async fn tail(tx: &mut Tx, job: &JobId, after: i64) -> Result<Vec<LogLine>> {
    let rows = on!(tx, db => sqlx::query_as(AFTER).bind(job.as_str()).bind(after).fetch_all(db).await);
    rows.map_err(|error| match error {
        sqlx::Error::ColumnDecode { source, .. } => StoreError::corrupt(NOUN, job.as_str(), source),
        other => other.into(),
    })
}
