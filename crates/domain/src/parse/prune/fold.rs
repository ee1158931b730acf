//! Per-request lists, folded into a few numbers a request while they stream by.
//!
//! Invariant: whatever stands in a list, folding only ever gives up. It never keeps a document from being read, and ends
//! where skipping would. What is kept is bounded by the number of requests that a run may keep.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde_json::Value;

use super::pruner::is_word;
use crate::requests::MAX_REQUESTS;

/// What is kept of a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Fold {
    /// Nothing.
    Nothing,
    /// A list of numbers: each of them.
    Numbers,
    /// A list of lists of numbers: the sum of each.
    Sums,
    /// A list of texts: 1 where there is one, 0 where it is empty or null.
    Flags,
    /// A list of objects: the numbers under these keys.
    Items {
        /// The key of the list, where the value is an object of several lists.
        list: Option<&'static str>,
        /// Keys of an object.
        keys: [&'static str; ITEM],
    },
}

/// Numbers kept of an object.
const ITEM: usize = 4;
/// A longer key is none that is looked for.
const MAX_KEY: usize = 32;
/// A longer word is no number of a request.
const MAX_NUMBER: usize = 64;
/// Under this key a folded list stands in a document.
const FOLDED: &str = "folded";

/// How far a piece was read.
pub(super) struct Passed {
    pub(super) bytes: usize,
    /// Whether the value ended.
    pub(super) is_end: bool,
}

/// A list that is being folded.
pub(super) struct Folding {
    fold: Fold,
    /// NaN for null.
    values: Vec<f64>,
    /// Brackets that are open, that of the value itself included.
    depth: usize,
    /// In a string; `Some(true)` after a backslash.
    string: Option<bool>,
    /// Whether the string has characters.
    has_text: bool,
    /// Whether the string may be a key that is looked for, and is therefore gathered in `text`.
    is_key: bool,
    text: Vec<u8>,
    /// Whether keys stand here that are looked for.
    has_keys: bool,
    /// Whether words are read here.
    reads: bool,
    word: Vec<u8>,
    sum: f64,
    item: [f64; ITEM],
    /// Which number of the item the next value is.
    wanted: Option<usize>,
    /// How deep the items' list lies; 0 while outside of it.
    list: usize,
}

impl Folding {
    /// Starts after the bracket that opened the value.
    pub(super) fn of(fold: Fold, bracket: u8) -> Self {
        let is_object = bracket == b'{';
        let fits = is_object == matches!(fold, Fold::Items { list: Some(_), .. });
        Self {
            fold: if fits { fold } else { Fold::Nothing },
            values: Vec::new(),
            depth: 1,
            string: None,
            has_text: false,
            is_key: is_object && fits,
            text: Vec::new(),
            has_keys: is_object && fits,
            reads: matches!(fold, Fold::Numbers | Fold::Sums | Fold::Flags) && fits,
            word: Vec::new(),
            sum: 0.0,
            item: [f64::NAN; ITEM],
            wanted: None,
            list: usize::from(fits && !is_object),
        }
    }

    /// Goes on; counts line breaks.
    pub(super) fn feed(&mut self, bytes: &[u8], line: &mut usize) -> Passed {
        let mut at = 0;
        while at < bytes.len() {
            if self.string.is_some() {
                at += self.in_string(&bytes[at..], line);
                continue;
            }
            let byte = bytes[at];
            if self.reads {
                if is_word(byte) {
                    at += self.in_word(&bytes[at..]);
                    continue;
                }
                if !self.word.is_empty() {
                    self.end_word();
                }
            }
            at += 1;
            match byte {
                b'"' => self.string = Some(false),
                b'{' | b'[' => self.open(byte),
                b'}' | b']' => {
                    self.close();
                    if self.depth == 0 {
                        return Passed { bytes: at, is_end: true };
                    }
                }
                b',' if self.has_keys => self.expect_key(),
                b':' if self.has_keys => {
                    self.is_key = false;
                    self.reads = self.wanted.is_some();
                }
                b'\n' => *line += 1,
                _ => {}
            }
        }
        Passed { bytes: at, is_end: false }
    }

    /// What stands in the value's place afterwards, if anything was kept.
    pub(super) fn finish(self) -> Option<String> {
        let kept = self.fold != Fold::Nothing && !self.values.is_empty();
        kept.then(|| folded(&self.values).to_string())
    }

    /// Only keys of an item, or of the object around its list, tell anything.
    fn at_item(&self) -> bool {
        match self.fold {
            Fold::Items { list: None, .. } => self.depth == 2,
            Fold::Items { list: Some(_), .. } => self.depth == 1 || (self.list == 2 && self.depth == 3),
            Fold::Nothing | Fold::Numbers | Fold::Sums | Fold::Flags => false,
        }
    }

    fn give_up(&mut self) {
        self.fold = Fold::Nothing;
        self.reads = false;
        self.is_key = false;
        self.has_keys = false;
        self.values = Vec::new();
        self.word = Vec::new();
    }

    fn expect_key(&mut self) {
        self.is_key = true;
        self.text.clear();
        self.wanted = None;
        self.reads = false;
    }

    fn keep(&mut self, numbers: &[f64]) {
        if self.values.len() >= MAX_REQUESTS * numbers.len() {
            self.give_up();
        } else {
            self.values.extend_from_slice(numbers);
        }
    }

    fn open(&mut self, byte: u8) {
        let is_list = byte == b'[';
        match self.fold {
            Fold::Nothing => {}
            Fold::Sums if self.depth == 1 && is_list => self.sum = 0.0,
            Fold::Numbers | Fold::Sums | Fold::Flags => self.give_up(),
            Fold::Items { list, .. } => {
                let starts_list = is_list && list.is_some() && self.depth == 1 && self.wanted.is_some();
                let in_list = self.list > 0 && self.depth == self.list;
                if starts_list {
                    self.list = 2;
                } else if in_list && !is_list {
                    self.item = [f64::NAN; ITEM];
                    self.expect_key();
                } else if in_list || (self.at_item() && self.wanted.is_some()) {
                    self.give_up();
                }
            }
        }
        self.depth += 1;
        self.has_keys = self.at_item();
        // What is nested in an item is passed over.
        if matches!(self.fold, Fold::Items { .. }) && !self.has_keys {
            self.is_key = false;
            self.reads = self.list > 0 && self.depth == self.list;
        }
    }

    fn close(&mut self) {
        let left = self.depth;
        self.depth -= 1;
        match self.fold {
            Fold::Sums if left == 2 => self.keep(&[self.sum]),
            Fold::Items { list, .. } => {
                if self.list > 0 && left == self.list + 1 {
                    let item = self.item;
                    self.keep(&item);
                    self.reads = true;
                } else if list.is_some() && left == 2 {
                    self.list = 0;
                }
                self.has_keys = self.at_item();
                if self.has_keys {
                    // Until the next comma.
                    self.is_key = false;
                    self.wanted = None;
                    self.reads = false;
                }
            }
            Fold::Nothing | Fold::Numbers | Fold::Sums | Fold::Flags => {}
        }
    }

    fn in_string(&mut self, bytes: &[u8], line: &mut usize) -> usize {
        if self.string == Some(true) {
            self.string = Some(false);
            return 1;
        }
        let end = memchr::memchr3(b'"', b'\\', b'\n', bytes);
        let text = &bytes[..end.unwrap_or(bytes.len())];
        if self.is_key && self.text.len() <= MAX_KEY {
            self.text.extend_from_slice(&text[..text.len().min(MAX_KEY + 1)]);
        }
        self.has_text |= !text.is_empty();
        let Some(end) = end else { return bytes.len() };
        match bytes[end] {
            b'"' => {
                self.string = None;
                self.end_string();
                self.has_text = false;
            }
            byte => {
                self.has_text = true;
                // No key that is looked for has either.
                if self.is_key && self.text.len() <= MAX_KEY {
                    self.text.push(byte);
                }
                match byte {
                    b'\\' => self.string = Some(true),
                    _ => *line += 1,
                }
            }
        }
        end + 1
    }

    fn end_string(&mut self) {
        match self.fold {
            Fold::Nothing => {}
            Fold::Flags => self.keep(&[f64::from(u8::from(self.has_text))]),
            Fold::Numbers | Fold::Sums => self.give_up(),
            Fold::Items { list, keys } => {
                if self.is_key {
                    self.wanted = match list {
                        Some(list) if self.depth == 1 => (list.as_bytes() == self.text).then_some(0),
                        Some(_) | None => keys.iter().position(|key| key.as_bytes() == self.text),
                    };
                    self.text.clear();
                } else if self.reads {
                    // A text where a number or an object should stand.
                    self.give_up();
                }
            }
        }
    }

    fn in_word(&mut self, bytes: &[u8]) -> usize {
        let length = bytes.iter().position(|byte| !is_word(*byte)).unwrap_or(bytes.len());
        if self.word.len() + length > MAX_NUMBER {
            self.give_up();
        } else if length < bytes.len() && self.word.is_empty() {
            self.number(&bytes[..length]);
        } else {
            self.word.extend_from_slice(&bytes[..length]);
        }
        length
    }

    fn end_word(&mut self) {
        let word = std::mem::take(&mut self.word);
        self.number(&word);
    }

    fn number(&mut self, word: &[u8]) {
        let number = match word {
            b"null" | b"NaN" => Some(f64::NAN),
            word => std::str::from_utf8(word).ok().and_then(|text| text.parse().ok()),
        };
        let Some(number) = number else { return self.give_up() };
        match self.fold {
            Fold::Nothing => {}
            Fold::Numbers => self.keep(&[number]),
            Fold::Sums if self.depth == 2 => self.sum += number,
            // Nothing was measured of this request.
            Fold::Sums if number.is_nan() => self.keep(&[number]),
            Fold::Flags if number.is_nan() => self.keep(&[0.0]),
            Fold::Sums | Fold::Flags => self.give_up(),
            Fold::Items { .. } => match self.wanted {
                Some(wanted) if self.at_item() => self.item[wanted] = number,
                // Among the objects of the list, or in place of it; `null` is a list of nothing.
                Some(_) | None if self.at_item() && number.is_nan() => {}
                Some(_) | None => self.give_up(),
            },
        }
    }
}

/// Numbers as they stand in a document: base64 of doubles, little end first.
pub(in crate::parse) fn folded(numbers: &[f64]) -> Value {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    Value::Object([(FOLDED.to_owned(), Value::String(STANDARD_NO_PAD.encode(bytes)))].into_iter().collect())
}

/// The numbers of a list that was folded.
pub(in crate::parse) fn unfolded(value: &Value) -> Option<Vec<f64>> {
    let bytes = STANDARD_NO_PAD.decode(value.get(FOLDED)?.as_str()?).ok()?;
    let (numbers, rest) = bytes.as_chunks::<8>();
    rest.is_empty().then(|| numbers.iter().map(|number| f64::from_le_bytes(*number)).collect())
}
