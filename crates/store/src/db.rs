//! The two databases: pools, transactions, and the one macro that says a statement to whichever it is.
//!
//! Statements are the same for both. What differs is here: how a transaction begins, and which writers wait for one
//! another.

use std::sync::Arc;

use sqlx::{PgPool, Postgres, Sqlite, SqlitePool, Transaction};
use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::Result;

/// A pool of connections.
#[derive(Debug, Clone)]
pub(crate) enum Db {
    /// One file, one machine: connections to read, and the one to write.
    Sqlite(SqlitePool, Writer),
    /// A server of its own.
    Postgres(PgPool),
}

/// Writers of a SQLite file take turns on one connection: it keeps the pages that it wrote last in memory, where another
/// would have to read them again. The lock is a queue: SQLite's own waiting is a lottery, in which the twentieth writer
/// may draw blanks until its time is up.
#[derive(Debug, Clone)]
pub(crate) struct Writer {
    /// Of one connection.
    pub pool: SqlitePool,
    pub turn: Arc<Mutex<()>>,
}

/// A transaction. Dropped without [`Tx::commit`], it changes nothing.
pub(crate) enum Tx {
    Sqlite(Transaction<'static, Sqlite>, Option<OwnedMutexGuard<()>>),
    Postgres(Transaction<'static, Postgres>),
}

/// Runs one expression on the connection of a transaction, whichever database it is:
/// `on!(tx, db => sqlx::query(SQL).bind(id).execute(db).await)?`. The expression is compiled once for each.
macro_rules! on {
    ($tx:expr, $connection:ident => $expression:expr) => {
        match $tx {
            $crate::db::Tx::Sqlite(tx, _) => {
                let $connection = &mut **tx;
                $expression
            }
            $crate::db::Tx::Postgres(tx) => {
                let $connection = &mut **tx;
                $expression
            }
        }
    };
}
pub(crate) use on;

impl Db {
    /// A view of one moment: what others write meanwhile stays unseen.
    pub async fn read(&self) -> Result<Tx> {
        Ok(match self {
            Self::Sqlite(pool, _) => Tx::Sqlite(pool.begin_with("BEGIN").await?, None),
            Self::Postgres(pool) => {
                Tx::Postgres(pool.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await?)
            }
        })
    }

    /// To change something. SQLite has one writer at a time, who waits here rather than fail later; PostgreSQL waits
    /// where two want the same row, and sees afterwards what the other wrote.
    pub async fn write(&self) -> Result<Tx> {
        Ok(match self {
            Self::Sqlite(_, writer) => {
                let turn = Arc::clone(&writer.turn).lock_owned().await;
                Tx::Sqlite(writer.pool.begin_with("BEGIN IMMEDIATE").await?, Some(turn))
            }
            Self::Postgres(pool) => Tx::Postgres(pool.begin_with("BEGIN ISOLATION LEVEL READ COMMITTED").await?),
        })
    }

    /// Writers of one lane wait for one another in any case, so they may as well share a transaction: in SQLite they are
    /// all writers of the file, in PostgreSQL those of the same study, who want the same row.
    pub fn lane<'a>(&self, study: &'a str) -> &'a str {
        match self {
            Self::Sqlite(..) => "",
            Self::Postgres(_) => study,
        }
    }

    /// Asks the database for a sign of life.
    pub async fn ping(&self) -> Result<()> {
        match self {
            Self::Sqlite(pool, _) => sqlx::query("SELECT 1").execute(pool).await.map(drop)?,
            Self::Postgres(pool) => sqlx::query("SELECT 1").execute(pool).await.map(drop)?,
        }
        Ok(())
    }
}

impl Tx {
    /// Makes the changes last.
    pub async fn commit(self) -> Result<()> {
        match self {
            Self::Sqlite(tx, _turn) => tx.commit().await?,
            Self::Postgres(tx) => tx.commit().await?,
        }
        Ok(())
    }
}

/// Rows that one statement takes. A statement costs as much as writing a row or two, so many rows go in few statements;
/// but SQLite looks up each parameter by its name among all the others, so they cannot be very many.
const ROWS: [usize; 3] = [16, 4, 1];

/// One statement for several numbers of rows. Its text depends on nothing else.
pub(crate) struct Many([String; ROWS.len()]);

impl Many {
    pub fn new(text: impl Fn(usize) -> String) -> Self {
        Self(ROWS.map(text))
    }

    /// Divides rows into as many as a statement takes, each with its statement.
    pub fn divide<'a, T>(&'a self, mut rows: &'a [T]) -> impl Iterator<Item = (&'a str, &'a [T])> {
        std::iter::from_fn(move || {
            let (text, count) = self.0.iter().zip(ROWS).find(|(_, count)| *count <= rows.len())?;
            let (taken, left) = rows.split_at(count);
            rows = left;
            Some((text.as_str(), taken))
        })
    }
}
