//! Errors of the API: problem documents (RFC 9457), which say where something is wrong and what was expected.

use app::error::Incident;
use axum::{
    Json,
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::mask::mask_text;
use domain::upload::Refusal;
use serde::Serialize;
use store::StoreError;
use utoipa::ToSchema;

use crate::ingest::{IngestError, MaskedPlace, Rejection, RunLink, UploadAnswer, Warning};
use crate::spool::disk_is_full;

/// What went wrong, to be answered.
#[derive(Debug)]
pub struct Problem(Box<ProblemDocument>);

/// A problem document.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub struct ProblemDocument {
    /// Which problem it is: a path that stays.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The same, in words.
    title: &'static str,
    /// The HTTP status.
    status: u16,
    /// What was wrong this time.
    detail: String,
    /// The key's path in the envelope or in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// The file that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// From 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    /// What could have stood there.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<String>,
    /// The study's slug, where no file of an upload could be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    study: Option<String>,
    /// None, then.
    #[serde(skip_serializing_if = "Option::is_none")]
    accepted: Option<usize>,
    /// Files that could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    rejected: Option<usize>,
    /// Empty, then.
    #[serde(skip_serializing_if = "Option::is_none")]
    runs: Option<Vec<RunLink>>,
    /// Why files could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    rejections: Option<Vec<Rejection>>,
    /// What was doubted.
    #[serde(skip_serializing_if = "Option::is_none")]
    warnings: Option<Vec<Warning>>,
    /// Secrets that were masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    masked: Option<Vec<MaskedPlace>>,
    #[serde(skip)]
    headers: Vec<(HeaderName, HeaderValue)>,
    #[serde(skip)]
    of: Kind,
}

/// The kinds of problem there are; each has one address, title and status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// What should be JSON is none.
    BadJson,
    /// The envelope holds something that it may not.
    BadEnvelope,
    /// What stands after the question mark.
    BadQuery,
    /// The parts of a multipart body.
    BadBody,
    /// No file could be read.
    NothingAccepted,
    /// No token, or one that opens nothing.
    Unauthorised,
    /// A token for something else.
    Forbidden,
    /// No such thing.
    NotFound,
    /// Another method.
    Method,
    /// Somebody else changed the same thing.
    Conflict,
    /// Too much.
    TooLarge,
    /// A type or encoding that is not read.
    UnsupportedType,
    /// What this server lacks.
    NotHere,
    /// Enough others wait.
    Busy,
    /// The disk is full.
    NoSpace,
    /// The database or disk.
    Unavailable,
    /// Our fault.
    Internal,
}

impl Kind {
    fn words(self) -> (&'static str, &'static str, StatusCode) {
        match self {
            Self::BadJson => ("/problems/bad-json", "The envelope is not JSON", StatusCode::BAD_REQUEST),
            Self::BadEnvelope => {
                ("/problems/bad-envelope", "The envelope cannot be taken", StatusCode::UNPROCESSABLE_ENTITY)
            }
            Self::BadQuery => ("/problems/bad-query", "The address cannot be read", StatusCode::BAD_REQUEST),
            Self::BadBody => ("/problems/bad-body", "The body cannot be read", StatusCode::BAD_REQUEST),
            Self::NothingAccepted => {
                ("/problems/nothing-accepted", "No file could be read", StatusCode::UNPROCESSABLE_ENTITY)
            }
            Self::Unauthorised => ("/problems/unauthorised", "A token is needed", StatusCode::UNAUTHORIZED),
            Self::Forbidden => ("/problems/forbidden", "The token does not allow this", StatusCode::FORBIDDEN),
            Self::NotFound => ("/problems/not-found", "There is nothing here", StatusCode::NOT_FOUND),
            Self::Method => ("/problems/method", "Another method is needed", StatusCode::METHOD_NOT_ALLOWED),
            Self::Conflict => ("/problems/conflict", "Somebody else changed the same thing", StatusCode::CONFLICT),
            Self::TooLarge => ("/problems/too-large", "The upload is too large", StatusCode::PAYLOAD_TOO_LARGE),
            Self::UnsupportedType => {
                ("/problems/unsupported-type", "The type is not read", StatusCode::UNSUPPORTED_MEDIA_TYPE)
            }
            Self::NotHere => ("/problems/not-here", "This server cannot do this", StatusCode::NOT_IMPLEMENTED),
            Self::Busy => ("/problems/busy", "The server is busy", StatusCode::SERVICE_UNAVAILABLE),
            Self::NoSpace => ("/problems/no-space", "The server's disk is full", StatusCode::INSUFFICIENT_STORAGE),
            Self::Unavailable => {
                ("/problems/unavailable", "The server cannot store this now", StatusCode::SERVICE_UNAVAILABLE)
            }
            Self::Internal => ("/problems/internal", "The server made a mistake", StatusCode::INTERNAL_SERVER_ERROR),
        }
    }
}

impl Problem {
    /// A problem of this kind; `detail` says what was wrong this time.
    pub fn new(kind: Kind, detail: impl Into<String>) -> Self {
        let (address, title, status) = kind.words();
        Self(Box::new(ProblemDocument {
            kind: address,
            title,
            status: status.as_u16(),
            detail: detail.into(),
            path: None,
            file: None,
            line: None,
            expected: None,
            study: None,
            accepted: None,
            rejected: None,
            runs: None,
            rejections: None,
            warnings: None,
            masked: None,
            headers: Vec::new(),
            of: kind,
        }))
    }

    /// Which it is.
    pub fn kind(&self) -> Kind {
        self.0.of
    }

    /// What was wrong this time.
    pub fn detail(&self) -> &str {
        &self.0.detail
    }

    /// The HTTP status.
    pub fn status(&self) -> u16 {
        self.0.status
    }

    /// With the key that it is about.
    pub fn at_path(mut self, path: impl Into<String>) -> Self {
        self.0.path = Some(path.into()).filter(|path| !path.is_empty() && path != ".");
        self
    }

    /// With the line that it is about.
    pub fn at_line(mut self, line: usize) -> Self {
        self.0.line = Some(line).filter(|line| *line > 0);
        self
    }

    /// With what could have stood there.
    pub fn expected(mut self, expected: impl Into<String>) -> Self {
        self.0.expected = Some(expected.into());
        self
    }

    /// With a header.
    pub fn header(mut self, name: HeaderName, value: &'static str) -> Self {
        self.0.headers.push((name, HeaderValue::from_static(value)));
        self
    }

    /// What nobody outside can do anything about: the log says what happened, the answer only how to find it there.
    pub fn incident(kind: Kind, cause: &str) -> Self {
        let incident = Incident::new();
        tracing::error!(%incident, "an upload failed: {cause}");
        if disk_is_full(cause) {
            let detail = format!(
                "the server's disk is full (incident {incident}). Nothing is half stored: send it again when there is room"
            );
            return Self::new(Kind::NoSpace, detail);
        }
        Self::new(kind, format!("incident {incident}; the server's log says more. Nothing is half stored: try again"))
    }
}

impl ProblemDocument {
    /// What was wrong often repeats what was sent; a secret in it is not repeated. What was expected is ours.
    fn mask(&mut self) {
        let texts = [Some(&mut self.detail), self.path.as_mut(), self.file.as_mut()].into_iter().flatten();
        let rejections = self.rejections.iter_mut().flatten();
        let rejections = rejections.flat_map(|one| [Some(&mut one.file), one.path.as_mut(), Some(&mut one.reason)]);
        for text in texts.chain(rejections.flatten()) {
            let (safe, found) = mask_text(text);
            if !found.is_empty() {
                *text = safe;
            }
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(mut self) -> Response {
        let status = StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = std::mem::take(&mut self.0.headers);
        self.0.mask();
        let mut response = (status, [(header::CACHE_CONTROL, "no-store")], Json(self.0)).into_response();
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        response.headers_mut().extend(headers);
        response
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let mut problem = Self::new(Kind::BadEnvelope, refusal.to_string()).at_path(refusal.path);
        problem.0.expected = refusal.expected;
        problem
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match &error {
            StoreError::NotFound { .. } => Self::new(Kind::NotFound, error.to_string()),
            StoreError::Conflict(_) => Self::new(Kind::Conflict, error.to_string()),
            StoreError::Unavailable { .. } => Self::incident(Kind::Unavailable, &error.to_string()),
            StoreError::Corrupt { .. } => Self::incident(Kind::Internal, &error.to_string()),
        }
    }
}

impl From<IngestError> for Problem {
    fn from(error: IngestError) -> Self {
        match error {
            IngestError::Refused(refusal) => refusal.into(),
            IngestError::AllRejected(answer) => nothing_accepted(*answer),
            IngestError::TooLarge(limit, file) => Self::new(Kind::TooLarge, format!("{file}: {limit}")),
            IngestError::Store(error) => error.into(),
            IngestError::Failed(cause) => Self::incident(Kind::Unavailable, &cause),
        }
    }
}

fn nothing_accepted(answer: UploadAnswer) -> Problem {
    let first = answer.rejections.first();
    let detail = match first {
        Some(first) => format!("{}: {}", first.file, first.reason),
        None => "the upload has no file".to_owned(),
    };
    let mut problem = Problem::new(Kind::NothingAccepted, detail);
    let document = &mut *problem.0;
    document.file = first.map(|first| first.file.clone());
    document.line = first.and_then(|first| first.line);
    document.path = first.and_then(|first| first.path.clone());
    document.study = Some(answer.study);
    document.accepted = Some(answer.accepted);
    document.rejected = Some(answer.rejected);
    document.runs = Some(answer.runs);
    document.rejections = Some(answer.rejections);
    document.warnings = Some(answer.warnings);
    document.masked = Some(answer.masked);
    problem
}
