//! Lines: Latin by words, Japanese by characters, with what must not start or end a line (kinsoku). What does not fit is
//! set smaller, and cut with an ellipsis only at the smallest size.

use super::fonts::{Glyphs, Role};

/// Closing marks and punctuation: never at the start of a line.
const NOT_FIRST: &str = "、。，．,.・：；:;?!？！々」』】〕〉》）)］]｝}〙〗”’…‥％%";
/// Opening marks: never at its end.
const NOT_LAST: &str = "「『【〔〈《（(［[｛{〘〖“‘";

/// Whether lines may break beside it: kana, Han and the full-width forms.
fn wide(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}'
        | '\u{20000}'..='\u{3fffd}')
}

/// Small kana, iteration and sound marks, and the wave dash: never at the start of a line either.
fn small(c: char) -> bool {
    matches!(c, '\u{3041}' | '\u{3043}' | '\u{3045}' | '\u{3047}' | '\u{3049}' | '\u{3063}' | '\u{3083}' | '\u{3085}'
        | '\u{3087}' | '\u{308e}' | '\u{3095}' | '\u{3096}' | '\u{309b}'..='\u{309e}' | '\u{30a1}' | '\u{30a3}'
        | '\u{30a5}' | '\u{30a7}' | '\u{30a9}' | '\u{30c3}' | '\u{30e3}' | '\u{30e5}' | '\u{30e7}' | '\u{30ee}'
        | '\u{30f5}' | '\u{30f6}' | '\u{30fc}'..='\u{30fe}' | '\u{31f0}'..='\u{31ff}' | '\u{301c}' | '\u{ff5e}')
}

fn may_break(before: char, after: char) -> bool {
    if after == ' ' || before == '\u{a0}' || after == '\u{a0}' {
        return false;
    }
    if before == ' ' {
        return true;
    }
    (wide(before) || wide(after)) && !NOT_FIRST.contains(after) && !small(after) && !NOT_LAST.contains(before)
}

/// A text in pieces between which a line may end; spaces stand at the end of a piece.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut before: Option<char> = None;
    for (at, c) in text.char_indices() {
        if before.is_some_and(|before| may_break(before, c)) {
            pieces.push(&text[start..at]);
            start = at;
        }
        before = Some(c);
    }
    pieces.push(&text[start..]);
    pieces
}

/// A font: its role and size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Face {
    pub(crate) role: Role,
    pub(crate) size: f64,
}

/// Lines no wider than `room`. A piece that is wider by itself is broken between characters.
pub(crate) fn lines(glyphs: &Glyphs, face: Face, text: &str, room: f64) -> Vec<String> {
    let width = |text: &str| glyphs.width(face.role, text, face.size);
    let mut lines = vec![String::new()];
    for piece in pieces(text) {
        let line = lines.last_mut().expect("there is always a line");
        if width(line) + width(piece.trim_end()) <= room {
            line.push_str(piece);
            continue;
        }
        if !line.is_empty() {
            lines.push(String::new());
        }
        for c in piece.chars() {
            let line = lines.last_mut().expect("there is always a line");
            let mut longer = line.clone();
            longer.push(c);
            if width(longer.trim_end()) <= room || line.is_empty() {
                *line = longer;
            } else {
                lines.push(c.to_string());
            }
        }
    }
    lines.into_iter().map(|line| line.trim_end().to_owned()).filter(|line| !line.is_empty()).collect()
}

/// The same number of lines, as even as can be: no last line of one word.
fn balanced(glyphs: &Glyphs, face: Face, text: &str, room: f64) -> Vec<String> {
    let greedy = lines(glyphs, face, text, room);
    if greedy.len() < 2 {
        return greedy;
    }
    let (mut low, mut high) = (room / 2.0, room);
    while high - low > face.size / 4.0 {
        let middle = (low + high) / 2.0;
        match lines(glyphs, face, text, middle).len() <= greedy.len() {
            true => high = middle,
            false => low = middle,
        }
    }
    lines(glyphs, face, text, high)
}

/// `text` in a line no wider than `room`, cut with an ellipsis where it must be.
pub(crate) fn fit(glyphs: &Glyphs, face: Face, text: &str, room: f64) -> String {
    let width = |text: &str| glyphs.width(face.role, text, face.size);
    if width(text) <= room {
        return text.to_owned();
    }
    let mut kept = text.to_owned();
    while kept.pop().is_some() {
        let cut = format!("{}…", kept.trim_end().trim_end_matches(|c| NOT_LAST.contains(c)));
        if width(&cut) <= room {
            return cut;
        }
    }
    "…".to_owned()
}

/// Sizes to try, the largest first, with the lines that each may take.
pub(crate) type Steps = [(f64, usize)];

/// The largest size at which a text fits; at the smallest the last line ends in an ellipsis.
pub(crate) fn set(glyphs: &Glyphs, role: Role, text: &str, room: f64, steps: &Steps) -> (f64, Vec<String>) {
    for (size, most) in steps {
        let set = balanced(glyphs, Face { role, size: *size }, text, room);
        if set.len() <= *most {
            return (*size, set);
        }
    }
    let (size, most) = steps.last().copied().unwrap_or((16.0, 1));
    let face = Face { role, size };
    let mut set = lines(glyphs, face, text, room);
    let rest = set.split_off(most.saturating_sub(1).min(set.len()));
    set.push(fit(glyphs, face, &joined(&rest), room));
    (size, set)
}

/// Lines as one text again: a space where Latin was broken.
fn joined(lines: &[String]) -> String {
    lines.iter().fold(String::new(), |mut all, line| {
        if all.chars().last().is_some_and(|c| !wide(c)) {
            all.push(' ');
        }
        all + line
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FACE: Face = Face { role: Role::Text, size: 10.0 };

    fn at(text: &str, room: f64) -> Vec<String> {
        lines(&Glyphs::estimates(), FACE, text, room)
    }

    #[test]
    fn latin_breaks_between_words_and_japanese_between_characters() {
        assert_eq!(at("Long prompts on H100", 70.0), ["Long prompts", "on H100"]);
        assert_eq!(at("推奨設定の結果", 40.0), ["推奨設定", "の結果"]);
        assert_eq!(at("長いQwen3の結果", 50.0), ["長い", "Qwen3の", "結果"]);
    }

    #[test]
    fn closing_marks_small_kana_and_sound_marks_do_not_start_a_line_and_brackets_do_not_end_one() {
        for (text, room, expected) in [
            ("推奨設定、結果", 40.0, vec!["推奨設", "定、結果"]),
            ("あいうえっか", 40.0, vec!["あいう", "えっか"]),
            ("スループット", 30.0, vec!["スルー", "プット"]),
            ("サーバー", 20.0, vec!["サー", "バー"]),
            ("あサーバ", 20.0, vec!["あ", "サー", "バ"]),
            ("あいう「かき」", 40.0, vec!["あいう", "「かき」"]),
        ] {
            let found = at(text, room);
            assert_eq!(found.concat(), text);
            for line in &found {
                let first = line.chars().next().unwrap();
                assert!(!NOT_FIRST.contains(first) && !small(first), "{found:?}");
                assert!(!NOT_LAST.contains(line.chars().last().unwrap()), "{found:?}");
            }
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn what_has_no_break_is_broken_where_the_line_ends() {
        let found = at(&"x".repeat(40), 60.0);
        assert_eq!(found.concat(), "x".repeat(40));
        assert!(found.iter().all(|line| Glyphs::estimates().width(Role::Text, line, 10.0) <= 60.0));
    }

    #[test]
    fn a_text_shrinks_before_it_is_cut() {
        let glyphs = Glyphs::estimates();
        let steps = [(20.0, 1), (10.0, 2)];
        let set = |text: &str| set(&glyphs, Role::Text, text, 100.0, &steps);
        assert_eq!(set("推奨設定"), (20.0, vec!["推奨設定".to_owned()]));
        assert_eq!(set("推奨設定の結果").0, 10.0);
        let (size, lines) = set(&"長い題".repeat(20));
        assert_eq!((size, lines.len()), (10.0, 2));
        assert!(lines[1].ends_with('…') && glyphs.width(Role::Text, &lines[1], 10.0) <= 100.0, "{lines:?}");
    }

    #[test]
    fn lines_of_a_title_are_even() {
        let glyphs = Glyphs::estimates();
        let (_, lines) = set(&glyphs, Role::Text, "one two three four five six", 100.0, &[(10.0, 2)]);
        assert_eq!(lines.len(), 2);
        let widths: Vec<f64> = lines.iter().map(|line| glyphs.width(Role::Text, line, 10.0)).collect();
        assert!((widths[0] - widths[1]).abs() < 40.0, "{lines:?}");
    }
}
