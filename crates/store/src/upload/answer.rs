//! What uploads were answered: kept with the last of their files, so that who sends one again can ask first.
//!
//! Invariant: an answer is there only when every file of its upload was dealt with, and as long as what it says holds.

use crate::Result;
use crate::db::{Db, Tx, on};

const ANSWER: &str = "SELECT answer FROM uploads WHERE id = $1";
const KEEP: &str = "UPDATE uploads SET answer = $2 WHERE id = $1 AND answer IS NULL";
const FORGET: &str = "UPDATE uploads SET answer = NULL WHERE study = $1 AND answer IS NOT NULL";

/// The answer to an upload that is stored whole.
pub(crate) async fn answered(tx: &mut Tx, id: &str) -> Result<Option<String>> {
    let row: Option<Option<String>> = on!(tx, db => sqlx::query_scalar(ANSWER).bind(id).fetch_optional(db).await)?;
    Ok(row.flatten())
}

/// Keeps an answer that could not be kept with a file, because the last ones were rejected.
pub(crate) async fn keep(db: &Db, id: &str, answer: &str) -> Result<()> {
    let mut tx = db.write().await?;
    on!(&mut tx, db => sqlx::query(KEEP).bind(id).bind(answer).execute(db).await.map(drop))?;
    tx.commit().await
}

/// Forgets the answers of a study whose runs changed by other ways.
pub(crate) async fn forget(tx: &mut Tx, study: &str) -> Result<()> {
    on!(tx, db => sqlx::query(FORGET).bind(study).execute(db).await.map(drop))?;
    Ok(())
}
