//! Findings: facts drawn from runs, with the numbers they rest on.
//!
//! Invariant: a finding carries its evidence. A rule is a function from facts to perhaps one finding, listed in one
//! array; adding a rule touches one file and one line.

mod alike;
mod basis;
mod cache;
mod compare;
mod doubt;
mod file;
mod hardware;
mod latency;
mod load;
mod run;
mod study;
mod title;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

pub use cache::WarmSign;
pub use file::{CheckedFile, CheckedRun, FileError, FileWarning, check_file, check_runs, check_stream};
pub use run::{RunFacts, check_run};
pub use study::check_study;

use crate::change::Repeats;
use crate::id::{ProfileId, RunId, StepId, VariantId};
use crate::metric::Metric;
use crate::metrics::{Latency, Stat};
use crate::units::RequestRate;

pub(crate) use cache::without_warm;
pub(crate) use compare::{
    Comparison, TOKENS_TOLERANCE, check_comparison, load_limited, precision_arguments, workload_differs,
};
pub(crate) use hardware::hardware_differs;

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Good to know.
    Info,
    /// A figure or comparison is in doubt.
    Warning,
    /// The run cannot win.
    Disqualifying,
}

/// What a finding is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// One run.
    Run(RunId),
    /// Baseline and candidate under a profile.
    Comparison(ProfileId, VariantId),
    /// Everything at hand: a study as a whole, or a run on its own.
    Study,
}

/// What was found, with its numbers. Latencies in milliseconds, throughputs in their unit, shares in percent.
#[expect(missing_docs, reason = "fields are named by what they hold, units above")]
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Evidence {
    /// A printed rate is not counts / duration.
    RateMismatch {
        figure: Metric,
        reported: f64,
        recomputed: f64,
        deviation_pct: f64,
        /// The tool divides by another window than the duration that it prints.
        other_window: bool,
    },
    /// The printed mean TPOT is not what the latencies give.
    TpotIdentity {
        reported_ms: f64,
        recomputed_ms: f64,
        deviation_pct: f64,
        /// The gap is that the tool divides the whole latency, TTFT included, by all tokens.
        includes_first_token: bool,
        /// The printed figure is (TTFT + ITL · (n − 1)) / n with this ITL, which misses decode time.
        from_itl_ms: Option<f64>,
        /// The tool means the decode time, but its mean over requests counts a short answer like a long one.
        weighs_requests: bool,
    },
    /// A one-second peak that cannot be.
    PeakImplausible { peak: f64, mean: f64, times_mean: f64, generated_tokens: Option<u64> },
    /// A peak below the mean.
    PeakBelowMean { peak: f64, mean: f64 },
    /// A lower percentile above a higher one.
    PercentileOrder { latency: Latency, lower: Stat, lower_ms: f64, higher: Stat, higher_ms: f64 },
    /// The mean lies above P99: a few requests carry it.
    MeanAboveP99 { latency: Latency, mean_ms: f64, p99_ms: f64 },
    /// A statistic printed as 0 where time must have passed.
    NotMeasuredZero { latency: Latency, stats: Vec<Stat> },
    /// Too few requests succeeded.
    SuccessRate { successful: u64, attempted: u64, success_pct: f64, minimum_pct: f64 },
    /// The successful requests are not the workload that the other runs had.
    SurvivorsDiffer { input_per_request: f64, output_per_request: f64, usual_input: f64, usual_output: f64 },
    /// Counts or latencies of one run exclude one another.
    ContradictoryCounts { contradiction: Contradiction, larger: f64, bound: f64 },
    /// More requests in flight than there were.
    LittlesLaw { implied: f64, limit: f64 },
    /// Asked for an arrival rate, but the client let only so many requests in at once.
    ClosedLoop { offered: f64, achieved: f64, in_flight: u64 },
    /// Every request was in flight from the start.
    AllAtOnce { requests: u64 },
    /// The batch limit under test lies above what the client ever had in flight.
    ConcurrencyCapped { flag: String, knob: u64, in_flight: u64, declared: bool },
    /// TTFT and the printed gaps between tokens leave much of the latency open.
    LatencyUnexplained { explained_ms: f64, e2el_ms: f64, unexplained_pct: f64 },
    /// A mean request would outlast the benchmark: mean TPOT weighs short answers like long ones.
    TpotWeight { implied_s: f64, duration_s: f64 },
    /// ITL counted other gaps than those between tokens.
    ItlIntervals { intervals: f64, expected: f64 },
    /// Tokens come in bursts: half of the gaps are next to nothing.
    ItlBursts { median_ms: f64, mean_ms: f64 },
    /// The last hundredth must lie far beyond P99, or the mean could not be what it is.
    TailBeyondP99 { latency: Latency, mean_ms: f64, median_ms: f64, p99_ms: f64, least_ms: f64 },
    /// Prompts came from a prefix cache that was still warm.
    WarmCache { sign: WarmSign, ttft_ms: f64, least_ms: f64, total_tps: Option<f64>, most_tps: Option<f64> },
    /// Another GPU, or another number of GPUs. What is the same on both sides is absent. `per_gpu` is there where
    /// the number of GPUs is all that differs.
    HardwareDiffers {
        gpu: Option<String>,
        gpus: Option<u32>,
        usual_gpu: Option<String>,
        usual_gpus: Option<u32>,
        per_gpu: Option<PerGpu>,
        /// Whether these are two sides, or a run and what its study describes.
        compared: bool,
    },
    /// Faster than memory bandwidth or arithmetic of the GPU allow with this model; tok/s.
    BeyondHardware {
        limit: HardwareLimit,
        measured: f64,
        bound: f64,
        gpu: &'static str,
        gpus: u32,
        billions: f64,
        bits: u8,
        in_flight: Option<u64>,
    },
    /// A change against the baseline has one sign as printed and the other by counts and duration.
    SignFlips { reported_pct: f64, recomputed_pct: f64 },
    /// Pairs of variants of which the first leads as printed, the second by counts and duration.
    OrderFlips { pairs: Vec<(VariantId, VariantId)> },
    /// The arrival rate was reached: the load sets the throughput.
    LoadLimited { offered: f64, achieved_baseline: f64, achieved_candidate: f64 },
    /// A run at another load than the profile's others: no repeat, and part of no mean.
    WorkloadDiffers {
        request_rate: Option<RequestRate>,
        max_concurrency: Option<u64>,
        usual_request_rate: Option<RequestRate>,
        usual_max_concurrency: Option<u64>,
    },
    /// Tokens per request are not what the profile asks for.
    LengthDeviation { side: Side, asked: f64, measured: f64, deviation_pct: f64 },
    /// A step whose name leaves out an option that its variant has.
    UnnamedOption { step: StepId, flags: Vec<String> },
    /// Variants that one command starts: whatever lies between their figures, no setting made it.
    SameCommand { variants: Vec<VariantId> },
    /// A percentile that rests on very few requests.
    LowSampleTail { stat: Stat, requests: u64, beyond: f64 },
    /// The same measurement under another name.
    DuplicateMeasurement { same_as: RunId },
    /// One measurement only: noise unknown.
    SingleRun { baseline: Repeats, candidate: Repeats },
    /// A tail that got worse beside a throughput that did not.
    TailRegression { latency: Latency, stat: Stat, baseline_ms: f64, candidate_ms: f64, change_pct: f64 },
    /// Weights of another precision: answers may differ.
    PrecisionChanged { baseline_model: String, candidate_model: String },
}

/// Which figures exclude one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Contradiction {
    /// More successes (and failures) than requests.
    MoreThanPlanned,
    /// Mean TTFT above mean E2EL.
    TtftAboveE2el,
    /// A request took longer than the benchmark.
    E2elAboveDuration,
    /// The printed token rate needs more requests per second than arrived, the run's own counts do not.
    AboveOffered,
}

/// Total TPS for each GPU of two sides.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PerGpu {
    /// Of the baseline, tok/s.
    pub baseline: f64,
    /// Of the other side, tok/s.
    pub candidate: f64,
    /// Percent.
    pub change_pct: f64,
}

/// Which roof a figure lies above.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HardwareLimit {
    /// Total TPS above what the arithmetic allows.
    Compute,
    /// Output TPS above what memory bandwidth allows with so many requests in flight.
    Output,
    /// The same for the peak of one second.
    PeakOutput,
    /// Tokens per second of one request above what memory bandwidth allows.
    Pace,
}

/// Prompt or answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Prompt tokens.
    Input,
    /// Generated tokens.
    Output,
}

/// A fact drawn from runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// What it is about.
    pub about: Subject,
    /// The numbers.
    pub evidence: Evidence,
}

impl Evidence {
    /// The id that users and programs see.
    pub fn id(&self) -> &'static str {
        match self {
            Self::RateMismatch { .. } => "rate-mismatch",
            Self::TpotIdentity { .. } => "tpot-identity",
            Self::PeakImplausible { .. } => "peak-implausible",
            Self::PeakBelowMean { .. } => "peak-below-mean",
            Self::PercentileOrder { .. } => "percentile-order",
            Self::MeanAboveP99 { .. } => "mean-above-p99",
            Self::NotMeasuredZero { .. } => "not-measured-zero",
            Self::SuccessRate { .. } => "success-rate",
            Self::SurvivorsDiffer { .. } => "survivors-differ",
            Self::ContradictoryCounts { .. } => "contradictory-counts",
            Self::LittlesLaw { .. } => "littles-law",
            Self::ClosedLoop { .. } => "closed-loop",
            Self::AllAtOnce { .. } => "all-at-once",
            Self::ConcurrencyCapped { .. } => "concurrency-capped",
            Self::LatencyUnexplained { .. } => "latency-unexplained",
            Self::TpotWeight { .. } => "tpot-weight",
            Self::ItlIntervals { .. } => "itl-intervals",
            Self::ItlBursts { .. } => "itl-bursts",
            Self::TailBeyondP99 { .. } => "tail-beyond-p99",
            Self::WarmCache { .. } => "warm-cache",
            Self::HardwareDiffers { .. } => "hardware-differs",
            Self::BeyondHardware { .. } => "beyond-hardware",
            Self::SignFlips { .. } => "sign-flips",
            Self::OrderFlips { .. } => "order-flips",
            Self::LoadLimited { .. } => "load-limited",
            Self::WorkloadDiffers { .. } => "workload-differs",
            Self::LengthDeviation { .. } => "length-deviation",
            Self::LowSampleTail { .. } => "low-sample-tail",
            Self::DuplicateMeasurement { .. } => "duplicate-measurement",
            Self::SingleRun { .. } => "single-run",
            Self::TailRegression { .. } => "tail-regression",
            Self::PrecisionChanged { .. } => "precision-changed",
            Self::UnnamedOption { .. } => "unnamed-option",
            Self::SameCommand { .. } => "same-command",
        }
    }

    /// How much it weighs.
    pub fn severity(&self) -> Severity {
        match self {
            Self::SuccessRate { .. } => Severity::Disqualifying,
            Self::RateMismatch { .. }
            | Self::TpotIdentity { .. }
            | Self::PeakImplausible { .. }
            | Self::PeakBelowMean { .. }
            | Self::PercentileOrder { .. }
            | Self::MeanAboveP99 { .. }
            | Self::NotMeasuredZero { .. }
            | Self::SurvivorsDiffer { .. }
            | Self::ContradictoryCounts { .. }
            | Self::LittlesLaw { .. }
            | Self::ConcurrencyCapped { .. }
            | Self::LatencyUnexplained { .. }
            | Self::TpotWeight { .. }
            | Self::TailBeyondP99 { .. }
            | Self::WarmCache { .. }
            | Self::HardwareDiffers { .. }
            | Self::BeyondHardware { .. }
            | Self::SignFlips { .. }
            | Self::LoadLimited { .. }
            | Self::WorkloadDiffers { .. }
            | Self::DuplicateMeasurement { .. }
            | Self::SameCommand { .. }
            | Self::TailRegression { .. }
            | Self::PrecisionChanged { .. } => Severity::Warning,
            Self::ClosedLoop { .. }
            | Self::AllAtOnce { .. }
            | Self::ItlIntervals { .. }
            | Self::ItlBursts { .. }
            | Self::OrderFlips { .. }
            | Self::LengthDeviation { .. }
            | Self::LowSampleTail { .. }
            | Self::UnnamedOption { .. }
            | Self::SingleRun { .. } => Severity::Info,
        }
    }
}

/// Heaviest first; of equal weight the order stays.
pub(crate) fn heaviest_first(findings: &mut [Finding]) {
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.evidence.severity()));
}

impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", self.evidence.id())?;
        map.serialize_entry("severity", &self.evidence.severity())?;
        match &self.about {
            Subject::Run(run) => map.serialize_entry("run", run)?,
            Subject::Comparison(profile, variant) => {
                map.serialize_entry("profile", profile)?;
                map.serialize_entry("variant", variant)?;
            }
            Subject::Study => {}
        }
        map.serialize_entry("values", &self.evidence)?;
        map.end()
    }
}
