//! Uploads and tokens, told on SQLite and on PostgreSQL by the same words.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where it stopped")]

mod place;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use domain::digest::Digest;
use domain::parse::parse;
use domain::run::Measurement;
use domain::upload::Envelope;
use place::Place;
use serde_json::{Value, json};
use touchstone_store::{Packed, Scope, Store, StoreError, Stored, Token, Upload, UploadedFile};

/// 2026-11-30.
const NOW: i64 = 1_796_000_000_000;

macro_rules! on_both {
    ($($story:ident)*) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $story() {
                let place = super::Place::sqlite();
                super::$story(&place).await;
                place.close().await;
            })*
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $story() {
                let Some(place) = super::Place::postgres().await else { return };
                super::$story(&place).await;
                place.close().await;
            })*
        }
    };
}

on_both! {
    the_first_upload_makes_what_it_needs_and_the_next_adds_to_it
    the_same_upload_ten_times_at_once_is_stored_once
    twenty_agents_at_once_make_one_study_without_an_error
    uploads_at_once_share_transactions_but_fail_alone
    what_another_process_changed_is_seen_by_the_next_upload
    one_measurement_in_two_forms_is_one_run
    whichever_form_comes_first_a_run_has_its_requests
    each_result_of_a_file_is_found_in_its_other_form
    a_long_raw_output_is_kept_in_pieces_and_comes_back_whole
    a_variant_of_which_only_the_name_came_is_described_by_a_later_upload
    an_import_leaves_uploaded_runs_alone
    an_answer_is_kept_with_the_last_file_and_forgotten_when_runs_change
    a_token_opens_until_it_is_revoked_or_expires
}

async fn an_answer_is_kept_with_the_last_file_and_forgotten_when_runs_change(place: &Place) {
    let store = place.open().await;
    let envelope: Envelope = serde_json::from_value(json!({ "study": "s", "variant": "v", "profile": "p" })).unwrap();
    let upload = Upload { id: "u".into(), envelope, token: None, document: "{}".into(), started_at: None };
    let upload = Arc::new(upload);
    let mut digests = Vec::new();
    for (at, answers) in [(1, false), (2, true), (2, true)] {
        assert_eq!(store.answered("u").await.unwrap().is_some(), digests.len() == 2);
        let text = block(at);
        let raw = Packed::pack(&mut text.as_bytes(), &std::env::temp_dir()).unwrap();
        let runs = parse(text.as_bytes()).unwrap().runs;
        let digest = raw.digest.clone();
        let answers = answers.then(|| {
            let answers: touchstone_store::Answers = Arc::new(|stored: &Stored| format!("{} runs", stored.runs.len()));
            answers
        });
        store.upload(&upload, UploadedFile { name: "run.txt".into(), raw, runs, answers }, NOW).await.unwrap();
        digests.push(digest);
    }
    assert_eq!(store.answered("u").await.unwrap().as_deref(), Some("1 runs"));
    store.keep_answer("u", "another").await.unwrap();
    assert_eq!(store.answered("u").await.unwrap().as_deref(), Some("1 runs"), "the first answer stays");
    assert_eq!(store.answered("other").await.unwrap(), None);
    let read = std::collections::BTreeMap::from([(digests[0].clone(), Vec::new())]);
    store.reparse(&"s".into(), &read, true, NOW).await.unwrap();
    assert!(store.answered("u").await.unwrap().is_some(), "a dry run changes nothing");
    assert_eq!(store.reparse(&"s".into(), &read, false, NOW).await.unwrap().gone.len(), 1);
    assert_eq!(store.answered("u").await.unwrap(), None);
    store.keep_answer("u", "after").await.unwrap();
    assert_eq!(store.answered("u").await.unwrap().as_deref(), Some("after"));
}

async fn the_first_upload_makes_what_it_needs_and_the_next_adds_to_it(place: &Place) {
    let store = place.open().await;
    let first = send(&store, json!({ "step": "seqs", "start": "s1" }), &[block(1)], NOW).await.unwrap();
    assert_eq!((first.runs.len(), first.warnings.len()), (1, 0));
    let stored = store.study(&"llama".into()).await.unwrap();
    assert_eq!((stored.created_at, stored.updated_at), (NOW, NOW));
    let study = &stored.data.study;
    assert_eq!((&study.baseline, &study.primary_profile), (&first.variant, &first.profile));
    assert_eq!((study.profiles.len(), study.variants.len(), study.steps[0].variants.len()), (1, 1, 1));
    let run = &stored.data.runs[0];
    assert_eq!((&run.id, run.start.as_deref(), run.file.as_str()), (&first.runs[0].id, Some("s1"), "run.txt"));
    assert_eq!(store.raw(&run.digest).await.unwrap(), block(1).as_bytes());

    // A second file with two results, under another variant.
    let two = format!("{}\n{}", block(2), block(3));
    let other = json!({ "step": "seqs", "variant": { "id": "sglang", "engine": "SGLang" } });
    let second = send(&store, other.clone(), std::slice::from_ref(&two), NOW).await.unwrap();
    assert_eq!(second.runs.len(), 2);
    let stored = store.study(&"llama".into()).await.unwrap();
    assert_eq!(stored.updated_at, NOW + 1, "a state has a time of its own");
    assert_eq!(stored.data.runs.iter().map(|run| run.index).collect::<Vec<_>>(), [0, 0, 1]);
    assert_eq!(stored.data.study.steps[0].variants.len(), 2);

    // And again: nothing changes, and the answer is the same.
    assert_eq!(send(&store, other, &[two], NOW + 9).await.unwrap(), second);
    assert_eq!(store.study(&"llama".into()).await.unwrap(), stored);
    assert_eq!(place.count("uploads").await, 2);
}

async fn the_same_upload_ten_times_at_once_is_stored_once(place: &Place) {
    let location = place.location();
    let text = (0..20).map(block).collect::<Vec<_>>().join("\n");
    let sent = (0..10).map(|at| {
        let (location, text) = (location.clone(), text.clone());
        tokio::spawn(async move {
            // Half of them as another process would come.
            let store = Store::open(&location).await.unwrap();
            send(&store, json!({ "step": "seqs" }), &[text], NOW + at).await.unwrap()
        })
    });
    let mut answers = Vec::new();
    for sent in sent.collect::<Vec<_>>() {
        answers.push(sent.await.unwrap());
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    for (table, rows) in [("runs", 20), ("raw_outputs", 1), ("uploads", 1), ("variants", 1), ("steps", 1)] {
        assert_eq!(place.count(table).await, rows, "{table}");
    }
}

async fn twenty_agents_at_once_make_one_study_without_an_error(place: &Place) {
    let store = place.open().await;
    let agents = (0..20).map(|agent| {
        let store = store.clone();
        tokio::spawn(async move {
            for at in 0..5 {
                // Four agents share a variant, all of them the study, the profiles and the step.
                let envelope = json!({
                    "step": "seqs",
                    "profile": format!("p{}", at % 2),
                    "variant": { "engine": "vLLM", "model": "m", "args": [format!("--x={}", agent % 5)] },
                });
                send(&store, envelope, &[block(agent * 5 + at)], NOW).await.unwrap();
            }
        })
    });
    for agent in agents.collect::<Vec<_>>() {
        agent.await.unwrap();
    }
    let study = store.study(&"llama".into()).await.unwrap().data;
    assert_eq!((study.runs.len(), study.study.variants.len(), study.study.profiles.len()), (100, 5, 2));
    assert_eq!(study.study.steps[0].variants.len(), 5);
}

async fn uploads_at_once_share_transactions_but_fail_alone(place: &Place) {
    let store = place.open().await;
    send(&store, json!({}), &[block(0)], NOW).await.unwrap();
    place.execute("UPDATE runs SET document = '{'").await;
    let sent = (0..40).map(|at| {
        let store = store.clone();
        tokio::spawn(async move {
            match at {
                // Its other form cannot be read.
                7 => send(&store, json!({}), &[format!("{}\n", block(0))], NOW).await,
                _ => send(&store, json!({}), &[block(at + 10)], NOW).await,
            }
        })
    });
    for (at, sent) in sent.collect::<Vec<_>>().into_iter().enumerate() {
        let outcome = sent.await.unwrap();
        match at {
            7 => assert!(matches!(outcome, Err(StoreError::Corrupt { .. })), "{outcome:?}"),
            _ => assert_eq!(outcome.unwrap().runs.len(), 1),
        }
    }
    for (table, rows) in [("runs", 40), ("raw_outputs", 40), ("uploads", 40), ("run_forms", 0)] {
        assert_eq!(place.count(table).await, rows, "{table}");
    }
    assert_eq!(place.count("(SELECT DISTINCT position FROM runs) AS positions").await, 40);
    // Each transaction gives the study another time.
    place.execute("DELETE FROM runs WHERE document = '{'").await;
    let times = store.study(&"llama".into()).await.unwrap().updated_at - NOW;
    assert!((1..38).contains(&times), "{times}");
}

async fn what_another_process_changed_is_seen_by_the_next_upload(place: &Place) {
    let (here, there) = (place.open().await, place.open().await);
    send(&here, json!({}), &[block(1)], NOW).await.unwrap();
    send(&here, json!({}), &[block(2)], NOW).await.unwrap();
    let variant = json!({ "variant": { "id": "other", "engine": "SGLang" } });
    send(&there, variant, &[block(3)], NOW).await.unwrap();
    let stored = send(&here, json!({ "variant": "other" }), &[block(4)], NOW).await.unwrap();
    assert_eq!(stored.variant.as_str(), "other");
    let study = there.study(&"llama".into()).await.unwrap();
    assert_eq!((study.updated_at, study.data.runs.len()), (NOW + 3, 4));
    assert_eq!(place.count("(SELECT DISTINCT position FROM runs) AS positions").await, 4);
}

async fn each_result_of_a_file_is_found_in_its_other_form(place: &Place) {
    let store = place.open().await;
    let file = |seeds: std::ops::Range<u64>| seeds.map(block).collect::<Vec<_>>().join("\n");
    let first = send(&store, json!({}), &[file(0..21)], NOW).await.unwrap();
    let second = send(&store, json!({}), &[file(10..33)], NOW).await.unwrap();
    assert_eq!(
        second.runs[..11].iter().map(|run| &run.id).collect::<Vec<_>>(),
        first.runs[10..].iter().map(|run| &run.id).collect::<Vec<_>>()
    );
    assert_eq!(second.runs.iter().filter(|run| run.same_as.is_some()).count(), 11);
    assert_eq!((place.count("runs").await, place.count("run_forms").await), (33, 11));

    // Where one of the two does not say how long it took: the sent one, and the stored one.
    let forget = |run: &mut Measurement| run.metrics.duration = None;
    let again = |text: &str| format!("\n{text}");
    let found = send_as(&store, json!({}), &[again(&block(5))], NOW, forget).await.unwrap();
    assert_eq!((&found.runs[0].id, found.runs[0].same_as.is_some()), (&first.runs[5].id, true));
    let other = json!({ "profile": "other" });
    let first = send_as(&store, other.clone(), &[block(5)], NOW, forget).await.unwrap();
    let found = send(&store, other, &[again(&block(5))], NOW).await.unwrap();
    assert_eq!((&found.runs[0].id, found.runs[0].same_as.is_some()), (&first.runs[0].id, true));
}

async fn one_measurement_in_two_forms_is_one_run(place: &Place) {
    let store = place.open().await;
    let console = fixture("sglang/v0.5.9-console.log");
    let details = fixture("sglang/v0.5.9-output-details.jsonl");
    let first = send(&store, json!({}), std::slice::from_ref(&console), NOW).await.unwrap();
    let second = send(&store, json!({}), std::slice::from_ref(&details), NOW).await.unwrap();
    assert_eq!(second.runs[0].id, first.runs[0].id);
    assert_eq!(second.runs[0].same_as.as_deref(), Some("run.txt"));
    assert_eq!(send(&store, json!({}), std::slice::from_ref(&details), NOW).await.unwrap(), second);
    // Under another profile it is another run.
    let other = send(&store, json!({ "profile": "other" }), std::slice::from_ref(&details), NOW).await.unwrap();
    assert_eq!(other.runs[0].same_as, None);
    assert_eq!((place.count("runs").await, place.count("run_forms").await), (2, 1));
    for raw in [console, details] {
        assert_eq!(store.raw(&Digest::of(raw.as_bytes())).await.unwrap(), raw.as_bytes());
    }
}

async fn whichever_form_comes_first_a_run_has_its_requests(place: &Place) {
    let store = place.open().await;
    let console = fixture("sglang/v0.5.9-console.log");
    let details = fixture("sglang/v0.5.9-output-details.jsonl");
    let slug = "llama".into();
    let (first, second) = (std::slice::from_ref(&console), std::slice::from_ref(&details));
    for (profile, forms, changes) in [("chat", [first, second], true), ("other", [second, first], false)] {
        let profile = json!({ "profile": profile });
        let sent = send(&store, profile.clone(), forms[0], NOW).await.unwrap();
        let before = store.study(&slug).await.unwrap();
        send(&store, profile.clone(), forms[1], NOW + 1).await.unwrap();
        let after = store.study(&slug).await.unwrap();
        let run = store.run(&sent.runs[0].id).await.unwrap().1;
        assert_eq!(run.measurement.requests.as_ref().map(|requests| requests.count()), Some(24));
        assert_eq!(run.digest, Digest::of(forms[0][0].as_bytes()));
        assert_eq!(after.updated_at > before.updated_at, changes, "readers keep a study by when it changed");
        let expected = parse(forms[0][0].as_bytes()).unwrap().runs.remove(0);
        assert_eq!(run.measurement, Measurement { requests: run.measurement.requests.clone(), ..expected });
        // Sent again, nothing changes.
        send(&store, profile, forms[1], NOW + 2).await.unwrap();
        assert_eq!(store.study(&slug).await.unwrap(), after);
    }
    let forms = store.forms(&slug).await.unwrap();
    let digests: Vec<_> = forms.iter().map(|form| (form.digest.clone(), form.index, form.file.as_str())).collect();
    assert_eq!(digests.len(), 2);
    for text in [console, details] {
        assert!(digests.contains(&(Digest::of(text.as_bytes()), 0, "run.txt")), "{digests:?}");
    }
}

async fn a_long_raw_output_is_kept_in_pieces_and_comes_back_whole(place: &Place) {
    let store = place.open().await;
    // Digits of digests do not compress to less than half.
    let noise: String = (0..80_000).map(|at: u32| format!("{}\n", Digest::of(&at.to_le_bytes()))).collect();
    let text = format!("{noise}{}", block(1));
    send(&store, json!({}), std::slice::from_ref(&text), NOW).await.unwrap();
    assert!(place.count("raw_pieces").await > 1);
    assert_eq!(store.raw(&Digest::of(text.as_bytes())).await.unwrap(), text.as_bytes());
    place.execute("DELETE FROM raw_pieces WHERE position = 1").await;
    let error = store.raw(&Digest::of(text.as_bytes())).await.unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
}

async fn a_variant_of_which_only_the_name_came_is_described_by_a_later_upload(place: &Place) {
    let store = place.open().await;
    let first = send(&store, json!({ "variant": "v" }), &[block(1)], NOW).await.unwrap();
    assert!(first.warnings.iter().any(|warning| warning.starts_with("variant.engine of \"v\"")), "{first:?}");
    let again = send(&store, json!({ "variant": "v" }), &[block(1)], NOW + 5).await.unwrap();
    assert_eq!(again, first);
    let described = json!({ "variant": { "id": "v", "engine": "vLLM", "model": "m", "args": ["-x"] } });
    let told = send(&store, described, &[block(2)], NOW + 9).await.unwrap();
    assert!(!told.warnings.iter().any(|warning| warning.starts_with("variant.engine")), "{told:?}");
    let study = store.study(&"llama".into()).await.unwrap().data;
    assert_eq!((study.study.variants.len(), study.runs.len()), (1, 2));
    assert_eq!(
        (study.study.variants[0].engine.as_str(), &study.study.variants[0].args[..]),
        ("vLLM", &["-x".to_owned()][..])
    );
}

async fn an_import_leaves_uploaded_runs_alone(place: &Place) {
    let store = place.open().await;
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../server/demo/qwen3-14b-h100");
    let read = |file: &str| std::fs::read(demo.join(file)).map_err(|error| error.to_string());
    let manifest = String::from_utf8(read("study.toml").unwrap()).unwrap();
    let folder = domain::study::load(&manifest, read).unwrap();
    store.import(&folder, NOW).await.unwrap();
    let sent = json!({ "study": "qwen3-14b-h100", "variant": "vllm", "profile": "sharegpt" });
    let uploaded = send(&store, sent, &[block(1)], NOW).await.unwrap();
    assert_eq!(uploaded.warnings, [""; 0]);
    let reworded = manifest.replace("Optimizing", "Tuning");
    let folder = domain::study::load(&reworded, read).unwrap();
    let imported = store.import(&folder, NOW + 5).await.unwrap();
    assert_eq!((imported.added, imported.removed), (0, 0));
    let (_, run) = store.run(&uploaded.runs[0].id).await.unwrap();
    assert_eq!(run.variant.as_str(), "vllm");
}

async fn a_token_opens_until_it_is_revoked_or_expires(place: &Place) {
    let store = place.open().await;
    let token = |name: &str, secret: &str, expires_at| Token {
        hash: Digest::of(secret.as_bytes()),
        name: name.to_owned(),
        prefix: secret[..6].to_owned(),
        scope: Scope::Upload,
        created_at: NOW,
        expires_at,
        revoked_at: None,
        last_used_at: None,
    };
    let check = async |secret: &str, now| {
        store.check_token(&Digest::of(secret.as_bytes()), now).await.unwrap().map(|token| token.name)
    };
    store.create_token(&token("gpu-1", "tst_aa-secret", None)).await.unwrap();
    store.create_token(&token("gpu-2", "tst_bb-secret", Some(NOW + 10))).await.unwrap();
    let error = store.create_token(&token("gpu-1", "tst_cc-secret", None)).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict(_)), "{error}");

    assert_eq!(check("tst_aa-secret", NOW).await.as_deref(), Some("gpu-1"));
    assert_eq!(check("tst_aa", NOW).await, None);
    assert_eq!(check("tst_cc-secret", NOW).await, None);
    assert_eq!(check("tst_bb-secret", NOW + 9).await.as_deref(), Some("gpu-2"));
    assert_eq!(check("tst_bb-secret", NOW + 10).await, None);
    // The last use is noted once a minute.
    check("tst_aa-secret", NOW + 59_999).await;
    assert_eq!(store.tokens().await.unwrap()[0].last_used_at, Some(NOW));
    check("tst_aa-secret", NOW + 60_000).await;
    assert_eq!(store.tokens().await.unwrap()[0].last_used_at, Some(NOW + 60_000));

    assert_eq!(store.revoke_token("tst_aa", NOW + 1).await.unwrap().name, "gpu-1");
    assert_eq!(check("tst_aa-secret", NOW + 2).await, None);
    let again = store.revoke_token("gpu-1", NOW + 3).await.unwrap();
    assert_eq!(again.revoked_at, Some(NOW + 1), "the first time counts");
    let error = store.revoke_token("nobody", NOW).await.unwrap_err();
    assert!(matches!(error, StoreError::NotFound { .. }), "{error}");
}

/// Sends texts as files of one upload; the answer is the last file's.
async fn send(store: &Store, changes: Value, texts: &[String], now_ms: i64) -> Result<Stored, StoreError> {
    send_as(store, changes, texts, now_ms, |_| {}).await
}

/// The same, as readers would read it who see something else in it.
async fn send_as(
    store: &Store,
    changes: Value,
    texts: &[String],
    now_ms: i64,
    read: impl Fn(&mut Measurement),
) -> Result<Stored, StoreError> {
    let mut sent = json!({
        "study": "llama",
        "variant": { "engine": "vLLM", "model": "meta/Llama-3" },
        "profile": "chat",
        "hardware": { "gpu": "NVIDIA H100 SXM GPU" },
    });
    for (key, value) in changes.as_object().unwrap() {
        sent[key] = value.clone();
    }
    let envelope: Envelope = serde_json::from_value(sent.clone()).unwrap();
    envelope.check().unwrap();
    let id = Digest::of(format!("{sent}{texts:?}").as_bytes()).to_string();
    let document = sent.to_string();
    let upload = Arc::new(Upload { id, envelope, token: None, document, started_at: None });
    let mut last = None;
    for text in texts {
        let raw = Packed::pack(&mut text.as_bytes(), &std::env::temp_dir()).unwrap();
        let mut runs = parse(text.as_bytes()).unwrap().runs;
        runs.iter_mut().for_each(&read);
        let file = UploadedFile { name: "run.txt".to_owned(), raw, runs, answers: None };
        last = Some(store.upload(&upload, file, now_ms).await?);
    }
    Ok(last.unwrap())
}

/// A result like no other.
fn block(seed: u64) -> String {
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

fn fixture(name: &str) -> String {
    let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../domain/tests/fixtures");
    std::fs::read_to_string(root.join(name)).unwrap()
}
