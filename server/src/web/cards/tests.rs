//! Cards, embeds and badges as other sites ask for them.

use std::sync::Arc;

use app::visit::Site;
use axum::{body::Body, http::Request};
use http_body_util::BodyExt as _;
use store::{Location, Store};
use tempfile::TempDir;
use tower::ServiceExt as _;

use super::*;

const SLUG: &str = "qwen3.5-9b-h100";

struct Desk {
    _dir: TempDir,
    router: Router,
}

struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Answer {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }
}

impl Desk {
    async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&Location::DataDir(dir.path().to_owned())).await.unwrap();
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("demo").join(SLUG);
        let crate::folder::Folder { folder, mut raw } = crate::folder::read(&folder).unwrap();
        store.import_packed(&folder, &mut raw, 1_790_000_000_000).await.unwrap();
        let spool: Arc<std::path::Path> = dir.path().join("spool").into();
        std::fs::create_dir_all(&spool).unwrap();
        let site = Site { assets: "".into(), origin: None, store };
        Self { router: crate::web::router(site, spool, true), _dir: dir }
    }

    async fn get(&self, path: &str) -> Answer {
        self.get_with(path, "x-nothing", "").await
    }

    async fn get_with(&self, path: &str, name: &str, value: &str) -> Answer {
        let request = Request::get(path).header(header::HOST, "bench.example:3000").header(name, value);
        let answer = self.router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        let (parts, body) = answer.into_parts();
        let body = body.collect().await.unwrap().to_bytes().to_vec();
        Answer { status: parts.status, headers: parts.headers, body }
    }
}

#[tokio::test]
async fn the_social_card_is_a_picture_that_is_asked_for_once() {
    let desk = Desk::new().await;
    for lang in ["ja", "en"] {
        let path = format!("/{lang}/studies/{SLUG}/card.png");
        let card = desk.get(&path).await;
        assert_eq!((card.status, card.header("content-type")), (StatusCode::OK, "image/png"));
        assert_eq!(&card.body[..8], b"\x89PNG\r\n\x1a\n");
        // Width and height stand at the start of every PNG.
        let size = |at: usize| u32::from_be_bytes(card.body[at..at + 4].try_into().unwrap());
        assert_eq!((size(16), size(20)), (1200, 630));
        assert_eq!(card.header("cache-control"), "public, max-age=300");
        assert_eq!(card.header("cross-origin-resource-policy"), "cross-origin");
        assert_eq!(card.header("content-encoding"), "", "a picture is compressed already");
        let tag = card.header("etag");
        let again = desk.get_with(&path, "if-none-match", &format!("\"other\", {tag}")).await;
        assert_eq!((again.status, again.body.len(), again.header("etag")), (StatusCode::NOT_MODIFIED, 0, tag));
        assert_eq!(desk.get_with(&path, "if-none-match", "\"other\"").await.status, StatusCode::OK);
    }
    for path in ["/en/studies/none/card.png", &format!("/fr/studies/{SLUG}/card.png"), "/en/studies/%00/card.png"] {
        assert_eq!(desk.get(path).await.status, StatusCode::NOT_FOUND, "{path}");
    }
}

#[tokio::test]
async fn an_embedded_card_may_be_framed_and_runs_nothing() {
    let desk = Desk::new().await;
    let card = desk.get(&format!("/en/embed/{SLUG}/card")).await;
    assert_eq!((card.status, card.header("content-type")), (StatusCode::OK, "text/html; charset=utf-8"));
    let policy = card.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
    assert!(policy.ends_with("; frame-ancestors *") && !policy.contains("unsafe"), "{policy}");
    assert!(card.headers.get("x-frame-options").is_none());
    let text = card.text();
    assert!(
        text.contains(&format!(
            "href=\"http://bench.example:3000/en/studies/{SLUG}\" target=\"_blank\" rel=\"noopener\""
        ))
    );
    assert!(!text.contains("<script") && text.contains("<html lang=\"en\">"), "{text}");
    let style = text.split_once("<style>").unwrap().1.split_once("</style>").unwrap().0;
    assert!(policy.contains(&STANDARD.encode(Sha256::digest(style))), "the policy names the style that is there");
    let dark = desk.get(&format!("/ja/embed/{SLUG}/card?theme=dark")).await;
    assert!(dark.text().contains("<html lang=\"ja\" data-theme=\"dark\">"));
    let odd = desk.get(&format!("/ja/embed/{SLUG}/card?theme=%22%3E%3Cscript%3E")).await;
    assert!(!odd.text().contains("<script") && odd.text().contains("<html lang=\"ja\">"));
    let tag = card.header("etag");
    let again = desk.get_with(&format!("/en/embed/{SLUG}/card"), "if-none-match", tag).await;
    assert_eq!(again.status, StatusCode::NOT_MODIFIED);
    assert_eq!(
        again.header("content-security-policy"),
        policy,
        "a cached page is framed by the policy of the last answer"
    );
}

#[tokio::test]
async fn embedded_charts_are_pictures_for_every_site() {
    let desk = Desk::new().await;
    for chart in Chart::ALL {
        let answer = desk.get(&format!("/ja/embed/{SLUG}/{}.svg", chart.name())).await;
        assert_eq!((answer.status, answer.header("content-type")), (StatusCode::OK, SVG));
        assert_eq!(answer.header("access-control-allow-origin"), "*");
        assert_eq!(answer.header("cross-origin-resource-policy"), "cross-origin");
        assert_eq!(answer.header("cache-control"), "no-cache");
        assert!(answer.header("content-security-policy").contains("style-src 'sha256-"));
        assert!(answer.text().starts_with("<svg xmlns=") && !answer.text().contains("<script"));
        assert!(answer.text().contains("prefers-color-scheme"));
        let dark = desk.get(&format!("/ja/embed/{SLUG}/{}.svg?theme=dark", chart.name())).await;
        assert!(!dark.text().contains("prefers-color-scheme") && dark.header("etag") != answer.header("etag"));
    }
    for path in ["none.svg", "profiles", "profiles.png", ".svg", "..%2Fcard"] {
        assert_eq!(desk.get(&format!("/ja/embed/{SLUG}/{path}")).await.status, StatusCode::NOT_FOUND, "{path}");
    }
    assert_eq!(desk.get("/ja/embed/none/profiles.svg").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_badge_is_a_picture_even_where_there_is_no_study() {
    let desk = Desk::new().await;
    let badge = desk.get(&format!("/badge/{SLUG}.svg")).await;
    assert_eq!((badge.status, badge.header("content-type")), (StatusCode::OK, SVG));
    assert_eq!(badge.header("cache-control"), "no-cache");
    assert!(
        badge.text().contains("<title id=\"t\">Touchstone: +1.90% recomputed, within noise</title>"),
        "{}",
        badge.text()
    );
    let ja = desk.get(&format!("/badge/{SLUG}.svg?lang=ja")).await;
    assert!(ja.text().contains("lang=\"ja\"") && ja.text().contains("ゆらぎの範囲"), "{}", ja.text());
    let tag = badge.header("etag");
    let again = desk.get_with(&format!("/badge/{SLUG}.svg"), "if-none-match", tag).await;
    assert_eq!((again.status, again.header("cache-control")), (StatusCode::NOT_MODIFIED, "no-cache"));
    let none = desk.get("/badge/none.svg").await;
    assert_eq!((none.status, none.header("content-type")), (StatusCode::NOT_FOUND, SVG));
    assert!(none.text().contains("not found") && none.header("cache-control") == "no-cache");
    assert_eq!(desk.get(&format!("/badge/{SLUG}")).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn the_report_names_its_card_and_refuses_to_be_framed() {
    let desk = Desk::new().await;
    // The first page may not know yet whether there are fonts; the card does.
    desk.get(&format!("/en/studies/{SLUG}/card.png")).await;
    for (lang, locale, other) in [("en", "en_US", "ja_JP"), ("ja", "ja_JP", "en_US")] {
        let page = desk.get(&format!("/{lang}/studies/{SLUG}")).await;
        let text = page.text();
        let image = format!("http://bench.example:3000/{lang}/studies/{SLUG}/card.png?v=");
        for (name, content) in [
            ("property=\"og:image\"", image.as_str()),
            ("property=\"og:image:width\"", "1200\""),
            ("property=\"og:locale\"", locale),
            ("property=\"og:locale:alternate\"", other),
            ("property=\"og:type\"", "article\""),
            ("name=\"twitter:card\"", "summary_large_image\""),
            ("name=\"twitter:image\"", image.as_str()),
            ("property=\"og:title\"", "Qwen3.5-9B"),
            ("property=\"og:description\"", "1.90%"),
        ] {
            let tags = text.split("<meta ").map(|tag| tag.split('>').next().unwrap_or_default());
            let found = tags.filter(|tag| tag.contains(name)).collect::<Vec<_>>();
            assert!(
                found.len() == 1 && found[0].contains(&format!("content=\"{content}")) || found[0].contains(content),
                "{name}: {found:?}"
            );
        }
        assert!(page.header("content-security-policy").contains("frame-ancestors 'none'"));
        // The address that the page names answers.
        let at = text.split_once(&image).unwrap().1.split('"').next().unwrap();
        let path = format!("/{lang}/studies/{SLUG}/card.png?v={at}");
        assert_eq!(desk.get(&path).await.status, StatusCode::OK);
    }
    let home = desk.get("/en/").await;
    assert!(!home.text().contains("og:image") && home.text().contains("og:title"));
    let embed = desk.get(&format!("/en/studies/{SLUG}/embed")).await;
    assert_eq!(embed.status, StatusCode::OK);
    assert!(embed.header("content-security-policy").contains("frame-ancestors 'none'"));
}
