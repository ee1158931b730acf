//! Runs. The document holds the measurement; figures stand beside it in columns to sort and filter by.

use std::sync::LazyLock;

use domain::digest::Digest;
use domain::id::{ProfileId, RunId, StudySlug, VariantId};
use domain::metrics::{Latency, Stat};
use domain::recompute::recompute;
use domain::run::{Measurement, Run};
use domain::study::Localized;

use crate::db::{Many, Tx, on};
use crate::study::document;
use crate::{Result, StoreError};

const NOUN: &str = "run";
/// Brought by a study folder.
const FOLDER: &str = "folder";
/// Brought by an upload; an import leaves it alone.
const UPLOAD: &str = "upload";

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, study, variant, profile, file, digest, raw_index, server_start, started_at, document FROM runs ",
            $rest
        )
    };
}

const ONE: &str = select!("WHERE id = $1");
const OF_STUDY: &str = select!("WHERE study = $1 ORDER BY position, id");
const ALL: &str = select!("ORDER BY study, position, id");
const FOLDER_IDS: &str = "SELECT id FROM runs WHERE study = $1 AND origin = 'folder' ORDER BY id";
const REMOVE: &str = "DELETE FROM runs WHERE id = $1";
/// Columns that are the same for all runs of one raw output under one variant and profile.
const SHARED: [&str; 10] =
    ["study", "variant", "profile", "origin", "file", "digest", "server_start", "started_at", "created_at", "upload"];
/// Columns of a run's own.
const OWN: [&str; 16] = [
    "id",
    "position",
    "raw_index",
    "document",
    "request_throughput",
    "output_throughput",
    "total_token_throughput",
    "ttft_mean_ms",
    "ttft_p99_ms",
    "tpot_mean_ms",
    "tpot_p99_ms",
    "e2el_mean_ms",
    "recomputed_request_throughput",
    "recomputed_output_throughput",
    "recomputed_total_token_throughput",
    "duration_s",
];
/// Study, variant, profile, digest and index follow from the id, so a run that is there keeps them. It keeps its origin
/// too: what was uploaded stays when a folder that had it as well drops it.
const PUT_CONFLICT: &str = "ON CONFLICT (id) DO UPDATE SET position = excluded.position, file = excluded.file, \
     duration_s = excluded.duration_s, \
     server_start = excluded.server_start, started_at = excluded.started_at, document = excluded.document, \
     request_throughput = excluded.request_throughput, output_throughput = excluded.output_throughput, \
     total_token_throughput = excluded.total_token_throughput, ttft_mean_ms = excluded.ttft_mean_ms, \
     ttft_p99_ms = excluded.ttft_p99_ms, tpot_mean_ms = excluded.tpot_mean_ms, tpot_p99_ms = excluded.tpot_p99_ms, \
     e2el_mean_ms = excluded.e2el_mean_ms, recomputed_request_throughput = excluded.recomputed_request_throughput, \
     recomputed_output_throughput = excluded.recomputed_output_throughput, \
     recomputed_total_token_throughput = excluded.recomputed_total_token_throughput";
/// Shared columns are parameters 1 to 10 of every row.
static PUT: LazyLock<Many> = LazyLock::new(|| {
    Many::new(|rows| {
        let parameters = |from: usize, count: usize| (from..from + count).map(|at| format!("${at}"));
        let row = |row: usize| {
            let own = parameters(1 + SHARED.len() + row * OWN.len(), OWN.len());
            format!("({})", parameters(1, SHARED.len()).chain(own).collect::<Vec<_>>().join(", "))
        };
        let columns = [SHARED.as_slice(), &OWN].concat().join(", ");
        let rows = (0..rows).map(row).collect::<Vec<_>>().join(", ");
        format!("INSERT INTO runs ({columns}) VALUES {rows} {PUT_CONFLICT}")
    })
});

#[derive(sqlx::FromRow)]
struct RunRow {
    id: String,
    study: String,
    variant: String,
    profile: String,
    file: String,
    digest: String,
    raw_index: i64,
    server_start: Option<String>,
    started_at: Option<i64>,
    document: String,
}

impl TryFrom<RunRow> for (StudySlug, Run) {
    type Error = StoreError;

    fn try_from(row: RunRow) -> Result<Self> {
        let corrupt = |reason: String| StoreError::corrupt(NOUN, &row.id, reason);
        let measurement: Measurement =
            serde_json::from_str(&row.document).map_err(|error| corrupt(error.to_string()))?;
        let digest =
            Digest::from_hex(&row.digest).ok_or_else(|| corrupt(format!("\"{}\" is no digest", row.digest)))?;
        let index = u32::try_from(row.raw_index).map_err(|_| corrupt(format!("{} is no index", row.raw_index)))?;
        let run = Run {
            id: RunId::new(row.id),
            variant: VariantId::new(row.variant),
            profile: ProfileId::new(row.profile),
            file: row.file,
            digest,
            index,
            start: row.server_start,
            started_at: row.started_at,
            // Filled in by whoever shows it.
            notes: Localized::default(),
            measurement,
        };
        Ok((StudySlug::new(row.study), run))
    }
}

pub(crate) async fn one(tx: &mut Tx, id: &RunId) -> Result<(StudySlug, Run)> {
    let row: Option<RunRow> = on!(tx, db => sqlx::query_as(ONE).bind(id.as_str()).fetch_optional(db).await)?;
    row.ok_or_else(|| StoreError::not_found(NOUN, id.as_str()))?.try_into()
}

/// The runs of one study, or of all, in their order.
pub(crate) async fn of_study(tx: &mut Tx, study: Option<&str>) -> Result<Vec<(StudySlug, Run)>> {
    let rows: Vec<RunRow> = match study {
        None => on!(tx, db => sqlx::query_as(ALL).fetch_all(db).await)?,
        Some(slug) => on!(tx, db => sqlx::query_as(OF_STUDY).bind(slug).fetch_all(db).await)?,
    };
    rows.into_iter().map(TryFrom::try_from).collect()
}

/// Ids of the runs that a folder brought into a study.
pub(crate) async fn folder_ids(tx: &mut Tx, study: &StudySlug) -> Result<Vec<String>> {
    Ok(on!(tx, db => sqlx::query_scalar(FOLDER_IDS).bind(study.as_str()).fetch_all(db).await)?)
}

pub(crate) async fn remove(tx: &mut Tx, id: &str) -> Result<()> {
    Ok(on!(tx, db => sqlx::query(REMOVE).bind(id).execute(db).await.map(drop))?)
}

/// What the runs of one raw output under one variant and profile share.
#[derive(Clone, Copy)]
pub(crate) struct Shared<'a> {
    pub study: &'a StudySlug,
    pub variant: &'a VariantId,
    pub profile: &'a ProfileId,
    pub file: &'a str,
    pub digest: &'a Digest,
    pub start: Option<&'a str>,
    pub started_at: Option<i64>,
    /// What brought them; `None` where a folder did.
    pub upload: Option<&'a str>,
}

impl<'a> Shared<'a> {
    pub fn of(run: &'a Run, study: &'a StudySlug, upload: Option<&'a str>) -> Self {
        let Run { variant, profile, file, digest, start, started_at, .. } = run;
        Self { study, variant, profile, file, digest, start: start.as_deref(), started_at: *started_at, upload }
    }
}

/// What is a run's own.
pub(crate) struct Row<'a> {
    pub id: &'a RunId,
    /// Place in the study.
    pub position: i64,
    /// Place in the raw output.
    pub index: u32,
    pub measurement: &'a Measurement,
    /// The measurement as it is kept.
    pub document: &'a str,
}

/// Writes a run, new or changed.
pub(crate) async fn put(
    tx: &mut Tx,
    run: &Run,
    study: &StudySlug,
    position: i64,
    upload: Option<&str>,
    now_ms: i64,
) -> Result<()> {
    let (id, measurement) = (&run.id, &run.measurement);
    let row = Row { id, position, index: run.index, measurement, document: &document(measurement) };
    put_all(tx, Shared::of(run, study, upload), &[row], now_ms).await
}

/// Writes runs, new or changed.
pub(crate) async fn put_all(tx: &mut Tx, shared: Shared<'_>, rows: &[Row<'_>], now_ms: i64) -> Result<()> {
    for (text, rows) in PUT.divide(rows) {
        on!(tx, db => {
            let mut query = sqlx::query(text)
                .bind(shared.study.as_str())
                .bind(shared.variant.as_str())
                .bind(shared.profile.as_str())
                .bind(if shared.upload.is_some() { UPLOAD } else { FOLDER })
                .bind(shared.file)
                .bind(shared.digest.as_str())
                .bind(shared.start)
                .bind(shared.started_at)
                .bind(now_ms)
                .bind(shared.upload);
            for row in rows {
                let metrics = &row.measurement.metrics;
                let latency = |latency, stat| metrics.latency(latency).get(&stat).map(|ms| ms.get());
                // Only figures that need neither the profile nor the GPUs.
                let recomputed = recompute(metrics, None, None);
                query = query
                    .bind(row.id.as_str())
                    .bind(row.position)
                    .bind(i64::from(row.index))
                    .bind(row.document)
                    .bind(metrics.request_throughput.map(|rate| rate.get()))
                    .bind(metrics.output_throughput.map(|rate| rate.get()))
                    .bind(metrics.total_token_throughput.map(|rate| rate.get()))
                    .bind(latency(Latency::Ttft, Stat::Mean))
                    .bind(latency(Latency::Ttft, Stat::P99))
                    .bind(latency(Latency::Tpot, Stat::Mean))
                    .bind(latency(Latency::Tpot, Stat::P99))
                    .bind(latency(Latency::E2el, Stat::Mean))
                    .bind(recomputed.request_throughput.map(|rate| rate.get()))
                    .bind(recomputed.output_throughput.map(|rate| rate.get()))
                    .bind(recomputed.total_token_throughput.map(|rate| rate.get()))
                    .bind(metrics.duration.map(|duration| duration.get()));
            }
            query.execute(db).await.map(drop)
        })?;
    }
    Ok(())
}
