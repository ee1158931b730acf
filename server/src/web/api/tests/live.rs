//! A server that runs: many agents at once, its own description of itself, and a kill in the middle.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::*;

/// Tells the test below that it is a server now, and where.
const SERVE: &str = "TOUCHSTONE_TEST_SERVE";

/// One request over the wire.
async fn request(addr: SocketAddr, head: &str, body: &[u8]) -> std::io::Result<(u16, Value)> {
    let mut stream = TcpStream::connect(addr).await?;
    let head = format!("{head}\r\nHost: {addr}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    let text = String::from_utf8(answer).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").ok_or(std::io::ErrorKind::UnexpectedEof)?;
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Ok((status, serde_json::from_str(body).unwrap_or_else(|_| panic!("{head}: {body}"))))
}

async fn upload(addr: SocketAddr, token: &str, sent: &Value) -> std::io::Result<(u16, Value)> {
    let head =
        format!("POST /api/v1/uploads HTTP/1.1\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json");
    request(addr, &head, sent.to_string().as_bytes()).await
}

async fn serve(router: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    addr
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn twenty_agents_with_fifty_uploads_each_meet_no_error_and_double_nothing() {
    let desk = Desk::new().await;
    let addr = serve(desk.router.clone()).await;
    let begun = Instant::now();
    let agents = (0..20).map(|agent| {
        let token = desk.token.clone();
        tokio::spawn(async move {
            let mut ids = Vec::new();
            for at in 0..50 {
                let sent = envelope(json!({
                    "step": format!("step-{}", at % 5),
                    "variant": { "engine": "vLLM", "model": "m", "args": [format!("--x={}", agent % 4)] },
                    "profile": format!("profile-{}", at % 3),
                    "files": [file("bench.txt", &block(agent * 50 + at))],
                }));
                let (status, answer) = upload(addr, &token, &sent).await.unwrap();
                assert_eq!(status, 200, "{answer}");
                assert_eq!(answer["accepted"], 1, "{answer}");
                ids.push(answer["runs"][0]["id"].as_str().unwrap().to_owned());
            }
            ids
        })
    });
    let mut ids = BTreeSet::new();
    for agent in agents.collect::<Vec<_>>() {
        ids.extend(agent.await.unwrap());
    }
    let seconds = begun.elapsed().as_secs_f64();
    println!("20 agents x 50 uploads: {seconds:.1} s, {:.0} uploads/s", 1000.0 / seconds);
    let study = desk.store.study(&"llama".into()).await.unwrap().data;
    assert_eq!((ids.len(), study.runs.len()), (1000, 1000));
    assert_eq!((study.study.variants.len(), study.study.profiles.len(), study.study.steps.len()), (4, 3, 5));
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_what_the_openapi_document_says() {
    let desk = Desk::new().await;
    let addr = serve(desk.router.clone()).await;
    let (status, document) = request(addr, "GET /api/v1/openapi.json HTTP/1.1", b"").await.unwrap();
    assert_eq!(status, 200);
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"), "{document}");
    let operation = &document["paths"]["/api/v1/uploads"]["post"];
    assert_eq!(operation["security"], json!([{ "token": [] }]));
    assert_eq!(document["components"]["securitySchemes"]["token"]["scheme"], "bearer");
    // OpenAPI 3.1's schemas are JSON Schema 2020-12, so the document itself can be asked.
    let validator = |schema: &Value| {
        assert!(schema["$ref"].is_string(), "{schema}");
        let schema = json!({ "$ref": schema["$ref"], "components": document["components"] });
        jsonschema::validator_for(&schema).unwrap()
    };
    let content = |status: &str, kind: &str| validator(&operation["responses"][status]["content"][kind]["schema"]);
    let answers = content("200", "application/json");
    let problems = content("4XX", "application/problem+json");
    let envelopes = validator(&operation["requestBody"]["content"]["application/json"]["schema"]);

    let full = envelope(json!({
        "study": {
            "slug": "llama", "title": { "ja": "題", "en": "Title" }, "model": { "id": "m" },
            "hardware": { "gpu": "H100", "count": 8 }, "basis": "reported", "primary_profile": "p", "baseline": "v",
        },
        "step": { "id": "s", "name": "Step" },
        "variant": { "id": "v", "name": "V", "engine": "vLLM", "args": ["--api-key=sk-abcdefghijklmnop1234"], "gpus": 2 },
        "profile": {
            "id": "p", "dataset": "random", "input_tokens": 1, "seed": -1, "request_rate": "unlimited",
            "slo": { "ttft_p99_ms": 2000 },
        },
        "commands": { "serve": "vllm serve m", "bench": "vllm bench serve" },
        "start": "s1",
        "started_at": "2026-11-28T09:30:00+09:00",
        "finished_at": "2026-11-28T09:40:00+09:00",
        "files": [file("a.txt", &block(1)), file("b.txt", "no result"), file("c.txt", &block(1))],
    }));
    let bad = |key: &str, value: Value| {
        let mut sent = full.clone();
        sent[key] = value;
        sent
    };
    let cases = [
        (full.clone(), 200, true),
        (envelope(json!({ "files": [file("a.txt", &block(2))] })), 200, true),
        (bad("files", json!([file("b.txt", "no result")])), 422, true),
        (bad("variant", json!("another")), 200, true),
        (bad("verdict", json!("better")), 422, false),
        (bad("variant", json!({ "engine": "e", "verdict": 1 })), 422, false),
        (bad("study", json!(7)), 422, false),
    ];
    for (sent, expected, fits) in cases {
        assert_eq!(
            envelopes.is_valid(&sent),
            fits,
            "{sent}: {:?}",
            envelopes.iter_errors(&sent).map(|error| error.to_string()).collect::<Vec<_>>()
        );
        let (status, answer) = upload(addr, &desk.token, &sent).await.unwrap();
        assert_eq!(status, expected, "{answer}");
        let schema = if status == 200 { &answers } else { &problems };
        let errors: Vec<_> = schema.iter_errors(&answer).map(|error| error.to_string()).collect();
        assert_eq!(errors, [""; 0], "{answer}");
    }
    // The answer again, by the id in it: with whatever token may read or upload.
    let operation = &document["paths"]["/api/v1/uploads/{id}"]["get"];
    assert_eq!(operation["security"], json!([{ "token": [] }]));
    assert_eq!(operation["parameters"][0]["name"], "id");
    let content = |status: &str, kind: &str| validator(&operation["responses"][status]["content"][kind]["schema"]);
    let (answers, unknown) = (content("200", "application/json"), content("404", "application/problem+json"));
    let (_, first) = upload(addr, &desk.token, &full).await.unwrap();
    assert_eq!((&first["accepted"], &first["rejected"]), (&json!(1), &json!(1)), "its last file only repeats: {first}");
    let id = first["id"].as_str().unwrap();
    let reader = token_for(&desk.store, Scope::Read).await;
    let get = async |id: &str, token: &str| {
        let head = format!("GET /api/v1/uploads/{id} HTTP/1.1\r\nAuthorization: Bearer {token}");
        request(addr, &head, b"").await.unwrap()
    };
    for token in [&desk.token, &reader] {
        assert_eq!(get(id, token).await, (200, first.clone()));
    }
    assert!(answers.is_valid(&first), "{first}");
    for other in ["0".repeat(64), "x".to_owned(), "%00".to_owned()] {
        let (status, answer) = get(&other, &reader).await;
        assert_eq!((status, unknown.is_valid(&answer)), (404, true), "{other}: {answer}");
    }
    assert_eq!(get(id, "tst_none").await.0, 401);
    let (status, _) = request(addr, "DELETE /api/v1/uploads/x HTTP/1.1", b"").await.unwrap();
    assert_eq!(status, 405);

    let (status, answer) = upload(addr, "tst_none", &full).await.unwrap();
    assert_eq!((status, problems.is_valid(&answer)), (401, true), "{answer}");
}

/// Not a test: the server for the one below, in a process that can be killed.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "the server of another test"]
async fn a_server_to_be_killed() {
    let Some(dir) = std::env::var_os(SERVE) else { return };
    let (_, router) = open(Path::new(&dir)).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap().to_string();
    std::fs::write(Path::new(&dir).join("address.new"), addr).unwrap();
    std::fs::rename(Path::new(&dir).join("address.new"), Path::new(&dir).join("address")).unwrap();
    axum::serve(listener, router).await.unwrap();
}

struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

async fn start(dir: &Path) -> (Process, SocketAddr) {
    let address = dir.join("address");
    std::fs::remove_file(&address).ok();
    let process = Command::new(std::env::current_exe().unwrap())
        .args(["web::api::tests::live::a_server_to_be_killed", "--exact", "--ignored"])
        .env(SERVE, dir)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let process = Process(process);
    for _ in 0..600 {
        if let Ok(text) = std::fs::read_to_string(&address) {
            return (process, text.parse().unwrap());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the server did not start");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_in_the_middle_of_500_runs_and_the_same_upload_again_leave_exactly_500() {
    let desk = Desk::new().await;
    let dir = desk.dir.path();
    let files: Vec<_> = (0..50)
        .map(|at| file(&format!("{at}.txt"), &(0..10).map(|run| block(at * 10 + run)).collect::<String>()))
        .collect();
    let sent = envelope(json!({ "step": "seqs", "files": files }));

    let (process, addr) = start(dir).await;
    let sending = {
        let (token, sent) = (desk.token.clone(), sent.clone());
        tokio::spawn(async move { upload(addr, &token, &sent).await })
    };
    let runs = async || desk.store.heads().await.unwrap().first().map_or(0, |head| head.runs);
    while runs().await < 50 {
        assert!(!sending.is_finished(), "it was over before the kill");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    // SIGKILL on Unix.
    drop(process);
    assert!(sending.await.unwrap().is_err(), "there is no answer from a dead server");
    let half = runs().await;
    assert!((50..500).contains(&half), "{half} runs at the kill");
    assert_eq!(half % 10, 0, "a file's runs come together");
    println!("killed after {half} runs");

    let (_process, addr) = start(dir).await;
    let (status, answer) = upload(addr, &desk.token, &sent).await.unwrap();
    assert_eq!((status, &answer["accepted"]), (200, &json!(500)), "{answer}");
    assert_eq!(runs().await, 500);
    let ids: BTreeSet<_> = answer["runs"].as_array().unwrap().iter().map(|run| run["id"].to_string()).collect();
    assert_eq!(ids.len(), 500);
    assert_eq!(std::fs::read_dir(dir.join("spool")).unwrap().count(), 0, "nothing is left in the spool");
    assert_eq!(upload(addr, &desk.token, &sent).await.unwrap().1, answer);
}
