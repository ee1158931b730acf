//! `POST /api/v1/uploads`.

use axum::{Json, body::Body, extract::State, http::HeaderMap};
use domain::upload::Envelope;
use utoipa::ToSchema;

use super::{
    access,
    problem::{Problem, ProblemDocument},
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
