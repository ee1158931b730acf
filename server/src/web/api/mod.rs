//! The API for programs: uploads, and the document that describes it, written from the types that the handlers use.

mod access;
mod compare;
pub mod problem;
pub mod receive;
mod studies;
#[cfg(test)]
mod tests;
mod uploads;
mod versions;

use axum::{
    Json, Router,
    extract::DefaultBodyLimit,
    http::header,
    response::IntoResponse,
    routing::{any, get, post},
};
use utoipa::{
    Modify, OpenApi,
    openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme},
};

use self::problem::{Kind, Problem, ProblemDocument};
use super::AppState;

/// Routes under `/api`.
pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/api/v1/uploads", post(uploads::create).fallback(method))
        .route("/api/v1/uploads/{id}", get(uploads::answer).fallback(read_only))
        .route("/api/v1/studies/{slug}/report", get(studies::report).fallback(read_only))
        .route("/api/v1/compare", get(compare::compared).fallback(read_only))
        .route(
            "/api/v1/studies/{slug}/versions",
            get(versions::list)
                .post(versions::create)
                .fallback(read_or_publish)
                .layer(DefaultBodyLimit::max(versions::MAX_BODY)),
        )
        .route("/api/v1/studies/{slug}/versions/{number}", get(versions::report).fallback(read_only))
        .route("/api/v1/openapi.json", get(openapi))
        .route("/api/{*path}", any(nothing))
}

/// The API as a document.
#[derive(OpenApi)]
#[openapi(
    info(title = "Touchstone", description = "Benchmark results of LLM serving, uploaded and read by programs."),
    paths(
        uploads::create,
        uploads::answer,
        studies::report,
        compare::compared,
        versions::create,
        versions::list,
        versions::report
    ),
    components(schemas(ProblemDocument)),
    modifiers(&Token)
)]
struct Document;

struct Token;

impl Modify for Token {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let scheme = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .bearer_format("tst_…")
            .description(Some("Made by `touchstone token create`"));
        openapi.components.get_or_insert_default().add_security_scheme("token", SecurityScheme::Http(scheme.build()));
    }
}

async fn openapi() -> impl IntoResponse {
    ([(header::CACHE_CONTROL, "no-cache")], Json(Document::openapi()))
}

async fn nothing() -> Problem {
    Problem::new(Kind::NotFound, "the API has no such address").expected("see /api/v1/openapi.json")
}

async fn method() -> Problem {
    Problem::new(Kind::Method, "an upload is sent with POST").header(header::ALLOW, "POST")
}

async fn read_or_publish() -> Problem {
    Problem::new(Kind::Method, "versions are listed with GET and published with POST")
        .header(header::ALLOW, "GET, POST")
}

async fn read_only() -> Problem {
    Problem::new(Kind::Method, "this can only be read").header(header::ALLOW, "GET")
}
