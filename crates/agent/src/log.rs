//! Logs of programs that still write them.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use domain::mask::mask_text;

/// What is read of the end of a log to find out why its program failed.
const END_BYTES: u64 = 256 * 1024;
/// Lines that are sent with a failure.
pub(crate) const TOLD: usize = 40;
/// What is read at once of a log that grows.
const STEP_BYTES: u64 = 64 * 1024;

/// The last lines of a file, without secrets; none where there is no such file.
pub(crate) fn end(path: &Path) -> Vec<String> {
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = File::open(path)?;
        let size = file.metadata()?.len();
        file.seek(SeekFrom::Start(size.saturating_sub(END_BYTES)))?;
        let mut bytes = Vec::new();
        file.take(END_BYTES).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    lines(&read().unwrap_or_default())
}

/// The last few of some lines.
pub(crate) fn last(lines: Vec<String>, count: usize) -> Vec<String> {
    let skipped = lines.len().saturating_sub(count);
    lines.into_iter().skip(skipped).collect()
}

fn lines(bytes: &[u8]) -> Vec<String> {
    let (text, _) = mask_text(&String::from_utf8_lossy(bytes));
    // A progress bar writes over its line.
    let shown = |line: &str| line.rsplit('\r').find(|part| !part.trim().is_empty()).unwrap_or_default().to_owned();
    text.split('\n').map(shown).filter(|line| !line.trim().is_empty()).collect()
}

/// A log that is read as it grows.
pub(crate) struct Tail {
    path: PathBuf,
    at: u64,
    rest: Vec<u8>,
}

impl Tail {
    pub fn of(path: PathBuf) -> Self {
        Self { path, at: 0, rest: Vec::new() }
    }

    /// Lines that came since the last call.
    pub fn new_lines(&mut self) -> Vec<String> {
        let read = || -> std::io::Result<Vec<u8>> {
            let mut file = File::open(&self.path)?;
            file.seek(SeekFrom::Start(self.at))?;
            let mut bytes = Vec::new();
            file.take(STEP_BYTES).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let new = read().unwrap_or_default();
        self.at += new.len() as u64;
        self.rest.extend(new);
        let whole = self.rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let done: Vec<u8> = self.rest.drain(..whole).collect();
        // Something that never ends its line is no log.
        if self.rest.len() as u64 > STEP_BYTES {
            self.rest.clear();
        }
        lines(&done)
    }
}

/// The last `done/total` of a progress bar in the end of a log.
pub(crate) fn progress(path: &Path, total: Option<u64>) -> Option<(u64, u64)> {
    let file = File::open(path).ok()?;
    let size = file.metadata().ok()?.len();
    let mut file = file;
    file.seek(SeekFrom::Start(size.saturating_sub(4096))).ok()?;
    let mut bytes = Vec::new();
    file.take(4096).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let mut fractions = text.match_indices('/').rev().filter_map(|(at, _)| {
        let before = text[..at].rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()?;
        let after = text[at + 1..].split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()?;
        Some((before, after))
    });
    let fits = |(done, of): &(u64, u64)| done <= of && total.is_none_or(|total| *of == total);
    fractions.find(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_read_line_by_line_and_a_bar_is_its_last_state() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let mut tail = Tail::of(path.clone());
        assert_eq!(tail.new_lines(), Vec::<String>::new());
        std::fs::write(&path, "one\n  1%| | 5/500\r 2%|# | 10/500\ntw").unwrap();
        assert_eq!(tail.new_lines(), ["one", " 2%|# | 10/500"]);
        std::fs::write(&path, "one\n  1%| | 5/500\r 2%|# | 10/500\ntwo\nkey sk-abcdefghijklmnopqrstuvwxyz012345\n")
            .unwrap();
        let lines = tail.new_lines();
        assert_eq!(lines[0], "two");
        assert!(!lines[1].contains("abcdefghij"), "{lines:?}");
        assert_eq!(progress(&path, Some(500)), Some((10, 500)));
        assert_eq!(progress(&path, Some(7)), None);
        assert_eq!(last(end(&path), 2).len(), 2);
    }
}
