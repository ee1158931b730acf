//! What surrounds every answer: headers that keep browsers careful, a log line for what failed, and a page instead of a
//! cut connection when the code panics.

use std::any::Any;

use app::error::Incident;
use axum::{
    Router,
    extract::Request,
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::{Html, IntoResponse, Response},
};
use tower_http::{
    catch_panic::CatchPanicLayer,
    set_header::SetResponseHeaderLayer,
    trace::{DefaultOnFailure, DefaultOnResponse, TraceLayer},
};
use tracing::Level;

use super::assets;

/// Pages drawn by Leptos bring their own, with a nonce; everything else needs no script at all.
const POLICY: &str = "default-src 'self'; script-src 'none'; object-src 'none'; base-uri 'none'; \
                      frame-ancestors 'none'; form-action 'self'";

const HEADERS: [(HeaderName, &str); 4] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// Puts the guard around all routes.
pub fn around<S: Clone + Send + Sync + 'static>(routes: Router<S>) -> Router<S> {
    let mut routes = routes.layer(CatchPanicLayer::custom(panicked));
    for (name, value) in HEADERS {
        routes = routes.layer(SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value)));
    }
    routes.layer(
        TraceLayer::new_for_http()
            .make_span_with(|request: &Request| {
                let uri = without_capabilities(&request.uri().to_string());
                tracing::info_span!("request", method = %request.method(), %uri, version = ?request.version())
            })
            .on_response(DefaultOnResponse::new().level(Level::DEBUG))
            .on_failure(DefaultOnFailure::new().level(Level::ERROR)),
    )
}

/// An address as it may be logged. Who knows the address of a preview can see and save it, so long runs of hexadecimal
/// digits lose all but their first eight: enough to find two lines about the same thing.
fn without_capabilities(uri: &str) -> String {
    /// Shorter ones are run ids, which open nothing that is not open.
    const LONG: usize = 48;
    const SHOWN: usize = 8;
    let mut shown = String::with_capacity(uri.len());
    let mut rest = uri;
    while !rest.is_empty() {
        let hex = rest.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(rest.len());
        let (digits, after) = rest.split_at(hex);
        shown.push_str(if hex >= LONG { &digits[..SHOWN] } else { digits });
        if hex >= LONG {
            shown.push('…');
        }
        let other = after.find(|c: char| c.is_ascii_hexdigit()).unwrap_or(after.len());
        shown.push_str(&after[..other]);
        rest = &after[other..];
    }
    shown
}

/// Drawn without Leptos, which may be what panicked, and in both languages, since nothing is known here.
#[expect(clippy::needless_pass_by_value, reason = "the layer hands it over")]
fn panicked(cause: Box<dyn Any + Send>) -> Response {
    let incident = Incident::new();
    let cause = cause
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| cause.downcast_ref::<&str>().copied())
        .unwrap_or("a panic without a text");
    tracing::error!(%incident, "panic while answering: {cause}");
    let style = assets::root().map(|root| format!(r#"<link rel="stylesheet" href="{root}/site.css">"#));
    let en = app::words::words(app::lang::Lang::En);
    let ja = app::words::words(app::lang::Lang::Ja);
    let page = format!(
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\"><title>{} — Touchstone</title>{}</head><body>\
         <main class=\"page\"><div class=\"title\"><h1>{}</h1></div><div class=\"prose\"><p>{}</p><p>{} \
         <code>{incident}</code></p><hr><section lang=\"ja\"><h2>{}</h2><p>{}</p><p>{} <code>{incident}</code></p>\
         </section></div></main></body></html>",
        en.internal_title,
        style.unwrap_or_default(),
        en.internal_title,
        en.internal,
        en.incident,
        ja.internal_title,
        ja.internal,
        ja.incident,
    );
    (StatusCode::INTERNAL_SERVER_ERROR, [(header::CACHE_CONTROL, "no-store")], Html(page)).into_response()
}

#[cfg(test)]
mod tests {
    use axum::{body::Body, http::Request, routing::get};
    use http_body_util::BodyExt as _;
    use tower::ServiceExt as _;

    use super::*;

    async fn boom() -> &'static str {
        panic!("a secret detail")
    }

    #[test]
    fn the_log_has_addresses_but_not_the_ones_that_open_something() {
        let id = "0123456789abcdef".repeat(4);
        assert_eq!(without_capabilities(&format!("/en/upload/{id}#x")), "/en/upload/01234567…#x");
        assert_eq!(without_capabilities(&format!("/ja/upload/x{id}?a={id}")), "/ja/upload/x01234567…?a=01234567…");
        for plain in ["/en/studies/qwen3-14b-h100?q=sglang", "/en/runs/0123456789abcdef", "/", "", "/試"] {
            assert_eq!(without_capabilities(plain), plain);
        }
    }

    #[tokio::test]
    async fn a_panic_becomes_a_page_with_a_number_and_no_detail() {
        let routes: Router<()> = around(Router::new().route("/", get(boom)));
        let answer = routes.oneshot(Request::new(Body::empty())).await.unwrap();
        assert_eq!(answer.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(answer.headers()[header::CONTENT_SECURITY_POLICY], POLICY);
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        let page = std::str::from_utf8(&body).unwrap();
        assert!(page.contains("Incident") && page.contains("障害番号"), "{page}");
        assert!(!page.contains("secret"), "{page}");
    }
}
