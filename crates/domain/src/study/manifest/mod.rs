//! `study.toml`: read once, strictly. An unknown key, a wrong type or a name that points nowhere is an error with its
//! line, because a silent typo in a benchmark description becomes a wrong report.

pub(crate) mod checks;
mod raw;
pub(crate) mod values;
mod write;

use std::collections::BTreeSet;
use std::fmt;

use thiserror::Error;
use toml::Spanned;

use super::{Hardware, Localized, Model, Study};
use crate::id::{ProfileId, VariantId};
use crate::plan::raw::{RawPlan, RawSearch};
use checks::{above_zero, known, objective, percent, printable, slug, stays_inside, unique};
use raw::{RawProfile, RawRun, RawStep, RawStudy};
pub use write::write;

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
    /// What the file was called where it came from, where that is not its path.
    pub name: Option<String>,
    /// Which of the file's results these are, from 0 and ascending; all of them where nothing is said.
    pub results: Option<Vec<u32>>,
    /// The server start.
    pub start: Option<String>,
    /// Milliseconds since 1970 UTC.
    pub started_at: Option<i64>,
    /// Markdown, for every run of the file.
    pub notes: Localized,
    /// Where the entry names its file.
    pub line: usize,
}

/// Reads a `study.toml`. Every name in it is known to point somewhere afterwards.
pub fn parse(text: &str) -> Result<(Study, Vec<RunEntry>), ManifestError> {
    let described = describe(text)?;
    let (plan, search) = (described.plan.map(|plan| plan.span()), described.search.map(|search| search.span()));
    match plan.or(search) {
        None => Ok((described.study, described.runs)),
        Some(at) => Err(ManifestError {
            line: described.lines.of(at.start),
            message: "[plan] and [search] say what is still to be measured; this is a plan, not a study".to_owned(),
        }),
    }
}

/// A description with what only plans have.
pub(crate) struct Described<'a> {
    pub lines: Lines<'a>,
    pub study: Study,
    pub runs: Vec<RunEntry>,
    pub plan: Option<Spanned<RawPlan>>,
    pub search: Option<Spanned<RawSearch>>,
    /// Where each profile has its command, or else its id.
    pub profile_lines: Vec<usize>,
    /// Where each variant has its id.
    pub variant_lines: Vec<usize>,
}

/// Reads a description, be it a study or a plan.
pub(crate) fn describe(text: &str) -> Result<Described<'_>, ManifestError> {
    let lines = Lines(text);
    let mut raw: RawStudy = toml::from_str(text).map_err(|error| lines.toml_error(&error))?;
    let (plan, search) = (raw.plan.take(), raw.search.take());
    let line = |at: &Spanned<String>| lines.of(at.span().start);
    let profile_lines =
        raw.profiles.iter().map(|profile| line(profile.command.as_ref().unwrap_or(&profile.id))).collect();
    let variant_lines = raw.variants.iter().map(|variant| line(&variant.id)).collect();
    let (study, runs) = raw.check(&lines)?;
    Ok(Described { lines, study, runs, plan, search, profile_lines, variant_lines })
}

/// Where in a description something stands.
pub(crate) struct Lines<'a>(&'a str);

impl Lines<'_> {
    pub(crate) fn of(&self, offset: usize) -> usize {
        1 + self.0.bytes().take(offset).filter(|byte| *byte == b'\n').count()
    }

    pub(crate) fn error<T>(&self, at: &Spanned<T>, message: impl fmt::Display) -> ManifestError {
        ManifestError { line: self.of(at.span().start), message: message.to_string() }
    }

    fn toml_error(&self, error: &toml::de::Error) -> ManifestError {
        let line = error.span().map_or(1, |span| self.of(span.start));
        ManifestError { line, message: error.message().to_owned() }
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
        // Uploads may name a baseline before they bring it; in a file that people write that is a typing error.
        if !self.partial {
            known(lines, "variant", &self.baseline, &variant_ids)?;
            known(lines, "profile", &self.primary_profile, &profile_ids)?;
        }
        for (noun, id) in [("variant", &self.baseline), ("profile", &self.primary_profile)] {
            printable(lines, noun, id)?;
        }
        for step in &self.steps {
            known(lines, "profile", &step.profile, &profile_ids)?;
            if step.variants.is_empty() {
                return Err(lines.error(&step.id, format!("step \"{}\" has no variants", step.id.get_ref())));
            }
            for variant in &step.variants {
                known(lines, "variant", variant, &variant_ids)?;
            }
        }
        above_zero(lines, &self)?;
        objective(lines, self.objective.as_ref(), &profile_ids, self.price.is_some())?;
        let runs =
            self.runs.into_iter().map(|run| run.check(lines, &variant_ids, &profile_ids)).collect::<Result<_, _>>()?;

        let model = self.model.id.0;
        let study = Study {
            slug,
            title: self.title.0,
            basis: self.basis,
            decimals,
            option_base: self.option_base,
            objective: self.objective.map(Spanned::into_inner).unwrap_or_default(),
            price: self.price.map(Spanned::into_inner),
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
        let results = self.results.map(|results| places(lines, &results)).transpose()?;
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
            name: self.name.map(|name| name.0),
            results,
            start: self.start.map(Spanned::into_inner),
            started_at,
            notes: self.notes.map(|notes| notes.0).unwrap_or_default(),
            line,
        })
    }
}

/// Places in a file as people count them, from 1, to places from 0.
fn places(lines: &Lines<'_>, results: &Spanned<Vec<u32>>) -> Result<Vec<u32>, ManifestError> {
    let places: Option<Vec<u32>> = results.get_ref().iter().map(|place| place.checked_sub(1)).collect();
    places.filter(|places| !places.is_empty() && places.is_sorted_by(|one, next| one < next)).ok_or_else(|| {
        lines.error(results, "results must be places in the file, from 1, in ascending order, such as [1, 3]")
    })
}

/// RFC 3339 to milliseconds since 1970 UTC.
pub(crate) fn instant(text: &str) -> Option<i64> {
    chrono::DateTime::parse_from_rfc3339(text).ok().map(|at| at.timestamp_millis())
}
