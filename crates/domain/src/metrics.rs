//! What one run measured. Absent is `None` (or a missing statistic), never 0.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::units::{Ms, ReqPerSec, RequestRate, Secs, TokPerSec, Watts};

/// A statistic of a distribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stat {
    /// Arithmetic mean.
    Mean,
    /// 50th percentile; tools that print `p50` mean this.
    Median,
    /// Standard deviation.
    Std,
    /// Smallest value.
    Min,
    /// Largest value.
    Max,
    /// A percentile other than the 50th, in tenths of a percent: 999 is P99.9.
    Percentile(u16),
}

impl Stat {
    /// 95th percentile.
    pub const P95: Self = Self::Percentile(950);
    /// 99th percentile.
    pub const P99: Self = Self::Percentile(990);

    /// Where the statistic lies among the percentiles, in tenths of a percent; none for mean and standard deviation.
    pub fn rank(self) -> Option<u16> {
        match self {
            Self::Min => Some(0),
            Self::Median => Some(500),
            Self::Max => Some(1000),
            Self::Percentile(tenths) => Some(tenths),
            Self::Mean | Self::Std => None,
        }
    }
}

impl fmt::Display for Stat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mean => f.write_str("mean"),
            Self::Median => f.write_str("median"),
            Self::Std => f.write_str("std"),
            Self::Min => f.write_str("min"),
            Self::Max => f.write_str("max"),
            Self::Percentile(tenths) if tenths % 10 == 0 => write!(f, "p{}", tenths / 10),
            Self::Percentile(tenths) => write!(f, "p{}.{}", tenths / 10, tenths % 10),
        }
    }
}

impl FromStr for Stat {
    type Err = ();

    /// Reads `mean`, `median`, `std`, `min`, `max`, `p99`, `p99.9`, in any case.
    fn from_str(text: &str) -> Result<Self, ()> {
        match text.to_ascii_lowercase().as_str() {
            "mean" | "avg" | "average" => Ok(Self::Mean),
            "median" => Ok(Self::Median),
            "std" => Ok(Self::Std),
            "min" => Ok(Self::Min),
            "max" => Ok(Self::Max),
            other => {
                let percent: f64 = other.strip_prefix('p').ok_or(())?.parse().map_err(|_| ())?;
                let tenths = percent * 10.0;
                // One decimal is what tools print (P99.9); more would need another scale.
                if !(0.0..=1000.0).contains(&tenths) || (tenths - tenths.round()).abs() > 1e-6 {
                    return Err(());
                }
                match tenths.round() as u16 {
                    0 => Ok(Self::Min),
                    500 => Ok(Self::Median),
                    1000 => Ok(Self::Max),
                    tenths => Ok(Self::Percentile(tenths)),
                }
            }
        }
    }
}

impl Serialize for Stat {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Stat {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|()| serde::de::Error::custom(format!("\"{text}\" is no statistic")))
    }
}

/// Statistics of one latency over the successful requests (or tokens) of a run.
pub type Distribution = BTreeMap<Stat, Ms>;

/// Everything a run measured, by the keys that programs outside see (`check --format json`, the API).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Metrics {
    /// Requests that completed.
    pub successful_requests: Option<u64>,
    /// Requests that failed.
    pub failed_requests: Option<u64>,
    /// Requests still running when the run was cut: neither success nor failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incomplete_requests: Option<u64>,
    /// Requests that were to be sent.
    pub planned_requests: Option<u64>,
    /// The load asked for.
    pub request_rate: Option<RequestRate>,
    /// The client's own limit on requests in flight.
    pub max_concurrency: Option<u64>,
    /// The most requests seen in flight.
    pub peak_concurrent_requests: Option<u64>,
    /// The mean number of requests in flight, as printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_concurrency: Option<f64>,
    /// From the first request sent to the last one finished.
    #[serde(rename = "duration_s")]
    pub duration: Option<Secs>,
    /// Prompt tokens of the successful requests.
    pub total_input_tokens: Option<u64>,
    /// Generated tokens of the successful requests.
    pub total_output_tokens: Option<u64>,
    /// Successful requests per second, as printed.
    pub request_throughput: Option<ReqPerSec>,
    /// Generated tokens per second, as printed.
    pub output_throughput: Option<TokPerSec>,
    /// Input and output tokens per second, as printed.
    pub total_token_throughput: Option<TokPerSec>,
    /// The most tokens generated in one second, as printed.
    pub peak_output_throughput: Option<TokPerSec>,
    /// Requests per second that met the SLO, as printed.
    pub goodput: Option<ReqPerSec>,
    /// What all GPUs together drew in the mean, where the tool measured it.
    #[serde(rename = "gpu_power_w", skip_serializing_if = "Option::is_none")]
    pub gpu_power: Option<Watts>,
    /// Time to first token.
    #[serde(rename = "ttft_ms", skip_serializing_if = "BTreeMap::is_empty")]
    pub ttft: Distribution,
    /// Time per output token, as the tool defines it.
    #[serde(rename = "tpot_ms", skip_serializing_if = "BTreeMap::is_empty")]
    pub tpot: Distribution,
    /// Time per output token of tools that count the first token in: (last token − request start) / output tokens.
    #[serde(rename = "tpot_including_first_ms", skip_serializing_if = "BTreeMap::is_empty")]
    pub tpot_including_first: Distribution,
    /// Inter-token latency, as the tool defines it.
    #[serde(rename = "itl_ms", skip_serializing_if = "BTreeMap::is_empty")]
    pub itl: Distribution,
    /// End-to-end latency.
    #[serde(rename = "e2el_ms", skip_serializing_if = "BTreeMap::is_empty")]
    pub e2el: Distribution,
    /// Speculative decoding: accepted of drafted tokens, percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acceptance_rate_pct: Option<f64>,
    /// Speculative decoding: tokens per engine step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acceptance_length: Option<f64>,
}

/// The four latencies that have a distribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Latency {
    /// Time to first token.
    Ttft,
    /// Decode time per output token.
    Tpot,
    /// Gap between tokens.
    Itl,
    /// End-to-end latency.
    E2el,
}

impl Latency {
    /// All four, in the order in which the tools print them.
    pub const ALL: [Self; 4] = [Self::Ttft, Self::Tpot, Self::Itl, Self::E2el];

    /// The key without its unit: `ttft`.
    pub fn key(self) -> &'static str {
        match self {
            Self::Ttft => "ttft",
            Self::Tpot => "tpot",
            Self::Itl => "itl",
            Self::E2el => "e2el",
        }
    }
}

impl Metrics {
    /// The distribution of one latency.
    pub fn latency(&self, latency: Latency) -> &Distribution {
        match latency {
            Latency::Ttft => &self.ttft,
            Latency::Tpot => &self.tpot,
            Latency::Itl => &self.itl,
            Latency::E2el => &self.e2el,
        }
    }

    /// The distribution of one latency, to fill it.
    pub fn latency_mut(&mut self, latency: Latency) -> &mut Distribution {
        match latency {
            Latency::Ttft => &mut self.ttft,
            Latency::Tpot => &mut self.tpot,
            Latency::Itl => &mut self.itl,
            Latency::E2el => &mut self.e2el,
        }
    }
}
