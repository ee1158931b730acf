//! Where previews wait: a directory each beside the spool, under a name that nobody guesses. Their files are masked
//! already, and stay until the preview is saved, discarded or too old; a restart of the server changes nothing.
//!
//! Several servers on one database each keep their own previews: a load balancer must send a reader to the same one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use app::upload::Waiting;
use tempfile::NamedTempFile;

/// A preview that is not saved within this is deleted.
pub const LIVES_MS: i64 = 24 * 60 * 60 * 1000;
/// All previews together, in bytes: some of the longest uploads at once.
pub const ROOM: u64 = 8 * 1024 * 1024 * 1024;
/// A directory without its description belongs to an upload that never arrived.
const ARRIVES_WITHIN: Duration = Duration::from_secs(60 * 60);

const STATE: &str = "state.json";

/// The directory of all previews.
#[derive(Clone)]
pub struct Held(PathBuf);

impl Held {
    /// Beside what waits in `spool`.
    pub fn beside(spool: &Path) -> Self {
        Self(spool.join("previews"))
    }

    /// A new place: its id and its directory.
    pub fn make(&self) -> io::Result<(String, PathBuf)> {
        let mut random = [0_u8; 32];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let id: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let dir = self.0.join(&id);
        fs::create_dir_all(&dir)?;
        Ok((id, dir))
    }

    /// What waits under an id; none where nothing does, or does no longer.
    pub fn load(&self, id: &str, now_ms: i64) -> io::Result<Option<Waiting>> {
        let Some(dir) = self.dir(id) else { return Ok(None) };
        let text = match fs::read(dir.join(STATE)) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        // What an earlier version of the server wrote may not be read by this one: then it is gone, which the page says.
        let waiting: Option<Waiting> = serde_json::from_slice(&text).ok();
        Ok(waiting.filter(|waiting| now_ms < waiting.expires_at))
    }

    /// Writes what waits, as a whole.
    pub fn keep(&self, waiting: &Waiting) -> io::Result<()> {
        let dir = self.dir(&waiting.id).filter(|dir| dir.is_dir());
        let dir = dir.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the preview is gone"))?;
        let file = NamedTempFile::new_in(&dir)?;
        serde_json::to_writer(file.as_file(), waiting)?;
        file.persist(dir.join(STATE))?;
        Ok(())
    }

    /// Where a file of a preview lies.
    pub fn file(&self, id: &str, at: usize) -> Option<PathBuf> {
        Some(self.dir(id)?.join(at.to_string()))
    }

    /// Takes the files away; what became of them stays.
    pub fn empty(&self, id: &str, files: usize) {
        for file in (0..files).filter_map(|at| self.file(id, at)) {
            fs::remove_file(file).ok();
        }
    }

    /// Takes all of it away.
    pub fn discard(&self, id: &str) -> io::Result<()> {
        match self.dir(id).map(fs::remove_dir_all) {
            Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Takes away what is too old, and says how many bytes are left.
    pub fn sweep(&self, now_ms: i64) -> io::Result<u64> {
        let entries = match fs::read_dir(&self.0) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            Err(error) => return Err(error),
        };
        let mut left = 0;
        for entry in entries {
            let dir = entry?.path();
            if self.is_over(&dir, now_ms) {
                fs::remove_dir_all(&dir).ok();
            } else {
                left += size(&dir);
            }
        }
        Ok(left)
    }

    fn is_over(&self, dir: &Path, now_ms: i64) -> bool {
        if dir.join(STATE).exists() {
            let id = dir.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            return matches!(self.load(id, now_ms), Ok(None));
        }
        let made = fs::metadata(dir).and_then(|facts| facts.modified());
        made.is_ok_and(|made| SystemTime::now().duration_since(made).is_ok_and(|age| age > ARRIVES_WITHIN))
    }

    /// Only what we made: 64 hexadecimal digits, so that no address leads out of the directory.
    fn dir(&self, id: &str) -> Option<PathBuf> {
        let ours = id.len() == 64 && id.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
        ours.then(|| self.0.join(id))
    }
}

fn size(dir: &Path) -> u64 {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).map(|facts| facts.len()).sum()
}
