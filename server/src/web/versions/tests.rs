//! Versions as readers and a browser without JavaScript meet them: frozen bytes, forms, and what the live page says.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path as FsPath, PathBuf};
use std::sync::Arc;

use app::visit::Site;
use axum::http::Request as HttpRequest;
use domain::note::Target;
use domain::parse;
use domain::study::{MANIFEST, StudyFolder, load};
use http_body_util::BodyExt as _;
use store::{Location, NoteEdit, Scope, Store};
use tempfile::TempDir;
use tower::ServiceExt as _;

use super::*;
use crate::cmd::token;

const HOST: &str = "127.0.0.1:3000";
const ORIGIN: &str = "http://127.0.0.1:3000";
const SLUG: &str = "qwen3-14b-h100";
const PAGE: &str = "/en/studies/qwen3-14b-h100/versions";

struct Browser {
    store: Store,
    router: Router,
    _dir: TempDir,
}

struct Page {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Page {
    /// Leptos separates texts by empty comments.
    fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap().replace("<!>", "")
    }

    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }
}

impl Browser {
    /// A server with the reference study.
    async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&Location::DataDir(dir.path().to_owned())).await.unwrap();
        let site = Site { assets: "".into(), origin: None, store: store.clone() };
        let spool: Arc<FsPath> = dir.path().join("spool").into();
        fs::create_dir_all(&spool).unwrap();
        let browser = Self { store, router: crate::web::router(site, spool, true), _dir: dir };
        browser.import(|manifest| manifest).await;
        browser
    }

    async fn import(&self, edit: impl Fn(String) -> String) {
        self.store.import(&folder(edit), now_ms()).await.unwrap();
    }

    async fn ask(&self, request: HttpRequest<Body>) -> Page {
        let answer = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = answer.into_parts();
        let body = body.collect().await.unwrap().to_bytes().to_vec();
        Page { status: parts.status, headers: parts.headers, body }
    }

    async fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Page {
        let request = HttpRequest::get(path).header(header::HOST, HOST);
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        self.ask(request.body(Body::empty()).unwrap()).await
    }

    async fn get(&self, path: &str) -> Page {
        self.get_with(path, &[]).await
    }

    async fn post_from(&self, origin: &str, path: &str, body: &str) -> Page {
        let request = HttpRequest::post(path)
            .header(header::HOST, HOST)
            .header(header::ORIGIN, origin)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        self.ask(request.body(body.to_owned().into()).unwrap()).await
    }

    async fn publish(&self, remark: &str) -> String {
        let page = self.post_from(ORIGIN, PAGE, &format!("remark={remark}")).await;
        assert_eq!(page.status, StatusCode::SEE_OTHER, "{}", page.text());
        page.header("location").to_owned()
    }

    async fn note(&self, text: &str, base: u64) {
        let folder = Digest::of(b"");
        let edit = NoteEdit { lang: Lang::En, text: text.to_owned(), base, folder, restored: None };
        let saved = self.store.save_notes(&SLUG.into(), &Target::Study, &[edit], None, now_ms()).await.unwrap();
        assert_eq!(saved, store::NotesSaved::Saved(vec![Lang::En]));
    }

    /// Every file of a version, at its address.
    async fn frozen(&self, number: u32) -> BTreeMap<String, (Vec<u8>, String)> {
        let mut all = BTreeMap::new();
        for lang in Lang::ALL {
            let place = version_href(lang, SLUG, number);
            let tables = Kind::ALL.map(|kind| format!("/report.csv?table={}", kind.key()));
            let files = ["", "/report.md", "/report.csv", "/report.xlsx", "/report.json", "/reproduce.sh"];
            for file in files.iter().map(|file| (*file).to_owned()).chain(tables) {
                let page = self.get(&format!("{place}{file}")).await;
                assert_eq!(page.status, StatusCode::OK, "{place}{file}");
                let sha256 = page.header("x-content-sha256").to_owned();
                assert_eq!(Digest::of(&page.body).as_str(), sha256, "{place}{file}");
                all.insert(format!("{place}{file}"), (page.body, sha256));
            }
        }
        all
    }
}

fn folder(edit: impl Fn(String) -> String) -> StudyFolder {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("demo").join(SLUG);
    let manifest = edit(fs::read_to_string(dir.join(MANIFEST)).unwrap());
    load(&manifest, |file| fs::read(dir.join(file)).map_err(|error| error.to_string())).unwrap()
}

/// A result like no other.
fn block(seed: usize) -> String {
    let duration = 100.0 + seed as f64 * 1.37;
    format!(
        "============ Serving Benchmark Result ============\nSuccessful requests: 1000\n\
         Benchmark duration (s): {duration:.2}\nTotal input tokens: 200000\nTotal generated tokens: 100000\n\
         Mean TTFT (ms): {:.2}\n==================================================\n",
        31.0 + seed as f64 * 0.77,
    )
}

#[tokio::test]
async fn a_version_is_the_same_after_100_more_runs_a_reparse_a_note_and_an_import() {
    let browser = Browser::new().await;
    assert!(!browser.get("/en/studies/qwen3-14b-h100").await.text().contains("class=\"since\""), "never published");
    assert_eq!(browser.publish("first").await, format!("{PAGE}?published=1"));
    let before = browser.frozen(1).await;
    assert_eq!(before.len(), 20);
    let html = |lang: &str| String::from_utf8(before[&format!("/{lang}/reports/{SLUG}/v1")].0.clone()).unwrap();
    assert!(html("en").contains("Version 1, published ") && html("ja").contains("に公開した第1版です。"));
    for way in ["/ja/reports/qwen3-14b-h100/v1", "/en/studies/qwen3-14b-h100", PAGE] {
        assert!(html("en").contains(&format!("href=\"{way}\"")), "{way}");
    }
    assert!(html("ja").contains("href=\"/ja/studies/qwen3-14b-h100/versions\""));
    assert!(html("en").contains("href=\"/raw/"), "raw outputs stay, too");
    let live = browser.get("/en/studies/qwen3-14b-h100").await.text();
    assert!(live.contains("This is version 1, published just now."), "{live}");

    // A hundred runs, as a program sends them.
    let (secret, token) = token::make("agent", Scope::Upload, None, now_ms()).unwrap();
    browser.store.create_token(&token).await.unwrap();
    let files: Vec<_> =
        (0..100).map(|at| serde_json::json!({ "name": format!("{at}.txt"), "content": block(at) })).collect();
    let sent = serde_json::json!({ "study": SLUG, "variant": "fp8", "profile": "sharegpt", "files": files });
    let request = HttpRequest::post("/api/v1/uploads")
        .header(header::AUTHORIZATION, format!("Bearer {secret}"))
        .header(header::CONTENT_TYPE, "application/json");
    let answer = browser.ask(request.body(sent.to_string().into()).unwrap()).await;
    assert!(answer.status == StatusCode::OK && answer.text().contains("\"accepted\":100"), "{}", answer.text());
    let live = browser.get("/en/studies/qwen3-14b-h100").await.text();
    assert!(
        live.contains("Version 1 was published just now; since then: ") && live.contains("100 runs added"),
        "{live}"
    );
    assert!(live.contains(&format!("href=\"{PAGE}?from=1&amp;to=live#difference\"")));

    // A reader that sees something else in every raw output.
    let mut read = BTreeMap::new();
    for (digest, bytes) in &folder(|manifest| manifest).raw {
        let mut runs = parse::parse(bytes).unwrap().runs;
        runs.iter_mut().for_each(|run| run.metrics.duration = None);
        read.insert(digest.clone(), runs);
    }
    assert!(!browser.store.reparse(&SLUG.into(), &read, false, now_ms()).await.unwrap().changed.is_empty());
    browser.note("Written later.", 0).await;
    browser.import(|manifest| manifest.replacen("decimals = 1", "decimals = 2", 1)).await;

    assert!(browser.frozen(1).await == before, "not a byte is another");
    let page = browser.get(&format!("{PAGE}?from=1&to=live")).await.text();
    for said in
        ["100 runs", "The note on the study in English was written.", "Written later.", "Decimals of percentages: "]
    {
        assert!(page.contains(said), "{said}: {page}");
    }
    let page = browser.get("/ja/studies/qwen3-14b-h100/versions?from=1&to=live").await.text();
    assert!(page.contains("検証全体の英語のメモが書かれました。") && page.contains("100件"), "{page}");
}

#[tokio::test]
async fn publishing_twice_makes_one_version_unless_something_changed() {
    let browser = Browser::new().await;
    assert_eq!(browser.publish("").await, format!("{PAGE}?published=1"));
    let again = browser.publish("again").await;
    assert_eq!(again, format!("{PAGE}?unchanged=1"));
    let page = browser.get(&again).await.text();
    assert!(page.contains("Nothing has changed since version 1, so no other version was made."), "{page}");
    browser.note("One.", 0).await;
    assert_eq!(browser.publish("sk-abcdefghijklmnop1234+%3Cb%3E%0A+two").await, format!("{PAGE}?published=2&masked"));
    let first = browser.frozen(1).await;
    let page = browser.get(&format!("{PAGE}?published=2&masked")).await.text();
    assert!(page.contains("Version 2 is published.") && page.contains("a secret in the remark was masked"), "{page}");
    assert!(page.contains("&lt;b&gt; two</td>") && !page.contains("sk-abcdef"), "{page}");
    for (path, (_, sha256)) in first.iter().filter(|(path, _)| path.ends_with("/v1")) {
        assert!(page.contains(&format!("href=\"{path}\"")) && page.contains(&format!("title=\"{sha256}\"")), "{path}");
    }
    let compared = browser.get(&format!("{PAGE}?from=1&to=2")).await.text();
    assert!(compared.contains("Version 1 → Version 2") && compared.contains("The note on the study"), "{compared}");
    let same = browser.get(&format!("{PAGE}?from=2&to=live")).await.text();
    assert!(same.contains("Nothing differs."), "{same}");
    // A reader's own limits make another report, which is no news about the study.
    let tried = browser.get("/en/studies/qwen3-14b-h100?slo:sharegpt:ttft_p99_ms=1").await.text();
    assert!(tried.contains("Version 2 was published just now.") && !tried.contains("since then"), "{tried}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_who_publish_at_once_make_one_version_of_one_state() {
    let browser = Arc::new(Browser::new().await);
    for number in 1..=2 {
        let all = (0..8).map(|_| {
            let browser = Arc::clone(&browser);
            tokio::spawn(async move { browser.publish("").await })
        });
        let mut made = 0;
        for one in all.collect::<Vec<_>>() {
            let to = one.await.unwrap();
            made += usize::from(to == format!("{PAGE}?published={number}"));
            assert!(to.ends_with(&format!("={number}")), "{to}");
        }
        assert_eq!(made, 1);
        assert_eq!(browser.store.versions(&SLUG.into()).await.unwrap().len(), number);
        browser.note(&format!("State {number}."), number as u64 - 1).await;
    }
}

#[tokio::test]
async fn an_address_without_a_language_answers_in_the_readers_and_says_so() {
    let browser = Browser::new().await;
    browser.publish("").await;
    for (asked, lang) in [("ja,en;q=0.5", "ja"), ("en-GB", "en"), ("fr", "en")] {
        let page = browser.get_with("/reports/qwen3-14b-h100/v1", &[("accept-language", asked)]).await;
        let there = browser.get(&format!("/{lang}/reports/qwen3-14b-h100/v1")).await;
        assert!(page.status == StatusCode::OK && page.body == there.body, "{asked}");
        assert_eq!(page.header("content-location"), format!("/{lang}/reports/qwen3-14b-h100/v1"));
        assert!(page.header("vary").contains("accept-language"), "{:?}", page.headers);
        assert!(page.header("content-security-policy").contains("style-src 'sha256-"), "{:?}", page.headers);
    }
    let page = browser.get("/en/reports/qwen3-14b-h100/v1").await;
    assert_eq!(page.header("cache-control"), "no-cache");
    let tag = page.header("etag").to_owned();
    assert_eq!(tag, format!("W/\"{}\"", Digest::of(&page.body)));
    let other = format!("\"x\", {}", tag.trim_start_matches("W/"));
    for had in [tag.as_str(), other.as_str(), "*"] {
        let again = browser.get_with("/en/reports/qwen3-14b-h100/v1", &[("if-none-match", had)]).await;
        assert_eq!((again.status, again.body.len(), again.header("etag")), (StatusCode::NOT_MODIFIED, 0, tag.as_str()));
        // A browser puts them in the place of those that it kept.
        for name in ["content-security-policy", "cache-control", "x-content-sha256"] {
            assert_eq!(again.header(name), page.header(name), "{name}");
        }
    }
    let stale = browser.get_with("/en/reports/qwen3-14b-h100/v1", &[("if-none-match", "\"x\"")]).await;
    assert_eq!(stale.status, StatusCode::OK);
    let csv = browser.get("/ja/reports/qwen3-14b-h100/v1/report.csv?table=options").await;
    assert_eq!(csv.header("content-type"), "text/csv; charset=utf-8; header=present");
    assert!(csv.header("content-disposition").contains("qwen3-14b-h100-v1-options-ja.csv"), "{:?}", csv.headers);
    // On its way a text may be compressed; a workbook is so by itself.
    let packed = browser.get_with("/ja/reports/qwen3-14b-h100/v1", &[("accept-encoding", "gzip")]).await;
    assert_eq!(packed.header("content-encoding"), "gzip");
    let xlsx = browser.get_with("/ja/reports/qwen3-14b-h100/v1/report.xlsx", &[("accept-encoding", "gzip")]).await;
    assert!(xlsx.header("content-encoding").is_empty() && xlsx.body.starts_with(b"PK"));
}

#[tokio::test]
async fn what_was_never_published_is_not_found() {
    let browser = Browser::new().await;
    let page = browser.get(PAGE).await;
    assert!(page.status == StatusCode::OK && page.text().contains("Nothing has been published yet."));
    browser.publish("").await;
    for path in [
        "/reports/qwen3-14b-h100/v2",
        "/en/reports/qwen3-14b-h100/v2",
        "/en/reports/qwen3-14b-h100/v0",
        "/en/reports/qwen3-14b-h100/v01",
        "/en/reports/qwen3-14b-h100/v+1",
        "/en/reports/qwen3-14b-h100/v99999999999",
        "/en/reports/qwen3-14b-h100/1",
        "/fr/reports/qwen3-14b-h100/v1",
        "/en/reports/none/v1",
        "/en/reports/qwen3-14b-h100/v1/report.pdf",
        "/en/reports/qwen3-14b-h100/v2/report.xlsx",
        "/en/reports/qwen3-14b-h100/v1/report.csv?table=none",
        "/en/studies/none/versions",
        "/en/studies/qwen3-14b-h100/versions?from=1&to=2",
        "/en/studies/qwen3-14b-h100/versions?from=x&to=live",
    ] {
        assert_eq!(browser.get(path).await.status, StatusCode::NOT_FOUND, "{path}");
    }
    let gone = browser.post_from(ORIGIN, "/en/studies/none/versions", "remark=").await;
    assert_eq!(gone.status, StatusCode::NOT_FOUND);
    // What an address claims is not said of a version that is not there.
    assert!(!browser.get(&format!("{PAGE}?published=7")).await.text().contains("Version 7"));
}

#[tokio::test]
async fn a_form_that_is_not_accepted_publishes_nothing_and_keeps_its_remark() {
    let browser = Browser::new().await;
    let refused = async |origin: &str, body: &str, status: StatusCode, said: &str| {
        let page = browser.post_from(origin, PAGE, body).await;
        assert!(page.status == status && page.text().contains(said), "{} {}", page.status, page.text());
        assert_eq!(browser.store.versions(&SLUG.into()).await.unwrap(), [], "{said}");
        assert_eq!(page.header("cache-control"), "no-store");
        page.text()
    };
    refused("http://evil.example", "remark=x", StatusCode::FORBIDDEN, "sent from another site").await;
    let long = "x".repeat(501);
    let page = refused(ORIGIN, &format!("remark={long}"), StatusCode::PAYLOAD_TOO_LARGE, "501 characters").await;
    assert!(page.contains(&format!("value=\"{long}\"")), "{page}");
    let far = format!("remark={}", "x".repeat(MAX_FORM));
    refused(ORIGIN, &far, StatusCode::BAD_REQUEST, "did not arrive whole").await;

    // Where tokens exist, one is asked for.
    let (secret, token) = token::make("alice", Scope::Upload, None, now_ms()).unwrap();
    browser.store.create_token(&token).await.unwrap();
    let (reads, token) = token::make("reader", Scope::Read, None, now_ms()).unwrap();
    browser.store.create_token(&token).await.unwrap();
    let page = refused(ORIGIN, "remark=mine", StatusCode::UNAUTHORIZED, "A token is needed.").await;
    assert!(page.contains("value=\"mine\"") && page.contains("id=\"token\""), "{page}");
    refused(ORIGIN, "remark=&token=tst_none", StatusCode::UNAUTHORIZED, "was revoked or has expired").await;
    refused(ORIGIN, &format!("token={reads}"), StatusCode::FORBIDDEN, "may not publish").await;
    let done = browser.post_from(ORIGIN, PAGE, &format!("remark=mine&token={secret}")).await;
    assert_eq!(done.header("location"), format!("{PAGE}?published=1"));
    let version = browser.store.versions(&SLUG.into()).await.unwrap().remove(0);
    assert_eq!((version.author.as_deref(), version.remark.as_str()), (Some("alice"), "mine"));
    assert!(browser.get(PAGE).await.text().contains("<td>alice</td>"));
}
