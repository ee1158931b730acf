//! Beside which figure a finding stands.

use domain::{
    check::{Contradiction, Evidence, HardwareLimit, Side},
    metric::Metric,
    metrics::{Latency, Stat},
};

/// A row of the table of figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A metric of its own.
    Metric(Metric),
    /// Requests that were to be sent.
    Planned,
    /// The share that succeeded.
    Success,
    /// How long it took.
    Duration,
    /// Requests in flight.
    Concurrency,
    /// The most tokens in a second.
    Peak,
    /// Tokens of a request.
    PerRequest(Side),
}

/// The row that a finding is about; none where it is about the run as a whole or about two runs.
#[must_use]
pub fn place(evidence: &Evidence) -> Option<Place> {
    let latency = |latency, stat| Some(Place::Metric(Metric::Latency(latency, stat)));
    match evidence {
        Evidence::RateMismatch { figure, .. } => Some(Place::Metric(*figure)),
        Evidence::TpotIdentity { .. } => latency(Latency::Tpot, Stat::Mean),
        Evidence::PeakImplausible { .. } | Evidence::PeakBelowMean { .. } => Some(Place::Peak),
        Evidence::PercentileOrder { latency: of, lower, .. } => latency(*of, *lower),
        Evidence::MeanAboveP99 { latency: of, .. } => latency(*of, Stat::Mean),
        Evidence::NotMeasuredZero { latency: of, stats } => latency(*of, *stats.first()?),
        Evidence::SuccessRate { .. } => Some(Place::Success),
        Evidence::SurvivorsDiffer { .. } => Some(Place::PerRequest(Side::Output)),
        Evidence::ContradictoryCounts { contradiction, .. } => match contradiction {
            Contradiction::MoreThanPlanned => Some(Place::Planned),
            Contradiction::TtftAboveE2el => latency(Latency::Ttft, Stat::Mean),
            Contradiction::E2elAboveDuration => Some(Place::Duration),
            Contradiction::AboveOffered => Some(Place::Metric(Metric::OutputTps)),
        },
        Evidence::LittlesLaw { .. }
        | Evidence::WorkloadDiffers { .. }
        | Evidence::ClosedLoop { .. }
        | Evidence::AllAtOnce { .. }
        | Evidence::ConcurrencyCapped { .. } => Some(Place::Concurrency),
        Evidence::LatencyUnexplained { .. } => latency(Latency::E2el, Stat::Mean),
        Evidence::TpotWeight { .. } => latency(Latency::Tpot, Stat::Mean),
        Evidence::ItlIntervals { .. } => latency(Latency::Itl, Stat::Mean),
        Evidence::ItlBursts { .. } => latency(Latency::Itl, Stat::Median),
        Evidence::TailBeyondP99 { latency: of, .. } => latency(*of, Stat::P99),
        Evidence::WarmCache { .. } => latency(Latency::Ttft, Stat::Mean),
        Evidence::BeyondHardware { limit, .. } => match limit {
            HardwareLimit::Compute => Some(Place::Metric(Metric::TotalTps)),
            HardwareLimit::Output => Some(Place::Metric(Metric::OutputTps)),
            HardwareLimit::PeakOutput => Some(Place::Peak),
            HardwareLimit::Pace => latency(Latency::Tpot, Stat::Mean),
        },
        Evidence::LengthDeviation { side, .. } => Some(Place::PerRequest(*side)),
        Evidence::LowSampleTail { .. }
        | Evidence::DuplicateMeasurement { .. }
        | Evidence::LoadLimited { .. }
        | Evidence::HardwareDiffers { .. }
        | Evidence::SignFlips { .. }
        | Evidence::OrderFlips { .. }
        | Evidence::UnnamedOption { .. }
        | Evidence::SameCommand { .. }
        | Evidence::SingleRun { .. }
        | Evidence::TailRegression { .. }
        | Evidence::PrecisionChanged { .. } => None,
    }
}
