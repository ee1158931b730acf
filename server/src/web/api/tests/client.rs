//! Our own client, as `touchstone upload` uses it, against a server that runs.

use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::extract::Request as Received;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use domain::upload::Envelope;
use tokio::net::TcpListener;

use super::*;
use crate::client::{Answer, Client, Failure, Source, Watch};
use crate::cmd::upload::{Delivered, Progress, deliver};

/// Counts what was told.
#[derive(Default)]
struct Told {
    checked: u64,
    sent: u64,
    again: usize,
}

impl Watch for Told {
    fn checked(&mut self, bytes: u64) {
        self.checked += bytes;
    }

    fn sent(&mut self, bytes: u64) {
        self.sent += bytes;
    }

    fn again(&mut self, _: &str, _: Duration) {
        self.again += 1;
    }
}

async fn upload(desk: &Desk, token: &str, files: &[(&str, Vec<u8>)]) -> (Result<Answer, Failure>, Told) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = Client::new(&format!("http://{}/", listener.local_addr().unwrap()), token, None, 0).unwrap();
    let router = desk.router.clone();
    let server = tokio::spawn(async move { axum::serve(listener, router).await });
    let files: Vec<Source> = files
        .iter()
        .map(|(name, content)| {
            let path = desk.dir.path().join(name);
            fs::write(&path, content).unwrap();
            Source { name: (*name).to_owned(), path, size: content.len() as u64 }
        })
        .collect();
    let envelope: Envelope = serde_json::from_value(envelope(json!({}))).unwrap();
    let outcome = tokio::task::spawn_blocking(move || {
        let mut told = Told::default();
        (client.upload(&envelope, &files, &mut told), told)
    });
    let outcome = outcome.await.unwrap();
    server.abort();
    outcome
}

#[tokio::test(flavor = "multi_thread")]
async fn our_client_and_our_server_understand_one_another() {
    let desk = Desk::new().await;
    let with_key = format!("Authorization: Bearer hunter22\n{}", block(7)).into_bytes();
    let files = [("a.txt", with_key), ("none.txt", b"connection refused\n".to_vec())];
    let (first, told) = upload(&desk, &desk.token, &files).await;
    let first = first.unwrap();
    assert_eq!((first.study.as_str(), first.accepted, first.rejected), ("llama", 1, 1));
    assert_eq!(
        (first.runs[0]["file"].as_str(), first.rejections[0]["file"].as_str()),
        (Some("a.txt"), Some("none.txt"))
    );
    assert_eq!(first.masked.len(), 1);
    assert_eq!(
        (first.masked[0]["line"].as_u64(), first.masked[0]["what"].as_str()),
        (Some(1), Some("Authorization header"))
    );
    assert_eq!((told.sent as usize, told.again), (files[0].1.len() + files[1].1.len(), 0));
    let (again, _) = upload(&desk, &desk.token, &files).await;
    assert_eq!(again.unwrap(), first);
    let run = desk.store.run(&first.runs[0]["id"].as_str().unwrap().into()).await.unwrap().1;
    let raw = String::from_utf8(desk.store.raw(&run.digest).await.unwrap()).unwrap();
    assert!(raw.starts_with("Authorization: Bearer ***\n"), "{raw}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_for_its_token_is_not_sent_first() {
    let desk = Desk::new().await;
    // Longer than any buffer on the way, and not to be compressed away.
    let mut long = vec![0; 30_000_000];
    getrandom::fill(&mut long).unwrap();
    let (refused, told) = upload(&desk, "tst_unknown", &[("long.txt", long)]).await;
    match refused.unwrap_err() {
        Failure::Refused(problem) => {
            assert_eq!((problem.status, problem.detail.is_empty()), (401, false), "{problem:?}")
        }
        Failure::Unreached(reason) => panic!("{reason}"),
    }
    assert!(told.sent < 1_000_000, "{} bytes were sent", told.sent);
}

/// The server behind a door that counts the uploads it lets in, by their bytes, and is shut after some.
struct Door {
    left: AtomicUsize,
    let_in: Mutex<Vec<usize>>,
}

async fn through(door: Arc<Door>, request: Received, next: Next) -> Response {
    if request.method() != "POST" {
        return next.run(request).await;
    }
    let (head, body) = request.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    if door.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_err() {
        return StatusCode::BAD_GATEWAY.into_response();
    }
    door.let_in.lock().unwrap().push(body.len());
    next.run(Received::from_parts(head, body.into())).await
}

async fn delivered(desk: &Desk, files: &[(String, Vec<u8>)], changes: Value, most: usize) -> (Delivered, Vec<usize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = Client::new(&format!("http://{}", listener.local_addr().unwrap()), &desk.token, None, 0).unwrap();
    let door = Arc::new(Door { left: most.into(), let_in: Mutex::default() });
    let behind = Arc::clone(&door);
    let router = desk.router.clone().layer(from_fn(move |request, next| through(Arc::clone(&behind), request, next)));
    let server = tokio::spawn(async move { axum::serve(listener, router).await });
    let files: Vec<Source> = files
        .iter()
        .map(|(name, content)| {
            let path = desk.dir.path().join(format!("sent-{name}"));
            fs::write(&path, content).unwrap();
            Source { name: name.clone(), path, size: content.len() as u64 }
        })
        .collect();
    let envelope: Envelope = serde_json::from_value(envelope(changes)).unwrap();
    let delivered =
        tokio::task::spawn_blocking(move || deliver(&client, &envelope, &files, &mut Progress::new(&files)).unwrap());
    let delivered = delivered.await.unwrap();
    server.abort();
    let let_in = door.let_in.lock().unwrap().clone();
    (delivered, let_in)
}

#[tokio::test(flavor = "multi_thread")]
async fn sixty_files_that_were_cut_off_are_sent_from_where_they_were() {
    // With secrets in name, envelope and content, and some compressed: both sides must come to the same id.
    let files: Vec<(String, Vec<u8>)> = (0..60)
        .map(|at| {
            let text = format!("Authorization: Bearer hunter22{at}\n{}", block(at));
            match at % 3 {
                0 => (format!("{at}.txt"), text.into_bytes()),
                1 => (format!("{at}.txt.zst"), zstd::encode_all(text.as_bytes(), 3).unwrap()),
                _ => (format!("api_key=sk-abcdefghijklmnopqrst{at:04} {at}.log"), text.into_bytes()),
            }
        })
        .collect();
    let changes = json!({
        "study": { "slug": "llama", "title": "with hf_abcdefghijklmnopqrstuvwxyzABCDEFGH" },
        "variant": { "engine": "vLLM", "model": "m", "env": { "HF_TOKEN": "hunter23" } },
        "profile": { "id": "p", "slo": { "ttft_p99_ms": 2000.5 } },
    });
    let whole = Desk::new().await;
    let (expected, all) = delivered(&whole, &files, changes.clone(), usize::MAX).await;
    assert!(expected.failure.is_none() && expected.there == 0);
    assert_eq!((expected.answer.accepted, expected.answer.rejected, all.len()), (60, 0, 6));

    let desk = Desk::new().await;
    let (cut_off, first) = delivered(&desk, &files, changes.clone(), 4).await;
    assert!(matches!(cut_off.failure, Some(Failure::Unreached(_))));
    assert_eq!((cut_off.answer.accepted, first.len()), (40, 4));
    let (resumed, rest) = delivered(&desk, &files, changes.clone(), usize::MAX).await;
    assert!(resumed.failure.is_none());
    assert_eq!((resumed.there, rest.len()), (40, 2), "only what was not there is sent");
    assert_eq!(first.into_iter().chain(rest).collect::<Vec<_>>(), all, "the same requests, in two goes");
    assert_eq!(resumed.answer, expected.answer);

    let (third, none) = delivered(&desk, &files, changes.clone(), usize::MAX).await;
    assert_eq!((third.there, none.len()), (60, 0));
    assert_eq!(third.answer, expected.answer);
    let kept = format!("{:?}", third.answer);
    assert!(!kept.contains("hunter2") && !kept.contains("abcdefgh"), "{kept}");

    // What says something else is another upload.
    let mut other = changes;
    other["start"] = json!("second");
    assert_eq!(delivered(&desk, &files[..10], other, usize::MAX).await.0.there, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_was_rejected_is_sent_again() {
    let desk = Desk::new().await;
    let files = [("a.txt".to_owned(), block(1).into_bytes()), ("b.txt".to_owned(), b"no result\n".to_vec())];
    for _ in 0..2 {
        let (delivered, sent) = delivered(&desk, &files, json!({}), usize::MAX).await;
        assert_eq!((delivered.there, sent.len()), (0, 1));
        assert_eq!((delivered.answer.accepted, delivered.answer.rejected), (1, 1));
    }
}
