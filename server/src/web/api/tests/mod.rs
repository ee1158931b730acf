//! Uploads as programs send them: through the router, and over the wire to a server that runs.

mod bad;
mod client;
mod compare;
mod download;
mod live;
mod once;
mod versions;

use std::path::Path;
use std::sync::Arc;

use app::visit::Site;
use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use store::{Location, Scope, Store};
use tempfile::TempDir;
use tower::ServiceExt as _;

use crate::cmd::{import::now_ms, token};

/// A server with a data directory of its own, and a token for it.
struct Desk {
    dir: TempDir,
    store: Store,
    router: Router,
    token: String,
}

#[derive(Debug, Clone, PartialEq)]
struct Answer {
    status: StatusCode,
    kind: String,
    body: Value,
}

impl Desk {
    async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (store, router) = open(dir.path()).await;
        let token = token_for(&store, Scope::Upload).await;
        Self { dir, store, router, token }
    }

    async fn answer(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let status = response.status();
        let kind = response.headers().get(header::CONTENT_TYPE).map(|kind| kind.to_str().unwrap().to_owned());
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let body = serde_json::from_slice(&body).unwrap_or_else(|_| panic!("{status}: {body:?} is no JSON"));
        Answer { status, kind: kind.unwrap_or_default(), body }
    }

    /// Sends a body with these headers beside the token.
    async fn send(&self, headers: &[(&str, &str)], body: impl Into<Body>) -> Answer {
        let mut request =
            Request::post("/api/v1/uploads").header(header::AUTHORIZATION, format!("Bearer {}", self.token));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.answer(request.body(body.into()).unwrap()).await
    }

    async fn json(&self, sent: &Value) -> Answer {
        self.send(&[("content-type", "application/json")], sent.to_string()).await
    }

    /// Sends parts: name, file name, content.
    async fn parts(&self, parts: &[(&str, &str, &[u8])]) -> Answer {
        self.send(&[("content-type", "multipart/form-data; boundary=cut")], multipart(parts)).await
    }

    async fn assert_nothing_stored(&self, why: &str) {
        assert_eq!(self.store.heads().await.unwrap(), [], "{why}");
    }
}

async fn open(dir: &Path) -> (Store, Router) {
    let store = Store::open(&Location::DataDir(dir.to_owned())).await.unwrap();
    let site = Site { assets: "".into(), origin: None, store: store.clone() };
    let spool: Arc<Path> = dir.join("spool").into();
    std::fs::create_dir_all(&spool).unwrap();
    (store, crate::web::router(site, spool, true))
}

/// The document that describes the API.
async fn serve_document(desk: &Desk) -> Value {
    desk.answer(Request::get("/api/v1/openapi.json").body(Body::empty()).unwrap()).await.body
}

async fn token_for(store: &Store, scope: Scope) -> String {
    let (secret, token) = token::make(scope.key(), scope, None, now_ms()).unwrap();
    store.create_token(&token).await.unwrap();
    secret
}

fn multipart(parts: &[(&str, &str, &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, file, content) in parts {
        let file = if file.is_empty() { String::new() } else { format!("; filename=\"{file}\"") };
        let head = format!("--cut\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n");
        body.extend(head.bytes());
        body.extend(*content);
        body.extend(b"\r\n");
    }
    body.extend(b"--cut--\r\n");
    body
}

/// An envelope with `changes` made to it.
fn envelope(changes: Value) -> Value {
    let mut sent = json!({
        "study": "llama",
        "variant": { "engine": "vLLM", "engine_version": "0.11.0", "model": "meta/Llama-3", "args": ["--a-b", "1"] },
        "profile": "chat",
        "hardware": { "gpu": "NVIDIA H100 SXM GPU", "count": 1 },
    });
    for (key, value) in changes.as_object().unwrap() {
        sent[key] = value.clone();
    }
    sent
}

fn file(name: &str, content: &str) -> Value {
    json!({ "name": name, "content": content })
}

/// A result like no other.
fn block(seed: usize) -> String {
    let duration = 100.0 + seed as f64 * 1.37;
    format!(
        "============ Serving Benchmark Result ============\nSuccessful requests: 1000\n\
         Benchmark duration (s): {duration:.2}\nTotal input tokens: 200000\nTotal generated tokens: 100000\n\
         Request throughput (req/s): {:.2}\nMean TTFT (ms): {:.2}\nMedian TTFT (ms): {:.2}\nP99 TTFT (ms): {:.2}\n\
         ==================================================\n",
        1000.0 / duration,
        31.0 + seed as f64 * 0.77,
        30.0 + seed as f64 * 0.71,
        90.0 + seed as f64 * 1.93,
    )
}
