//! The command on the plate: one argument a line where it fits, else running on, and cut with the number of arguments left
//! out only at the smallest size.

use domain::text::Lang;
use domain::text::cards::{CardLine, more_arguments};

use super::fonts::{Glyphs, Role};
use super::wrap::{Face, fit};

/// A command set in lines.
pub(super) struct Setting {
    pub(super) size: f64,
    pub(super) pitch: f64,
    pub(super) lines: Vec<Line>,
}

/// A line of pieces, from left to right.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub(super) pieces: Vec<Piece>,
    /// Whether it is an argument that stands under the program.
    pub(super) indented: bool,
    /// Whether a backslash ends it.
    pub(super) continued: bool,
}

/// Consecutive text of one look.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) added: bool,
    /// A remark of ours, not part of the command.
    pub(super) remark: bool,
}

/// Sizes for one argument a line, the largest first.
const LISTED: [f64; 4] = [26.0, 24.0, 22.0, 20.0];
/// Sizes for arguments that run on.
const RUNNING: [f64; 3] = [20.0, 18.0, 16.0];
/// From baseline to baseline, in font sizes.
const PITCH: f64 = 1.42;

impl Setting {
    pub(super) fn height(&self) -> f64 {
        self.pitch * self.lines.len() as f64
    }
}

/// Sets a command into a room.
pub(super) fn set(glyphs: &Glyphs, lang: Lang, command: &[CardLine], (width, height): (f64, f64)) -> Setting {
    for size in LISTED {
        let setting = Setting { size, pitch: size * PITCH, lines: listed(command) };
        let fits = setting.lines.iter().all(|line| line_width(glyphs, line, size) <= width);
        if fits && setting.height() <= height {
            return setting;
        }
    }
    for size in RUNNING {
        let lines = running(glyphs, command, size, width);
        let setting = Setting { size, pitch: size * PITCH, lines };
        if setting.height() <= height {
            return setting;
        }
    }
    let size = RUNNING[RUNNING.len() - 1];
    let most = ((height / (size * PITCH)).floor() as usize).max(1);
    Setting { size, pitch: size * PITCH, lines: cut(glyphs, lang, command, size, width, most) }
}

/// How wide a line is with its indent and its backslash.
pub(super) fn line_width(glyphs: &Glyphs, line: &Line, size: f64) -> f64 {
    let text: f64 = line.pieces.iter().map(|piece| piece_width(glyphs, piece, size)).sum();
    text + indent(line, size) + if line.continued { glyphs.width(Role::Mono, " \\", size) } else { 0.0 }
}

pub(super) fn indent(line: &Line, size: f64) -> f64 {
    if line.indented { 1.2 * size } else { 0.0 }
}

pub(super) fn role(piece: &Piece) -> Role {
    match (piece.remark, piece.added) {
        (true, _) => Role::Text,
        (false, true) => Role::MonoStrong,
        (false, false) => Role::Mono,
    }
}

pub(super) fn piece_width(glyphs: &Glyphs, piece: &Piece, size: f64) -> f64 {
    glyphs.width(role(piece), &piece.text, size)
}

fn piece(text: impl Into<String>, added: bool) -> Piece {
    Piece { text: text.into(), added, remark: false }
}

fn listed(command: &[CardLine]) -> Vec<Line> {
    let last = command.len().saturating_sub(1);
    let line = |(at, line): (usize, &CardLine)| Line {
        pieces: vec![piece(line.text.clone(), line.added)],
        indented: at > 0,
        continued: at < last,
    };
    command.iter().enumerate().map(line).collect()
}

/// Arguments one after the other; one that is wider than a line by itself is broken where the line ends.
fn running(glyphs: &Glyphs, command: &[CardLine], size: f64, width: f64) -> Vec<Line> {
    let mut lines = vec![Line { pieces: Vec::new(), indented: false, continued: false }];
    for (at, argument) in command.iter().enumerate() {
        let whole = piece(argument.text.clone(), argument.added);
        let line = lines.last_mut().expect("there is always a line");
        let space = if line.pieces.is_empty() { "" } else { " " };
        let longer =
            line_width(glyphs, line, size) + piece_width(glyphs, &whole, size) + glyphs.width(Role::Mono, space, size);
        if longer <= width {
            line.pieces.push(piece(format!("{space}{}", argument.text), argument.added));
            continue;
        }
        if !line.pieces.is_empty() {
            lines.push(Line { pieces: Vec::new(), indented: at > 0, continued: false });
        }
        for c in argument.text.chars() {
            let line = lines.last_mut().expect("there is always a line");
            let one = piece(c.to_string(), argument.added);
            if line.pieces.is_empty() || line_width(glyphs, line, size) + piece_width(glyphs, &one, size) > width {
                if !line.pieces.is_empty() {
                    lines.push(Line { pieces: Vec::new(), indented: true, continued: false });
                }
                lines.last_mut().expect("there is always a line").pieces.push(one);
            } else if let Some(open) = line.pieces.last_mut() {
                open.text.push(c);
            }
        }
    }
    lines
}

/// As many arguments as `most` lines hold together with the number of those left out.
fn cut(glyphs: &Glyphs, lang: Lang, command: &[CardLine], size: f64, width: f64, most: usize) -> Vec<Line> {
    let with = |kept: usize| {
        let mut lines = running(glyphs, &command[..kept], size, width);
        let remark = Piece { text: more_arguments(lang, command.len() - kept), added: false, remark: true };
        let last = lines.last_mut().expect("there is always a line");
        let room = width - line_width(glyphs, last, size) - glyphs.width(Role::Mono, " ", size);
        if piece_width(glyphs, &remark, size) <= room {
            last.pieces.push(piece(" ", false));
            last.pieces.push(remark);
        } else {
            lines.push(Line { pieces: vec![remark], indented: true, continued: false });
        }
        lines
    };
    // The more is kept, the more lines it takes.
    let (mut low, mut high) = (1, command.len().max(1));
    while high - low > 1 {
        let middle = (low + high) / 2;
        if with(middle).len() <= most { low = middle } else { high = middle }
    }
    let mut lines = match command.len() {
        0 | 1 => running(glyphs, command, size, width),
        _ => with(low),
    };
    if lines.len() > most {
        // Not even the program fits: its last line says that something is missing.
        lines.truncate(most);
        if let Some(open) = lines.last_mut().and_then(|line| line.pieces.last_mut()) {
            let longer = format!("{}…", open.text);
            open.text = fit(glyphs, Face { role: role(open), size }, &longer, width - 1.2 * size);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(arguments: usize, length: usize) -> Vec<CardLine> {
        let line = |at: usize| CardLine { text: format!("--{:x>length$}={at}", "flag"), added: at.is_multiple_of(2) };
        let head = CardLine { text: "vllm serve Qwen/Qwen3-14B".to_owned(), added: false };
        std::iter::once(head).chain((0..arguments).map(line)).collect()
    }

    fn shown(setting: &Setting) -> String {
        let line = |line: &Line| line.pieces.iter().map(|piece| piece.text.as_str()).collect::<String>();
        setting.lines.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn few_arguments_stand_on_a_line_each_and_many_run_on_and_nothing_is_wider_or_higher_than_its_room() {
        let glyphs = Glyphs::estimates();
        let room = (1072.0, 170.0);
        for (arguments, length) in [(0, 9), (3, 9), (9, 20), (40, 22), (400, 30), (1, 2000), (60, 200)] {
            let all = command(arguments, length);
            let setting = set(&glyphs, Lang::En, &all, room);
            assert!(setting.height() <= room.1, "{arguments} × {length}: {} high", setting.height());
            for line in &setting.lines {
                assert!(line_width(&glyphs, line, setting.size) <= room.0 + 0.1, "{arguments} × {length}: {line:?}");
            }
            let text = shown(&setting);
            assert!(text.starts_with("vllm serve"), "{text}");
            // Nothing goes missing silently.
            let whole = all.iter().all(|line| text.replace('\n', "").contains(&line.text));
            assert!(whole || text.contains('…'), "{arguments} × {length}: {text}");
        }
        assert_eq!(set(&glyphs, Lang::En, &command(3, 9), room).lines.len(), 4);
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let glyphs = Glyphs::estimates();
        let all = command(80, 22);
        let setting = set(&glyphs, Lang::En, &all, (1072.0, 120.0));
        let text = shown(&setting);
        let kept = all
            .iter()
            .filter(|line| text.contains(&format!("{} ", line.text)) || text.contains(&format!("{}\n", line.text)))
            .count();
        assert!(text.contains(&format!("… and {} more arguments", all.len() - kept)), "{kept} kept: {text}");
    }

    #[test]
    fn a_program_without_room_says_so() {
        let glyphs = Glyphs::estimates();
        let long = [CardLine { text: "m".repeat(5000), added: false }];
        let setting = set(&glyphs, Lang::En, &long, (400.0, 60.0));
        assert!(shown(&setting).ends_with('…'));
    }
}
