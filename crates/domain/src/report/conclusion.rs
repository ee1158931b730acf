//! The conclusion card: baseline against recommended, and how firmly the recommendation stands.

use serde::Serialize;

use crate::advise::goodput::GoodputSource;
use crate::advise::{Goal, Highest, Incomparable};
use crate::aggregate::Figures;
use crate::change::Change;
use crate::check::Finding;
use crate::command::Command;
use crate::id::{ProfileId, RunId, VariantId};
use crate::metric::Metric;
use crate::stats::Spread;
use crate::study::Basis;

/// How firmly the recommendation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// The objective improves beyond noise, and nothing is to be said against it.
    Recommended,
    /// Recommended, but see the reservations.
    WithReservations,
    /// Nothing beats the baseline: keep it.
    KeepBaseline,
    /// No variant is eligible.
    Nothing,
}

/// Why a recommendation does not stand firmly, one fact each.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "id", rename_all = "kebab-case")]
pub enum Reservation {
    /// Measured once, or in one server start: noise unknown.
    SingleRun,
    /// The baseline was not measured on the primary profile: there is nothing to gain against.
    BaselineNotMeasured,
    /// The objective's change on a profile is within noise.
    WithinNoise {
        /// The profile.
        profile: ProfileId,
    },
    /// The objective's change over the profiles that decide together is within noise.
    WithinNoiseOverall,
    /// A run that decides raised a finding that puts its figure in doubt.
    Doubted {
        /// The variant.
        variant: VariantId,
        /// The profile.
        profile: ProfileId,
        /// The first of its runs with the finding.
        run: RunId,
        /// The finding's id.
        finding: &'static str,
    },
    /// A profile that loses throughput.
    Loses {
        /// The profile.
        profile: ProfileId,
    },
    /// A profile on which the objective got worse, where the objective is no throughput.
    ObjectiveWorse {
        /// The profile.
        profile: ProfileId,
    },
    /// A latency that got worse.
    LatencyWorse {
        /// The profile.
        profile: ProfileId,
        /// The worst of its latencies.
        metric: Metric,
    },
    /// The tool's figure is off by more than 2 %.
    ReportedDiffers {
        /// The profile where the two changes lie furthest apart.
        profile: ProfileId,
    },
    /// Weights of another precision: quality was not measured.
    PrecisionChanged,
    /// A profile whose load set the throughput.
    LoadLimited {
        /// The profile.
        profile: ProfileId,
    },
    /// A profile whose two sides ran on different hardware.
    HardwareDiffers {
        /// The profile.
        profile: ProfileId,
    },
    /// A profile whose two sides had prompts of different lengths.
    WorkloadDiffers {
        /// The profile.
        profile: ProfileId,
    },
    /// A limit that is kept by a percentile of too few requests.
    SloWeaklyMeasured {
        /// The profile.
        profile: ProfileId,
        /// What is limited.
        metric: Metric,
    },
    /// A profile under which too many of its requests fail.
    Fails {
        /// The profile.
        profile: ProfileId,
    },
    /// A profile for which another variant is better.
    BetterElsewhere {
        /// The profile.
        profile: ProfileId,
        /// That variant.
        variant: VariantId,
    },
    /// A profile that others were measured under, and it was not.
    NotMeasuredOn {
        /// The profile.
        profile: ProfileId,
    },
}

/// The conclusion card.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Conclusion {
    /// What others are compared with.
    pub baseline: VariantId,
    /// What the report advises.
    pub recommended: Option<VariantId>,
    /// How firmly.
    pub standing: Standing,
    /// Why not more firmly.
    pub reservations: Vec<Reservation>,
    /// The command to copy; absent where the engine or the model is not known.
    pub command: Option<Command>,
    /// Arguments that the baseline does not have.
    pub added: Vec<String>,
    /// Arguments that only the baseline has.
    pub removed: Vec<String>,
    /// One row a profile, the primary one first.
    pub rows: Vec<ConclusionRow>,
    /// The best figure, where its variant is not the recommended one.
    pub highest: Option<Highest>,
}

/// Baseline and recommended under one profile.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConclusionRow {
    /// The profile.
    pub profile: ProfileId,
    /// Whether it decides.
    pub primary: bool,
    /// The baseline's figures.
    pub baseline: Figures,
    /// The recommended variant's figures.
    pub recommended: Figures,
    /// Change of total TPS.
    pub change: Change,
    /// Change of mean TPOT.
    pub tpot_change: Change,
    /// Change of what the study wants to improve; total TPS again where that is it.
    pub objective_change: Change,
    /// Why the objective cannot be compared, where it cannot.
    pub not_comparable: Option<Incomparable>,
    /// Every compared figure.
    pub metrics: Vec<MetricRow>,
    /// Goodput, money and energy, where they are known.
    pub derived: Vec<GoalRow>,
    /// Findings on this comparison.
    pub findings: Vec<Finding>,
    /// How total TPS of the baseline scatters over its repeats; none where it was measured once.
    pub baseline_spread: Option<Spread>,
    /// The same of the recommended variant.
    pub recommended_spread: Option<Spread>,
}

/// One figure of both sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MetricRow {
    /// Which figure.
    pub metric: Metric,
    /// As printed, or recomputed.
    pub basis: Basis,
    /// Whether the tool's definition of the figure is not ours.
    pub other_definition: bool,
    /// In the metric's unit.
    pub baseline: Option<f64>,
    /// In the metric's unit.
    pub recommended: Option<f64>,
    /// Its change, in the form of `basis` only.
    pub change: Change,
}

/// A figure of both sides that follows from others, from a price or from telemetry.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GoalRow {
    /// Which figure.
    pub goal: Goal,
    /// Whether percentiles bracket it: the figures are the lower ends.
    pub at_least: bool,
    /// In the figure's unit.
    pub baseline: Option<f64>,
    /// In the figure's unit.
    pub recommended: Option<f64>,
    /// Where the baseline's goodput comes from; none for any other figure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline_source: Option<GoodputSource>,
    /// The same of the recommended variant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recommended_source: Option<GoodputSource>,
    /// The baseline's goodput on the other basis, where the two differ by more than 2 %.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_baseline: Option<f64>,
    /// The same of the recommended variant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_recommended: Option<f64>,
    /// Its change.
    pub change: Change,
}

impl GoalRow {
    /// Where the goodput of both sides comes from, if it is the same for both. A side without a figure agrees.
    pub fn source(&self) -> Option<GoodputSource> {
        let (baseline, recommended) = (self.baseline_source, self.recommended_source);
        baseline.or(recommended).filter(|_| baseline.is_none() || recommended.is_none() || baseline == recommended)
    }
}
