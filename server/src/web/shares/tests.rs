//! Share links as outsiders meet them: what they open, what they keep shut, and what never gets out.

use std::fs;
use std::io::{Cursor, Read as _};
use std::path::{Path as FsPath, PathBuf};
use std::sync::Arc;

use app::visit::Site;
use axum::body::Body;
use axum::http::Request as HttpRequest;
use domain::study::{MANIFEST, StudyFolder, load};
use http_body_util::BodyExt as _;
use store::{Location, Scope as Rights, Store};
use tempfile::TempDir;
use tower::ServiceExt as _;

use super::*;
use crate::cmd::token;
use crate::export::version::publish;

const HOST: &str = "127.0.0.1:3000";
const ORIGIN: &str = "http://127.0.0.1:3000";
const SEED: &str = "qwen3-14b-h100";
const OTHER: &str = "qwen3.5-9b-h100";
/// Made-up studies full of secrets: folder, slug, and two sides of a comparison.
const PLANTED: [(&str, &str, [&str; 2]); 2] = [
    ("planted", "planted", ["planted:base:chat", "planted:fast:chat"]),
    (
        "planted-on-a-node",
        "planted-gpu-node-17",
        ["planted-gpu-node-17:base@gpu-node-17:chat", "planted-gpu-node-17:tuned:chat"],
    ),
];

struct Server {
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
        String::from_utf8_lossy(&self.body).replace("<!>", "")
    }

    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }
}

impl Server {
    async fn with(folders: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&Location::DataDir(dir.path().to_owned())).await.unwrap();
        for folder in folders {
            store.import(&read(folder), now_ms()).await.unwrap();
        }
        let site = Site { assets: "".into(), origin: None, store: store.clone() };
        let spool: Arc<FsPath> = dir.path().join("spool").into();
        fs::create_dir_all(&spool).unwrap();
        Self { store, router: crate::web::router(site, spool, true), _dir: dir }
    }

    async fn ask(&self, request: HttpRequest<Body>) -> Page {
        let answer = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = answer.into_parts();
        let body = body.collect().await.unwrap().to_bytes().to_vec();
        Page { status: parts.status, headers: parts.headers, body }
    }

    async fn get(&self, path: &str) -> Page {
        self.ask(HttpRequest::get(path).header(header::HOST, HOST).body(Body::empty()).unwrap()).await
    }

    async fn post_from(&self, origin: &str, path: &str, body: &str) -> Page {
        let request = HttpRequest::post(path)
            .header(header::HOST, HOST)
            .header(header::ORIGIN, origin)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        self.ask(request.body(body.to_owned().into()).unwrap()).await
    }

    async fn post(&self, path: &str, body: &str) -> Page {
        self.post_from(ORIGIN, path, body).await
    }

    /// Makes a link by the form, and reads its secret from the page that shows it this once.
    async fn link(&self, study: &str, form: &str) -> String {
        let page = self.post(&format!("/en/studies/{study}/shares"), form).await;
        let text = page.text();
        assert_eq!(page.status, StatusCode::OK, "{text}");
        assert_eq!(page.header("cache-control"), "no-store");
        let (_, rest) = text.split_once(&format!("href=\"{ORIGIN}/s/")).expect(&text);
        rest[..64].to_owned()
    }

    async fn count(&self, secret: &str) -> u64 {
        self.store.share(&super::secret::hash(secret).unwrap()).await.unwrap().views
    }
}

fn read(name: &str) -> StudyFolder {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let planted = PLANTED.iter().any(|(folder, ..)| *folder == name);
    let dir = root.join(if planted { "tests" } else { "demo" }).join(name);
    let manifest = fs::read_to_string(dir.join(MANIFEST)).unwrap();
    load(&manifest, |file| fs::read(dir.join(file)).map_err(|error| error.to_string())).unwrap()
}

fn secrets(folder: &str) -> Vec<String> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder).join("secrets.txt");
    fs::read_to_string(path).unwrap().lines().map(str::to_lowercase).collect()
}

/// All that a reader could find in an answer: a workbook is unpacked, and case makes no difference.
fn readable(page: &Page) -> String {
    let mut text = String::from_utf8_lossy(&page.body).to_lowercase();
    if page.body.starts_with(b"PK") {
        let mut book = zip::ZipArchive::new(Cursor::new(&page.body)).unwrap();
        for at in 0..book.len() {
            book.by_index(at).unwrap().read_to_string(&mut text).unwrap();
        }
    }
    for (name, value) in &page.headers {
        text.push_str(&format!("\n{name}: {}", String::from_utf8_lossy(value.as_bytes()).to_lowercase()));
    }
    text
}

const FILES: [&str; 9] = [
    "",
    "/report.md",
    "/report.csv?table=conclusion",
    "/report.csv?table=options",
    "/report.csv?table=runs",
    "/report.csv?table=findings",
    "/report.xlsx",
    "/report.json",
    "/reproduce.sh",
];

#[tokio::test]
async fn none_of_the_planted_secrets_gets_out() {
    for (folder, slug, sides) in PLANTED {
        nothing_gets_out(folder, slug, sides).await;
    }
}

async fn nothing_gets_out(folder: &str, slug: &str, sides: [&str; 2]) {
    let server = Server::with(&[folder, SEED]).await;
    let secrets = secrets(folder);
    assert!(secrets.len() >= 30);
    // All of them are there for whoever may see the study.
    let inside: String = [
        server.get(&format!("/en/studies/{slug}")).await.text(),
        server.get(&format!("/ja/studies/{slug}")).await.text(),
        String::from_utf8_lossy(&read(folder).raw[0].1).into_owned(),
    ]
    .concat()
    .to_lowercase();
    let seen = secrets.iter().filter(|secret| inside.contains(secret.as_str())).count();
    assert!(seen >= 25, "only {seen} of {} could be read before", secrets.len());

    publish(&server.store, &slug.into(), None, "", now_ms).await.unwrap();
    let form = "redacted=on&label=x&expires=7";
    let compared = format!(
        "scope=compare%3A{}&redacted=on",
        format!(r#"{{"subjects":["{}","{}"],"base":0,"all_params":true}}"#, sides[0], sides[1])
            .replace('"', "%22")
            .replace(':', "%3A")
            .replace('{', "%7B")
            .replace('}', "%7D")
    );
    let mut outside = Vec::new();
    for form in [&format!("scope=study&{form}"), &format!("scope=version%3A1&{form}"), &compared] {
        let secret = server.link(slug, form).await;
        for lang in Lang::ALL {
            for file in FILES {
                let path = format!("/s/{secret}/{lang}{file}");
                let page = server.get(&path).await;
                let expected =
                    if form == &compared && !file.is_empty() { StatusCode::NOT_FOUND } else { StatusCode::OK };
                assert_eq!(page.status, expected, "{form} {file}");
                outside.push((path, page));
            }
            let path = format!("/{lang}/studies/{slug}/shares/preview");
            let page = server.post(&path, form).await;
            assert_eq!(page.status, StatusCode::OK);
            outside.push((path, page));
        }
        for run in &read(folder).raw {
            let path = format!("/s/{secret}/raw/{}", run.0);
            let page = server.get(&path).await;
            assert_eq!(page.status, StatusCode::NOT_FOUND, "a redacted view has no raw outputs");
            outside.push((path, page));
        }
    }
    for lang in Lang::ALL {
        for path in [
            format!("/{lang}/embed/{slug}/card"),
            format!("/{lang}/embed/{slug}/gain.svg"),
            format!("/{lang}/embed/{slug}/profiles.svg"),
            format!("/badge/{slug}.svg?lang={lang}"),
        ] {
            outside.push((path.clone(), server.get(&path).await));
        }
    }
    assert!(outside.len() > 60);
    for (path, page) in &outside {
        // Who asks for these has the study's short name already: it is in their address, and in their link back.
        let named = !path.starts_with("/s/");
        let text = if named { readable(page).replace(slug, "") } else { readable(page) };
        for secret in &secrets {
            if let Some(at) = text.find(secret.as_str()) {
                let around: String = text[..at].chars().rev().take(80).collect::<Vec<_>>().into_iter().rev().collect();
                panic!("{path} lets {secret} out: {around}[…]");
            }
        }
    }
    // The figures are the same, and what is public stays.
    let page = server.get(&format!("/s/{}/en", server.link(SEED, "scope=study&redacted=on").await)).await.text();
    for kept in ["Qwen/Qwen3-14B", "sglang", "NVIDIA H100 SXM GPU"] {
        assert!(page.contains(kept), "{kept}");
    }
}

#[tokio::test]
async fn a_link_opens_its_own_study_and_nothing_else() {
    let server = Server::with(&[SEED, OTHER]).await;
    let secret = server.link(SEED, "scope=study&expires=7").await;
    let (own, others) = (read(SEED).raw[0].clone(), read(OTHER).raw[0].0.clone());
    let raw = server.get(&format!("/s/{secret}/raw/{}", own.0)).await;
    assert_eq!((raw.status, raw.body), (StatusCode::OK, own.1));
    assert_eq!(server.get(&format!("/raw/{others}")).await.status, StatusCode::OK, "the other study has it");
    let refused = server.get(&format!("/s/{secret}/raw/{others}")).await;
    assert_eq!(refused.status, StatusCode::NOT_FOUND);
    assert!(!refused.text().contains(OTHER));
    let page = server.get(&format!("/s/{secret}/ja")).await;
    let text = page.text();
    assert!(text.contains("閲覧専用で共有されたレポート") && !text.contains(OTHER), "no rival study is named");
    assert!(text.contains(&format!("href=\"/s/{secret}/raw/")), "raw outputs are behind the link");
    assert!(!text.contains("href=\"/raw/") && !text.contains("href=\"/ja/studies"), "nothing leads into the site");
    assert_eq!(page.header("x-robots-tag"), "noindex, nofollow");
    assert_eq!(page.header("referrer-policy"), "no-referrer");
    assert_eq!(page.header("cache-control"), "private, no-store");
    assert!(text.contains("<meta name=\"robots\" content=\"noindex\""));
    for path in ["report.pdf", "report.html", "../../studies", "x"] {
        assert_eq!(server.get(&format!("/s/{secret}/en/{path}")).await.status, StatusCode::NOT_FOUND, "{path}");
    }
    let public = server.get(&format!("/s/{}/en", server.link(SEED, "public=on&redacted=on").await)).await;
    assert_eq!(public.header("x-robots-tag"), "");
    assert!(!public.text().contains("noindex"));
}

#[tokio::test]
async fn a_link_to_a_version_shows_what_was_frozen_whatever_came_later() {
    let server = Server::with(&[SEED]).await;
    publish(&server.store, &SEED.into(), None, "", now_ms).await.unwrap();
    let (plain, redacted) = (
        server.link(SEED, "scope=version%3A1").await,
        server.link(SEED, "scope=version%3A1&redacted=on&public=on").await,
    );
    let mut before = Vec::new();
    for secret in [&plain, &redacted] {
        for file in FILES {
            before.push(server.get(&format!("/s/{secret}/en{file}")).await.body);
        }
    }
    let edited = read(SEED).manifest.replace("Optimizing Qwen3-14B", "Something else about Qwen3-14B");
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("demo").join(SEED);
    let folder = load(&edited, |file| fs::read(dir.join(file)).map_err(|error| error.to_string())).unwrap();
    server.store.import(&folder, now_ms()).await.unwrap();
    assert!(server.get(&format!("/en/studies/{SEED}")).await.text().contains("Something else"));
    let mut after = Vec::new();
    for secret in [&plain, &redacted] {
        for file in FILES {
            after.push(server.get(&format!("/s/{secret}/en{file}")).await.body);
        }
    }
    assert!(before == after);
    let page = server.get(&format!("/s/{plain}/en")).await.text();
    assert!(page.contains("Version 1, published") && page.contains(&format!("href=\"/s/{plain}/ja\"")), "{page}");
    assert!(page.contains(&format!("href=\"/s/{plain}/raw/")) && !page.contains("href=\"/en/"));
    let page = server.get(&format!("/s/{redacted}/en")).await.text();
    assert!(page.contains("Version 1 of a shared report, read-only.") && !page.contains("/raw/"));
    assert!(!page.contains("noindex"), "it is public");
    assert_eq!(server.post(&format!("/en/studies/{SEED}/shares"), "scope=version%3A2").await.status, 422);
}

#[tokio::test]
async fn views_are_counted_and_a_link_that_is_over_opens_nothing() {
    let server = Server::with(&[SEED]).await;
    let secret = server.link(SEED, "redacted=on&expires=never").await;
    for path in ["/en", "/ja", "", "/en/report.md"] {
        assert_eq!(server.get(&format!("/s/{secret}{path}")).await.status, StatusCode::OK, "{path}");
    }
    let head = HttpRequest::head(format!("/s/{secret}/en")).header(header::HOST, HOST).body(Body::empty()).unwrap();
    assert_eq!(server.ask(head).await.status, StatusCode::OK);
    assert_eq!(server.count(&secret).await, 3, "pages, not files and not HEAD");

    let list = server.get(&format!("/ja/studies/{SEED}/shares")).await.text();
    assert!(list.contains("閲覧数") && !list.contains(&secret), "a link is shown once");
    let id = &super::secret::hash(&secret).unwrap().to_string()[..12];
    assert!(list.contains(id));
    let page = format!("/en/studies/{SEED}/shares");
    assert_eq!(server.post(&format!("{page}/revoke"), "id=0000000000").await.status, StatusCode::NOT_FOUND);
    assert_eq!(
        server.post_from("http://evil.example", &format!("{page}/revoke"), &format!("id={id}")).await.status,
        403
    );
    assert_eq!(server.get(&format!("/s/{secret}/en")).await.status, StatusCode::OK);
    let done = server.post(&format!("{page}/revoke"), &format!("id={id}")).await;
    assert_eq!(done.status, StatusCode::SEE_OTHER);
    assert!(server.get(done.header("location")).await.text().contains("The link was revoked."));
    for path in ["/en", "", "/en/report.md", "/en/report.xlsx"] {
        let page = server.get(&format!("/s/{secret}{path}")).await;
        assert_eq!(page.status, StatusCode::GONE, "{path}");
        assert!(page.text().contains("has expired or was revoked") && !page.text().contains("Qwen"));
    }
    assert_eq!(server.count(&secret).await, 4);

    // Expired: made with an end that has passed.
    let (secret, hash) = super::secret::make().unwrap();
    let made = NewShare {
        hash,
        study: SEED.into(),
        scope: Scope::Study,
        redacted: true,
        indexed: false,
        label: String::new(),
        author: None,
        created_at: now_ms() - 2 * DAY_MS,
        expires_at: Some(now_ms() - 1),
    };
    server.store.create_share(&made).await.unwrap();
    let page = server.get(&format!("/s/{secret}/ja")).await;
    assert_eq!(page.status, StatusCode::GONE);
    assert!(page.text().contains("有効期限が切れた") && !page.text().contains("Qwen"));
    assert_eq!(server.count(&secret).await, 0);
    let nobody = "0".repeat(64);
    for path in
        [format!("/s/{nobody}"), format!("/s/{nobody}/en"), "/s/x".to_owned(), format!("/s/{nobody}/raw/{nobody}")]
    {
        let page = server.get(&path).await;
        assert_eq!(page.status, StatusCode::NOT_FOUND, "{path}");
        assert_eq!(page.header("referrer-policy"), "no-referrer");
    }
}

#[tokio::test]
async fn forms_come_back_with_what_was_entered_and_others_may_not_share() {
    let server = Server::with(&[SEED]).await;
    let page = format!("/en/studies/{SEED}/shares");
    assert_eq!(server.post_from("http://evil.example", &page, "scope=study").await.status, StatusCode::FORBIDDEN);
    let long = "長".repeat(101);
    let refused = server.post(&page, &format!("scope=study&expires=90&label={long}")).await;
    assert_eq!(refused.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert!(refused.text().contains("101 characters") && refused.text().contains(&long));
    let many = (0..60).map(|at| format!("%22a:b:c{at}%22")).collect::<Vec<_>>().join(",");
    let many = format!("scope=compare:%7B%22subjects%22:[{many}],%22base%22:0,%22all_params%22:false%7D");
    assert_eq!(server.post(&page, &many).await.status, StatusCode::UNPROCESSABLE_ENTITY, "fifty at most");
    let preview = format!("{page}/preview");
    assert_eq!(server.post_from("http://evil.example", &preview, "scope=study").await.status, StatusCode::FORBIDDEN);
    assert_eq!(server.post(&page, "scope=everything").await.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(server.post(&page, "scope=study&label=%FF%").await.status, StatusCode::OK, "odd bytes are a label");
    assert_eq!(server.post("/en/studies/none/shares", "scope=study").await.status, StatusCode::NOT_FOUND);
    assert_eq!(server.get("/en/studies/none/shares").await.status, StatusCode::NOT_FOUND);
    let odd = server.link(SEED, "scope=study&expires=abc").await;
    let odd = server.store.share(&super::secret::hash(&odd).unwrap()).await.unwrap();
    assert_eq!(odd.made.expires_at, Some(odd.made.created_at + 30 * DAY_MS), "not for ever");
    assert_eq!(server.store.all_shares().await.unwrap().len(), 2);

    let (upload, kept) = token::make("agent", Rights::Upload, None, now_ms()).unwrap();
    server.store.create_token(&kept).await.unwrap();
    assert_eq!(server.post(&page, "scope=study").await.status, StatusCode::UNAUTHORIZED);
    let (reader, kept) = token::make("reader", Rights::Read, None, now_ms()).unwrap();
    server.store.create_token(&kept).await.unwrap();
    assert_eq!(server.post(&page, &format!("scope=study&token={reader}")).await.status, StatusCode::FORBIDDEN);
    let secret = server.link(SEED, &format!("scope=study&token={upload}")).await;
    let share = server.store.share(&super::secret::hash(&secret).unwrap()).await.unwrap();
    assert_eq!(share.made.author.as_deref(), Some("agent"));
}

#[tokio::test]
async fn a_comparison_is_shared_with_the_runs_behind_it_alone() {
    let server = Server::with(&[SEED]).await;
    let view =
        r#"{"subjects":["qwen3-14b-h100:vllm:sharegpt","qwen3-14b-h100:sglang:sharegpt"],"base":1,"all_params":false}"#;
    let scope = view.replace('"', "%22").replace('{', "%7B").replace('}', "%7D");
    let secret = server.link(SEED, &format!("scope=compare%3A{scope}")).await;
    let page = server.get(&format!("/s/{secret}/en")).await;
    assert_eq!(page.status, StatusCode::OK);
    let raw = read(SEED).raw;
    let open = |digest: &domain::digest::Digest| format!("/s/{secret}/raw/{digest}");
    assert_eq!(server.get(&open(&raw[0].0)).await.status, StatusCode::OK, "the first run is one of them");
    assert_eq!(server.get(&open(&raw[5].0)).await.status, StatusCode::NOT_FOUND, "the sixth is not");
    let offered = server
        .get(&format!("/en/studies/{SEED}/shares?compare=of%3Dqwen3-14b-h100%3Avllm%3Asharegpt%26of%3Dqwen3-14b-h100%3Asglang%3Asharegpt"))
        .await;
    assert!(offered.text().contains("Comparison of 2"));
}

/// Log lines, kept.
#[derive(Clone, Default)]
struct Log(Arc<std::sync::Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn no_line_of_the_log_has_a_secret() {
    let server = Server::with(&[SEED]).await;
    let secret = server.link(SEED, "scope=study").await;
    let log = Log::default();
    let to = log.clone();
    let subscriber =
        tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(move || to.clone()).finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    for path in ["", "/en", "/ja/report.md", "/raw/x", "/xx", "/en/x?y=1"] {
        server.get(&format!("/s/{secret}{path}")).await;
    }
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(log.contains(&format!("/s/{}…", &secret[..8])), "requests were logged: {log}");
    assert!(!log.contains(&secret[..20]), "{}", log.lines().find(|line| line.contains(&secret[..20])).unwrap());
}
