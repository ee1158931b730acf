//! What newer readers see in raw outputs that are stored already: runs are added, changed or gone, a study at a time.

use std::collections::{BTreeMap, BTreeSet};

use domain::digest::Digest;
use domain::id::{RunId, StudySlug};
use domain::run::{Measurement, Run, run_id, same_run};

use crate::db::{Db, Tx, on};
use crate::study::{self, document};
use crate::{Result, StoreError, run, upload};

const PLACES: &str = "SELECT id, position, upload FROM runs WHERE study = $1";
const FORMS: &str = "SELECT run_forms.digest, run_forms.raw_index, runs.variant, runs.profile FROM run_forms \
     JOIN runs ON runs.id = run_forms.run WHERE runs.study = $1";
const OTHER_FORMS: &str = "SELECT run_forms.run, run_forms.digest, run_forms.raw_index, run_forms.file FROM run_forms \
     JOIN runs ON runs.id = run_forms.run WHERE runs.study = $1 ORDER BY run_forms.run, run_forms.created_at, \
     run_forms.digest, run_forms.raw_index";

/// Another form of a run: where the same measurement stands a second time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// The run, which was read from another raw output.
    pub run: RunId,
    /// The raw output of this form.
    pub digest: Digest,
    /// The place among its results, from 0.
    pub index: u32,
    /// Its name as it was sent.
    pub file: String,
}

/// Other forms of a study's runs.
pub(crate) async fn other_forms(tx: &mut Tx, slug: &StudySlug) -> Result<Vec<Form>> {
    let rows: Vec<(String, String, i64, String)> =
        on!(tx, db => sqlx::query_as(OTHER_FORMS).bind(slug.as_str()).fetch_all(db).await)?;
    let form = |(run, digest, index, file): (String, String, i64, String)| {
        let corrupt = |reason: String| StoreError::corrupt("form of a run", &run, reason);
        let digest = Digest::from_hex(&digest).ok_or_else(|| corrupt(format!("\"{digest}\" is no digest")))?;
        let index = u32::try_from(index).map_err(|_| corrupt(format!("{index} is no index")))?;
        Ok(Form { run: RunId::new(run), digest, index, file })
    };
    rows.into_iter().map(form).collect()
}

/// What reading a study's raw outputs again changed, or would change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reparsed {
    /// Results that were not seen before.
    pub added: Vec<RunId>,
    /// Runs of which something else is read.
    pub changed: Vec<RunId>,
    /// Runs that are no longer read.
    pub gone: Vec<RunId>,
    /// Runs that are as they were.
    pub unchanged: usize,
}

/// `read` is what readers see now, by raw output. Runs of raw outputs that are not in it stay as they are.
pub(crate) async fn reparse(
    db: &Db,
    slug: &StudySlug,
    read: &BTreeMap<Digest, Vec<Measurement>>,
    dry_run: bool,
    now_ms: i64,
) -> Result<Reparsed> {
    let mut tx = db.write().await?;
    let before = study::lock(&mut tx, slug.as_str()).await?;
    let before = before.ok_or_else(|| StoreError::not_found("study", slug.as_str()))?;
    let stored: Vec<Run> = run::of_study(&mut tx, Some(slug.as_str())).await?.into_iter().map(|(_, run)| run).collect();
    let places = places(&mut tx, slug).await?;
    let forms = forms(&mut tx, slug).await?;
    let mut last = places.values().map(|(position, _)| *position).max().unwrap_or_default();
    let mut outcome = Reparsed::default();

    // The runs of one raw output under one variant and profile go together.
    let mut groups = BTreeMap::<_, Vec<&Run>>::new();
    for run in &stored {
        groups.entry((&run.digest, &run.variant, &run.profile)).or_default().push(run);
    }
    for ((digest, variant, profile), runs) in groups {
        let Some(measurements) = read.get(digest) else {
            outcome.unchanged += runs.len();
            continue;
        };
        let place = |run: &Run| {
            let place = places.get(run.id.as_str()).cloned();
            place.ok_or_else(|| StoreError::corrupt("run", run.id.as_str(), "it is there and not there"))
        };
        for run in &runs {
            let (position, upload) = place(run)?;
            match measurements.get(run.index as usize) {
                None => {
                    run::remove(&mut tx, run.id.as_str()).await?;
                    outcome.gone.push(run.id.clone());
                }
                Some(now) if document(now) == document(&run.measurement) => outcome.unchanged += 1,
                Some(now) => {
                    let run = Run { measurement: now.clone(), ..(*run).clone() };
                    run::put(&mut tx, &run, slug, position, upload.as_deref(), now_ms).await?;
                    outcome.changed.push(run.id);
                }
            }
        }
        let sibling = runs[0];
        let (_, upload) = place(sibling)?;
        for (index, now) in (0_u32..).zip(measurements) {
            let form = (digest.to_string(), i64::from(index), variant.to_string(), profile.to_string());
            let elsewhere = |other: &Run| {
                other.digest != *digest
                    && (&other.variant, &other.profile) == (variant, profile)
                    && same_run(now, &other.measurement)
            };
            if runs.iter().any(|run| run.index == index) || forms.contains(&form) || stored.iter().any(elsewhere) {
                continue;
            }
            last += 1;
            let id = run_id(slug, variant, profile, digest, index);
            let run = Run { id, index, measurement: now.clone(), ..sibling.clone() };
            run::put(&mut tx, &run, slug, last, upload.as_deref(), now_ms).await?;
            outcome.added.push(run.id);
        }
    }
    let touched = !(outcome.added.is_empty() && outcome.changed.is_empty() && outcome.gone.is_empty());
    if touched && !dry_run {
        upload::forget(&mut tx, slug.as_str()).await?;
        study::touch(&mut tx, slug.as_str(), now_ms.max(before.updated_at + 1)).await?;
        tx.commit().await?;
    }
    Ok(outcome)
}

async fn places(tx: &mut Tx, slug: &StudySlug) -> Result<BTreeMap<String, (i64, Option<String>)>> {
    let rows: Vec<(String, i64, Option<String>)> =
        on!(tx, db => sqlx::query_as(PLACES).bind(slug.as_str()).fetch_all(db).await)?;
    Ok(rows.into_iter().map(|(id, position, upload)| (id, (position, upload))).collect())
}

async fn forms(tx: &mut Tx, slug: &StudySlug) -> Result<BTreeSet<(String, i64, String, String)>> {
    let rows: Vec<(String, i64, String, String)> =
        on!(tx, db => sqlx::query_as(FORMS).bind(slug.as_str()).fetch_all(db).await)?;
    Ok(rows.into_iter().collect())
}
