//! Raw outputs back again, as they were received.

use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use domain::digest::Digest;
use http_body_util::BodyExt as _;
use serde_json::json;
use tower::ServiceExt as _;

use super::{Desk, block, envelope};

async fn get(desk: &Desk, path: &str) -> (StatusCode, axum::http::HeaderMap, Vec<u8>) {
    let response = desk.router.clone().oneshot(Request::get(path).body(Body::empty()).unwrap()).await.unwrap();
    let (status, headers) = (response.status(), response.headers().clone());
    (status, headers, response.into_body().collect().await.unwrap().to_bytes().to_vec())
}

/// Lines that no compression makes much shorter.
fn noise(lines: usize) -> String {
    (0..lines).map(|at| format!("{}\n", Digest::of(&at.to_le_bytes()))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn short_and_long_raw_outputs_are_downloaded_byte_for_byte() {
    let desk = Desk::new().await;
    for (seed, lines) in [(1, 0), (2, 80_000)] {
        let text = format!("{}{}", noise(lines), block(seed));
        let sent = envelope(json!({})).to_string();
        let answer = desk.parts(&[("envelope", "", sent.as_bytes()), ("file", "a.log", text.as_bytes())]).await;
        assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
        let (status, headers, bytes) = get(&desk, &format!("/raw/{}", Digest::of(text.as_bytes()))).await;
        assert_eq!(status, StatusCode::OK);
        assert_eq!(headers[header::CONTENT_LENGTH], text.len().to_string());
        assert_eq!(headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
        assert!(headers[header::CONTENT_DISPOSITION].to_str().unwrap().starts_with("attachment"));
        assert!(bytes == text.as_bytes(), "{} bytes for {}", bytes.len(), text.len());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_is_said() {
    let desk = Desk::new().await;
    for path in [format!("/raw/{}", Digest::of(b"none")), "/raw/..%2f..%2fetc".to_owned(), "/raw/ABC".to_owned()] {
        let (status, headers, body) = get(&desk, &path).await;
        assert_eq!((status, headers[header::CACHE_CONTROL].as_bytes()), (StatusCode::NOT_FOUND, &b"no-store"[..]));
        assert!(String::from_utf8(body).unwrap().contains("no raw output"), "{path}");
    }
}
