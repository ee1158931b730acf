//! Study folders on disk. A folder may come from anywhere: it must not make us read what lies outside it, wait for ever
//! or fill the memory.

use std::env;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use domain::mask::MaskingReader;
use domain::parse::{self, ParseError};
use domain::study::{MANIFEST, Received, StudyFolder, load_with};
use store::Packed;

/// The largest report seen has some hundred megabytes; an upload may hold as much.
const MAX_FILE: u64 = 2 << 30;
/// A description is written by hand.
const MAX_MANIFEST: u64 = 4 << 20;

/// A study folder that was read, and its raw outputs as they will be kept.
pub struct Folder {
    /// The study.
    pub folder: StudyFolder,
    /// Masked and compressed; long ones are in files without a name, never in memory.
    pub raw: Vec<Packed>,
}

/// Reads a study folder. The error is a sentence without the folder's name: file, line, what was expected.
pub fn read(dir: &Path) -> Result<Folder, String> {
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
    let mut raw = Vec::new();
    let folder = load_with(&manifest, |file| {
        let (packed, received) = receive(open(&root, file, MAX_FILE)?)?;
        raw.push(packed);
        Ok(received)
    });
    Ok(Folder { folder: folder.map_err(|error| error.to_string())?, raw })
}

/// Masks, compresses and reads a raw output. What is read is what will be kept.
fn receive(stream: impl Read) -> Result<(Packed, Received), String> {
    let mut masking = MaskingReader::new(stream);
    let mut packed = Packed::pack(&mut masking, &env::temp_dir()).map_err(|error| in_words(&error))?;
    let parsed = match packed.reader() {
        Ok(mut reader) => parse::read(&mut reader),
        Err(error) => Err(ParseError::Source { reason: error.to_string() }),
    };
    let received = Received { digest: packed.digest.clone(), parsed, bytes: None, found: masking.into_found() };
    Ok((packed, received))
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
    let mut bytes = Vec::new();
    open(root, file, max)?.read_to_end(&mut bytes).map_err(|error| in_words(&error))?;
    Ok(bytes)
}

/// Opens a file of the folder that holds at most `max` bytes.
fn open(root: &Path, file: &str, max: u64) -> Result<impl Read, String> {
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
    if facts.len() > max {
        return Err(format!("it is longer than {} MiB", max >> 20));
    }
    // A file that grows meanwhile ends where it was.
    Ok(File::open(&path).map_err(|error| in_words(&error))?.take(max))
}
