//! A place for one test: a SQLite file in a directory of its own, or a schema of its own in a PostgreSQL server.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection as _, Executor as _, PgConnection, Row as _, SqliteConnection};
use tempfile::TempDir;
use touchstone_store::{Location, Store};

/// A PostgreSQL server for tests, whose user may create schemas.
const URL: &str = "TOUCHSTONE_TEST_DATABASE_URL";
/// Set where a missing server must fail the tests instead of leaving them out.
const REQUIRE: &str = "TOUCHSTONE_TEST_REQUIRE_POSTGRES";

pub enum Place {
    Sqlite(TempDir),
    Postgres { server: String, schema: String },
}

impl Place {
    pub fn sqlite() -> Self {
        Self::Sqlite(tempfile::tempdir().unwrap())
    }

    /// `None` where there is no server to test with.
    pub async fn postgres() -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let Ok(server) = std::env::var(URL) else {
            assert!(std::env::var_os(REQUIRE).is_none(), "{REQUIRE} is set, but {URL} is not");
            eprintln!("left out: {URL} is not set");
            return None;
        };
        let schema = format!("test_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let mut admin = PgConnection::connect(&server).await.unwrap();
        admin.execute(format!("DROP SCHEMA IF EXISTS {schema} CASCADE").as_str()).await.unwrap();
        admin.execute(format!("CREATE SCHEMA {schema}").as_str()).await.unwrap();
        Some(Self::Postgres { server, schema })
    }

    pub fn location(&self) -> Location {
        match self {
            Self::Sqlite(dir) => Location::DataDir(dir.path().join("data")),
            Self::Postgres { server, schema } => {
                let separator = if server.contains('?') { '&' } else { '?' };
                Location::Url(format!("{server}{separator}options=-csearch_path%3D{schema}"))
            }
        }
    }

    /// A store as another process would open it.
    pub async fn open(&self) -> Store {
        Store::open(&self.location()).await.unwrap()
    }

    /// Does behind the store's back what no code of ours does.
    pub async fn execute(&self, sql: &str) {
        self.try_execute(sql).await.unwrap();
    }

    /// The same, which the database may refuse.
    pub async fn try_execute(&self, sql: &str) -> sqlx::Result<()> {
        match self {
            Self::Sqlite(_) => self.sqlite_connection().await.execute(sql).await.map(drop),
            Self::Postgres { .. } => self.postgres_connection().await.execute(sql).await.map(drop),
        }
    }

    pub async fn count(&self, table: &str) -> i64 {
        let sql = format!("SELECT COUNT(*) FROM {table}");
        match self {
            Self::Sqlite(_) => self.sqlite_connection().await.fetch_one(sql.as_str()).await.unwrap().get(0),
            Self::Postgres { .. } => self.postgres_connection().await.fetch_one(sql.as_str()).await.unwrap().get(0),
        }
    }

    pub async fn close(self) {
        if let Self::Postgres { server, schema } = self {
            let mut admin = PgConnection::connect(&server).await.unwrap();
            admin.execute(format!("DROP SCHEMA {schema} CASCADE").as_str()).await.unwrap();
        }
    }

    /// The database file of a SQLite place.
    pub fn file(&self) -> PathBuf {
        match self {
            Self::Sqlite(dir) => dir.path().join("data/touchstone.db"),
            Self::Postgres { .. } => panic!("PostgreSQL has no file"),
        }
    }

    async fn sqlite_connection(&self) -> SqliteConnection {
        SqliteConnection::connect_with(&SqliteConnectOptions::new().filename(self.file())).await.unwrap()
    }

    async fn postgres_connection(&self) -> PgConnection {
        let Location::Url(url) = self.location() else { panic!("PostgreSQL has a URL") };
        PgConnection::connect_with(&url.parse::<PgConnectOptions>().unwrap()).await.unwrap()
    }
}
