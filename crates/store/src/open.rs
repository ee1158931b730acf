//! Opening: find the database, make it where that was asked for, bring its tables up to date.

use std::path::{Path, PathBuf};
use std::str::FromStr as _;
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io};

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Connection as _, PgConnection, SqliteConnection};

use crate::db::{Db, Writer};
use crate::{Result, StoreError};

/// The database in a data directory.
const FILE: &str = "touchstone.db";
/// Readers of one SQLite file do not wait for one another; beyond this they only wait for the disk.
const SQLITE_CONNECTIONS: u32 = 8;
/// Ids are digests, so every run goes to other pages of the indexes; in KiB where negative. SQLite takes what it needs.
const WRITER_CACHE: &str = "-16384";
/// PostgreSQL allows 100 by default: ten replicas may share one.
const POSTGRES_CONNECTIONS: u32 = 10;
/// A writer waits this long for another writer of the same SQLite file; an import takes a second or so.
const BUSY: Duration = Duration::from_secs(30);
/// A request waits this long for a free connection; a reader of a page would not wait longer.
const ACQUIRE: Duration = Duration::from_secs(10);

static MIGRATIONS: Migrator = sqlx::migrate!("../../migrations");

/// Where stored data lives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// A directory with a SQLite database in it.
    DataDir(PathBuf),
    /// `postgres://…`, or `sqlite:…` for a database file under another name.
    Url(String),
}

pub(crate) async fn open(location: &Location, make: bool) -> Result<Db> {
    match location {
        Location::DataDir(dir) => {
            if make {
                make_dir(dir)?;
            }
            sqlite(SqliteConnectOptions::new().filename(dir.join(FILE)), make).await
        }
        Location::Url(url) => match url.split(':').next().unwrap_or_default() {
            "postgres" | "postgresql" => postgres(PgConnectOptions::from_str(url)?).await,
            "sqlite" if url.contains("memory") => Err(StoreError::unavailable(
                "a database in memory forgets everything when the program ends",
                "name a file, like sqlite:touchstone.db",
            )),
            "sqlite" => sqlite(SqliteConnectOptions::from_str(url)?, make).await,
            // The rest of a URL may hold a password.
            scheme => Err(StoreError::unavailable(
                format!("a database URL cannot start with \"{scheme}:\""),
                "expected postgres://user@host/name or sqlite:file",
            )),
        },
    }
}

fn make_dir(dir: &Path) -> Result<()> {
    fs::create_dir_all(dir).map_err(|error| {
        let remedy = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free disk space",
            io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => "a file is in the way: choose another place",
            _ => "choose a place that this user may write",
        };
        StoreError::unavailable(format!("cannot make the data directory {}: {error}", dir.display()), remedy)
    })
}

async fn sqlite(options: SqliteConnectOptions, make: bool) -> Result<Db> {
    let file = options.get_filename().to_owned();
    if !make && !file.exists() {
        return Err(StoreError::unavailable(
            format!("there is no database at {}", file.display()),
            "`touchstone import DIR` with the same --data-dir makes one",
        ));
    }
    let options = options
        .create_if_missing(make)
        .foreign_keys(true)
        .busy_timeout(BUSY)
        // Readers go on while somebody writes, and what was committed survives a power cut.
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full);
    // A connection of its own, because a pool would hide why it cannot connect behind a timeout.
    let named = |error: StoreError| with_place(error, &file.display().to_string());
    let mut connection = SqliteConnection::connect_with(&options).await.map_err(|error| named(error.into()))?;
    // SQLite has no lock for migrations, so several processes that start at once take the write lock first.
    let mut tx = connection.begin_with("BEGIN IMMEDIATE").await.map_err(|error| named(error.into()))?;
    MIGRATIONS.run_direct(&mut *tx).await.map_err(|error| named(error.into()))?;
    tx.commit().await?;
    connection.close().await?;
    let pool = |connections| {
        SqlitePoolOptions::new()
            .max_connections(connections)
            .acquire_timeout(BUSY)
            // When the disk is full SQLite ends the transaction by itself, and sqlx then believes for ever that the
            // connection is in one. Such a connection is replaced.
            .before_acquire(|connection, _| Box::pin(async { Ok(!connection.is_in_transaction()) }))
    };
    let writer = options.clone().pragma("cache_size", WRITER_CACHE);
    let writer = Writer { pool: pool(1).connect_lazy_with(writer), turn: Arc::default() };
    Ok(Db::Sqlite(pool(SQLITE_CONNECTIONS).connect_lazy_with(options), writer))
}

async fn postgres(options: PgConnectOptions) -> Result<Db> {
    let place = format!("{}:{}", options.get_host(), options.get_port());
    let named = |error: StoreError| with_place(error, &place);
    let mut connection = PgConnection::connect_with(&options).await.map_err(|error| named(error.into()))?;
    MIGRATIONS.run_direct(&mut connection).await.map_err(|error| named(error.into()))?;
    connection.close().await?;
    let pool = PgPoolOptions::new().max_connections(POSTGRES_CONNECTIONS).acquire_timeout(ACQUIRE);
    Ok(Db::Postgres(pool.connect_lazy_with(options)))
}

/// While opening, an error must say which database it speaks of.
fn with_place(error: StoreError, place: &str) -> StoreError {
    match error {
        StoreError::Unavailable { problem, remedy } => {
            StoreError::Unavailable { problem: format!("{place}: {problem}"), remedy }
        }
        StoreError::Conflict(problem) => StoreError::Conflict(format!("{place}: {problem}")),
        other @ (StoreError::NotFound { .. } | StoreError::Corrupt { .. }) => other,
    }
}

impl From<MigrateError> for StoreError {
    fn from(error: MigrateError) -> Self {
        match error {
            MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => error.into(),
            MigrateError::VersionMissing(version) => {
                let known = MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or_default();
                Self::unavailable(
                    format!("a newer Touchstone wrote this database (its schema is {version}, this one knows {known})"),
                    "start the newer version",
                )
            }
            MigrateError::VersionMismatch(version) => Self::unavailable(
                format!("schema {version} of this database is not the one that this version knows"),
                "start the version that wrote it, or choose another database",
            ),
            other => Self::unavailable(
                format!("the tables cannot be brought up to date: {other}"),
                "restore a backup, or choose another database",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::study::{MANIFEST, load};
    use sqlx::Executor as _;

    use super::*;
    use crate::Store;

    #[tokio::test]
    async fn after_a_full_disk_the_store_works_again() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&Location::DataDir(dir.path().to_owned())).await.unwrap();
        let Db::Sqlite(_, Writer { pool, .. }) = &store.db else { panic!("a data directory is SQLite") };
        // To this one connection, which the import will get, the disk is full.
        pool.execute("PRAGMA max_page_count = 1").await.unwrap();
        while pool.num_idle() == 0 {
            tokio::task::yield_now().await;
        }

        let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../server/demo/qwen3-14b-h100");
        let manifest = fs::read_to_string(demo.join(MANIFEST)).unwrap();
        let folder = load(&manifest, |file| fs::read(demo.join(file)).map_err(|error| error.to_string())).unwrap();
        let error = store.import(&folder, 1).await.unwrap_err().to_string();
        assert!(error.ends_with("database or disk is full; free disk space"), "{error}");
        assert_eq!(store.heads().await.unwrap(), []);
        store.import(&folder, 1).await.unwrap();
        assert_eq!(store.study(&folder.data.study.slug).await.unwrap().data, folder.data);
    }
}
