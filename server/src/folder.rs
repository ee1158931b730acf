//! Study folders on disk. A folder may come from anywhere: it must not make us read what lies outside it, wait for ever
//! or fill the memory.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use domain::study::{MANIFEST, StudyFolder, load};

/// The longest log of a benchmark seen has some hundred kilobytes. Beyond this it is not the output of a benchmark.
pub const MAX_FILE: u64 = 64 << 20;
/// A description is written by hand.
const MAX_MANIFEST: u64 = 4 << 20;

/// Reads a study folder. The error is a sentence without the folder's name: file, line, what was expected.
pub fn read(dir: &Path) -> Result<StudyFolder, String> {
    let root = dir.canonicalize().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => "there is no such folder".to_owned(),
        _ => format!("the folder cannot be read: {}", in_words(&error)),
    })?;
    if !root.is_dir() {
        return Err(format!("this is a file; expected a study folder, which holds a {MANIFEST}"));
    }
    if !root.join(MANIFEST).exists() {
        return Err(format!("{MANIFEST} is missing; a study folder holds one and the raw outputs that it names"));
    }
    let manifest = inside(&root, MANIFEST, MAX_MANIFEST).map_err(|reason| format!("{MANIFEST}: {reason}"))?;
    let manifest = String::from_utf8(manifest).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        format!("{MANIFEST}, line {line}: this is not UTF-8 text")
    })?;
    load(&manifest, |file| inside(&root, file, MAX_FILE)).map_err(|error| error.to_string())
}

/// Reads all of a stream that holds at most `max` bytes.
pub fn read_at_most(stream: impl Read, max: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    stream.take(max + 1).read_to_end(&mut bytes).map_err(|error| in_words(&error))?;
    if bytes.len() as u64 > max {
        return Err(format!("it is longer than {} MiB", max >> 20));
    }
    Ok(bytes)
}

/// The system's words without its error numbers, and plainer where people meet them often.
pub fn in_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "this user may not read it".to_owned(),
        io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
        _ => error.to_string(),
    }
}

fn inside(root: &Path, file: &str, max: u64) -> Result<Vec<u8>, String> {
    let path: PathBuf = root.join(file).canonicalize().map_err(|error| in_words(&error))?;
    if !path.starts_with(root) {
        return Err("it is a link to a place outside the study folder".to_owned());
    }
    // Before it is opened: opening a pipe would wait for its other end.
    let facts = fs::metadata(&path).map_err(|error| in_words(&error))?;
    if facts.is_dir() {
        return Err("it is a folder".to_owned());
    }
    if !facts.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    read_at_most(File::open(&path).map_err(|error| in_words(&error))?, max)
}
