//! What a study wants to improve: one figure, on the primary profile or over several profiles with weights.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::de::{self, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::cost::{Price, Tokens, cost_per_million};
use super::goodput;
use crate::aggregate::Figures;
use crate::id::ProfileId;
use crate::metric::{Direction, Metric};
use crate::round::derived;
use crate::study::{Basis, Study};

/// A figure that can be an objective: a metric, or what follows from metrics and the study's prices and telemetry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Goal {
    /// A metric of the tools.
    Metric(Metric),
    /// Money for a million tokens, in the currency of the study's price.
    Cost(Tokens),
    /// Input and output tokens for a joule that the GPUs drew, where power was measured.
    TokensPerJoule,
}

impl Goal {
    /// Which way is better.
    pub fn direction(self) -> Direction {
        match self {
            Self::Metric(metric) => metric.direction(),
            Self::Cost(_) => Direction::LowerIsBetter,
            Self::TokensPerJoule => Direction::HigherIsBetter,
        }
    }

    /// Whether an open-loop load that is kept up with sets the figure: then it says nothing about the variant. Goodput
    /// and energy still differ at the same load.
    pub fn set_by_load(self) -> bool {
        match self {
            Self::Metric(Metric::TotalTps | Metric::OutputTps | Metric::RequestThroughput) | Self::Cost(_) => true,
            Self::Metric(Metric::Goodput | Metric::Latency(..)) | Self::TokensPerJoule => false,
        }
    }

    /// Whether the figure is a throughput of the server.
    pub fn is_rate(self) -> bool {
        match self {
            Self::Metric(Metric::TotalTps | Metric::OutputTps | Metric::RequestThroughput) => true,
            Self::Metric(Metric::Goodput | Metric::Latency(..)) | Self::Cost(_) | Self::TokensPerJoule => false,
        }
    }

    /// Whether the figure is a total that grows with the number of GPUs. Money and energy have it in them.
    pub fn is_total(self) -> bool {
        match self {
            Self::Metric(Metric::TotalTps | Metric::OutputTps | Metric::RequestThroughput | Metric::Goodput) => true,
            Self::Metric(Metric::Latency(..)) | Self::Cost(_) | Self::TokensPerJoule => false,
        }
    }

    /// The metric whose scatter is this figure's: money and energy follow total or output TPS in proportion.
    pub fn scatters_as(self) -> Metric {
        match self {
            Self::Metric(metric) => metric,
            Self::Cost(Tokens::Output) => Metric::OutputTps,
            Self::Cost(Tokens::Total) | Self::TokensPerJoule => Metric::TotalTps,
        }
    }

    /// The figure of a variant under a profile, on one basis.
    pub fn of(self, study: &Study, profile: &ProfileId, figures: &Figures, basis: Basis) -> Option<f64> {
        let value = match basis {
            Basis::Reported => self.reported(study, profile, figures),
            Basis::Recomputed => self.recomputed(study, figures).or_else(|| self.reported(study, profile, figures)),
        };
        value.filter(|value| value.is_finite())
    }

    /// From printed figures; a goodput that no tool printed is the best there is.
    pub fn reported(self, study: &Study, profile: &ProfileId, figures: &Figures) -> Option<f64> {
        match self {
            Self::Metric(Metric::Goodput) => {
                let slo = study.profile(profile).map(|profile| &profile.slo);
                goodput::reported(figures, slo).map(|goodput| goodput.ranked())
            }
            Self::Metric(metric) => metric.of(&figures.metrics),
            Self::Cost(tokens) => self.money(study, figures, tokens.throughput().of(&figures.metrics)?),
            Self::TokensPerJoule => per_joule(figures, Metric::TotalTps.of(&figures.metrics)?),
        }
    }

    /// From recomputed figures; none where the figure has no recomputed form.
    pub fn recomputed(self, study: &Study, figures: &Figures) -> Option<f64> {
        match self {
            Self::Metric(metric) => figures.recomputed.get(metric),
            Self::Cost(tokens) => self.money(study, figures, figures.recomputed.get(tokens.throughput())?),
            Self::TokensPerJoule => per_joule(figures, figures.recomputed.get(Metric::TotalTps)?),
        }
    }

    fn money(self, study: &Study, figures: &Figures, tokens_per_sec: f64) -> Option<f64> {
        let Price { gpu_hour, .. } = study.price?;
        cost_per_million(gpu_hour, figures.gpus?, tokens_per_sec)
    }
}

/// Tokens per second / watts.
fn per_joule(figures: &Figures, tokens_per_sec: f64) -> Option<f64> {
    let watts = figures.metrics.gpu_power.map(|power| power.get()).filter(|watts| *watts > 0.0)?;
    Some(derived(tokens_per_sec / watts))
}

impl fmt::Display for Goal {
    /// The key used in `study.toml` and JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Metric(metric) => metric.fmt(f),
            Self::Cost(Tokens::Total) => f.write_str("cost_per_million_tokens"),
            Self::Cost(Tokens::Output) => f.write_str("cost_per_million_output_tokens"),
            Self::TokensPerJoule => f.write_str("tokens_per_joule"),
        }
    }
}

impl FromStr for Goal {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "cost_per_million_tokens" => Ok(Self::Cost(Tokens::Total)),
            "cost_per_million_output_tokens" => Ok(Self::Cost(Tokens::Output)),
            "tokens_per_joule" => Ok(Self::TokensPerJoule),
            other => other.parse().map(Self::Metric),
        }
    }
}

impl Serialize for Goal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Goal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        goal(&text)
    }
}

fn goal<E: de::Error>(text: &str) -> Result<Goal, E> {
    text.parse().map_err(|()| {
        E::custom(format!(
            "\"{text}\" is no metric; known are total_token_throughput, output_throughput, request_throughput, \
             goodput, latencies such as ttft_p99_ms, tpot_mean_ms, e2el_median_ms, and cost_per_million_tokens, \
             cost_per_million_output_tokens, tokens_per_joule"
        ))
    })
}

/// What is to be improved, and where. In `study.toml` a text, `"ttft_p99_ms"`, which is held against the primary
/// profile, or `{ metric = "total_token_throughput", weights = { chat = 3, batch = 1 } }`.
#[derive(Debug, Clone, PartialEq)]
pub struct Objective {
    /// The figure.
    pub goal: Goal,
    /// Weights of profiles, each above 0: variants are ranked by the weighted geometric mean of their ratios to the
    /// baseline, exp(Σ w·ln(variant / baseline) / Σ w). None: the figure itself on the primary profile.
    pub weights: BTreeMap<ProfileId, f64>,
}

impl Default for Objective {
    fn default() -> Self {
        Self::from(Goal::Metric(Metric::TotalTps))
    }
}

impl From<Goal> for Objective {
    fn from(goal: Goal) -> Self {
        Self { goal, weights: BTreeMap::new() }
    }
}

impl Objective {
    /// Whether several profiles decide together.
    pub fn is_weighted(&self) -> bool {
        !self.weights.is_empty()
    }

    /// The metric, where the objective is one metric on the primary profile.
    pub fn metric(&self) -> Option<Metric> {
        match self.goal {
            Goal::Metric(metric) if !self.is_weighted() => Some(metric),
            Goal::Metric(_) | Goal::Cost(_) | Goal::TokensPerJoule => None,
        }
    }
}

impl Serialize for Objective {
    /// A text where nothing is weighted.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !self.is_weighted() {
            return self.goal.serialize(serializer);
        }
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("metric", &self.goal)?;
        map.serialize_entry("weights", &self.weights)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for Objective {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectiveVisitor;
        impl<'de> Visitor<'de> for ObjectiveVisitor {
            type Value = Objective;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a figure, or a table with the keys `metric` and `weights`")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Objective, E> {
                goal(text).map(Objective::from)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Objective, A::Error> {
                let mut objective = Objective::default();
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        "metric" => objective.goal = map.next_value()?,
                        "weights" => objective.weights = map.next_value()?,
                        other => return Err(de::Error::unknown_field(other, &["metric", "weights"])),
                    }
                }
                Ok(objective)
            }
        }
        deserializer.deserialize_any(ObjectiveVisitor)
    }
}
