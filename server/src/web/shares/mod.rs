//! Share links: the page on which they are made and revoked, and what they open.

mod outside;
pub mod secret;
#[cfg(test)]
mod tests;
pub mod view;

use app::{
    error::Incident,
    lang::Lang,
    query,
    routes::{Route, shared_href},
    shares::{Sent, SharesDesk},
    standalone::Way,
};
use axum::{
    Form, Router,
    extract::{DefaultBodyLimit, Path, State, rejection::FormRejection},
    http::{HeaderMap, HeaderValue, StatusCode, Uri, header},
    response::{IntoResponse, Redirect, Response},
    routing::{get, post},
};
use domain::{
    id::StudySlug,
    share::{DAY_MS, LIVES, MAX_LABEL, Scope, label},
    text::shares::{ShareNotice, share_labels},
};
use leptos::prelude::provide_context;
use store::{NewShare, StoreError};

use super::{
    AppState,
    access::{self, Closed, Writer},
    pages, sheet,
};
use crate::cmd::import::now_ms;
use view::Nothing;

/// Fifty sides of a comparison, every byte of them escaped.
const MAX_FORM: usize = 128 * 1024;

/// All of them.
pub fn routes() -> Router<AppState> {
    let routes = Router::new()
        .route("/s/{secret}", get(outside::to_language))
        .route("/s/{secret}/{lang}", get(outside::page))
        .route("/s/{secret}/{lang}/{file}", get(outside::file))
        .route("/s/{secret}/raw/{digest}", get(outside::raw_output));
    let routes = Lang::ALL.into_iter().fold(routes, |routes, lang| {
        let of = format!("/{lang}/studies/{{slug}}/shares");
        let page = get(show).post(move |state, slug, uri, headers, form| make(lang, state, slug, uri, headers, form));
        let preview = post(move |state, slug, uri, headers, form| preview(lang, state, slug, uri, headers, form));
        let revoke = post(move |state, slug, uri, headers, form| revoke(lang, state, slug, uri, headers, form));
        routes.route(&of, page).route(&format!("{of}/preview"), preview).route(&format!("{of}/revoke"), revoke)
    });
    routes.layer(DefaultBodyLimit::max(MAX_FORM))
}

type Fields = Result<Form<Vec<(String, String)>>, FormRejection>;

fn value<'a>(fields: &'a [(String, String)], name: &str) -> Option<&'a str> {
    fields.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
}

/// A form as it was filled in.
fn sent(fields: &[(String, String)]) -> Sent {
    // What cannot be read is no reason to keep a link open for ever.
    let days = match value(fields, "expires") {
        Some("never") => None,
        Some(days) => days.parse().ok().or(Sent::default().days),
        None => Sent::default().days,
    };
    Sent {
        scope: value(fields, "scope").unwrap_or("study").to_owned(),
        label: label(value(fields, "label").unwrap_or_default()),
        redacted: value(fields, "redacted").is_some(),
        public: value(fields, "public").is_some(),
        days: if LIVES.contains(&days) { days } else { Sent::default().days },
    }
}

/// The list and the form.
async fn show(State(state): State<AppState>, uri: Uri, headers: HeaderMap) -> Response {
    draw(&state, uri, &headers, SharesDesk::default()).await
}

async fn draw(state: &AppState, uri: Uri, headers: &HeaderMap, mut desk: SharesDesk) -> Response {
    match access::asks_for_token(state, headers, now_ms()).await {
        Ok(token) => desk.token = token,
        Err(error) => {
            desk.token = true;
            desk.notice = Some(failed(&error.into()));
        }
    }
    let mut answer = pages::draw(state, uri, headers, move || provide_context(desk.clone())).await;
    // A link that was just made is for one reader, now: nothing between keeps it.
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

/// Makes a link, and shows it this once; or the form comes back as it was filled in.
async fn make(
    lang: Lang,
    State(state): State<AppState>,
    Path(slug): Path<String>,
    uri: Uri,
    headers: HeaderMap,
    form: Fields,
) -> Response {
    let Ok(Form(fields)) = form else { return bad_form(&state, uri, &headers).await };
    let asked = sent(&fields);
    let mut desk = SharesDesk::default();
    match accept(&state, &headers, &StudySlug::new(slug), &asked, value(&fields, "token")).await {
        Ok(secret) => desk.made = Some(shared_href(lang, &secret)),
        Err(Refused::Gone) => return pages::draw(&state, uri, &headers, || {}).await,
        Err(Refused::Notice(notice)) => {
            desk.notice = Some(notice);
            desk.sent = Some(asked);
        }
    }
    draw(&state, uri, &headers, desk).await
}

enum Refused {
    /// There is no such study.
    Gone,
    /// What helps, and the answer's status.
    Notice((ShareNotice, u16)),
}

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound { .. } => Self::Gone,
            other => Self::Notice(failed(&other.into())),
        }
    }
}

async fn writer(
    state: &AppState,
    headers: &HeaderMap,
    token: Option<&str>,
    now: i64,
) -> Result<Option<String>, Refused> {
    match access::writer(state, headers, token, now).await? {
        Ok(Writer::ThisMachine) => Ok(None),
        Ok(Writer::Token(name)) => Ok(Some(name)),
        Err(closed) => Err(Refused::Notice(self::closed(closed))),
    }
}

async fn accept(
    state: &AppState,
    headers: &HeaderMap,
    study: &StudySlug,
    asked: &Sent,
    token: Option<&str>,
) -> Result<String, Refused> {
    let now = now_ms();
    let author = writer(state, headers, token, now).await?;
    let characters = asked.label.chars().count();
    if characters > MAX_LABEL {
        return Err(Refused::Notice((ShareNotice::TooLong(characters), 413)));
    }
    let nothing = || Refused::Notice((ShareNotice::NothingThere, 422));
    let scope = Scope::read(&asked.scope).ok_or_else(nothing)?;
    let store = &state.site.store;
    match view::is_there(store, study, &scope).await {
        Ok(true) => {}
        Ok(false) | Err(Nothing::Gone) => return Err(nothing()),
        Err(Nothing::Failed(error)) => return Err(Refused::Notice(failed(&error))),
    }
    let (secret, hash) = secret::make().map_err(|error| Refused::Notice(failed(&error)))?;
    let share = NewShare {
        hash,
        study: study.clone(),
        scope,
        redacted: asked.redacted,
        indexed: asked.public,
        label: asked.label.clone(),
        author,
        created_at: now,
        expires_at: asked.days.map(|days| now + i64::from(days) * DAY_MS),
    };
    store.create_share(&share).await?;
    Ok(secret)
}

/// What outsiders would see, under a link back. It is sent as a form: what it opens may be long.
async fn preview(
    lang: Lang,
    State(state): State<AppState>,
    Path(slug): Path<String>,
    uri: Uri,
    headers: HeaderMap,
    form: Fields,
) -> Response {
    let Ok(Form(fields)) = form else { return bad_form(&state, uri, &headers).await };
    let asked = sent(&fields);
    if !access::is_own_form(&headers, &state.site) {
        let notice = Some(self::closed(Closed::OtherSite));
        return draw(&state, page_of(&uri), &headers, SharesDesk { notice, ..SharesDesk::default() }).await;
    }
    let back = Route::Shares(slug.clone()).href(lang);
    let frame = view::Frame {
        redacted: asked.redacted,
        public: asked.public,
        expires_at: asked.days.map(|days| now_ms() + i64::from(days) * DAY_MS),
        ways: vec![Way { href: back, label: share_labels(lang).back.to_owned(), lang: None }],
        raw: (!asked.redacted).then(|| "/raw".into()),
    };
    let study = StudySlug::new(slug);
    let drawn = match Scope::read(&asked.scope) {
        Some(scope) => view::page(&state.site.store, &study, &scope, frame, lang).await,
        None => Err(Nothing::Gone),
    };
    match drawn {
        Ok(html) => {
            let mut answer = sheet::answer(html);
            answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
            answer
        }
        Err(Nothing::Gone) => pages::draw(&state, uri, &headers, || {}).await,
        Err(Nothing::Failed(error)) => {
            let desk = SharesDesk { notice: Some(failed(&error)), sent: Some(asked), ..SharesDesk::default() };
            draw(&state, page_of(&uri), &headers, desk).await
        }
    }
}

/// Ends a link for good.
async fn revoke(
    lang: Lang,
    State(state): State<AppState>,
    Path(slug): Path<String>,
    uri: Uri,
    headers: HeaderMap,
    form: Fields,
) -> Response {
    let Ok(Form(fields)) = form else { return bad_form(&state, uri, &headers).await };
    let (now, study) = (now_ms(), StudySlug::new(slug));
    let done = match writer(&state, &headers, value(&fields, "token"), now).await {
        Ok(_) => {
            let id = value(&fields, "id").unwrap_or_default();
            match state.site.store.revoke_share(Some(&study), id, now).await {
                Ok(_) => Ok(()),
                Err(StoreError::NotFound { .. } | StoreError::Conflict(_)) => {
                    Err(Refused::Notice((ShareNotice::NoSuchLink, 404)))
                }
                Err(error) => Err(error.into()),
            }
        }
        Err(refused) => Err(refused),
    };
    match done {
        Ok(()) => Redirect::to(&format!("{}?revoked", Route::Shares(study.to_string()).href(lang))).into_response(),
        Err(Refused::Gone) => pages::draw(&state, uri, &headers, || {}).await,
        Err(Refused::Notice(notice)) => {
            let desk = SharesDesk { notice: Some(notice), ..SharesDesk::default() };
            draw(&state, page_of(&uri), &headers, desk).await
        }
    }
}

/// The page whose form was sent to an address below it.
fn page_of(uri: &Uri) -> Uri {
    let path = uri.path().rsplit_once('/').map_or("/", |(page, _)| page);
    path.parse().unwrap_or_else(|_| uri.clone())
}

async fn bad_form(state: &AppState, uri: Uri, headers: &HeaderMap) -> Response {
    let page =
        if query::fields(uri.query()).is_empty() && !uri.path().ends_with("/shares") { page_of(&uri) } else { uri };
    let desk = SharesDesk { notice: Some((ShareNotice::BadForm, 400)), ..SharesDesk::default() };
    draw(state, page, headers, desk).await
}

fn closed(closed: Closed) -> (ShareNotice, u16) {
    let notice = match closed {
        Closed::OtherSite => ShareNotice::OtherSite,
        Closed::TokenMissing => ShareNotice::TokenMissing,
        Closed::TokenRefused => ShareNotice::TokenRefused,
        Closed::TokenScope => ShareNotice::TokenScope,
    };
    (notice, closed.status())
}

fn failed(error: &anyhow::Error) -> (ShareNotice, u16) {
    let incident = Incident::new();
    tracing::error!(%incident, "share links could not be changed: {error:#}");
    (ShareNotice::Incident(incident.to_string()), StatusCode::INTERNAL_SERVER_ERROR.as_u16())
}
