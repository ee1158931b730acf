//! One figure of a run, named: which way is better, which unit, how to get it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::metrics::{Latency, Metrics, Stat};

/// Which way a figure improves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// More is better: throughput.
    HigherIsBetter,
    /// Less is better: latency.
    LowerIsBetter,
}

/// A figure that is compared between variants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Metric {
    /// Input and output tokens per second.
    TotalTps,
    /// Output tokens per second.
    OutputTps,
    /// Requests per second.
    RequestThroughput,
    /// Requests per second within the SLO.
    Goodput,
    /// A statistic of a latency.
    Latency(Latency, Stat),
}

impl Metric {
    /// Which way is better.
    pub fn direction(self) -> Direction {
        match self {
            Self::TotalTps | Self::OutputTps | Self::RequestThroughput | Self::Goodput => Direction::HigherIsBetter,
            Self::Latency(..) => Direction::LowerIsBetter,
        }
    }

    /// The unit as printed.
    pub fn unit(self) -> &'static str {
        match self {
            Self::TotalTps | Self::OutputTps => "tok/s",
            Self::RequestThroughput | Self::Goodput => "req/s",
            Self::Latency(..) => "ms",
        }
    }

    /// The figure as the tool printed it.
    pub fn of(self, metrics: &Metrics) -> Option<f64> {
        match self {
            Self::TotalTps => metrics.total_token_throughput.map(|v| v.get()),
            Self::OutputTps => metrics.output_throughput.map(|v| v.get()),
            Self::RequestThroughput => metrics.request_throughput.map(|v| v.get()),
            Self::Goodput => metrics.goodput.map(|v| v.get()),
            Self::Latency(latency, stat) => metrics.latency(latency).get(&stat).map(|v| v.get()),
        }
    }
}

impl fmt::Display for Metric {
    /// The key used in `study.toml` and JSON: `total_token_throughput`, `ttft_p99_ms`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TotalTps => f.write_str("total_token_throughput"),
            Self::OutputTps => f.write_str("output_throughput"),
            Self::RequestThroughput => f.write_str("request_throughput"),
            Self::Goodput => f.write_str("goodput"),
            Self::Latency(latency, stat) => write!(f, "{}_{stat}_ms", latency.key()),
        }
    }
}

impl FromStr for Metric {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "total_token_throughput" => Ok(Self::TotalTps),
            "output_throughput" => Ok(Self::OutputTps),
            "request_throughput" => Ok(Self::RequestThroughput),
            "goodput" => Ok(Self::Goodput),
            other => {
                let (latency, stat) = other.strip_suffix("_ms").and_then(|rest| rest.split_once('_')).ok_or(())?;
                let latency = Latency::ALL.into_iter().find(|known| known.key() == latency).ok_or(())?;
                Ok(Self::Latency(latency, stat.parse()?))
            }
        }
    }
}

impl Serialize for Metric {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Metric {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|()| {
            serde::de::Error::custom(format!(
                "\"{text}\" is no metric; known are total_token_throughput, output_throughput, request_throughput, \
                 goodput and latencies such as ttft_p99_ms, tpot_mean_ms, e2el_median_ms"
            ))
        })
    }
}
