//! The upload API from the other side: sends raw outputs to a server, again when something came between, and not again
//! when they are there.
//!
//! Invariant: an upload is known by its content, so sending one again is safe, whatever became of the first try; and what
//! it is known by can be computed here, so the server can be asked before.
//!
//! ureq, not reqwest: a command sends one request after the other, so a blocking client is enough; its TLS is the one
//! that sqlx brings already, and it adds four small crates where reqwest adds forty.

mod body;
mod retry;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use domain::upload::Envelope;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, SendBody};

use body::Body;
use retry::Backoff;

use crate::ingest::identity::foretell;

/// An answer lists every run; a thousand files of a hundred runs are 30 MB.
const MAX_ANSWER: u64 = 64 * 1024 * 1024;
/// A server that is there answers sooner.
const CONNECT: Duration = Duration::from_secs(20);
/// The server reads and stores the files before it answers.
const ANSWER: Duration = Duration::from_secs(600);

/// A raw output to send.
pub struct Source {
    /// Its name at the server.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// Its size, for the progress.
    pub size: u64,
}

/// What the server says. Lists are passed on as they come.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Answer {
    /// The study.
    pub study: String,
    /// Runs that are stored now.
    pub accepted: u64,
    /// Files that are not.
    pub rejected: u64,
    /// One a run.
    pub runs: Vec<Map<String, Value>>,
    /// One a file or place that was not taken.
    pub rejections: Vec<Map<String, Value>>,
    /// What was doubted.
    pub warnings: Vec<Map<String, Value>>,
    /// What was masked.
    pub masked: Vec<Map<String, Value>>,
}

impl Answer {
    /// Adds the answer to the next files.
    pub fn add(&mut self, next: Self) {
        self.study = next.study;
        self.accepted += next.accepted;
        self.rejected += next.rejected;
        self.runs.extend(next.runs);
        self.rejections.extend(next.rejections);
        self.warnings.extend(next.warnings);
        self.masked.extend(next.masked);
    }
}

/// A problem document (RFC 9457).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Problem {
    /// Names the kind.
    #[serde(rename = "type")]
    pub kind: String,
    /// The kind in words.
    pub title: String,
    /// As in the status line.
    pub status: u16,
    /// What happened this time.
    pub detail: String,
    /// Where and what was expected, and whatever else it says.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Why an upload did not get through.
#[derive(Debug)]
pub enum Failure {
    /// The server has read it and says no.
    Refused(Problem),
    /// It could not be brought there, in words.
    Unreached(String),
}

/// A server and a token for it.
pub struct Client {
    agent: Agent,
    server: String,
    token: String,
    retries: u32,
}

/// What is told while a file is sent.
pub trait Watch {
    /// So many bytes of the files were compared with what the server has.
    fn checked(&mut self, bytes: u64);
    /// So many bytes of the files are on their way.
    fn sent(&mut self, bytes: u64);
    /// It begins again, because of this, after so long.
    fn again(&mut self, reason: &str, wait: Duration);
}

impl Client {
    /// Does not ask the server anything yet. `ca` is a file with certificates (PEM) to trust instead of the public ones.
    pub fn new(server: &str, token: &str, ca: Option<&Path>, retries: u32) -> Result<Self, String> {
        let server = server.trim().trim_end_matches('/');
        if !server.starts_with("http://") && !server.starts_with("https://") {
            return Err(format!("the server \"{server}\" is no address like https://bench.example.com"));
        }
        let mut tls = TlsConfig::builder();
        if let Some(ca) = ca {
            let pem = fs::read(ca).map_err(|error| format!("{}: {error}", ca.display()))?;
            let certificates: Vec<_> = parse_pem(&pem)
                .filter_map(|item| match item {
                    Ok(PemItem::Certificate(certificate)) => Some(certificate),
                    _ => None,
                })
                .collect();
            if certificates.is_empty() {
                return Err(format!("{}: there is no certificate in PEM form in it", ca.display()));
            }
            tls = tls.root_certs(RootCerts::new_with_certs(&certificates));
        }
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // A redirect would turn the upload into something else.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(CONNECT))
            .timeout_recv_response(Some(ANSWER))
            .user_agent(concat!("touchstone/", env!("CARGO_PKG_VERSION")))
            .tls_config(tls.build())
            .build();
        Ok(Self { agent: config.into(), server: server.to_owned(), token: token.to_owned(), retries })
    }

    /// Sends files under one envelope, again after a while when the network or the server fails.
    pub fn upload(&self, envelope: &Envelope, files: &[Source], watch: &mut dyn Watch) -> Result<Answer, Failure> {
        let mut backoff = Backoff::new(self.retries);
        loop {
            match self.once(envelope, files, watch) {
                Ok(answer) => return Ok(answer),
                Err(Try::Final(failure)) => return Err(failure),
                Err(Try::Again { reason, after }) => match backoff.next(after) {
                    Some(wait) => {
                        watch.again(&reason, wait);
                        std::thread::sleep(wait);
                    }
                    None => {
                        let tries = self.retries + 1;
                        return Err(Failure::Unreached(format!("{reason}; given up after {tries} tries")));
                    }
                },
            }
        }
    }

    /// What the server answered to the same files under the same envelope before, where it has all of them. Where that
    /// cannot be known there is none: sending them is safe.
    pub fn stored(&self, envelope: &Envelope, files: &[Source], watch: &mut dyn Watch) -> Option<Answer> {
        let files = files.iter().map(|file| (file.name.as_str(), file.path.as_path()));
        // A file that cannot be read is said when it is sent.
        let id = foretell(envelope, files, |bytes| watch.checked(bytes)).ok()?;
        let request = self
            .agent
            .get(format!("{}/api/v1/uploads/{id}", self.server))
            .header("authorization", format!("Bearer {}", self.token))
            .header("accept", "application/json, application/problem+json");
        let mut response = request.call().ok()?;
        if response.status() != 200 {
            return None;
        }
        let text = response.body_mut().with_config().limit(MAX_ANSWER).lossy_utf8(true).read_to_string().ok()?;
        let answer: Answer = serde_json::from_str(&text).ok()?;
        // A file that was rejected may be read by a newer server.
        (answer.accepted > 0 && answer.rejected == 0).then_some(answer)
    }

    fn once(&self, envelope: &Envelope, files: &[Source], watch: &mut dyn Watch) -> Result<Answer, Try> {
        let url = format!("{}/api/v1/uploads", self.server);
        let body = Body::new(envelope, files, watch);
        let content_type = body.content_type();
        let unreadable = body.unreadable();
        let mut body = body.compressed().map_err(|error| Try::fatal(format!("cannot compress: {error}")))?;
        let request = self
            .agent
            .post(&url)
            .header("authorization", format!("Bearer {}", self.token))
            .header("content-type", content_type)
            .header("content-encoding", "zstd")
            .header("accept", "application/json, application/problem+json")
            // What is refused for its token or its size need not be sent.
            .header("expect", "100-continue");
        let response = request.send(SendBody::from_reader(&mut body));
        drop(body);
        if let Some(reason) = unreadable.take() {
            return Err(Try::fatal(reason));
        }
        let mut response = response.map_err(|error| Try::of(&self.server, &error))?;
        let status = response.status();
        let after = response.headers().get("retry-after").and_then(|value| value.to_str().ok()).and_then(retry::after);
        let location = response.headers().get("location").and_then(|value| value.to_str().ok()).map(str::to_owned);
        let text = response.body_mut().with_config().limit(MAX_ANSWER).lossy_utf8(true).read_to_string();
        let text = text.map_err(|error| Try::of(&self.server, &error))?;
        if status.is_success() {
            return serde_json::from_str(&text).map_err(|error| {
                Try::fatal(format!("{} answers, but not as a Touchstone server does: {error}", self.server))
            });
        }
        let problem: Problem = serde_json::from_str(&text).unwrap_or_default();
        if status.is_server_error() || matches!(status.as_u16(), 408 | 425 | 429) {
            let said = if problem.detail.is_empty() { String::new() } else { format!(": {}", problem.detail) };
            return Err(Try::Again { reason: format!("{} answers {status}{said}", self.server), after });
        }
        if status.is_redirection() {
            let to = location.map(|to| format!(" to {to}")).unwrap_or_default();
            return Err(Try::fatal(format!("{} redirects{to}; give that address with --server", self.server)));
        }
        let known = !problem.title.is_empty() || !problem.detail.is_empty();
        let title = status.canonical_reason().unwrap_or("refused").to_owned();
        let problem = if known { problem } else { Problem { title, ..Problem::default() } };
        Err(Try::Final(Failure::Refused(Problem { status: status.as_u16(), ..problem })))
    }
}

/// Why one try did not get through.
enum Try {
    Final(Failure),
    Again { reason: String, after: Option<Duration> },
}

impl Try {
    fn fatal(reason: String) -> Self {
        Self::Final(Failure::Unreached(reason))
    }

    fn of(server: &str, error: &ureq::Error) -> Self {
        use ureq::Error;
        let reason = match error {
            Error::HostNotFound => format!("there is no host of this name: {server}"),
            Error::ConnectionFailed => format!("{server} does not answer"),
            Error::Io(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
                format!("nothing listens at {server}")
            }
            other => format!("{server}: {other}"),
        };
        match error {
            // These will not change by waiting.
            Error::BadUri(_)
            | Error::Tls(_)
            | Error::Rustls(_)
            | Error::InvalidProxyUrl
            | Error::BodyExceedsLimit(_) => Self::fatal(reason),
            _ => Self::Again { reason, after: None },
        }
    }
}
