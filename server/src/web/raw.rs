//! `/raw/{digest}`: a raw output, byte for byte as it was received, in bounded memory.

use std::io::{self, Read};

use app::error::AppError;
use axum::{
    body::{Body, Bytes},
    extract::{Path, State},
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::digest::Digest;
use store::Packed;
use tokio::sync::mpsc;

use super::AppState;

/// What was uploaded is never trusted: plain text to be saved, whatever it holds. It never changes under its digest.
const HEADERS: [(HeaderName, HeaderValue); 3] = [
    (header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8")),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=31536000, immutable")),
];
/// One piece of a body.
pub const PIECE: usize = 64 * 1024;
/// Pieces that wait for a slow client.
pub const WAITING: usize = 4;

/// Answers with the bytes, under a file name that says which they are.
pub async fn download(State(state): State<AppState>, Path(digest): Path<String>) -> Response {
    let Some(digest) = Digest::from_hex(&digest) else {
        return refused(&AppError::NotFound);
    };
    match state.site.store.raw_packed(&digest, &state.ingest.spool).await {
        Ok(packed) => {
            let disposition = format!("attachment; filename=\"{digest}.txt\"");
            let length = packed.size;
            let fixed = [(header::CONTENT_DISPOSITION, disposition), (header::CONTENT_LENGTH, length.to_string())];
            (HEADERS, fixed, streamed(packed)).into_response()
        }
        Err(error) => refused(&AppError::from_store(&error)),
    }
}

/// Decompresses on a thread that may block, as fast as the client takes it.
fn streamed(packed: Packed) -> Body {
    let (to, from) = mpsc::channel::<io::Result<Bytes>>(WAITING);
    tokio::task::spawn_blocking(move || {
        let outcome = packed.into_reader().and_then(|mut reader| {
            loop {
                let mut piece = Vec::with_capacity(PIECE);
                let read = reader.by_ref().take(PIECE as u64).read_to_end(&mut piece)?;
                // The client has gone away.
                if read == 0 || to.blocking_send(Ok(piece.into())).is_err() {
                    return Ok(());
                }
            }
        });
        if let Err(error) = outcome {
            tracing::error!(%error, "a raw output could not be sent to its end");
            to.blocking_send(Err(error)).ok();
        }
    });
    body(from)
}

/// A body whose pieces come from elsewhere.
pub fn body(mut from: mpsc::Receiver<io::Result<Bytes>>) -> Body {
    Body::from_stream(futures_util::stream::poll_fn(move |context| from.poll_recv(context)))
}

fn refused(error: &AppError) -> Response {
    let words = match error {
        AppError::Internal(incident) => format!("the raw output cannot be read; incident {incident}\n"),
        AppError::NotFound | AppError::Invalid(_) | AppError::Denied | AppError::Conflict => {
            "there is no raw output with this SHA-256 digest\n".to_owned()
        }
    };
    let status: StatusCode = error.status();
    (status, [(header::CACHE_CONTROL, "no-store")], words).into_response()
}
