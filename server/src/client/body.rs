//! The body of an upload: an envelope and files, as parts, one after the other, never all of them in memory.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::PathBuf;
use std::rc::Rc;

use domain::digest::Digest;
use domain::upload::Envelope;

use super::{Source, Watch};
use crate::folder::in_words;

/// Raw outputs shrink to a fifth; a higher level costs more time than a network saves.
const LEVEL: i32 = 3;

/// Gives the parts byte by byte.
pub struct Body<'a> {
    boundary: String,
    pieces: VecDeque<Piece>,
    watch: &'a mut dyn Watch,
    unreadable: Unreadable,
}

/// The file that could not be read: the client only says that the body broke.
#[derive(Clone, Default)]
pub struct Unreadable(Rc<RefCell<Option<String>>>);

impl Unreadable {
    pub fn take(&self) -> Option<String> {
        self.0.borrow_mut().take()
    }
}

enum Piece {
    Bytes(Cursor<Vec<u8>>),
    /// Opened when its turn comes: a thousand files are not open at once.
    Later(PathBuf),
    Open(PathBuf, File),
}

impl<'a> Body<'a> {
    pub fn new(envelope: &Envelope, files: &[Source], watch: &'a mut dyn Watch) -> Self {
        let envelope = serde_json::to_string(envelope).expect("an envelope is made of texts and numbers");
        // Follows from what is sent, so that the same upload has the same bytes; no output of a tool holds it.
        let boundary = format!("touchstone-{}", Digest::of(envelope.as_bytes()).short());
        let text = |text: String| Piece::Bytes(Cursor::new(text.into_bytes()));
        let mut pieces = VecDeque::from([text(format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"envelope\"\r\n\
             Content-Type: application/json\r\n\r\n{envelope}\r\n"
        ))]);
        for file in files {
            pieces.push_back(text(format!(
                "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{}\"\r\n\
                 Content-Type: application/octet-stream\r\n\r\n",
                escaped(&file.name)
            )));
            pieces.push_back(Piece::Later(file.path.clone()));
            pieces.push_back(text("\r\n".to_owned()));
        }
        pieces.push_back(text(format!("--{boundary}--\r\n")));
        Self { boundary, pieces, watch, unreadable: Unreadable::default() }
    }

    pub fn content_type(&self) -> String {
        format!("multipart/form-data; boundary={}", self.boundary)
    }

    pub fn unreadable(&self) -> Unreadable {
        self.unreadable.clone()
    }

    /// The same, compressed.
    pub fn compressed(self) -> io::Result<impl Read + 'a> {
        zstd::stream::read::Encoder::new(self, LEVEL)
    }

    fn failed(&self, path: &std::path::Path, error: io::Error) -> io::Error {
        *self.unreadable.0.borrow_mut() = Some(format!("{}: {}", path.display(), in_words(&error)));
        error
    }
}

impl Read for Body<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        loop {
            let Some(piece) = self.pieces.pop_front() else { return Ok(0) };
            match piece {
                Piece::Bytes(mut bytes) => {
                    let read = bytes.read(to)?;
                    if read > 0 {
                        self.pieces.push_front(Piece::Bytes(bytes));
                        return Ok(read);
                    }
                }
                Piece::Later(path) => {
                    let file = File::open(&path).map_err(|error| self.failed(&path, error))?;
                    self.pieces.push_front(Piece::Open(path, file));
                }
                Piece::Open(path, mut file) => {
                    let read = file.read(to).map_err(|error| self.failed(&path, error))?;
                    if read > 0 {
                        self.watch.sent(read as u64);
                        self.pieces.push_front(Piece::Open(path, file));
                        return Ok(read);
                    }
                }
            }
        }
    }
}

/// As browsers write a file's name in a part's header.
fn escaped(name: &str) -> String {
    name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}
