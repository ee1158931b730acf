//! YAML as every parser reads it: a string that some version of YAML could take for something else stands in double
//! quotes, with what cannot be printed escaped.

use std::fmt::Write as _;

/// Words that YAML 1.1 or 1.2 takes for a truth value or for nothing, in lower case.
const WORDS: [&str; 9] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];

/// A string as a YAML scalar on one line. NUL cannot be passed to a program and is dropped.
pub(super) fn string(text: &str) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '\0' => {}
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // Controls, other line breaks, the byte order mark and the two characters that are none.
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}') => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Plain: a flag or a word that starts with a letter or a slash, of characters without a meaning in YAML. Nothing that
/// starts like this is a number; a colon inside a word has no meaning, at its end it has.
fn is_plain(text: &str) -> bool {
    let rest = text.trim_start_matches('-');
    let starts = match text.len() - rest.len() {
        0 => rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/'),
        1 | 2 => rest.starts_with(|c: char| c.is_ascii_alphabetic()),
        _ => false,
    };
    let safe = |c: char| c.is_ascii_alphanumeric() || "-_=./+:".contains(c);
    starts && rest.chars().all(safe) && !rest.ends_with(':') && !WORDS.contains(&text.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_be_read_as_something_else_is_quoted() {
        for word in [
            "yes", "No", "ON", "null", "1e3", "0x10", "1_000", "", "~", "-", "--", "---", "a: b", "a#b", "a:", "--a:",
            "12:30",
        ] {
            assert_eq!(string(word), format!("\"{word}\""));
        }
        for word in ["--max-model-len=32768", "Qwen/Qwen3-14B", "/models/x", "fp8", "nothing", "-m", "a/b:v1"] {
            assert_eq!(string(word), word);
        }
        assert_eq!(string("a\u{85}\u{7f}\u{2028}\"\\\n"), r#""a\u0085\u007f\u2028\"\\\n""#);
    }
}
