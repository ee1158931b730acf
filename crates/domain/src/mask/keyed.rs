//! Secrets that are known by the name before them: in JSON, YAML, TOML, Python's `Namespace(…)`, headers, command lines
//! and environments, and in any of these inside a JSON string.

use super::MASK;
use super::names::{self, Name};
use super::prefixed::{is_credential, kept_prefix, run};
use super::stream::{Secret, Until, Verdict};

/// The longest name that is looked at.
const MAX_NAME: usize = 100;
/// How much of a value is looked at. A longer one is no placeholder and no number.
const VIEW: usize = 256;

/// How a text is quoted.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Quote {
    /// `"` or `'`, with as many backslashes before it as the strings around ask for.
    Mark { mark: u8, slashes: usize },
    /// `""`: a quoted text in a cell of CSV.
    Doubled,
    /// `&quot;` of HTML.
    Entity,
}

/// What stands between a name and its value.
#[derive(Clone, Copy, PartialEq)]
enum Between {
    Colon,
    Equals,
    /// `"--api-key", "…"`.
    Comma,
    /// `--api-key …`.
    Space,
}

/// Judges the name around an anchor at `at..end`, and what follows it.
pub(super) fn judge(buffer: &[u8], at: usize, end: usize) -> Verdict {
    let mut left = at - buffer[..at].iter().rev().take(MAX_NAME).take_while(|byte| is_name(**byte)).count();
    // The `n` of a line break in a JSON string is not the name's.
    if left < at && matches!(&buffer[..=left], [.., b'\\', b'n' | b't' | b'r']) {
        left += 1;
    }
    let right = end + run(&buffer[end..buffer.len().min(end + MAX_NAME)], is_name);
    let verdict = names::judge(&buffer[left..right]).and_then(|name| value(buffer, left, right, name));
    verdict.map_or(Verdict::No { resume: right }, Verdict::Yes)
}

/// What stands where a secret could, but is none: nothing, a reference to a variable, a mask.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    const WORDS: [&str; 9] = ["", "none", "null", "nil", "true", "false", "empty", "undefined", "-"];
    let value = value.trim_ascii();
    WORDS.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
        || value.ends_with(MASK.as_bytes())
        || is_variable(value)
        || (value.starts_with(b"<") && value.ends_with(b">"))
        || value.iter().all(|byte| matches!(byte, b'*' | b'.'))
}

/// `$HF_TOKEN`, `${HF_TOKEN}`, `$(cat key)`, `{{ key }}`.
fn is_variable(value: &[u8]) -> bool {
    match value {
        [b'$', b'{' | b'(', ..] | [b'{', b'{', ..] => true,
        [b'$', name @ ..] => {
            name.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_')
        }
        _ => false,
    }
}

fn value(buffer: &[u8], left: usize, right: usize, name: Name) -> Option<Secret> {
    let is_flag = buffer[left..right].starts_with(b"--");
    let mut at = right;
    let key_quote = if buffer[at..].starts_with(b"\"\"") { Some(Quote::Doubled) } else { quote(&buffer[at..]) };
    if let Some(quote) = key_quote {
        at += quote.length();
        // `os.environ["HF_TOKEN"] = …`
        at += usize::from(buffer.get(at) == Some(&b']'));
    }
    let spaces = blank(&buffer[at..], key_quote.is_some());
    let (between, length) = match between(&buffer[at + spaces..], is_flag, key_quote.is_some(), spaces > 0) {
        Some((between, length)) => (between, spaces + length),
        None if matches!(name, Name::Secret(_)) => (Between::Colon, paired(&buffer[at..], key_quote)?),
        None => return None,
    };
    at += length;
    at += blank(&buffer[at..], key_quote.is_some() && between != Between::Space);
    at += wrapping(&buffer[at..]);
    let view = &buffer[at..buffer.len().min(at + VIEW)];
    let what = match name {
        Name::Secret(what) | Name::Perhaps(what) | Name::Header(what) | Name::All(what) => what,
    };
    if matches!(view.first(), Some(b'[' | b'(')) {
        let inside = view[1..].trim_ascii_start();
        let quote = quote(inside)?;
        let length = view.len() - inside.len() + quote.length();
        let first = quote.inside(&buffer[at + length..]);
        return (!is_placeholder(first)).then(|| Secret {
            from: at + length,
            write: [MASK.as_bytes(), &quote.text()].concat(),
            until: Until::Bracket { passed: 0 },
            what,
        });
    }
    let doubled = key_quote == Some(Quote::Doubled) && view.starts_with(b"\"\"");
    match if doubled { key_quote } else { quote(view) } {
        Some(quote) => {
            let inside = quote.inside(&view[quote.length()..]);
            // The next flag is no value of this one.
            let another_flag = matches!(between, Between::Comma | Between::Space) && inside.starts_with(b"--");
            if another_flag { None } else { quoted(at + quote.length(), inside, name, what, quote) }
        }
        None if matches!(name, Name::Header(_)) => header(at, view, what),
        None if matches!(name, Name::All(_)) => all(at, view, what),
        // An object: its own names are judged.
        None if view.first() == Some(&b'{') => None,
        None if between == Between::Colon && !matches!(name, Name::Perhaps(_)) && is_block(view) => {
            block(buffer, at, what)
        }
        None => {
            let text = &view[..run(view, Until::is_bare)];
            // In JSON a bare value is a number: what replaces it must be a value, too.
            let json = key_quote.filter(|_| between == Between::Colon);
            let to_line_end = between == Between::Colon && key_quote.is_none() && begins_line(&buffer[..left]);
            bare(at, text, name, what, json, to_line_end, is_flag, between)
        }
    }
}

fn quoted(from: usize, inside: &[u8], name: Name, what: &'static str, quote: Quote) -> Option<Secret> {
    if is_placeholder(inside) || matches!(name, Name::Perhaps(_)) && !looks_drawn(inside, 8) {
        return None;
    }
    let scheme = if matches!(name, Name::Header(_)) { scheme(inside) } else { 0 };
    if is_placeholder(&inside[scheme..]) {
        return None;
    }
    Some(Secret { from: from + scheme, write: mask(&inside[scheme..]), until: quote.until(), what })
}

#[expect(clippy::too_many_arguments, reason = "all of them are what one look around found")]
fn bare(
    from: usize,
    text: &[u8],
    name: Name,
    what: &'static str,
    json: Option<Quote>,
    to_line_end: bool,
    is_flag: bool,
    between: Between,
) -> Option<Secret> {
    let another_flag = between == Between::Space && text.starts_with(b"-");
    // `--api-key API_KEY`, as a tool's help has it.
    let metavariable =
        text.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'_') && names::judge(text).is_some();
    // `api_key=openai_api_key`, as code has it.
    let reference = between == Between::Equals
        && !is_flag
        && what == "API key"
        && names::judge(text) == Some(name)
        && text.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b'_');
    if reference || is_placeholder(text) || text.starts_with(b"<") || another_flag || metavariable {
        return None;
    }
    match name {
        Name::Perhaps(_) if is_flag => Some(Secret { from, write: mask(text), until: Until::Bare, what }),
        Name::Perhaps(_) => {
            let drawn = looks_drawn(text, 8) && (text.len() >= 16 || text.iter().any(u8::is_ascii_digit));
            drawn.then(|| Secret { from, write: mask(text), until: Until::Bare, what })
        }
        // A figure of a few digits is nobody's key.
        Name::Secret(_) if what != "password" && is_number(text) && text.len() < 8 => None,
        Name::Secret(_) | Name::Header(_) | Name::All(_) => Some(match json {
            Some(quote) => {
                let mark = quote.text();
                Secret { from, write: [&mark, MASK.as_bytes(), &mark].concat(), until: Until::Bare, what }
            }
            None if to_line_end => Secret { from, write: mask(text), until: Until::Line, what },
            None => Secret { from, write: mask(text), until: Until::Bare, what },
        }),
    }
}

/// Scheme and credentials without quotes.
fn header(at: usize, view: &[u8], what: &'static str) -> Option<Secret> {
    let scheme = scheme(view);
    let credentials = &view[scheme..];
    let credentials = &credentials[..run(credentials, Until::is_bare)];
    let secret = Secret { from: at + scheme, write: mask(credentials), until: Until::Bare, what };
    (!is_placeholder(credentials)).then_some(secret)
}

/// The rest of a header line, or of the quoted text that the header stands in.
fn all(at: usize, view: &[u8], what: &'static str) -> Option<Secret> {
    fn inside(byte: u8) -> bool {
        !matches!(byte, b'\n' | b'\r' | b'"' | b'\'' | b'`' | b'\\')
    }
    let text = &view[..run(view, inside)];
    // `cookie=…` holds one; the word in prose, and an object of them, does not.
    let holds = text.contains(&b'=') && text.first() != Some(&b'{') && !is_placeholder(text);
    holds.then(|| Secret { from: at, write: MASK.into(), until: Until::While(inside), what })
}

/// `|`, `>-`, `|2+`: in YAML, the value is the deeper lines that follow.
fn is_block(view: &[u8]) -> bool {
    let line = &view[..run(view, |byte| !matches!(byte, b'\n' | b'\r'))];
    matches!(line, [b'|' | b'>', signs @ ..] if line.len() < view.len() && signs.trim_ascii_end().len() <= 2
        && signs.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b' ')))
}

/// The deeper lines. What comes before the name on its line, dashes of lists as well, is the indent that ends them.
fn block(buffer: &[u8], at: usize, what: &'static str) -> Option<Secret> {
    let line = buffer[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let indent = run(&buffer[line..at], |byte| matches!(byte, b' ' | b'-'));
    let from = at + run(&buffer[at..], |byte| byte != b'\n');
    let first = buffer[from..buffer.len().min(from + VIEW)].trim_ascii_start();
    let first = &first[..run(first, |byte| !matches!(byte, b'\n' | b'\r'))];
    (!is_placeholder(first)).then(|| Secret {
        from,
        write: Vec::new(),
        until: Until::Deeper { indent, column: None, passed: 0 },
        what,
    })
}

/// The separator, and its length.
fn between(bytes: &[u8], is_flag: bool, is_quoted: bool, after_space: bool) -> Option<(Between, usize)> {
    match bytes {
        [b':', b'=', ..] | [b'=', b'>', ..] => Some((Between::Equals, 2)),
        [b':', ..] => Some((Between::Colon, 1)),
        [b'=', ..] => Some((Between::Equals, 1)),
        [b',', ..] if is_flag && is_quoted => Some((Between::Comma, 1)),
        [b'-', b' ', ..] if is_flag && is_quoted && after_space => Some((Between::Space, 2)),
        _ if !is_flag || is_quoted => None,
        // A command goes on behind a backslash; a YAML list has one argument a line.
        [b'\\', b'\n', ..] => Some((Between::Space, 2)),
        [b'\\', b'\r', b'\n', ..] => Some((Between::Space, 3)),
        [b'\n', rest @ ..] => {
            let indent = run(rest, |byte| byte == b' ').min(64);
            rest[indent..].starts_with(b"- ").then_some((Between::Space, 1 + indent + 2))
        }
        [_, ..] if after_space => Some((Between::Space, 0)),
        _ => None,
    }
}

/// `- name: HF_TOKEN`, and on the next line `value: …`, as Kubernetes has it, or the same in JSON: the length up to the
/// value.
fn paired(bytes: &[u8], quote: Option<Quote>) -> Option<usize> {
    let mut rest = &bytes[blank(bytes, true)..];
    rest = rest.strip_prefix(b",").unwrap_or(rest);
    rest = &rest[blank(rest, true)..];
    let mark = quote.map(Quote::text).unwrap_or_default();
    rest = rest.strip_prefix(mark.as_slice()).unwrap_or(rest).strip_prefix(b"value")?;
    rest = rest.strip_prefix(mark.as_slice()).unwrap_or(rest);
    rest = rest[blank(rest, false)..].strip_prefix(b":")?;
    Some(bytes.len() - rest.len())
}

/// White space; over line breaks only where the notation has no meaning for them.
fn blank(bytes: &[u8], breaks: bool) -> usize {
    let class = |byte: u8| matches!(byte, b' ' | b'\t') || (breaks && matches!(byte, b'\n' | b'\r'));
    run(&bytes[..bytes.len().min(128)], class)
}

/// `b'…'`, and `SecretStr('…')`.
fn wrapping(bytes: &[u8]) -> usize {
    let name = run(&bytes[..bytes.len().min(32)], |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    match bytes.get(name) {
        Some(b'(') if name > 0 => name + 1,
        Some(b'"' | b'\'') if name == 1 => 1,
        _ => 0,
    }
}

fn quote(bytes: &[u8]) -> Option<Quote> {
    if bytes.starts_with(b"&quot;") || bytes.starts_with(b"&#34;") {
        return Some(Quote::Entity);
    }
    let slashes = run(&bytes[..bytes.len().min(16)], |byte| byte == b'\\');
    match bytes.get(slashes) {
        Some(mark @ (b'"' | b'\'')) => Some(Quote::Mark { mark: *mark, slashes }),
        _ => None,
    }
}

impl Quote {
    fn text(self) -> Vec<u8> {
        match self {
            Self::Mark { mark, slashes } => [vec![b'\\'; slashes], vec![mark]].concat(),
            Self::Doubled => b"\"\"".to_vec(),
            Self::Entity => b"&quot;".to_vec(),
        }
    }

    fn length(self) -> usize {
        match self {
            Self::Mark { slashes, .. } => slashes + 1,
            Self::Doubled => 2,
            Self::Entity => 6,
        }
    }

    fn until(self) -> Until {
        match self {
            Self::Mark { mark, slashes } => Until::Quote { mark, slashes, run: 0 },
            // The first of the two ends it.
            Self::Doubled => Until::Quote { mark: b'"', slashes: 0, run: 0 },
            Self::Entity => Until::Entity,
        }
    }

    /// What is seen of the text that was opened.
    fn inside(self, bytes: &[u8]) -> &[u8] {
        let bytes = &bytes[..bytes.len().min(VIEW)];
        match self {
            Self::Mark { mark, slashes } => {
                let end = run(bytes, |byte| byte != mark && byte != b'\n');
                let text = &bytes[..end];
                text.strip_suffix(vec![b'\\'; slashes].as_slice()).unwrap_or(text)
            }
            Self::Doubled => &bytes[..run(bytes, |byte| byte != b'"' && byte != b'\n')],
            Self::Entity => &bytes[..run(bytes, |byte| byte != b'&')],
        }
    }
}

/// The length of a scheme and the blank behind it: `Bearer `.
fn scheme(text: &[u8]) -> usize {
    const SCHEMES: [&str; 8] = ["bearer", "basic", "token", "digest", "apikey", "negotiate", "key", "bot"];
    let word = run(text, |byte| byte.is_ascii_alphabetic());
    let blank = run(&text[word..], |byte| byte == b' ');
    let known = SCHEMES.iter().any(|scheme| text[..word].eq_ignore_ascii_case(scheme.as_bytes()));
    if known && blank > 0 { word + blank } else { 0 }
}

/// A mask that keeps a known prefix.
fn mask(value: &[u8]) -> Vec<u8> {
    [kept_prefix(value), MASK].concat().into_bytes()
}

/// Whether a machine may have drawn it: one run of a credential's characters, no figure.
fn looks_drawn(value: &[u8], least: usize) -> bool {
    value.len() >= least && value.iter().all(|byte| is_credential(*byte)) && !is_number(value)
}

fn is_number(value: &[u8]) -> bool {
    value.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E'))
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// Whether only an indent, or a list's dash, stands before on the line.
fn begins_line(before: &[u8]) -> bool {
    let line = before.iter().rev().take(MAX_NAME).take_while(|byte| **byte != b'\n');
    line.clone().count() < MAX_NAME && line.clone().all(|byte| matches!(byte, b' ' | b'\t' | b'-'))
}
