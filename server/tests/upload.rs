//! `touchstone upload` against a server that is made of answers: what it sends, when it tries again, what it says.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where it stopped")]

use std::fs;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// Status, `Retry-After`, body.
type Said = (u16, &'static str, Value);

/// Answers in turn, the last one for ever; keeps what it was sent.
#[derive(Clone, Default)]
struct Stub {
    answers: Arc<Mutex<Vec<Said>>>,
    requests: Arc<Mutex<Vec<Request>>>,
}

#[derive(Clone)]
struct Request {
    headers: HeaderMap,
    body: String,
}

struct Answer {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Stub {
    /// A server with these answers, and its address.
    async fn serve(answers: &[Said]) -> (Self, String) {
        let stub = Self { answers: Arc::new(Mutex::new(answers.to_vec())), ..Self::default() };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new()
            .route("/api/v1/uploads", post(receive))
            .layer(axum::extract::DefaultBodyLimit::disable())
            .with_state(stub.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        (stub, address)
    }

    fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

async fn receive(State(stub): State<Stub>, headers: HeaderMap, body: Bytes) -> Response {
    assert_eq!(headers["content-encoding"], "zstd");
    let body = String::from_utf8(zstd::decode_all(&*body).unwrap()).unwrap();
    stub.requests.lock().unwrap().push(Request { headers, body });
    let mut answers = stub.answers.lock().unwrap();
    let (status, after, answer) = if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() };
    let mut response = (StatusCode::from_u16(status).unwrap(), axum::Json(answer)).into_response();
    if !after.is_empty() {
        response.headers_mut().insert("retry-after", after.parse().unwrap());
    }
    response
}

/// Runs the command on files of these contents.
async fn upload(server: &str, token: Option<&str>, files: &[(&str, &str)], more: &[&str]) -> Answer {
    let more = [&["--study", "s", "--variant", "v", "--profile", "p"], more].concat();
    run(server, token, files, files.len(), &more).await
}

/// Runs it on the first file; the others only lie there, and nothing else is said than this.
async fn upload_first(server: &str, files: &[(&str, &str)], more: &[&str]) -> Answer {
    run(server, Some("tst_x"), files, 1, more).await
}

async fn run(server: &str, token: Option<&str>, files: &[(&str, &str)], sent: usize, more: &[&str]) -> Answer {
    let dir = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchstone"));
    command.current_dir(dir.path()).stdin(Stdio::null()).env_remove("TOUCHSTONE_TOKEN").env_remove("http_proxy");
    command.arg("upload").args(files.iter().take(sent).map(|(name, _)| name));
    command.args(["--server", server]).args(more);
    if let Some(token) = token {
        command.env("TOUCHSTONE_TOKEN", token);
    }
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    drop(dir);
    Answer {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn accepted() -> Value {
    json!({
        "study": "s", "accepted": 1, "rejected": 0,
        "runs": [{ "id": "1", "url": "/en/runs/1", "file": "a.txt", "index": 0, "variant": "v", "profile": "p" }],
        "rejections": [], "warnings": [{ "file": "a.txt", "line": 3, "message": "doubted" }],
        "masked": [{ "file": "a.txt", "line": 7, "what": "bearer token" }],
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_fails_twice_is_asked_again_with_the_same_bytes() {
    let busy = json!({ "title": "Busy", "detail": "come back" });
    let (stub, server) = Stub::serve(&[(503, "", json!(null)), (429, "1", busy), (200, "", accepted())]).await;
    let more = [
        "--engine",
        "vLLM",
        "--model",
        "M",
        "--arg",
        "--max-num-seqs",
        "--arg",
        "512",
        "--env",
        "A=b=c",
        "--step",
        "t",
    ];
    let answer = upload(&server, Some("tst_secret"), &[("a.txt", "the raw output")], &more).await;
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let requests = stub.requests();
    assert_eq!(requests.len(), 3);
    assert!(requests.iter().all(|request| request.body == requests[0].body));
    assert_eq!(requests[0].headers["authorization"], "Bearer tst_secret");
    let body = &requests[0].body;
    let envelope = body.split("\r\n\r\n").nth(1).unwrap().split("\r\n").next().unwrap();
    let envelope: Value = serde_json::from_str(envelope).unwrap();
    assert_eq!(envelope["variant"]["args"], json!(["--max-num-seqs", "512"]));
    assert_eq!(envelope["variant"]["env"], json!({ "A": "b=c" }));
    assert_eq!(envelope["step"], "t");
    assert!(body.contains("filename=\"a.txt\"") && body.contains("\r\n\r\nthe raw output\r\n"), "{body}");
    assert!(answer.stderr.contains("503") && answer.stderr.contains("come back"), "{}", answer.stderr);
    assert!(answer.stderr.contains("a.txt, line 7: masked: bearer token"), "{}", answer.stderr);
    assert!(answer.stderr.contains("a.txt, line 3: warning: doubted"), "{}", answer.stderr);
    assert_eq!(answer.stdout, format!("a.txt: v / p: {server}/en/runs/1\ns: 1 run stored, 0 rejected\n"));
    assert!(!answer.stderr.contains("tst_secret"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_said_once_with_its_place() {
    let problem = json!({
        "type": "/problems/bad-envelope", "title": "Bad envelope", "status": 422,
        "detail": "the variant is not known", "path": "variant", "expected": "one of a, b",
    });
    let (stub, server) = Stub::serve(&[(422, "", problem.clone())]).await;
    let answer = upload(&server, Some("tst_x"), &[("a.txt", "x")], &["--format", "json"]).await;
    assert_eq!((answer.code, stub.requests().len()), (1, 1));
    assert_eq!(serde_json::from_str::<Value>(&answer.stdout).unwrap(), problem);
    let said = "the server refuses the upload (422): the variant is not known; at variant; expected one of a, b";
    assert!(answer.stderr.contains(said), "{}", answer.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn rejected_files_are_named_and_the_others_are_stored() {
    let mut mixed = accepted();
    mixed["rejected"] = json!(1);
    mixed["rejections"] = json!([{ "file": "b.txt", "line": 2, "reason": "the file is empty" }]);
    let (stub, server) = Stub::serve(&[(200, "", mixed)]).await;
    let files = [("a.txt", "x"), ("d/a.txt", "y")];
    let answer = upload(&server, Some("tst_x"), &files, &[]).await;
    assert_eq!(answer.code, 3, "{}", answer.stderr);
    assert!(answer.stderr.contains("b.txt, line 2: rejected: the file is empty"), "{}", answer.stderr);
    assert!(stub.requests()[0].body.contains("filename=\"d/a.txt\""));
    let nothing = json!({
        "title": "Nothing stored", "status": 422, "detail": "no file can be read", "study": "s", "accepted": 0,
        "rejected": 1, "rejections": [{ "file": "a.txt", "reason": "the file is empty" }],
    });
    let (_, server) = Stub::serve(&[(422, "", nothing)]).await;
    let answer = upload(&server, Some("tst_x"), &[("a.txt", "")], &[]).await;
    assert_eq!(answer.code, 3, "{}", answer.stderr);
    assert!(answer.stderr.contains("a.txt: rejected: the file is empty"), "{}", answer.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_files_go_in_several_requests() {
    let (stub, server) = Stub::serve(&[(200, "", accepted())]).await;
    let names: Vec<String> = (0..250).map(|at| format!("{at}.txt")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x")).collect();
    let answer = upload(&server, Some("tst_x"), &files, &["--format", "json"]).await;
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let sent: Vec<usize> = stub.requests().iter().map(|request| request.body.matches("filename=").count()).collect();
    assert_eq!(sent, [10; 25]);
    assert_eq!(serde_json::from_str::<Value>(&answer.stdout).unwrap()["accepted"], 25);
}

/// The envelope that a request came with.
fn sent(request: &Request) -> Value {
    let envelope = request.body.split("\r\n\r\n").nth(1).unwrap().split("\r\n").next().unwrap();
    serde_json::from_str(envelope).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_envelope_says_what_no_option_does_and_options_go_before_it() {
    let (stub, server) = Stub::serve(&[(200, "", accepted())]).await;
    let described = json!({
        "study": { "slug": "other", "title": { "ja": "題", "en": "Title" }, "basis": "reported" },
        "variant": { "id": "w", "engine": "SGLang", "model": "M", "args": ["--a"], "env": { "A": "1", "B": "2" } },
        "profile": { "id": "q", "dataset": "random", "input_tokens": 1024, "slo": { "ttft_p99_ms": 2000 } },
        "commands": { "serve": "old", "bench": "vllm bench serve" },
        "hardware": { "gpu": "H100" },
        "started_at": "2026-11-28T09:30:00+09:00",
    });
    let described = described.to_string();
    let files = [("a.txt", "x"), ("envelope.json", described.as_str())];
    let run = |more: &'static [&'static str]| {
        let server = server.clone();
        async move { upload_first(&server, &files, more).await }
    };
    let answer = run(&["--envelope", "envelope.json"]).await;
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let body = sent(&stub.requests()[0]);
    let mut expected: Value = serde_json::from_str(&described).unwrap();
    expected["profile"]["slo"]["ttft_p99_ms"] = json!(2000.0);
    assert_eq!(body, expected, "all of it is sent as it is");

    let more = &[
        "--envelope",
        "envelope.json",
        "--study",
        "s",
        "--variant",
        "v",
        "--profile",
        "p",
        "--engine-version",
        "0.5",
        "--env",
        "B=3",
        "--env",
        "C=4",
        "--gpus",
        "8",
        "--serve-command",
        "--new",
        "--finished-at",
        "2026-11-28T09:40:00+09:00",
        "--title",
        "Other",
    ];
    let answer = run(more).await;
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let body = sent(&stub.requests()[1]);
    assert_eq!(body["study"], json!({ "slug": "s", "title": "Other", "basis": "reported" }));
    assert_eq!(body["variant"]["id"], "v");
    assert_eq!((&body["variant"]["engine"], &body["variant"]["engine_version"]), (&json!("SGLang"), &json!("0.5")));
    assert_eq!(body["variant"]["env"], json!({ "A": "1", "B": "3", "C": "4" }));
    assert_eq!((&body["variant"]["args"], &body["variant"]["gpus"]), (&json!(["--a"]), &json!(8)));
    assert_eq!((&body["profile"]["id"], &body["profile"]["input_tokens"]), (&json!("p"), &json!(1024)));
    assert_eq!(body["hardware"], json!({ "gpu": "H100", "count": 8 }));
    assert_eq!(body["commands"], json!({ "serve": "--new", "bench": "vllm bench serve" }));
    assert_eq!(body["finished_at"], "2026-11-28T09:40:00+09:00");

    for (content, said) in [
        ("{", "envelope.json: the JSON cannot be read"),
        ("[]", "envelope.json: it is no JSON object"),
        ("{\"study\": \"s\", \"variant\": \"v\"}", "envelope.json: missing field `profile`"),
        (
            "{\"study\": \"s\", \"variant\": \"v\", \"profile\": \"p\", \"verdict\": 1}",
            "envelope.json: verdict: unknown field",
        ),
        (
            "{\"study\": \"s\", \"variant\": \"v\", \"profile\": \"p\", \"files\": [{\"name\": \"a\", \"content\": \"\"}]}",
            "envelope.json: files: the files are named on the command line",
        ),
    ] {
        let files = [("a.txt", "x"), ("envelope.json", content)];
        let answer = upload_first(&server, &files, &["--envelope", "envelope.json"]).await;
        assert_eq!(answer.code, 1, "{said}: {}", answer.stderr);
        assert!(answer.stderr.contains(said), "{said}: {}", answer.stderr);
    }
    assert_eq!(stub.requests().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_belong_to_an_engine_and_a_study_is_needed() {
    let (stub, server) = Stub::serve(&[(200, "", accepted())]).await;
    for (more, said) in [
        (&["--study", "s", "--variant", "v", "--profile", "p", "--arg", "x"][..], "--engine"),
        (&["--variant", "v", "--profile", "p"], "--study"),
    ] {
        let answer = upload_first(&server, &[("a.txt", "x")], more).await;
        assert_eq!(answer.code, 2, "{said}: {}", answer.stderr);
        assert!(answer.stderr.contains(said), "{said}: {}", answer.stderr);
    }
    let files = [("a.txt", "x"), ("e.json", "{\"study\": \"s\", \"variant\": \"v\", \"profile\": \"p\"}")];
    let answer = upload_first(&server, &files, &["--envelope", "e.json", "--arg", "x"]).await;
    assert_eq!(answer.code, 1, "{}", answer.stderr);
    assert!(answer.stderr.contains("give it with --engine"), "{}", answer.stderr);
    assert_eq!(stub.requests().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_before_anything_is_sent_is_said() {
    let gone = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = format!("http://{}", gone.local_addr().unwrap());
    drop(gone);
    let file = [("a.txt", "x")];
    for (token, more, said) in [
        (None, &[][..], "a token is needed"),
        (Some(" "), &[], "a token is needed"),
        (Some("tst_x"), &["--retries", "0"], "nothing listens at http://127.0.0.1:"),
        (Some("tst_x"), &["--retries", "1"], "given up after 2 tries"),
        (Some("tst_x"), &["no-such-file.txt"], "no-such-file.txt: there is no such file"),
        (Some("tst_x"), &["."], ".: it is a folder"),
        (Some("tst_x"), &["--started-at", "yesterday"], "started_at"),
    ] {
        let answer = upload(&server, token, &file, more).await;
        assert_eq!(answer.code, 1, "{said}: {}", answer.stderr);
        assert!(answer.stderr.contains(said), "{said}: {}", answer.stderr);
        assert_eq!(answer.stdout, "");
    }
}
