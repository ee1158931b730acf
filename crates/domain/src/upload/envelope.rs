//! The envelope as it is sent. A key that is not known is refused: a silent typo would become a wrong report.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::metric::Metric;
use crate::study::{Basis, Localized};
use crate::units::RequestRate;

/// What an upload says about its raw outputs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Envelope {
    /// The study, made when it is not known yet.
    pub study: Short<StudyPart>,
    /// The step that the variant belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<Short<StepPart>>,
    /// What was under test.
    pub variant: Short<VariantPart>,
    /// The workload asked for.
    pub profile: Short<ProfilePart>,
    /// The machine it ran on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hardware: Option<HardwarePart>,
    /// Commands as run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commands: Option<Commands>,
    /// Id of the server start: runs of one start share its luck.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub started_at: Option<String>,
    /// RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub finished_at: Option<String>,
    /// Raw outputs, where they do not come as parts of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<File>,
}

/// A short text, or a description with keys.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum Short<T> {
    /// An id, or one text for both languages.
    Text(String),
    /// With keys.
    Full(T),
}

/// A study as an upload describes it; what it leaves out follows from its first variant and profile.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct StudyPart {
    /// Its name in addresses.
    pub slug: String,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Short<Languages>>,
    /// The model that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelPart>,
    /// The machine that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hardware: Option<HardwarePart>,
    /// Which figure ranks: `recomputed` or `reported`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub basis: Option<Basis>,
    /// Id of the profile that decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub primary_profile: Option<String>,
    /// Id of the variant that others are compared with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
}

/// A text in one or both languages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Languages {
    /// Japanese.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ja: Option<String>,
    /// English.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub en: Option<String>,
}

/// A model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ModelPart {
    /// As the engine loads it.
    pub id: String,
}

/// A machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct HardwarePart {
    /// The GPU as its tool names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<String>,
    /// How many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
}

/// A step as an upload describes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct StepPart {
    /// Unique in the study.
    pub id: String,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Short<Languages>>,
}

/// What was under test. Without an id it gets one from its fingerprint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct VariantPart {
    /// Unique in the study.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Short<Languages>>,
    /// `vLLM`, `SGLang`, …
    pub engine: String,
    /// As the engine reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine_version: Option<String>,
    /// The weights that were loaded, where they are not the study's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Arguments after the model, in order.
    #[serde(default)]
    pub args: Vec<String>,
    /// Environment that belongs to the configuration.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// GPUs, where they differ from the study's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpus: Option<u32>,
}

/// A workload as an upload describes it: the keys of a study folder's profiles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ProfilePart {
    /// Unique in the study.
    pub id: String,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Short<Languages>>,
    /// Name of the data set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dataset: Option<String>,
    /// Its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dataset_path: Option<String>,
    /// Input tokens per request that were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Output tokens per request that were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Seed of the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<i64>,
    /// Requests per second, or `unlimited`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Rate>))]
    pub request_rate: Option<RequestRate>,
    /// The client's limit on requests in flight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_concurrency: Option<u64>,
    /// Requests to send.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<u64>,
    /// The benchmark command as run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Limits that latencies are held against, like `ttft_p99_ms`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "openapi", schema(value_type = BTreeMap<String, f64>))]
    pub slo: BTreeMap<Metric, f64>,
}

/// How a request rate is sent; only to describe it.
#[cfg(feature = "openapi")]
#[derive(Serialize, utoipa::ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "RequestRate is what is read")]
enum Rate {
    /// Requests per second.
    Number(f64),
    /// `unlimited` or `inf`.
    Word(String),
}

/// Commands as run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Commands {
    /// The server's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serve: Option<String>,
    /// The benchmark's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bench: Option<String>,
}

/// A raw output inside the envelope: exactly one of `content` and `content_base64`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct File {
    /// The file's name.
    pub name: String,
    /// The raw output, where it is text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The raw output in Base64, whatever it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_base64: Option<String>,
}

impl Envelope {
    /// The study's slug, in either form.
    pub fn slug(&self) -> &str {
        match &self.study {
            Short::Text(slug) => slug,
            Short::Full(study) => &study.slug,
        }
    }
}

impl Short<Languages> {
    /// As studies keep it.
    pub(super) fn localized(&self) -> Localized {
        match self {
            Self::Text(text) => Localized::same(text),
            Self::Full(Languages { ja, en }) => Localized { ja: ja.clone(), en: en.clone() },
        }
    }
}

/// Not `untagged`, which would forget what was wrong with a description and where.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for Short<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Either<T> {
            type Value = Short<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, or an object")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Short::Text(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Short::Full)
            }
        }
        deserializer.deserialize_any(Either(PhantomData))
    }
}
