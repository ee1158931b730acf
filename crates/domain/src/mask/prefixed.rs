//! Secrets that are known by their own shape, whatever stands before them.
//!
//! A prefix alone is not enough: `hf_transfer` is a package and `task-sk-learn` a model. What follows has to look like
//! what a machine drew: long, and of letters and digits without a word's separators.

use super::MASK;
use super::curl;
use super::keyed::is_placeholder;
use super::stream::{Secret, Until, Verdict};

/// A shape by its first bytes.
struct Shape {
    prefix: &'static str,
    what: &'static str,
    body: Body,
}

/// What has to follow a prefix.
#[derive(Clone, Copy)]
enum Body {
    /// At least so many letters and digits.
    Drawn(usize),
    /// At least so many letters, digits, `_` and `-`.
    Long(usize),
    /// Exactly 16 capitals and digits.
    AwsId,
    /// A stretch of six with a digit, or of 16: `sk-…` keys come in many forms.
    Stretch,
    /// Three parts of base64url, the first two of them JSON.
    Jwt,
}

const SHAPES: [Shape; 27] = [
    Shape { prefix: "sk-", what: "API key", body: Body::Stretch },
    Shape { prefix: "sk_live_", what: "API key", body: Body::Drawn(10) },
    Shape { prefix: "sk_test_", what: "API key", body: Body::Drawn(10) },
    Shape { prefix: "rk_live_", what: "API key", body: Body::Drawn(10) },
    Shape { prefix: "gsk_", what: "API key", body: Body::Drawn(20) },
    Shape { prefix: "nvapi-", what: "API key", body: Body::Long(20) },
    Shape { prefix: "AIza", what: "API key", body: Body::Long(30) },
    Shape { prefix: "hf_", what: "Hugging Face token", body: Body::Drawn(16) },
    Shape { prefix: "api_org_", what: "Hugging Face token", body: Body::Drawn(16) },
    Shape { prefix: "ghp_", what: "GitHub token", body: Body::Drawn(16) },
    Shape { prefix: "gho_", what: "GitHub token", body: Body::Drawn(16) },
    Shape { prefix: "ghu_", what: "GitHub token", body: Body::Drawn(16) },
    Shape { prefix: "ghs_", what: "GitHub token", body: Body::Drawn(16) },
    Shape { prefix: "ghr_", what: "GitHub token", body: Body::Drawn(16) },
    Shape { prefix: "github_pat_", what: "GitHub token", body: Body::Long(16) },
    Shape { prefix: "glpat-", what: "GitLab token", body: Body::Long(16) },
    Shape { prefix: "npm_", what: "npm token", body: Body::Drawn(30) },
    Shape { prefix: "dckr_pat_", what: "Docker token", body: Body::Long(16) },
    Shape { prefix: "AKIA", what: "AWS access key", body: Body::AwsId },
    Shape { prefix: "ASIA", what: "AWS access key", body: Body::AwsId },
    Shape { prefix: "xoxa-", what: "Slack token", body: Body::Long(8) },
    Shape { prefix: "xoxb-", what: "Slack token", body: Body::Long(8) },
    Shape { prefix: "xoxp-", what: "Slack token", body: Body::Long(8) },
    Shape { prefix: "xoxr-", what: "Slack token", body: Body::Long(8) },
    Shape { prefix: "xoxs-", what: "Slack token", body: Body::Long(8) },
    Shape { prefix: "tst_", what: "Touchstone token", body: Body::Long(20) },
    Shape { prefix: "eyJ", what: "JSON web token", body: Body::Jwt },
];

const BEARER: &str = "bearer";
const BASIC: &str = "basic ";
const PEM: &str = "-----begin ";
const ADDRESS: &str = "://";

/// What all shapes begin with, for the search; matched in any case, judged exactly.
pub(super) fn anchors() -> impl Iterator<Item = &'static str> {
    SHAPES.iter().map(|shape| shape.prefix).chain([BEARER, BASIC, PEM, ADDRESS]).chain(curl::ANCHORS)
}

/// How much is looked at behind an anchor: more than any shape asks for. Without a limit, a window full of anchors would be
/// looked through once for each.
const VIEW: usize = 768;

/// Judges what stands at `at`, where an anchor ends at `end`.
pub(super) fn judge(buffer: &[u8], at: usize, end: usize) -> Verdict {
    let buffer = &buffer[..buffer.len().min(end + VIEW)];
    let anchor = &buffer[at..end];
    let verdict = if anchor == ADDRESS.as_bytes() {
        address(buffer, end)
    } else if anchor.eq_ignore_ascii_case(PEM.as_bytes()) {
        pem(buffer, end)
    } else if curl::ANCHORS.iter().any(|option| option.as_bytes() == anchor) {
        curl::judge(buffer, at, end)
    } else if !begins_word(buffer, at) {
        None
    } else if anchor.eq_ignore_ascii_case(BEARER.as_bytes()) {
        bearer(buffer, end)
    } else if anchor.eq_ignore_ascii_case(BASIC.as_bytes()) {
        basic(buffer, end)
    } else {
        SHAPES.iter().find(|shape| shape.prefix.as_bytes() == anchor).and_then(|shape| shaped(shape, buffer, end))
    };
    verdict.map_or(Verdict::No { resume: end }, Verdict::Yes)
}

/// The prefix that a value keeps when it is masked for its name: `sk-***` says more than `***`.
pub(super) fn kept_prefix(value: &[u8]) -> &'static str {
    let shape =
        SHAPES.iter().find(|shape| !matches!(shape.body, Body::Jwt) && value.starts_with(shape.prefix.as_bytes()));
    shape.map_or("", |shape| shape.prefix)
}

fn shaped(shape: &Shape, buffer: &[u8], end: usize) -> Option<Secret> {
    let rest = &buffer[end..];
    let long = run(rest, is_token);
    let drawn = run(rest, |byte| byte.is_ascii_alphanumeric());
    let fits = match shape.body {
        Body::Drawn(least) => drawn >= least,
        Body::Long(least) => long >= least,
        Body::AwsId => drawn == 16 && rest[..16].iter().all(|byte| !byte.is_ascii_lowercase()),
        Body::Stretch => rest[..long]
            .split(|byte| matches!(byte, b'-' | b'_'))
            .any(|stretch| stretch.len() >= 16 || (stretch.len() >= 6 && stretch.iter().any(u8::is_ascii_digit))),
        Body::Jwt => return jwt(rest, end),
    };
    fits.then(|| Secret { from: end, write: MASK.into(), until: Until::While(is_token), what: shape.what })
}

fn jwt(rest: &[u8], end: usize) -> Option<Secret> {
    let header = run(rest, is_token);
    let after = rest.get(header..)?.strip_prefix(b".eyJ")?;
    let fits = header >= 10 && run(after, is_token) >= 4;
    fits.then(|| Secret { from: end, write: MASK.into(), until: Until::While(is_token_or_dot), what: "JSON web token" })
}

fn bearer(buffer: &[u8], end: usize) -> Option<Secret> {
    let spaces = run(&buffer[end..], |byte| byte == b' ');
    let spaces = if spaces == 0 && buffer[end..].starts_with(b"%20") { 3 } else { spaces };
    let token = &buffer[end + spaces..];
    let token = &token[..run(token, is_credential)];
    // "Bearer authentication" is prose.
    let word = token.len() < 20 && token.iter().all(u8::is_ascii_lowercase);
    let fits = (1..=16).contains(&spaces) && token.len() >= 6 && !word;
    fits.then(|| Secret {
        from: end + spaces,
        write: masked(token),
        until: Until::While(is_credential),
        what: "bearer token",
    })
}

fn basic(buffer: &[u8], end: usize) -> Option<Secret> {
    let token = &buffer[end..];
    let token = &token[..run(token, is_credential)];
    let has = |class: fn(&u8) -> bool| token.iter().any(class);
    let mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    let fits = token.len() >= 8 && (token.ends_with(b"=") || (token.len() >= 12 && mixed));
    fits.then(|| Secret {
        from: end,
        write: masked(token),
        until: Until::While(is_credential),
        what: "basic credentials",
    })
}

fn pem(buffer: &[u8], end: usize) -> Option<Secret> {
    let label = run(&buffer[end..], |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ');
    let fits = label <= 64 && buffer[end..end + label].windows(11).any(|window| window == b"PRIVATE KEY");
    let from = end + label + 5;
    (fits && buffer[end + label..].starts_with(b"-----") && !buffer[from..].starts_with(MASK.as_bytes()))
        .then(|| Secret { from, write: MASK.into(), until: Until::Pem { passed: 0, dashes: 0 }, what: "private key" })
}

/// `scheme://user:password@host`, or a long user without a password, which is a token.
fn address(buffer: &[u8], end: usize) -> Option<Secret> {
    let rest = &buffer[end..];
    let inside = |byte: u8| {
        !byte.is_ascii_whitespace() && !matches!(byte, b'/' | b'"' | b'\'' | b'<' | b'>' | b'?' | b'#' | b'\\' | b'`')
    };
    let authority = &rest[..run(rest, inside)];
    let at = memchr::memrchr(b'@', authority)?;
    let colon = memchr::memchr(b':', &authority[..at]);
    let (from, secret) = match colon {
        Some(colon) => (colon + 1, &authority[colon + 1..at]),
        None if at >= 20 => (0, &authority[..at]),
        None => return None,
    };
    (!secret.is_empty() && !is_placeholder(secret)).then(|| Secret {
        from: end + from,
        write: MASK.into(),
        until: Until::Count(at - from),
        what: "password in a URL",
    })
}

/// A mask that keeps a known prefix.
fn masked(token: &[u8]) -> Vec<u8> {
    [kept_prefix(token), MASK].concat().into_bytes()
}

/// Whether no name or word runs on from the left. `\n` in a JSON string ends in a letter, too.
fn begins_word(buffer: &[u8], at: usize) -> bool {
    let before = &buffer[..at];
    match before {
        [.., b'\\', b'n' | b't' | b'r'] => true,
        [.., last] => !(last.is_ascii_alphanumeric() || matches!(last, b'_' | b'-')),
        [] => true,
    }
}

/// How many bytes of a class stand at the beginning.
pub(super) fn run(bytes: &[u8], class: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| !class(*byte)).unwrap_or(bytes.len())
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn is_token_or_dot(byte: u8) -> bool {
    is_token(byte) || byte == b'.'
}

/// RFC 6750's token68.
pub(super) fn is_credential(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'~' | b'+' | b'/' | b'=')
}
