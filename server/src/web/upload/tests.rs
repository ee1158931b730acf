//! The upload page as a browser without JavaScript uses it: forms in, redirections and pages out.

use std::path::Path as FsPath;
use std::sync::Arc;

use app::visit::Site;
use axum::http::Request as HttpRequest;
use http_body_util::BodyExt as _;
use store::{Location, Scope, Store};
use tempfile::TempDir;
use tower::ServiceExt as _;

use super::*;
use crate::cmd::token;

const HOST: &str = "127.0.0.1:3000";

/// A server of its own; pages are read as text.
struct Browser {
    dir: TempDir,
    store: Store,
    router: Router,
}

struct Page {
    status: StatusCode,
    to: String,
    text: String,
}

impl Browser {
    async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (store, router) = open(dir.path()).await;
        Self { dir, store, router }
    }

    async fn ask(&self, request: HttpRequest<Body>) -> Page {
        let answer = self.router.clone().oneshot(request).await.unwrap();
        let status = answer.status();
        let to = answer.headers().get(header::LOCATION).map(|to| to.to_str().unwrap().to_owned()).unwrap_or_default();
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        Page { status, to, text: String::from_utf8(body.to_vec()).unwrap() }
    }

    async fn get(&self, path: &str) -> Page {
        let path = path.split('#').next().unwrap();
        self.ask(HttpRequest::get(path).header(header::HOST, HOST).body(Body::empty()).unwrap()).await
    }

    /// Sends the first form: field, file name, content.
    async fn first(&self, parts: &[(&str, &str, &[u8])]) -> Page {
        self.first_from("http://127.0.0.1:3000", parts).await
    }

    async fn first_from(&self, origin: &str, parts: &[(&str, &str, &[u8])]) -> Page {
        let request = HttpRequest::post("/en/upload")
            .header(header::HOST, HOST)
            .header(header::ORIGIN, origin)
            .header(header::CONTENT_TYPE, "multipart/form-data; boundary=cut");
        self.ask(request.body(multipart(parts).into()).unwrap()).await
    }

    /// Sends files that must be taken; the address of their preview.
    async fn preview_of(&self, parts: &[(&str, &str, &[u8])]) -> String {
        let answer = self.first(parts).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text);
        assert!(answer.to.starts_with("/en/upload/"), "{}", answer.to);
        answer.to
    }

    async fn second(&self, path: &str, fields: &[(&str, &str)]) -> Page {
        let body = fields.iter().map(|(name, value)| format!("{name}={}", escape(value))).collect::<Vec<_>>().join("&");
        let request = HttpRequest::post(path)
            .header(header::HOST, HOST)
            .header(header::ORIGIN, "http://127.0.0.1:3000")
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        self.ask(request.body(body.into()).unwrap()).await
    }

    /// Saves a preview and shows what became of it.
    async fn save(&self, path: &str, fields: &[(&str, &str)]) -> Page {
        let fields: Vec<_> = fields.iter().copied().chain([("do", "save")]).collect();
        let answer = self.second(path, &fields).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text);
        self.get(&answer.to).await
    }

    async fn runs(&self) -> usize {
        self.store.studies().await.unwrap().iter().map(|study| study.data.runs.len()).sum()
    }

    fn waits(&self) -> usize {
        std::fs::read_dir(self.dir.path().join("spool/previews")).map(Iterator::count).unwrap_or_default()
    }
}

async fn open(dir: &FsPath) -> (Store, Router) {
    let store = Store::open(&Location::DataDir(dir.to_owned())).await.unwrap();
    let site = Site { assets: "".into(), origin: None, store: store.clone() };
    let spool: Arc<FsPath> = dir.join("spool").into();
    std::fs::create_dir_all(&spool).unwrap();
    (store, crate::web::router(site, spool, true))
}

fn multipart(parts: &[(&str, &str, &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, file, content) in parts {
        let file = if *name == "file" { format!("; filename=\"{file}\"") } else { String::new() };
        body.extend(format!("--cut\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n").bytes());
        body.extend(*content);
        body.extend(b"\r\n");
    }
    body.extend(b"--cut--\r\n");
    body
}

fn escape(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// A result like no other, whose printed total is 10% above what follows.
fn block(seed: usize) -> String {
    let duration = 100.0 + seed as f64;
    format!(
        "============ Serving Benchmark Result ============\nSuccessful requests: 1000\n\
         Benchmark duration (s): {duration:.2}\nTotal input tokens: 200000\nTotal generated tokens: 100000\n\
         Total Token throughput (tok/s): {:.2}\nMean TTFT (ms): 31.25\nMedian TTFT (ms): 30.00\nP99 TTFT (ms): 90.00\n\
         ==================================================\n",
        330_000.0 / duration,
    )
}

const NEW: [(&str, &str); 9] = [
    ("study", "+new"),
    ("slug", "llama"),
    ("title", "Llama on H100"),
    ("variant-0", "+new"),
    ("vid-0", "base"),
    ("engine-0", "vLLM"),
    ("model-0", "meta/Llama-3"),
    ("profile-0", "+new"),
    ("pid-0", "chat"),
];

#[tokio::test]
async fn a_file_is_seen_saved_and_found() {
    let browser = Browser::new().await;
    assert!(browser.get("/ja/upload").await.text.contains("結果のアップロード"));
    let at = browser.preview_of(&[("file", "03-base.txt", block(1).as_bytes())]).await;
    let page = browser.get(&at).await;
    assert_eq!(page.status, StatusCode::OK);
    for shown in ["03-base.txt", "3,267.33", "2,970.30", "rate-mismatch", "Nothing is stored yet.", "200,000 / 100,000"]
    {
        assert!(page.text.contains(shown), "{shown} is missing: {}", page.text);
    }
    let japanese = browser.get(&at.replace("/en/", "/ja/")).await.text;
    assert!(japanese.contains("まだ何も登録していません") && japanese.contains("2,970.30"), "{japanese}");
    assert_eq!(browser.runs().await, 0, "a preview stores nothing");

    let fields = [NEW.as_slice(), &[("args-0", "HF_HOME=/x vllm serve meta/Llama-3 --max-num-seqs '512'")]].concat();
    let saved = browser.save(&at, &fields).await;
    assert!(saved.text.contains("1 run stored."), "{}", saved.text);
    let stored = browser.store.study(&"llama".into()).await.unwrap().data;
    assert_eq!(stored.study.title.en.as_deref(), Some("Llama on H100"));
    assert_eq!(stored.study.variants[0].args, ["--max-num-seqs", "512"]);
    assert_eq!(stored.study.variants[0].env["HF_HOME"], "/x");
    assert!(saved.text.contains(&format!("/en/runs/{}", stored.runs[0].id)), "{}", saved.text);
    assert!(saved.text.contains("/en/studies/llama"), "{}", saved.text);
    assert_eq!(browser.store.raw(&stored.runs[0].digest).await.unwrap(), block(1).into_bytes());
    let left = std::fs::read_dir(browser.dir.path().join("spool/previews")).unwrap().next().unwrap().unwrap();
    assert_eq!(std::fs::read_dir(left.path()).unwrap().count(), 1, "only the answer is kept");
    // The button pressed twice, or a page sent again.
    assert_eq!(browser.save(&at, &fields).await.text.matches("/en/runs/").count(), 1);
    assert_eq!(browser.runs().await, 1);
}

#[tokio::test]
async fn the_same_file_again_is_the_same_run_and_the_page_says_so() {
    let browser = Browser::new().await;
    let first = browser.preview_of(&[("file", "a.txt", block(1).as_bytes())]).await;
    browser.save(&first, &NEW).await;
    // Pasted, as forms send line breaks.
    let pasted = block(1).replace('\n', "\r\n");
    let second = browser.preview_of(&[("text", "", pasted.as_bytes()), ("name", "", b"again.log")]).await;
    let known = [("study", "llama"), ("study-was", "llama"), ("variant-0", "base"), ("profile-0", "chat")];
    let saved = browser.save(&second, &known).await.text;
    assert!(saved.contains("already there") && saved.contains("nothing was doubled"), "{saved}");
    assert_eq!(browser.runs().await, 1);
}

#[tokio::test]
async fn of_two_files_the_bad_one_is_explained_and_the_good_one_saved() {
    let browser = Browser::new().await;
    let cut: String = block(2).lines().take(5).collect::<Vec<_>>().join("\n");
    let at =
        browser.preview_of(&[("file", "good.txt", block(2).as_bytes()), ("file", "cut.txt", cut.as_bytes())]).await;
    let page = browser.get(&at).await.text;
    for shown in ["cannot be read", "What to do", "line 1", "Copy it again", "1 file is left out"] {
        assert!(page.contains(shown), "{shown} is missing: {page}");
    }
    let saved = browser.save(&at, &NEW).await.text;
    assert!(saved.contains("1 run stored. 1 file was not taken.") && saved.contains("cut.txt"), "{saved}");
    assert_eq!(browser.runs().await, 1);
}

#[tokio::test]
async fn a_result_that_cannot_be_read_is_explained_beside_those_that_can() {
    let browser = Browser::new().await;
    let bad = block(2).replace("Benchmark duration (s): ", "Benchmark duration (s): about ");
    let at = browser.preview_of(&[("file", "log.txt", [block(1), bad].concat().as_bytes())]).await;
    let page = browser.get(&at).await.text;
    let line = format!("line {}", block(1).lines().count() + 3);
    for shown in ["1 run, 1 doubt, 1 result left out", "Results left out", &line, "about 102.00"] {
        assert!(page.contains(shown), "{shown} is missing: {page}");
    }
    let japanese = browser.get(&at.replace("/en/", "/ja/")).await.text;
    assert!(japanese.contains("除外した結果"), "{japanese}");
    let saved = browser.save(&at, &NEW).await.text;
    assert!(saved.contains("1 run stored. 1 result left out.") && saved.contains("log.txt"), "{saved}");
    assert_eq!(browser.runs().await, 1);
}

#[tokio::test]
async fn files_with_places_of_their_own_go_there() {
    let browser = Browser::new().await;
    let files: [&[u8]; 3] = [&block(1).into_bytes(), &block(2).into_bytes(), &block(3).into_bytes()];
    let at = browser
        .preview_of(&[("file", "a.txt", files[0]), ("file", "b.txt", files[1]), ("file", "c.txt", files[2])])
        .await;
    let more = [
        ("variant-1", "+new"),
        ("vid-1", "fast"),
        ("engine-1", "vLLM"),
        ("model-1", "meta/Llama-3"),
        ("args-1", "--fast"),
        ("profile-1", "+new"),
        ("pid-1", "chat"),
        ("step-1", "speed"),
        ("skip-2", "1"),
    ];
    browser.save(&at, &[NEW.as_slice(), &more].concat()).await;
    let stored = browser.store.study(&"llama".into()).await.unwrap().data;
    let places: Vec<_> = stored.runs.iter().map(|run| (run.file.as_str(), run.variant.as_str())).collect();
    assert_eq!(places, [("a.txt", "base"), ("b.txt", "fast")]);
    assert_eq!((stored.study.baseline.as_str(), stored.study.profiles.len()), ("base", 1));
    assert_eq!(stored.study.steps[0].variants, ["fast".into()]);
}

#[tokio::test]
async fn what_is_missing_is_said_at_its_field_and_what_was_entered_stays() {
    let browser = Browser::new().await;
    let at = browser.preview_of(&[("file", "a.txt", block(1).as_bytes())]).await;
    let wrong = [
        ("slug", "Not A Slug"),
        ("model-0", ""),
        ("args-0", "--x 'open</textarea><b>"),
        ("rate-0", "fast"),
        ("input-0", "0"),
        ("engine-0", "my engine"),
    ];
    let fields: Vec<_> =
        NEW.iter().filter(|(name, _)| !wrong.iter().any(|(of, _)| of == name)).chain(&wrong).copied().collect();
    let page = browser.save(&at, &fields).await.text;
    assert!(page.contains("--x 'open&lt;/textarea&gt;&lt;b&gt;</textarea>"), "no text ends its field");
    for id in ["slug-wrong", "model-wrong", "args-0-wrong", "rate-0-wrong", "input-0-wrong"] {
        assert!(page.contains(&format!("id=\"{id}\"")), "{id} is missing: {page}");
    }
    assert!(page.contains("5 things are missing or wrong"), "{page}");
    assert!(page.contains("value=\"Not A Slug\"") && page.contains("value=\"my engine\""), "{page}");
    assert!(browser.get(&at.replace("/en/", "/ja/")).await.text.contains("英小文字"));
    assert_eq!(browser.runs().await, 0);
    browser.save(&at, &NEW).await;
    assert_eq!(browser.runs().await, 1);
}

#[tokio::test]
async fn a_study_that_is_there_offers_its_parts_and_keeps_its_name() {
    let browser = Browser::new().await;
    let first = browser.preview_of(&[("file", "a.txt", block(1).as_bytes())]).await;
    browser.save(&first, &NEW).await;
    let at = browser.preview_of(&[("file", "07-base-run-2.txt", block(2).as_bytes())]).await;
    let page = browser.get(&at).await.text;
    assert!(
        page.contains("guessed from the file&#39;s name") || page.contains("guessed from the file's name"),
        "{page}"
    );
    let taken = browser.save(&at, &NEW).await.text;
    assert!(taken.contains("slug-wrong"), "{taken}");
    // Chosen: another study; its variants are to be chosen anew.
    browser.second(&at, &[("study", "llama"), ("study-was", "+new"), ("variant-0", "+new"), ("do", "look")]).await;
    let page = browser.get(&at).await.text;
    assert!(page.contains("<option value=\"base\" selected"), "{page}");
    assert_eq!(browser.runs().await, 1);
}

#[tokio::test]
async fn secrets_are_shown_as_masked_before_anything_is_stored() {
    let browser = Browser::new().await;
    let text = format!("Authorization: Bearer hunter22hunter22\n{}", block(1));
    let at = browser.preview_of(&[("file", "a.txt", text.as_bytes())]).await;
    let page = browser.get(&at).await.text;
    assert!(page.contains("1 secret was masked") && page.contains("Authorization header"), "{page}");
    let kept = || {
        let mut kept = String::new();
        for dir in std::fs::read_dir(browser.dir.path().join("spool/previews")).unwrap() {
            for file in std::fs::read_dir(dir.unwrap().path()).unwrap() {
                kept += &std::fs::read_to_string(file.unwrap().path()).unwrap();
            }
        }
        kept
    };
    assert!(kept().contains("Bearer ***") && !kept().contains("hunter22"));
    let fields = [NEW.as_slice(), &[("args-0", "--api-key sk-abcdefghijklmnopqrstuvwx")]].concat();
    let saved = browser.save(&at, &fields).await.text;
    assert!(saved.contains("2 secrets were masked"), "{saved}");
    let stored = browser.store.study(&"llama".into()).await.unwrap().data;
    assert_eq!(stored.study.variants[0].args, ["--api-key", "sk-***"]);
    assert!(kept().contains("--api-key sk-***") && !kept().contains("sk-abc"), "{}", kept());
}

#[tokio::test]
async fn a_preview_that_is_discarded_too_old_or_unknown_is_gone_and_says_so() {
    let browser = Browser::new().await;
    let at = browser.preview_of(&[("file", "a.txt", block(1).as_bytes())]).await;
    let discarded = browser.second(&at, &[("do", "discard")]).await;
    assert_eq!(discarded.to, "/en/upload?discarded");
    assert!(browser.get(&discarded.to).await.text.contains("The preview was discarded."));
    assert_eq!(browser.waits(), 0);

    let at = browser.preview_of(&[("file", "a.txt", block(1).as_bytes())]).await;
    let held = Held::beside(&browser.dir.path().join("spool"));
    let id = at.rsplit('/').next().unwrap();
    assert!(held.load(id, now_ms() + LIVES_MS + 1).unwrap().is_none());
    assert!(held.sweep(now_ms()).unwrap() > 0, "what is not old stays");
    held.sweep(now_ms() + LIVES_MS + 1).unwrap();
    assert_eq!(browser.waits(), 0);
    let unknown = format!("/en/upload/{}", "0".repeat(64));
    for path in [at.as_str(), &unknown, "/en/upload/..%2F..%2Fetc", "/en/upload/x"] {
        let gone = browser.get(path).await;
        assert_eq!(gone.status, StatusCode::GONE, "{path}");
        assert!(gone.text.contains("This preview is gone"), "{path}: {}", gone.text);
        assert_eq!(browser.second(path, &[("do", "save")]).await.status, StatusCode::SEE_OTHER, "{path}");
    }
}

#[tokio::test]
async fn a_restart_changes_nothing() {
    let mut browser = Browser::new().await;
    let at = browser.preview_of(&[("file", "a.txt", block(1).as_bytes())]).await;
    (browser.store, browser.router) = open(browser.dir.path()).await;
    assert!(browser.get(&at).await.text.contains("2,970.30"));
    assert!(browser.save(&at, &NEW).await.text.contains("1 run stored."));
}

#[tokio::test]
async fn forms_of_other_sites_and_other_names_are_refused() {
    let browser = Browser::new().await;
    let content = block(1);
    let parts: &[(&str, &str, &[u8])] = &[("file", "a.txt", content.as_bytes())];
    for origin in ["http://evil.example", "null", "http://127.0.0.1:3001"] {
        let refused = browser.first_from(origin, parts).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN, "{origin}");
        assert!(refused.text.contains("another site"), "{origin}");
    }
    assert_eq!(browser.waits(), 0);
    let at = browser.preview_of(parts).await;
    let request = HttpRequest::post(&at).header(header::HOST, HOST).header("sec-fetch-site", "cross-site");
    let request = request.header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
    let refused = browser.ask(request.body("do=discard".into()).unwrap()).await;
    assert_eq!((refused.status, browser.waits()), (StatusCode::FORBIDDEN, 1));
    // A name that was pointed at this machine asks for a token.
    let request = HttpRequest::get("/en/upload").header(header::HOST, "evil.example:3000");
    assert!(browser.ask(request.body(Body::empty()).unwrap()).await.text.contains("id=\"token\""));
    assert!(!browser.get("/en/upload").await.text.contains("id=\"token\""));
}

#[tokio::test]
async fn where_tokens_exist_one_is_needed_and_its_name_is_kept() {
    let browser = Browser::new().await;
    let make = |name: &'static str, scope| {
        let (secret, made) = token::make(name, scope, None, now_ms()).unwrap();
        let store = browser.store.clone();
        async move {
            store.create_token(&made).await.unwrap();
            secret
        }
    };
    let reader = make("reader", Scope::Read).await;
    assert!(!browser.get("/en/upload").await.text.contains("id=\"token\""), "a reader's token decides nothing");
    let ours = make("ours", Scope::Upload).await;
    assert!(browser.get("/en/upload").await.text.contains("id=\"token\""));
    let content = block(1);
    let file = ("file", "a.txt", content.as_bytes());
    for (entered, status, said) in [
        (None, 401, "A token is needed"),
        (Some("tst_unknown"), 401, "is not known"),
        (Some(reader.as_str()), 403, "may not upload"),
    ] {
        let token = entered.map(|entered| ("token", "", entered.as_bytes()));
        let parts: Vec<_> = token.into_iter().chain([file]).collect();
        let refused = browser.first(&parts).await;
        assert_eq!(
            (refused.status.as_u16(), refused.text.contains(said)),
            (status, true),
            "{entered:?}: {}",
            refused.text
        );
    }
    assert_eq!(browser.waits(), 0);
    let at = browser.preview_of(&[("token", "", ours.as_bytes()), file]).await;
    let other = browser.preview_of(&[("token", "", ours.as_bytes()), file]).await;
    assert!(!browser.get(&at).await.text.contains(&ours));
    browser.save(&at, &NEW).await;
    assert_eq!(browser.runs().await, 1);
    browser.store.revoke_token("ours", now_ms()).await.unwrap();
    let fields = [("study", "llama"), ("study-was", "llama"), ("variant-0", "base"), ("profile-0", "chat")];
    let refused = browser.save(&other, &fields).await.text;
    assert!(refused.contains("was revoked"), "{refused}");
}

#[tokio::test]
async fn forms_without_a_file_or_with_too_much_are_answered_by_a_page() {
    let browser = Browser::new().await;
    let none = browser.first(&[("file", "", b""), ("text", "", b""), ("name", "", b"")]).await;
    assert_eq!(none.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(none.text.contains("neither a file nor a pasted text"), "{}", none.text);
    // 64 MB of zeros in some kilobytes.
    let mut zip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::copy(&mut std::io::Read::take(std::io::repeat(0), 64 << 20), &mut zip).unwrap();
    let bomb = browser.first(&[("file", "bomb.txt.gz", &zip.finish().unwrap())]).await;
    assert_eq!(bomb.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert!(bomb.text.contains("times as long"), "{}", bomb.text);
    let cut =
        HttpRequest::post("/en/upload").header(header::HOST, HOST).header(header::ORIGIN, "http://127.0.0.1:3000");
    let cut = cut.header(header::CONTENT_TYPE, "multipart/form-data; boundary=cut");
    let cut = browser
        .ask(
            cut.body("--cut\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nx".into()).unwrap(),
        )
        .await;
    assert_eq!(
        (cut.status, cut.text.contains("did not arrive whole")),
        (StatusCode::BAD_REQUEST, true),
        "{}",
        cut.text
    );
    assert_eq!(browser.waits(), 0);
}

#[tokio::test]
async fn no_name_breaks_the_page() {
    let browser = Browser::new().await;
    let name = format!("<script>alert(1)|{}😀.txt", "n".repeat(180));
    let at = browser.preview_of(&[("file", &name, block(1).as_bytes())]).await;
    let page = browser.get(&at).await.text;
    assert!(!page.contains("<script>alert") && page.contains("&lt;script&gt;alert(1)|"), "{page}");
    let nasty = [NEW.as_slice(), &[("dataset-0", "\"><img src=x onerror=alert(1)>")]].concat();
    let fields: Vec<_> = nasty.into_iter().map(|(n, v)| if n == "slug" { (n, "<b>") } else { (n, v) }).collect();
    let page = browser.save(&at, &fields).await.text;
    assert!(!page.contains("<img src=x") && !page.contains("value=\"<b>"), "{page}");
    let long = "n".repeat(300);
    let refused = browser.first(&[("file", &long, b"x")]).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(browser.save(&at, &NEW).await.text.matches("/en/runs/").count(), 1);
}

#[tokio::test]
async fn junk_is_a_page_that_says_what_it_is() {
    let browser = Browser::new().await;
    for (content, said) in [
        (&b"\x7fELF\x02\x01\x01\0"[..], "which is not text"),
        (b"", "The file is empty."),
        (b"connection refused\n", "without a benchmark result"),
        (b"{\"a\": [1, 2", "JSON that cannot be read"),
    ] {
        let at = browser.preview_of(&[("file", "junk", content)]).await;
        let page = browser.get(&at).await.text;
        assert!(page.contains(said) && !page.contains("value=\"save\""), "{said}: {page}");
        let answer = browser.save(&at, &[]).await;
        assert!(answer.text.contains("No file is left to save"), "{}", answer.text);
    }
    assert_eq!(browser.runs().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn clicks_on_save_while_it_saves_find_what_became_of_the_first() {
    let browser = Arc::new(Browser::new().await);
    // Long enough for the others to come in the middle: each would find runs that it did not store.
    let text: String = (0..300).map(block).collect();
    let path = browser.preview_of(&[("file", "a.txt", text.as_bytes())]).await;
    let clicks: Vec<_> = (0..20_u64)
        .map(|click| {
            let (browser, path) = (Arc::clone(&browser), path.clone());
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(10 * click)).await;
                browser.second(&path, &[NEW.as_slice(), &[("do", "save")]].concat()).await
            })
        })
        .collect();
    for click in clicks {
        let answer = click.await.unwrap();
        assert_eq!((answer.status, answer.to.as_str()), (StatusCode::SEE_OTHER, path.as_str()), "{}", answer.text);
    }
    let page = browser.get(&path).await.text;
    assert!(page.contains("<h1>Saved</h1>") && page.contains("300 runs stored."), "{page}");
    assert!(!page.contains("already there"), "{page}");
    assert_eq!(browser.runs().await, 300);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_hangs_up_while_it_saves_finds_what_became_of_it() {
    let browser = Browser::new().await;
    let path = browser.preview_of(&[("file", "a.txt", block(1).as_bytes())]).await;
    let fields = [NEW.as_slice(), &[("do", "save")]].concat();
    // The first click of two: the browser drops its request as soon as the second is sent.
    tokio::select! {
        biased;
        _ = browser.second(&path, &fields) => {}
        () = tokio::time::sleep(std::time::Duration::from_millis(2)) => {}
    }
    let second = browser.second(&path, &fields).await;
    assert_eq!((second.status, second.to.as_str()), (StatusCode::SEE_OTHER, path.as_str()));
    assert!(browser.get(&path).await.text.contains("<h1>Saved</h1>"));
    assert_eq!(browser.runs().await, 1);
}
