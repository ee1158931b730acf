//! Runs that are stored already: of the same raw output, or the same measurement in another form.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use domain::digest::Digest;
use domain::id::RunId;
use domain::run::{Measurement, same_run};
use domain::upload::Plan;

use super::StoredRun;
use crate::db::{Many, Tx, on};
use crate::study::document;
use crate::{Result, StoreError};

/// Two forms of one run print their durations and throughputs with no decimals at worst; see `domain::run::same_run`.
const APART: f64 = 0.51;

const KNOWN: &str = "SELECT id, raw_index, CAST(NULL AS TEXT) AS file FROM runs \
     WHERE digest = $1 AND study = $2 AND variant = $3 AND profile = $4 \
     UNION ALL SELECT runs.id, run_forms.raw_index, runs.file FROM run_forms \
     JOIN runs ON runs.id = run_forms.run \
     WHERE run_forms.digest = $1 AND runs.study = $2 AND runs.variant = $3 AND runs.profile = $4 \
     ORDER BY raw_index, file";
/// Runs that may be the same ones in another form: what both say of duration and throughput agrees. `CROSS JOIN` makes
/// SQLite look each sent result up in the index, rather than each stored run among the results.
static LIKE: LazyLock<Many> = LazyLock::new(|| {
    Many::new(|rows| {
        let sent = |row: usize| {
            let at = 6 + row * 3;
            format!(
                "(CAST(${at} AS BIGINT), CAST(${} AS DOUBLE PRECISION), CAST(${} AS DOUBLE PRECISION))",
                at + 1,
                at + 2
            )
        };
        let alike = |durations: &str| {
            format!(
                "SELECT sent.place, runs.id, runs.file, runs.document, runs.position FROM sent CROSS JOIN runs \
                 WHERE runs.study = $1 AND runs.variant = $2 AND runs.profile = $3 AND runs.digest <> $4 \
                 AND {durations} AND (runs.total_token_throughput IS NULL OR sent.throughput IS NULL \
                      OR ABS(runs.total_token_throughput - sent.throughput) <= $5)"
            )
        };
        let alike = [
            alike("runs.duration_s BETWEEN sent.duration - $5 AND sent.duration + $5"),
            alike("runs.duration_s IS NULL"),
            alike("sent.duration IS NULL AND runs.duration_s IS NOT NULL"),
        ];
        format!(
            "WITH sent (place, duration, throughput) AS (VALUES {}) \
             SELECT place, id, file, document FROM ({}) AS alike ORDER BY place, position, id",
            (0..rows).map(sent).collect::<Vec<_>>().join(", "),
            alike.join(" UNION ALL ")
        )
    })
});

/// What is stored of a raw output under one variant and profile, by place in it.
pub(super) async fn known(tx: &mut Tx, plan: &Plan, digest: &Digest) -> Result<BTreeMap<i64, StoredRun>> {
    let (slug, variant, profile) = (plan.study.slug.as_str(), plan.variant.as_str(), plan.profile.as_str());
    let rows: Vec<(String, i64, Option<String>)> = on!(tx, db => {
        sqlx::query_as(KNOWN).bind(digest.as_str()).bind(slug).bind(variant).bind(profile).fetch_all(db).await
    })?;
    let mut known = BTreeMap::new();
    for (id, index, same_as) in rows {
        let run = StoredRun { id: RunId::new(id), same_as };
        match &run.same_as {
            None => drop(known.insert(index, run)),
            Some(_) => drop(known.entry(index).or_insert(run)),
        }
    }
    Ok(known)
}

/// A stored run that is the same measurement as one that was sent.
pub(super) struct Same {
    pub run: StoredRun,
    /// Its measurement with the requests of the sent form, where only that lists them.
    pub completed: Option<String>,
}

/// The runs of other raw outputs that are the same measurements in another form, by place of the sent ones.
pub(super) async fn same(
    tx: &mut Tx,
    plan: &Plan,
    digest: &Digest,
    sent: &[(u32, &Measurement)],
) -> Result<BTreeMap<u32, Same>> {
    let mut same = BTreeMap::new();
    for (text, sent) in LIKE.divide(sent) {
        let rows: Vec<(i64, String, String, String)> = on!(tx, db => {
            let mut query = sqlx::query_as(text)
                .bind(plan.study.slug.as_str())
                .bind(plan.variant.as_str())
                .bind(plan.profile.as_str())
                .bind(digest.as_str())
                .bind(APART);
            for (place, measurement) in sent {
                let metrics = &measurement.metrics;
                query = query
                    .bind(i64::from(*place))
                    .bind(metrics.duration.map(|value| value.get()))
                    .bind(metrics.total_token_throughput.map(|value| value.get()));
            }
            query.fetch_all(db).await
        })?;
        let mut rows = rows.into_iter().peekable();
        for (place, measurement) in sent {
            while let Some((_, id, file, stored)) = rows.next_if(|(of, ..)| *of == i64::from(*place)) {
                if same.contains_key(place) {
                    continue;
                }
                let other: Measurement =
                    serde_json::from_str(&stored).map_err(|error| StoreError::corrupt("run", &id, error))?;
                if same_run(measurement, &other) {
                    let lacking = other.requests.is_none().then(|| measurement.requests.clone()).flatten();
                    let completed =
                        lacking.map(|requests| document(&Measurement { requests: Some(requests), ..other }));
                    same.insert(*place, Same { run: StoredRun { id: RunId::new(id), same_as: Some(file) }, completed });
                }
            }
        }
    }
    Ok(same)
}
