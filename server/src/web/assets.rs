//! The site's files, embedded and compressed when they were built.
//!
//! Their address holds the build's id, so that they can be kept for ever and an old page never gets a new script.

use std::borrow::Cow;

use axum::{
    body::{Body, Bytes},
    extract::Path,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use rust_embed::Embed;

#[derive(Embed)]
#[cfg_attr(debug_assertions, folder = "../target/site/debug")]
#[cfg_attr(not(debug_assertions), folder = "../target/site/release")]
#[allow_missing = true]
struct Files;

/// What this build's assets live under, such as `/v/1a2b3c4d5e6f`; `None` when they were not built in.
pub fn root() -> Option<String> {
    let id = Files::get("build-id")?;
    Some(format!("/v/{}", std::str::from_utf8(&id.data).ok()?.trim()))
}

/// One file, in the smallest form that the browser accepts.
pub async fn asset(Path((build, path)): Path<(String, String)>, headers: HeaderMap) -> Response {
    let ours = root().is_some_and(|root| root.strip_prefix("/v/") == Some(&build));
    let Some((kind, plain)) = kind_of(&path).filter(|_| ours).zip(Files::get(&path)) else {
        return (StatusCode::NOT_FOUND, [(header::CACHE_CONTROL, "no-store")], "no such asset\n").into_response();
    };
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let smaller = [("br", "br"), ("gzip", "gz")].into_iter().find_map(|(coding, suffix)| {
        accepts(accepted, coding).then(|| Files::get(&format!("{path}.{suffix}")))?.map(|file| (coding, file))
    });
    let (coding, file) = match smaller {
        Some((coding, file)) => (Some(coding), file),
        None => (None, plain),
    };
    let body = match file.data {
        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        Cow::Owned(bytes) => bytes.into(),
    };
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
        (header::VARY, "accept-encoding"),
    ];
    let coding = coding.map(|coding| [(header::CONTENT_ENCODING, coding)]);
    match coding {
        Some(coding) => (headers, coding, Body::from(body)).into_response(),
        None => (headers, Body::from(body)).into_response(),
    }
}

/// The kinds of file a site has. Everything else, compressed forms included, is no asset.
fn kind_of(path: &str) -> Option<&'static str> {
    Some(match path.rsplit_once('.')?.1 {
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "webmanifest" => "application/manifest+json",
        "txt" => "text/plain; charset=utf-8",
        _ => return None,
    })
}

/// Whether `Accept-Encoding` names a coding without refusing it (`;q=0`).
fn accepts(accepted: &str, coding: &str) -> bool {
    accepted.split(',').any(|item| {
        let mut parts = item.split(';');
        let named = parts.next().is_some_and(|name| name.trim().eq_ignore_ascii_case(coding));
        let refused = parts
            .filter_map(|part| part.trim().strip_prefix("q="))
            .any(|weight| weight.trim().parse::<f32>().is_ok_and(|weight| weight <= 0.0));
        named && !refused
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coding_is_accepted_when_named_and_not_refused() {
        for (accepted, coding, is) in [
            ("gzip, deflate, br, zstd", "br", true),
            ("gzip;q=1.0, br;q=0", "br", false),
            ("gzip; q=0.000", "gzip", false),
            ("BR", "br", true),
            ("", "br", false),
            ("brotli", "br", false),
        ] {
            assert_eq!(accepts(accepted, coding), is, "{accepted}");
        }
    }

    #[tokio::test]
    async fn another_builds_asset_is_not_found() {
        let answer = asset(Path(("0".into(), "site.css".into())), HeaderMap::new()).await;
        assert_eq!(answer.status(), StatusCode::NOT_FOUND);
    }
}
