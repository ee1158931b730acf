//! JSON as a stream: reports reach hundreds of megabytes, nearly all of it in per-request arrays. Of these a few numbers a
//! request are kept at most; the rest is skipped byte by byte. What is kept is small, and becomes a document.
//!
//! Invariant: memory is bounded by what is kept, never by what is read. `NaN` and `Infinity`, which JSON does not know but
//! tools write, become strings.

mod fold;
mod pruner;
mod rules;
mod stream;

use super::ParseError;
pub(super) use fold::{folded, unfolded};
use pruner::{Pruner, Stop};
pub(super) use rules::is_skipped;
pub(super) use stream::{Found, documents, documents_inside};

/// What a document may keep. Real reports keep below one megabyte.
const MAX_KEPT: usize = 48 * 1024 * 1024;
/// What a document may keep of single requests beside that: fifty runs of the most requests that are kept of one. Beyond
/// it none are kept, and the document is read all the same.
const MAX_FOLDED: usize = 16 * 1024 * 1024;
/// One read from the source.
const CHUNK: usize = 64 * 1024;

/// A document of a stream.
pub(super) struct Document {
    /// Pruned JSON text.
    pub(super) text: Vec<u8>,
    /// Where it starts in the file, from 1.
    pub(super) first_line: usize,
    /// Lines that were skipped: after which line of the pruned text, and how many.
    gaps: Vec<(usize, usize)>,
}

impl Document {
    /// The document; what is wrong with it is said with its line in the file.
    pub(super) fn value(&self) -> Result<serde_json::Value, ParseError> {
        serde_json::from_slice(&self.text).map_err(|error| {
            let skipped = self.gaps.iter().filter(|(after, _)| *after < error.line()).map(|(_, lines)| lines);
            let line = self.first_line + error.line().saturating_sub(1) + skipped.sum::<usize>();
            // serde_json ends its message with a place in the pruned text, which nobody has.
            let message = error.to_string();
            let reason = message.rsplit_once(" at line ").map_or(message.as_str(), |(reason, _)| reason);
            ParseError::Json { line, reason: reason.to_owned() }
        })
    }
}

/// The first document of some bytes, whatever follows it. `lines` stand before it in the file.
pub(super) fn first(bytes: &[u8], lines: usize) -> Result<serde_json::Value, ParseError> {
    let mut pruner = Pruner::at(lines + 1);
    for piece in bytes.chunks(CHUNK) {
        let fed = pruner.feed(piece);
        match (pruner.done.first(), fed) {
            (Some(document), _) => return document.value(),
            (None, Ok(())) => {}
            (None, Err(Stop::Broken(error))) => return Err(error),
            (None, Err(Stop::Text)) => return Err(pruner.syntax("a character that JSON does not have here")),
        }
    }
    Err(pruner.syntax(CUT_OFF))
}

/// What is said of a document that the file does not end.
const CUT_OFF: &str = "the file ends in the middle of a value; it may be cut off";
