//! Figures side by side: one row a figure, one cell a column.

use std::collections::BTreeSet;

use serde::Serialize;

use super::judge::{Apart, Figure, Judge};
use super::resolve::Resolved;
use crate::advise::eligible;
use crate::aggregate::Figures;
use crate::change::Change;
use crate::check::{TOKENS_TOLERANCE, hardware_differs};
use crate::metric::{Direction, Metric};
use crate::metrics::{Latency, Stat};
use crate::stats::Level;
use crate::study::Basis;

/// What every latency that was measured at all has a row for.
const USUAL: [Stat; 3] = [Stat::Mean, Stat::Median, Stat::P99];

/// A metric of all sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MetricRow {
    /// Which figure.
    #[serde(flatten)]
    pub figure: Figure,
    /// Which way is better.
    pub direction: Direction,
    /// One a column.
    pub cells: Vec<Cell>,
}

/// A figure of a side.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Cell {
    /// In the metric's unit; the mean over starts. None where it was not measured.
    pub value: Option<f64>,
    /// Half the 95 % interval of that mean; none without two starts.
    pub half_width: Option<f64>,
    /// Against the base; none for the base itself, and where a side was not measured.
    pub change: Option<Change>,
    /// Why the change says nothing, where it does not.
    pub apart: Option<Apart>,
}

/// A figure that is no result but what the results rest on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Workload {
    /// Requests that succeeded.
    Successful,
    /// Of those that were sent, percent.
    SuccessRate,
    /// Prompt tokens of a request.
    InputPerRequest,
    /// Answer tokens of a request.
    OutputPerRequest,
    /// Requests in flight at most.
    PeakConcurrency,
    /// Seconds.
    Duration,
}

impl Workload {
    const ALL: [Self; 6] = [
        Self::Successful,
        Self::SuccessRate,
        Self::InputPerRequest,
        Self::OutputPerRequest,
        Self::PeakConcurrency,
        Self::Duration,
    ];

    fn of(self, figures: &Figures) -> Option<f64> {
        let (metrics, recomputed) = (&figures.metrics, &figures.recomputed);
        match self {
            Self::Successful => metrics.successful_requests.map(|count| count as f64),
            Self::SuccessRate => recomputed.success_rate_pct,
            Self::InputPerRequest => recomputed.input_tokens_per_request,
            Self::OutputPerRequest => recomputed.output_tokens_per_request,
            Self::PeakConcurrency => metrics.peak_concurrent_requests.map(|count| count as f64),
            Self::Duration => metrics.duration.map(|duration| duration.get()),
        }
    }

    /// Whether it speaks against a comparison with the base.
    fn differs(self, base: &Resolved<'_>, side: &Resolved<'_>) -> bool {
        let tokens = || {
            let sides = self.of(&base.figures).zip(self.of(&side.figures));
            sides.is_some_and(|(a, b)| a.max(b) > a.min(b) * (1.0 + TOKENS_TOLERANCE))
        };
        match self {
            Self::SuccessRate => !eligible(&side.figures, side.study().min_success_pct),
            Self::InputPerRequest | Self::OutputPerRequest => tokens(),
            Self::Successful | Self::PeakConcurrency | Self::Duration => false,
        }
    }
}

/// A workload figure of all sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorkloadRow {
    /// Which figure.
    pub figure: Workload,
    /// One a column.
    pub cells: Vec<WorkloadCell>,
}

/// A workload figure of a side.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct WorkloadCell {
    /// None where it was not measured.
    pub value: Option<f64>,
    /// Whether it speaks against a comparison: too few successes, or other lengths than the base's.
    pub differs: bool,
}

/// Every figure that a side has, in the order of reports: throughputs, then latencies.
pub(super) fn metric_rows(judge: &Judge<'_, '_>, sides: &[Resolved<'_>]) -> Vec<MetricRow> {
    let row = |figure: Figure| MetricRow {
        figure,
        direction: figure.metric.direction(),
        cells: sides.iter().map(|side| cell(judge, figure, side)).collect(),
    };
    figures(sides).into_iter().map(row).collect()
}

/// What was measured on each side.
pub(super) fn workload_rows(base: &Resolved<'_>, sides: &[Resolved<'_>]) -> Vec<WorkloadRow> {
    let row = |figure: Workload| {
        let cell =
            |side: &Resolved<'_>| WorkloadCell { value: figure.of(&side.figures), differs: figure.differs(base, side) };
        WorkloadRow { figure, cells: sides.iter().map(cell).collect() }
    };
    let rows = Workload::ALL.into_iter().map(row);
    rows.filter(|row| row.cells.iter().any(|cell| cell.value.is_some())).collect()
}

fn cell(judge: &Judge<'_, '_>, figure: Figure, side: &Resolved<'_>) -> Cell {
    let value = figure.of(side);
    let starts: Vec<f64> = match (figure.per_gpu, side.figures.starts_of(figure.metric)) {
        (true, _) => Vec::new(),
        (false, (reported, recomputed)) => match figure.basis {
            Basis::Reported => reported,
            Basis::Recomputed => recomputed,
        },
    };
    // The mean is of all starts or of none.
    let half_width = Level::of(&starts).and_then(|level| level.half_width).filter(|_| value.is_some());
    let is_base = std::ptr::eq(judge.base, side);
    let judged = (!is_base).then(|| judge.change(figure, side)).filter(|(change, _)| change.pct().is_some());
    Cell { value, half_width, change: judged.map(|(change, _)| change), apart: judged.and_then(|(_, apart)| apart) }
}

fn figures(sides: &[Resolved<'_>]) -> Vec<Figure> {
    let mut all = Vec::new();
    let both = |metric| [Basis::Recomputed, Basis::Reported].map(|basis| Figure::new(metric, basis));
    let other_hardware = sides.iter().any(|side| hardware_differs(&sides[0].figures, &side.figures).is_some());
    for metric in [Metric::TotalTps, Metric::OutputTps] {
        all.extend(both(metric));
        // What hardware sets apart is compared for each GPU.
        all.extend(other_hardware.then_some(Figure { metric, basis: Basis::Recomputed, per_gpu: true }));
    }
    all.extend(both(Metric::RequestThroughput));
    all.extend(both(Metric::Goodput));
    for latency in Latency::ALL {
        let measured: BTreeSet<Stat> =
            sides.iter().flat_map(|side| side.figures.metrics.latency(latency).keys().copied()).collect();
        let usual = USUAL.into_iter().filter(|_| !measured.is_empty());
        // Extremes and scatter of one run are no figures to compare.
        let compared = |stat: &Stat| match stat {
            Stat::Mean | Stat::Median | Stat::Percentile(_) => true,
            Stat::Std | Stat::Min | Stat::Max => false,
        };
        let stats: BTreeSet<Stat> = measured.iter().copied().filter(compared).chain(usual).collect();
        all.extend(
            (latency == Latency::Tpot).then(|| Figure::new(Metric::Latency(latency, Stat::Mean), Basis::Recomputed)),
        );
        all.extend(stats.into_iter().map(|stat| Figure::new(Metric::Latency(latency, stat), Basis::Reported)));
    }
    // A usual statistic of a measured latency is shown as not measured; a figure that no side has is not.
    all.retain(|figure| {
        let kept = matches!(figure.metric, Metric::Latency(..)) && figure.basis == Basis::Reported;
        kept || sides.iter().any(|side| figure.of(side).is_some())
    });
    all
}
