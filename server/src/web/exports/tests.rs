//! Downloads through the router; and folders that come back as the same study, whoever brought it.

use std::path::{Path as FsPath, PathBuf};
use std::sync::Arc;

use app::visit::Site;
use axum::body::Body;
use axum::http::{Method, Request};
use domain::report::{self, markdown::markdown};
use domain::study::StudyData;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use store::{Location, Scope, Store};
use tempfile::TempDir;
use tower::ServiceExt as _;

use super::*;
use crate::cmd::{import::now_ms, token};
use crate::pdf::Printer;
use crate::web::router_with;

const SEED: &str = "qwen3-14b-h100";
const LOOKS_LIKE_A_KEY: &str = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789";

struct Desk {
    dir: TempDir,
    store: Store,
    router: Router,
    token: String,
}

struct Got {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Got {
    fn header(&self, name: header::HeaderName) -> &str {
        self.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }
}

impl Desk {
    async fn new(printer: Option<PathBuf>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&Location::DataDir(dir.path().to_owned())).await.unwrap();
        let site = Site { assets: "".into(), origin: None, store: store.clone() };
        let spool: Arc<FsPath> = dir.path().join("spool").into();
        std::fs::create_dir_all(&spool).unwrap();
        let (token, kept) = token::make("tests", Scope::Upload, None, now_ms()).unwrap();
        store.create_token(&kept).await.unwrap();
        Self { router: router_with(site, spool, true, Printer::with(printer)), dir, store, token }
    }

    async fn with_seeds() -> Self {
        let desk = Self::new(None).await;
        for seed in [SEED, "qwen3.5-9b-h100"] {
            desk.import(&FsPath::new(env!("CARGO_MANIFEST_DIR")).join("demo").join(seed)).await;
        }
        desk
    }

    async fn import(&self, dir: &FsPath) {
        let mut read = crate::folder::read(dir).unwrap();
        self.store.import_packed(&read.folder, &mut read.raw, now_ms()).await.unwrap();
    }

    async fn send(&self, request: Request<Body>) -> Got {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes().to_vec();
        Got { status: parts.status, headers: parts.headers, body }
    }

    async fn get(&self, path: &str) -> Got {
        self.send(Request::get(path).body(Body::empty()).unwrap()).await
    }

    async fn upload(&self, envelope: Value) {
        let request = Request::post("/api/v1/uploads")
            .header(header::AUTHORIZATION, format!("Bearer {}", self.token))
            .header(header::CONTENT_TYPE, "application/json");
        let got = self.send(request.body(envelope.to_string().into()).unwrap()).await;
        assert_eq!(got.status, StatusCode::OK, "{}", got.text());
    }

    async fn data(&self, slug: &str) -> StudyData {
        self.store.study(&StudySlug::new(slug)).await.unwrap().data
    }

    /// The archive of a study, unpacked.
    async fn unpacked(&self, slug: &str) -> PathBuf {
        let got = self.get(&format!("/studies/{slug}/study.tar.gz")).await;
        assert_eq!(got.status, StatusCode::OK, "{}", String::from_utf8_lossy(&got.body));
        assert_eq!(got.header(header::CONTENT_TYPE), "application/gzip");
        assert!(got.header(header::CONTENT_ENCODING).is_empty());
        let to = tempfile::tempdir_in(self.dir.path()).unwrap().keep();
        tar::Archive::new(flate2::read::GzDecoder::new(got.body.as_slice())).unpack(&to).unwrap();
        to.join(slug)
    }
}

/// Every form of a report that people and programs read.
fn told(data: &StudyData) -> Vec<String> {
    let report = report::build(data);
    let words = Lang::ALL.into_iter().map(|lang| markdown(&report, lang));
    words.chain([export::json(&report).unwrap()]).collect()
}

/// A folder of `slug` tells an empty store the same.
async fn assert_comes_back(desk: &Desk, slug: &str) -> PathBuf {
    let folder = desk.unpacked(slug).await;
    let empty = Desk::new(None).await;
    empty.import(&folder).await;
    let (before, after) = (desk.data(slug).await, empty.data(slug).await);
    assert_eq!(before, after, "{slug}");
    assert_eq!(told(&before), told(&after), "{slug}");
    folder
}

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

fn envelope(changes: Value) -> Value {
    let mut sent = json!({
        "study": {
            "slug": "made",
            "title": { "ja": "=HYPERLINK(\"x\")\u{3000}検証 'a' \"b\" \\ |", "en": "a|b<script>" },
            "baseline": "not-yet",
        },
        "step": { "id": "seqs", "name": { "ja": "並列数" } },
        "variant": {
            "id": "'v' \"1\"",
            "name": { "en": "V = \"1\" # x" },
            "engine": "vLLM",
            "engine_version": "0.11.0",
            "model": "meta/Llama-3",
            "args": ["--a-b", "1", "", "--c={\"d\": [1]}", "two\nlines"],
            "env": { "LONG_NAME": "a 'b' \"c\" \\", "HF_TOKEN": LOOKS_LIKE_A_KEY },
            "gpus": 2,
        },
        "profile": {
            "id": "chat ☕",
            "name": "チャット",
            "dataset": "ShareGPT",
            "requests": 1000,
            "request_rate": "unlimited",
            "command": "vllm bench serve \\\n  --model 'meta/Llama-3'",
            "slo": { "ttft_p99_ms": 2000.5, "goodput": 3 },
        },
        "hardware": { "gpu": "NVIDIA H100 SXM GPU" },
        "start": "s 1",
        "started_at": "2026-11-28T09:30:00.123+09:00",
    });
    for (key, value) in changes.as_object().unwrap() {
        sent[key] = value.clone();
    }
    sent
}

fn files(files: &[(&str, String)]) -> Value {
    files.iter().map(|(name, content)| json!({ "name": name, "content": content })).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_file_of_a_report_is_a_download_of_its_own() {
    let desk = Desk::with_seeds().await;
    let data = desk.data(SEED).await;
    let updated_at = desk.store.study(&StudySlug::new(SEED)).await.unwrap().updated_at;
    let write =
        |form, lang| export::write(export::Live { report: report::build(&data), updated_at }, form, lang).unwrap();
    let files = [
        ("report.html", Form::Html, "text/html; charset=utf-8", "-ja.html"),
        ("report.md", Form::Markdown, "text/markdown; charset=utf-8", "-ja.md"),
        ("report.csv", Form::Csv(TableKind::Runs), "text/csv; charset=utf-8; header=present", "-ja.csv"),
        ("report.csv?table=options", Form::Csv(TableKind::Options), "text/csv", "-options-ja.csv"),
        ("report.xlsx", Form::Xlsx, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "-ja.xlsx"),
        ("report.json", Form::Json, "application/json", ".json"),
        ("reproduce.sh", Form::Reproduce, "text/x-shellscript", "-reproduce.sh"),
    ];
    for (name, form, kind, ending) in files {
        let got = desk.get(&format!("/ja/studies/{SEED}/{name}")).await;
        assert_eq!(got.status, StatusCode::OK, "{name}");
        assert!(got.header(header::CONTENT_TYPE).starts_with(kind), "{name}: {:?}", got.headers);
        let file = format!("{SEED}{ending}");
        let disposition = format!("attachment; filename=\"{file}\"; filename*=UTF-8''{file}");
        assert_eq!(got.header(header::CONTENT_DISPOSITION), disposition);
        assert_eq!(got.header(header::X_CONTENT_TYPE_OPTIONS), "nosniff");
        assert_eq!(got.body, write(form, Lang::Ja), "{name}");
    }
    let got = desk.get(&format!("/ja/studies/{SEED}/report.html")).await;
    assert!(got.header(header::CONTENT_SECURITY_POLICY).starts_with("default-src 'none'; style-src 'sha256-"));
    assert_ne!(write(Form::Xlsx, Lang::Ja), write(Form::Xlsx, Lang::En));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_is_said_and_other_methods_are_refused() {
    let desk = Desk::with_seeds().await;
    for name in ["report.html", "report.md", "report.csv", "report.xlsx", "report.json", "reproduce.sh"] {
        let got = desk.get(&format!("/ja/studies/none/{name}")).await;
        assert_eq!(got.status, StatusCode::NOT_FOUND, "{name}");
        assert!(got.text().contains("ページが見つかりません"), "{name}");
    }
    assert_eq!(desk.get("/studies/none/study.tar.gz").await.status, StatusCode::NOT_FOUND);
    assert_eq!(desk.get(&format!("/en/studies/{SEED}/report.docx")).await.status, StatusCode::NOT_FOUND);
    let got = desk.get(&format!("/en/studies/{SEED}/report.csv?table=secrets")).await;
    assert_eq!(got.status, StatusCode::NOT_FOUND);
    assert!(got.text().contains("conclusion, options, runs, findings"), "{}", got.text());
    let post = Request::post(format!("/en/studies/{SEED}/report.csv")).body(Body::empty()).unwrap();
    assert_eq!(desk.send(post).await.status, StatusCode::METHOD_NOT_ALLOWED);
    let head = Request::builder().method(Method::HEAD).uri(format!("/en/studies/{SEED}/report.csv"));
    let got = desk.send(head.body(Body::empty()).unwrap()).await;
    assert_eq!((got.status, got.body.len()), (StatusCode::OK, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_s_own_limits_reach_the_files() {
    let desk = Desk::with_seeds().await;
    let limits = "slo:sharegpt:ttft_p99_ms=1";
    let got = desk.get(&format!("/en/studies/{SEED}/report.json?{limits}")).await;
    let report: Value = serde_json::from_slice(&got.body).unwrap();
    assert_eq!(report["limits_of_reader"], true);
    let page = desk.get(&format!("/en/studies/{SEED}?{limits}")).await;
    assert!(page.text().contains(&format!("/en/studies/{SEED}/report.json?{limits}")));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_browser_there_is_no_pdf_and_no_way_to_it() {
    let desk = Desk::with_seeds().await;
    for (lang, said) in [("en", "print it there"), ("ja", "ブラウザーで開いて印刷してください")] {
        let got = desk.get(&format!("/{lang}/studies/{SEED}/report.pdf")).await;
        assert_eq!(got.status, StatusCode::NOT_IMPLEMENTED);
        assert_eq!(got.header(header::CONTENT_TYPE), "application/problem+json");
        assert!(got.text().contains(said), "{}", got.text());
        let page = desk.get(&format!("/{lang}/studies/{SEED}")).await;
        assert!(page.text().contains("report.xlsx") && !page.text().contains("report.pdf"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_browser_the_report_is_printed() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("chromium");
    let text = "#!/bin/sh\nfor arg; do case $arg in --print-to-pdf=*) printf '%%PDF-1.4' >\"${arg#*=}\";; esac; done\n";
    std::fs::write(&program, text).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let desk = Desk::new(Some(program.clone())).await;
    desk.import(&FsPath::new(env!("CARGO_MANIFEST_DIR")).join("demo").join(SEED)).await;
    let got = desk.get(&format!("/ja/studies/{SEED}/report.pdf")).await;
    assert_eq!((got.status, got.body.as_slice()), (StatusCode::OK, b"%PDF-1.4".as_slice()));
    assert_eq!(got.header(header::CONTENT_TYPE), "application/pdf");
    assert!(got.header(header::CONTENT_DISPOSITION).contains(&format!("{SEED}-ja.pdf")));
    assert!(desk.get(&format!("/ja/studies/{SEED}")).await.text().contains("report.pdf"));
    std::fs::write(&program, "#!/bin/sh\nexit 1\n").unwrap();
    let got = desk.get(&format!("/en/studies/{SEED}/report.pdf")).await;
    assert_eq!((got.status, got.header(header::RETRY_AFTER)), (StatusCode::SERVICE_UNAVAILABLE, "60"));
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_read_the_report_with_a_token() {
    let desk = Desk::with_seeds().await;
    let path = format!("/api/v1/studies/{SEED}/report");
    let got = desk.get(&path).await;
    assert_eq!(got.status, StatusCode::UNAUTHORIZED);
    let ask = |path: &str| {
        let request = Request::get(path).header(header::AUTHORIZATION, format!("Bearer {}", desk.token));
        desk.send(request.body(Body::empty()).unwrap())
    };
    let got = ask(&path).await;
    assert_eq!((got.status, got.header(header::CONTENT_TYPE)), (StatusCode::OK, "application/json"));
    assert_eq!(got.body, desk.get(&format!("/en/studies/{SEED}/report.json")).await.body);
    assert_eq!(ask("/api/v1/studies/none/report").await.status, StatusCode::NOT_FOUND);
    let document: Value = serde_json::from_slice(&desk.get("/api/v1/openapi.json").await.body).unwrap();
    assert!(document["paths"]["/api/v1/studies/{slug}/report"]["get"].is_object());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_study_from_a_folder_comes_back_with_its_own_description() {
    let desk = Desk::with_seeds().await;
    for slug in [SEED, "qwen3.5-9b-h100"] {
        let folder = assert_comes_back(&desk, slug).await;
        let own = FsPath::new(env!("CARGO_MANIFEST_DIR")).join("demo").join(slug);
        for file in ["study.toml", "runs"] {
            let same = std::process::Command::new("diff").arg("-r").args([own.join(file), folder.join(file)]).status();
            assert!(same.unwrap().success(), "{slug}: {file}");
        }
    }
    let archive = |slug: &str| {
        let path = format!("/studies/{slug}/study.tar.gz");
        let desk = &desk;
        async move { desk.get(&path).await.body }
    };
    assert_eq!(archive(SEED).await, archive(SEED).await, "same study, same bytes");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_study_from_uploads_alone_comes_back() {
    let desk = Desk::new(None).await;
    let two = format!("$ bench\n{}\nnoise\n{}", block(1), block(2));
    let spoilt = format!("{}{}{}", block(11), block(12).replace("Mean TTFT (ms):", "Mean TTFT (ms): fast"), block(13));
    desk.upload(envelope(json!({ "files": files(&[("result.json", two), ("result.json", block(3))]) }))).await;
    // Another variant with a file of the same name, and names that lead elsewhere.
    let other = json!({ "id": "v2", "engine": "vLLM", "args": ["--max-num-seqs=1"] });
    let names =
        [("../../x", block(4)), ("result.json", block(5)), ("C:\\a\\b.txt", block(6)), ("study.toml", block(7))];
    desk.upload(envelope(json!({ "variant": other, "files": files(&names), "start": null, "started_at": null }))).await;
    // A repeat of the first in another start, with one result that cannot be read and a secret that was masked.
    let secret = format!("Authorization: Bearer {LOOKS_LIKE_A_KEY}\n{spoilt}");
    desk.upload(envelope(json!({ "files": files(&[("log.txt", secret)]), "start": "s 2" }))).await;
    // The console log of a run beside its JSON would be one run; the same log under another name is the same run.
    desk.upload(envelope(json!({ "files": files(&[("again.txt", block(3))]) }))).await;
    // A bare one: engine, model and GPU unknown.
    desk.upload(json!({ "study": "bare", "variant": "v", "profile": "p", "files": files(&[("a", block(8))]) })).await;
    assert_eq!(desk.data("made").await.runs.len(), 9);
    let folder = assert_comes_back(&desk, "made").await;
    let manifest = std::fs::read_to_string(folder.join("study.toml")).unwrap();
    assert!(manifest.contains("partial = true") && !manifest.contains("sk-proj"), "{manifest}");
    assert_comes_back(&desk, "bare").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_study_from_a_folder_and_uploads_comes_back() {
    let desk = Desk::with_seeds().await;
    let sent = json!({
        "study": SEED,
        "step": "attention-backend",
        "variant": { "id": "mine", "engine": "SGLang", "args": ["--x"], "env": { "A": "1" } },
        "profile": "sharegpt",
        "files": files(&[("runs/01-vllm-sharegpt-baseline.txt", block(1)), ("x.txt", format!("{}{}", block(2), block(3)))]),
    });
    desk.upload(sent).await;
    let folder = assert_comes_back(&desk, SEED).await;
    let manifest = std::fs::read_to_string(folder.join("study.toml")).unwrap();
    assert!(manifest.contains("file = \"runs/01-vllm-sharegpt-baseline.txt\""), "{manifest}");
    assert!(manifest.contains("name = \"runs/01-vllm-sharegpt-baseline.txt\""), "{manifest}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_study_without_runs_has_all_of_its_files() {
    let desk = Desk::new(None).await;
    let dir = tempfile::tempdir().unwrap();
    let own = FsPath::new(env!("CARGO_MANIFEST_DIR")).join("demo").join(SEED).join("study.toml");
    let manifest = std::fs::read_to_string(own).unwrap();
    let (described, _) = manifest.split_once("[[runs]]").unwrap();
    std::fs::write(dir.path().join("study.toml"), described).unwrap();
    desk.import(dir.path()).await;
    for name in ["report.html", "report.md", "report.csv", "report.xlsx", "report.json", "reproduce.sh"] {
        for lang in Lang::ALL {
            let got = desk.get(&format!("/{lang}/studies/{SEED}/{name}")).await;
            assert_eq!(got.status, StatusCode::OK, "{name}");
        }
    }
    assert_comes_back(&desk, SEED).await;
}
