//! Files of a study: its report in every form, and its folder. Every one is a download of its own.

use std::io::{self, Write};

use app::error::AppError;
use app::lang::Lang;
use app::query;
use axum::{
    Router,
    body::Bytes,
    extract::{Path, State},
    http::{HeaderMap, HeaderValue, StatusCode, Uri, header},
    response::{IntoResponse, Response},
    routing::get,
};
use domain::id::StudySlug;
use domain::report::table::Kind as TableKind;
use domain::study::Limits;
use domain::text::{ExportLabels, export_labels};
use store::StoreError;
use tokio::{runtime::Handle, sync::mpsc};

use super::api::problem::{Kind, Problem};
use super::{AppState, pages, raw, sheet};
use crate::export::{self, Form, folder};
use crate::pdf::PdfError;

#[cfg(test)]
mod tests;

/// What an address asks for.
#[derive(Debug, Clone, Copy)]
enum Asked {
    Form(Form),
    Pdf,
}

/// Texts, which are compressed on their way.
pub fn routes() -> Router<AppState> {
    let texts = [
        ("report.html", Form::Html),
        ("report.md", Form::Markdown),
        ("report.csv", Form::Csv(TableKind::Runs)),
        ("report.json", Form::Json),
        ("reproduce.sh", Form::Reproduce),
    ];
    texts.into_iter().fold(Router::new(), |routes, (name, form)| of_form(routes, name, Asked::Form(form)))
}

/// Files that are compressed in themselves.
pub fn packed_routes() -> Router<AppState> {
    let routes = of_form(Router::new(), "report.xlsx", Asked::Form(Form::Xlsx));
    of_form(routes, "report.pdf", Asked::Pdf).route("/studies/{slug}/study.tar.gz", get(archive))
}

fn of_form(routes: Router<AppState>, name: &str, asked: Asked) -> Router<AppState> {
    Lang::ALL.into_iter().fold(routes, |routes, lang| {
        let answer = move |state, slug, uri, headers| report(lang, asked, state, slug, uri, headers);
        routes.route(&format!("/{lang}/studies/{{slug}}/{name}"), get(answer))
    })
}

async fn report(
    lang: Lang,
    asked: Asked,
    State(state): State<AppState>,
    Path(slug): Path<String>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    if matches!(asked, Asked::Pdf) && !state.printer.is_there() {
        return no_pdf(&PdfError::Missing, export_labels(lang));
    }
    let slug = StudySlug::new(slug);
    let stored = match state.site.store.study(&slug).await {
        Ok(stored) => stored,
        Err(error) => return refused(&state, uri, &headers, &error).await,
    };
    // The file of a view shows what the view shows: a reader's own limits.
    let fields = query::fields(uri.query());
    let limits = Limits::read(&stored.data.study, &fields).map(|asked| asked.limits);
    let form = match asked {
        Asked::Form(Form::Csv(_)) => {
            let named = fields.iter().find(|(name, _)| name == "table").map(|(_, key)| key.as_str());
            match named.map_or(Some(TableKind::Runs), TableKind::of_key) {
                Some(kind) => Form::Csv(kind),
                None => return no_table(),
            }
        }
        Asked::Form(form) => form,
        Asked::Pdf => Form::Html,
    };
    let live = match export::live(&state.site.store, stored, limits).await {
        Ok(live) => live,
        Err(error) => return refused(&state, uri, &headers, &error).await,
    };
    // A report of many runs takes a moment to write.
    let written = tokio::task::spawn_blocking(move || export::write(live, form, lang)).await;
    let bytes = match written.map_err(anyhow::Error::from).and_then(|written| written) {
        Ok(bytes) => bytes,
        Err(error) => return Problem::incident(Kind::Internal, &format!("{error:#}")).into_response(),
    };
    match asked {
        Asked::Form(_) => answer(bytes, form, &export::file_name(&slug, form, lang)),
        Asked::Pdf => match state.printer.print(bytes).await {
            Ok(pdf) => download(pdf, "application/pdf", &format!("{slug}-{lang}.pdf")),
            Err(error) => no_pdf(&error, export_labels(lang)),
        },
    }
}

fn answer(bytes: Vec<u8>, form: Form, name: &str) -> Response {
    match form {
        // With the policy that such a file needs where it is shown.
        Form::Html => {
            let mut response = sheet::answer(bytes);
            response.headers_mut().extend(about(name));
            response
        }
        Form::Markdown | Form::Csv(_) | Form::Xlsx | Form::Json | Form::Reproduce => {
            download(bytes, media_type(form), name)
        }
    }
}

/// What a form of a report is to a browser.
pub(super) fn media_type(form: Form) -> &'static str {
    match form {
        Form::Html => "text/html; charset=utf-8",
        Form::Markdown => "text/markdown; charset=utf-8",
        Form::Csv(_) => "text/csv; charset=utf-8; header=present",
        Form::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        Form::Json => "application/json",
        Form::Reproduce => "text/x-shellscript; charset=utf-8",
    }
}

/// A file under its name.
pub(super) fn download(bytes: Vec<u8>, kind: &'static str, name: &str) -> Response {
    let mut response = bytes.into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response.headers_mut().extend(about(name));
    response
}

/// A download under its name, asked for anew each time. Slugs are ASCII, so both forms of the name are the same.
fn about(name: &str) -> HeaderMap {
    let disposition = format!("attachment; filename=\"{name}\"; filename*=UTF-8''{name}");
    let disposition = HeaderValue::from_str(&disposition).expect("a slug is ASCII without quotation marks");
    HeaderMap::from_iter([
        (header::CONTENT_DISPOSITION, disposition),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ])
}

/// The site's own page for what is not there, in the language of the address.
pub(super) async fn refused(state: &AppState, uri: Uri, headers: &HeaderMap, error: &StoreError) -> Response {
    match AppError::from_store(error) {
        AppError::NotFound => pages::draw(state, uri, headers, || {}).await,
        AppError::Internal(incident) => {
            let words = format!("incident {incident}\n");
            (StatusCode::INTERNAL_SERVER_ERROR, [(header::CACHE_CONTROL, "no-store")], words).into_response()
        }
        other @ (AppError::Invalid(_) | AppError::Denied | AppError::Conflict) => other.status().into_response(),
    }
}

/// That there is no table of the name that was asked for.
pub(super) fn no_table() -> Response {
    let known = TableKind::ALL.map(TableKind::key).join(", ");
    Problem::new(Kind::NotFound, "the report has no such table").at_path("table").expected(known).into_response()
}

fn no_pdf(error: &PdfError, words: &ExportLabels) -> Response {
    match error {
        PdfError::Missing => Problem::new(Kind::NotHere, words.no_pdf).into_response(),
        PdfError::Busy => Problem::new(Kind::Busy, words.pdf_busy).header(header::RETRY_AFTER, "10").into_response(),
        PdfError::Slow | PdfError::Failed(_) => {
            tracing::warn!("no PDF: {error}");
            Problem::new(Kind::Busy, words.pdf_failed).header(header::RETRY_AFTER, "60").into_response()
        }
    }
}

/// The study folder, written while it is sent.
async fn archive(State(state): State<AppState>, Path(slug): Path<String>, uri: Uri, headers: HeaderMap) -> Response {
    let slug = StudySlug::new(slug);
    let (store, spool) = (state.site.store.clone(), state.ingest.spool.clone());
    if let Err(error) = store.study(&slug).await {
        return refused(&state, uri, &headers, &error).await;
    }
    let plan = match folder::plan(&store, &slug, &spool, || {}).await {
        Ok(plan) => plan,
        Err(error) => return Problem::incident(Kind::Internal, &format!("{error:#}")).into_response(),
    };
    let name = format!("{slug}.tar.gz");
    let (to, from) = mpsc::channel::<io::Result<Bytes>>(raw::WAITING);
    let runtime = Handle::current();
    tokio::task::spawn_blocking(move || {
        let fetch = |digest: &domain::digest::Digest| Ok(runtime.block_on(store.raw_packed(digest, &spool))?);
        let out = io::BufWriter::with_capacity(raw::PIECE, Pieces(to.clone()));
        if let Err(error) = folder::archive(&plan, &slug, fetch, out) {
            tracing::error!("an archive could not be sent to its end: {error:#}");
            // The connection is cut, so that nobody takes a part for the whole.
            to.blocking_send(Err(io::Error::other("the archive ends here"))).ok();
        }
    });
    let mut response = raw::body(from).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/gzip"));
    response.headers_mut().extend(about(&name));
    response
}

/// Sends what is written, as fast as the client takes it.
struct Pieces(mpsc::Sender<io::Result<Bytes>>);

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let gone = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        self.0.blocking_send(Ok(Bytes::copy_from_slice(bytes))).map_err(gone)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
