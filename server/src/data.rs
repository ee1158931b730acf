//! Where stored data lives: the two options that every command touching it has.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use store::{Location, Store, StoreError};

/// A directory for one machine, or a PostgreSQL database.
#[derive(clap::Args, Clone, Debug)]
pub struct DataArgs {
    /// Directory with the SQLite database; made by commands that write
    #[arg(long, value_name = "DIR", default_value = "./data", env = "TOUCHSTONE_DATA_DIR")]
    pub data_dir: PathBuf,
    /// PostgreSQL database instead of a directory, like postgres://user@host/name
    #[arg(long, value_name = "URL", env = "TOUCHSTONE_DATABASE_URL", hide_env_values = true)]
    pub database_url: Option<String>,
}

impl DataArgs {
    /// Opens the store, made where it is missing, and brings its tables up to date.
    pub async fn open(&self) -> Result<Store, StoreError> {
        Store::open(&self.location()).await
    }

    /// Opens a store that is there already: for commands that only read.
    pub async fn open_existing(&self) -> Result<Store, StoreError> {
        Store::open_existing(&self.location()).await
    }

    /// The directory where uploads wait, made where it is missing. Its files have no names, so nothing stays in it.
    pub fn spool(&self) -> io::Result<Arc<Path>> {
        let dir = self.data_dir.join("spool");
        fs::create_dir_all(&dir)?;
        Ok(dir.into())
    }

    fn location(&self) -> Location {
        // An empty variable in the environment means that there is none.
        match self.database_url.as_deref().filter(|url| !url.is_empty()) {
            Some(url) => Location::Url(url.to_owned()),
            None => Location::DataDir(self.data_dir.clone()),
        }
    }
}
