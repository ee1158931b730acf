//! What other sites show of a report: the social card, the embedded card and charts, the badge.
//!
//! All other pages refuse to be framed; these are made for it. They hold no script, ask for nothing and know no reader: no
//! cookie is read, so that what a frame shows is the same for everybody. What is internal is redacted, as in share links.

mod pictures;
#[cfg(test)]
mod tests;

use app::{error::AppError, lang::Lang, query, routes::Route, visit::Visit};
use axum::{
    Router,
    body::Bytes,
    extract::{Path, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header},
    response::{IntoResponse, Response},
    routing::get,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use domain::{
    id::StudySlug,
    redact::redact,
    report::{self, Report},
    text::cards,
};
use render::embed::{Chart, Theme, card_page};
use sha2::{Digest as _, Sha256};
use store::StoredStudy;

pub use pictures::Pictures;

use super::AppState;

/// Their addresses.
pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/{lang}/studies/{slug}/card.png", get(social))
        .route("/{lang}/embed/{slug}/{what}", get(embedded))
        .route("/badge/{file}", get(badge))
}

/// What is asked for again every time, and mostly answered by "not modified".
const ALWAYS_ASK: &str = "no-cache";
/// A social card; previews are kept by those who made them anyway, and the page names each state of a study by its own
/// address.
const FIVE_MINUTES: &str = "public, max-age=300";

const CROSS_ORIGIN: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Something that is known by its bytes.
pub(super) struct Known {
    body: Bytes,
    tag: HeaderValue,
}

impl Known {
    fn new(body: impl Into<Bytes>) -> Self {
        let body = body.into();
        let digest = Sha256::digest(&body);
        let digest: String = digest.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
        // Weak: on its way an answer may be compressed.
        let tag = HeaderValue::from_str(&format!("W/\"{digest}\"")).expect("hexadecimal digits are a header");
        Self { body, tag }
    }

    /// The answer, or that the client has it already. Any site may show it.
    fn answer(&self, asked: &HeaderMap, kind: &'static str, cache: &'static str) -> Response {
        let headers = [
            (header::ETAG, self.tag.clone()),
            (header::CACHE_CONTROL, HeaderValue::from_static(cache)),
            (header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*")),
            (CROSS_ORIGIN, HeaderValue::from_static("cross-origin")),
        ];
        if self.is_had(asked) {
            return (StatusCode::NOT_MODIFIED, headers).into_response();
        }
        (headers, [(header::CONTENT_TYPE, kind)], self.body.clone()).into_response()
    }

    fn is_had(&self, asked: &HeaderMap) -> bool {
        let ours = self.tag.to_str().unwrap_or_default().trim_start_matches("W/");
        let had = asked.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        had.flat_map(|tags| tags.split(','))
            .map(str::trim)
            .any(|tag| tag == "*" || tag.trim_start_matches("W/") == ours)
    }
}

const SVG: &str = "image/svg+xml; charset=utf-8";
const HTML: &str = "text/html; charset=utf-8";

/// `/{lang}/studies/{slug}/card.png`
async fn social(
    State(state): State<AppState>,
    Path((lang, slug)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    let Ok(lang) = lang.parse::<Lang>() else { return nothing() };
    let study = match state.site.store.study(&StudySlug::new(slug)).await {
        Ok(study) => study,
        Err(error) => return refused(&AppError::from_store(&error)),
    };
    match state.pictures.of(study, lang).await {
        Ok(Some(picture)) => picture.answer(&headers, "image/png", FIVE_MINUTES),
        // No font of this machine can draw it.
        Ok(None) => nothing(),
        Err(error) => refused(&AppError::internal(&error)),
    }
}

/// `/{lang}/embed/{slug}/card` and `/{lang}/embed/{slug}/{chart}.svg`
async fn embedded(
    State(state): State<AppState>,
    Path((lang, slug, what)): Path<(String, String, String)>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let Ok(lang) = lang.parse::<Lang>() else { return nothing() };
    let chart = what.strip_suffix(".svg").and_then(Chart::named);
    if chart.is_none() && what != "card" {
        return nothing();
    }
    let report = match read(&state, slug.clone()).await {
        Ok(report) => report,
        Err(error) => return refused(&error),
    };
    let theme = Theme::named(&field(&uri, "theme"));
    let (made, kind) = match chart {
        Some(chart) => (chart.svg(&report, lang, theme), SVG),
        None => {
            let origin = Visit::of(&uri, &headers, &state.site).origin;
            let href = format!("{origin}{}", Route::Study(slug).href(lang));
            (Some(card_page(&report, lang, theme, &href)), HTML)
        }
    };
    let Some(made) = made else { return nothing() };
    let policy = framed_policy(&made.style);
    let mut answer = Known::new(made.body).answer(&headers, kind, ALWAYS_ASK);
    answer.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    answer
}

/// `/badge/{slug}.svg?lang=ja|en`, English where nothing is said.
async fn badge(State(state): State<AppState>, Path(file): Path<String>, uri: Uri, headers: HeaderMap) -> Response {
    let Some(slug) = file.strip_suffix(".svg") else { return nothing() };
    let lang = field(&uri, "lang").parse().unwrap_or(Lang::En);
    let (status, svg) = match read(&state, slug.to_owned()).await {
        Ok(report) => {
            let (tone, words) = cards::badge(lang, &report);
            (None, render::badge(lang, tone, &words))
        }
        // A picture, too: an image that fails to load says nothing to who reads the page.
        Err(AppError::NotFound) => (Some(StatusCode::NOT_FOUND), render::badge_not_found(lang)),
        Err(error) => return refused(&error),
    };
    let known = Known::new(svg);
    match status {
        None => known.answer(&headers, SVG, ALWAYS_ASK),
        Some(status) => (status, known.answer(&HeaderMap::new(), SVG, ALWAYS_ASK)).into_response(),
    }
}

async fn read(state: &AppState, slug: String) -> Result<Report, AppError> {
    let read = state.site.store.study(&StudySlug::new(slug)).await;
    let StoredStudy { data, .. } = read.map_err(|error| AppError::from_store(&error))?;
    // Whoever sees it on another site has no account here.
    Ok(report::build(&redact(&data).data))
}

/// A field of the query; empty where it is not there.
fn field(uri: &Uri, name: &str) -> String {
    let fields = query::fields(uri.query());
    fields.into_iter().find(|(key, _)| key == name).map(|(_, value)| value).unwrap_or_default()
}

/// One style sheet, known by its digest, and nothing else; any page may frame it.
fn framed_policy(style: &str) -> HeaderValue {
    let digest = STANDARD.encode(Sha256::digest(style));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'; frame-ancestors *"
    );
    HeaderValue::from_str(&policy).expect("base64 and our own words fit into a header")
}

fn nothing() -> Response {
    refused(&AppError::NotFound)
}

fn refused(error: &AppError) -> Response {
    let words = match error {
        AppError::Internal(incident) => format!("this cannot be drawn; incident {incident}\n"),
        AppError::NotFound | AppError::Invalid(_) | AppError::Denied | AppError::Conflict => {
            "there is nothing at this address\n".to_owned()
        }
    };
    (error.status(), [(header::CACHE_CONTROL, "no-store")], words).into_response()
}
