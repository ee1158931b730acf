//! What an agent keeps on its disk: its id, the jobs that it has, and every result until the server has it.
//!
//! Invariant: a result is there whole or not at all. It is written beside, made durable, and then put in its place by one
//! renaming.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use domain::agent::{Leased, Settled};
use domain::digest::Digest;
use domain::id::{AgentId, JobId};
use domain::upload::Envelope;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why a spool cannot be used.
#[derive(Debug, Error)]
pub enum SpoolError {
    /// Another agent is at work in it.
    #[error("another agent works in {0}: give this one a directory of its own, or end the other")]
    InUse(PathBuf),
    /// The disk says no.
    #[error("{path}: {source}")]
    Disk {
        /// Where.
        path: PathBuf,
        /// What it says.
        source: io::Error,
    },
}

/// An agent's directory.
pub(crate) struct Spool {
    dir: PathBuf,
    pub agent: AgentId,
    /// Held as long as the agent lives.
    _lock: File,
}

/// A result, and all that is needed to deliver it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Kept {
    pub job: JobId,
    pub attempt: u32,
    pub digest: Digest,
    pub name: String,
    pub envelope: Envelope,
    pub settled: Settled,
}

const META: &str = "meta.json";
const RESULT: &str = "result";

impl Spool {
    pub fn open(dir: &Path) -> Result<Self, SpoolError> {
        let disk = |path: &Path| {
            let path = path.to_owned();
            move |source: io::Error| SpoolError::Disk { path, source }
        };
        for part in ["results", "refused", "leases", "work"] {
            let path = dir.join(part);
            fs::create_dir_all(&path).map_err(disk(&path))?;
        }
        let path = dir.join("lock");
        let lock = File::options().create(true).truncate(false).write(true).open(&path).map_err(disk(&path))?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive).map_err(|_| SpoolError::InUse(dir.to_owned()))?;
        let path = dir.join("agent");
        let agent = match fs::read_to_string(&path) {
            Ok(text) if !text.trim().is_empty() => AgentId::new(text.trim()),
            Ok(_) | Err(_) => {
                let id = new_id().map_err(disk(&path))?;
                durable(&path, id.as_bytes()).map_err(disk(&path))?;
                AgentId::new(id)
            }
        };
        let spool = Self { dir: dir.to_owned(), agent, _lock: lock };
        spool.forget_halves();
        Ok(spool)
    }

    /// What a killed agent had not put in its place.
    fn forget_halves(&self) {
        for path in entries(&self.dir.join("results")) {
            if !path.join(META).exists() {
                fs::remove_dir_all(&path).ok();
            }
        }
    }

    /// A directory for the logs and results of a slot, empty.
    pub fn work(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.dir.join("work").join(name);
        if path.exists() {
            fs::remove_dir_all(&path)?;
        }
        fs::create_dir_all(&path)?;
        fs::canonicalize(path)
    }

    pub fn remember(&self, leased: &Leased) -> io::Result<()> {
        let text = serde_json::to_vec(&(&leased.job, leased.attempt))?;
        durable(&self.lease_path(&leased.job, leased.attempt), &text)
    }

    pub fn forget(&self, job: &JobId, attempt: u32) {
        fs::remove_file(self.lease_path(job, attempt)).ok();
    }

    fn lease_path(&self, job: &JobId, attempt: u32) -> PathBuf {
        self.dir.join("leases").join(format!("{job}-{attempt}"))
    }

    /// Jobs that an agent before this one had when it was killed.
    pub fn left(&self) -> Vec<(JobId, u32)> {
        let read = |path: PathBuf| serde_json::from_slice(&fs::read(path).ok()?).ok();
        entries(&self.dir.join("leases")).into_iter().filter_map(read).collect()
    }

    /// Keeps a result. When this returns, it survives a power cut.
    pub fn keep(&self, kept: &Kept, result: &Path) -> io::Result<()> {
        let results = self.dir.join("results");
        let name = format!("{}-{}", kept.job, kept.attempt);
        let beside = results.join(format!(".{name}"));
        if beside.exists() {
            fs::remove_dir_all(&beside)?;
        }
        fs::create_dir(&beside)?;
        fs::copy(result, beside.join(RESULT))?;
        File::open(beside.join(RESULT))?.sync_all()?;
        durable(&beside.join(META), &serde_json::to_vec(kept)?)?;
        File::open(&beside)?.sync_all()?;
        let place = results.join(name);
        if place.exists() {
            fs::remove_dir_all(&place)?;
        }
        fs::rename(&beside, &place)?;
        File::open(&results)?.sync_all()
    }

    /// Results that are not delivered yet.
    pub fn kept(&self) -> Vec<(PathBuf, Kept)> {
        let read = |path: PathBuf| {
            let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
            let kept = serde_json::from_slice(&fs::read(path.join(META)).ok()?).ok()?;
            (!hidden).then(|| (path.join(RESULT), kept))
        };
        entries(&self.dir.join("results")).into_iter().filter_map(read).collect()
    }

    /// It is delivered, or nobody wants it.
    pub fn delivered(&self, kept: &Kept) {
        fs::remove_dir_all(self.place(kept)).ok();
    }

    /// The server will never take it: people may look at it.
    pub fn refused(&self, kept: &Kept) {
        let to = self.dir.join("refused").join(format!("{}-{}", kept.job, kept.attempt));
        if to.exists() {
            fs::remove_dir_all(&to).ok();
        }
        fs::rename(self.place(kept), to).ok();
    }

    fn place(&self, kept: &Kept) -> PathBuf {
        self.dir.join("results").join(format!("{}-{}", kept.job, kept.attempt))
    }

    /// Whether somebody asked it to take no more jobs.
    pub fn draining(&self) -> bool {
        self.dir.join("drain").exists()
    }

    pub fn drained(&self) {
        fs::remove_file(self.dir.join("drain")).ok();
    }
}

/// Asks the agent of a directory to take no more jobs.
pub(crate) fn ask_to_drain(dir: &Path) -> io::Result<()> {
    fs::create_dir_all(dir)?;
    durable(&dir.join("drain"), b"")
}

fn entries(dir: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(dir).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}

/// Writes a file that is whole or not there, and survives a power cut.
fn durable(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = path.with_extension("new");
    let mut file = File::create(&beside)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&beside, path)?;
    match path.parent() {
        Some(dir) => File::open(dir)?.sync_all(),
        None => Ok(()),
    }
}

/// Unlike any other.
pub(crate) fn new_id() -> io::Result<String> {
    let mut bytes = [0_u8; 8];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(job: &str, bytes: &[u8]) -> Kept {
        let envelope = serde_json::from_str(r#"{"study":"s","variant":"v","profile":"p"}"#).unwrap();
        Kept {
            job: job.into(),
            attempt: 1,
            digest: Digest::of(bytes),
            name: "r.json".into(),
            envelope,
            settled: Settled::default(),
        }
    }

    #[test]
    fn a_result_is_kept_whole_until_it_is_delivered_and_an_agent_stays_itself() {
        let dir = tempfile::tempdir().unwrap();
        let result = dir.path().join("result.json");
        fs::write(&result, b"{}").unwrap();
        let spool = Spool::open(&dir.path().join("spool")).unwrap();
        assert!(matches!(Spool::open(&dir.path().join("spool")), Err(SpoolError::InUse(_))));
        let (one, two) = (kept("one", b"{}"), kept("two", b"{}"));
        spool.keep(&one, &result).unwrap();
        spool.keep(&two, &result).unwrap();
        let id = spool.agent.clone();
        // Killed while it kept a third.
        fs::create_dir(dir.path().join("spool/results/.three-1")).unwrap();
        drop(spool);
        let spool = Spool::open(&dir.path().join("spool")).unwrap();
        assert_eq!(spool.agent, id);
        let there: Vec<Kept> = spool.kept().into_iter().map(|(_, kept)| kept).collect();
        assert_eq!(there, [one.clone(), two.clone()]);
        assert_eq!(fs::read(&spool.kept()[0].0).unwrap(), b"{}");
        spool.delivered(&one);
        spool.refused(&two);
        assert_eq!(spool.kept(), []);
        assert!(dir.path().join("spool/refused/two-1/result").exists());
        assert!(!dir.path().join("spool/results/.three-1").exists());
    }
}
