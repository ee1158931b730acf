//! What can go wrong, by what the caller can do about it.

use sqlx::error::ErrorKind;
use thiserror::Error;

/// Why the store did not do what it was asked to do.
#[derive(Debug, Clone, Error)]
pub enum StoreError {
    /// Ask for something else.
    #[error("{noun} \"{id}\" is not stored")]
    NotFound {
        /// `study`, `run`, `raw output`.
        noun: &'static str,
        /// As asked for.
        id: String,
    },
    /// Somebody else changed the same thing at the same time: try again.
    #[error("{0}; try again")]
    Conflict(String),
    /// The database cannot be reached or written: an operator's task.
    #[error("{problem}; {remedy}")]
    Unavailable {
        /// What happened, in the database's or the system's words.
        problem: String,
        /// What to do about it.
        remedy: String,
    },
    /// Something stored is not what was written: restore it, or import it again.
    #[error("stored {noun} \"{id}\" is corrupt: {reason}")]
    Corrupt {
        /// `study`, `run`, `raw output`, …
        noun: &'static str,
        /// Which one.
        id: String,
        /// What was found.
        reason: String,
    },
}

impl StoreError {
    pub(crate) fn unavailable(problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Unavailable { problem: problem.into(), remedy: remedy.into() }
    }

    pub(crate) fn corrupt(noun: &'static str, id: &str, reason: impl ToString) -> Self {
        Self::Corrupt { noun, id: id.to_owned(), reason: reason.to_string() }
    }

    pub(crate) fn not_found(noun: &'static str, id: &str) -> Self {
        Self::NotFound { noun, id: id.to_owned() }
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        match &error {
            sqlx::Error::ColumnDecode { index, source } => Self::corrupt("column", index, source),
            sqlx::Error::Database(said) => database(said.as_ref()),
            sqlx::Error::PoolTimedOut => Self::unavailable(
                "no connection to the database became free in time",
                "the database is overloaded or does not answer: look at its load and its log",
            ),
            sqlx::Error::PoolClosed => Self::unavailable("the store is closed", "the program is stopping"),
            sqlx::Error::Configuration(_) => {
                Self::unavailable(format!("the database URL is not understood: {error}"), "correct it")
            }
            _ => Self::unavailable(
                format!("the database cannot be reached: {error}"),
                "see that it runs and that the address is right",
            ),
        }
    }
}

/// Codes are SQLite's extended result codes (<https://www.sqlite.org/rescode.html>; the low byte is the family) and
/// PostgreSQL's SQLSTATE (<https://www.postgresql.org/docs/current/errcodes-appendix.html>). Both are looked up in one
/// match because no code of one is a code of the other.
fn database(said: &dyn sqlx::error::DatabaseError) -> StoreError {
    let message = said.message().to_owned();
    let code = said.code().unwrap_or_default().into_owned();
    let sqlite_family = code.parse::<u32>().ok().filter(|_| code.len() < 5).map(|code| (code & 0xff).to_string());
    let problem = format!("the database refused: {message}");
    match sqlite_family.as_deref().unwrap_or(&code) {
        "5" | "6" => StoreError::Conflict("the database is in use by somebody else".to_owned()),
        "40001" | "40P01" | "55P03" => StoreError::Conflict(problem),
        "13" | "53100" => StoreError::unavailable(problem, "free disk space"),
        "8" | "25006" => StoreError::unavailable(problem, "make the database writable for this user"),
        "3" | "14" => StoreError::unavailable(problem, "see that the folder exists and is writable for this user"),
        "10" => StoreError::unavailable(problem, "see that the disk is in order and has space left"),
        "11" | "26" => StoreError::unavailable(
            problem,
            "the file is damaged or no database of Touchstone: restore a backup, or choose another place",
        ),
        "28P01" | "28000" => StoreError::unavailable(problem, "see that user and password in the URL are right"),
        "3D000" => {
            StoreError::unavailable(problem, "make the database with `createdb`, or correct its name in the URL")
        }
        "42501" => StoreError::unavailable(problem, "let this user create and write tables in the database"),
        "53300" | "57P01" | "57P02" | "57P03" => StoreError::unavailable(problem, "try again when the database is up"),
        _ if said.kind() == ErrorKind::UniqueViolation => StoreError::Conflict(problem),
        _ => StoreError::unavailable(problem, "look at the database's log"),
    }
}
