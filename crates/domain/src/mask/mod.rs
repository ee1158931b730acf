//! Secrets out of raw outputs, arguments and environments, before anything is stored or logged.
//!
//! Invariants: what is not a secret stays byte for byte; line numbers stay; valid JSON stays valid JSON; masking twice
//! is masking once. Memory is bounded by a window, time is linear in the input: every anchor is judged by a bounded look
//! around it, and a secret is passed over byte by byte however long it is.
//!
//! A secret is known by its own shape ([`prefixed`]: `sk-…`, a JWT, a PEM key, a password in a URL) or by the name
//! before it ([`keyed`]: `api_key`, `--hf-token`, `Authorization`, `Cookie`, `HF_TOKEN=`), or by the option of a command
//! that takes user and password ([`curl`]).

mod curl;
mod keyed;
mod names;
mod prefixed;
mod stream;
mod utf16;

use std::collections::BTreeMap;

pub use stream::{Masker, MaskingReader};

/// What stands in a secret's place. Its length says nothing about the secret's.
pub const MASK: &str = "***";

/// A secret that was masked: never the secret itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Found {
    /// From 1.
    pub line: usize,
    /// What it was, in a few words: "bearer token".
    pub what: &'static str,
}

/// Bytes without their secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Masked {
    /// What may be kept.
    pub bytes: Vec<u8>,
    /// What was masked, in order. Beyond [`MAX_FOUND`] nothing is listed, but all is masked.
    pub found: Vec<Found>,
}

/// A list of places is for people; a file full of secrets must not fill the memory with places.
pub const MAX_FOUND: usize = 1000;

/// Masks a whole raw output.
pub fn mask(bytes: &[u8]) -> Masked {
    let mut masker = Masker::new();
    let mut masked = Vec::with_capacity(bytes.len());
    masker.push(bytes, &mut masked);
    masker.finish(&mut masked);
    Masked { bytes: masked, found: masker.into_found() }
}

/// Masks a text: an argument, a command, a description. None of its secrets are left, all of its lines are.
pub fn mask_text(text: &str) -> (String, Vec<Found>) {
    let Masked { bytes, found } = mask(text.as_bytes());
    let text =
        String::from_utf8(bytes).expect("a mask is ASCII and begins and ends beside ASCII, never inside a character");
    (text, found)
}

/// Masks a list of arguments, where a flag and its value may be two of them. Gives what was masked; the line is the
/// place in the list, from 1.
pub fn mask_args(args: &mut [String]) -> Vec<Found> {
    let mut found = Vec::new();
    let mut pending = None;
    for (at, arg) in args.iter_mut().enumerate() {
        let line = at + 1;
        if let Some(what) = pending.take()
            && !arg.starts_with("--")
        {
            if !keyed::is_placeholder(arg.as_bytes()) {
                MASK.clone_into(arg);
                found.push(Found { line, what });
            }
            continue;
        }
        let (masked, secrets) = mask_text(arg);
        if !secrets.is_empty() {
            *arg = masked;
        }
        found.extend(secrets.into_iter().map(|secret| Found { line, ..secret }));
        pending = names::flag(arg.as_bytes());
    }
    found
}

/// Masks the values of an environment, by their names and by what they are. Gives what was masked; the line is the
/// place in the environment's order, from 1.
pub fn mask_env(env: &mut BTreeMap<String, String>) -> Vec<Found> {
    let mut found = Vec::new();
    for (at, (name, value)) in env.iter_mut().enumerate() {
        let line = at + 1;
        if let Some(what) = names::variable(name.as_bytes())
            && !keyed::is_placeholder(value.as_bytes())
        {
            MASK.clone_into(value);
            found.push(Found { line, what });
            continue;
        }
        let (masked, secrets) = mask_text(value);
        if !secrets.is_empty() {
            *value = masked;
        }
        found.extend(secrets.into_iter().map(|secret| Found { line, ..secret }));
    }
    found
}
