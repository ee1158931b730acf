//! `POST /api/v1/uploads`, and what became of one.

use axum::{
    Json,
    body::Body,
    extract::{Path, State},
    http::HeaderMap,
};
use domain::upload::Envelope;
use utoipa::ToSchema;

use super::{
    access,
    problem::{Kind, Problem, ProblemDocument},
    receive,
};
use crate::{cmd::import::now_ms, ingest::UploadAnswer, web::AppState};

/// The parts of an upload as `multipart/form-data`: the envelope first.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes the body, which is read as a stream")]
pub struct UploadParts {
    /// Without files.
    envelope: Envelope,
    /// Raw outputs, each with its file name; `.gz` and `.zst` are decompressed.
    #[schema(value_type = Vec<String>, format = Binary)]
    file: Vec<Vec<u8>>,
}

/// Store raw outputs: metadata and files, once, however often they are sent.
#[utoipa::path(
    post,
    path = "/api/v1/uploads",
    operation_id = "createUpload",
    request_body(
        description = "The body may be compressed (Content-Encoding: gzip or zstd).",
        content((Envelope = "application/json"), (UploadParts = "multipart/form-data"))
    ),
    responses(
        (status = 200, description = "Stored, now or before: the same upload gets the same answer", body = UploadAnswer),
        (status = "4XX", description = "Nothing was stored", body = ProblemDocument, content_type = "application/problem+json"),
        (status = "5XX", description = "Nothing was half stored: try again", body = ProblemDocument, content_type = "application/problem+json"),
    ),
    security(("token" = []))
)]
pub async fn create(
    State(state): State<AppState>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<UploadAnswer>, Problem> {
    let now = now_ms();
    let ingest = &state.ingest;
    let token = access::uploader(&ingest.store, &headers, now).await?;
    let (envelope, files) = receive::receive(&headers, body, &ingest.spool).await?;
    Ok(Json(ingest.upload(envelope, files, Some(token.name), now).await?))
}

/// What an upload was answered, so that one that was cut off need not be sent again.
///
/// An upload's id follows from its content: the SHA-256 of what is kept of it. It is in the answer to the upload.
#[utoipa::path(
    get,
    path = "/api/v1/uploads/{id}",
    operation_id = "getUpload",
    params(("id" = String, Path, description = "64 lower-case hexadecimal digits, from the answer to the upload")),
    responses(
        (status = 200, description = "All of its files were dealt with: the answer that it got", body = UploadAnswer),
        (status = 404, description = "No such upload is stored whole: send it, which stores what is missing", body = ProblemDocument, content_type = "application/problem+json"),
        (status = "4XX", description = "It cannot be said", body = ProblemDocument, content_type = "application/problem+json"),
        (status = "5XX", description = "It cannot be said now: try again", body = ProblemDocument, content_type = "application/problem+json"),
    ),
    security(("token" = []))
)]
pub async fn answer(
    State(state): State<AppState>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Json<UploadAnswer>, Problem> {
    let store = &state.ingest.store;
    access::reader(store, &headers, now_ms()).await?;
    let document = store.answered(&id).await?;
    // What an earlier version of the server kept may not be read by this one: it is sent again then.
    let answer = document.and_then(|document| serde_json::from_str(&document).ok());
    answer.map(Json).ok_or_else(|| Problem::new(Kind::NotFound, "no upload with this id is stored whole"))
}
