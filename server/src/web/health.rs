//! `/healthz`: can this process answer, and does its database?

use axum::{
    extract::State,
    http::{StatusCode, header},
    response::IntoResponse,
};

use super::AppState;

/// For load balancers and supervisors. The cause of a failure goes to the log, not to whoever asks.
pub async fn check(State(state): State<AppState>) -> impl IntoResponse {
    let (status, text) = match state.site.store.ping().await {
        Ok(()) => (StatusCode::OK, "ok\n"),
        Err(error) => {
            tracing::error!("the database does not answer: {error}");
            (StatusCode::SERVICE_UNAVAILABLE, "the database does not answer\n")
        }
    };
    (status, [(header::CACHE_CONTROL, "no-store")], text)
}
