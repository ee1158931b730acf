//! What is known of a study's secrets, and the pen that takes them out of its texts.

use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::AhoCorasick;

use super::scan::{Hit, Place, scan, sign_at};
use super::{Kind, Taken};
use crate::machine::told;
use crate::mask::{MASK, mask_args, mask_env, mask_text};

/// A shorter word is no name that could be told from others.
const LEAST_WORD: usize = 3;
/// A shorter key is not looked for as a word: it could be anything.
const LEAST_KEY: usize = 8;

/// A secret by what it is: hosts and people in lower case, since both are the same in capitals.
type Secret = (Kind, String);

/// Variables that hold somebody's name.
const PEOPLE: [&str; 7] = ["USER", "LOGNAME", "USERNAME", "SUDO_USER", "SLURM_JOB_USER", "JUPYTERHUB_USER", "NB_USER"];

/// Reads a study's texts, and then writes them.
pub(super) struct Pen {
    /// In the order in which they are written.
    numbers: BTreeMap<Secret, usize>,
    /// The highest number of each kind, signs that were in the texts before included.
    highest: BTreeMap<Kind, usize>,
    /// Secrets that are taken wherever they stand as a word, in lower case.
    words: BTreeMap<String, Secret>,
    /// `qwen3-14b` of `Qwen/Qwen3-14B`, in lower case.
    public: BTreeSet<String>,
    writing: Option<Words>,
    counts: BTreeMap<(Kind, usize), usize>,
}

/// The words, ready to be found.
struct Words {
    all: Vec<Secret>,
    machine: Option<AhoCorasick>,
}

impl Pen {
    /// A pen that reads. `public` are names of models that anybody can have.
    pub fn new(public: BTreeSet<String>) -> Self {
        Self {
            numbers: BTreeMap::new(),
            highest: BTreeMap::new(),
            words: BTreeMap::new(),
            public,
            writing: None,
            counts: BTreeMap::new(),
        }
    }

    /// From now on texts are written.
    pub fn write(&mut self) {
        let machine = (!self.words.is_empty()).then(|| {
            let machine = AhoCorasick::builder().ascii_case_insensitive(true).build(self.words.keys());
            machine.expect("the names in one study make a small machine")
        });
        self.writing = Some(Words { all: self.words.values().cloned().collect(), machine });
    }

    /// Whether texts are written.
    pub fn writes(&self) -> bool {
        self.writing.is_some()
    }

    /// What was taken.
    pub fn taken(&self) -> Vec<Taken> {
        let taken =
            |(&(kind, number), &count): (&(Kind, usize), &usize)| Taken { kind, placeholder: kind.sign(number), count };
        self.counts.iter().map(taken).collect()
    }

    /// A text, which is written in its place.
    pub fn text(&mut self, text: &mut String, place: Place) {
        let redacted = self.redacted(text, place);
        if self.writes() {
            *text = redacted;
        }
    }

    /// An id, as it becomes.
    pub fn id(&mut self, id: &str) -> String {
        self.redacted(id, Place::Text)
    }

    /// A name that stands in addresses and names of files: without brackets.
    pub fn slug(&mut self, slug: &str) -> String {
        let redacted = self.redacted(slug, Place::Text);
        if redacted == slug { redacted } else { redacted.replace(['[', ']'], "").replace(MASK, Kind::Key.key()) }
    }

    /// Arguments, where a flag and its value may be two of them.
    pub fn args(&mut self, args: &mut [String]) {
        let mut masked = args.to_vec();
        let found = mask_args(&mut masked);
        self.keys(found.len());
        let mut pending = Place::Text;
        for (arg, masked) in args.iter_mut().zip(masked) {
            self.learn_keys(arg, &masked);
            let place = std::mem::replace(&mut pending, Place::Text);
            let is_flag = masked.starts_with('-');
            let mut text = masked;
            match text.split_once('=').filter(|_| is_flag) {
                Some((flag, value)) => {
                    let (flag, mut value) = (flag.to_owned(), value.to_owned());
                    self.text(&mut value, Place::of_flag(&flag));
                    text = format!("{flag}={value}");
                }
                None if is_flag => {
                    pending = Place::of_flag(&text);
                    self.text(&mut text, Place::Text);
                }
                None => self.text(&mut text, place),
            }
            if self.writes() {
                *arg = text;
            }
        }
    }

    /// An environment, or other named texts.
    pub fn named(&mut self, env: &mut BTreeMap<String, String>) {
        let mut masked = env.clone();
        let found = mask_env(&mut masked);
        self.keys(found.len());
        let mut written = BTreeMap::new();
        for (name, mut value) in masked {
            if let Some(before) = env.get(&name) {
                self.learn_keys(before, &value);
            }
            let somebody = value.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'));
            if somebody && PEOPLE.contains(&name.as_str()) {
                self.word(Kind::User, &value, &value);
            }
            self.text(&mut value, Place::of_variable(&name));
            let mut name = name;
            self.text(&mut name, Place::Text);
            let name = apart(name, |name| written.contains_key(name));
            written.insert(name, value);
        }
        if self.writes() {
            *env = written;
        }
    }

    fn redacted(&mut self, text: &str, place: Place) -> String {
        let (masked, found) = mask_text(text);
        self.keys(found.len());
        self.learn_keys(text, &masked);
        let seen = scan(&masked, place, &self.public);
        if !self.writes() {
            self.signs(text);
            for (kind, word, of) in seen.words {
                self.word(kind, &word, of.as_deref().unwrap_or(&word));
            }
            return masked;
        }
        let mut out = String::with_capacity(masked.len());
        let mut at = 0;
        for Hit { from, to, kind, secret, tail } in seen.hits {
            self.plain(&masked, at, from, &mut out);
            let number = self.number(kind, &secret);
            self.count(kind, number, 1);
            out.push_str(&kind.sign(number));
            out.push_str(&tail);
            at = to;
        }
        self.plain(&masked, at, masked.len(), &mut out);
        out
    }

    /// Writes what has no shape of a secret: without the words that are known.
    fn plain(&mut self, text: &str, from: usize, to: usize, out: &mut String) {
        let Some(Words { all, machine: Some(machine) }) = &self.writing else {
            return out.push_str(&text[from..to]);
        };
        // Overlapping ones, too: what is no word here must not hide one that is.
        let hits = machine.find_overlapping_iter(&text[from..to]);
        let hits = hits.map(|hit| (from + hit.start(), from + hit.end(), &all[hit.pattern().as_usize()]));
        let mut found: Vec<(usize, usize, Secret)> = hits
            .filter(|(start, end, (kind, _))| {
                is_word(text, *start, *end) && !in_sign(text, *start) && (*kind == Kind::Key || !in_flag(text, *start))
            })
            .map(|(start, end, secret)| (start, end, secret.clone()))
            .collect();
        found.sort_by_key(|(start, end, _)| (*start, std::cmp::Reverse(*end)));
        let mut at = from;
        for (start, end, (kind, secret)) in found {
            if start < at {
                continue;
            }
            let number = self.number(kind, &secret);
            self.count(kind, number, 1);
            out.push_str(&text[at..start]);
            out.push_str(&kind.sign(number));
            if kind == Kind::Model {
                out.push_str(&told(&text[start..end]));
            }
            at = end;
        }
        out.push_str(&text[at..to]);
    }

    fn number(&mut self, kind: Kind, secret: &str) -> usize {
        if kind == Kind::Key {
            return 0;
        }
        let secret = match kind {
            Kind::Host | Kind::Ip | Kind::User | Kind::Mail | Kind::Model => secret.to_ascii_lowercase(),
            Kind::Path | Kind::Key => secret.to_owned(),
        };
        let highest = self.highest.entry(kind).or_default();
        *self.numbers.entry((kind, secret)).or_insert_with(|| {
            *highest += 1;
            *highest
        })
    }

    /// Keeps a word for another secret's sign; the first that a word is known for stays.
    fn word(&mut self, kind: Kind, word: &str, of: &str) {
        let word = word.to_ascii_lowercase();
        let least = if kind == Kind::Key { LEAST_KEY } else { LEAST_WORD };
        if word.len() >= least && !self.public.contains(&word) {
            self.words.entry(word).or_insert_with(|| (kind, of.to_owned()));
        }
    }

    /// Notes signs that a text has already: they are nobody else's.
    fn signs(&mut self, text: &str) {
        for (at, _) in text.match_indices('[') {
            if let Some((kind, number, _)) = sign_at(text, at) {
                let highest = self.highest.entry(kind).or_default();
                *highest = number.max(*highest);
            }
        }
    }

    fn keys(&mut self, count: usize) {
        if self.writes() && count > 0 {
            self.count(Kind::Key, 0, count);
        }
    }

    fn count(&mut self, kind: Kind, number: usize, count: usize) {
        *self.counts.entry((kind, number)).or_default() += count;
    }

    /// The keys themselves, from a text and what masking left of it: they may stand alone elsewhere.
    fn learn_keys(&mut self, text: &str, masked: &str) {
        if self.writes() || text == masked || text.contains(MASK) {
            return;
        }
        let mut rest = text;
        let mut pieces = masked.split(MASK).peekable();
        if let Some(head) = pieces.next() {
            rest = rest.strip_prefix(head).unwrap_or(rest);
        }
        while let Some(piece) = pieces.next() {
            let end = match pieces.peek() {
                None => rest.len().saturating_sub(piece.len()),
                Some(_) if piece.is_empty() => 0,
                Some(_) => rest.find(piece).unwrap_or(0),
            };
            let Some((key, after)) = rest.split_at_checked(end) else { return };
            let key = key.trim();
            if !key.contains(char::is_whitespace) {
                self.word(Kind::Key, key, key);
            }
            rest = after.strip_prefix(piece).unwrap_or(after);
        }
    }
}

/// A name that is not there yet: two of them never become one.
pub(super) fn apart(name: String, is_there: impl Fn(&str) -> bool) -> String {
    let mut unique = name.clone();
    let mut number = 2;
    while is_there(&unique) {
        unique = format!("{name}-{number}");
        number += 1;
    }
    unique
}

/// Whether neither side goes on as a word of letters and digits. Japanese beside it does not matter.
fn is_word(text: &str, from: usize, to: usize) -> bool {
    let before = text[..from].chars().next_back();
    let after = text[to..].chars().next();
    !before.is_some_and(|c| c.is_ascii_alphanumeric()) && !after.is_some_and(|c| c.is_ascii_alphanumeric())
}

/// Whether a word stands in a flag's name, such as `max` in `--max-num-seqs`.
fn in_flag(text: &str, at: usize) -> bool {
    let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let start = text[..at]
        .rfind(|c| !name(c))
        .map_or(0, |before| before + text[before..].chars().next().map_or(1, char::len_utf8));
    text[start..].starts_with("--")
}

/// Whether a word stands in a sign.
fn in_sign(text: &str, at: usize) -> bool {
    let open = text[..at].rfind('[');
    open.and_then(|open| sign_at(text, open)).is_some_and(|(_, _, end)| at < end)
}
