//! The machine: finds anchors in a window, has them judged, and passes over secrets.

use std::io::{self, Read};
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind};

use super::utf16::Utf16;
use super::{Found, MASK, MAX_FOUND, keyed, names, prefixed};

/// What a judge may look at behind an anchor.
const AHEAD: usize = 1024;
/// What a judge may look at before an anchor.
const BEHIND: usize = 256;
/// No anchor is longer.
const MAX_ANCHOR: usize = 16;
/// A secret over several lines that does not end is none: beyond this the rest is text again.
const MAX_OPEN: usize = 64 * 1024;
/// One read from a source.
const CHUNK: usize = 64 * 1024;

/// What a judge says of an anchor.
pub(super) enum Verdict {
    /// It is nothing; the search goes on there.
    No { resume: usize },
    /// It announces a secret.
    Yes(Secret),
}

/// A secret's place.
pub(super) struct Secret {
    /// Where its bytes begin.
    pub from: usize,
    /// What is written in their place.
    pub write: Vec<u8>,
    /// Where they end.
    pub until: Until,
    /// In a few words.
    pub what: &'static str,
}

/// Where a secret ends.
#[derive(Clone, Copy)]
pub(super) enum Until {
    /// At the first byte of another class.
    While(fn(u8) -> bool),
    /// After so many bytes.
    Count(usize),
    /// At white space or punctuation that ends a bare value. A comma does: figures may follow in a table.
    Bare,
    /// At the end of the line.
    Line,
    /// At the mark with as many backslashes as at the beginning; a line break ends it, too.
    Quote { mark: u8, slashes: usize, run: usize },
    /// At `&quot;`.
    Entity,
    /// At the closing bracket of a list.
    Bracket { passed: usize },
    /// At the first line that is not indented deeper. `column` counts the blanks of a line until its text begins.
    Deeper { indent: usize, column: Option<usize>, passed: usize },
    /// At the five dashes before END.
    Pem { passed: usize, dashes: usize },
}

impl Until {
    /// Whether a byte belongs to a bare value.
    pub fn is_bare(byte: u8) -> bool {
        let ends = b"\"'`,;&|<>)]}\\";
        !byte.is_ascii_whitespace() && !ends.contains(&byte)
    }
}

/// Masks a stream, piece by piece: the same bytes come out however it is cut.
pub struct Masker {
    /// The last bytes that went out, then those that did not yet.
    window: Vec<u8>,
    /// The first byte that did not go out.
    start: usize,
    /// Where the search goes on.
    search: usize,
    /// The line of `start`, from 1.
    line: usize,
    open: Option<Until>,
    found: Vec<Found>,
    /// Whether the first bytes have been seen; until then they wait here.
    head: Option<Vec<u8>>,
    utf16: Option<Utf16>,
}

impl Default for Masker {
    fn default() -> Self {
        Self::new()
    }
}

impl Masker {
    /// A masker at the beginning of a raw output.
    pub fn new() -> Self {
        Self {
            window: Vec::new(),
            start: 0,
            search: 0,
            line: 1,
            open: None,
            found: Vec::new(),
            head: Some(Vec::new()),
            utf16: None,
        }
    }

    /// Takes more of the input and appends to `out` what may be kept of it. Some bytes wait for those that follow.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let Some(head) = &mut self.head else {
            return self.feed(bytes, out);
        };
        head.extend_from_slice(bytes);
        if head.len() >= 2 {
            let head = self.head.take().unwrap_or_default();
            self.utf16 = Utf16::of(&head);
            self.feed(&head, out);
        }
    }

    /// Ends the input.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        if let Some(head) = self.head.take() {
            self.feed(&head, out);
        }
        let Some(mut utf16) = self.utf16.take() else {
            return self.advance(true, out);
        };
        let mut narrow = Vec::new();
        self.advance(true, &mut narrow);
        utf16.widen(&narrow, out);
        utf16.rest(out);
    }

    /// What was masked so far, in order.
    pub fn found(&self) -> &[Found] {
        &self.found
    }

    /// What was masked, in order.
    pub fn into_found(self) -> Vec<Found> {
        self.found
    }

    fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let Some(mut utf16) = self.utf16.take() else {
            // In pieces, so that the window stays small whatever is pushed.
            for piece in bytes.chunks(CHUNK) {
                self.window.extend_from_slice(piece);
                self.advance(false, out);
            }
            return;
        };
        for piece in bytes.chunks(CHUNK) {
            utf16.narrow(piece, &mut self.window);
            let mut narrow = Vec::new();
            self.advance(false, &mut narrow);
            utf16.widen(&narrow, out);
        }
        self.utf16 = Some(utf16);
    }

    fn advance(&mut self, last: bool, out: &mut Vec<u8>) {
        loop {
            if let Some(until) = self.open.take() {
                let (passed, rest) = until.pass(&self.window[self.start..], out);
                self.line += lines(&self.window[self.start..self.start + passed]);
                self.start += passed;
                self.search = self.start;
                self.open = rest;
                if self.open.is_some() {
                    break;
                }
            }
            let end = self.window.len();
            let Some(hit) = anchors().find(Input::new(&self.window).span(self.search..end)) else {
                let safe = if last { end } else { end.saturating_sub(MAX_ANCHOR).max(self.search) };
                self.emit(safe, out);
                self.search = safe;
                break;
            };
            if !last && end - hit.start() < AHEAD {
                self.emit(hit.start().max(self.start), out);
                self.search = hit.start();
                break;
            }
            let by_name = hit.pattern().as_usize() < names::ANCHORS.len();
            let judge = if by_name { keyed::judge } else { prefixed::judge };
            match judge(&self.window, hit.start(), hit.end()) {
                Verdict::No { resume } => self.search = resume.max(hit.end()),
                Verdict::Yes(Secret { from, write, until, what }) => {
                    self.emit(from, out);
                    out.extend_from_slice(&write);
                    if self.found.len() < MAX_FOUND {
                        self.found.push(Found { line: self.line, what });
                    }
                    self.search = from;
                    self.open = Some(until);
                }
            }
        }
        let behind = self.start.min(self.search).saturating_sub(BEHIND);
        self.window.drain(..behind);
        self.start -= behind;
        self.search -= behind;
    }

    fn emit(&mut self, to: usize, out: &mut Vec<u8>) {
        let bytes = &self.window[self.start..to];
        out.extend_from_slice(bytes);
        self.line += lines(bytes);
        self.start = to;
    }
}

impl Until {
    /// Passes over a secret's bytes: how many, and what is left to pass over when they do not end here. Line breaks stay.
    fn pass(self, bytes: &[u8], out: &mut Vec<u8>) -> (usize, Option<Self>) {
        let class = |inside: &dyn Fn(u8) -> bool| match bytes.iter().position(|byte| !inside(*byte)) {
            Some(end) => (end, None),
            None => (bytes.len(), Some(self)),
        };
        match self {
            Self::While(inside) => class(&inside),
            Self::Bare => class(&Self::is_bare),
            Self::Line => class(&|byte| !matches!(byte, b'\n' | b'\r')),
            Self::Entity => class(&|byte| !matches!(byte, b'&' | b'\n' | b'\r')),
            Self::Count(count) if count <= bytes.len() => (count, None),
            Self::Count(count) => (bytes.len(), Some(Self::Count(count - bytes.len()))),
            Self::Quote { mark, slashes, mut run } => {
                for (at, byte) in bytes.iter().enumerate() {
                    match *byte {
                        b'\n' | b'\r' => return (at, None),
                        b'\\' => run += 1,
                        // Each string around doubles the backslashes before a mark of its own, and adds one.
                        byte if byte == mark && (run < slashes || run % (2 * (slashes + 1)) == slashes) => {
                            out.extend(std::iter::repeat_n(b'\\', run.min(slashes)));
                            return (at, None);
                        }
                        _ => run = 0,
                    }
                }
                (bytes.len(), Some(Self::Quote { mark, slashes, run }))
            }
            Self::Bracket { passed } => {
                for (at, byte) in bytes.iter().enumerate() {
                    match *byte {
                        b']' | b')' => return (at, None),
                        b'\n' => out.push(b'\n'),
                        _ => {}
                    }
                    // Never inside a character.
                    if passed + at > MAX_OPEN && byte.is_ascii() {
                        return (at + 1, None);
                    }
                }
                (bytes.len(), Some(Self::Bracket { passed: passed + bytes.len() }))
            }
            Self::Deeper { indent, mut column, passed } => {
                for (at, byte) in bytes.iter().enumerate() {
                    match (*byte, column) {
                        (b'\n', _) => {
                            out.push(b'\n');
                            column = Some(0);
                        }
                        (b'\r', _) => {}
                        (b' ', Some(blanks)) => {
                            out.push(b' ');
                            column = Some(blanks + 1);
                        }
                        (_, Some(blanks)) if blanks <= indent || passed + at > MAX_OPEN => return (at, None),
                        (_, Some(_)) => {
                            out.extend_from_slice(MASK.as_bytes());
                            column = None;
                        }
                        (_, None) => {}
                    }
                }
                (bytes.len(), Some(Self::Deeper { indent, column, passed: passed + bytes.len() }))
            }
            Self::Pem { passed, mut dashes } => {
                for (at, byte) in bytes.iter().enumerate() {
                    match *byte {
                        b'-' if dashes == 4 => {
                            out.extend_from_slice(b"-----");
                            return (at + 1, None);
                        }
                        b'-' => dashes += 1,
                        b'\n' => {
                            out.push(b'\n');
                            dashes = 0;
                        }
                        byte if byte.is_ascii_alphanumeric() || byte.is_ascii_whitespace() => dashes = 0,
                        b'+' | b'/' | b'=' | b'\\' | b':' | b',' | b'.' => dashes = 0,
                        _ => return (at, None),
                    }
                    if passed + at > MAX_OPEN {
                        return (at + 1, None);
                    }
                }
                (bytes.len(), Some(Self::Pem { passed: passed + bytes.len(), dashes }))
            }
        }
    }
}

/// A source without its secrets, for what reads a stream.
pub struct MaskingReader<R> {
    source: R,
    masker: Masker,
    chunk: Vec<u8>,
    ready: Vec<u8>,
    given: usize,
    ended: bool,
}

impl<R: Read> MaskingReader<R> {
    /// Masks what `source` gives.
    pub fn new(source: R) -> Self {
        Self { source, masker: Masker::new(), chunk: vec![0; CHUNK], ready: Vec::new(), given: 0, ended: false }
    }

    /// What was masked, once all has been read.
    pub fn into_found(self) -> Vec<Found> {
        self.masker.into_found()
    }

    /// The source, and what was masked so far.
    pub fn into_parts(self) -> (R, Vec<Found>) {
        (self.source, self.masker.into_found())
    }
}

impl<R: Read> Read for MaskingReader<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        while self.given == self.ready.len() && !self.ended {
            self.ready.clear();
            self.given = 0;
            let read = self.source.read(&mut self.chunk)?;
            if read == 0 {
                self.masker.finish(&mut self.ready);
                self.ended = true;
            } else {
                self.masker.push(&self.chunk[..read], &mut self.ready);
            }
        }
        let count = to.len().min(self.ready.len() - self.given);
        to[..count].copy_from_slice(&self.ready[self.given..self.given + count]);
        self.given += count;
        Ok(count)
    }
}

fn lines(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', bytes).count()
}

fn anchors() -> &'static AhoCorasick {
    static ANCHORS: OnceLock<AhoCorasick> = OnceLock::new();
    ANCHORS.get_or_init(|| {
        AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::LeftmostLongest)
            .kind(Some(AhoCorasickKind::DFA))
            .build(names::ANCHORS.into_iter().chain(prefixed::anchors()))
            .expect("some fifty short words make a small machine")
    })
}
