//! In what the sides of a comparison differ besides their arguments: each can be the true reason of a difference.

use serde::Serialize;

use super::judge::{other_gpu, other_load, same_profile};
use super::resolve::Resolved;
use super::value::Value;
use crate::check::precision_arguments;
use crate::machine::bits_of;
use crate::run::TpotDefinition;
use crate::study::Variant;
use crate::upload::UNKNOWN;

/// Something that should be the same on all sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dimension {
    /// The workload asked for.
    Profile,
    /// The load that was sent.
    Load,
    /// The weights.
    Model,
    /// Their precision, and the cache's.
    Precision,
    /// The GPU.
    Hardware,
    /// How many of them.
    GpuCount,
    /// The engine.
    Engine,
    /// Its version.
    EngineVersion,
    /// Who printed the results.
    Tool,
    /// What that tool means by TPOT.
    TpotDefinition,
}

impl Dimension {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 10] = [
        Self::Profile,
        Self::Load,
        Self::Model,
        Self::Precision,
        Self::Hardware,
        Self::GpuCount,
        Self::Engine,
        Self::EngineVersion,
        Self::Tool,
        Self::TpotDefinition,
    ];

    fn of(self, side: &Resolved<'_>) -> Option<Value> {
        let variant = side.variant;
        let named = |text: &str| (text != UNKNOWN).then(|| Value::Text(text.to_owned()));
        match self {
            Self::Profile => Some(Value::profile(side.profile)),
            Self::Load => Value::load(side.load),
            Self::Model => named(&variant.model),
            Self::Precision => named(&variant.model).map(|_| Value::Precision {
                bits: bits_of(&variant.model, &variant.args),
                arguments: precision_arguments(variant),
            }),
            Self::Hardware => side.figures.gpu.as_deref().and_then(named),
            Self::GpuCount => side.figures.gpus.map(|gpus| Value::Count(gpus.into())),
            Self::Engine => named(&variant.engine),
            Self::EngineVersion => variant.engine_version.as_deref().and_then(named),
            Self::Tool => Some(Value::Tools(side.tools.clone())),
            Self::TpotDefinition => {
                let stated = !side.definitions.contains(&TpotDefinition::Unstated);
                stated.then(|| Value::Definitions(side.definitions.clone()))
            }
        }
    }

    /// Whether two sides certainly differ in it. What one of them does not know is no difference.
    fn differs(self, a: &Resolved<'_>, b: &Resolved<'_>) -> bool {
        let text = |of: fn(&Variant) -> &str| !of(a.variant).eq_ignore_ascii_case(of(b.variant));
        match self {
            Self::Profile => !same_profile(a, b),
            Self::Load => other_load(a, b),
            Self::Hardware => other_gpu(&a.figures, &b.figures),
            Self::Model => self.known(a, b) && text(|variant| &variant.model),
            Self::Engine => self.known(a, b) && text(|variant| &variant.engine),
            Self::Precision | Self::GpuCount | Self::EngineVersion | Self::Tool | Self::TpotDefinition => {
                self.asked_of(a, b) && self.known(a, b) && self.of(a) != self.of(b)
            }
        }
    }

    fn known(self, a: &Resolved<'_>, b: &Resolved<'_>) -> bool {
        self.of(a).is_some() && self.of(b).is_some()
    }

    /// Whether it can be the same at all: two engines have no version in common.
    fn asked_of(self, a: &Resolved<'_>, b: &Resolved<'_>) -> bool {
        self != Self::EngineVersion || a.variant.engine.eq_ignore_ascii_case(&b.variant.engine)
    }
}

/// A dimension in which the sides differ, or may differ.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Mismatch {
    /// Which one.
    pub dimension: Dimension,
    /// Whether they certainly differ; else it is not recorded of some of them.
    pub certain: bool,
    /// What they have of it, in the order of the columns.
    pub values: Vec<Shared>,
}

/// A value, and who has it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Shared {
    /// None where it is not recorded.
    pub value: Option<Value>,
    /// Places of the columns, from 0.
    pub columns: Vec<usize>,
}

/// Every dimension in which any two sides differ, or may differ.
pub(super) fn mismatches(sides: &[Resolved<'_>]) -> Vec<Mismatch> {
    Dimension::ALL.into_iter().filter_map(|dimension| mismatch(dimension, sides)).collect()
}

fn mismatch(dimension: Dimension, sides: &[Resolved<'_>]) -> Option<Mismatch> {
    let mut pairs = sides.iter().enumerate().flat_map(|(at, a)| sides[at + 1..].iter().map(move |b| (a, b)));
    let certain = pairs.clone().any(|(a, b)| dimension.differs(a, b));
    let half_known = |(a, b): (&Resolved<'_>, &Resolved<'_>)| {
        dimension.asked_of(a, b) && dimension.of(a).is_some() != dimension.of(b).is_some()
    };
    if !certain && !pairs.any(half_known) {
        return None;
    }
    let mut values: Vec<Shared> = Vec::new();
    for (at, side) in sides.iter().enumerate() {
        let value = dimension.of(side);
        // Two profiles may have one name.
        let same = |known: &&mut Shared| known.value == value && !dimension.differs(&sides[known.columns[0]], side);
        match values.iter_mut().find(same) {
            Some(known) => known.columns.push(at),
            None => values.push(Shared { value, columns: vec![at] }),
        }
    }
    Some(Mismatch { dimension, certain, values })
}
