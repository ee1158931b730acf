//! Addresses: IPv4, IPv6, mail.

use core::net::{Ipv4Addr, Ipv6Addr};

use super::Kind;
use super::host::is_public;
use super::scan::{At, Place, Seen};
use crate::text::shares::VERSION_WORDS;

/// An IPv4 address.
pub(super) fn v4(at: At<'_>, seen: &mut Seen) -> Option<usize> {
    if at.before().is_some_and(|c| c.is_ascii_alphanumeric() || c == '.') {
        return None;
    }
    let length = at.run(|c| c.is_ascii_digit() || c == '.');
    let text = at.rest()[..length].trim_end_matches('.');
    let address: Ipv4Addr = text.parse().ok()?;
    let after = &at.rest()[text.len()..];
    let goes_on = after.starts_with(|c: char| c.is_ascii_alphabetic());
    let end = at.at + text.len();
    if goes_on || is_of_everybody(address) || (!is_addressed(after) && is_version(&at)) {
        return Some(end);
    }
    seen.hit(at.at, end, Kind::Ip, text);
    Some(end)
}

/// Loopback, "every address", and `0.x`, which no machine has (but versions do).
fn is_of_everybody(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    first == 0 || address.is_loopback() || (first, second) == (255, 255)
}

/// A port or a mask behind it: no version has those.
fn is_addressed(after: &str) -> bool {
    after.strip_prefix([':', '/']).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Four numbers after a product's name or a sign of comparison are a version.
fn is_version(at: &At<'_>) -> bool {
    let before = &at.text[..at.at];
    if at.place == Place::Version || before.ends_with("==") || before.ends_with(">=") || before.ends_with("~=") {
        return true;
    }
    let before = before.trim_end_matches([' ', ':', '=', '-', '_', '"', '(', '\u{ff1a}']);
    let before = before.to_ascii_lowercase();
    VERSION_WORDS.iter().any(|word| {
        let Some(rest) = before.strip_suffix(word) else { return false };
        !word.is_ascii() || !rest.ends_with(|c: char| c.is_ascii_alphanumeric())
    })
}

/// An IPv6 address.
pub(super) fn v6(at: At<'_>, seen: &mut Seen) -> Option<usize> {
    if at.before().is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, ':' | '.' | '_')) {
        return None;
    }
    let length = at.run(|c| c.is_ascii_hexdigit() || matches!(c, ':' | '.'));
    let text = at.rest()[..length].trim_end_matches('.');
    let text = if text.ends_with("::") { text } else { text.trim_end_matches(':') };
    if at.rest()[text.len()..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
        return None;
    }
    let address: Ipv6Addr = text.parse().ok()?;
    let end = at.at + text.len();
    // `a::b` without a figure is a name in somebody's program.
    let is_name = !text.contains(|c: char| c.is_ascii_digit());
    if !address.is_loopback() && !address.is_unspecified() && !is_name {
        seen.hit(at.at, end, Kind::Ip, text);
    }
    Some(end)
}

/// A mail address.
pub(super) fn mail(at: At<'_>, seen: &mut Seen) -> Option<usize> {
    let of_local = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '%' | '+' | '-');
    if at.before().is_some_and(of_local) {
        return None;
    }
    let local = at.run(of_local);
    let rest = at.rest()[local..].strip_prefix('@').filter(|_| local > 0)?;
    let domain = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-'))).unwrap_or(rest.len());
    let domain = rest[..domain].trim_end_matches(['.', '-']);
    let (names, last) = domain.rsplit_once('.')?;
    let named = names.contains(|c: char| c.is_ascii_alphabetic());
    let is_domain = named && last.len() >= 2 && last.chars().all(|c| c.is_ascii_alphabetic());
    let end = at.at + local + 1 + domain.len();
    if !is_domain {
        return None;
    }
    let local = &at.rest()[..local];
    // `git@github.com:org/name` is how anybody gets it.
    if local == "git" && is_public(domain) {
        return Some(end);
    }
    // `NAME@gpu17.corp.acme:/data` is a login.
    if at.text[end..].starts_with(":/") || at.text[end..].starts_with(":~") {
        return None;
    }
    seen.hit(at.at, end, Kind::Mail, &at.text[at.at..end]);
    Some(end)
}
