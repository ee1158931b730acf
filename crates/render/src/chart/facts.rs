//! What the bar chart shows, drawn together from a report: also profiles that only one side was run under, which the
//! conclusion does not compare.

use std::collections::BTreeMap;

use domain::advise::eligible;
use domain::aggregate::Figures;
use domain::change::Change;
use domain::check::Evidence;
use domain::id::{ProfileId, VariantId};
use domain::metric::Metric;
use domain::report::{ConclusionRow, Report, RunReport};
use domain::study::Profile;

/// Total TPS of a side, tok/s.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Side {
    pub(super) recomputed: Option<f64>,
    pub(super) reported: Option<f64>,
    /// Too many of its requests failed.
    pub(super) disqualified: bool,
}

impl Side {
    /// Whether there is anything to draw.
    pub(super) fn measured(&self) -> bool {
        self.recomputed.or(self.reported).is_some()
    }

    fn of(figures: &Figures, report: &Report) -> Self {
        Self {
            recomputed: finite(figures.recomputed.get(Metric::TotalTps)),
            reported: finite(Metric::TotalTps.of(&figures.metrics)),
            disqualified: !eligible(figures, report.min_success_pct),
        }
    }
}

/// A profile of the chart.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row<'a> {
    pub(super) profile: &'a Profile,
    pub(super) baseline: Side,
    /// None where the baseline stands alone: nothing else is recommended.
    pub(super) recommended: Option<Side>,
    pub(super) change: Option<Change>,
    pub(super) load_limited: bool,
    /// The client's limit on requests in flight that the runs of both sides print.
    pub(super) concurrency: Option<u64>,
}

impl Row<'_> {
    /// Its sides from top to bottom.
    pub(super) fn sides(&self) -> impl Iterator<Item = &Side> {
        std::iter::once(&self.baseline).chain(&self.recommended)
    }

    pub(super) fn disqualified(&self) -> bool {
        self.sides().any(|side| side.disqualified)
    }
}

/// All profiles that were measured on a side, the primary one first.
pub(super) fn rows(report: &Report) -> Vec<Row<'_>> {
    let primary_first = report.profiles.iter().filter(|profile| profile.id == report.primary_profile);
    let others = report.profiles.iter().filter(|profile| profile.id != report.primary_profile);
    primary_first
        .chain(others)
        .map(|profile| row(report, profile))
        .filter(|row| row.sides().any(Side::measured))
        .collect()
}

/// Whether the load set the throughput of both sides.
pub(super) fn load_limited(row: &ConclusionRow) -> bool {
    row.findings.iter().any(|finding| matches!(finding.evidence, Evidence::LoadLimited { .. }))
}

fn row<'a>(report: &'a Report, profile: &'a Profile) -> Row<'a> {
    let conclusion = &report.conclusion;
    let recommended = conclusion.recommended.as_ref().filter(|id| **id != conclusion.baseline);
    let compared = conclusion.rows.iter().find(|row| row.profile == profile.id);
    match compared {
        Some(row) => Row {
            profile,
            baseline: Side::of(&row.baseline, report),
            recommended: recommended.map(|_| Side::of(&row.recommended, report)),
            change: recommended.map(|_| row.change),
            load_limited: load_limited(row),
            concurrency: row
                .baseline
                .metrics
                .max_concurrency
                .filter(|limit| row.recommended.metrics.max_concurrency == Some(*limit)),
        },
        None => Row {
            profile,
            baseline: alone(report, &conclusion.baseline, &profile.id),
            recommended: recommended.map(|id| alone(report, id, &profile.id)),
            change: None,
            load_limited: false,
            concurrency: None,
        },
    }
}

/// A side that is compared with nothing: the mean over server starts of the means over runs, as for compared ones.
fn alone(report: &Report, variant: &VariantId, profile: &ProfileId) -> Side {
    let mut starts: BTreeMap<Option<&str>, Vec<&RunReport>> = BTreeMap::new();
    for run in report.runs.iter().filter(|run| &run.variant == variant && &run.profile == profile) {
        let same_start = starts.entry(run.start.as_deref()).or_default();
        if !same_start.iter().any(|other| other.metrics == run.metrics) {
            same_start.push(run);
        }
    }
    let over = |of: &dyn Fn(&RunReport) -> Option<f64>| {
        let starts: Option<Vec<f64>> =
            starts.values().map(|runs| mean(runs.iter().map(|run| of(run)).collect())).collect();
        finite(mean(starts?.into_iter().map(Some).collect()))
    };
    Side {
        recomputed: over(&|run| run.recomputed.get(Metric::TotalTps)),
        reported: over(&|run| Metric::TotalTps.of(&run.metrics)),
        disqualified: over(&|run| run.recomputed.success_rate_pct).is_some_and(|pct| pct < report.min_success_pct),
    }
}

fn mean(values: Vec<Option<f64>>) -> Option<f64> {
    let values = values.into_iter().collect::<Option<Vec<f64>>>()?;
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn finite(value: Option<f64>) -> Option<f64> {
    value.filter(|value| value.is_finite() && *value >= 0.0)
}
