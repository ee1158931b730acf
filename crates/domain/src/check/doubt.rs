//! Which findings on a run put the figure in doubt that a study decides by.

use super::{Contradiction, Evidence, HardwareLimit};
use crate::advise::Goal;
use crate::metric::Metric;
use crate::metrics::Latency;
use crate::study::Basis;

impl Evidence {
    /// Whether a figure of the run that raised this may be wrong, or may not be what it is taken for. What a
    /// recommendation tells anyway is left out: failures, printed rates beside recomputed ones, and comparisons.
    pub fn doubts(&self, goal: Goal, basis: Basis) -> bool {
        let of =
            |latencies: &[Latency]| matches!(goal, Goal::Metric(Metric::Latency(ours, _)) if latencies.contains(&ours));
        let is_rate = !matches!(goal, Goal::Metric(Metric::Latency(..)));
        match self {
            Self::WarmCache { .. }
            | Self::SurvivorsDiffer { .. }
            | Self::WorkloadDiffers { .. }
            | Self::DuplicateMeasurement { .. } => true,
            Self::BeyondHardware { limit, .. } => match limit {
                HardwareLimit::Compute | HardwareLimit::Output => true,
                HardwareLimit::Pace => of(&[Latency::Tpot, Latency::Itl, Latency::E2el]),
                // A peak decides nothing.
                HardwareLimit::PeakOutput => false,
            },
            Self::ContradictoryCounts { contradiction, .. } => match contradiction {
                Contradiction::MoreThanPlanned => is_rate,
                Contradiction::TtftAboveE2el => of(&[Latency::Ttft, Latency::Tpot, Latency::E2el]),
                Contradiction::E2elAboveDuration => is_rate || of(&[Latency::Tpot, Latency::E2el]),
                // The printed rate is off, the run's own counts are not.
                Contradiction::AboveOffered => is_rate && basis == Basis::Reported,
            },
            Self::LittlesLaw { .. } => is_rate || of(&[Latency::Tpot, Latency::E2el]),
            Self::TpotIdentity { .. } | Self::TpotWeight { .. } => of(&[Latency::Tpot]),
            Self::LatencyUnexplained { .. } => of(&[Latency::Tpot, Latency::Itl]),
            Self::PercentileOrder { latency, .. }
            | Self::MeanAboveP99 { latency, .. }
            | Self::NotMeasuredZero { latency, .. }
            | Self::TailBeyondP99 { latency, .. } => of(&[*latency]),
            Self::SuccessRate { .. }
            | Self::RateMismatch { .. }
            | Self::PeakImplausible { .. }
            | Self::PeakBelowMean { .. }
            | Self::ClosedLoop { .. }
            | Self::AllAtOnce { .. }
            | Self::ConcurrencyCapped { .. }
            | Self::ItlIntervals { .. }
            | Self::ItlBursts { .. }
            | Self::HardwareDiffers { .. }
            | Self::SignFlips { .. }
            | Self::OrderFlips { .. }
            | Self::LoadLimited { .. }
            | Self::LengthDeviation { .. }
            | Self::UnnamedOption { .. }
            | Self::SameCommand { .. }
            | Self::LowSampleTail { .. }
            | Self::SingleRun { .. }
            | Self::TailRegression { .. }
            | Self::PrecisionChanged { .. } => false,
        }
    }
}
