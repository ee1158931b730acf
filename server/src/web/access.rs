//! Who may change something by a form: upload results, write notes, publish, share.
//!
//! The API asks every program for a token. Pages are for people, who have no accounts yet:
//!
//! * Where a token that may upload exists, the operator has decided who writes: the form asks for a token, too. An
//!   upload's preview remembers its digest, and saving checks that it still opens.
//! * Where none exists, forms are open to this machine alone: the server listens on a loopback address, no public
//!   address was given, and the reader came by a loopback name, which a site that points its own name at 127.0.0.1 (DNS
//!   rebinding) does not have.
//! * Otherwise a token is needed, and there is none: the page says how one is made.
//!
//! Every form must come from a page of this site, which browsers attest.

use app::visit::Site;
use axum::http::{HeaderMap, header};
use domain::digest::Digest;
use store::{Store, StoreError, Token};

use crate::web::AppState;

/// Why a form is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closed {
    /// It came from another site.
    OtherSite,
    /// No token, where one is needed.
    TokenMissing,
    /// A token that is not known, was revoked or has expired.
    TokenRefused,
    /// A token for something else.
    TokenScope,
}

impl Closed {
    /// The answer's status.
    pub const fn status(self) -> u16 {
        match self {
            Self::TokenMissing | Self::TokenRefused => 401,
            Self::OtherSite | Self::TokenScope => 403,
        }
    }
}

/// Who sent a form that is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Writer {
    /// Whoever sits at this machine.
    ThisMachine,
    /// The holder of the token of this name.
    Token(String),
}

/// Who sends a form that has one field for a token, `secret`; why not, where it is not accepted.
pub async fn writer(
    state: &AppState,
    headers: &HeaderMap,
    secret: Option<&str>,
    now_ms: i64,
) -> Result<Result<Writer, Closed>, StoreError> {
    if !is_own_form(headers, &state.site) {
        return Ok(Err(Closed::OtherSite));
    }
    if !asks_for_token(state, headers, now_ms).await? {
        return Ok(Ok(Writer::ThisMachine));
    }
    match secret.map(str::trim).filter(|secret| !secret.is_empty()) {
        None => Ok(Err(Closed::TokenMissing)),
        Some(secret) => {
            let opened = opens(&state.site.store, &Digest::of(secret.as_bytes()), now_ms).await?;
            Ok(opened.map(|token| Writer::Token(token.name)))
        }
    }
}

/// Whether the page asks for a token.
pub async fn asks_for_token(state: &AppState, headers: &HeaderMap, now_ms: i64) -> Result<bool, StoreError> {
    if !(state.local && is_local(headers)) {
        return Ok(true);
    }
    let tokens = state.site.store.tokens().await?;
    Ok(tokens.iter().any(|token| token.scope.uploads() && token.is_valid(now_ms)))
}

/// The token that was entered or remembered, if it may write.
pub async fn opens(store: &Store, digest: &Digest, now_ms: i64) -> Result<Result<Token, Closed>, StoreError> {
    Ok(match store.check_token(digest, now_ms).await? {
        None => Err(Closed::TokenRefused),
        Some(token) if !token.scope.uploads() => Err(Closed::TokenScope),
        Some(token) => Ok(token),
    })
}

/// Whether a form was sent by a page of this site. `Sec-Fetch-Site` is set by the browser alone; browsers leave it out on
/// plain HTTP, where `Origin` names the page's site. A form with neither comes from no browser that we know.
pub fn is_own_form(headers: &HeaderMap, site: &Site) -> bool {
    let text = |name: header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(from) = text(header::HeaderName::from_static("sec-fetch-site")) {
        return matches!(from, "same-origin" | "none");
    }
    let Some(origin) = text(header::ORIGIN) else { return false };
    let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    let named = host.is_some() && host == text(header::HOST);
    named || site.origin.as_deref().is_some_and(|own| own == origin)
}

/// Whether the reader came by a name that only this machine has.
fn is_local(headers: &HeaderMap) -> bool {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let address = name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    address || name.eq_ignore_ascii_case("localhost")
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderName;

    use super::*;

    fn headers(all: &[(&'static str, &'static str)]) -> HeaderMap {
        all.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap())).collect()
    }

    #[test]
    fn only_a_name_of_this_machine_is_local() {
        for (host, local) in [
            ("127.0.0.1:3000", true),
            ("127.8.9.1", true),
            ("localhost:3000", true),
            ("[::1]:3000", true),
            ("bench.example:3000", false),
            ("127.0.0.1.evil.example", false),
            ("localhost.evil.example", false),
            ("192.168.0.7:3000", false),
            ("", false),
        ] {
            assert_eq!(is_local(&headers(&[("host", host)])), local, "{host}");
        }
    }

    #[tokio::test]
    async fn a_form_of_another_site_is_seen() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&store::Location::DataDir(dir.path().to_owned())).await.unwrap();
        let site = Site { assets: "".into(), origin: Some("https://bench.example".into()), store };
        for (sent, own) in [
            (&[("sec-fetch-site", "same-origin"), ("origin", "null")][..], true),
            (&[("sec-fetch-site", "none")], true),
            (&[("sec-fetch-site", "cross-site"), ("host", "a"), ("origin", "http://a")], false),
            (&[("sec-fetch-site", "same-site")], false),
            (&[("host", "a:3000"), ("origin", "http://a:3000")], true),
            (&[("host", "a:3000"), ("origin", "http://a:3001")], false),
            (&[("host", "a:3000"), ("origin", "null")], false),
            (&[("host", "inside:3000"), ("origin", "https://bench.example")], true),
            (&[("host", "a:3000")], false),
            (&[("origin", "http://a")], false),
        ] {
            assert_eq!(is_own_form(&headers(sent), &site), own, "{sent:?}");
        }
    }
}
