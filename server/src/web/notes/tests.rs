//! Notes as a browser without JavaScript writes them: forms in, redirections and pages out.

use std::fs;
use std::path::{Path as FsPath, PathBuf};
use std::sync::Arc;

use app::visit::Site;
use axum::{body::Body, http::Request as HttpRequest};
use domain::study::{MANIFEST, StudyFolder, load};
use http_body_util::BodyExt as _;
use store::{Location, Scope, Store};
use tempfile::TempDir;
use tower::ServiceExt as _;

use super::*;
use crate::cmd::token;

const HOST: &str = "127.0.0.1:3000";
const ORIGIN: &str = "http://127.0.0.1:3000";
const SLUG: &str = "qwen3-14b-h100";
const STEP: &str = "/en/studies/qwen3-14b-h100/notes?on=step%3Aquantization";
const STUDY: &str = "/en/studies/qwen3-14b-h100/notes?on=study";

struct Browser {
    store: Store,
    router: Router,
    _dir: TempDir,
}

struct Page {
    status: StatusCode,
    to: String,
    text: String,
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
        browser.import(|manifest| manifest.to_owned()).await;
        browser
    }

    async fn import(&self, edit: impl Fn(&str) -> String) {
        self.store.import(&folder(edit), now_ms()).await.unwrap();
    }

    async fn ask(&self, request: HttpRequest<Body>) -> Page {
        let answer = self.router.clone().oneshot(request).await.unwrap();
        let status = answer.status();
        let to = answer.headers().get(header::LOCATION).map(|to| to.to_str().unwrap().to_owned()).unwrap_or_default();
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        // Leptos separates texts by empty comments.
        Page { status, to, text: String::from_utf8(body.to_vec()).unwrap().replace("<!>", "") }
    }

    async fn get(&self, path: &str) -> Page {
        self.ask(HttpRequest::get(path).header(header::HOST, HOST).body(Body::empty()).unwrap()).await
    }

    async fn post_from(&self, origin: &str, path: &str, fields: &[(&str, &str)]) -> Page {
        let body = fields.iter().map(|(name, value)| format!("{name}={}", escape(value))).collect::<Vec<_>>().join("&");
        let request = HttpRequest::post(path)
            .header(header::HOST, HOST)
            .header(header::ORIGIN, origin)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        self.ask(request.body(body.into()).unwrap()).await
    }

    async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Page {
        self.post_from(ORIGIN, path, fields).await
    }

    /// Opens the form, fills one language in and saves it, as a person does.
    async fn write(&self, path: &str, lang: &str, text: &str) {
        let form = self.get(path).await;
        let fields = form.filled(lang, text);
        let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let saved = self.post(path, &[&fields[..], &[("do", "save")]].concat()).await;
        assert_eq!(saved.status, StatusCode::SEE_OTHER, "{}", saved.text);
        assert_eq!(saved.to, format!("{path}&saved={lang}"));
        assert_eq!(self.get(&saved.to).await.status, StatusCode::OK);
    }

    async fn kept(&self, on: &str, lang: Lang) -> Option<String> {
        let data = self.store.study(&SLUG.into()).await.unwrap().data;
        data.notes(&Target::parse(on).unwrap()).unwrap().own(lang).map(str::to_owned)
    }
}

impl Page {
    /// What is in a field of the page's form, and its hidden companions.
    fn field(&self, name: &str) -> Option<String> {
        if let Some((_, rest)) = self.text.split_once(&format!("id=\"{name}\" name=\"{name}\" rows")) {
            let (_, inside) = rest.split_once('>')?;
            return Some(unescape(inside.split_once("</textarea>")?.0));
        }
        let (_, rest) = self.text.split_once(&format!("name=\"{name}\" value=\""))?;
        Some(unescape(rest.split_once('"')?.0))
    }

    /// The form as the page has it, with one language filled in.
    fn filled(&self, lang: &str, text: &str) -> Vec<(String, String)> {
        let names = ["text", "base", "folder", "restored"];
        let all = names.iter().flat_map(|name| ["ja", "en"].map(|code| format!("{name}-{code}")));
        let all = all.filter_map(|name| {
            let value = if name == format!("text-{lang}") { text.to_owned() } else { self.field(&name)? };
            Some((name, value))
        });
        all.collect()
    }
}

fn folder(edit: impl Fn(&str) -> String) -> StudyFolder {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("demo").join(SLUG);
    let manifest = edit(&fs::read_to_string(dir.join(MANIFEST)).unwrap());
    load(&manifest, |file| fs::read(dir.join(file)).map_err(|error| error.to_string())).unwrap()
}

fn escape(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

fn unescape(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#x27;", "'").replace("&amp;", "&")
}

#[tokio::test]
async fn a_note_is_written_seen_in_the_report_and_on_its_run() {
    let browser = Browser::new().await;
    let run = browser.store.study(&SLUG.into()).await.unwrap().data.runs[1].id.to_string();
    let on_run = format!("/en/studies/{SLUG}/notes?on=run%3A{run}");
    browser.write(STEP, "ja", "# 量子化\r\n\r\n**FP8**は速い。\r\n").await;
    browser.write("/en/studies/qwen3-14b-h100/notes?on=variant%3Afp8", "en", "On *FP8*.").await;
    browser.write(&on_run, "en", "Driver 570.").await;
    browser.write(STUDY, "en", "- one\n- two").await;
    assert_eq!(browser.kept("step:quantization", Lang::Ja).await.as_deref(), Some("# 量子化\n\n**FP8**は速い。"));
    let report = browser.get("/en/studies/qwen3-14b-h100").await.text;
    for html in [
        "<h4>量子化</h4>",
        "<strong>FP8</strong>は速い。",
        "<p>On <em>FP8</em>.</p>",
        "<p>Driver 570.</p>",
        "<li>one</li>",
    ] {
        assert_eq!(report.matches(html).count(), 1, "{html}");
    }
    assert!(report.contains("This note is written in Japanese only.") && report.contains("lang=\"ja\""));
    let page = browser.get(&format!("/ja/runs/{run}")).await.text;
    assert!(page.contains("<p>Driver 570.</p>") && page.contains("このメモは英語だけで書かれています。"));

    // The overview says what is missing where.
    let overview = browser.get("/en/studies/qwen3-14b-h100/notes").await.text;
    assert!(overview.contains("4 notes; missing in Japanese: 3, missing in English: 1"), "{overview}");
    let overview = browser.get("/ja/studies/qwen3-14b-h100/notes").await.text;
    assert!(overview.contains("メモ4件（日本語が未記入3件、英語が未記入1件）"), "{overview}");
    let editor = browser.get(STEP).await.text;
    assert!(editor.contains("Missing in English: there is a note in Japanese."), "{editor}");
}

#[tokio::test]
async fn markup_and_links_of_an_author_harm_nobody() {
    let browser = Browser::new().await;
    let evil =
        "<script>alert(1)</script>\n\n[x](javascript:alert(1)) ![y](https://evil.example/p.png) </textarea><b>z</b>";
    let preview = browser.post(STUDY, &[("text-en", evil), ("do", "preview")]).await;
    browser.write(STUDY, "en", evil).await;
    for page in [preview, browser.get(STUDY).await, browser.get("/en/studies/qwen3-14b-h100").await] {
        assert_eq!(page.status, StatusCode::OK);
        assert!(page.text.contains("<p>&lt;script&gt;alert(1)&lt;/script&gt;"), "{}", page.text);
        for bad in ["<script>alert", "href=\"javascript", "<img", "</textarea><b>"] {
            assert!(!page.text.contains(bad), "{bad}");
        }
        assert!(
            page.text.contains("<a href=\"https://evil.example/p.png\" rel=\"nofollow noopener noreferrer\">y</a>")
        );
    }
    assert_eq!(browser.get(STUDY).await.field("text-en").as_deref(), Some(evil));

    // Names that people gave stay names.
    let named = "name = { ja = \"量子化\", en = \"Quantization\" }";
    browser.import(|manifest| manifest.replacen(named, "name = \"a|b<script>\"", 1)).await;
    for path in [
        STEP,
        "/en/studies/qwen3-14b-h100/notes",
        "/ja/studies/qwen3-14b-h100/notes/history?on=step%3Aquantization&in=en",
    ] {
        let page = browser.get(path).await;
        assert!(page.text.contains("a|b&lt;script&gt;") && !page.text.contains("a|b<script>"), "{path}");
    }
}

#[tokio::test]
async fn a_preview_stores_nothing_and_keeps_the_text() {
    let browser = Browser::new().await;
    let fields = [("text-ja", "# 見出し\n\n本文"), ("text-en", "Text"), ("base-ja", "0"), ("do", "preview")];
    let page = browser.post(STEP, &fields).await;
    assert_eq!(page.status, StatusCode::OK);
    assert_eq!(page.field("text-ja").as_deref(), Some("# 見出し\n\n本文"));
    assert!(page.text.contains("<h4>見出し</h4>") && page.text.contains("<p>Text</p>"), "{}", page.text);
    assert!(page.text.contains(
        "The two languages differ: Japanese has 1 heading, 1 paragraph; English has 0 headings, 1 paragraph."
    ));
    assert!(page.text.contains("Nothing is saved yet."));
    assert_eq!(browser.kept("step:quantization", Lang::Ja).await, None);
    assert_eq!(
        browser.store.note_revisions(&SLUG.into(), &Target::Step("quantization".into()), Lang::Ja).await.unwrap(),
        []
    );
}

#[tokio::test]
async fn two_people_at_one_note_lose_nothing() {
    let browser = Browser::new().await;
    let opened = browser.get(STUDY).await;
    browser.write(STUDY, "en", "common\ntheirs").await;
    let mine = opened.filled("en", "common\nmine <b>");
    let mine: Vec<_> = mine.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let save = [("do", "save")];
    let page = browser.post(STUDY, &[&mine[..], &save].concat()).await;
    assert_eq!(page.status, StatusCode::CONFLICT);
    assert_eq!(page.field("text-en").as_deref(), Some("common\nmine <b>"));
    assert!(page.text.contains("Somebody else saved the note in English while you were writing."), "{}", page.text);
    assert!(page.text.contains("common\ntheirs</pre>"), "both texts are there");
    for line in ["removed </span><span lang=\"en\">theirs", "added </span><span lang=\"en\">mine &lt;b&gt;"] {
        assert!(page.text.contains(line), "{line}: {}", page.text);
    }
    assert_eq!(browser.kept("study", Lang::En).await.as_deref(), Some("common\ntheirs"));

    // A preview in between does not forget it; saving then is meant.
    let again = page.filled("en", "common\nboth");
    let again: Vec<_> = again.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let seen = browser.post(STUDY, &[&again[..], &[("do", "preview")]].concat()).await;
    assert_eq!((seen.status, seen.field("base-en").as_deref()), (StatusCode::OK, Some("1")));
    assert_eq!(browser.post(STUDY, &[&again[..], &save].concat()).await.status, StatusCode::SEE_OTHER);
    assert_eq!(browser.kept("study", Lang::En).await.as_deref(), Some("common\nboth"));
    let history = browser.get("/en/studies/qwen3-14b-h100/notes/history?on=study&in=en").await.text;
    assert!(
        history.contains("Revision 2") && history.contains("Revision 1") && history.contains("this machine"),
        "{history}"
    );
    let compared = browser.get("/en/studies/qwen3-14b-h100/notes/history?on=study&in=en&from=2&to=1").await.text;
    assert!(compared.contains("added </span><span lang=\"en\">theirs"), "{compared}");
}

#[tokio::test]
async fn what_does_not_exist_is_not_found_and_a_text_is_kept_all_the_same() {
    let browser = Browser::new().await;
    for path in [
        "/en/studies/none/notes",
        "/en/studies/none/notes?on=study",
        "/en/studies/qwen3-14b-h100/notes?on=step%3Anone",
        "/en/studies/qwen3-14b-h100/notes?on=nonsense",
        "/en/studies/qwen3-14b-h100/notes?on=run%3A00000000000000000000",
        "/en/studies/qwen3-14b-h100/notes/history",
        "/en/studies/qwen3-14b-h100/notes/history?on=variant%3Anone&in=ja",
        "/en/studies/qwen3-14b-h100/notes?on=study&restore=en.7",
    ] {
        assert_eq!(browser.get(path).await.status, StatusCode::NOT_FOUND, "{path}");
    }
    let gone = browser
        .post("/en/studies/qwen3-14b-h100/notes?on=step%3Anone", &[("text-en", "long work"), ("do", "save")])
        .await;
    assert_eq!(gone.status, StatusCode::NOT_FOUND);
    assert_eq!(gone.field("text-en").as_deref(), Some("long work"));
    assert!(gone.text.contains("The study does not have what this note is on"), "{}", gone.text);
}

#[tokio::test]
async fn a_note_has_a_limit_that_is_said() {
    let browser = Browser::new().await;
    let longest = "x".repeat(MAX_NOTE);
    browser.write(STUDY, "en", &longest).await;
    let over = format!("{longest}y");
    let page = browser.post(STUDY, &[("text-en", &over), ("base-en", "1"), ("do", "save")]).await;
    assert_eq!(page.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert!(page.text.contains("The note in English has 262,145 bytes; at most 262,144 (256 KiB) can be kept."));
    assert_eq!(page.field("text-en"), Some(over));
    assert_eq!(browser.kept("study", Lang::En).await, Some(longest));
    // Characters of three bytes are counted as what they are.
    let page = browser
        .post(&STUDY.replace("/en/", "/ja/"), &[("text-ja", &"あ".repeat(MAX_NOTE / 3 + 1)), ("do", "save")])
        .await;
    assert!(page.text.contains("日本語のメモが262,146バイトあります。"), "{}", page.status);
    // A form that nobody can have typed.
    let page = browser.post(STUDY, &[("text-en", &"x".repeat(MAX_FORM / 3 + 1)), ("do", "save")]).await;
    assert_eq!(page.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert!(page.text.contains("far too long"), "{}", page.text);
}

#[tokio::test]
async fn only_who_may_write_writes() {
    let browser = Browser::new().await;
    let form = [("text-en", "mine"), ("do", "save")];
    let page = browser.post_from("https://evil.example", STUDY, &form).await;
    assert_eq!((page.status, page.field("text-en").as_deref()), (StatusCode::FORBIDDEN, Some("mine")));
    assert_eq!(
        browser.post_from("https://evil.example", STUDY, &[("text-en", "mine")]).await.status,
        StatusCode::FORBIDDEN
    );
    assert!(!browser.get(STUDY).await.text.contains("id=\"token\""), "nobody has made a token");

    let made = async |name: &str, scope| {
        let (secret, token) = token::make(name, scope, None, now_ms()).unwrap();
        browser.store.create_token(&token).await.unwrap();
        secret
    };
    let (alice, reader) = (made("alice", Scope::Upload).await, made("reader", Scope::Read).await);
    assert!(browser.get(STUDY).await.text.contains("id=\"token\""));
    for (token, status, says) in [
        ("", 401, "A token is needed."),
        ("tst_nonsense", 401, "The token is not known"),
        (reader.as_str(), 403, "This token may not write."),
    ] {
        let page = browser.post(STUDY, &[("text-en", "mine"), ("do", "save"), ("token", token)]).await;
        assert_eq!((page.status.as_u16(), page.field("text-en").as_deref()), (status, Some("mine")));
        assert!(page.text.contains(says), "{says}: {}", page.text);
        assert!(token.is_empty() || !page.text.contains(token), "a token is not shown again");
    }
    let page = browser.post(STUDY, &[("text-en", "mine"), ("do", "save"), ("token", &alice)]).await;
    assert_eq!(page.status, StatusCode::SEE_OTHER, "{}", page.text);
    let history = browser.get("/en/studies/qwen3-14b-h100/notes/history?on=study&in=en").await.text;
    assert!(history.contains("alice"), "{history}");
}

#[tokio::test]
async fn an_older_text_comes_back_as_a_new_revision_and_so_does_one_that_was_taken_away() {
    let browser = Browser::new().await;
    for text in ["one", "two", ""] {
        browser.write(STUDY, "en", text).await;
    }
    assert_eq!(browser.kept("study", Lang::En).await, None);
    let form = browser.get(&format!("{STUDY}&restore=en.1")).await;
    assert_eq!(form.field("text-en").as_deref(), Some("one"));
    assert!(form.text.contains("Revision 1 in English is in the form."), "{}", form.text);
    let fields = form.filled("en", "one");
    let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(browser.post(STUDY, &[&fields[..], &[("do", "save")]].concat()).await.status, StatusCode::SEE_OTHER);
    assert_eq!(browser.kept("study", Lang::En).await.as_deref(), Some("one"));
    let history = browser.get("/ja/studies/qwen3-14b-h100/notes/history?on=study&in=en").await.text;
    assert!(history.contains("リビジョン4") && history.contains("リビジョン1から復元"), "{history}");
}

#[tokio::test]
async fn what_left_the_study_keeps_its_note_and_a_folder_that_moved_is_shown() {
    let browser = Browser::new().await;
    let run = browser.store.study(&SLUG.into()).await.unwrap().data.runs.last().unwrap().id.to_string();
    let on_run = format!("/en/studies/{SLUG}/notes?on=run%3A{run}");
    browser.write(&on_run, "en", "the last run").await;
    browser.write(STUDY, "ja", "ここで書いた").await;
    browser
        .import(|manifest| {
            let (before, _) = manifest.rsplit_once("[[runs]]").unwrap();
            before.replacen("[model]", "[notes]\nja = \"フォルダーの新しいメモ\"\n\n[model]", 1)
        })
        .await;
    let overview = browser.get("/en/studies/qwen3-14b-h100/notes").await.text;
    let orphans = overview.split("id=\"kind-orphans\"").nth(1).expect("orphans are listed");
    assert!(orphans.contains(&run) && orphans.contains("15-random-128-optimized.txt"), "{orphans}");
    let orphan = browser.get(&on_run).await;
    assert_eq!(orphan.field("text-en").as_deref(), Some("the last run"));
    assert!(orphan.text.contains("The study no longer has what this note is on."));
    browser.write(&on_run, "en", "still editable").await;

    let editor = browser.get(STUDY).await;
    assert_eq!(editor.field("text-ja").as_deref(), Some("ここで書いた"));
    assert!(editor.text.contains("The note in the study folder has changed"), "{}", editor.text);
    assert!(editor.text.contains("フォルダーの新しいメモ</pre>"));
    assert!(
        browser.get("/ja/studies/qwen3-14b-h100").await.text.contains("ここで書いた"),
        "what was written here is shown"
    );
    let taken = browser.get(&format!("{STUDY}&take=ja")).await;
    assert_eq!(taken.field("text-ja").as_deref(), Some("フォルダーの新しいメモ"));
    browser.write(STUDY, "ja", "フォルダーの新しいメモ").await;
    assert!(!browser.get(STUDY).await.text.contains("The note in the study folder has changed"));
}

#[tokio::test]
async fn secrets_are_masked_before_they_are_kept() {
    let browser = Browser::new().await;
    let secret = "Authorization: Bearer hunter22hunter22hunter22";
    let page = browser.post(STUDY, &[("text-en", secret), ("do", "save")]).await;
    assert_eq!(page.to, format!("{STUDY}&saved=en&masked"));
    assert!(browser.get(&page.to).await.text.contains("What looked like a secret was masked."));
    assert!(!browser.kept("study", Lang::En).await.unwrap().contains("hunter22"));
    let page = browser.post(STUDY, &[("text-en", secret), ("do", "preview")]).await;
    assert!(!page.text.contains("hunter22"), "{}", page.text);
}
