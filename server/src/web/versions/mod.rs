//! Published versions: the page that lists and publishes, and what is frozen. Nothing of a version is drawn here: what is
//! served are the bytes that the store kept.

#[cfg(test)]
mod tests;

use app::{
    lang::Lang,
    query,
    routes::{Route, version_href},
    versions::{Sent, VersionsDesk},
    visit::preferred,
};
use axum::{
    Form, Router,
    body::Body,
    extract::{DefaultBodyLimit, Path, State, rejection::FormRejection},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header},
    response::{IntoResponse, Redirect, Response},
    routing::get,
};
use domain::{
    digest::Digest,
    id::StudySlug,
    mask::mask_text,
    report::table::Kind,
    text::versions::VersionNotice,
    version::{MAX_REMARK, remark},
};
use leptos::prelude::provide_context;
use store::{Audience, StoreError};

use super::{
    AppState,
    access::{self, Closed, Writer},
    exports, pages, sheet,
};
use crate::cmd::import::now_ms;
use crate::export::{
    self,
    version::{Outcome, file_name, lang_of, publish},
};

/// A remark at its longest, every byte escaped, and as much again: whoever is a little over the limit is told so with the
/// remark still in the form.
const MAX_FORM: usize = MAX_REMARK * 4 * 3 * 4;

/// Asked for again every time, and answered by "not modified": who may see a study may change, its bytes do not.
const ALWAYS_ASK: &str = "no-cache";

/// SHA-256 of what is served, before it is compressed on its way: it can be held against the list of versions.
const SHA256: HeaderName = HeaderName::from_static("x-content-sha256");

/// Pages and texts, which are compressed on their way.
pub fn routes() -> Router<AppState> {
    let routes = Router::new()
        .route("/reports/{slug}/{version}", get(to_language))
        .route("/{lang}/reports/{slug}/{version}", get(html))
        .route("/{lang}/reports/{slug}/{version}/{file}", get(text));
    Lang::ALL.into_iter().fold(routes, |routes, lang| {
        let page = get(show).post(move |state, slug, uri, headers, form| take(lang, state, slug, uri, headers, form));
        routes.route(&format!("/{lang}/studies/{{slug}}/versions"), page.layer(DefaultBodyLimit::max(MAX_FORM)))
    })
}

/// Files that are compressed in themselves.
pub fn packed_routes() -> Router<AppState> {
    Router::new().route("/{lang}/reports/{slug}/{version}/report.xlsx", get(workbook))
}

/// What an address of a version names; none where it names nothing of ours.
struct Asked {
    slug: StudySlug,
    number: u32,
    lang: Lang,
}

impl Asked {
    fn read(lang: &str, slug: &str, version: &str) -> Option<Self> {
        let number = version.strip_prefix('v').filter(|digits| !digits.starts_with(['0', '+']))?;
        Some(Self { slug: StudySlug::new(slug), number: number.parse().ok()?, lang: lang.parse().ok()? })
    }
}

/// A version in the language that the reader prefers, at an address that names none.
async fn to_language(
    State(state): State<AppState>,
    Path((slug, version)): Path<(String, String)>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let lang = preferred(&headers);
    let asked = Asked::read(lang.code(), &slug, &version);
    let place = asked.as_ref().map(|asked| version_href(lang, asked.slug.as_str(), asked.number));
    let mut answer = frozen(&state, asked, export::Form::Html, uri, &headers).await;
    if let Some(place) = place.and_then(|place| HeaderValue::from_str(&place).ok())
        && matches!(answer.status(), StatusCode::OK | StatusCode::NOT_MODIFIED)
    {
        answer.headers_mut().insert(header::CONTENT_LOCATION, place);
        answer.headers_mut().insert(header::VARY, HeaderValue::from_static("accept-language"));
    }
    answer
}

async fn html(
    State(state): State<AppState>,
    Path((lang, slug, version)): Path<(String, String, String)>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    frozen(&state, Asked::read(&lang, &slug, &version), export::Form::Html, uri, &headers).await
}

async fn text(
    State(state): State<AppState>,
    Path((lang, slug, version, file)): Path<(String, String, String, String)>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let asked = Asked::read(&lang, &slug, &version);
    let form = match file.as_str() {
        "report.md" => export::Form::Markdown,
        "report.json" => export::Form::Json,
        "reproduce.sh" => export::Form::Reproduce,
        "report.csv" => {
            let fields = query::fields(uri.query());
            let named = fields.iter().find(|(name, _)| name == "table").map(|(_, key)| key.as_str());
            match named.map_or(Some(Kind::Runs), Kind::of_key) {
                Some(kind) => export::Form::Csv(kind),
                None => return exports::no_table(),
            }
        }
        _ => return pages::draw(&state, uri, &headers, || {}).await,
    };
    frozen(&state, asked, form, uri, &headers).await
}

async fn workbook(
    State(state): State<AppState>,
    Path((lang, slug, version)): Path<(String, String, String)>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    frozen(&state, Asked::read(&lang, &slug, &version), export::Form::Xlsx, uri, &headers).await
}

/// What was frozen, or that the reader has it already.
async fn frozen(state: &AppState, asked: Option<Asked>, form: export::Form, uri: Uri, headers: &HeaderMap) -> Response {
    let Some(Asked { slug, number, lang }) = asked else { return pages::draw(state, uri, headers, || {}).await };
    let (of, name) = (lang_of(form, lang), file_name(form));
    let (digest, bytes) = match state.site.store.version_file(&slug, number, Audience::All, of, name).await {
        Ok(found) => found,
        Err(error) => return exports::refused(state, uri, headers, &error).await,
    };
    let mut answer = if form == export::Form::Html {
        sheet::answer(bytes)
    } else {
        let versioned = StudySlug::new(format!("{slug}-v{number}"));
        exports::download(bytes, exports::media_type(form), &export::file_name(&versioned, form, lang))
    };
    if is_had(headers, &digest) {
        // Its headers replace those that the browser kept, so they are the same: the policy above all.
        *answer.status_mut() = StatusCode::NOT_MODIFIED;
        *answer.body_mut() = Body::empty();
    }
    // Weak: on its way an answer may be compressed.
    let tag = HeaderValue::from_str(&format!("W/\"{digest}\"")).expect("hexadecimal digits are a header");
    let sha256 = HeaderValue::from_str(digest.as_str()).expect("hexadecimal digits are a header");
    answer.headers_mut().extend([
        (header::ETAG, tag),
        (header::CACHE_CONTROL, HeaderValue::from_static(ALWAYS_ASK)),
        (SHA256, sha256),
    ]);
    answer
}

fn is_had(asked: &HeaderMap, digest: &Digest) -> bool {
    let had = asked.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let tag = |tag: &str| tag.trim_start_matches("W/").trim_matches('"') == digest.as_str();
    had.flat_map(|tags| tags.split(',')).map(str::trim).any(|one| one == "*" || tag(one))
}

/// All versions of a study, the form that publishes, and what changed.
async fn show(State(state): State<AppState>, uri: Uri, headers: HeaderMap) -> Response {
    let desk = match access::asks_for_token(&state, &headers, now_ms()).await {
        Ok(token) => VersionsDesk { token, ..VersionsDesk::default() },
        Err(error) => VersionsDesk { notice: Some(failed(&error.into())), token: true, sent: None },
    };
    draw(&state, uri, &headers, desk).await
}

async fn draw(state: &AppState, uri: Uri, headers: &HeaderMap, desk: VersionsDesk) -> Response {
    let mut answer = pages::draw(state, uri, headers, move || provide_context(desk.clone())).await;
    // What is in a form is for one reader, now: nothing between keeps it.
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

/// The form: publishes, or comes back as it was filled in.
async fn take(
    lang: Lang,
    State(state): State<AppState>,
    Path(slug): Path<String>,
    uri: Uri,
    headers: HeaderMap,
    form: Result<Form<Vec<(String, String)>>, FormRejection>,
) -> Response {
    let now = now_ms();
    let asks = access::asks_for_token(&state, &headers, now).await;
    let mut desk = VersionsDesk { token: asks.unwrap_or(true), ..VersionsDesk::default() };
    let Ok(Form(fields)) = form else {
        desk.notice = Some((VersionNotice::BadForm, 400));
        return draw(&state, uri, &headers, desk).await;
    };
    let value = |name: &str| fields.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let (remark, found) = mask_text(&remark(value("remark").unwrap_or_default()));
    let slug = StudySlug::new(slug);
    match accept(&state, &headers, &slug, &remark, value("token"), now).await {
        Ok(outcome) => {
            let page = Route::Versions(slug.to_string()).href(lang);
            let (word, number) = match outcome {
                Outcome::New(version) => ("published", version.number),
                Outcome::Same(version) => ("unchanged", version.number),
            };
            let masked = if found.is_empty() { "" } else { "&masked" };
            Redirect::to(&format!("{page}?{word}={number}{masked}")).into_response()
        }
        Err(Refused::Gone) => pages::draw(&state, uri, &headers, || {}).await,
        Err(Refused::Notice(notice)) => {
            desk.notice = Some(notice);
            desk.sent = Some(Sent { remark });
            draw(&state, uri, &headers, desk).await
        }
    }
}

enum Refused {
    /// There is no such study.
    Gone,
    /// What helps, and the answer's status.
    Notice((VersionNotice, u16)),
}

async fn accept(
    state: &AppState,
    headers: &HeaderMap,
    slug: &StudySlug,
    remark: &str,
    token: Option<&str>,
    now: i64,
) -> Result<Outcome, Refused> {
    let writer = access::writer(state, headers, token, now).await;
    let writer = writer.map_err(|error| Refused::Notice(failed(&error.into())))?;
    let author = match writer.map_err(|closed| Refused::Notice(self::closed(closed)))? {
        Writer::ThisMachine => None,
        Writer::Token(name) => Some(name),
    };
    let characters = remark.chars().count();
    if characters > MAX_REMARK {
        return Err(Refused::Notice((VersionNotice::TooLong(characters), 413)));
    }
    match publish(&state.site.store, slug, author.as_deref(), remark, now_ms).await {
        Ok(outcome) => Ok(outcome),
        Err(error) if matches!(error.downcast_ref(), Some(StoreError::NotFound { .. })) => Err(Refused::Gone),
        Err(error) => Err(Refused::Notice(failed(&error))),
    }
}

fn closed(closed: Closed) -> (VersionNotice, u16) {
    let notice = match closed {
        Closed::OtherSite => VersionNotice::OtherSite,
        Closed::TokenMissing => VersionNotice::TokenMissing,
        Closed::TokenRefused => VersionNotice::TokenRefused,
        Closed::TokenScope => VersionNotice::TokenScope,
    };
    (notice, closed.status())
}

/// Somebody else's turn, or our fault: then the log says what happened.
fn failed(error: &anyhow::Error) -> (VersionNotice, u16) {
    if let Some(StoreError::Conflict(_)) = error.downcast_ref() {
        return (VersionNotice::Busy, 503);
    }
    let incident = app::error::Incident::new();
    tracing::error!(%incident, "a version could not be published: {error:#}");
    (VersionNotice::Incident(incident.to_string()), 500)
}
