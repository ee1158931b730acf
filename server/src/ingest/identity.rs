//! What an upload is known by: all that is kept of it, after masking. The server names uploads by it, and a client asks for
//! that name before it sends. Both get it here, so that they cannot drift apart.
//!
//! Invariant: nothing but what is sent goes into it; the same upload has the same id on every machine.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use domain::digest::{Digest, Digesting};
use domain::mask::{MaskingReader, mask_text};
use domain::upload::Envelope;
use serde_json::json;

use super::masking::mask_envelope;
use crate::spool::decompressed;

/// A file of an upload as it is kept: name, digest and size, each after decompression and masking.
pub type Kept<'a> = (&'a str, &'a Digest, u64);

/// An upload's name, and the document that it follows from.
pub struct Identity {
    /// 64 hexadecimal digits.
    pub id: String,
    /// What is kept of an upload beside its runs.
    pub document: String,
}

impl Identity {
    /// Of a masked envelope and its files in the order that they came in.
    pub fn of<'a>(envelope: &Envelope, files: impl Iterator<Item = Kept<'a>>) -> Self {
        let files: Vec<_> = files
            .map(|(name, digest, size)| json!({ "name": name, "digest": digest.as_str(), "size": size }))
            .collect();
        let envelope = Envelope { files: Vec::new(), ..envelope.clone() };
        let document = json!({ "envelope": envelope, "files": files }).to_string();
        Self { id: Digest::of(document.as_bytes()).to_string(), document }
    }
}

/// The id that an upload will have: reads each file once, in bounded memory. `read` is told the bytes as they are read.
pub fn foretell<'a>(
    envelope: &Envelope,
    files: impl Iterator<Item = (&'a str, &'a Path)>,
    mut read: impl FnMut(u64),
) -> io::Result<String> {
    let mut envelope = envelope.clone();
    mask_envelope(&mut envelope);
    let mut kept = Vec::new();
    let mut buffer = vec![0; 64 * 1024];
    for (name, path) in files {
        let count = Arc::new(AtomicU64::new(0));
        let raw = Counted { source: File::open(path)?, count: Arc::clone(&count) };
        let (name, content) = decompressed(name.to_owned(), Box::new(raw));
        let mut content = MaskingReader::new(content?);
        let (mut digest, mut size) = (Digesting::default(), 0);
        loop {
            match content.read(&mut buffer) {
                Ok(0) => break,
                Ok(length) => {
                    digest.update(&buffer[..length]);
                    size += length as u64;
                    read(count.swap(0, Ordering::Relaxed));
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        kept.push((mask_text(&name).0, digest.finish(), size));
    }
    Ok(Identity::of(&envelope, kept.iter().map(|(name, digest, size)| (name.as_str(), digest, *size))).id)
}

/// Counts the bytes of a file, however long they are after decompression.
struct Counted {
    source: File,
    count: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(to)?;
        self.count.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
