//! Secrets in one text, by their shape and by what stands before them.

use std::collections::BTreeSet;

use super::{Kind, address, context, host, path};
use crate::text::shares::{KEY_LINKS, KEY_WORDS};

/// What a text is, where that says more than its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Anything.
    Text,
    /// The version of something: four numbers are no address.
    Version,
    /// A model or a tokenizer.
    Model,
    /// Data of the house.
    Data,
    /// A machine.
    Host,
}

impl Place {
    /// What follows a flag.
    pub fn of_flag(flag: &str) -> Self {
        context::of_name(flag, true)
    }

    /// What a variable or a named parameter holds.
    pub fn of_variable(name: &str) -> Self {
        context::of_name(name, false)
    }
}

/// A secret in a text.
#[derive(Debug)]
pub(super) struct Hit {
    pub from: usize,
    pub to: usize,
    pub kind: Kind,
    /// What makes it the same as another.
    pub secret: String,
    /// What may stay of it, behind its sign.
    pub tail: String,
}

/// What a text gives away.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// In order, none over another.
    pub hits: Vec<Hit>,
    /// Words that are secrets wherever they stand, with the secret whose sign they get where that is another.
    pub words: Vec<(Kind, String, Option<String>)>,
}

impl Seen {
    /// A secret without a tail.
    pub fn hit(&mut self, from: usize, to: usize, kind: Kind, secret: &str) {
        self.hits.push(Hit { from, to, kind, secret: secret.to_owned(), tail: String::new() });
    }

    /// A word that is a secret elsewhere, too.
    pub fn word(&mut self, kind: Kind, word: &str) {
        self.words.push((kind, word.to_owned(), None));
    }
}

/// A place in a text.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub text: &'a str,
    pub at: usize,
    /// What the place is, by what stands before it.
    pub place: Place,
    pub public: &'a BTreeSet<String>,
}

impl<'a> At<'a> {
    /// From here on.
    pub fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The character before.
    pub fn before(&self) -> Option<char> {
        self.text[..self.at].chars().next_back()
    }

    /// How many bytes from here on are of a class.
    pub fn run(&self, class: impl Fn(char) -> bool) -> usize {
        let rest = self.rest();
        rest.find(|c| !class(c)).unwrap_or(rest.len())
    }
}

/// What may be a secret at a place; where to go on, where something was recognised, secret or not.
type Rule = fn(At<'_>, &mut Seen) -> Option<usize>;

/// The first that recognises something decides.
const RULES: [Rule; 9] =
    [sign, key, host::url, address::mail, host::login, address::v6, address::v4, path::path, host::name];

/// Finds what a text gives away.
pub(super) fn scan(text: &str, place: Place, public: &BTreeSet<String>) -> Seen {
    let mut seen = Seen::default();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let of = if at == 0 && place != Place::Text { place } else { context::before(text, at, place) };
        let here = At { text, at, place: of, public };
        let next = RULES.iter().find_map(|rule| rule(here, &mut seen)).filter(|next| *next > at);
        at = next.unwrap_or(at + first.len_utf8());
    }
    seen
}

fn sign(at: At<'_>, _: &mut Seen) -> Option<usize> {
    sign_at(at.text, at.at).map(|(_, _, end)| end)
}

/// Fewer characters are no key that somebody would write into a sentence.
const LEAST_KEY: usize = 8;
/// How far before a key its word is looked for.
const KEY_WITHIN: usize = 40;

/// A key in a sentence: `the password is …`. What has a name and a sign before it was masked already.
fn key(at: At<'_>, seen: &mut Seen) -> Option<usize> {
    let inside = |c: char| c.is_ascii_alphanumeric() || "-_.!@#$%^*+=~".contains(c);
    if at.before().is_some_and(inside) {
        return None;
    }
    let word = at.rest()[..at.run(inside)].trim_end_matches(['.', '!']);
    let drawn = word.len() >= LEAST_KEY
        && word.contains(|c: char| c.is_ascii_digit())
        && word.contains(|c: char| c.is_ascii_alphabetic());
    if !drawn || !follows_word_for_key(&at.text[..at.at]) {
        return None;
    }
    seen.hit(at.at, at.at + word.len(), Kind::Key, word);
    seen.word(Kind::Key, word);
    Some(at.at + word.len())
}

fn follows_word_for_key(before: &str) -> bool {
    const BETWEEN: [char; 9] = [' ', ':', '=', '"', '\'', '`', '\u{ff1a}', '\u{300c}', '('];
    let mut start = before.len().saturating_sub(KEY_WITHIN);
    while !before.is_char_boundary(start) {
        start += 1;
    }
    let before = before[start..].to_ascii_lowercase();
    let mut before = before.trim_end_matches(BETWEEN);
    if let Some(rest) = KEY_LINKS.iter().find_map(|link| before.strip_suffix(link)) {
        before = rest.trim_end_matches(BETWEEN);
    }
    KEY_WORDS.iter().any(|word| before.ends_with(word))
}

/// The sign that begins here, and its end: `[host-1]`.
pub(super) fn sign_at(text: &str, at: usize) -> Option<(Kind, usize, usize)> {
    let inside = text[at..].strip_prefix('[')?;
    let (name, number) = inside.split_once(']')?.0.split_once('-')?;
    let kind = Kind::ALL.into_iter().find(|kind| kind.key() == name)?;
    let end = at + name.len() + number.len() + 3;
    Some((kind, number.parse().ok()?, end))
}
