//! A study: one question about tuning, with its profiles, variants and steps.

mod export;
mod folder;
mod limits;
mod manifest;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub(crate) use export::safe_name;
pub use export::{Exported, ExportedFile, Holding, export};
pub use folder::{FolderError, Located, Received, StudyFolder, load, load_with};
pub use limits::{AskedLimits, LIMITS_SENT, Limits, RefusedLimit};
pub(crate) use manifest::{
    DEFAULT_DECIMALS, DEFAULT_MIN_SUCCESS_PCT, DEFAULT_RELEVANCE_PCT, Described, Lines, checks, describe, instant,
    values,
};
pub use manifest::{ManifestError, RunEntry, parse as parse_manifest, write as write_manifest};

use crate::advise::Objective;
use crate::advise::cost::Price;
use crate::id::{ProfileId, StepId, StudySlug, VariantId};
use crate::metric::Metric;
use crate::run::Run;
use crate::text::Lang;
use crate::units::RequestRate;

/// The file that describes a study in its folder.
pub const MANIFEST: &str = "study.toml";

/// A text that people wrote, in both languages. Where one is missing the other stands in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Localized {
    /// Japanese.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ja: Option<String>,
    /// English.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub en: Option<String>,
}

impl Localized {
    /// One text for both languages: a product name, an id.
    pub fn same(text: &str) -> Self {
        Self { ja: Some(text.to_owned()), en: Some(text.to_owned()) }
    }

    /// The text in `lang`, or else in the other language.
    pub fn get(&self, lang: Lang) -> &str {
        let (first, second) = match lang {
            Lang::Ja => (&self.ja, &self.en),
            Lang::En => (&self.en, &self.ja),
        };
        first.as_deref().or(second.as_deref()).unwrap_or_default()
    }

    /// The text in `lang`, and in no other.
    #[must_use]
    pub fn own(&self, lang: Lang) -> Option<&str> {
        match lang {
            Lang::Ja => self.ja.as_deref(),
            Lang::En => self.en.as_deref(),
        }
    }

    /// Sets the text in `lang`; an empty one is none.
    pub fn put(&mut self, lang: Lang, text: &str) {
        let text = (!text.is_empty()).then(|| text.to_owned());
        match lang {
            Lang::Ja => self.ja = text,
            Lang::En => self.en = text,
        }
    }

    /// Whether neither language has a text.
    pub fn is_empty(&self) -> bool {
        self.ja.is_none() && self.en.is_none()
    }
}

/// Which figure ranks variants and fills summary sentences and the option table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// From counts, duration and latencies.
    #[default]
    Recomputed,
    /// As the tool printed it.
    Reported,
}

impl Basis {
    /// The other one.
    pub fn other(self) -> Self {
        match self {
            Self::Recomputed => Self::Reported,
            Self::Reported => Self::Recomputed,
        }
    }
}

/// What a row of the option table is compared with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OptionBase {
    /// The study's baseline.
    #[default]
    Baseline,
    /// The best of the step before.
    Previous,
}

/// The model that the study is about. A variant may serve another form of it (FP8 weights).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Model {
    /// As the engine loads it: `Qwen/Qwen3-14B`.
    pub id: String,
}

/// The machine under test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hardware {
    /// The GPU as its tool names it.
    pub gpu: String,
    /// How many; unknown is `None`, never 1.
    pub count: Option<u32>,
}

/// The workload asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// Unique in the study.
    pub id: ProfileId,
    /// For people.
    pub name: Localized,
    /// Name of the data set.
    pub dataset: Option<String>,
    /// Its file.
    pub dataset_path: Option<String>,
    /// Input tokens per request that were asked for.
    pub input_tokens: Option<u64>,
    /// Output tokens per request that were asked for.
    pub output_tokens: Option<u64>,
    /// Seed of the data.
    pub seed: Option<i64>,
    /// Mean arrival rate asked for.
    pub request_rate: Option<RequestRate>,
    /// The client's limit on requests in flight.
    pub max_concurrency: Option<u64>,
    /// Requests to send.
    pub requests: Option<u64>,
    /// The benchmark command as run.
    pub command: Option<String>,
    /// Limits: latencies at most, rates (goodput, throughputs) at least, in the metric's unit.
    pub slo: BTreeMap<Metric, f64>,
}

/// What was under test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variant {
    /// Unique in the study.
    pub id: VariantId,
    /// For people, where given.
    pub name: Option<Localized>,
    /// `vLLM`, `SGLang`, `TensorRT-LLM`.
    pub engine: String,
    /// As the engine reports it.
    pub engine_version: Option<String>,
    /// The weights that were loaded.
    pub model: String,
    /// Arguments after the model, in order.
    pub args: Vec<String>,
    /// Environment that belongs to the configuration.
    pub env: BTreeMap<String, String>,
    /// GPUs, where they differ from the study's.
    pub gpus: Option<u32>,
    /// Markdown, per language.
    #[serde(default, skip_serializing_if = "Localized::is_empty")]
    pub notes: Localized,
}

/// One knob, or a combination, that was tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Unique in the study.
    pub id: StepId,
    /// For people.
    pub name: Localized,
    /// The profile that decides.
    pub profile: ProfileId,
    /// What was tried, in order.
    pub variants: Vec<VariantId>,
    /// Markdown, per language.
    #[serde(default, skip_serializing_if = "Localized::is_empty")]
    pub notes: Localized,
}

/// One question about tuning: everything in `study.toml` but its runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Study {
    /// Its name in URLs.
    pub slug: StudySlug,
    /// For people.
    pub title: Localized,
    /// Which figure ranks.
    pub basis: Basis,
    /// Decimals of percentages in the report.
    pub decimals: u8,
    /// What option rows are compared with.
    pub option_base: OptionBase,
    /// What is to be improved, and where.
    pub objective: Objective,
    /// What a GPU hour costs, where people say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// Changes below this, in percent, do not matter to anybody.
    pub relevance_pct: f64,
    /// A run with a lower success rate, in percent, is disqualified.
    pub min_success_pct: f64,
    /// Markdown, per language.
    pub notes: Localized,
    /// What others are compared with.
    pub baseline: VariantId,
    /// The profile that decides the recommendation.
    pub primary_profile: ProfileId,
    /// The model.
    pub model: Model,
    /// The machine.
    pub hardware: Hardware,
    /// Workloads.
    pub profiles: Vec<Profile>,
    /// Configurations.
    pub variants: Vec<Variant>,
    /// What was tried, in order.
    pub steps: Vec<Step>,
}

impl Study {
    /// The profile with this id.
    pub fn profile(&self, id: &ProfileId) -> Option<&Profile> {
        self.profiles.iter().find(|profile| &profile.id == id)
    }

    /// The variant with this id.
    pub fn variant(&self, id: &VariantId) -> Option<&Variant> {
        self.variants.iter().find(|variant| &variant.id == id)
    }

    /// GPUs that a variant ran on; unknown is `None`.
    pub fn gpus(&self, variant: &Variant) -> Option<u32> {
        variant.gpus.or(self.hardware.count)
    }
}

/// A study with its runs, in the study's order: all that a report is built from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StudyData {
    /// The question.
    pub study: Study,
    /// The measurements.
    pub runs: Vec<Run>,
}
