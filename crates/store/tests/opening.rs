//! What a person reads when the database cannot be opened.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where it stopped")]

use std::fs;

use touchstone_store::{Location, Store};

async fn refusal(location: Location) -> String {
    Store::open(&location).await.map(drop).unwrap_err().to_string()
}

#[tokio::test]
async fn a_file_in_place_of_the_data_directory_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("data");
    fs::write(&file, "mine").unwrap();
    let error = refusal(Location::DataDir(file.clone())).await;
    assert!(error.starts_with(&format!("cannot make the data directory {}: ", file.display())), "{error}");
    assert!(error.ends_with("a file is in the way: choose another place"), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
}

#[tokio::test]
async fn a_file_that_is_no_database_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("touchstone.db");
    let text = "not a database, but long enough to be taken for one. ".repeat(100);
    fs::write(&file, &text).unwrap();
    let error = refusal(Location::DataDir(dir.path().to_owned())).await;
    assert!(error.contains("touchstone.db: ") && error.contains("restore a backup"), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}

#[tokio::test]
async fn a_missing_database_is_not_made_by_a_reader() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let error = Store::open_existing(&Location::DataDir(data.clone())).await.unwrap_err().to_string();
    assert!(error.contains("there is no database at") && error.contains("touchstone import"), "{error}");
    assert!(!data.exists());
}

#[tokio::test]
async fn a_sqlite_url_names_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("named.db");
    Store::open(&Location::Url(format!("sqlite:{}", file.display()))).await.unwrap().ping().await.unwrap();
    assert!(file.exists());
}

#[tokio::test]
async fn a_url_that_cannot_be_right_is_explained_without_its_password() {
    for (url, said) in [
        ("mysql://me:secret@host/db", "a database URL cannot start with \"mysql:\"; expected postgres://"),
        ("sqlite::memory:", "forgets everything"),
        ("postgres://me:secret@127.0.0.1:1/db", "127.0.0.1:1: the database cannot be reached"),
    ] {
        let error = refusal(Location::Url(url.to_owned())).await;
        assert!(error.contains(said), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_directory_that_cannot_be_written_says_so() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(dir.path().join("probe"), "").is_ok() {
        // Root may write anywhere.
        return;
    }
    let error = refusal(Location::DataDir(dir.path().to_owned())).await;
    assert!(error.contains("writable for this user"), "{error}");
}
