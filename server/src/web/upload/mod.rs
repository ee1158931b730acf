//! The upload page's forms. The first takes files and leads to their preview; the second saves, discards or looks again.
//! Every answer to a form is a redirection or the page with what is wrong, so that reloading never sends a form twice.

mod held;
mod receive;
mod save;
#[cfg(test)]
mod tests;
mod turns;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use app::{
    lang::Lang,
    routes::Route,
    upload::{Choices, Fault, UploadDesk, Waiting},
};
use axum::{
    Form, Router,
    body::Body,
    extract::{DefaultBodyLimit, Path, Request, State},
    http::{HeaderMap, StatusCode, Uri, header},
    response::{IntoResponse, Redirect, Response},
    routing::get,
};
use domain::mask::mask_text;
use domain::text::upload::{Notice, Wrong};
use leptos::prelude::provide_context;

pub use self::held::Held;
use self::held::{LIVES_MS, ROOM};
use self::receive::{Refused, receive};
pub use self::turns::Turns;
use super::{
    AppState,
    access::{self, Closed},
    pages,
};
use crate::{cmd::import::now_ms, ingest::IngestError};

/// The second form has some twenty fields a file, of which one may be a command.
const MAX_FORM: usize = 16 * 1024 * 1024;
/// A field belongs to one of a thousand files.
const MAX_FIELDS: usize = 32_000;
/// How often previews that are too old are looked for.
const SWEEP_EVERY: Duration = Duration::from_secs(15 * 60);

/// Routes of the page in both languages.
pub fn routes() -> Router<AppState> {
    Lang::ALL.into_iter().fold(Router::new(), |routes, lang| {
        let first =
            get(start).post(move |state, request| take(lang, state, request)).layer(DefaultBodyLimit::disable());
        let second = get(preview)
            .post(move |state, id, headers, form| decide(lang, state, id, headers, form))
            .layer(DefaultBodyLimit::max(MAX_FORM));
        routes.route(&Route::Upload.href(lang), first).route(&format!("{}/{{id}}", Route::Upload.href(lang)), second)
    })
}

/// Takes away previews that are too old: now, and as long as the server runs.
pub async fn sweep(held: Held) {
    let mut clock = tokio::time::interval(SWEEP_EVERY);
    loop {
        clock.tick().await;
        let held = held.clone();
        match tokio::task::spawn_blocking(move || held.sweep(now_ms())).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => tracing::warn!("old previews cannot be taken away: {error}"),
            Err(error) => tracing::warn!("old previews cannot be taken away: {error}"),
        }
    }
}

/// Where a server's previews wait.
pub fn held(state: &AppState) -> Held {
    Held::beside(&state.ingest.spool)
}

/// The first form.
async fn start(State(state): State<AppState>, uri: Uri, headers: HeaderMap) -> Response {
    let token = match access::asks_for_token(&state, &headers, now_ms()).await {
        Ok(token) => token,
        Err(error) => return page(&state, uri, &headers, Refused::incident(&error), true).await,
    };
    draw(&state, uri, &headers, UploadDesk { notice: None, token }).await
}

async fn page(state: &AppState, uri: Uri, headers: &HeaderMap, refused: Refused, token: bool) -> Response {
    draw(state, uri, headers, UploadDesk { notice: Some((refused.0, refused.1)), token }).await
}

async fn draw(state: &AppState, uri: Uri, headers: &HeaderMap, desk: UploadDesk) -> Response {
    let answer = pages::draw(state, uri, headers, move || provide_context(desk.clone())).await;
    private(answer)
}

/// Takes the files of the first form, reads them and leads to their preview.
async fn take(lang: Lang, State(state): State<AppState>, request: Request<Body>) -> Response {
    let (parts, body) = request.into_parts();
    let (uri, headers) = (parts.uri, parts.headers);
    let now = now_ms();
    let asks = match access::asks_for_token(&state, &headers, now).await {
        Ok(asks) => asks,
        Err(error) => return page(&state, uri, &headers, Refused::incident(&error), true).await,
    };
    match held_from(&state, &headers, body, asks, now).await {
        Ok(id) => Redirect::to(&Route::Preview(id).href(lang)).into_response(),
        Err(refused) => page(&state, uri, &headers, refused, asks).await,
    }
}

async fn held_from(state: &AppState, headers: &HeaderMap, body: Body, asks: bool, now: i64) -> Result<String, Refused> {
    if !access::is_own_form(headers, &state.site) {
        return Err(Closed::OtherSite.into());
    }
    let held = held(state);
    let waits = {
        let held = held.clone();
        blocking(move || held.sweep(now)).await?
    };
    if waits >= ROOM {
        return Err(Refused(Notice::Full, 503));
    }
    let opens = |digest| async move {
        match access::opens(&state.site.store, &digest, now).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(closed)) => Err(closed.into()),
            Err(error) => Err(Refused::incident(&error)),
        }
    };
    let sent = receive(headers, body, &state.ingest.spool, asks, opens).await?;
    let begun = Instant::now();
    let made = {
        let held = held.clone();
        blocking(move || held.make()).await?
    };
    let (id, dir) = made;
    let unseen = |error: IngestError| match error {
        IngestError::TooLarge(limit, file) => Refused::limit(limit, file),
        IngestError::Failed(cause) => Refused::incident(&cause),
        IngestError::Refused(_) | IngestError::AllRejected(_) | IngestError::Store(_) => {
            Refused::incident(&"reading files stored something")
        }
    };
    let seen = match state.ingest.examine(sent.files, &dir).await {
        Ok(seen) => seen,
        Err(error) => {
            let (held, over) = (held.clone(), id.clone());
            blocking(move || held.discard(&over)).await?;
            return Err(unseen(error));
        }
    };
    let waiting = Waiting {
        id: id.clone(),
        created_at: now,
        expires_at: now + LIVES_MS,
        took_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        token: sent.token,
        files: seen,
        choices: Choices::default(),
        masked: sent.masked,
        faults: Vec::new(),
        saved: None,
    };
    blocking(move || held.keep(&waiting)).await?;
    Ok(id)
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> std::io::Result<T> + Send + 'static) -> Result<T, Refused> {
    let done = tokio::task::spawn_blocking(work).await.map_err(|error| Refused::incident(&error))?;
    done.map_err(|error| Refused::incident(&error))
}

async fn waiting(state: &AppState, id: &str) -> Result<Option<Waiting>, Refused> {
    let (held, id) = (held(state), id.to_owned());
    blocking(move || held.load(&id, now_ms())).await
}

/// What waits under an id, or that nothing does.
async fn preview(State(state): State<AppState>, Path(id): Path<String>, uri: Uri, headers: HeaderMap) -> Response {
    // What failed is in the log; the reader sees that there is nothing to see.
    let waiting = waiting(&state, &id).await.unwrap_or_default();
    let provide = move || {
        if let Some(waiting) = waiting.clone() {
            provide_context(waiting);
        }
    };
    private(pages::draw(&state, uri, &headers, provide).await)
}

/// The second form: saves, discards, or looks at another study.
async fn decide(
    lang: Lang,
    State(state): State<AppState>,
    Path(id): Path<String>,
    headers: HeaderMap,
    form: Result<Form<Vec<(String, String)>>, axum::extract::rejection::FormRejection>,
) -> Response {
    let here = Route::Preview(id.clone()).href(lang);
    if !access::is_own_form(&headers, &state.site) {
        let uri = Uri::try_from(Route::Upload.href(lang)).unwrap_or_default();
        return page(&state, uri, &headers, Closed::OtherSite.into(), false).await;
    }
    let fields: BTreeMap<String, String> = match form {
        Ok(Form(fields)) if fields.len() <= MAX_FIELDS => fields.into_iter().collect(),
        Ok(_) => return StatusCode::PAYLOAD_TOO_LARGE.into_response(),
        Err(rejection) => return rejection.into_response(),
    };
    // A task of its own: the second click of two makes the browser hang up on the first, whose work goes on.
    let doing = tokio::spawn({
        let state = state.clone();
        async move { decided(&state, &id, fields).await }
    });
    match doing.await.unwrap_or_else(|error| Err(Refused::incident(&error))) {
        Ok(Next::Show) => Redirect::to(&here).into_response(),
        Ok(Next::Problem) => Redirect::to(&format!("{here}#problem")).into_response(),
        Ok(Next::Discarded) => Redirect::to(&format!("{}?discarded", Route::Upload.href(lang))).into_response(),
        Err(refused) => {
            let uri = Uri::try_from(Route::Upload.href(lang)).unwrap_or_default();
            page(&state, uri, &headers, refused, false).await
        }
    }
}

/// What a reader sees next.
enum Next {
    /// The preview, or what became of it.
    Show,
    /// The preview, at what is wrong.
    Problem,
    /// That nothing is left of it.
    Discarded,
}

impl Next {
    fn done(done: bool) -> Self {
        if done { Self::Show } else { Self::Problem }
    }
}

/// Does what the second form asks for, when nobody else is at the same preview. What another has done meanwhile stands.
async fn decided(state: &AppState, id: &str, fields: BTreeMap<String, String>) -> Result<Next, Refused> {
    let _turn = state.turns.at(id).await;
    let waiting = match waiting(state, id).await {
        Ok(Some(waiting)) if waiting.saved.is_none() => waiting,
        // The page says that it is saved, that it is gone, or that the disk does not answer.
        Ok(_) | Err(_) => return Ok(Next::Show),
    };
    match fields.get("do").map(String::as_str) {
        Some("discard") => {
            let (held, over) = (held(state), id.to_owned());
            match blocking(move || held.discard(&over)).await {
                Ok(()) => Ok(Next::Discarded),
                Err(refused) => keep_faults(state, waiting, refused.0).await.map(Next::done),
            }
        }
        Some("save") => finish(state, waiting, fields, now_ms()).await.map(Next::done),
        _ => keep(state, entered(waiting, fields)).await.map(|()| Next::Show),
    }
}

/// With what was entered, its secrets masked before it is kept. Where another study was chosen, its own variants and
/// profiles are to be chosen, too.
fn entered(waiting: Waiting, mut fields: BTreeMap<String, String>) -> Waiting {
    let Waiting { mut masked, .. } = waiting;
    fields.remove("do");
    let was = fields.remove("study-was");
    if was.as_ref() != fields.get("study") {
        fields.retain(|name, _| !name.starts_with("variant-") && !name.starts_with("profile-"));
    }
    for value in fields.values_mut() {
        let (safe, found) = mask_text(value);
        *value = safe;
        masked.extend(found.into_iter().map(|found| found.what.to_owned()));
    }
    Waiting { choices: Choices(fields), masked, faults: Vec::new(), ..waiting }
}

/// Stores what waits, or keeps what is wrong beside it; says which.
async fn finish(
    state: &AppState,
    waiting: Waiting,
    fields: BTreeMap<String, String>,
    now: i64,
) -> Result<bool, Refused> {
    let waiting = entered(waiting, fields);
    let token = match &waiting.token {
        None => None,
        Some(digest) => match access::opens(&state.site.store, digest, now).await {
            Ok(Ok(token)) => Some(token.name),
            Ok(Err(closed)) => return keep_faults(state, waiting, Refused::from(closed).0).await,
            Err(error) => return Err(Refused::incident(&error)),
        },
    };
    let held = held(state);
    match save::save(&state.ingest, &held, &waiting, token, now).await {
        Ok(saved) => {
            let (id, files) = (waiting.id.clone(), waiting.files.len());
            keep(state, Waiting { saved: Some(saved), ..waiting }).await?;
            blocking(move || {
                held.empty(&id, files);
                Ok(())
            })
            .await?;
            Ok(true)
        }
        Err(faults) => keep(state, Waiting { faults, ..waiting }).await.map(|()| false),
    }
}

async fn keep_faults(state: &AppState, waiting: Waiting, notice: Notice) -> Result<bool, Refused> {
    let faults = vec![Fault { field: None, wrong: Wrong::Notice(notice) }];
    keep(state, Waiting { faults, ..waiting }).await.map(|()| false)
}

async fn keep(state: &AppState, waiting: Waiting) -> Result<(), Refused> {
    let held = held(state);
    blocking(move || held.keep(&waiting)).await
}

/// What waits is for one reader, now: nothing between keeps it.
fn private(mut response: Response) -> Response {
    response.headers_mut().insert(header::CACHE_CONTROL, header::HeaderValue::from_static("no-store"));
    response
}
