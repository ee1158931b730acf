//! `[plan]` and `[search]` as they are written.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::CachePolicy;
use crate::command::bench::BenchTool;
use crate::study::values::{Env, Name, Text};

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawPlan {
    pub(super) repeats: Option<Spanned<RawRepeats>>,
    #[serde(default)]
    pub(super) tool: BenchTool,
    #[serde(default)]
    pub(super) tool_args: Vec<Spanned<String>>,
    pub(super) result: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) cache: CachePolicy,
    pub(super) warmup_requests: Option<u32>,
    pub(super) start_timeout_minutes: Option<Spanned<f64>>,
    pub(super) run_timeout_minutes: Option<Spanned<f64>>,
    pub(super) attempts: Option<Spanned<u32>>,
    pub(super) budget: Option<RawBudget>,
    pub(super) start_minutes: Option<Spanned<f64>>,
    #[serde(default)]
    pub(super) minutes: BTreeMap<Spanned<String>, Spanned<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawRepeats {
    pub(super) min: Option<u32>,
    pub(super) max: Option<u32>,
    pub(super) width_pct: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawBudget {
    pub(super) minutes: Option<Spanned<f64>>,
    pub(super) jobs: Option<Spanned<u32>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawSearch {
    pub(super) knobs: Vec<RawKnob>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawKnob {
    pub(super) id: Spanned<String>,
    pub(super) name: Option<Text>,
    pub(super) flag: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) engines: Vec<Name>,
    pub(super) values: Vec<Spanned<RawValue>>,
}

/// A value of the knob's flag, or everything that is changed.
pub(crate) enum RawValue {
    /// The flag alone.
    Switch,
    /// The flag's value.
    Word(String),
    Change(RawChange),
}

impl<'de> Deserialize<'de> for RawValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ValueVisitor;
        impl<'de> Visitor<'de> for ValueVisitor {
            type Value = RawValue;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "true, a number or a text for the knob's flag, or a table with the key `id` and what is changed",
                )
            }

            fn visit_bool<E: de::Error>(self, on: bool) -> Result<RawValue, E> {
                match on {
                    true => Ok(RawValue::Switch),
                    false => {
                        Err(E::custom("a flag that is left out is what the variant before has; leave `false` out"))
                    }
                }
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<RawValue, E> {
                Ok(RawValue::Word(value.to_string()))
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<RawValue, E> {
                Ok(RawValue::Word(value.to_string()))
            }

            fn visit_str<E: de::Error>(self, value: &str) -> Result<RawValue, E> {
                Ok(RawValue::Word(value.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RawValue, A::Error> {
                RawChange::deserialize(MapAccessDeserializer::new(map)).map(RawValue::Change)
            }
        }
        deserializer.deserialize_any(ValueVisitor)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawChange {
    pub(super) id: String,
    pub(super) name: Option<Text>,
    pub(super) engine: Option<Name>,
    pub(super) engine_version: Option<Name>,
    pub(super) model: Option<Name>,
    #[serde(default)]
    pub(super) args: Vec<String>,
    #[serde(default)]
    pub(super) env: Env,
    pub(super) gpus: Option<u32>,
}
