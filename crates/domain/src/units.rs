//! Units as types. A figure gets its unit once, in `parse`, and keeps it: seconds and milliseconds cannot be mixed up.

use serde::{Deserialize, Serialize};

macro_rules! unit {
    ($(#[$doc:meta])* $name:ident, $symbol:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(f64);

        impl $name {
            /// The unit as it is printed.
            pub const SYMBOL: &str = $symbol;

            /// Takes a figure that is already in this unit. NaN and infinities are no measurement: `None`.
            pub fn new(value: f64) -> Option<Self> {
                value.is_finite().then_some(Self(value))
            }

            /// The bare figure, for arithmetic inside `domain`.
            pub fn get(self) -> f64 {
                self.0
            }
        }
    };
}

unit!(
    /// Milliseconds: every latency.
    Ms,
    "ms"
);
unit!(
    /// Seconds: durations of a whole benchmark.
    Secs,
    "s"
);
unit!(
    /// Tokens per second.
    TokPerSec,
    "tok/s"
);
unit!(
    /// Requests per second.
    ReqPerSec,
    "req/s"
);

unit!(
    /// Watts: what all GPUs together draw.
    Watts,
    "W"
);

impl Ms {
    /// A latency that the tool gave in seconds.
    pub fn from_secs(seconds: f64) -> Option<Self> {
        // A printed 24.11 must become 24110, not 24109.999999999996.
        Self::new(crate::round::half_up(seconds * 1000.0, 9))
    }

    /// The same latency in seconds.
    pub fn secs(self) -> f64 {
        self.0 / 1000.0
    }
}

/// The load that was asked for: a number of requests per second, or all at once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RequestRate {
    /// Requests are sent as fast as the concurrency allows (`inf` in the tools).
    Unlimited,
    /// Requests arrive at this mean rate.
    PerSec(ReqPerSec),
}

impl Serialize for RequestRate {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Unlimited => serializer.serialize_str("unlimited"),
            Self::PerSec(rate) => serializer.serialize_f64(rate.get()),
        }
    }
}

impl<'de> Deserialize<'de> for RequestRate {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = RequestRate;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("requests per second above 0, or \"unlimited\"")
            }

            fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<RequestRate, E> {
                if value == f64::INFINITY {
                    return Ok(RequestRate::Unlimited);
                }
                let rate = ReqPerSec::new(value).filter(|rate| rate.get() > 0.0);
                rate.map(RequestRate::PerSec)
                    .ok_or_else(|| E::invalid_value(serde::de::Unexpected::Float(value), &self))
            }

            fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<RequestRate, E> {
                self.visit_f64(value as f64)
            }

            fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<RequestRate, E> {
                self.visit_f64(value as f64)
            }

            fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<RequestRate, E> {
                match value {
                    "unlimited" | "inf" => Ok(RequestRate::Unlimited),
                    other => Err(E::invalid_value(serde::de::Unexpected::Str(other), &self)),
                }
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}
