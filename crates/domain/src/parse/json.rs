//! JSON results: documents, JSON lines and appended objects. Each document is given to the first reader that knows it.

use std::cell::RefCell;
use std::io::Read;

use super::node::{Doubts, Node};
use super::{ParseError, Parsed, prune};
use crate::run::Measurement;

/// A reader of one tool's documents.
struct Reader {
    /// Whether the document is this tool's, by the keys that only it has.
    knows: fn(&Node<'_>) -> bool,
    /// Its results, in order.
    read: fn(&Node<'_>) -> Result<Vec<Measurement>, ParseError>,
}

/// In the order in which they are asked: the first that knows a document reads it.
const READERS: [Reader; 0] = [];

/// Reads all documents of a stream. `lines` stand before `start`.
pub(super) fn parse(start: &[u8], lines: usize, source: &mut dyn Read) -> Result<Parsed, ParseError> {
    let doubts: Doubts = RefCell::default();
    let mut runs = Vec::new();
    prune::documents(start, source, |document| {
        let value = document.value()?;
        let root = Node::root(&value, document.first_line + lines, &doubts);
        let Some(reader) = READERS.iter().find(|reader| (reader.knows)(&root)) else {
            let keys: Vec<&str> = root.entries().take(6).map(|(key, _)| key).collect();
            let keys = if keys.is_empty() { "(none)".to_owned() } else { keys.join(", ") };
            return Err(ParseError::UnknownDocument { line: document.first_line + lines, keys });
        };
        runs.extend((reader.read)(&root)?);
        Ok(())
    })?;
    if runs.is_empty() {
        return Err(ParseError::NoResult);
    }
    Ok(Parsed { runs, warnings: doubts.into_inner() })
}
