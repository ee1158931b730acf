//! Build and serve again after every change.

use std::{
    fs,
    path::Path,
    process::Child,
    thread::sleep,
    time::{Duration, SystemTime},
};

use anyhow::Result;

use crate::{
    demo::build,
    run::{program, root, say},
    site::Mode,
};

/// What is looked at.
const WATCHED: [&str; 8] = ["app", "server", "crates", "style", "public", "migrations", "Cargo.toml", "Cargo.lock"];

/// Looks twice a second: no watcher library to build, and a tree of this size costs nothing to walk.
const PAUSE: Duration = Duration::from_millis(500);

/// Serves the demo in debug; words after `watch` go to `touchstone demo`.
pub fn watch(more: &[&str]) -> Result<()> {
    loop {
        let seen = newest();
        let server = match build(Mode::Debug) {
            Ok(()) => Some(start(more)?),
            Err(error) => {
                eprintln!("xtask: {error:#}");
                None
            }
        };
        while newest() == seen {
            sleep(PAUSE);
        }
        say("something changed");
        if let Some(mut server) = server {
            server.kill()?;
            server.wait()?;
        }
    }
}

fn start(more: &[&str]) -> Result<Child> {
    Ok(program(&root().join("target/debug/touchstone").to_string_lossy()).arg("demo").args(more).spawn()?)
}

fn newest() -> Option<SystemTime> {
    WATCHED.iter().filter_map(|name| newest_in(&root().join(name))).max()
}

fn newest_in(path: &Path) -> Option<SystemTime> {
    let own = fs::metadata(path).ok()?.modified().ok();
    if !path.is_dir() || path.ends_with("target") {
        return own;
    }
    fs::read_dir(path).ok()?.filter_map(|entry| newest_in(&entry.ok()?.path())).max().max(own)
}
