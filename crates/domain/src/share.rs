//! Share links: what a link opens, and until when. Who holds its secret may read that, and nothing else.
//!
//! Invariant: no secret is in here. A link is known by the SHA-256 of its secret.

use crate::compare::Selection;
use crate::mask::mask_text;

/// A label, in characters: one line of a list.
pub const MAX_LABEL: usize = 100;
/// How long links may live, in days, as forms offer it; none is for ever.
pub const LIVES: [Option<u32>; 4] = [Some(7), Some(30), Some(90), None];
/// Days of a link of which nobody says how long it lives.
pub const LIFE: u32 = 30;
/// One day in milliseconds.
pub const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// What a link opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// The report of the study, as it moves on.
    Study,
    /// A published version.
    Version(u32),
    /// Runs and variants side by side, as they move on.
    Compare(Selection),
}

impl Scope {
    /// As it is kept: `study`, `version:3`, `compare:` and the selection as JSON.
    #[must_use]
    pub fn key(&self) -> String {
        match self {
            Self::Study => "study".to_owned(),
            Self::Version(number) => format!("version:{number}"),
            Self::Compare(selection) => {
                let selection = serde_json::to_string(selection).expect("texts, a number and a switch are JSON");
                format!("compare:{selection}")
            }
        }
    }

    /// Reads what [`Scope::key`] writes.
    #[must_use]
    pub fn read(key: &str) -> Option<Self> {
        if key == "study" {
            return Some(Self::Study);
        }
        match key.split_once(':')? {
            ("version", number) => number.parse().ok().filter(|number| *number > 0).map(Self::Version),
            ("compare", selection) => {
                let asked: Selection = serde_json::from_str(selection).ok()?;
                // As an address would be read: each side once, not too many, a base among them.
                let base = asked.subjects.get(asked.base).cloned()?;
                let all = Selection { all_params: asked.all_params, ..Selection::of(asked.subjects.iter().cloned()) };
                (all.subjects.len() == asked.subjects.len()).then(|| Self::Compare(all.with_base(&base)))
            }
            _ => None,
        }
    }
}

/// Whether a link opens something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It does.
    Open,
    /// Its time is over.
    Expired,
    /// Somebody revoked it.
    Revoked,
}

impl State {
    /// Of a link with these ends, at this time. All are milliseconds since 1970 UTC.
    #[must_use]
    pub fn at(now_ms: i64, expires_at: Option<i64>, revoked_at: Option<i64>) -> Self {
        if revoked_at.is_some() {
            return Self::Revoked;
        }
        if expires_at.is_some_and(|end| end <= now_ms) { Self::Expired } else { Self::Open }
    }
}

/// A label as it is kept: one line, secrets masked.
#[must_use]
pub fn label(text: &str) -> String {
    let line: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()).collect();
    mask_text(&line.join(" ")).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_written_is_read_back() {
        for key in ["study", "version:1", "version:4294967295"] {
            assert_eq!(Scope::read(key).map(|scope| scope.key()).as_deref(), Some(key));
        }
        for key in [
            "",
            "Study",
            "version",
            "version:",
            "version:0",
            "version:-1",
            "version:x",
            "compare:",
            "compare:a=b",
            "other:1",
        ] {
            assert_eq!(Scope::read(key), None, "{key}");
        }
        let sides = ["s:a%3A|b:p", "run:01"].map(|side| side.parse().expect("it is a side"));
        let view = Scope::Compare(Selection { base: 1, all_params: true, ..Selection::of(sides) });
        assert_eq!(Scope::read(&view.key()), Some(view));
    }

    #[test]
    fn a_link_is_open_until_its_last_millisecond_and_never_again_once_revoked() {
        for (now, expires, revoked, state) in [
            (5, None, None, State::Open),
            (5, Some(6), None, State::Open),
            (6, Some(6), None, State::Expired),
            (5, Some(6), Some(1), State::Revoked),
            (9, Some(6), Some(7), State::Revoked),
        ] {
            assert_eq!(State::at(now, expires, revoked), state, "{now} {expires:?} {revoked:?}");
        }
    }

    #[test]
    fn a_label_is_one_line_without_secrets() {
        assert_eq!(label("  for\tA\nB \u{0} "), "for A B");
        assert!(!label("key sk-abcdefghijklmnopqrstuvwxyz0123456789").contains("abcdefgh"));
    }
}
