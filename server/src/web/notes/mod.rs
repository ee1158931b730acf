//! The notes' form: preview and save. A form that is saved is answered by a redirection; everything else by the page with
//! the form as it was filled in, so that nobody's text is lost.

#[cfg(test)]
mod tests;

use app::{
    error::Incident,
    lang::Lang,
    notes::{Field, NotesDesk, Sent},
    routes::{Route, note_href},
};
use axum::{
    Form, Router,
    extract::{DefaultBodyLimit, Path, State, rejection::FormRejection},
    http::{HeaderMap, StatusCode, Uri, header},
    response::{IntoResponse, Redirect, Response},
    routing::get,
};
use domain::{
    digest::Digest,
    id::StudySlug,
    mask::mask_text,
    note::{MAX_NOTE, Target, normalised},
    text::notes::NoteNotice,
};
use leptos::prelude::provide_context;
use store::{NoteEdit, NotesSaved, StoreError};

use super::{
    AppState,
    access::{self, Closed, Writer},
    pages,
};
use crate::cmd::import::now_ms;

/// Both languages at their longest, every byte escaped, and as much again: whoever is a little over the limit is told so
/// with the text still in the form.
const MAX_FORM: usize = 4 * MAX_NOTE * 3;

/// Routes of the page in both languages.
pub fn routes() -> Router<AppState> {
    Lang::ALL.into_iter().fold(Router::new(), |routes, lang| {
        let page = get(show).post(move |state, slug, uri, headers, form| take(lang, state, slug, uri, headers, form));
        routes.route(&format!("/{lang}/studies/{{slug}}/notes"), page.layer(DefaultBodyLimit::max(MAX_FORM)))
    })
}

/// All notes of a study, or the form of one.
async fn show(State(state): State<AppState>, uri: Uri, headers: HeaderMap) -> Response {
    let desk = match access::asks_for_token(&state, &headers, now_ms()).await {
        Ok(token) => NotesDesk { token, ..NotesDesk::default() },
        Err(error) => NotesDesk { notice: Some(incident(&error)), token: true, sent: None },
    };
    draw(&state, uri, &headers, desk).await
}

async fn draw(state: &AppState, uri: Uri, headers: &HeaderMap, desk: NotesDesk) -> Response {
    let mut answer = pages::draw(state, uri, headers, move || provide_context(desk.clone())).await;
    // What is in a form is for one reader, now: nothing between keeps it.
    answer.headers_mut().insert(header::CACHE_CONTROL, header::HeaderValue::from_static("no-store"));
    answer
}

/// The form: shows it again with its preview, or saves it.
async fn take(
    lang: Lang,
    State(state): State<AppState>,
    Path(slug): Path<String>,
    uri: Uri,
    headers: HeaderMap,
    form: Result<Form<Vec<(String, String)>>, FormRejection>,
) -> Response {
    let now = now_ms();
    let slug = StudySlug::new(slug);
    let asks = access::asks_for_token(&state, &headers, now).await;
    let mut desk = NotesDesk { token: asks.unwrap_or(true), ..NotesDesk::default() };
    let fields = match form {
        Ok(Form(fields)) => fields,
        Err(rejection) => {
            let too_long = rejection.into_response().status() == StatusCode::PAYLOAD_TOO_LARGE;
            desk.notice = Some(if too_long { (NoteNotice::FormTooLong, 413) } else { (NoteNotice::BadForm, 400) });
            return draw(&state, uri, &headers, desk).await;
        }
    };
    let value = |name: &str| fields.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let sent = sent(&value);
    let query = uri.query().map(|query| app::query::fields(Some(query))).unwrap_or_default();
    let on = query.iter().find(|(name, _)| name == "on").and_then(|(_, on)| Target::parse(on));
    let saves = value("do") == Some("save");
    let outcome = match &on {
        Some(on) if saves => save(&state, &headers, &slug, on, &sent, value("token"), now).await,
        _ if !access::is_own_form(&headers, &state.site) => Err(closed(Closed::OtherSite)),
        _ => Ok(None),
    };
    match (outcome, &on) {
        (Ok(Some(saved)), Some(on)) => {
            let codes: Vec<&str> = saved.iter().map(|lang| lang.code()).collect();
            let masked = if sent.masked { "&masked" } else { "" };
            let href = format!("{}&saved={}{masked}", note_href(lang, &slug, on), codes.join("."));
            return Redirect::to(&href).into_response();
        }
        (Ok(_), _) => desk.sent = Some(sent),
        (Err(Refused { notice, theirs }), _) => {
            desk.notice = Some(notice);
            // Where only somebody else has changed the text, theirs goes into the form.
            let fields = sent.fields.into_iter().filter(|field| !theirs.contains(&field.lang)).collect();
            desk.sent = Some(Sent { fields, ..sent });
        }
    }
    if on.is_none() {
        // Nothing to edit: the overview says what there is.
        return Redirect::to(&Route::Notes(slug.to_string()).href(lang)).into_response();
    }
    draw(&state, uri, &headers, desk).await
}

/// Why a form was not saved.
struct Refused {
    /// And the answer's status.
    notice: (NoteNotice, u16),
    /// Languages that only somebody else has changed.
    theirs: Vec<Lang>,
}

impl From<(NoteNotice, u16)> for Refused {
    fn from(notice: (NoteNotice, u16)) -> Self {
        Self { notice, theirs: Vec::new() }
    }
}

/// What a form holds, normalised, its secrets masked before anything is kept or shown.
fn sent<'a>(value: &impl Fn(&str) -> Option<&'a str>) -> Sent {
    let mut sent = Sent::default();
    for lang in Lang::ALL {
        let of = |name: &str| value(&format!("{name}-{}", lang.code()));
        let Some(text) = of("text") else { continue };
        let (text, found) = mask_text(&normalised(text));
        sent.masked |= !found.is_empty();
        sent.fields.push(Field {
            lang,
            text,
            base: of("base").and_then(|base| base.parse().ok()).unwrap_or_default(),
            folder: of("folder").and_then(Digest::from_hex),
            restored: of("restored").and_then(|number| number.parse().ok()),
        });
    }
    sent
}

/// Saves what the form holds; the languages in which something was different.
async fn save(
    state: &AppState,
    headers: &HeaderMap,
    slug: &StudySlug,
    on: &Target,
    sent: &Sent,
    token: Option<&str>,
    now: i64,
) -> Result<Option<Vec<Lang>>, Refused> {
    let store = &state.site.store;
    let writer = access::writer(state, headers, token, now).await.map_err(|error| incident(&error))?;
    let author = match writer.map_err(closed)? {
        Writer::ThisMachine => None,
        Writer::Token(name) => Some(name),
    };
    let notes = store.notes(slug).await.map_err(failed)?;
    let mut edits = Vec::new();
    for field in &sent.fields {
        let of_folder = notes.study.data.notes(on).and_then(|notes| notes.own(field.lang)).map(normalised);
        // A folder's note may be longer: it is no edit while nobody has touched it.
        if field.text.len() > MAX_NOTE && of_folder.as_ref() != Some(&field.text) {
            return Err((NoteNotice::TooLong(field.lang, field.text.len()), 413).into());
        }
        let of_folder = of_folder.unwrap_or_default();
        edits.push(NoteEdit {
            lang: field.lang,
            text: field.text.clone(),
            base: field.base,
            folder: field.folder.clone().unwrap_or_else(|| Digest::of(of_folder.as_bytes())),
            restored: restored(state, slug, on, field).await?,
        });
    }
    match store.save_notes(slug, on, &edits, author.as_deref(), now).await.map_err(failed)? {
        NotesSaved::Saved(langs) => Ok(Some(langs)),
        NotesSaved::Conflict { both, theirs } => Err(Refused { notice: (NoteNotice::Conflict(both), 409), theirs }),
    }
}

/// The revision that a field has the text of: somebody may have edited it after it was put there.
async fn restored(state: &AppState, slug: &StudySlug, on: &Target, field: &Field) -> Result<Option<u64>, Refused> {
    let Some(number) = field.restored else { return Ok(None) };
    match state.site.store.note_text(slug, on, field.lang, number).await {
        Ok(text) => Ok(Some(number).filter(|_| text == field.text)),
        Err(StoreError::NotFound { .. }) => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

fn closed(closed: Closed) -> Refused {
    let notice = match closed {
        Closed::OtherSite => NoteNotice::OtherSite,
        Closed::TokenMissing => NoteNotice::TokenMissing,
        Closed::TokenRefused => NoteNotice::TokenRefused,
        Closed::TokenScope => NoteNotice::TokenScope,
    };
    (notice, closed.status()).into()
}

#[expect(clippy::needless_pass_by_value, reason = "it stands where errors are mapped")]
fn failed(error: StoreError) -> Refused {
    match error {
        StoreError::NotFound { .. } => (NoteNotice::TargetGone, 404).into(),
        StoreError::Conflict(_) => (NoteNotice::Busy, 503).into(),
        StoreError::Unavailable { .. } | StoreError::Corrupt { .. } => incident(&error).into(),
    }
}

/// Our fault: the log says what happened.
fn incident(error: &StoreError) -> (NoteNotice, u16) {
    let incident = Incident::new();
    tracing::error!(%incident, "a note could not be saved: {error}");
    (NoteNotice::Incident(incident.to_string()), 500)
}
