//! `GET /api/v1/studies/{slug}/report`: the report model, as the command line gives it.

use axum::{
    extract::{Path, State},
    http::{HeaderMap, header},
    response::IntoResponse,
};
use domain::id::StudySlug;

use super::{
    access,
    problem::{Kind, Problem, ProblemDocument},
};
use crate::{cmd::import::now_ms, export, web::AppState};

/// The report of a study as it is now: facts in the shape of `docs/report.schema.json`, the same bytes as
/// `touchstone report STUDY --format json`.
#[utoipa::path(
    get,
    path = "/api/v1/studies/{slug}/report",
    operation_id = "getReport",
    params(("slug" = String, Path, description = "The study's name in addresses")),
    responses(
        (status = 200, description = "The report", body = serde_json::Value, content_type = "application/json"),
        (status = 404, description = "No such study is stored", body = ProblemDocument, content_type = "application/problem+json"),
        (status = "4XX", description = "It cannot be read", body = ProblemDocument, content_type = "application/problem+json"),
        (status = "5XX", description = "It cannot be read now: try again", body = ProblemDocument, content_type = "application/problem+json"),
    ),
    security(("token" = []))
)]
pub async fn report(
    State(state): State<AppState>,
    Path(slug): Path<String>,
    headers: HeaderMap,
) -> Result<impl IntoResponse, Problem> {
    let store = &state.site.store;
    access::reader(store, &headers, now_ms()).await?;
    let stored = store.study(&StudySlug::new(slug)).await?;
    let live = export::live(store, stored, None).await?;
    let json = export::json(&live.report).map_err(|error| Problem::incident(Kind::Internal, &error.to_string()))?;
    Ok(([(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-cache")], json))
}
