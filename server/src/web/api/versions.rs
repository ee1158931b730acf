//! `/api/v1/studies/{slug}/versions`: publish, list, and the frozen report model.

use app::lang::Lang;
use app::routes::version_href;
use axum::{
    Json,
    body::Bytes,
    extract::{Path, State, rejection::BytesRejection},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use chrono::{DateTime, SecondsFormat};
use domain::{
    id::StudySlug,
    mask::mask_text,
    version::{MAX_REMARK, remark},
};
use serde::{Deserialize, Serialize};
use store::{Audience, StoreError, Version};
use utoipa::ToSchema;

use super::{
    access,
    problem::{Kind, Problem, ProblemDocument},
};
use crate::cmd::import::now_ms;
use crate::export::version::{Outcome, publish};
use crate::web::AppState;

/// A remark at its longest, every character escaped, and as much again.
pub const MAX_BODY: usize = MAX_REMARK * 12 * 4;

/// SHA-256 of the body, before it is compressed on its way.
const SHA256: HeaderName = HeaderName::from_static("x-content-sha256");

/// What is published.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PublishRequest {
    /// A line for the list of versions, at most 500 characters.
    remark: String,
}

/// A published version.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Version)]
pub struct VersionAnswer {
    /// The study's slug.
    study: String,
    /// From 1.
    number: u32,
    /// RFC 3339.
    published_at: String,
    /// Name of the token that published it; none for whoever sits at the server.
    author: Option<String>,
    /// Empty where there is none.
    remark: String,
    /// The number of the wording.
    text_version: u32,
    /// The version of the program that wrote it.
    program: String,
    /// Its address, in the language that a reader prefers.
    href: String,
    /// Everything that was frozen.
    files: Vec<VersionFileAnswer>,
}

/// A file of a published version.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = VersionFile)]
pub struct VersionFileAnswer {
    /// `ja` or `en`; none for a file that is both.
    lang: Option<String>,
    /// `report.html`.
    name: String,
    /// Its address.
    href: String,
    /// Of its bytes, for ever.
    sha256: String,
    /// Bytes.
    size: u64,
}

/// The versions of a study.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Versions)]
pub struct VersionsAnswer {
    /// Newest first.
    versions: Vec<VersionAnswer>,
}

impl VersionAnswer {
    fn of(slug: &StudySlug, version: Version) -> Self {
        let number = version.number;
        // What is for outsiders is reached by links of its own.
        let files = version.files.into_iter().filter(|file| file.audience == Audience::All);
        let files = files.map(|file| {
            let place = version_href(file.lang.unwrap_or(Lang::En), slug.as_str(), number);
            let href = match file.name.rsplit_once('.') {
                Some(("report", "html")) => place,
                Some(("report" | "reproduce", _)) | None => format!("{place}/{}", file.name),
                Some((table, ending)) => format!("{place}/report.{ending}?table={table}"),
            };
            let lang = file.lang.map(|lang| lang.code().to_owned());
            VersionFileAnswer { lang, name: file.name, href, sha256: file.sha256.to_string(), size: file.size }
        });
        let at = DateTime::from_timestamp_millis(version.published_at).unwrap_or_default();
        Self {
            study: slug.to_string(),
            number,
            published_at: at.to_rfc3339_opts(SecondsFormat::Millis, true),
            author: version.author,
            remark: version.remark,
            text_version: version.snapshot.text_version,
            program: version.snapshot.program,
            href: format!("/reports/{slug}/v{number}"),
            files: files.collect(),
        }
    }
}

/// Publish the report of a study as it is now: frozen in both languages and every form, under the next number.
///
/// Where nothing has changed since the newest version, that one is the answer, and nothing is stored.
#[utoipa::path(
    post,
    path = "/api/v1/studies/{slug}/versions",
    operation_id = "publishReport",
    params(("slug" = String, Path, description = "The study's name in addresses")),
    request_body(description = "May be left out.", content = Option<PublishRequest>),
    responses(
        (status = 200, description = "Nothing has changed since this version", body = VersionAnswer),
        (status = 201, description = "The new version", body = VersionAnswer),
        (status = "4XX", description = "Nothing was published", body = ProblemDocument, content_type = "application/problem+json"),
        (status = "5XX", description = "Nothing was published: try again", body = ProblemDocument, content_type = "application/problem+json"),
    ),
    security(("token" = []))
)]
pub async fn create(
    State(state): State<AppState>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Problem> {
    let store = &state.site.store;
    let token = access::uploader(store, &headers, now_ms()).await?;
    let body = body.map_err(|error| match error.into_response().status() {
        StatusCode::PAYLOAD_TOO_LARGE => Problem::new(Kind::TooLarge, "the body is far longer than a remark"),
        _ => Problem::new(Kind::BadBody, "the body did not arrive whole"),
    })?;
    let asked = if body.iter().all(u8::is_ascii_whitespace) {
        PublishRequest::default()
    } else {
        serde_json::from_slice(&body).map_err(|error| {
            Problem::new(Kind::BadJson, error.to_string())
                .at_line(error.line())
                .expected("nothing, or { \"remark\": \"…\" }")
        })?
    };
    let (remark, _) = mask_text(&remark(&asked.remark));
    if remark.chars().count() > MAX_REMARK {
        let problem = Problem::new(Kind::TooLarge, format!("the remark has {} characters", remark.chars().count()));
        return Err(problem.at_path("remark").expected(format!("at most {MAX_REMARK}")));
    }
    let slug = StudySlug::new(slug);
    let outcome = publish(store, &slug, Some(&token.name), &remark, now_ms).await.map_err(|error| match error
        .downcast::<StoreError>()
    {
        Ok(error) => Problem::from(error),
        Err(error) => Problem::incident(Kind::Internal, &format!("{error:#}")),
    })?;
    let (status, version) = match outcome {
        Outcome::New(version) => (StatusCode::CREATED, version),
        Outcome::Same(version) => (StatusCode::OK, version),
    };
    let place = format!("/api/v1/studies/{slug}/versions/{}", version.number);
    let answer = Json(VersionAnswer::of(&slug, version));
    let mut answer = (status, [(header::CACHE_CONTROL, "no-store")], answer).into_response();
    if let Ok(place) = HeaderValue::from_str(&place) {
        answer.headers_mut().insert(header::LOCATION, place);
    }
    Ok(answer)
}

/// The versions of a study, newest first.
#[utoipa::path(
    get,
    path = "/api/v1/studies/{slug}/versions",
    operation_id = "listVersions",
    params(("slug" = String, Path, description = "The study's name in addresses")),
    responses(
        (status = 200, description = "All of them", body = VersionsAnswer),
        (status = 404, description = "No such study is stored", body = ProblemDocument, content_type = "application/problem+json"),
        (status = "4XX", description = "They cannot be read", body = ProblemDocument, content_type = "application/problem+json"),
        (status = "5XX", description = "They cannot be read now: try again", body = ProblemDocument, content_type = "application/problem+json"),
    ),
    security(("token" = []))
)]
pub async fn list(
    State(state): State<AppState>,
    Path(slug): Path<String>,
    headers: HeaderMap,
) -> Result<impl IntoResponse, Problem> {
    let store = &state.site.store;
    access::reader(store, &headers, now_ms()).await?;
    let slug = StudySlug::new(slug);
    let versions = store.versions(&slug).await?;
    let versions = versions.into_iter().map(|version| VersionAnswer::of(&slug, version)).collect();
    Ok(([(header::CACHE_CONTROL, "no-cache")], Json(VersionsAnswer { versions })))
}

/// The report model of a version, as it was frozen: the same bytes for ever.
#[utoipa::path(
    get,
    path = "/api/v1/studies/{slug}/versions/{number}",
    operation_id = "getVersion",
    params(
        ("slug" = String, Path, description = "The study's name in addresses"),
        ("number" = u32, Path, description = "From 1"),
    ),
    responses(
        (status = 200, description = "The report, in the shape that it had then", body = serde_json::Value, content_type = "application/json"),
        (status = 404, description = "No such version was published", body = ProblemDocument, content_type = "application/problem+json"),
        (status = "4XX", description = "It cannot be read", body = ProblemDocument, content_type = "application/problem+json"),
        (status = "5XX", description = "It cannot be read now: try again", body = ProblemDocument, content_type = "application/problem+json"),
    ),
    security(("token" = []))
)]
pub async fn report(
    State(state): State<AppState>,
    Path((slug, number)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<impl IntoResponse, Problem> {
    let store = &state.site.store;
    access::reader(store, &headers, now_ms()).await?;
    let number = number.parse::<u32>().map_err(|_| Problem::new(Kind::NotFound, "versions have numbers from 1"))?;
    let slug = StudySlug::new(slug);
    let (digest, json) = store.version_file(&slug, number, Audience::All, None, "report.json").await?;
    let sha256 = HeaderValue::from_str(digest.as_str()).expect("hexadecimal digits are a header");
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (SHA256, sha256),
    ];
    Ok((headers, json))
}
