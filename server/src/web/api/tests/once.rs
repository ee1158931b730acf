//! What is stored, once, in whatever form it is sent; and the answer to it.

use std::io::Write as _;

use domain::digest::Digest;
use flate2::{Compression, write::GzEncoder};

use super::*;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_form_of_an_upload_gives_the_same_answer() {
    let desk = Desk::new().await;
    let sent = envelope(json!({}));
    let with_files = envelope(json!({ "files": [file("a.txt", &block(1))] }));
    let first = desk.json(&with_files).await;
    assert_eq!(first.status, StatusCode::OK, "{first:?}");
    assert_eq!(first.body["accepted"], 1);
    let id = first.body["runs"][0]["id"].as_str().unwrap();
    assert_eq!(first.body["runs"][0]["url"], format!("/en/runs/{id}"));
    assert_eq!((&first.body["study"], &first.body["warnings"]), (&json!("llama"), &json!([])));

    let (sent, text) = (sent.to_string(), block(1));
    let (sent, text) = (sent.as_bytes(), text.as_bytes());
    let json_type = ("content-type", "application/json");
    let parts_type = ("content-type", "multipart/form-data; boundary=cut");
    let body = multipart(&[("envelope", "", sent), ("file", "a.txt", text)]);
    let in_base64 = json!([{
        "name": "a.txt",
        "content_base64": base64::Engine::encode(&base64::engine::general_purpose::STANDARD, text),
    }]);
    let again = [
        desk.parts(&[("envelope", "", sent), ("file", "a.txt", text)]).await,
        desk.parts(&[("envelope", "", sent), ("file", "a.txt.gz", &gzip(text))]).await,
        desk.parts(&[("envelope", "", sent), ("file", "a.txt.zst", &zstd::encode_all(text, 3).unwrap())]).await,
        desk.json(&envelope(json!({ "files": in_base64 }))).await,
        desk.send(&[json_type, ("content-encoding", "gzip")], gzip(with_files.to_string().as_bytes())).await,
        desk.send(&[parts_type, ("content-encoding", "zstd")], zstd::encode_all(&*body, 3).unwrap()).await,
    ];
    for again in again {
        assert_eq!(again, first);
    }
    let (_, run) = desk.store.run(&domain::id::RunId::new(id)).await.unwrap();
    assert_eq!(desk.store.raw(&run.digest).await.unwrap(), text);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_upload_ten_times_at_once_gives_one_set_of_runs_and_one_answer() {
    let desk = Arc::new(Desk::new().await);
    let files: Vec<_> =
        (0..5).map(|at| file(&format!("{at}.txt"), &format!("{}\n{}", block(at), block(at + 50)))).collect();
    let sent = Arc::new(envelope(json!({ "step": "seqs", "files": files })));
    let sending = (0..10).map(|_| {
        let (desk, sent) = (Arc::clone(&desk), Arc::clone(&sent));
        tokio::spawn(async move { desk.json(&sent).await })
    });
    let mut answers = Vec::new();
    for sending in sending.collect::<Vec<_>>() {
        answers.push(sending.await.unwrap());
    }
    assert_eq!(answers[0].status, StatusCode::OK, "{:?}", answers[0]);
    assert_eq!(answers[0].body["accepted"], 10);
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    assert_eq!(desk.store.study(&"llama".into()).await.unwrap().data.runs.len(), 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_be_read_is_stored_and_the_rest_is_answered_with_reasons() {
    let desk = Desk::new().await;
    let files = [file("good.txt", &block(1)), file("bad.txt", "connection refused\n"), file("again.txt", &block(1))];
    let answer = desk.json(&envelope(json!({ "files": files }))).await;
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    assert_eq!((&answer.body["accepted"], &answer.body["rejected"]), (&json!(1), &json!(1)));
    assert_eq!(answer.body["rejections"][0]["file"], "bad.txt");
    assert_eq!(answer.body["rejections"][0]["line"], 1);
    let warning = json!({ "file": "again.txt", "message": "result 1 came in this upload before" });
    assert_eq!(answer.body["warnings"], json!([warning]));
}

#[tokio::test(flavor = "multi_thread")]
async fn of_one_file_the_results_that_can_be_read_are_stored() {
    let desk = Desk::new().await;
    let bad = block(2).replace("Benchmark duration (s): ", "Benchmark duration (s): about ");
    let text = [block(1), bad, block(3)].concat();
    let sent = envelope(json!({ "files": [file("log.txt", &text)] }));
    let answer = desk.json(&sent).await;
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    assert_eq!((&answer.body["accepted"], &answer.body["rejected"]), (&json!(2), &json!(1)), "{answer:?}");
    let rejection = &answer.body["rejections"][0];
    assert_eq!((&rejection["file"], &rejection["path"]), (&json!("log.txt"), &json!("Benchmark duration (s)")));
    let line = block(1).lines().count() + 3;
    assert_eq!(rejection["line"], line, "{rejection}");
    let places: Vec<_> = answer.body["runs"].as_array().unwrap().iter().map(|run| run["index"].clone()).collect();
    assert_eq!(places, [0, 1], "places among what is read");
    assert_eq!(desk.json(&sent).await, answer, "the same again");
    assert_eq!(desk.store.study(&"llama".into()).await.unwrap().data.runs.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_measurement_as_json_and_console_text_is_one_run() {
    let desk = Desk::new().await;
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/domain/tests/fixtures/sglang");
    let console = std::fs::read_to_string(fixtures.join("v0.5.9-console.log")).unwrap();
    let details = std::fs::read_to_string(fixtures.join("v0.5.9-output-details.jsonl")).unwrap();
    let files = [file("details.jsonl", &details), file("console.log", &console)];
    let answer = desk.json(&envelope(json!({ "files": files }))).await;
    assert_eq!((&answer.body["accepted"], &answer.body["rejected"]), (&json!(1), &json!(0)), "{answer:?}");
    let warnings = answer.body["warnings"].to_string();
    assert!(warnings.contains("is the same measurement as one in \\\"details.jsonl\\\""), "{warnings}");
    for raw in [console, details] {
        assert_eq!(desk.store.raw(&Digest::of(raw.as_bytes())).await.unwrap(), raw.as_bytes());
    }
    assert_eq!(desk.json(&envelope(json!({ "files": files }))).await, answer);
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_are_masked_before_anything_is_stored_and_the_answer_says_where() {
    let desk = Desk::new().await;
    let secret = "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH";
    let log = format!("starting with --api-key {secret}\nHF_TOKEN={secret}\n{}", block(1));
    let variant = json!({
        "id": "v", "engine": "vLLM", "model": "m", "args": ["--api-key", secret], "env": { "HF_TOKEN": secret },
    });
    let commands = json!({ "serve": format!("HF_TOKEN={secret} vllm serve m") });
    let sent = envelope(json!({ "variant": variant, "commands": commands, "files": [file("a.log", &log)] }));
    let answer = desk.json(&sent).await;
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    assert!(!answer.body.to_string().contains(secret), "{answer:?}");
    let masked = answer.body["masked"].as_array().unwrap();
    assert_eq!(masked.iter().filter(|place| place["file"] == "a.log").count(), 2, "{masked:?}");
    for path in ["variant.args", "variant.env", "commands.serve"] {
        assert!(masked.iter().any(|place| place["path"] == path), "{path}: {masked:?}");
    }
    let study = desk.store.study(&"llama".into()).await.unwrap().data;
    assert!(!serde_json::to_string(&study).unwrap().contains(secret));
    let raw = desk.store.raw(&study.runs[0].digest).await.unwrap();
    assert!(!String::from_utf8(raw).unwrap().contains(secret));
    // Nowhere in the database's files, the upload's own row included.
    for name in ["touchstone.db", "touchstone.db-wal"] {
        let bytes = std::fs::read(desk.dir.path().join(name)).unwrap_or_default();
        assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_in_names_and_titles_are_masked_like_any_other() {
    let desk = Desk::new().await;
    let secret = "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH";
    let said = |text: &str| format!("{text} {secret}");
    let sent = envelope(json!({
        "study": { "slug": "llama", "title": { "ja": said("題"), "en": said("Title") } },
        "step": { "id": "t", "name": said("step") },
        "variant": { "id": "v", "name": said("name"), "engine": "vLLM", "model": "m" },
        "profile": { "id": "p", "name": said("load") },
        "start": said("start"),
        "files": [file(&said("a.txt"), &block(1)), file(&said("b.txt"), "no result")],
    }));
    let answer = desk.json(&sent).await;
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    assert!(!answer.body.to_string().contains(secret), "{answer:?}");
    let masked = answer.body["masked"].as_array().unwrap();
    for path in ["study.title.ja", "study.title.en", "step.name", "variant.name", "profile.name", "start", "name"] {
        assert!(masked.iter().any(|place| place["path"] == path), "{path}: {masked:?}");
    }
    assert!(answer.body["runs"][0]["file"].as_str().unwrap().starts_with("a.txt "), "{answer:?}");
    let study = desk.store.study(&"llama".into()).await.unwrap().data;
    assert!(!serde_json::to_string(&study).unwrap().contains(secret));
    for name in ["touchstone.db", "touchstone.db-wal"] {
        let bytes = std::fs::read(desk.dir.path().join(name)).unwrap_or_default();
        assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()), "{name}");
    }
    assert_eq!(desk.json(&sent).await, answer);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_study_has_its_pages_at_once() {
    let desk = Desk::new().await;
    let name = "| </title><script>alert(1)</script> & 🚀 試金石";
    let variant = json!({ "name": name, "engine": "vLLM", "model": "m" });
    let answer =
        desk.json(&envelope(json!({ "variant": variant, "step": name, "files": [file("a", &block(1))] }))).await;
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    let run = answer.body["runs"][0]["url"].as_str().unwrap().to_owned();
    for path in ["/en/", "/ja/studies/llama", "/en/studies/llama", &run] {
        let response = desk.router.clone().oneshot(Request::get(path).body(Body::empty()).unwrap()).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        let page = response.into_body().collect().await.unwrap().to_bytes();
        let page = String::from_utf8_lossy(&page);
        let found = page.find("<script>alert").map(|at| page[..at + 40].chars().rev().take(300).collect::<Vec<_>>());
        let found = found.map(|found| found.into_iter().rev().collect::<String>());
        assert_eq!(found, None, "{path}");
    }
}
