//! Pages drawn by Leptos, and the redirects that give each page one address.
//!
//! One handler draws all of them with `render_app_async_with_context`, Leptos' `SsrMode::Async`: the answer is complete
//! when it leaves, so pages work without JavaScript and their status can still be set while data are fetched.

use app::{
    lang::Lang,
    part::report::Prints,
    routes::Route,
    shell::Shell,
    visit::{Visit, preferred},
};
use axum::{
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, Method, StatusCode, Uri, header},
    response::{IntoResponse, Redirect, Response},
};
use leptos::{prelude::provide_context, view};

use super::AppState;

/// `/`: to the language that the reader prefers.
pub async fn to_language(uri: Uri, headers: HeaderMap) -> Response {
    let home = with_query(Route::Home.href(preferred(&headers)), &uri);
    ([(header::VARY, "accept-language"), (header::CACHE_CONTROL, "no-cache")], Redirect::temporary(&home))
        .into_response()
}

/// Every page, and the 404 for what is none.
pub async fn page(State(state): State<AppState>, request: Request<Body>) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, "GET, HEAD")]).into_response();
    }
    if let Some(path) = one_address(request.uri().path()) {
        return Redirect::permanent(&with_query(path, request.uri())).into_response();
    }
    let (parts, _) = request.into_parts();
    draw(&state, parts.uri, &parts.headers, || {}).await
}

/// Draws the page of an address, whatever the method was that leads to it; `provide` hands it what else it needs.
pub async fn draw(
    state: &AppState,
    uri: Uri,
    headers: &HeaderMap,
    provide: impl Fn() + Clone + Send + Sync + 'static,
) -> Response {
    let visit = Visit::of(&uri, headers, &state.site);
    let (site, leptos) = (state.site.clone(), state.leptos.clone());
    let prints = Prints(state.printer.is_there());
    let draw = leptos_axum::render_app_async_with_context(
        move || {
            provide_context(site.store.clone());
            provide_context(site.clone());
            provide_context(leptos.clone());
            provide_context(visit.clone());
            provide_context(prints);
            provide();
        },
        || view! { <Shell/> },
    );
    let mut request = Request::new(Body::empty());
    *request.uri_mut() = uri;
    *request.headers_mut() = headers.clone();
    let mut response = draw(request).await;
    // The page differs by theme cookie, and by language where the address names none.
    let headers = response.headers_mut();
    headers.insert(header::VARY, header::HeaderValue::from_static("cookie, accept-language"));
    headers.insert(header::CACHE_CONTROL, header::HeaderValue::from_static("no-cache"));
    response
}

/// Where a page is that was asked for with a slash too many or too few.
fn one_address(path: &str) -> Option<String> {
    if let Some(lang) = path.strip_prefix('/').and_then(|code| code.parse::<Lang>().ok()) {
        return Some(Route::Home.href(lang));
    }
    let (lang, route) = Route::parse(path.strip_suffix('/')?)?;
    Some(route.href(lang))
}

fn with_query(path: String, uri: &Uri) -> String {
    match uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slashes_are_put_right_and_pages_stay_where_they_are() {
        for (path, to) in [
            ("/ja", Some("/ja/")),
            ("/en/studies/a/", Some("/en/studies/a")),
            ("/ja/", None),
            ("/en/studies/a", None),
            ("/fr", None),
            ("/", None),
            ("//evil.example/", None),
        ] {
            assert_eq!(one_address(path).as_deref(), to, "{path}");
        }
    }
}
