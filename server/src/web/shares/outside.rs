//! `/s/{secret}`: what a link opens, read-only. Whoever has no valid link learns nothing about what there is.

use std::sync::Arc;

use app::{
    error::Incident,
    lang::Lang,
    query,
    routes::shared_href,
    standalone::{Way, draw_notice},
    visit::preferred,
};
use axum::{
    extract::{Path, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use domain::{
    digest::Digest,
    report::table::Kind,
    share::{Scope, State as LinkState},
    text::shares::share_labels,
};
use store::{Share, StoreError};

use super::{
    secret,
    view::{self, Frame, Nothing},
};
use crate::cmd::import::now_ms;
use crate::export::{self, Form};
use crate::web::{AppState, exports, raw, sheet};

/// Files of a report that a link opens, in the order of their links.
const FILES: [&str; 5] = ["report.xlsx", "report.csv", "report.md", "report.json", "reproduce.sh"];
const ROBOTS: HeaderName = HeaderName::from_static("x-robots-tag");

/// In the language that the reader prefers.
pub async fn to_language(
    State(state): State<AppState>,
    Path(secret): Path<String>,
    method: Method,
    headers: HeaderMap,
) -> Response {
    let lang = preferred(&headers);
    let mut answer = page_in(&state, &secret, lang, &method).await;
    answer.headers_mut().insert(header::VARY, HeaderValue::from_static("accept-language"));
    answer
}

/// The page.
pub async fn page(
    State(state): State<AppState>,
    Path((secret, lang)): Path<(String, String)>,
    method: Method,
    headers: HeaderMap,
) -> Response {
    match lang.parse::<Lang>() {
        Ok(lang) => page_in(&state, &secret, lang, &method).await,
        Err(_) => shut(preferred(&headers), LinkState::Open),
    }
}

async fn page_in(state: &AppState, secret: &str, lang: Lang, method: &Method) -> Response {
    let share = match opened(state, secret).await {
        Ok(share) => share,
        Err(closed) => return closed.answer(lang),
    };
    let of = &share.made;
    let frame = Frame {
        redacted: of.redacted,
        public: of.indexed,
        expires_at: of.expires_at,
        ways: ways(&of.scope, secret, lang),
        raw: (!of.redacted).then(|| Arc::from(format!("/s/{secret}/raw"))),
    };
    match view::page(&state.site.store, &of.study, &of.scope, frame, lang).await {
        Ok(html) => {
            if *method == Method::GET
                && let Err(error) = state.site.store.share_viewed(&of.hash, now_ms()).await
            {
                // A reader is worth more than a count.
                tracing::warn!("a view of a share link was not counted: {error}");
            }
            guarded(sheet::answer(html), of.indexed)
        }
        Err(nothing) => Closed::of(nothing).answer(lang),
    }
}

/// A file: `report.csv` takes `?table=`.
pub async fn file(
    State(state): State<AppState>,
    Path((secret, lang, file)): Path<(String, String, String)>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let asked = form(&file, &uri);
    let (Ok(lang), Some(form)) = (lang.parse::<Lang>(), asked) else {
        return shut(preferred(&headers), LinkState::Open);
    };
    let share = match opened(&state, &secret).await {
        Ok(share) => share,
        Err(closed) => return closed.answer(lang),
    };
    let (store, of) = (&state.site.store, &share.made);
    let written = view::file(store, &of.study, &of.scope, of.redacted, form, lang).await;
    let named = view::name(store, &of.study, of.redacted).await;
    match (written, named) {
        (Ok(bytes), Ok(slug)) => {
            let name = export::file_name(&slug, form, lang);
            guarded(exports::download(bytes, exports::media_type(form), &name), of.indexed)
        }
        (Err(nothing), _) | (_, Err(nothing)) => Closed::of(nothing).answer(lang),
    }
}

fn form(file: &str, uri: &Uri) -> Option<Form> {
    match file {
        "report.md" => Some(Form::Markdown),
        "report.json" => Some(Form::Json),
        "report.xlsx" => Some(Form::Xlsx),
        "reproduce.sh" => Some(Form::Reproduce),
        "report.csv" => {
            let fields = query::fields(uri.query());
            let named = fields.iter().find(|(name, _)| name == "table").map(|(_, key)| key.as_str());
            named.map_or(Some(Kind::Runs), Kind::of_key).map(Form::Csv)
        }
        _ => None,
    }
}

/// A raw output of a run that the link opens. A redacted view has none: what is in them is not redacted.
pub async fn raw_output(
    State(state): State<AppState>,
    Path((secret, digest)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    let lang = preferred(&headers);
    let share = match opened(&state, &secret).await {
        Ok(share) => share,
        Err(closed) => return closed.answer(lang),
    };
    let of = &share.made;
    let Some(asked) = Digest::from_hex(&digest).filter(|_| !of.redacted) else { return shut(lang, LinkState::Open) };
    match view::raw_outputs(&state.site.store, &of.study, &of.scope).await {
        Ok(all) if all.contains(&asked) => {
            let answer = raw::download(State(state), Path(digest)).await;
            guarded(answer, false)
        }
        Ok(_) => shut(lang, LinkState::Open),
        Err(nothing) => Closed::of(nothing).answer(lang),
    }
}

/// Why a link opens nothing.
enum Closed {
    Shut(LinkState),
    Failed(anyhow::Error),
}

impl Closed {
    fn of(nothing: Nothing) -> Self {
        match nothing {
            Nothing::Gone => Self::Shut(LinkState::Open),
            Nothing::Failed(error) => Self::Failed(error),
        }
    }

    fn answer(self, lang: Lang) -> Response {
        match self {
            Self::Shut(state) => shut(lang, state),
            Self::Failed(error) => {
                let incident = Incident::new();
                tracing::error!(%incident, "what a share link opens could not be shown: {error:#}");
                let words = app::words::words(lang);
                let text = format!("{} {} {incident}", words.internal, words.incident);
                let html = draw_notice(lang, words.internal_title, &text);
                let mut answer = guarded(sheet::answer(html), false);
                *answer.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
                answer
            }
        }
    }
}

async fn opened(state: &AppState, secret: &str) -> Result<Share, Closed> {
    let Some(hash) = secret::hash(secret) else { return Err(Closed::Shut(LinkState::Open)) };
    let share = match state.site.store.share(&hash).await {
        Ok(share) => share,
        Err(StoreError::NotFound { .. }) => return Err(Closed::Shut(LinkState::Open)),
        Err(error) => return Err(Closed::Failed(error.into())),
    };
    match share.state(now_ms()) {
        LinkState::Open => Ok(share),
        over @ (LinkState::Expired | LinkState::Revoked) => Err(Closed::Shut(over)),
    }
}

/// Says that there is nothing, and no more: only who held a true link hears that it is over.
fn shut(lang: Lang, state: LinkState) -> Response {
    let words = share_labels(lang);
    let (status, text) = match state {
        LinkState::Open => (StatusCode::NOT_FOUND, words.unknown),
        LinkState::Expired | LinkState::Revoked => (StatusCode::GONE, words.over),
    };
    let mut answer = guarded(sheet::answer(draw_notice(lang, words.shut_title, text)), false);
    *answer.status_mut() = status;
    answer
}

/// Nothing between keeps it, no other site hears its address, and search engines leave it out unless they may list it.
fn guarded(mut answer: Response, indexed: bool) -> Response {
    let headers = answer.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    if !indexed {
        headers.insert(ROBOTS, HeaderValue::from_static("noindex, nofollow"));
    }
    answer.into_response()
}

/// The other language, and the files.
fn ways(scope: &Scope, secret: &str, lang: Lang) -> Vec<Way> {
    let others = Lang::ALL.into_iter().filter(|other| *other != lang);
    let mut ways: Vec<Way> = others
        .map(|other| Way { href: shared_href(other, secret), label: other.name().to_owned(), lang: Some(other) })
        .collect();
    let of = shared_href(lang, secret);
    match scope {
        Scope::Study | Scope::Version(_) => ways.extend(FILES.map(|file| Way {
            href: format!("{of}/{file}"),
            label: file.rsplit_once('.').map_or(file, |(_, ending)| ending).to_uppercase(),
            lang: None,
        })),
        Scope::Compare(_) => {}
    }
    ways
}
