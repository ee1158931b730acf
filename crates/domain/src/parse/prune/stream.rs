//! Documents one after another, and the way back after one that is broken: a run that was killed leaves half a line, a
//! tool's traceback stands between two results.
//!
//! Invariant: a document is read whole or not at all. After a broken one, reading goes on only where a line starts as a
//! document does; what looks cut off is never joined with what follows it.

use std::io::Read;

use memchr::memchr_iter;

use super::super::ParseError;
use super::pruner::{MAX_HEAD, Pruner, Stop};
use super::{CHUNK, CUT_OFF, Document};

/// What a stream holds, in its order.
pub(in crate::parse) enum Found {
    /// A document, complete.
    Document(Document),
    /// A document that cannot be read, and the next one starts for certain.
    Cut(ParseError),
    /// A document that cannot be read; what comes next may still belong to it.
    Broken(ParseError),
    /// Text that is no document starts on this line.
    Text {
        /// From 1.
        line: usize,
    },
}

/// Reads every document of a stream (one, JSON lines, appended objects) and hands each on as it ends. `lines` stand before
/// `start`, which starts with a document.
pub(in crate::parse) fn documents(
    start: &[u8],
    lines: usize,
    source: &mut dyn Read,
    each: impl FnMut(Found) -> Result<(), ParseError>,
) -> Result<(), ParseError> {
    let mut stream = Stream { pruner: Pruner::at(lines + 1), lost: false, waiting: Vec::new(), each };
    stream.push(start, false)?;
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = source.read(&mut chunk).map_err(|error| ParseError::Source { reason: error.to_string() })?;
        stream.push(&chunk[..read], read == 0)?;
        if read == 0 {
            return Ok(());
        }
    }
}

/// Reads every document that starts at the start of a line of some other text.
pub(in crate::parse) fn documents_inside(
    text: &[u8],
    each: impl FnMut(Found) -> Result<(), ParseError>,
) -> Result<(), ParseError> {
    let lost = !is_start(&text[..text.len().min(MAX_HEAD)]);
    Stream { pruner: Pruner::at(1), lost, waiting: Vec::new(), each }.push(text, true)
}

struct Stream<E> {
    pruner: Pruner,
    /// After something that cannot be read: bytes are passed over up to the next line that starts a document.
    lost: bool,
    /// Bytes that are not looked at yet, because what follows them decides.
    waiting: Vec<u8>,
    each: E,
}

impl<E: FnMut(Found) -> Result<(), ParseError>> Stream<E> {
    fn push(&mut self, bytes: &[u8], is_end: bool) -> Result<(), ParseError> {
        let joined;
        let bytes = if self.waiting.is_empty() {
            bytes
        } else {
            joined = [&std::mem::take(&mut self.waiting), bytes].concat();
            &joined
        };
        let (mut fed, mut end) = (0, bytes.len());
        for at in memchr_iter(b'\n', bytes) {
            let next = at + 1;
            let may_start = bytes.get(next).is_none_or(|byte| matches!(byte, b'{' | b'['));
            if !may_start {
                continue;
            }
            if !is_end && next + MAX_HEAD > bytes.len() {
                end = at;
                break;
            }
            self.feed(&bytes[fed..next])?;
            fed = next;
            self.line_starts(&bytes[next..])?;
        }
        self.feed(&bytes[fed..end])?;
        self.waiting = bytes[end..].to_vec();
        if is_end && !self.lost && self.pruner.is_inside() {
            let error = self.pruner.syntax(CUT_OFF);
            (self.each)(Found::Broken(error))?;
        }
        Ok(())
    }

    /// Looks at a line before it is read.
    fn line_starts(&mut self, rest: &[u8]) -> Result<(), ParseError> {
        let start = &rest[..rest.len().min(MAX_HEAD)];
        if !is_start(start) {
            // A log line in brackets is no list.
            if !self.lost && !self.pruner.is_inside() && is_bracketed_text(start) {
                let line = self.pruner.line;
                self.start_over(true);
                (self.each)(Found::Text { line })?;
            }
            return Ok(());
        }
        if self.lost {
            self.start_over(false);
        } else if self.pruner.is_inside() && rest[0] == b'{' && self.pruner.is_cut_before(rest) {
            let error = self.pruner.cut();
            self.start_over(false);
            (self.each)(Found::Cut(error))?;
        }
        Ok(())
    }

    fn start_over(&mut self, lost: bool) {
        self.pruner = Pruner::at(self.pruner.line);
        self.lost = lost;
    }

    fn feed(&mut self, piece: &[u8]) -> Result<(), ParseError> {
        let before = self.pruner.line;
        if !self.lost {
            let fed = self.pruner.feed(piece);
            for document in self.pruner.done.drain(..) {
                (self.each)(Found::Document(document))?;
            }
            let found = match fed {
                Ok(()) => return Ok(()),
                Err(Stop::Broken(error @ ParseError::TooLarge { .. })) => return Err(error),
                Err(Stop::Broken(error)) => Found::Broken(error),
                Err(Stop::Text) => Found::Text { line: self.pruner.line },
            };
            self.start_over(true);
            (self.each)(found)?;
        }
        self.pruner.line = before + memchr_iter(b'\n', piece).count();
        Ok(())
    }
}

/// The first byte that is no blank.
fn after(bytes: &[u8]) -> Option<u8> {
    bytes.iter().copied().find(|byte| !byte.is_ascii_whitespace())
}

/// `[2026-03-01 10:15:00]`, `[INFO]`.
fn is_bracketed_text(line: &[u8]) -> bool {
    let next = line.strip_prefix(b"[").and_then(after);
    next.is_some_and(|next| !matches!(next, b'{' | b'[' | b']' | b'"'))
}

/// Whether a line starts as a document does: an object's first key, or a list of objects.
fn is_start(line: &[u8]) -> bool {
    match line.split_first() {
        Some((b'{', rest)) => matches!(after(rest), Some(b'"' | b'}')),
        Some((b'[', rest)) => after(rest) == Some(b'{'),
        _ => false,
    }
}
