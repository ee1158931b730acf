//! From bytes to lines: byte order mark, colour codes, carriage returns and progress bars are what terminals leave behind.

use std::borrow::Cow;

use super::ParseError;

/// The text of a raw output. UTF-8 with or without a byte order mark, or UTF-16 with one (what PowerShell writes).
/// Stray bytes of another encoding become U+FFFD: logs mix sources, and figures are ASCII. Control bytes that no text
/// has are an error.
pub(super) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, ParseError> {
    match bytes {
        [0xFF, 0xFE, rest @ ..] => Ok(utf16(rest, u16::from_le_bytes).into()),
        [0xFE, 0xFF, rest @ ..] => Ok(utf16(rest, u16::from_be_bytes).into()),
        [0xEF, 0xBB, 0xBF, rest @ ..] => utf8(rest),
        _ => utf8(bytes),
    }
}

fn utf8(bytes: &[u8]) -> Result<Cow<'_, str>, ParseError> {
    let odd = |byte: u8| byte < 0x20 && !matches!(byte, b'\n' | b'\r' | b'\t' | 0x08 | 0x0B | 0x0C | 0x1B | 0x07);
    if let Some(at) = bytes.iter().position(|byte| odd(*byte)) {
        let line = 1 + bytes[..at].iter().filter(|byte| **byte == b'\n').count();
        return Err(ParseError::Binary { line, byte: bytes[at] });
    }
    Ok(String::from_utf8_lossy(bytes))
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// Lines with their numbers (from 1), without colour codes. A carriage return inside a line starts a new piece under the
/// same number: a progress bar that was drawn over and over, then the text that followed it.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, Cow<'_, str>)> {
    text.split('\n').zip(1..).flat_map(|(line, number)| {
        line.split('\r').filter(|piece| !piece.is_empty() || line.is_empty()).map(move |piece| (number, plain(piece)))
    })
}

/// Without ANSI escape sequences (CSI, OSC and two-byte ones) and bells.
fn plain(line: &str) -> Cow<'_, str> {
    if !line.contains(['\x1b', '\x07', '\x08']) {
        return Cow::Borrowed(line);
    }
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '\x1b' => match chars.next() {
                Some('[') => while chars.next().is_some_and(|c| !('\x40'..='\x7e').contains(&c)) {},
                Some(']') => while chars.next().is_some_and(|c| c != '\x07' && c != '\x1b') {},
                _ => {}
            },
            '\x07' | '\x08' => {}
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// A number, with or without thousands commas (`1,103.58`). A comma that groups no thousands (`4,53`) is some other
/// country's decimal point, and no number here. `inf` and `nan` are numbers, as in Rust.
pub(super) fn number(text: &str) -> Option<f64> {
    if !text.contains(',') {
        return text.parse().ok();
    }
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut groups = whole.trim_start_matches(['-', '+']).split(',');
    let first = groups.next().is_some_and(|group| (1..=3).contains(&group.len()));
    let grouped = first && groups.all(|group| group.len() == 3) && !fraction.contains(',');
    if grouped { text.replace(',', "").parse().ok() } else { None }
}
