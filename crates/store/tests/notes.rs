//! Notes: written, kept, fought over and brought back, on SQLite and on PostgreSQL by the same words.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where it stopped")]
#![expect(dead_code, reason = "the story of studies looks behind the store's back in more ways")]

mod place;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use domain::digest::Digest;
use domain::id::StudySlug;
use domain::note::Target;
use domain::parse;
use domain::run::Measurement;
use domain::study::{Localized, MANIFEST, StudyData, StudyFolder, load};
use domain::text::Lang;
use place::Place;
use touchstone_store::{ImportKind, Note, NoteEdit, NotesSaved, Packed, Store, StoreError, Upload, UploadedFile};

const SLUG: &str = "qwen3-14b-h100";
/// 2026-11-30.
const NOW: i64 = 1_796_000_000_000;
const FP8: &str = "id = \"fp8\"";
const RUN: &str = "file = \"runs/02-sglang-sharegpt.txt\"";

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
    what_was_written_stands_over_the_folder_wherever_a_study_is_read
    imports_uploads_and_reparses_leave_notes_alone
    the_slower_of_two_people_is_told_and_nothing_is_lost
    every_text_stays_in_the_history
    a_note_on_what_the_study_never_had_is_refused
    twenty_people_at_once_make_one_note_and_nineteen_conflicts
}

async fn what_was_written_stands_over_the_folder_wherever_a_study_is_read(place: &Place) {
    let store = place.open().await;
    let folder = noted();
    store.import(&folder, NOW).await.unwrap();
    assert_eq!(store.study(&SLUG.into()).await.unwrap().data, folder.data, "notes of runs, too");
    let run = folder.data.runs.iter().find(|run| run.file.contains("02-")).unwrap().clone();
    assert_eq!(store.run(&run.id).await.unwrap(), (slug(), run.clone()));

    let on = [Target::Study, Target::Step("quantization".into()), variant(), Target::Run(run.id.clone())];
    let mut expected = folder.data.clone();
    for target in &on {
        let text = format!("`{target}` in English");
        let before = folder.data.notes(target).unwrap().own(Lang::En).unwrap_or_default();
        assert_eq!(save(&store, target, &[edit(Lang::En, &text, 0, before)]).await, NotesSaved::Saved(vec![Lang::En]));
        expected.put_note(target, Lang::En, &text);
    }
    let stored = store.study(&SLUG.into()).await.unwrap();
    assert_eq!(stored.data, expected);
    assert_eq!(stored.updated_at, NOW + 4, "each is a state of its own");
    assert_eq!(stored.data.notes(&variant()).unwrap().own(Lang::Ja), Some("フォルダー"), "the other language stays");
    assert_eq!(store.studies().await.unwrap(), [stored]);
    assert_eq!(
        store.run(&run.id).await.unwrap().1.notes,
        expected.runs.iter().find(|one| one.id == run.id).unwrap().notes
    );

    // Editors see both.
    let notes = store.notes(&SLUG.into()).await.unwrap();
    assert_eq!(notes.study.data, folder.data);
    let about: Vec<_> = notes.written.iter().map(|note| (note.target.to_string(), note.about.is_some())).collect();
    let id = format!("run:{}", run.id);
    assert_eq!(
        about,
        [(id, true), ("step:quantization".into(), false), ("study".into(), false), ("variant:fp8".into(), false)]
    );
    // An empty text takes the folder's note away, too.
    let folder_text = folder.data.notes(&variant()).unwrap().own(Lang::Ja).unwrap();
    save(&store, &variant(), &[edit(Lang::Ja, "", 0, folder_text)]).await;
    assert_eq!(store.study(&SLUG.into()).await.unwrap().data.notes(&variant()).unwrap().own(Lang::Ja), None);
}

async fn imports_uploads_and_reparses_leave_notes_alone(place: &Place) {
    let store = place.open().await;
    let folder = noted();
    store.import(&folder, NOW).await.unwrap();
    let gone = folder.data.runs.iter().find(|run| run.file.contains("15-")).unwrap().clone();
    let stays = folder.data.runs.iter().find(|run| run.file.contains("02-")).unwrap().clone();
    let (gone_on, stays_on) = (Target::Run(gone.id.clone()), Target::Run(stays.id.clone()));
    for target in [&gone_on, &stays_on, &variant(), &Target::Step("quantization".into())] {
        let of_folder = folder.data.notes(target).unwrap().own(Lang::En).unwrap_or_default();
        save(&store, target, &[edit(Lang::En, "kept", 0, of_folder)]).await;
    }
    let written = store.notes(&slug()).await.unwrap().written;
    assert_eq!(written.len(), 4);

    // A folder that has dropped the run, the step and its own notes.
    let dropped = edited(|manifest| {
        let (before, last) = manifest.rsplit_once("[[runs]]").unwrap();
        assert!(last.contains("15-random-128-optimized.txt"));
        let (start, rest) = before.split_once("[[steps]]\nid = \"quantization\"").unwrap();
        let (_, after) = rest.split_once("[[").unwrap();
        format!("{start}[[{after}")
    });
    assert_eq!(store.import(&dropped, NOW + 1000).await.unwrap().kind, ImportKind::Updated);
    assert_eq!(store.notes(&slug()).await.unwrap().written, written);
    let data = store.study(&slug()).await.unwrap().data;
    assert_eq!((data.notes(&gone_on), data.notes(&Target::Step("quantization".into()))), (None, None));
    assert_eq!(data.notes(&variant()).unwrap(), &Localized { ja: None, en: Some("kept".into()) });
    // What the study no longer has can still be edited.
    let orphan = written.iter().find(|note| note.target == gone_on).unwrap();
    assert!(orphan.about.as_ref().unwrap().ends_with("15-random-128-optimized.txt"), "{orphan:?}");
    assert_eq!(save(&store, &gone_on, &[edit(Lang::En, "kept on", orphan.revision, "")]).await, saved(Lang::En));
    // And it comes back with it.
    store.import(&folder, NOW + 2000).await.unwrap();
    let data = store.study(&slug()).await.unwrap().data;
    assert_eq!(data.notes(&gone_on).unwrap().own(Lang::En), Some("kept on"));
    assert_eq!(data.notes(&variant()).unwrap(), &Localized { ja: Some("フォルダー".into()), en: Some("kept".into()) });

    // An upload that adds to the study and describes it.
    upload(&store).await;
    let after_upload = store.study(&slug()).await.unwrap().data;
    assert_eq!(after_upload.runs.len(), data.runs.len() + 1);
    assert_eq!(notes_of(&after_upload, &data), notes_of(&data, &data));
    // A reader that sees something else in every raw output, and one run less.
    let mut read: BTreeMap<Digest, _> = BTreeMap::new();
    for (digest, bytes) in &folder.raw {
        let mut runs = parse::parse(bytes).unwrap().runs;
        for run in &mut runs {
            run.metrics.duration = None;
        }
        if *digest == stays.digest {
            runs.clear();
        }
        read.insert(digest.clone(), runs);
    }
    let outcome = store.reparse(&slug(), &read, false, NOW + 3000).await.unwrap();
    assert_eq!(outcome.gone, std::slice::from_ref(&stays.id));
    assert!(!outcome.changed.is_empty());
    let reread: Vec<Note> = store.notes(&slug()).await.unwrap().written;
    assert_eq!(reread.iter().map(|note| note.text.as_str()).collect::<Vec<_>>(), texts(&reread, &gone_on));
    assert!(reread.iter().any(|note| note.target == stays_on), "its run is gone, the note is not");
    assert_eq!(store.study(&slug()).await.unwrap().data.notes(&variant()), data.notes(&variant()));
}

async fn the_slower_of_two_people_is_told_and_nothing_is_lost(place: &Place) {
    let store = place.open().await;
    store.import(&noted(), NOW).await.unwrap();
    // Both open the form when nothing has been written here.
    let form = |ja: &str, en: &str| [edit(Lang::Ja, ja, 0, "フォルダー"), edit(Lang::En, en, 0, "")];
    assert_eq!(save(&store, &variant(), &form("一", "one")).await, NotesSaved::Saved(vec![Lang::Ja, Lang::En]));
    let outcome = save(&store, &variant(), &form("二", "two")).await;
    assert_eq!(outcome, NotesSaved::Conflict { both: vec![Lang::Ja, Lang::En], theirs: vec![] });
    // Where one of them left a language alone, only the other is fought over; where it is the same text, nothing is.
    let outcome = save(&store, &variant(), &form("フォルダー", "two")).await;
    assert_eq!(outcome, NotesSaved::Conflict { both: vec![Lang::En], theirs: vec![Lang::Ja] });
    assert_eq!(save(&store, &variant(), &form("一", "one")).await, NotesSaved::Saved(vec![]));
    assert_eq!(save(&store, &variant(), &form("フォルダー", "")).await, NotesSaved::Saved(vec![]));
    let data = store.study(&slug()).await.unwrap().data;
    assert_eq!(data.notes(&variant()).unwrap(), &Localized { ja: Some("一".into()), en: Some("one".into()) });

    // Saving again over the newer one is meant, and the newer one is in the history.
    let ja = note(&store, Lang::Ja).await;
    assert_eq!(ja.revision, 2, "the folder's note came first");
    assert_eq!(save(&store, &variant(), &[edit(Lang::Ja, "二", 2, "フォルダー")]).await, saved(Lang::Ja));
    assert_eq!(store.note_text(&slug(), &variant(), Lang::Ja, 1).await.unwrap(), "フォルダー");
    assert_eq!(store.note_text(&slug(), &variant(), Lang::Ja, 2).await.unwrap(), "一");
    assert_eq!(store.note_text(&slug(), &variant(), Lang::Ja, 3).await.unwrap(), "二");
    // Two people of whom each changes one language do not meet.
    assert_eq!(
        save(&store, &variant(), &[edit(Lang::Ja, "三", 3, ""), edit(Lang::En, "one", 1, "")]).await,
        saved(Lang::Ja)
    );
    assert_eq!(
        save(&store, &variant(), &[edit(Lang::Ja, "二", 3, ""), edit(Lang::En, "two", 1, "")]).await,
        saved(Lang::En)
    );
    // A base that never was is no excuse.
    let outcome = save(&store, &variant(), &[edit(Lang::Ja, "x", 99, "")]).await;
    assert_eq!(outcome, NotesSaved::Conflict { both: vec![Lang::Ja], theirs: vec![] });
}

async fn every_text_stays_in_the_history(place: &Place) {
    let store = place.open().await;
    store.import(&noted(), NOW).await.unwrap();
    let on = variant();
    let write = async |text: &str, base, folder: &str, author: Option<&str>, restored| {
        let edit = NoteEdit { restored, ..edit(Lang::Ja, text, base, folder) };
        store.save_notes(&slug(), &on, &[edit], author, NOW + 5).await.unwrap()
    };
    write("一", 0, "フォルダー", Some("alice"), None).await;
    write("", 2, "フォルダー", None, None).await;
    write("一", 3, "フォルダー", Some("bob"), Some(2)).await;
    let all = store.note_revisions(&slug(), &on, Lang::Ja).await.unwrap();
    let told: Vec<_> = all
        .iter()
        .map(|one| (one.revision, one.characters, one.of_folder, one.author.as_deref(), one.restored))
        .collect();
    assert_eq!(
        told,
        [
            (4, 1, false, Some("bob"), Some(2)),
            (3, 0, false, None, None),
            (2, 1, false, Some("alice"), None),
            (1, 5, true, None, None)
        ]
    );
    assert!(all.iter().all(|one| one.at == NOW + 5));
    assert_eq!(note(&store, Lang::Ja).await.author.as_deref(), Some("bob"));

    // The folder's note changes: the one written here stands, and whoever looks sees that the folder's is another.
    let other = edited(|manifest| manifest.replacen(FP8, &format!("{FP8}\nnotes = {{ ja = \"新しい\" }}"), 1));
    store.import(&other, NOW + 10).await.unwrap();
    let notes = store.notes(&slug()).await.unwrap();
    assert_eq!(notes.study.data.notes(&on).unwrap().own(Lang::Ja), Some("新しい"));
    assert_eq!(notes.written[0].folder, Digest::of("フォルダー".as_bytes()));
    assert_eq!(store.study(&slug()).await.unwrap().data.notes(&on).unwrap().own(Lang::Ja), Some("一"));
    // The next edit puts it into the history first.
    assert_eq!(write("三", 4, "新しい", None, None).await, saved(Lang::Ja));
    assert_eq!(store.note_text(&slug(), &on, Lang::Ja, 5).await.unwrap(), "新しい");
    assert_eq!(note(&store, Lang::Ja).await.revision, 6);
    let missing = store.note_text(&slug(), &on, Lang::En, 1).await.unwrap_err();
    assert!(matches!(missing, StoreError::NotFound { .. }), "{missing}");
}

async fn a_note_on_what_the_study_never_had_is_refused(place: &Place) {
    let store = place.open().await;
    store.import(&noted(), NOW).await.unwrap();
    for target in ["step:none", "variant:fp9", "run:00000000000000000000", "run:'; DROP TABLE notes; --"] {
        let target = Target::parse(target).unwrap();
        let error = store.save_notes(&slug(), &target, &[edit(Lang::En, "x", 0, "")], None, NOW).await.unwrap_err();
        assert!(matches!(error, StoreError::NotFound { .. }), "{error}");
    }
    let error = store.save_notes(&"none".into(), &Target::Study, &[], None, NOW).await.unwrap_err();
    assert!(matches!(error, StoreError::NotFound { .. }), "{error}");
    assert_eq!((place.count("notes").await, place.count("note_revisions").await), (0, 0));
}

async fn twenty_people_at_once_make_one_note_and_nineteen_conflicts(place: &Place) {
    let store = place.open().await;
    store.import(&noted(), NOW).await.unwrap();
    let all = (0..20).map(|who| {
        let store = store.clone();
        tokio::spawn(async move {
            let edits = [edit(Lang::En, &format!("text {who}"), 0, "")];
            store.save_notes(&slug(), &Target::Study, &edits, None, NOW).await.unwrap()
        })
    });
    let mut conflicts = 0;
    for one in all.collect::<Vec<_>>() {
        match one.await.unwrap() {
            NotesSaved::Saved(langs) => assert_eq!(langs, [Lang::En]),
            NotesSaved::Conflict { both, .. } => {
                assert_eq!(both, [Lang::En]);
                conflicts += 1;
            }
        }
    }
    assert_eq!(conflicts, 19);
    assert_eq!(place.count("note_revisions").await, 1);
}

fn slug() -> StudySlug {
    SLUG.into()
}

fn variant() -> Target {
    Target::Variant("fp8".into())
}

fn saved(lang: Lang) -> NotesSaved {
    NotesSaved::Saved(vec![lang])
}

/// `folder` is the folder's note that the form showed.
fn edit(lang: Lang, text: &str, base: u64, folder: &str) -> NoteEdit {
    NoteEdit { lang, text: text.to_owned(), base, folder: Digest::of(folder.as_bytes()), restored: None }
}

async fn save(store: &Store, on: &Target, edits: &[NoteEdit]) -> NotesSaved {
    store.save_notes(&slug(), on, edits, None, NOW).await.unwrap()
}

async fn note(store: &Store, lang: Lang) -> Note {
    let written = store.notes(&slug()).await.unwrap().written;
    written.into_iter().find(|note| note.target == variant() && note.lang == lang).unwrap()
}

/// What the notes on the run that is gone, and on the others, say.
fn texts<'a>(all: &[Note], gone: &Target) -> Vec<&'a str> {
    all.iter().map(|note| if note.target == *gone { "kept on" } else { "kept" }).collect()
}

fn notes_of(data: &StudyData, like: &StudyData) -> Vec<Localized> {
    like.targets().iter().map(|target| data.notes(target).unwrap().clone()).collect()
}

fn edited(edit: impl Fn(&str) -> String) -> StudyFolder {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../server/demo").join(SLUG);
    let manifest = edit(&fs::read_to_string(dir.join(MANIFEST)).unwrap());
    load(&manifest, |file| fs::read(dir.join(file)).map_err(|error| error.to_string())).unwrap()
}

/// The reference study with notes on a variant and on a run.
fn noted() -> StudyFolder {
    edited(|manifest| {
        assert!(manifest.matches(FP8).count() == 1 && manifest.matches(RUN).count() == 1);
        let manifest = manifest.replacen(FP8, &format!("{FP8}\nnotes = {{ ja = \"フォルダー\" }}"), 1);
        manifest.replacen(RUN, &format!("{RUN}\nnotes = {{ en = \"of the folder\" }}"), 1)
    })
}

/// Sends a result that belongs to the variant, described once more.
async fn upload(store: &Store) {
    let sent = serde_json::json!({ "study": SLUG, "variant": "fp8", "profile": "sharegpt" });
    let envelope = serde_json::from_value(sent).unwrap();
    let upload = Upload { id: "u".into(), envelope, token: None, document: "{}".into(), started_at: None };
    let text = "============ Serving Benchmark Result ============\nSuccessful requests: 1000\n\
                Benchmark duration (s): 77.00\nTotal input tokens: 200000\nTotal generated tokens: 100000\n\
                Mean TTFT (ms): 31.00\n==================================================\n";
    let raw = Packed::pack(&mut text.as_bytes(), &std::env::temp_dir()).unwrap();
    let runs: Vec<Measurement> = parse::parse(text.as_bytes()).unwrap().runs;
    let file = UploadedFile { name: "run.txt".into(), raw, runs, answers: None };
    store.upload(&Arc::new(upload), file, NOW + 2500).await.unwrap();
}
