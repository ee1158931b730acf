//! `study.toml` as it is written, and its parts as the rest of the program knows them.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use super::values::{Env, Name, Text};
use crate::advise::Objective;
use crate::advise::cost::Price;
use crate::id::{ProfileId, StepId, VariantId};
use crate::metric::Metric;
use crate::plan::raw::{RawPlan, RawSearch};
use crate::study::{Basis, Localized, OptionBase, Profile, Step, Variant};
use crate::units::RequestRate;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawStudy {
    pub(super) schema: Spanned<i64>,
    pub(super) slug: Spanned<String>,
    #[serde(default)]
    pub(super) basis: Basis,
    pub(super) decimals: Option<Spanned<i64>>,
    #[serde(default)]
    pub(super) option_base: OptionBase,
    #[serde(default)]
    pub(super) partial: bool,
    pub(super) objective: Option<Spanned<Objective>>,
    pub(super) price: Option<Spanned<Price>>,
    pub(super) relevance_pct: Option<Spanned<f64>>,
    pub(super) min_success_pct: Option<Spanned<f64>>,
    pub(super) baseline: Spanned<String>,
    pub(super) primary_profile: Spanned<String>,
    pub(super) title: Text,
    pub(super) notes: Option<Text>,
    pub(super) model: RawModel,
    pub(super) hardware: RawHardware,
    #[serde(default)]
    pub(super) profiles: Vec<RawProfile>,
    #[serde(default)]
    pub(super) variants: Vec<RawVariant>,
    #[serde(default)]
    pub(super) steps: Vec<RawStep>,
    #[serde(default)]
    pub(super) runs: Vec<RawRun>,
    /// How a plan measures; a study has none.
    pub(super) plan: Option<Spanned<RawPlan>>,
    /// What a plan searches; a study has none.
    pub(super) search: Option<Spanned<RawSearch>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawModel {
    pub(super) id: Name,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawHardware {
    pub(super) gpu: Name,
    pub(super) count: Option<Spanned<u32>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawProfile {
    pub(super) id: Spanned<String>,
    pub(super) name: Option<Text>,
    pub(super) dataset: Option<String>,
    pub(super) dataset_path: Option<String>,
    pub(super) input_tokens: Option<u64>,
    pub(super) output_tokens: Option<u64>,
    pub(super) seed: Option<i64>,
    pub(super) request_rate: Option<RequestRate>,
    pub(super) max_concurrency: Option<Spanned<u64>>,
    pub(super) requests: Option<Spanned<u64>>,
    pub(super) command: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) slo: BTreeMap<Metric, Spanned<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawVariant {
    pub(super) id: Spanned<String>,
    pub(super) name: Option<Text>,
    pub(super) engine: Name,
    pub(super) engine_version: Option<Name>,
    pub(super) model: Option<Name>,
    #[serde(default)]
    pub(super) args: Vec<String>,
    #[serde(default)]
    pub(super) env: Env,
    pub(super) gpus: Option<Spanned<u32>>,
    pub(super) notes: Option<Text>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawStep {
    pub(super) id: Spanned<String>,
    pub(super) name: Option<Text>,
    pub(super) profile: Spanned<String>,
    pub(super) variants: Vec<Spanned<String>>,
    pub(super) notes: Option<Text>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawRun {
    pub(super) variant: Spanned<String>,
    pub(super) profile: Spanned<String>,
    pub(super) file: Spanned<String>,
    pub(super) name: Option<Name>,
    pub(super) results: Option<Spanned<Vec<u32>>>,
    pub(super) start: Option<Spanned<String>>,
    pub(super) started_at: Option<Spanned<String>>,
    pub(super) notes: Option<Text>,
}

impl RawProfile {
    pub(super) fn translate(self) -> Profile {
        let id = self.id.into_inner();
        Profile {
            name: self.name.map_or_else(|| Localized::same(&id), |name| name.0),
            id: ProfileId::new(id),
            dataset: self.dataset,
            dataset_path: self.dataset_path,
            input_tokens: self.input_tokens,
            output_tokens: self.output_tokens,
            seed: self.seed,
            request_rate: self.request_rate,
            max_concurrency: self.max_concurrency.map(Spanned::into_inner),
            requests: self.requests.map(Spanned::into_inner),
            command: self.command.map(Spanned::into_inner),
            slo: self.slo.into_iter().map(|(metric, limit)| (metric, limit.into_inner())).collect(),
        }
    }
}

impl RawVariant {
    pub(super) fn translate(self, model: &str) -> Variant {
        Variant {
            id: VariantId::new(self.id.into_inner()),
            name: self.name.map(|name| name.0),
            engine: self.engine.0,
            engine_version: self.engine_version.map(|version| version.0),
            model: self.model.map_or_else(|| model.to_owned(), |model| model.0),
            args: self.args,
            env: self.env.0,
            gpus: self.gpus.map(Spanned::into_inner),
            notes: self.notes.map(|notes| notes.0).unwrap_or_default(),
        }
    }
}

impl RawStep {
    pub(super) fn translate(self) -> Step {
        let id = self.id.into_inner();
        Step {
            name: self.name.map_or_else(|| Localized::same(&id), |name| name.0),
            id: StepId::new(id),
            profile: ProfileId::new(self.profile.into_inner()),
            variants: self.variants.into_iter().map(|variant| VariantId::new(variant.into_inner())).collect(),
            notes: self.notes.map(|notes| notes.0).unwrap_or_default(),
        }
    }
}
