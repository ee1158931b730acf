//! The machine that goes through JSON byte by byte: keeps, passes over, folds, or adds up.

use super::super::ParseError;
use super::super::guidellm::Requests;
use super::fold::{Fold, Folding};
use super::rules::{is_counted, skipped};
use super::{Document, MAX_FOLDED, MAX_KEPT};

/// Deeper than any tool nests; serde_json stops at 128 by itself, skipped values are only counted.
const MAX_DEPTH: usize = 512;
/// A value costs some forty bytes however short it is written; a sweep of thousands of points stays below.
const MAX_VALUES: usize = 2_000_000;
/// A bare word or number: no figure has 400 digits.
const MAX_WORD: usize = 400;
/// The first key of a result is short.
pub(super) const MAX_HEAD: usize = 96;

/// In place of a value that is skipped.
const NULL: &[u8] = b"null";

/// Why the machine stops.
pub(super) enum Stop {
    /// The document cannot be read.
    Broken(ParseError),
    /// What stands between documents is none.
    Text,
}

impl From<ParseError> for Stop {
    fn from(error: ParseError) -> Self {
        Self::Broken(error)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    /// Between tokens.
    Plain,
    /// In a string; `escaped` after a backslash.
    String { escaped: bool },
    /// In a bare word or number.
    Word,
}

struct Frame {
    /// The key under which the object or array stands.
    key: Option<String>,
    is_object: bool,
}

/// A list whose items are added up.
struct Counting {
    /// Its requests so far.
    requests: Requests,
    /// How many frames stand around an item.
    depth: usize,
    /// What the list's place was when it began.
    list: Mark,
    /// What the place was when the item began.
    item: Option<Mark>,
}

/// A place in what is kept, to come back to.
#[derive(Clone, Copy)]
struct Mark {
    kept: usize,
    folded: usize,
    values: usize,
    kept_lines: usize,
    gaps: usize,
    line: usize,
}

/// Where the machine is, and what it has kept of the document so far.
pub(super) struct Pruner {
    state: State,
    /// From 1.
    pub(super) line: usize,
    first_line: usize,
    kept: Vec<u8>,
    /// Bytes of `kept` that are folded lists.
    folded: usize,
    /// Values kept of the document.
    values: usize,
    /// Line breaks in `kept`.
    kept_lines: usize,
    gaps: Vec<(usize, usize)>,
    /// The line on which the skipped value starts.
    skipped_from: usize,
    frames: Vec<Frame>,
    /// The key before the next value.
    key: Option<String>,
    /// The string being read, while it may be a key.
    text: Vec<u8>,
    /// Whether the next string of an object is a key.
    expects_key: bool,
    word: Vec<u8>,
    /// The document up to the end of its first key, if that is short.
    head: Option<Vec<u8>>,
    /// Documents that are complete.
    pub(super) done: Vec<Document>,
    /// Depth inside a skipped value (0: a text by itself); none while keeping.
    skipping: Option<usize>,
    /// While skipping: what is kept of the value.
    folding: Option<Folding>,
    counting: Option<Counting>,
}

impl Pruner {
    /// Starts on a line.
    pub(super) fn at(line: usize) -> Self {
        Self {
            state: State::Plain,
            line,
            first_line: line,
            kept: Vec::new(),
            folded: 0,
            values: 0,
            kept_lines: 0,
            gaps: Vec::new(),
            skipped_from: 0,
            frames: Vec::new(),
            key: None,
            text: Vec::new(),
            expects_key: false,
            word: Vec::new(),
            head: None,
            done: Vec::new(),
            skipping: None,
            folding: None,
            counting: None,
        }
    }

    /// Goes on; what is complete then waits in `done`.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        let mut at = 0;
        while at < bytes.len() {
            if self.skipping.is_some() {
                at += self.skip(&bytes[at..]);
            } else if self.state == (State::String { escaped: false }) {
                at += self.keep_text(&bytes[at..]);
                // What ends the piece is looked at byte by byte.
                if let Some(byte) = bytes.get(at) {
                    self.keep(*byte)?;
                    at += 1;
                }
            } else {
                self.keep(bytes[at])?;
                at += 1;
            }
            if self.kept.len() - self.folded > MAX_KEPT {
                return Err(ParseError::TooLarge { line: self.line, limit_mb: MAX_KEPT / (1024 * 1024) }.into());
            }
        }
        Ok(())
    }

    /// Passes over bytes of a skipped value; gives how many.
    fn skip(&mut self, bytes: &[u8]) -> usize {
        if let Some(folding) = &mut self.folding {
            let passed = folding.feed(bytes, &mut self.line);
            if passed.is_end {
                self.end_folded();
            }
            return passed.bytes;
        }
        let mut depth = self.skipping.expect("only called while skipping");
        let mut at = 0;
        while at < bytes.len() {
            if let State::String { escaped } = self.state {
                at += self.skip_string(&bytes[at..], escaped);
                if depth == 0 && self.state == State::Plain {
                    self.end_skipped();
                    return at;
                }
                continue;
            }
            let byte = bytes[at];
            at += 1;
            match byte {
                b'"' => self.state = State::String { escaped: false },
                b'{' | b'[' => depth += 1,
                b'}' | b']' => {
                    depth -= 1;
                    if depth == 0 {
                        self.end_skipped();
                        return at;
                    }
                }
                b'\n' => self.line += 1,
                _ => {}
            }
        }
        self.skipping = Some(depth);
        at
    }

    /// What was folded stands in the value's place.
    fn end_folded(&mut self) {
        let folded = self.folding.take().and_then(Folding::finish);
        if let Some(folded) = folded.filter(|folded| self.folded + folded.len() <= MAX_FOLDED) {
            self.kept.truncate(self.kept.len() - NULL.len());
            self.kept.extend_from_slice(folded.as_bytes());
            self.folded += folded.len();
        }
        self.end_skipped();
    }

    fn end_skipped(&mut self) {
        self.skipping = None;
        self.key = None;
        self.gap_since(self.skipped_from);
    }

    /// Notes that the lines since `line` are in the file but not in what is kept.
    fn gap_since(&mut self, line: usize) {
        if self.line > line {
            self.gaps.push((self.kept_lines + 1, self.line - line));
        }
    }

    /// Inside a string of a skipped value only its end, a backslash and line breaks matter.
    fn skip_string(&mut self, bytes: &[u8], escaped: bool) -> usize {
        if escaped {
            self.state = State::String { escaped: false };
            return 1;
        }
        match memchr::memchr3(b'"', b'\\', b'\n', bytes) {
            None => bytes.len(),
            Some(at) => {
                match bytes[at] {
                    b'"' => self.state = State::Plain,
                    b'\\' => self.state = State::String { escaped: true },
                    _ => self.line += 1,
                }
                at + 1
            }
        }
    }

    /// Keeps the plain part of a string in one piece; gives its length.
    fn keep_text(&mut self, bytes: &[u8]) -> usize {
        let length = memchr::memchr3(b'"', b'\\', b'\n', bytes).unwrap_or(bytes.len());
        self.kept.extend_from_slice(&bytes[..length]);
        if self.expects_key {
            self.text.extend_from_slice(&bytes[..length]);
        }
        length
    }

    fn line_break(&mut self) {
        self.line += 1;
        self.kept_lines += 1;
        self.kept.push(b'\n');
    }

    fn keep(&mut self, byte: u8) -> Result<(), Stop> {
        match self.state {
            State::String { escaped } => {
                if byte == b'\n' {
                    self.line += 1;
                    self.kept_lines += 1;
                }
                self.kept.push(byte);
                if !escaped && byte == b'"' {
                    self.end_string();
                    return Ok(());
                }
                if self.expects_key {
                    self.text.push(byte);
                }
                self.state = State::String { escaped: !escaped && byte == b'\\' };
                Ok(())
            }
            State::Word if is_word(byte) => {
                self.word.push(byte);
                if self.word.len() > MAX_WORD {
                    return Err(self.syntax("a number or bare word is longer than any figure").into());
                }
                Ok(())
            }
            State::Word => {
                self.end_word();
                self.keep_plain(byte)
            }
            State::Plain => self.keep_plain(byte),
        }
    }

    fn keep_plain(&mut self, byte: u8) -> Result<(), Stop> {
        if self.frames.is_empty() {
            // Blanks between documents belong to none of them.
            if byte.is_ascii_whitespace() {
                self.line += usize::from(byte == b'\n');
                return Ok(());
            }
            if !matches!(byte, b'{' | b'[') {
                return Err(Stop::Text);
            }
            self.first_line = self.line;
            self.head = None;
        }
        match byte {
            b'"' if !self.expects_key && self.about(skipped).is_some() => {
                self.start_skipping(0);
                self.state = State::String { escaped: false };
            }
            b'"' => {
                self.kept.push(byte);
                self.text.clear();
                self.state = State::String { escaped: false };
            }
            b'{' | b'[' => self.open(byte)?,
            b'}' | b']' => {
                self.kept.push(byte);
                self.key = None;
                self.frames.pop();
                self.expects_key = false;
                self.end_counted()?;
                self.end_value();
            }
            b',' => {
                self.kept.push(byte);
                self.values += 1;
                if self.values > MAX_VALUES {
                    let what = "the document has more than 2000000 values besides per-request data";
                    return Err(self.syntax(what).into());
                }
                self.expects_key = self.frames.last().is_some_and(|frame| frame.is_object);
            }
            b':' => {
                self.kept.push(byte);
                self.expects_key = false;
            }
            b'\n' => self.line_break(),
            byte if byte.is_ascii_whitespace() => self.kept.push(byte),
            byte if is_word(byte) => {
                self.word.clear();
                self.word.push(byte);
                self.state = State::Word;
            }
            _ => return Err(self.syntax("a character that JSON does not have here").into()),
        }
        Ok(())
    }

    fn open(&mut self, byte: u8) -> Result<(), ParseError> {
        if let Some(fold) = self.about(skipped) {
            self.start_skipping(1);
            self.folding = (fold != Fold::Nothing).then(|| Folding::of(fold, byte));
            return Ok(());
        }
        if self.frames.len() >= MAX_DEPTH {
            return Err(self.syntax("values are nested too deeply"));
        }
        let mark = Mark {
            kept: self.kept.len(),
            folded: self.folded,
            values: self.values,
            kept_lines: self.kept_lines,
            gaps: self.gaps.len(),
            line: self.line,
        };
        let depth = self.frames.len();
        if let Some(counting) = &mut self.counting {
            if counting.depth == depth {
                counting.item = Some(mark);
            }
        } else if byte == b'[' && self.about(|around, key| Some(is_counted(around, key))) == Some(true) {
            let counting = Counting { requests: Requests::default(), depth: depth + 1, list: mark, item: None };
            self.counting = Some(counting);
        }
        self.kept.push(byte);
        self.frames.push(Frame { key: self.key.take(), is_object: byte == b'{' });
        self.expects_key = byte == b'{';
        Ok(())
    }

    /// The value becomes null, so that what is left is still JSON.
    fn start_skipping(&mut self, depth: usize) {
        self.kept.extend_from_slice(NULL);
        self.skipping = Some(depth);
        self.skipped_from = self.line;
        self.state = State::Plain;
    }

    /// After a bracket closed: an item of a counted list is added up and dropped, a counted list becomes its sum.
    fn end_counted(&mut self) -> Result<(), ParseError> {
        let Some(counting) = &mut self.counting else { return Ok(()) };
        if self.frames.len() == counting.depth {
            let Some(mark) = counting.item.take() else { return Ok(()) };
            counting.requests.add(&self.kept[mark.kept..], self.line)?;
            self.go_back(mark);
        } else if self.frames.len() < counting.depth {
            let sum = counting.requests.sum();
            let mark = counting.list;
            self.counting = None;
            self.go_back(mark);
            self.kept.extend_from_slice(sum.to_string().as_bytes());
            self.gap_since(mark.line);
        }
        Ok(())
    }

    fn go_back(&mut self, mark: Mark) {
        self.kept.truncate(mark.kept);
        self.folded = mark.folded;
        self.values = mark.values;
        self.kept_lines = mark.kept_lines;
        self.gaps.truncate(mark.gaps);
    }

    /// What a rule says about the value that starts here.
    fn about<T>(&self, rule: impl Fn(Option<&str>, &str) -> Option<T>) -> Option<T> {
        let key = self.key.as_ref()?;
        // An object in a list belongs to the list's key.
        let around = self.frames.iter().rev().find_map(|frame| frame.key.as_deref());
        rule(around, key)
    }

    fn end_string(&mut self) {
        self.state = State::Plain;
        if !self.expects_key {
            self.key = None;
            return;
        }
        self.key = Some(String::from_utf8_lossy(&self.text).into_owned());
        self.expects_key = false;
        if self.head.is_none() {
            let is_first = self.frames.len() == 1 && self.kept.len() <= MAX_HEAD;
            self.head = Some(if is_first { self.kept.clone() } else { Vec::new() });
        }
    }

    fn end_word(&mut self) {
        self.state = State::Plain;
        let word = std::mem::take(&mut self.word);
        match word.as_slice() {
            b"NaN" | b"Infinity" | b"-Infinity" => {
                self.kept.push(b'"');
                self.kept.extend_from_slice(&word);
                self.kept.push(b'"');
            }
            _ => self.kept.extend_from_slice(&word),
        }
        self.key = None;
    }

    /// Puts a finished document aside.
    fn end_value(&mut self) {
        if !self.frames.is_empty() {
            return;
        }
        let text = std::mem::take(&mut self.kept);
        let gaps = std::mem::take(&mut self.gaps);
        self.kept_lines = 0;
        self.folded = 0;
        self.values = 0;
        self.done.push(Document { text, first_line: self.first_line, gaps });
    }

    /// Whether a document has begun and not ended.
    pub(super) fn is_inside(&self) -> bool {
        !self.frames.is_empty()
    }

    /// Whether the document so far is cut off before `line`, which starts with a brace: where no object can stand, or where
    /// the line starts as the document itself does (JSON lines have the same first key).
    pub(super) fn is_cut_before(&self, line: &[u8]) -> bool {
        let misplaced = self.skipping.is_none()
            && (self.state != State::Plain
                || self.key.is_none() && self.frames.last().is_some_and(|frame| frame.is_object));
        // Without indentation an object in a list starts as the document does.
        let tells = |head: &[u8]| head.starts_with(b"{") && memchr::memmem::find(head, b"\n\"").is_none();
        misplaced || self.head.as_deref().is_some_and(|head| tells(head) && line.starts_with(head))
    }

    pub(super) fn cut(&self) -> ParseError {
        let reason = format!("the document that starts here is cut off; another one starts on line {}", self.line);
        ParseError::Json { line: self.first_line, reason }
    }

    pub(super) fn syntax(&self, what: &str) -> ParseError {
        ParseError::Json { line: self.line, reason: what.to_owned() }
    }
}

/// Bytes of numbers and bare words.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b'_')
}
