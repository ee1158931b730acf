//! The store's story, told on SQLite and on PostgreSQL by the same words.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where it stopped")]

mod place;

use std::collections::BTreeMap;
use std::path::PathBuf;

use domain::compare::Selection;
use domain::digest::Digest;
use domain::id::{RunId, StudySlug};
use domain::parse;
use domain::study::{MANIFEST, StudyFolder, load};
use place::Place;
use touchstone_store::{ImportKind, Imported, Reparsed, Store, StoreError};

const STUDIES: [&str; 2] = ["qwen3-14b-h100", "qwen3.5-9b-h100"];
/// 2026-11-30.
const NOW: i64 = 1_796_000_000_000;

macro_rules! on_both {
    ($($story:ident)*) => {
        mod sqlite {
            $(#[tokio::test]
            async fn $story() {
                let place = super::Place::sqlite();
                super::$story(&place).await;
                place.close().await;
            })*
        }
        mod postgres {
            $(#[tokio::test]
            async fn $story() {
                let Some(place) = super::Place::postgres().await else { return };
                super::$story(&place).await;
                place.close().await;
            })*
        }
    };
}

on_both! {
    what_was_imported_reads_back_equal
    the_same_folder_twice_changes_nothing
    an_edited_folder_replaces_the_study_and_keeps_raw_outputs
    a_folder_that_cannot_be_stored_leaves_nothing_behind
    eight_imports_at_once_give_one_result
    imports_of_different_studies_at_once_both_succeed
    what_newer_readers_see_replaces_what_older_ones_saw
    a_row_that_cannot_be_read_is_named
    what_is_not_there_is_not_found
    a_comparison_reads_each_of_its_studies_once
    studies_of_one_question_are_found_by_their_model
    a_database_of_a_newer_version_is_refused
    strange_names_and_extreme_figures_come_back_as_they_were
}

async fn what_was_imported_reads_back_equal(place: &Place) {
    let store = place.open().await;
    assert_eq!(store.studies().await.unwrap(), []);
    for slug in STUDIES {
        let folder = reference(slug);
        let imported = store.import(&folder, NOW).await.unwrap();
        let runs = folder.data.runs.len();
        assert_eq!(imported, outcome(slug, ImportKind::New, runs, 0, 0));
    }
    // As another process sees it.
    let store = place.open().await;
    store.ping().await.unwrap();
    for slug in STUDIES {
        let folder = reference(slug);
        let stored = store.study(&slug.into()).await.unwrap();
        assert_eq!(stored.data, folder.data);
        assert_eq!((stored.created_at, stored.updated_at), (NOW, NOW));
        for run in &folder.data.runs {
            assert_eq!(store.run(&run.id).await.unwrap(), (StudySlug::from(slug), run.clone()));
        }
        for (digest, bytes) in &folder.raw {
            assert_eq!(&store.raw(digest).await.unwrap(), bytes);
        }
    }
    let all = store.studies().await.unwrap();
    assert_eq!(all.iter().map(|stored| stored.data.study.slug.as_str()).collect::<Vec<_>>(), STUDIES);
    for stored in &all {
        assert_eq!(stored, &store.study(&stored.data.study.slug).await.unwrap());
    }
    let heads = store.heads().await.unwrap();
    for (head, stored) in heads.iter().zip(&all) {
        assert_eq!((&head.slug, &head.title), (&stored.data.study.slug, &stored.data.study.title));
        assert_eq!(head.runs, stored.data.runs.len() as u64);
    }
    assert_eq!(heads.len(), 2);
}

async fn the_same_folder_twice_changes_nothing(place: &Place) {
    let store = place.open().await;
    let folder = reference(STUDIES[0]);
    store.import(&folder, NOW).await.unwrap();
    let before = store.study(&STUDIES[0].into()).await.unwrap();
    let again = store.import(&folder, NOW + 60_000).await.unwrap();
    assert_eq!(again, outcome(STUDIES[0], ImportKind::Unchanged, 0, 0, folder.data.runs.len()));
    assert_eq!(store.study(&STUDIES[0].into()).await.unwrap(), before);
}

async fn an_edited_folder_replaces_the_study_and_keeps_raw_outputs(place: &Place) {
    let store = place.open().await;
    let slug = StudySlug::from(STUDIES[0]);
    let folder = reference(STUDIES[0]);
    let runs = folder.data.runs.len();
    store.import(&folder, NOW).await.unwrap();

    // Only words: every run stays.
    let reworded =
        edited(STUDIES[0], |manifest| manifest.replace("Optimizing Qwen3-14B", "Tuning Qwen3-14B"), |_| None);
    let imported = store.import(&reworded, NOW).await.unwrap();
    assert_eq!(imported, outcome(STUDIES[0], ImportKind::Updated, 0, 0, runs));
    let stored = store.study(&slug).await.unwrap();
    assert_eq!(stored.data, reworded.data);
    assert_eq!((stored.created_at, stored.updated_at), (NOW, NOW + 1), "a state has a time of its own");

    // One run measured again, its profile and variant renamed with it, one run dropped.
    let file = "runs/15-random-128-optimized.txt";
    let (kept, dropped) = reworded.manifest.rsplit_once("[[runs]]").unwrap();
    assert!(dropped.contains(file));
    let with_fewer = edited(
        STUDIES[0],
        |_| kept.replace("\"medium-prompt\"", "\"middle-prompt\""),
        |name| name.contains("01-").then(|| b"changed\n".to_vec()),
    );
    let changed =
        with_fewer.data.runs.iter().filter(|run| !folder.data.runs.iter().any(|old| old.id == run.id)).count();
    let imported = store.import(&with_fewer, NOW + 5).await.unwrap();
    assert_eq!(imported, outcome(STUDIES[0], ImportKind::Updated, changed, changed + 1, runs - changed - 1));
    assert_eq!(changed, 3, "the one measured again and the two of the renamed profile");
    assert_eq!(store.study(&slug).await.unwrap().data, with_fewer.data);
    assert_eq!(place.count("profiles").await, with_fewer.data.study.profiles.len() as i64);
    for (digest, bytes) in folder.raw.iter().chain(&with_fewer.raw) {
        assert_eq!(&store.raw(digest).await.unwrap(), bytes);
    }

    // And back again.
    let imported = store.import(&folder, NOW + 9).await.unwrap();
    assert_eq!(imported, outcome(STUDIES[0], ImportKind::Updated, changed + 1, changed, runs - changed - 1));
    assert_eq!(store.study(&slug).await.unwrap().data, folder.data);
}

async fn a_folder_that_cannot_be_stored_leaves_nothing_behind(place: &Place) {
    let store = place.open().await;
    let mut folder = reference(STUDIES[0]);
    // The last run refers to a raw output that did not come along: all but the last write succeeds.
    let last = folder.data.runs.last_mut().unwrap();
    last.digest = Digest::of(b"never received");
    last.id = RunId::new("never-received");
    store.import(&folder, NOW).await.unwrap_err();
    assert_eq!(store.studies().await.unwrap(), []);
    for table in ["studies", "profiles", "variants", "steps", "runs", "raw_outputs"] {
        assert_eq!(place.count(table).await, 0, "{table}");
    }
    // The same on top of a good one.
    let good = reference(STUDIES[0]);
    store.import(&good, NOW).await.unwrap();
    let before = store.study(&STUDIES[0].into()).await.unwrap();
    store.import(&folder, NOW + 1).await.unwrap_err();
    assert_eq!(store.study(&STUDIES[0].into()).await.unwrap(), before);
}

async fn eight_imports_at_once_give_one_result(place: &Place) {
    let location = place.location();
    let imports = (0..8).map(|at| {
        let location = location.clone();
        tokio::spawn(async move {
            // Each with a store of its own, on a database that is not there yet: as processes that start together.
            let store = Store::open(&location).await.unwrap();
            store.import(&reference(STUDIES[1]), NOW + at).await.unwrap()
        })
    });
    let mut kinds = Vec::new();
    for import in imports.collect::<Vec<_>>() {
        kinds.push(import.await.unwrap().kind);
    }
    assert_eq!(kinds.iter().filter(|kind| **kind == ImportKind::New).count(), 1, "{kinds:?}");
    assert_eq!(kinds.iter().filter(|kind| **kind == ImportKind::Unchanged).count(), 7, "{kinds:?}");
    let folder = reference(STUDIES[1]);
    let stored = place.open().await.study(&STUDIES[1].into()).await.unwrap();
    assert_eq!(stored.data, folder.data);
    assert_eq!(place.count("raw_outputs").await, folder.raw.len() as i64);
}

async fn imports_of_different_studies_at_once_both_succeed(place: &Place) {
    let store = place.open().await;
    let imports = (0..8).map(|at| {
        let store = store.clone();
        // Two names for one content: they share every raw output, and each import brings them in another order.
        let slug = format!("copy-{at}");
        let mut folder = edited(STUDIES[0], |manifest| manifest.replace("qwen3-14b-h100", &slug), |_| None);
        if at % 2 == 0 {
            folder.raw.reverse();
        }
        tokio::spawn(async move { store.import(&folder, NOW).await.unwrap().kind })
    });
    for import in imports.collect::<Vec<_>>() {
        assert_eq!(import.await.unwrap(), ImportKind::New);
    }
    assert_eq!(store.heads().await.unwrap().len(), 8);
    assert_eq!(place.count("raw_outputs").await, reference(STUDIES[0]).raw.len() as i64);
}

async fn what_newer_readers_see_replaces_what_older_ones_saw(place: &Place) {
    let store = place.open().await;
    let folder = reference(STUDIES[0]);
    let slug = folder.data.study.slug.clone();
    store.import(&folder, NOW).await.unwrap();
    let now: BTreeMap<_, _> =
        folder.raw.iter().map(|(digest, bytes)| (digest.clone(), parse::parse(bytes).unwrap().runs)).collect();
    let before = store.study(&slug).await.unwrap();
    let runs = before.data.runs.len();
    let same = Reparsed { unchanged: runs, ..Reparsed::default() };
    assert_eq!(store.reparse(&slug, &now, false, NOW + 1).await.unwrap(), same);
    assert_eq!(store.study(&slug).await.unwrap(), before);

    // One raw output reads differently and holds a second result, one holds none any more, one is not read at all.
    let (first, second) = (&before.data.runs[0], &before.data.runs[1]);
    let mut newer = now.clone();
    let mut other = first.measurement.clone();
    other.metrics.successful_requests = Some(7);
    newer.insert(first.digest.clone(), vec![other.clone(), other]);
    newer.insert(second.digest.clone(), vec![]);
    newer.remove(&before.data.runs[2].digest);
    let dry = store.reparse(&slug, &newer, true, NOW + 2).await.unwrap();
    assert_eq!((dry.added.len(), &dry.changed, &dry.gone), (1, &vec![first.id.clone()], &vec![second.id.clone()]));
    assert_eq!(dry.unchanged, runs - 2);
    assert_eq!(store.study(&slug).await.unwrap(), before);
    assert_eq!(store.reparse(&slug, &newer, false, NOW + 2).await.unwrap(), dry);
    let after = store.study(&slug).await.unwrap();
    assert_eq!((after.updated_at, after.data.runs.len()), (NOW + 2, runs));
    assert_eq!(after.data.runs[0].measurement.metrics.successful_requests, Some(7));
    let added = after.data.runs.iter().find(|run| run.id == dry.added[0]).unwrap();
    assert_eq!((&added.digest, added.index, &added.file), (&first.digest, 1, &first.file));
    let packed = store.raw_packed(&second.digest, &std::env::temp_dir()).await.unwrap();
    assert_eq!(packed.digest, second.digest, "what has no run any more is still there");
    assert!(matches!(store.reparse(&"none".into(), &now, false, NOW).await, Err(StoreError::NotFound { .. })));
}

async fn a_row_that_cannot_be_read_is_named(place: &Place) {
    let store = place.open().await;
    let folder = reference(STUDIES[0]);
    store.import(&folder, NOW).await.unwrap();
    let slug = StudySlug::from(STUDIES[0]);
    let id = &folder.data.runs[3].id;

    place.execute(&format!("UPDATE runs SET document = '{{\"tool\":7}}' WHERE id = '{id}'")).await;
    for error in
        [store.run(id).await.unwrap_err(), store.study(&slug).await.unwrap_err(), store.studies().await.unwrap_err()]
    {
        let StoreError::Corrupt { noun, id: named, .. } = &error else { panic!("{error}") };
        assert_eq!((*noun, named.as_str()), ("run", id.as_str()), "{error}");
    }
    // The others can still be read, and so can what does not need it.
    store.run(&folder.data.runs[4].id).await.unwrap();
    assert_eq!(store.heads().await.unwrap().len(), 1);
    place.execute("UPDATE variants SET document = 'x' WHERE id = 'sglang'").await;
    let error = store.study(&slug).await.unwrap_err().to_string();
    assert!(error.starts_with("stored variant \"qwen3-14b-h100/sglang\" is corrupt: "), "{error}");
    place.execute("UPDATE studies SET document = '{}'").await;
    place.execute("UPDATE raw_outputs SET bytes = ''").await;
    let digest = &folder.data.runs[0].digest;
    let error = store.raw(digest).await.unwrap_err().to_string();
    assert!(error.starts_with(&format!("stored raw output \"{digest}\" is corrupt: ")), "{error}");
}

async fn studies_of_one_question_are_found_by_their_model(place: &Place) {
    let store = place.open().await;
    let first = reference(STUDIES[0]);
    store.import(&first, NOW).await.unwrap();
    store.import(&reference(STUDIES[1]), NOW).await.unwrap();
    assert_eq!(store.same_question(&first.data.study).await.unwrap(), []);
    // The same question, another answer: the model in other letters, and one that a pattern could take for it.
    let as_another = |slug: &str, model: &str| {
        let mut folder = reference(STUDIES[0]);
        folder.data.study.slug = slug.into();
        folder.data.study.model.id = model.to_owned();
        folder.data.runs.truncate(2);
        for run in &mut folder.data.runs {
            run.id = RunId::from(format!("{slug}-{}", run.id).as_str());
        }
        folder
    };
    let twin = as_another("twin", "qwen/qwen3-14b");
    store.import(&twin, NOW + 1).await.unwrap();
    store.import(&as_another("other", "Qwen/Qwen3_14B"), NOW + 2).await.unwrap();
    store.import(&as_another("quoted", "%\"_!"), NOW + 2).await.unwrap();
    assert_eq!(store.same_question(&first.data.study).await.unwrap(), std::slice::from_ref(&twin.data));
    assert_eq!(
        store.same_question(&twin.data.study).await.unwrap(),
        [store.study(&STUDIES[0].into()).await.unwrap().data]
    );
    let quoted = as_another("nobody", "%\"_!").data.study;
    let found: Vec<_> = store.same_question(&quoted).await.unwrap().into_iter().map(|data| data.study.slug).collect();
    assert_eq!(found, [StudySlug::from("quoted")]);
}

async fn what_is_not_there_is_not_found(place: &Place) {
    let store = place.open().await;
    let errors = [
        store.study(&"none".into()).await.unwrap_err(),
        store.run(&RunId::new("none")).await.unwrap_err(),
        store.raw(&Digest::of(b"none")).await.unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error, StoreError::NotFound { .. }), "{error}");
    }
}

async fn a_comparison_reads_each_of_its_studies_once(place: &Place) {
    let store = place.open().await;
    let [one, two] = STUDIES.map(reference);
    for folder in [&one, &two] {
        store.import(folder, NOW).await.unwrap();
    }
    let compared = async |subjects: &[String]| {
        let subjects = subjects.iter().map(|text| text.parse().unwrap());
        store.compared(&Selection::of(subjects)).await.unwrap()
    };
    let runs: Vec<String> = two.data.runs.iter().map(|run| format!("run:{}", run.id)).collect();
    assert_eq!(compared(&runs).await, std::slice::from_ref(&two.data));
    let mixed = [runs[0].clone(), format!("{}:a:b", STUDIES[0]), "gone:a:b".to_owned(), "run:gone".to_owned()];
    assert_eq!(compared(&mixed).await, [one.data, two.data]);
    assert_eq!(compared(&["gone:a:b".to_owned(), "run:gone".to_owned()]).await, []);
    assert_eq!(compared(&[]).await, []);
}

async fn a_database_of_a_newer_version_is_refused(place: &Place) {
    place.open().await;
    let newer = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
                 VALUES (9999, 'later', TRUE, '', 0)";
    place.execute(newer).await;
    let error = Store::open(&place.location()).await.unwrap_err().to_string();
    assert!(error.contains("a newer Touchstone wrote this database"), "{error}");
    assert!(error.ends_with("start the newer version"), "{error}");
}

async fn strange_names_and_extreme_figures_come_back_as_they_were(place: &Place) {
    let store = place.open().await;
    let block = "============ Serving Benchmark Result ============\n\
                 Successful requests: 9007199254740991\nBenchmark duration (s): 0.1000000000000000055511151231257827\n\
                 Total input tokens: 3\nTotal Token throughput (tok/s): 1.7976931348623157e308\n\
                 Mean TTFT (ms): 5e-324\nP99.9 TTFT (ms): 123456.78901234567\n\
                 ==================================================\n";
    let mut bytes = block.as_bytes().to_vec();
    bytes.extend_from_slice("\r\nnotes: 試金石 🚀 '; DROP TABLE runs; --\n".as_bytes());
    let name = "試金石 '\\\"; DROP TABLE runs; -- % _ \\\\ \\u202e";
    let manifest = reference_manifest(STUDIES[0]).replace("\"sglang\"", &format!("\"{name}\""));
    let folder = load(&manifest, |_| Ok(bytes.clone())).map(|folder| folder.data.runs.len());
    // Every file having the same content is an error where variant and profile are the same too; here they are not.
    assert!(folder.is_ok(), "{folder:?}");
    let folder = load(&manifest, |_| Ok(bytes.clone())).unwrap();
    store.import(&folder, i64::MAX - 1).await.unwrap();
    let stored = store.study(&STUDIES[0].into()).await.unwrap();
    assert_eq!(stored.data, folder.data);
    assert_eq!(store.raw(&Digest::of(&bytes)).await.unwrap(), bytes);
    assert_eq!(place.count("raw_outputs").await, 1);
}

fn outcome(slug: &str, kind: ImportKind, added: usize, removed: usize, kept: usize) -> Imported {
    Imported { slug: slug.into(), kind, added, removed, kept }
}

fn reference_folder(slug: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../server/demo").join(slug)
}

fn reference_manifest(slug: &str) -> String {
    std::fs::read_to_string(reference_folder(slug).join(MANIFEST)).unwrap()
}

fn reference(slug: &str) -> StudyFolder {
    edited(slug, |manifest| manifest, |_| None)
}

/// A reference study with another description, and with something added to some of its files.
fn edited(slug: &str, manifest: impl FnOnce(String) -> String, added: impl Fn(&str) -> Option<Vec<u8>>) -> StudyFolder {
    let manifest = manifest(reference_manifest(slug));
    let folder = load(&manifest, |file| {
        let mut bytes = std::fs::read(reference_folder(slug).join(file)).map_err(|error| error.to_string())?;
        bytes.extend(added(file).unwrap_or_default());
        Ok(bytes)
    });
    folder.unwrap()
}
