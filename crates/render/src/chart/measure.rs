//! How wide a text will be, without a font: good to a few percent for the system sans-serifs of our style sheet.

/// Width of `text` at a font size.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(em).sum::<f64>() * size
}

/// `text`, cut with an ellipsis where it is wider than `room`.
pub(crate) fn fit(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let room = room - width("…", size);
    let mut used = 0.0;
    let kept: String = text
        .chars()
        .take_while(|c| {
            used += em(*c) * size;
            used <= room
        })
        .collect();
    format!("{}…", kept.trim_end())
}

/// Advance of a character in em. Japanese is full width; Latin follows the averages of common sans-serifs, rounded up.
fn em(c: char) -> f64 {
    match c {
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{fe00}'..='\u{fe0f}' => 0.0,
        ' ' | '\u{a0}' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | 'i' | 'j' | 'l' | 'I' => 0.28,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '/' | '"' => 0.38,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.88,
        '…' => 1.0,
        'A'..='Z' | '&' | '+' | '±' | '\u{2212}' | '=' | '<' | '>' | '~' | '#' => 0.66,
        '\u{ff61}'..='\u{ff9f}' => 0.5,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe4f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f000}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 1.0,
        _ => 0.57,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn japanese_is_one_em_a_character_and_cut_at_its_real_width() {
        assert_eq!(width("推奨設定", 13.0), 52.0);
        assert_eq!(fit("推奨設定", 13.0, 52.0), "推奨設定");
        assert_eq!(fit("生成の多いワークロード", 10.0, 60.0), "生成の多い…");
        assert_eq!(fit("Long Context", 10.0, 42.0), "Long…");
        assert_eq!(fit("長い", 10.0, 0.0), "…");
    }
}
