//! `curl -u user:password`, as people paste it beside a result: as text, and as a list of arguments in JSON.

use super::MASK;
use super::keyed::is_placeholder;
use super::prefixed::run;
use super::stream::{Secret, Until};

/// Where user and password may follow.
pub(super) const ANCHORS: [&str; 5] = [" -u", "\"-u\"", "'-u'", "--user", "--proxy-user"];
/// How far before the option its command is looked for.
const COMMAND_WITHIN: usize = 240;
/// Marks and blanks between the option and the user.
const MAX_BETWEEN: usize = 16;

/// Judges an option that ends at `end`: a password only where the command is curl's.
pub(super) fn judge(buffer: &[u8], at: usize, end: usize) -> Option<Secret> {
    let before = &buffer[at.saturating_sub(COMMAND_WITHIN)..at];
    before.windows(4).any(|word| word == b"curl").then_some(())?;
    let rest = &buffer[end..];
    let between = run(&rest[..rest.len().min(MAX_BETWEEN)], |byte| b" =,\"'\\\n".contains(&byte));
    let glued = buffer[at..end] == *b" -u";
    (between > 0 || glued).then_some(())?;
    let user = run(&rest[between..], |byte| !byte.is_ascii_whitespace() && !b":/\"'`\\".contains(&byte));
    let password = rest[between + user..].strip_prefix(b":").filter(|_| user > 0)?;
    let length = run(password, |byte| !byte.is_ascii_whitespace() && !b"\"'`\\".contains(&byte));
    let from = end + between + user + 1;
    let until = match rest[..between].last() {
        Some(mark @ (b'"' | b'\'')) => {
            let slashes = rest[..between - 1].iter().rev().take_while(|byte| **byte == b'\\').count();
            Until::Quote { mark: *mark, slashes, run: 0 }
        }
        _ => Until::While(|byte| !byte.is_ascii_whitespace() && !b"\"'`\\".contains(&byte)),
    };
    let secret = Secret { from, write: MASK.into(), until, what: "password" };
    (!is_placeholder(&password[..length])).then_some(secret)
}
