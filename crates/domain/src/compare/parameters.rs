//! What each side was started with and asked for, parameter by parameter.

use std::collections::BTreeSet;

use serde::Serialize;

use super::resolve::Resolved;
use super::value::Value;
use crate::command::diff::Settings;
use crate::command::quote;
use crate::upload::UNKNOWN;

/// A parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", content = "name", rename_all = "snake_case")]
pub enum Name {
    /// A flag of the engine, by its first name in the catalogue.
    Argument(String),
    /// Words on the command line that belong to no flag.
    Words,
    /// A variable of the environment.
    Environment(String),
    /// The engine.
    Engine,
    /// Its version.
    EngineVersion,
    /// The weights.
    Model,
    /// The GPU.
    Gpu,
    /// How many.
    GpuCount,
    /// The workload's name.
    Profile,
    /// Its data.
    Dataset,
    /// Input tokens per request asked for.
    InputTokens,
    /// Output tokens per request asked for.
    OutputTokens,
    /// Seed of the data.
    Seed,
    /// Arrival rate asked for.
    RequestRate,
    /// Limit on requests in flight asked for.
    MaxConcurrency,
    /// Requests asked for.
    Requests,
    /// Who printed the results.
    Tool,
}

impl Name {
    /// Whether what is absent was not set, rather than not recorded.
    pub fn is_option(&self) -> bool {
        match self {
            Self::Argument(_) | Self::Words | Self::Environment(_) => true,
            Self::Engine
            | Self::EngineVersion
            | Self::Model
            | Self::Gpu
            | Self::GpuCount
            | Self::Profile
            | Self::Dataset
            | Self::InputTokens
            | Self::OutputTokens
            | Self::Seed
            | Self::RequestRate
            | Self::MaxConcurrency
            | Self::Requests
            | Self::Tool => false,
        }
    }
}

/// A parameter of all sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Parameter {
    /// Which one.
    #[serde(flatten)]
    pub name: Name,
    /// Whether any two sides differ in it.
    pub differs: bool,
    /// One a column; none where it was not set or not recorded.
    pub values: Vec<Option<Value>>,
}

/// Arguments, then environment, then what was served on what, then the workload. Spelling makes no difference.
pub(super) fn parameters(sides: &[Resolved<'_>]) -> Vec<Parameter> {
    let settings: Vec<Settings> =
        sides.iter().map(|side| Settings::of(&side.variant.engine, &side.variant.args)).collect();
    let flags: BTreeSet<&str> = settings.iter().flat_map(|settings| settings.iter().map(|(name, _)| name)).collect();
    let flags = flags.into_iter().map(|name| {
        let values = settings.iter().map(|settings| settings.get(name).map(Value::from)).collect();
        parameter(Name::Argument(name.to_owned()), values)
    });
    let words = |settings: &Settings| {
        let words: Vec<_> = settings.stray().iter().map(|word| quote(word)).collect();
        (!words.is_empty()).then(|| Value::Text(words.join(" ")))
    };
    let words: Vec<Option<Value>> = settings.iter().map(words).collect();
    let words = words.iter().any(Option::is_some).then(|| parameter(Name::Words, words));
    let variables: BTreeSet<&String> = sides.iter().flat_map(|side| side.variant.env.keys()).collect();
    let variables = variables.into_iter().map(|name| {
        let values = sides.iter().map(|side| side.variant.env.get(name).cloned().map(Value::Text)).collect();
        parameter(Name::Environment(name.clone()), values)
    });
    let facts = FACTS.into_iter().map(|(name, of)| parameter(name, sides.iter().map(of).collect()));
    // What nobody knows is no parameter.
    let facts = facts.filter(|parameter| parameter.values.iter().any(Option::is_some));
    flags.chain(words).chain(variables).chain(facts).collect()
}

fn parameter(name: Name, values: Vec<Option<Value>>) -> Parameter {
    let differs = values.iter().any(|value| *value != values[0]);
    Parameter { name, differs, values }
}

type Fact = fn(&Resolved<'_>) -> Option<Value>;

const FACTS: [(Name, Fact); 14] = [
    (Name::Engine, |side| named(&side.variant.engine)),
    (Name::EngineVersion, |side| side.variant.engine_version.as_deref().and_then(named)),
    (Name::Model, |side| named(&side.variant.model)),
    (Name::Gpu, |side| side.figures.gpu.as_deref().and_then(named)),
    (Name::GpuCount, |side| side.figures.gpus.map(|gpus| Value::Count(gpus.into()))),
    (Name::Profile, |side| Some(Value::Named(side.profile.name.clone()))),
    (Name::Dataset, |side| side.profile.dataset.clone().map(Value::Text)),
    (Name::InputTokens, |side| side.profile.input_tokens.map(Value::Count)),
    (Name::OutputTokens, |side| side.profile.output_tokens.map(Value::Count)),
    (Name::Seed, |side| side.profile.seed.map(Value::Seed)),
    (Name::RequestRate, |side| side.profile.request_rate.or(side.load.request_rate).map(Value::Rate)),
    (Name::MaxConcurrency, |side| side.profile.max_concurrency.or(side.load.max_concurrency).map(Value::Count)),
    (Name::Requests, |side| side.profile.requests.map(Value::Count)),
    (Name::Tool, |side| Some(Value::Tools(side.tools.clone()))),
];

fn named(text: &str) -> Option<Value> {
    (text != UNKNOWN).then(|| Value::Text(text.to_owned()))
}
