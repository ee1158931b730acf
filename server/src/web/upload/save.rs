//! From the filled form to stored runs: the same envelopes that the API gets, through the same ingest. Everything is
//! planned before anything is stored, so that a fault in one file leaves all of them waiting.

use std::collections::BTreeSet;
use std::fs::File;

use app::upload::{Fault, Part, Saved, SavedRun, Sheet, Waiting, assign, chosen_study, field_of};
use domain::id::{RunId, StudySlug};
use domain::run::run_id;
use domain::study::Study;
use domain::text::upload::{Notice, Wrong};
use domain::upload::{Refusal, plan};
use store::{Store, StoreError};

use super::held::Held;
use super::receive::Refused;
use crate::ingest::{Ingest, IngestError, UploadAnswer};
use crate::spool::Spooled;

/// Stores what waits; the faults are the reader's to put right.
pub async fn save(
    ingest: &Ingest,
    held: &Held,
    waiting: &Waiting,
    token: Option<String>,
    now_ms: i64,
) -> Result<Saved, Vec<Fault>> {
    let all = |wrong| vec![Fault { field: None, wrong }];
    let broken = |error: StoreError| all(Wrong::Notice(from_store(&error)));
    let heads = ingest.store.heads().await.map_err(broken)?;
    let study = match chosen_study(&waiting.files, &waiting.choices, &heads) {
        Some((head, _)) => Some(ingest.store.study(&head.slug).await.map_err(broken)?.data.study),
        None => None,
    };
    let sheet = Sheet::of(&waiting.files, &waiting.choices, study.as_ref(), false);
    let taken: Vec<&str> = heads.iter().map(|head| head.slug.as_str()).collect();
    let parts = assign(&sheet, &taken)?;
    let before = before(&ingest.store, waiting, &parts, study).await?;

    let mut saved = Saved::default();
    for part in parts {
        let mut files = Vec::with_capacity(part.files.len());
        for &at in &part.files {
            let opened = held.file(&waiting.id, at).map(File::open);
            let file = match opened {
                Some(Ok(file)) => file,
                Some(Err(error)) => return Err(all(incident(&error))),
                None => return Err(all(incident(&"the preview's id is none"))),
            };
            files.push(Spooled::unpacked(waiting.files[at].name.clone(), file));
        }
        let first = part.files[0];
        match ingest.upload(part.envelope, files, token.clone(), now_ms).await {
            Ok(answer) => add(&mut saved, answer, &before),
            // Files that could be read before: a newer reader, or a disk that forgets. Said like any rejection.
            Err(IngestError::AllRejected(answer)) => add(&mut saved, *answer, &before),
            Err(IngestError::Refused(refusal)) => return Err(vec![refused(refusal, first)]),
            Err(IngestError::TooLarge(limit, file)) => {
                return Err(all(Wrong::Notice(Refused::limit(limit, file).0)));
            }
            Err(IngestError::Store(error)) => return Err(broken(error)),
            Err(IngestError::Failed(cause)) => return Err(all(incident(&cause))),
        }
    }
    Ok(saved)
}

/// Plans all parts, one after the other, and says which of their runs are stored already.
async fn before(
    store: &Store,
    waiting: &Waiting,
    parts: &[Part],
    mut study: Option<Study>,
) -> Result<BTreeSet<String>, Vec<Fault>> {
    let mut there = BTreeSet::new();
    for part in parts {
        part.envelope.check().map_err(|refusal| vec![refused(refusal, part.files[0])])?;
        let runs = waiting.files[part.files[0]].read().map_or(&[][..], |read| &read.runs);
        let plan = plan(&part.envelope, study.as_ref(), runs);
        if !plan.new_study {
            for file in part.files.iter().map(|at| &waiting.files[*at]) {
                for index in 0..file.read().map_or(0, |read| read.count) {
                    let index = u32::try_from(index).unwrap_or(u32::MAX);
                    let id = run_id(&plan.study.slug, &plan.variant, &plan.profile, &file.digest, index);
                    if is_stored(store, &id, &plan.study.slug).await? {
                        there.insert(id.to_string());
                    }
                }
            }
        }
        study = Some(plan.study);
    }
    Ok(there)
}

async fn is_stored(store: &Store, id: &RunId, slug: &StudySlug) -> Result<bool, Vec<Fault>> {
    match store.run(id).await {
        Ok((study, _)) => Ok(study == *slug),
        Err(StoreError::NotFound { .. }) => Ok(false),
        Err(error) => Err(vec![Fault { field: None, wrong: Wrong::Notice(from_store(&error)) }]),
    }
}

fn add(saved: &mut Saved, answer: UploadAnswer, before: &BTreeSet<String>) {
    saved.study = answer.study;
    saved.rejections.extend(answer.rejections.into_iter().map(|rejection| (rejection.file, rejection.reason)));
    for warning in answer.warnings {
        let one = (warning.file, warning.message);
        // Parts of one upload say the same of their study.
        if !saved.warnings.contains(&one) {
            saved.warnings.push(one);
        }
    }
    for run in answer.runs {
        if saved.runs.iter().any(|known| known.id == run.id) {
            continue;
        }
        saved.runs.push(SavedRun {
            before: before.contains(&run.id),
            id: run.id,
            file: run.file,
            index: run.index,
            variant: run.variant,
            profile: run.profile,
        });
    }
}

fn refused(refusal: Refusal, at: usize) -> Fault {
    let field = field_of(&refusal.path, at);
    let expected = refusal.expected.map(|expected| format!(" ({expected})")).unwrap_or_default();
    Fault { field, wrong: Wrong::Refused(format!("{}{expected}", refusal.reason)) }
}

fn from_store(error: &StoreError) -> Notice {
    match error {
        StoreError::Conflict(_) => Notice::Conflict,
        StoreError::NotFound { .. } | StoreError::Unavailable { .. } | StoreError::Corrupt { .. } => {
            Refused::incident(error).0
        }
    }
}

fn incident(cause: &dyn std::fmt::Display) -> Wrong {
    Wrong::Notice(Refused::incident(cause).0)
}
