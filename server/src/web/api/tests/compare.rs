//! Comparisons through the router: as JSON, as a page, and what both say of a choice that cannot be shown.

use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use http_body_util::BodyExt as _;
use serde_json::Value;
use tower::ServiceExt as _;

use super::{Answer, Desk, serve_document};
use crate::cmd::import::now_ms;

const OF: &str = "of=qwen3.5-9b-h100:vllm:sharegpt&of=qwen3.5-9b-h100:perf-seqs-512:sharegpt";

async fn desk() -> Desk {
    let desk = Desk::new().await;
    for seed in ["qwen3-14b-h100", "qwen3.5-9b-h100"] {
        let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("demo").join(seed);
        let mut read = crate::folder::read(&dir).unwrap();
        desk.store.import_packed(&read.folder, &mut read.raw, now_ms()).await.unwrap();
    }
    desk
}

async fn json(desk: &Desk, query: &str) -> Answer {
    let request = Request::get(format!("/api/v1/compare?{query}"))
        .header(header::AUTHORIZATION, format!("Bearer {}", desk.token))
        .body(Body::empty());
    desk.answer(request.unwrap()).await
}

async fn page(desk: &Desk, path: &str) -> (StatusCode, String) {
    let response = desk.router.clone().oneshot(Request::get(path).body(Body::empty()).unwrap()).await.unwrap();
    let status = response.status();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_api_gives_what_its_document_says() {
    let desk = desk().await;
    let document = serve_document(&desk).await;
    let operation = &document["paths"]["/api/v1/compare"]["get"];
    let names: Vec<&str> =
        operation["parameters"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["of", "base"]);
    let answer = json(&desk, &format!("{OF}&base=qwen3.5-9b-h100:perf-seqs-512:sharegpt&of=run:gone")).await;
    assert_eq!((answer.status, answer.kind.as_str()), (StatusCode::OK, "application/json"));
    let facts = &answer.body;
    assert_eq!((&facts["base"], facts["columns"].as_array().unwrap().len()), (&1.into(), 2));
    assert_eq!((&facts["missing"][0]["subject"], &facts["missing"][0]["why"]), (&"run:gone".into(), &"run".into()));
    let total = &facts["metrics"][0];
    assert_eq!((&total["metric"], &total["basis"]), (&"total_token_throughput".into(), &"recomputed".into()));
    assert_eq!(total["cells"][1]["change"], Value::Null, "the base is not held against itself");
    assert_eq!(total["cells"][0]["change"]["verdict"], "within_noise");

    let schema = &operation["responses"]["400"]["content"]["application/problem+json"]["schema"];
    let schema = serde_json::json!({ "$ref": schema["$ref"], "components": document["components"] });
    let problems = jsonschema::validator_for(&schema).unwrap();
    let many: String = (0..51).map(|at| format!("of=s:v{at}:p&")).collect();
    for query in ["", "of=what", many.as_str()] {
        let answer = json(&desk, query).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{query}: {answer:?}");
        assert!(problems.is_valid(&answer.body) && answer.body["path"] == "of", "{answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_is_its_address_and_names_what_it_cannot_show() {
    let desk = desk().await;
    for (lang, title, base, only) in [
        ("en", "Compare 2 variants", "make this the baseline", "Only parameters that differ"),
        ("ja", "構成2件の比較", "基準にする", "差のあるパラメーターだけ"),
    ] {
        let (status, html) = page(&desk, &format!("/{lang}/compare?{OF}")).await;
        assert_eq!(status, StatusCode::OK);
        for words in [title, base, only, "11,389.66", "11,605.92", "+1.90%", "--max-num-seqs"] {
            assert!(html.contains(words), "{lang}: {words}");
        }
        assert!(!html.contains("<code>--reasoning-parser</code>"), "{lang}: the same in both");
        let (_, all) = page(&desk, &format!("/{lang}/compare?{OF}&params=all")).await;
        assert!(all.contains("<code>--reasoning-parser</code>"), "{lang}");
        // The other language is the same view.
        let other = if lang == "en" { "ja" } else { "en" };
        assert!(html.contains(&format!("/{other}/compare?{}", OF.replace('&', "&amp;"))), "{lang}");
    }
    let (status, html) = page(&desk, &format!("/en/compare?{OF}&of=run:gone&of=%3Cscript%3E&of=gone:a:b")).await;
    assert_eq!(status, StatusCode::OK, "the rest is shown");
    assert!(html.contains("11,389.66") && html.contains("<code>run:gone</code>"));
    assert!(html.contains("&lt;script&gt;") && !html.contains("<script>") && html.contains("<code>gone:a:b</code>"));
    for (query, expected) in [("of=run:gone", 404), ("of=what", 400), ("", 200), (&*format!("{OF}&choose"), 200)] {
        let (status, html) = page(&desk, &format!("/en/compare?{query}")).await;
        assert_eq!(status.as_u16(), expected, "{query}");
        let ticked = html.matches(" checked").count();
        assert!(
            html.contains("type=\"radio\" name=\"base\"") && ticked == if query.contains("choose") { 3 } else { 0 }
        );
    }
    let (_, report) = page(&desk, "/en/studies/qwen3.5-9b-h100").await;
    assert!(
        report.contains("/en/compare?of=qwen3.5-9b-h100:vllm:sharegpt&amp;of=qwen3.5-9b-h100:perf-seqs-512:sharegpt")
    );
}
