//! What tokens cost: price of a GPU hour, GPUs, tokens per second. Without a price there is no cost.

use serde::{Deserialize, Serialize};

use crate::metric::Metric;
use crate::round::derived;

/// A currency in which GPU hours are paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Currency {
    /// Japanese yen.
    #[serde(rename = "JPY")]
    Jpy,
    /// US dollar.
    #[serde(rename = "USD")]
    Usd,
}

/// What one GPU costs for an hour.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// In the currency; above 0.
    pub gpu_hour: f64,
    /// Of the price and of every cost that follows from it.
    pub currency: Currency,
}

/// Which tokens are paid for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tokens {
    /// Input and output.
    Total,
    /// Output alone.
    Output,
}

impl Tokens {
    /// How many of them a second.
    pub fn throughput(self) -> Metric {
        match self {
            Self::Total => Metric::TotalTps,
            Self::Output => Metric::OutputTps,
        }
    }
}

/// Price of an hour · GPUs / (3,600 · tokens per second) · 1,000,000. A server that makes no tokens has no cost per
/// token.
pub fn cost_per_million(gpu_hour: f64, gpus: u32, tokens_per_sec: f64) -> Option<f64> {
    let cost = gpu_hour * f64::from(gpus) / (3600.0 * tokens_per_sec) * 1e6;
    (tokens_per_sec > 0.0 && cost.is_finite()).then(|| derived(cost))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_hour_is_shared_by_the_tokens_made_in_it() {
        // 3.60 a GPU hour, 2 GPUs, 1,000 tok/s: 7.20 for 3.6 million tokens.
        assert_eq!(cost_per_million(3.6, 2, 1000.0), Some(2.0));
        assert_eq!(cost_per_million(450.0, 1, 12_500.0), Some(10.0));
        assert_eq!(cost_per_million(2.0, 8, 0.0), None);
        assert_eq!(cost_per_million(2.0, 8, f64::NAN), None);
        assert_eq!(cost_per_million(f64::MAX, 8, f64::MIN_POSITIVE), None);
    }
}
