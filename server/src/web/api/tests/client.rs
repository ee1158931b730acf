//! Our own client, as `touchstone upload` uses it, against a server that runs.

use std::fs;
use std::time::Duration;

use domain::upload::Envelope;
use tokio::net::TcpListener;

use super::*;
use crate::client::{Answer, Client, Failure, Source, Watch};

/// Counts what was told.
#[derive(Default)]
struct Told {
    sent: u64,
    again: usize,
}

impl Watch for Told {
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
