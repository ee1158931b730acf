//! Sentences with emphasis: what is strong and what is code is decided where the sentence is written, how it looks where
//! it is shown.

/// A piece of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Plain words.
    Text(String),
    /// A figure that the sentence is about.
    Strong(String),
    /// An argument, a file, an id.
    Code(String),
}

/// A sentence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rich(pub Vec<Piece>);

// Private-use characters delimit pieces while a sentence is formatted; names lose them on their way in.
const STRONG: char = '\u{E000}';
const CODE: char = '\u{E001}';
const END: char = '\u{E002}';

/// Marks a figure inside a sentence under construction.
pub(super) fn strong(text: impl AsRef<str>) -> String {
    format!("{STRONG}{}{END}", clean(text.as_ref()))
}

/// Marks an id or argument inside a sentence under construction.
pub(super) fn code(text: impl AsRef<str>) -> String {
    format!("{CODE}{}{END}", clean(text.as_ref()))
}

/// A name that people gave, free of our delimiters.
pub(super) fn clean(name: &str) -> String {
    name.replace([STRONG, CODE, END], "")
}

impl Rich {
    /// Cuts a formatted sentence at its marks.
    pub(super) fn from_marked(text: &str) -> Self {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(at) = rest.find([STRONG, CODE]) {
            let (before, marked) = rest.split_at(at);
            push(&mut pieces, Piece::Text(before.to_owned()));
            let mark = marked.chars().next().expect("find gave the place of a mark");
            let marked = &marked[mark.len_utf8()..];
            let (inside, after) = marked.split_once(END).unwrap_or((marked, ""));
            let piece = if mark == STRONG { Piece::Strong } else { Piece::Code };
            push(&mut pieces, piece(inside.to_owned()));
            rest = after;
        }
        push(&mut pieces, Piece::Text(rest.to_owned()));
        Self(pieces)
    }

    /// Words only.
    pub fn plain(&self) -> String {
        self.0
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) | Piece::Strong(text) | Piece::Code(text) => text.as_str(),
            })
            .collect()
    }

    /// As Markdown; what people wrote cannot become markup.
    pub fn markdown(&self) -> String {
        self.0
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => escape_markdown(text),
                Piece::Strong(text) => format!("**{}**", escape_markdown(text)),
                Piece::Code(text) => code_markdown(text),
            })
            .collect()
    }
}

fn push(pieces: &mut Vec<Piece>, piece: Piece) {
    let (Piece::Text(text) | Piece::Strong(text) | Piece::Code(text)) = &piece;
    if !text.is_empty() {
        pieces.push(piece);
    }
}

/// Text that Markdown shows as it is, also inside a table cell: line breaks become spaces.
pub fn escape_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~' | '&' => {
                out.push('\\');
                out.push(c);
            }
            '\n' | '\r' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// A code span that holds `text`, also inside a table cell: a pipe needs its backslash there, and backticks a longer fence.
pub fn code_markdown(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ").replace('|', "\\|");
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}
