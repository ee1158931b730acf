//! Importing a study folder: one transaction, and nothing at all when the same folder was imported before.

use std::collections::BTreeSet;

use domain::digest::Digest;
use domain::id::StudySlug;
use domain::study::StudyFolder;

use crate::db::Db;
use crate::raw::Packed;
use crate::study::{Description, document};
use crate::{Result, note, part, raw, run, upload};

/// What an import did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The study.
    pub slug: StudySlug,
    /// Whether it was there before.
    pub kind: ImportKind,
    /// Runs that are new.
    pub added: usize,
    /// Runs that the folder no longer has.
    pub removed: usize,
    /// Runs that were there already.
    pub kept: usize,
}

/// Whether a study was there before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportKind {
    /// It was not.
    New,
    /// It was, and the folder is the same: nothing was written.
    Unchanged,
    /// It was, and the folder replaced it.
    Updated,
}

pub(crate) async fn import(db: &Db, folder: &StudyFolder, packed: &mut [Packed], now_ms: i64) -> Result<Imported> {
    let study = &folder.data.study;
    let runs = &folder.data.runs;
    let folder_digest = digest(folder);
    let description = Description { study, manifest: &folder.manifest, folder_digest: folder_digest.as_str() };
    let outcome =
        |kind, added, removed| Imported { slug: study.slug.clone(), kind, added, removed, kept: runs.len() - added };

    let mut tx = db.write().await?;
    let before = description.claim(&mut tx, now_ms).await?;
    let kind = match before {
        Some(before) if before.folder_digest == folder_digest.as_str() => {
            return Ok(outcome(ImportKind::Unchanged, 0, 0));
        }
        Some(before) => {
            // Two changes within a millisecond, or a clock that was set back, must not give the same name to two states.
            description.update(&mut tx, now_ms.max(before.updated_at + 1)).await?;
            ImportKind::Updated
        }
        None => ImportKind::New,
    };

    let stored: BTreeSet<String> = run::folder_ids(&mut tx, &study.slug).await?.into_iter().collect();
    let named: BTreeSet<&str> = runs.iter().map(|run| run.id.as_str()).collect();
    part::put(&mut tx, study).await?;
    // In the order of their digests: two imports that share raw outputs cannot each wait for the other.
    let mut raw: Vec<_> = folder.raw.iter().collect();
    raw.sort_by_key(|(digest, _)| digest);
    for (digest, bytes) in raw {
        raw::put_whole(&mut tx, digest, bytes, now_ms).await?;
    }
    packed.sort_by(|one, other| one.digest.cmp(&other.digest));
    for packed in packed {
        raw::put(&mut tx, packed, now_ms).await?;
    }
    for (position, run) in (0..).zip(runs) {
        run::put(&mut tx, run, &study.slug, position, None, now_ms).await?;
    }
    note::import(&mut tx, folder).await?;
    let gone: Vec<&String> = stored.iter().filter(|id| !named.contains(id.as_str())).collect();
    for id in &gone {
        run::remove(&mut tx, id).await?;
    }
    part::remove_others(&mut tx, study).await?;
    if !gone.is_empty() {
        upload::forget(&mut tx, study.slug.as_str()).await?;
    }
    tx.commit().await?;
    let added = named.iter().filter(|id| !stored.contains(**id)).count();
    Ok(outcome(kind, added, gone.len()))
}

/// Over the description as received and all that was read from the folder, so that a newer reader that sees more in the
/// same raw outputs counts as a change. The raw outputs themselves are in it by their digests.
fn digest(folder: &StudyFolder) -> Digest {
    Digest::of(format!("{}\n{}", Digest::of(folder.manifest.as_bytes()), document(&folder.data)).as_bytes())
}
