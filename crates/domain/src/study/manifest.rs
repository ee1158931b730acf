//! `study.toml`: read once, strictly. An unknown key, a wrong type or a name that points nowhere is an error with its
//! line, because a silent typo in a benchmark description becomes a wrong report.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Deserialize;
use serde::de::{self, MapAccess, Visitor};
use thiserror::Error;
use toml::Spanned;

use super::{Basis, Hardware, Localized, Model, OptionBase, Profile, Step, Study, Variant};
use crate::command::is_env_name;
use crate::id::{ProfileId, StepId, StudySlug, VariantId, is_slug};
use crate::metric::Metric;
use crate::units::RequestRate;

/// The only schema there is.
const SCHEMA: i64 = 1;
/// PRODUCT: changes under half a percent are of no use to anybody.
pub(crate) const DEFAULT_RELEVANCE_PCT: f64 = 0.5;
/// PRODUCT: below 99 % success a run is disqualified.
pub(crate) const DEFAULT_MIN_SUCCESS_PCT: f64 = 99.0;
/// Percentages in a report.
pub(crate) const DEFAULT_DECIMALS: u8 = 2;
/// More digits than any tool prints would be invented.
const MAX_DECIMALS: i64 = 6;

/// What is wrong with a `study.toml`, and on which line.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {message}")]
pub struct ManifestError {
    /// From 1.
    pub line: usize,
    /// What was found and what was expected.
    pub message: String,
}

/// One `[[runs]]` entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunEntry {
    /// What was under test.
    pub variant: VariantId,
    /// The workload.
    pub profile: ProfileId,
    /// Path in the study folder.
    pub file: String,
    /// The server start.
    pub start: Option<String>,
    /// Milliseconds since 1970 UTC.
    pub started_at: Option<i64>,
    /// Where the entry names its file.
    pub line: usize,
}

/// Reads a `study.toml`. Every name in it is known to point somewhere afterwards.
pub fn parse(text: &str) -> Result<(Study, Vec<RunEntry>), ManifestError> {
    let lines = Lines(text);
    let raw: RawStudy = toml::from_str(text).map_err(|error| lines.toml_error(&error))?;
    raw.check(&lines)
}

struct Lines<'a>(&'a str);

impl Lines<'_> {
    fn of(&self, offset: usize) -> usize {
        1 + self.0.bytes().take(offset).filter(|byte| *byte == b'\n').count()
    }

    fn error<T>(&self, at: &Spanned<T>, message: impl fmt::Display) -> ManifestError {
        ManifestError { line: self.of(at.span().start), message: message.to_string() }
    }

    fn toml_error(&self, error: &toml::de::Error) -> ManifestError {
        let line = error.span().map_or(1, |span| self.of(span.start));
        ManifestError { line, message: error.message().to_owned() }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawStudy {
    schema: Spanned<i64>,
    slug: Spanned<String>,
    #[serde(default)]
    basis: Basis,
    decimals: Option<Spanned<i64>>,
    #[serde(default)]
    option_base: OptionBase,
    objective: Option<Metric>,
    relevance_pct: Option<Spanned<f64>>,
    min_success_pct: Option<Spanned<f64>>,
    baseline: Spanned<String>,
    primary_profile: Spanned<String>,
    title: Text,
    notes: Option<Text>,
    model: RawModel,
    hardware: RawHardware,
    #[serde(default)]
    profiles: Vec<RawProfile>,
    #[serde(default)]
    variants: Vec<RawVariant>,
    #[serde(default)]
    steps: Vec<RawStep>,
    #[serde(default)]
    runs: Vec<RawRun>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawModel {
    id: Name,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawHardware {
    gpu: Name,
    count: Option<Spanned<u32>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawProfile {
    id: Spanned<String>,
    name: Option<Text>,
    dataset: Option<String>,
    dataset_path: Option<String>,
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    seed: Option<i64>,
    request_rate: Option<RequestRate>,
    max_concurrency: Option<Spanned<u64>>,
    requests: Option<Spanned<u64>>,
    command: Option<String>,
    #[serde(default)]
    slo: BTreeMap<Metric, Spanned<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawVariant {
    id: Spanned<String>,
    name: Option<Text>,
    engine: Name,
    engine_version: Option<Name>,
    model: Option<Name>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: Env,
    gpus: Option<Spanned<u32>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawStep {
    id: Spanned<String>,
    name: Option<Text>,
    profile: Spanned<String>,
    variants: Vec<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRun {
    variant: Spanned<String>,
    profile: Spanned<String>,
    file: Spanned<String>,
    start: Option<Spanned<String>>,
    started_at: Option<Spanned<String>>,
}

/// What something is called by its maker: one line with something on it.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Name(String);

impl TryFrom<String> for Name {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Err("a name cannot be empty".to_owned());
        }
        match text.chars().find(|c| c.is_control()) {
            Some(c) => Err(format!("a name cannot hold the control character U+{:04X}", u32::from(c))),
            None => Ok(Self(text)),
        }
    }
}

/// Environment of a variant. Names are what a shell takes as names: they stand unquoted in the printed command.
#[derive(Default, Deserialize)]
#[serde(try_from = "BTreeMap<String, String>")]
struct Env(BTreeMap<String, String>);

impl TryFrom<BTreeMap<String, String>> for Env {
    type Error = String;

    fn try_from(env: BTreeMap<String, String>) -> Result<Self, String> {
        if let Some(name) = env.keys().find(|name| !is_env_name(name)) {
            return Err(format!(
                "\"{name}\" is no name of an environment variable: letters, digits and _, not first a digit"
            ));
        }
        if let Some((name, _)) = env.iter().find(|(_, value)| value.contains('\0')) {
            return Err(format!("the value of {name} holds the character U+0000, which no environment can"));
        }
        Ok(Self(env))
    }
}

/// `"text"` for both languages, or `{ ja = "…", en = "…" }`.
struct Text(Localized);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, or a table with the keys `ja` and `en`")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Text, E> {
                storable(text)?;
                Ok(Text(Localized::same(text)))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Text, A::Error> {
                let mut text = Localized::default();
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        "ja" => text.ja = Some(map.next_value()?),
                        "en" => text.en = Some(map.next_value()?),
                        other => return Err(de::Error::unknown_field(other, &["ja", "en"])),
                    }
                }
                if text.is_empty() {
                    return Err(de::Error::custom("a text needs at least one of `ja` and `en`"));
                }
                for text in text.ja.iter().chain(&text.en) {
                    storable(text)?;
                }
                Ok(Text(text))
            }
        }
        deserializer.deserialize_any(TextVisitor)
    }
}

impl RawStudy {
    fn check(self, lines: &Lines<'_>) -> Result<(Study, Vec<RunEntry>), ManifestError> {
        if *self.schema.get_ref() != SCHEMA {
            return Err(lines.error(
                &self.schema,
                format!("schema {} is not known; this version reads {SCHEMA}", self.schema.get_ref()),
            ));
        }
        let slug = slug(lines, &self.slug)?;
        let decimals = match &self.decimals {
            None => DEFAULT_DECIMALS,
            Some(decimals) => u8::try_from(*decimals.get_ref())
                .ok()
                .filter(|value| i64::from(*value) <= MAX_DECIMALS)
                .ok_or_else(|| {
                    lines.error(decimals, format!("decimals must be 0 to {MAX_DECIMALS}, found {}", decimals.get_ref()))
                })?,
        };
        let relevance_pct = percent(lines, self.relevance_pct.as_ref(), "relevance_pct", DEFAULT_RELEVANCE_PCT)?;
        let min_success_pct =
            percent(lines, self.min_success_pct.as_ref(), "min_success_pct", DEFAULT_MIN_SUCCESS_PCT)?;

        let profile_ids = unique(lines, "profile", self.profiles.iter().map(|profile| &profile.id))?;
        let variant_ids = unique(lines, "variant", self.variants.iter().map(|variant| &variant.id))?;
        unique(lines, "step", self.steps.iter().map(|step| &step.id))?;
        known(lines, "variant", &self.baseline, &variant_ids)?;
        known(lines, "profile", &self.primary_profile, &profile_ids)?;
        for step in &self.steps {
            known(lines, "profile", &step.profile, &profile_ids)?;
            if step.variants.is_empty() {
                return Err(lines.error(&step.id, format!("step \"{}\" has no variants", step.id.get_ref())));
            }
            for variant in &step.variants {
                known(lines, "variant", variant, &variant_ids)?;
            }
        }
        for profile in &self.profiles {
            for (key, value) in [("requests", &profile.requests), ("max_concurrency", &profile.max_concurrency)] {
                if let Some(value) = value.as_ref().filter(|value| *value.get_ref() == 0) {
                    return Err(
                        lines.error(value, format!("{key} must be at least 1; leave it out where it is not known"))
                    );
                }
            }
        }
        for (metric, limit) in self.profiles.iter().flat_map(|profile| &profile.slo) {
            if !(limit.get_ref().is_finite() && *limit.get_ref() > 0.0) {
                let message = format!("{metric} must be a number above 0, found {}", limit.get_ref());
                return Err(lines.error(limit, message));
            }
        }
        if let Some(count) = self.hardware.count.as_ref().filter(|count| *count.get_ref() == 0) {
            return Err(lines.error(count, "hardware.count must be at least 1; leave it out where it is not known"));
        }
        for gpus in self.variants.iter().filter_map(|variant| variant.gpus.as_ref()) {
            if *gpus.get_ref() == 0 {
                return Err(lines.error(gpus, "gpus must be at least 1; leave it out where it is not known"));
            }
        }
        let runs =
            self.runs.into_iter().map(|run| run.check(lines, &variant_ids, &profile_ids)).collect::<Result<_, _>>()?;

        let model = self.model.id.0;
        let study = Study {
            slug,
            title: self.title.0,
            basis: self.basis,
            decimals,
            option_base: self.option_base,
            objective: self.objective.unwrap_or(Metric::TotalTps),
            relevance_pct,
            min_success_pct,
            notes: self.notes.map(|notes| notes.0).unwrap_or_default(),
            baseline: VariantId::new(self.baseline.into_inner()),
            primary_profile: ProfileId::new(self.primary_profile.into_inner()),
            hardware: Hardware { gpu: self.hardware.gpu.0, count: self.hardware.count.map(Spanned::into_inner) },
            profiles: self.profiles.into_iter().map(RawProfile::translate).collect(),
            variants: self.variants.into_iter().map(|variant| variant.translate(&model)).collect(),
            steps: self.steps.into_iter().map(RawStep::translate).collect(),
            model: Model { id: model },
        };
        Ok((study, runs))
    }
}

impl RawProfile {
    fn translate(self) -> Profile {
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
            command: self.command,
            slo: self.slo.into_iter().map(|(metric, limit)| (metric, limit.into_inner())).collect(),
        }
    }
}

impl RawVariant {
    fn translate(self, model: &str) -> Variant {
        Variant {
            id: VariantId::new(self.id.into_inner()),
            name: self.name.map(|name| name.0),
            engine: self.engine.0,
            engine_version: self.engine_version.map(|version| version.0),
            model: self.model.map_or_else(|| model.to_owned(), |model| model.0),
            args: self.args,
            env: self.env.0,
            gpus: self.gpus.map(Spanned::into_inner),
        }
    }
}

impl RawStep {
    fn translate(self) -> Step {
        let id = self.id.into_inner();
        Step {
            name: self.name.map_or_else(|| Localized::same(&id), |name| name.0),
            id: StepId::new(id),
            profile: ProfileId::new(self.profile.into_inner()),
            variants: self.variants.into_iter().map(|variant| VariantId::new(variant.into_inner())).collect(),
        }
    }
}

impl RawRun {
    fn check(
        self,
        lines: &Lines<'_>,
        variants: &BTreeSet<&str>,
        profiles: &BTreeSet<&str>,
    ) -> Result<RunEntry, ManifestError> {
        known(lines, "variant", &self.variant, variants)?;
        known(lines, "profile", &self.profile, profiles)?;
        let line = lines.of(self.file.span().start);
        if !stays_inside(self.file.get_ref()) {
            let message = format!("file \"{}\" must be a relative path inside the study folder", self.file.get_ref());
            return Err(ManifestError { line, message });
        }
        if let Some(start) = &self.start {
            printable(lines, "start", start)?;
        }
        let started_at = match &self.started_at {
            None => None,
            Some(text) => Some(instant(text.get_ref()).ok_or_else(|| {
                lines.error(
                    text,
                    format!("started_at \"{}\" is no RFC 3339 time such as 2026-11-28T09:30:00+09:00", text.get_ref()),
                )
            })?),
        };
        Ok(RunEntry {
            variant: VariantId::new(self.variant.into_inner()),
            profile: ProfileId::new(self.profile.into_inner()),
            file: self.file.into_inner(),
            start: self.start.map(Spanned::into_inner),
            started_at,
            line,
        })
    }
}

fn slug(lines: &Lines<'_>, slug: &Spanned<String>) -> Result<StudySlug, ManifestError> {
    if is_slug(slug.get_ref()) {
        return Ok(StudySlug::new(slug.get_ref()));
    }
    let message =
        format!("slug \"{}\" must be lower-case letters, digits, \".\", \"-\" and \"_\", at most 100", slug.get_ref());
    Err(lines.error(slug, message))
}

fn percent(lines: &Lines<'_>, value: Option<&Spanned<f64>>, key: &str, default: f64) -> Result<f64, ManifestError> {
    match value {
        None => Ok(default),
        Some(value) if (0.0..=100.0).contains(value.get_ref()) => Ok(*value.get_ref()),
        Some(value) => Err(lines.error(value, format!("{key} must be 0 to 100 percent, found {}", value.get_ref()))),
    }
}

fn unique<'a>(
    lines: &Lines<'_>,
    noun: &str,
    ids: impl Iterator<Item = &'a Spanned<String>>,
) -> Result<BTreeSet<&'a str>, ManifestError> {
    let mut seen = BTreeSet::new();
    for id in ids {
        if id.get_ref().is_empty() {
            return Err(lines.error(id, format!("{noun} id is empty")));
        }
        printable(lines, noun, id)?;
        if !seen.insert(id.get_ref().as_str()) {
            return Err(lines.error(id, format!("{noun} \"{}\" is described twice", id.get_ref())));
        }
    }
    Ok(seen)
}

/// Ids stand in tables and addresses, where a control character breaks something.
fn printable(lines: &Lines<'_>, noun: &str, id: &Spanned<String>) -> Result<(), ManifestError> {
    match id.get_ref().chars().find(|c| c.is_control()) {
        Some(c) => Err(lines.error(id, format!("{noun} id holds the control character U+{:04X}", u32::from(c)))),
        None => Ok(()),
    }
}

/// A text says something, and PostgreSQL keeps every character but one.
fn storable<E: de::Error>(text: &str) -> Result<(), E> {
    if text.trim().is_empty() {
        return Err(E::custom("a text cannot be empty; leave it out"));
    }
    if text.contains('\0') { Err(E::custom("a text cannot hold the character U+0000")) } else { Ok(()) }
}

fn known(lines: &Lines<'_>, noun: &str, id: &Spanned<String>, ids: &BTreeSet<&str>) -> Result<(), ManifestError> {
    if ids.contains(id.get_ref().as_str()) {
        return Ok(());
    }
    let list = ids.iter().copied().collect::<Vec<_>>().join(", ");
    let message = format!("{noun} \"{}\" is not described in this file; described are: {list}", id.get_ref());
    Err(lines.error(id, message))
}

/// Relative, with `/`, and never upwards: a study folder from somewhere else must not read other files.
fn stays_inside(path: &str) -> bool {
    let bad_part = |part: &str| part.is_empty() || part == "." || part == "..";
    !path.contains(['\\', '\0', ':']) && !path.split('/').any(bad_part)
}

/// RFC 3339 to milliseconds since 1970 UTC.
pub(crate) fn instant(text: &str) -> Option<i64> {
    chrono::DateTime::parse_from_rfc3339(text).ok().map(|at| at.timestamp_millis())
}
