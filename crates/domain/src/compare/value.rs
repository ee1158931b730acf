//! What a side has of something that may differ, as a fact: words for it are the languages'.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::aggregate::LoadPoint;
use crate::command::diff::Setting;
use crate::command::quote;
use crate::run::{Tool, TpotDefinition};
use crate::study::{Localized, Profile};
use crate::units::RequestRate;

/// A value of a parameter or dimension.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A switch, on or off.
    Switch(bool),
    /// As it was written.
    Text(String),
    /// A number of something.
    Count(u64),
    /// A seed: a number that is no quantity.
    Seed(i64),
    /// Requests per second.
    Rate(RequestRate),
    /// A name that people gave.
    Named(Localized),
    /// The workload asked for, without its command and limits.
    Profile(Box<Profile>),
    /// Who printed the results.
    Tools(Vec<Tool>),
    /// What they mean by TPOT.
    Definitions(Vec<TpotDefinition>),
    /// The load that was sent.
    Load {
        /// The arrival rate.
        request_rate: Option<RequestRate>,
        /// The client's limit.
        max_concurrency: Option<u64>,
    },
    /// How wide weights and cache are.
    Precision {
        /// Bits a weight, as model name and arguments say; 16 where they say nothing.
        bits: u8,
        /// The arguments that say so.
        arguments: Vec<String>,
    },
}

impl From<&Setting> for Value {
    fn from(setting: &Setting) -> Self {
        match setting {
            Setting::Switch(on) => Self::Switch(*on),
            Setting::Words(words) => match words.as_slice() {
                [word] => Self::Text(word.clone()),
                // Two words are not one word with a space in it.
                words => Self::Text(words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")),
            },
            Setting::Json(json) => Self::Text(json.to_string()),
        }
    }
}

impl Value {
    /// What a profile asks for.
    pub(super) fn profile(profile: &Profile) -> Self {
        Self::Profile(Box::new(Profile { command: None, slo: BTreeMap::new(), ..profile.clone() }))
    }

    /// A load, where anything of it is known.
    pub(super) fn load(point: LoadPoint) -> Option<Self> {
        let LoadPoint { request_rate, max_concurrency } = point;
        let known = request_rate.is_some() || max_concurrency.is_some();
        known.then_some(Self::Load { request_rate, max_concurrency })
    }
}
