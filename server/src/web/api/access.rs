//! Who may do what: bearer tokens, known by their SHA-256.

use axum::http::{HeaderMap, header};
use domain::digest::Digest;
use store::{Scope, Store, Token};

use super::problem::{Kind, Problem};

/// The token of a request that wants to upload.
pub async fn uploader(store: &Store, headers: &HeaderMap, now_ms: i64) -> Result<Token, Problem> {
    let token = valid(store, headers, now_ms).await?;
    if token.scope.uploads() {
        return Ok(token);
    }
    let detail = format!("the token \"{}\" has the scope {}", token.name, token.scope.key());
    Err(Problem::new(Kind::Forbidden, detail).expected("a token with the scope upload, agent or admin"))
}

/// The token of a request that wants to know what became of an upload: whoever may read, and whoever may upload.
pub async fn reader(store: &Store, headers: &HeaderMap, now_ms: i64) -> Result<Token, Problem> {
    let token = valid(store, headers, now_ms).await?;
    match token.scope {
        Scope::Read | Scope::Upload | Scope::Agent | Scope::Admin => Ok(token),
    }
}

async fn valid(store: &Store, headers: &HeaderMap, now_ms: i64) -> Result<Token, Problem> {
    let unauthorised = |detail: &str| {
        Problem::new(Kind::Unauthorised, detail)
            .expected("Authorization: Bearer tst_…, a token from `touchstone token create`")
            .header(header::WWW_AUTHENTICATE, "Bearer realm=\"touchstone\"")
    };
    let sent = headers.get(header::AUTHORIZATION).ok_or_else(|| unauthorised("there is no token"))?;
    let sent = sent.to_str().ok().and_then(|sent| sent.split_once(' '));
    let Some((_, secret)) = sent.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")) else {
        return Err(unauthorised("the Authorization header is not understood"));
    };
    let token = store.check_token(&Digest::of(secret.trim().as_bytes()), now_ms).await?;
    token.ok_or_else(|| unauthorised("the token is not known, was revoked or has expired"))
}
