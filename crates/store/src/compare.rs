//! The studies that a comparison is built from.

use std::collections::BTreeSet;

use domain::compare::{Selection, Subject};
use domain::id::StudySlug;
use domain::study::StudyData;

use crate::db::Tx;
use crate::{Result, StoreError, run, study};

/// Every study that a selection names, or of whose runs it names one; what is not stored is left out. A study is read once
/// however many of its runs are asked for, so the number of queries follows that of studies (and of runs that are gone).
pub(crate) async fn studies(tx: &mut Tx, selection: &Selection) -> Result<Vec<StudyData>> {
    let mut slugs = BTreeSet::new();
    let mut found: Vec<StudyData> = Vec::new();
    // Runs last: most are of studies that are named beside them.
    for subject in &selection.subjects {
        if let Subject::Variant { study, .. } = subject {
            add(tx, study, &mut slugs, &mut found).await?;
        }
    }
    for subject in &selection.subjects {
        let Subject::Run(id) = subject else { continue };
        if found.iter().flat_map(|data| &data.runs).any(|run| run.id == *id) {
            continue;
        }
        if let Some((slug, _)) = stored(run::one(tx, id).await)? {
            add(tx, &slug, &mut slugs, &mut found).await?;
        }
    }
    Ok(found)
}

async fn add(tx: &mut Tx, slug: &StudySlug, slugs: &mut BTreeSet<StudySlug>, found: &mut Vec<StudyData>) -> Result<()> {
    if slugs.insert(slug.clone()) {
        found.extend(stored(study::one(tx, slug).await)?.map(|stored| stored.data));
    }
    Ok(())
}

/// What is not stored is none, and no failure.
fn stored<T>(read: Result<T>) -> Result<Option<T>> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(StoreError::NotFound { .. }) => Ok(None),
        Err(error @ (StoreError::Conflict(_) | StoreError::Unavailable { .. } | StoreError::Corrupt { .. })) => {
            Err(error)
        }
    }
}
