//! The server, as an agent sees it.

use std::fs::File;
use std::io::{Cursor, Read};
use std::path::Path;
use std::time::Duration;

use domain::agent::{Alive, Claim, Enrol, Failure, Finish, LeaseAsk, Leased, Stop};
use domain::id::{AgentId, JobId};
use domain::upload::Envelope;
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;
use ureq::http::StatusCode;
use ureq::{Agent, SendBody};

/// An answer to a short message.
const PATIENCE: Duration = Duration::from_secs(30);
/// A long result over a slow line.
const UPLOAD_PATIENCE: Duration = Duration::from_secs(30 * 60);
/// Between the parts of an upload. Whatever a raw output holds, it does not hold this.
const BOUNDARY: &str = "touchstone-agent-4f0d1f7c9a3b42e58c61d2b7a90e5f13";

/// Why a server did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Trouble {
    /// It cannot be reached or cannot do it now: later.
    #[error("the server is away: {0}")]
    Away(String),
    /// Whoever asks must stop, or forget its result.
    #[error("the server says to stop: {}", .0.detail)]
    Stop(Stop),
    /// It will never do it.
    #[error("the server refuses: {0}")]
    Refused(String),
}

/// What an agent asks of a server. Everything may be asked twice.
pub trait Server: Send + Sync {
    /// Here I am.
    fn enrol(&self, enrol: &Enrol) -> Result<(), Trouble>;
    /// Is there a job?
    fn lease(&self, agent: &AgentId, ask: &LeaseAsk) -> Result<Option<Leased>, Trouble>;
    /// I am at work.
    fn alive(&self, job: &JobId, alive: &Alive) -> Result<(), Trouble>;
    /// I failed.
    fn fail(&self, job: &JobId, failure: &Failure) -> Result<(), Trouble>;
    /// I have a result.
    fn claim(&self, job: &JobId, claim: &Claim) -> Result<(), Trouble>;
    /// Here it is.
    fn upload(&self, envelope: &Envelope, name: &str, file: &Path) -> Result<(), Trouble>;
    /// It is there.
    fn finish(&self, job: &JobId, finish: &Finish) -> Result<(), Trouble>;
}

/// A server behind HTTP.
pub struct Http {
    agent: Agent,
    base: String,
    token: String,
}

impl Http {
    /// `base` is its address without a path, as in `https://bench.example.com`.
    #[must_use]
    pub fn new(base: &str, token: &str) -> Self {
        let config = Agent::config_builder().http_status_as_error(false).timeout_global(Some(PATIENCE)).build();
        Self { agent: config.into(), base: base.trim_end_matches('/').to_owned(), token: token.to_owned() }
    }

    fn say<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<Option<T>, Trouble> {
        let body = serde_json::to_vec(body).map_err(|error| Trouble::Refused(error.to_string()))?;
        let request = self.agent.post(format!("{}{path}", self.base));
        let request = request.header("authorization", format!("Bearer {}", self.token));
        let sent = request.header("content-type", "application/json").send(&body[..]);
        let (status, text) = answer(sent)?;
        if status == StatusCode::NO_CONTENT || text.is_empty() {
            return Ok(None);
        }
        serde_json::from_str(&text).map(Some).map_err(|error| Trouble::Away(format!("it answers no JSON: {error}")))
    }

    fn tell(&self, path: &str, body: &impl Serialize) -> Result<(), Trouble> {
        self.say::<serde_json::Value>(path, body).map(drop)
    }
}

fn answer(sent: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Result<(StatusCode, String), Trouble> {
    let mut response = sent.map_err(|error| Trouble::Away(error.to_string()))?;
    let status = response.status();
    let text = response.body_mut().read_to_string().map_err(|error| Trouble::Away(error.to_string()))?;
    if status.is_success() {
        return Ok((status, text));
    }
    let said = || format!("{status}: {}", text.chars().take(500).collect::<String>());
    match status {
        StatusCode::CONFLICT => match serde_json::from_str(&text) {
            Ok(stop) => Err(Trouble::Stop(stop)),
            Err(_) => Err(Trouble::Away(said())),
        },
        // A token may be given again, and a store may come back.
        StatusCode::UNAUTHORIZED
        | StatusCode::FORBIDDEN
        | StatusCode::REQUEST_TIMEOUT
        | StatusCode::TOO_MANY_REQUESTS => Err(Trouble::Away(said())),
        status if status.is_client_error() => Err(Trouble::Refused(said())),
        _ => Err(Trouble::Away(said())),
    }
}

impl Server for Http {
    fn enrol(&self, enrol: &Enrol) -> Result<(), Trouble> {
        self.tell("/api/v1/agents", enrol)
    }

    fn lease(&self, agent: &AgentId, ask: &LeaseAsk) -> Result<Option<Leased>, Trouble> {
        self.say(&format!("/api/v1/agents/{agent}/lease"), ask)
    }

    fn alive(&self, job: &JobId, alive: &Alive) -> Result<(), Trouble> {
        self.tell(&format!("/api/v1/jobs/{job}/alive"), alive)
    }

    fn fail(&self, job: &JobId, failure: &Failure) -> Result<(), Trouble> {
        self.tell(&format!("/api/v1/jobs/{job}/fail"), failure)
    }

    fn claim(&self, job: &JobId, claim: &Claim) -> Result<(), Trouble> {
        self.tell(&format!("/api/v1/jobs/{job}/claim"), claim)
    }

    fn upload(&self, envelope: &Envelope, name: &str, file: &Path) -> Result<(), Trouble> {
        let envelope = serde_json::to_string(envelope).map_err(|error| Trouble::Refused(error.to_string()))?;
        let file = File::open(file).map_err(|error| Trouble::Away(error.to_string()))?;
        let quoted = name.replace(['"', '\r', '\n', '\\'], "_");
        let head = format!(
            "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"envelope\"\r\ncontent-type: application/json\r\n\r\n\
             {envelope}\r\n--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{quoted}\"\r\n\r\n"
        );
        let mut body = Cursor::new(head).chain(file).chain(Cursor::new(format!("\r\n--{BOUNDARY}--\r\n")));
        let request = self.agent.post(format!("{}/api/v1/uploads", self.base));
        let request = request.config().timeout_global(Some(UPLOAD_PATIENCE)).build();
        let request = request.header("authorization", format!("Bearer {}", self.token));
        let request = request.header("content-type", format!("multipart/form-data; boundary={BOUNDARY}"));
        answer(request.send(SendBody::from_reader(&mut body))).map(drop)
    }

    fn finish(&self, job: &JobId, finish: &Finish) -> Result<(), Trouble> {
        self.tell(&format!("/api/v1/jobs/{job}/finish"), finish)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::net::TcpListener;

    use domain::agent::StopReason;

    use super::*;

    /// Answers one request, and gives it back as it came.
    fn once(status: &'static str, body: &'static str, ask: impl FnOnce(&Http) + Send + 'static) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}/", listener.local_addr().unwrap());
        let asking = std::thread::spawn(move || ask(&Http::new(&base, "tst_token")));
        let (mut stream, _) = listener.accept().unwrap();
        let mut came = Vec::new();
        let mut piece = [0; 4096];
        // A body of unknown length ends with an empty chunk, one of known length with its last brace.
        while !came.ends_with(b"0\r\n\r\n") && !came.ends_with(b"}") {
            let count = stream.read(&mut piece).unwrap();
            came.extend_from_slice(&piece[..count]);
        }
        let answer = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len());
        stream.write_all(answer.as_bytes()).unwrap();
        asking.join().unwrap();
        String::from_utf8(came).unwrap()
    }

    fn claim(http: &Http) -> Result<(), Trouble> {
        let claim = Claim { attempt: 2, agent: "a".into(), digest: domain::digest::Digest::of(b"") };
        http.claim(&"job".into(), &claim)
    }

    #[test]
    fn what_a_server_answers_says_whether_to_stop_or_to_wait() {
        let stop = r#"{"reason":"cancelled","detail":"the job is being cancelled"}"#;
        let said = once("409 Conflict", stop, |http| match claim(http) {
            Err(Trouble::Stop(stop)) => assert_eq!(stop.reason, StopReason::Cancelled),
            other => panic!("{other:?}"),
        });
        assert!(said.starts_with("POST /api/v1/jobs/job/claim HTTP/1.1\r\n"), "{said}");
        assert!(said.to_lowercase().contains("authorization: bearer tst_token\r\n"), "{said}");
        for status in ["503 Service Unavailable", "401 Unauthorized", "429 Too Many Requests", "500 Oops"] {
            once(status, "{}", |http| assert!(matches!(claim(http), Err(Trouble::Away(_)))));
        }
        once("404 Not Found", "{}", |http| assert!(matches!(claim(http), Err(Trouble::Refused(_)))));
        once("204 No Content", "", |http| {
            let ask = LeaseAsk { free_gpus: 1, prefer: None };
            assert_eq!(http.lease(&"a".into(), &ask), Ok(None));
        });
        let nobody = Http::new("http://127.0.0.1:9", "t");
        assert!(matches!(claim(&nobody), Err(Trouble::Away(_))));
    }

    #[test]
    fn a_result_is_sent_as_an_envelope_and_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("result");
        std::fs::write(&file, b"{\"bytes\": \"as they are\"}\r\n").unwrap();
        let envelope: Envelope = serde_json::from_str(r#"{"study":"s","variant":"v","profile":"p"}"#).unwrap();
        let said = once("201 Created", "{}", move |http| {
            assert_eq!(http.upload(&envelope, "a\"b.json", &file), Ok(()));
        });
        assert!(said.starts_with("POST /api/v1/uploads HTTP/1.1\r\n"), "{said}");
        assert!(said.contains(&format!("multipart/form-data; boundary={BOUNDARY}")), "{said}");
        for part in
            ["name=\"envelope\"", "name=\"file\"; filename=\"a_b.json\"\r\n\r\n", "{\"bytes\": \"as they are\"}\r\n"]
        {
            assert!(said.contains(part), "{part} is not in {said}");
        }
        assert!(said.contains(&format!("--{BOUNDARY}--")), "{said}");
    }
}
