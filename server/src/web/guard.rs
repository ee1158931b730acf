//! What surrounds every answer: headers that keep browsers careful, a log line for what failed, and a page instead of a
//! cut connection when the code panics.

use std::any::Any;

use app::error::Incident;
use axum::{
    Router,
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::{Html, IntoResponse, Response},
};
use tower_http::{
    catch_panic::CatchPanicLayer,
    set_header::SetResponseHeaderLayer,
    trace::{DefaultMakeSpan, DefaultOnFailure, DefaultOnResponse, TraceLayer},
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
            .make_span_with(DefaultMakeSpan::new().level(Level::INFO))
            .on_response(DefaultOnResponse::new().level(Level::DEBUG))
            .on_failure(DefaultOnFailure::new().level(Level::ERROR)),
    )
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
