//! Secrets of share links: 256 bits from the system, as 64 hexadecimal digits, which logs shorten.

use anyhow::Context as _;
use domain::digest::Digest;

/// Digits of a secret.
const DIGITS: usize = 64;

/// A new secret and the SHA-256 that is kept of it.
pub fn make() -> anyhow::Result<(String, Digest)> {
    let mut random = [0; DIGITS / 2];
    getrandom::fill(&mut random).context("the system gives no random bits")?;
    let secret: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    let hash = Digest::of(secret.as_bytes());
    Ok((secret, hash))
}

/// What a text would be kept as; none where it is no secret.
pub fn hash(secret: &str) -> Option<Digest> {
    let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    (secret.len() == DIGITS && secret.bytes().all(digit)).then(|| Digest::of(secret.as_bytes()))
}
