//! `GET /api/v1/compare`: runs and variants side by side, as the page has them.

use app::query;
use axum::{
    Json,
    extract::State,
    http::{HeaderMap, Uri, header},
    response::IntoResponse,
};
use domain::compare::{MOST, Selection, compare};

use super::{
    access,
    problem::{Kind, Problem, ProblemDocument},
};
use crate::{cmd::import::now_ms, web::AppState};

const EXPECTED: &str = "STUDY:VARIANT:PROFILE or run:ID, with % and : inside an id as %25 and %3A";

/// Runs and variants side by side: figures with what each change against the base means, parameters, commands, and every
/// dimension in which they differ. The query is that of the page. What is not stored is named under `missing`.
#[utoipa::path(
    get,
    path = "/api/v1/compare",
    operation_id = "compare",
    params(
        ("of" = Vec<String>, Query, description = "What is compared, up to 50, in this order: STUDY:VARIANT:PROFILE or run:ID"),
        ("base" = Option<String>, Query, description = "The one of them that others are held against; default is the first"),
    ),
    responses(
        (status = 200, description = "The comparison", body = serde_json::Value, content_type = "application/json"),
        (status = 400, description = "It names nothing, or too much", body = ProblemDocument, content_type = "application/problem+json"),
        (status = "4XX", description = "It cannot be read", body = ProblemDocument, content_type = "application/problem+json"),
        (status = "5XX", description = "It cannot be read now: try again", body = ProblemDocument, content_type = "application/problem+json"),
    ),
    security(("token" = []))
)]
pub async fn compared(
    State(state): State<AppState>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<impl IntoResponse, Problem> {
    let store = &state.site.store;
    access::reader(store, &headers, now_ms()).await?;
    let asked = Selection::read(&query::fields(uri.query()));
    let bad = |detail: String| Problem::new(Kind::BadQuery, detail).at_path("of").expected(EXPECTED);
    if let Some(text) = asked.unreadable.first() {
        return Err(bad(format!("\"{text}\" names neither a variant nor a run")));
    }
    if !asked.too_many.is_empty() {
        return Err(bad(format!("{} too many: at most {MOST} are compared", asked.too_many.len())));
    }
    if asked.selection.is_empty() {
        return Err(bad("nothing is named".to_owned()));
    }
    let facts = compare(&asked.selection, &store.compared(&asked.selection).await?);
    Ok(([(header::CACHE_CONTROL, "no-cache")], Json(facts)))
}
