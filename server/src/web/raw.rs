//! `/raw/{digest}`: a raw output, byte for byte as it was received.

use app::error::AppError;
use axum::{
    extract::{Path, State},
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::digest::Digest;

use super::AppState;

/// What was uploaded is never trusted: plain text to be saved, whatever it holds. It never changes under its digest.
const HEADERS: [(HeaderName, HeaderValue); 3] = [
    (header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8")),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=31536000, immutable")),
];

/// Answers with the bytes, under a file name that says which they are.
pub async fn download(State(state): State<AppState>, Path(digest): Path<String>) -> Response {
    let Some(digest) = Digest::from_hex(&digest) else {
        return refused(&AppError::NotFound);
    };
    match state.site.store.raw(&digest).await {
        Ok(bytes) => {
            let disposition = format!("attachment; filename=\"{digest}.txt\"");
            (HEADERS, [(header::CONTENT_DISPOSITION, disposition)], bytes).into_response()
        }
        Err(error) => refused(&AppError::from_store(&error)),
    }
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
