//! Share links: made, found, counted and ended, on SQLite and on PostgreSQL by the same words.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where it stopped")]
#![expect(dead_code, reason = "the story of studies looks behind the store's back in more ways")]

mod place;

use std::fs;
use std::path::Path;

use domain::compare::Selection;
use domain::digest::Digest;
use domain::share::{Scope, State};
use domain::study::{MANIFEST, StudyFolder, load};
use place::Place;
use touchstone_store::{NewShare, Store, StoreError};

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
    a_link_is_found_by_its_secret_and_listed_with_its_study
    views_at_once_are_all_counted
    a_revoked_link_stays_revoked_and_a_row_that_cannot_be_read_says_so
}

async fn a_link_is_found_by_its_secret_and_listed_with_its_study(place: &Place) {
    let store = imported(place).await;
    let sides = ["a:b:c", "run:1"].map(|side| side.parse().unwrap());
    let (first, second) = (made("one", NOW), NewShare { scope: Scope::Version(2), ..made("two", NOW + 1) });
    let third = NewShare {
        scope: Scope::Compare(Selection { base: 1, all_params: true, ..Selection::of(sides) }),
        redacted: false,
        indexed: true,
        author: Some("ci".to_owned()),
        expires_at: None,
        ..made("three", NOW + 2)
    };
    for share in [&first, &second, &third] {
        store.create_share(share).await.unwrap();
    }
    let found = store.share(&first.hash).await.unwrap();
    assert_eq!((found.made, found.views, found.last_viewed_at), (first.clone(), 0, None));
    assert!(matches!(store.share(&Digest::of(b"another")).await, Err(StoreError::NotFound { .. })));
    let of = |shares: Vec<touchstone_store::Share>| shares.into_iter().map(|share| share.made).collect::<Vec<_>>();
    let all = [third, second, first];
    assert_eq!(of(store.shares(&SLUG.into()).await.unwrap()), all, "newest first");
    assert_eq!(of(store.all_shares().await.unwrap()), all);
    assert!(store.shares(&"other".into()).await.unwrap().is_empty());
    let nowhere = NewShare { study: "other".into(), ..made("four", NOW) };
    assert!(matches!(store.create_share(&nowhere).await, Err(StoreError::NotFound { .. })));
    // What is imported again keeps its links.
    store.import(&folder("\n# edited\n"), NOW + 9).await.unwrap();
    assert_eq!(store.all_shares().await.unwrap().len(), 3);
}

async fn views_at_once_are_all_counted(place: &Place) {
    let store = imported(place).await;
    let share = made("one", NOW);
    store.create_share(&share).await.unwrap();
    let views: Vec<_> = (0..20)
        .map(|_| {
            let (store, hash) = (store.clone(), share.hash.clone());
            tokio::spawn(async move { store.share_viewed(&hash, NOW + 7).await })
        })
        .collect();
    for view in views {
        view.await.unwrap().unwrap();
    }
    let seen = store.share(&share.hash).await.unwrap();
    assert_eq!((seen.views, seen.last_viewed_at), (20, Some(NOW + 7)));
}

async fn a_revoked_link_stays_revoked_and_a_row_that_cannot_be_read_says_so(place: &Place) {
    let store = imported(place).await;
    let (one, two) = (made("one", NOW), made("two", NOW));
    store.create_share(&one).await.unwrap();
    store.create_share(&two).await.unwrap();
    let id = store.share(&one.hash).await.unwrap().id().to_owned();
    let revoked = store.revoke_share(Some(&SLUG.into()), &id, NOW + 5).await.unwrap();
    assert_eq!((revoked.revoked_at, revoked.state(NOW)), (Some(NOW + 5), State::Revoked));
    assert_eq!(
        store.revoke_share(None, &id, NOW + 9).await.unwrap().revoked_at,
        Some(NOW + 5),
        "the first time counts"
    );
    assert_eq!(store.share(&one.hash).await.unwrap().revoked_at, Some(NOW + 5));
    let other = store.share(&two.hash).await.unwrap();
    assert_eq!((other.state(NOW), other.state(NOW + 1000)), (State::Open, State::Expired));
    for (study, id) in [(Some("other"), other.id()), (None, "nothing"), (None, ""), (None, &other.id()[..3])] {
        let study = study.map(Into::into);
        assert!(matches!(store.revoke_share(study.as_ref(), id, NOW).await, Err(StoreError::NotFound { .. })), "{id}");
    }
    place.execute(&format!("UPDATE shares SET scope = 'everything' WHERE hash = '{}'", two.hash)).await;
    assert!(matches!(store.share(&two.hash).await, Err(StoreError::Corrupt { .. })));
}

fn made(secret: &str, now: i64) -> NewShare {
    NewShare {
        hash: Digest::of(secret.as_bytes()),
        study: SLUG.into(),
        scope: Scope::Study,
        redacted: true,
        indexed: false,
        label: "客先A".to_owned(),
        author: None,
        created_at: now,
        expires_at: Some(now + 1000),
    }
}

async fn imported(place: &Place) -> Store {
    let store = place.open().await;
    store.import(&folder(""), NOW).await.unwrap();
    store
}

fn folder(more: &str) -> StudyFolder {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../server/demo").join(SLUG);
    let manifest = fs::read_to_string(root.join(MANIFEST)).unwrap() + more;
    load(&manifest, |file| fs::read(root.join(file)).map_err(|error| error.to_string())).unwrap()
}
