//! Notes: Markdown that people write on a study, its steps, variants and runs, each language for itself.
//!
//! Invariant: a note belongs to no fingerprint and no id. It can be written, changed or taken away, and every figure stays.

use std::fmt;

use crate::id::{RunId, StepId, VariantId};
use crate::run::Run;
use crate::study::{Localized, StudyData};
use crate::text::Lang;

/// A note of one language, in bytes of UTF-8: some forty pages, and little enough to be shown, compared and kept whole.
pub const MAX_NOTE: usize = 256 * 1024;

/// What a note is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// The study as a whole.
    Study,
    /// One of its steps.
    Step(StepId),
    /// One of its variants.
    Variant(VariantId),
    /// One of its runs.
    Run(RunId),
}

impl Target {
    /// Reads `study`, `step:ID`, `variant:ID` or `run:ID`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text == "study" {
            return Some(Self::Study);
        }
        match text.split_once(':')? {
            (_, "") => None,
            ("step", id) => Some(Self::Step(id.into())),
            ("variant", id) => Some(Self::Variant(id.into())),
            ("run", id) => Some(Self::Run(id.into())),
            _ => None,
        }
    }
}

/// As [`Target::parse`] reads it.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Study => f.write_str("study"),
            Self::Step(id) => write!(f, "step:{id}"),
            Self::Variant(id) => write!(f, "variant:{id}"),
            Self::Run(id) => write!(f, "run:{id}"),
        }
    }
}

/// A note as it is kept and compared: lines end with a line feed, blank lines around it are gone, and U+0000, which no
/// database keeps, is what Markdown makes of it. A text of nothing but space is empty, which means: no note.
#[must_use]
pub fn normalised(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n").replace('\0', "\u{fffd}");
    let mut text = text.trim_end();
    // Spaces before the first words may make them code; blank lines before them say nothing.
    while let Some((first, rest)) = text.split_once('\n')
        && first.trim().is_empty()
    {
        text = rest;
    }
    text.to_owned()
}

impl StudyData {
    /// Everything a note can be about, in the study's order.
    #[must_use]
    pub fn targets(&self) -> Vec<Target> {
        let study = &self.study;
        let steps = study.steps.iter().map(|step| Target::Step(step.id.clone()));
        let variants = study.variants.iter().map(|variant| Target::Variant(variant.id.clone()));
        let runs = self.runs.iter().map(|run| Target::Run(run.id.clone()));
        std::iter::once(Target::Study).chain(steps).chain(variants).chain(runs).collect()
    }

    /// The notes on a target; none where the study has no such thing.
    #[must_use]
    pub fn notes(&self, on: &Target) -> Option<&Localized> {
        let study = &self.study;
        match on {
            Target::Study => Some(&study.notes),
            Target::Step(id) => study.steps.iter().find(|step| step.id == *id).map(|step| &step.notes),
            Target::Variant(id) => study.variant(id).map(|variant| &variant.notes),
            Target::Run(id) => self.runs.iter().find(|run| run.id == *id).map(|run| &run.notes),
        }
    }

    /// Puts a note in the place of the one that is there; an empty text takes it away. A target that the study does not
    /// have changes nothing.
    pub fn put_note(&mut self, on: &Target, lang: Lang, text: &str) {
        let study = &mut self.study;
        let notes = match on {
            Target::Study => Some(&mut study.notes),
            Target::Step(id) => study.steps.iter_mut().find(|step| step.id == *id).map(|step| &mut step.notes),
            Target::Variant(id) => study.variants.iter_mut().find(|one| one.id == *id).map(|one| &mut one.notes),
            Target::Run(id) => self.runs.iter_mut().find(|run| run.id == *id).map(|run| &mut run.notes),
        };
        if let Some(notes) = notes {
            notes.put(lang, text);
        }
    }
}

impl Run {
    /// Puts a note in the place of the one that is there, as [`StudyData::put_note`] does.
    pub fn put_note(&mut self, lang: Lang, text: &str) {
        self.notes.put(lang, text);
    }
}
