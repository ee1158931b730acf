//! Runs of an older version get their requests.

use std::path::Path;
use std::sync::Arc;

use domain::parse::parse;
use domain::upload::Envelope;
use serde_json::{Value, json};
use store::{Location, Packed, Store, Upload, UploadedFile};

use super::study;

const WORKS: &str = "fixtures are read and stored";

fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/domain/tests/fixtures/sglang");
    std::fs::read_to_string(folder.join(name)).expect(WORKS)
}

/// Stores the runs of a text as a version did that did not keep requests.
async fn send(store: &Store, profile: &str, text: &str) {
    let sent = json!({ "study": "s", "variant": { "engine": "sglang", "model": "m" }, "profile": profile });
    let envelope: Envelope = serde_json::from_value(sent).expect(WORKS);
    let id = format!("{profile}{}", text.len());
    let upload = Upload { id, envelope, token: None, document: "{}".into(), started_at: None };
    let raw = Packed::pack(&mut text.as_bytes(), &std::env::temp_dir()).expect(WORKS);
    let mut runs = parse(text.as_bytes()).expect(WORKS).runs;
    runs.iter_mut().for_each(|run| run.requests = None);
    let file = UploadedFile { name: "run.txt".into(), raw, runs, answers: None };
    store.upload(&Arc::new(upload), file, 1).await.expect(WORKS);
}

#[tokio::test]
async fn runs_of_an_older_version_get_their_requests_from_whichever_form_lists_them() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(&Location::DataDir(dir.path().to_owned())).await.unwrap();
    let (console, details) = (fixture("v0.5.9-console.log"), fixture("v0.5.9-output-details.jsonl"));
    for (profile, forms) in [("a", [&console, &details]), ("b", [&details, &console])] {
        for form in forms {
            send(&store, profile, form).await;
        }
    }
    let slug = "s".into();
    for dry_run in [true, false] {
        let outcome = study(&store, &slug, dry_run).await.unwrap();
        assert_eq!((outcome.changed.len(), outcome.unchanged, outcome.unread), (2, 0, 0));
        for changed in &outcome.changed {
            let changes: Vec<_> = changed.changes.iter().map(|one| (one.figure.as_str(), &one.was, &one.now)).collect();
            assert_eq!(changes, [("requests", &Value::Null, &json!(24))]);
        }
    }
    let runs = store.study(&slug).await.unwrap().data.runs;
    assert!(runs.iter().all(|run| run.measurement.requests.as_ref().is_some_and(|all| all.count() == 24)));
    let again = study(&store, &slug, false).await.unwrap();
    assert_eq!((again.changed.len(), again.unchanged), (0, 2), "requests of another form are not lost again");
}
