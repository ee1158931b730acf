//! Published versions: frozen, numbered, fought over and kept, on SQLite and on PostgreSQL by the same words.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where it stopped")]

mod place;

use std::fs;
use std::path::PathBuf;

use domain::digest::Digest;
use domain::id::StudySlug;
use domain::report::build;
use domain::study::{MANIFEST, StudyFolder, load};
use domain::text::Lang;
use domain::version::Snapshot;
use place::Place;
use touchstone_store::{Audience, ImportKind, NewFile, NewVersion, Published, Store, StoreError};

const SLUG: &str = "qwen3-14b-h100";
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
    a_version_comes_back_as_it_was_published
    the_same_content_is_one_version_and_another_the_next
    imports_leave_versions_alone
    twenty_who_publish_at_once_make_versions_without_a_gap
    what_is_not_there_or_not_what_was_frozen_is_refused
}

async fn a_version_comes_back_as_it_was_published(place: &Place) {
    let store = place.open().await;
    store.import(&folder(|manifest| manifest), NOW).await.unwrap();
    assert_eq!(store.versions(&slug()).await.unwrap(), []);
    assert_eq!(store.newest_version(&slug()).await.unwrap(), None);
    let new = version(&store, 1, "first").await;
    let Published::New(version) = store.publish(&slug(), &new).await.unwrap() else { panic!("it is the first") };
    assert_eq!((version.number, version.published_at, version.study_updated_at), (1, NOW + 1, NOW));
    assert_eq!((version.author.as_deref(), version.remark.as_str()), (Some("alice"), "first"));
    assert_eq!(version.snapshot, new.snapshot, "outline, content, wording and program");
    let told: Vec<_> =
        version.files.iter().map(|file| (file.audience, file.lang, file.name.as_str(), file.size)).collect();
    let (all, outsiders) = (Audience::All, Audience::Outsiders);
    assert_eq!(
        told,
        [
            (all, None, "report.json", 2),
            (all, Some(Lang::En), "report.html", 5),
            (all, Some(Lang::Ja), "report.html", 9000),
            (outsiders, Some(Lang::Ja), "report.html", 6),
        ]
    );
    assert_eq!(store.versions(&slug()).await.unwrap(), std::slice::from_ref(&version));
    // As another process sees it.
    let store = place.open().await;
    for (file, sent) in new.files.iter().map(|sent| {
        let found = version
            .files
            .iter()
            .find(|file| (file.audience, file.lang, &file.name) == (sent.audience, sent.lang, &sent.name));
        (found.unwrap(), sent)
    }) {
        let (digest, bytes) = store.version_file(&slug(), 1, file.audience, file.lang, &file.name).await.unwrap();
        assert_eq!(bytes, sent.bytes);
        assert_eq!((&digest, &Digest::of(&bytes)), (&file.sha256, &file.sha256));
    }
    let newest = store.newest_version(&slug()).await.unwrap().unwrap();
    assert_eq!((newest.number, newest.snapshot), (1, new.snapshot));
}

async fn the_same_content_is_one_version_and_another_the_next(place: &Place) {
    let store = place.open().await;
    store.import(&folder(|manifest| manifest), NOW).await.unwrap();
    let first = version(&store, 1, "").await;
    store.publish(&slug(), &first).await.unwrap();
    // In the same second, by number one or two: nothing changed, nothing is written.
    for number in [1, 2] {
        let again = NewVersion { published_at: NOW + 900, ..version(&store, number, "again").await };
        let Published::Same(same) = store.publish(&slug(), &again).await.unwrap() else { panic!("nothing changed") };
        assert_eq!((same.number, same.published_at, same.remark.as_str()), (1, NOW + 1, ""));
    }
    let changed = |manifest: String| manifest.replacen("decimals = 1", "decimals = 2", 1);
    assert_eq!(store.import(&folder(changed), NOW + 500).await.unwrap().kind, ImportKind::Updated);
    let late = version(&store, 1, "late").await;
    assert_eq!(store.publish(&slug(), &late).await.unwrap(), Published::Overtaken);
    let second = version(&store, 2, "second").await;
    assert!(matches!(store.publish(&slug(), &second).await.unwrap(), Published::New(_)));
    // Back to what version 1 says: that is a state of its own after version 2.
    store.import(&folder(|manifest| manifest), NOW + 900).await.unwrap();
    let third = version(&store, 3, "").await;
    assert_eq!(third.snapshot.content, first.snapshot.content);
    assert!(matches!(store.publish(&slug(), &third).await.unwrap(), Published::New(_)));
    let numbers: Vec<u32> = store.versions(&slug()).await.unwrap().iter().map(|one| one.number).collect();
    assert_eq!(numbers, [3, 2, 1]);
    assert_eq!((place.count("versions").await, place.count("version_files").await), (3, 12));
}

async fn imports_leave_versions_alone(place: &Place) {
    let store = place.open().await;
    store.import(&folder(|manifest| manifest), NOW).await.unwrap();
    store.publish(&slug(), &version(&store, 1, "").await).await.unwrap();
    let before = store.versions(&slug()).await.unwrap();
    // A folder that has dropped its last run.
    let dropped = |manifest: String| manifest.rsplit_once("[[runs]]").unwrap().0.to_owned();
    assert_eq!(store.import(&folder(dropped), NOW + 1000).await.unwrap().removed, 1);
    assert_eq!(store.versions(&slug()).await.unwrap(), before);
    // A study with versions cannot be taken away behind the store's back, either.
    let taken = place.try_execute(&format!("DELETE FROM studies WHERE slug = '{SLUG}'")).await;
    assert!(taken.unwrap_err().to_string().to_lowercase().contains("foreign key"));
}

async fn twenty_who_publish_at_once_make_versions_without_a_gap(place: &Place) {
    let store = place.open().await;
    store.import(&folder(|manifest| manifest), NOW).await.unwrap();
    let seen = version(&store, 1, "").await;
    let all = (0..20_u8).map(|who| {
        let (store, seen) = (store.clone(), seen.clone());
        tokio::spawn(async move {
            // Each has something else to publish, and draws it again where another was faster.
            let content = Digest::of(&[who]);
            for number in 1.. {
                let snapshot = Snapshot { content: content.clone(), ..seen.snapshot.clone() };
                let new = NewVersion { number, remark: who.to_string(), snapshot, ..seen.clone() };
                match store.publish(&slug(), &new).await.unwrap() {
                    Published::New(version) => return version.number,
                    Published::Same(_) => panic!("nobody else publishes {who}'s"),
                    Published::Overtaken => {}
                }
            }
            unreachable!("numbers do not end")
        })
    });
    let mut numbers = Vec::new();
    for one in all.collect::<Vec<_>>() {
        numbers.push(one.await.unwrap());
    }
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=20).collect::<Vec<_>>());
    let remarks: std::collections::BTreeSet<String> =
        store.versions(&slug()).await.unwrap().into_iter().map(|version| version.remark).collect();
    assert_eq!(remarks.len(), 20, "nobody's is lost");
}

async fn what_is_not_there_or_not_what_was_frozen_is_refused(place: &Place) {
    let store = place.open().await;
    store.import(&folder(|manifest| manifest), NOW).await.unwrap();
    let new = version(&store, 1, "").await;
    let error = store.publish(&"none".into(), &new).await.unwrap_err();
    assert!(matches!(error, StoreError::NotFound { .. }), "{error}");
    assert!(matches!(store.versions(&"none".into()).await.unwrap_err(), StoreError::NotFound { .. }));
    store.publish(&slug(), &new).await.unwrap();
    for (number, lang, name) in [(2, Some(Lang::Ja), "report.html"), (1, None, "report.html"), (1, None, "report.pdf")]
    {
        let error = store.version_file(&slug(), number, Audience::All, lang, name).await.unwrap_err();
        assert!(matches!(error, StoreError::NotFound { .. }), "{error}");
    }
    place.execute("UPDATE version_files SET sha256 = '00' WHERE name = 'report.json'").await;
    let error = store.version_file(&slug(), 1, Audience::All, None, "report.json").await.unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
}

fn slug() -> StudySlug {
    SLUG.into()
}

/// The study as it is stored now, as a version of this number.
async fn version(store: &Store, number: u32, remark: &str) -> NewVersion {
    let stored = store.study(&slug()).await.unwrap();
    let file = |audience, lang, name: &str, bytes: &[u8]| NewFile {
        audience,
        lang,
        name: name.to_owned(),
        bytes: bytes.to_vec(),
    };
    NewVersion {
        number,
        published_at: NOW + 1,
        author: Some("alice".into()),
        remark: remark.to_owned(),
        study_updated_at: stored.updated_at,
        snapshot: Snapshot::of(&build(&stored.data), "0.1.0"),
        files: vec![
            file(Audience::All, Some(Lang::Ja), "report.html", "版".repeat(3000).as_bytes()),
            file(Audience::All, Some(Lang::En), "report.html", b"<p>\0\xff"),
            file(Audience::All, None, "report.json", b"{}"),
            file(Audience::Outsiders, Some(Lang::Ja), "report.html", b"hidden"),
        ],
    }
}

fn folder(edit: impl Fn(String) -> String) -> StudyFolder {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../server/demo").join(SLUG);
    let manifest = edit(fs::read_to_string(dir.join(MANIFEST)).unwrap());
    load(&manifest, |file| fs::read(dir.join(file)).map_err(|error| error.to_string())).unwrap()
}
