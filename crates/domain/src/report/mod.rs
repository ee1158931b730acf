//! The report model: facts only. One model stands behind the page, Markdown and JSON, so they cannot disagree.
//!
//! Invariant: no words but names that people gave. Same runs, same bytes: derived figures keep six decimals.

mod build;
mod conclusion;
pub mod csv;
mod kind;
pub mod markdown;
pub mod reproduce;
mod rival;
mod step;
pub mod table;

use serde::Serialize;

pub use build::{build, build_under};
pub use conclusion::{Conclusion, ConclusionRow, GoalRow, MetricRow, Reservation, Standing};
pub use kind::{Kind, kinds_of};
pub(crate) use rival::same_workload;
pub use rival::{Difference, Rival, RivalAdvice, SharedProfile, beside, same_question};
pub use step::{OptionRow, StepReport, StepVariant, Summary, TpotDirection};

use crate::advise::cost::Price;
use crate::advise::fronts::{BestOn, Front};
use crate::advise::{Objective, Ranked};
use crate::check::Finding;
use crate::command::Command;
use crate::digest::Digest;
use crate::id::{ProfileId, RunId, StepId, StudySlug, VariantId};
use crate::metric::Metric;
use crate::metrics::Metrics;
use crate::noise::NoiseEstimate;
use crate::note::Target;
use crate::recompute::Recomputed;
use crate::run::{Excerpt, Tool, TpotDefinition};
use crate::study::{Basis, Hardware, Localized, Model, OptionBase, Profile};
use crate::upload::UNKNOWN;

/// A report on a study.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Of this shape.
    pub schema: u32,
    /// The study.
    pub slug: StudySlug,
    /// Its title.
    pub title: Localized,
    /// Which figure ranks.
    pub basis: Basis,
    /// Decimals of percentages.
    pub decimals: u8,
    /// What option rows are compared with.
    pub option_base: OptionBase,
    /// What is to be improved, and where.
    pub objective: Objective,
    /// What a GPU hour costs, where people say.
    pub price: Option<Price>,
    /// Whether the limits are a reader's and not the study's: see [`crate::study::Limits`].
    pub limits_of_reader: bool,
    /// Changes below this do not matter, percent.
    pub relevance_pct: f64,
    /// Runs below this success rate are disqualified, percent.
    pub min_success_pct: f64,
    /// The profile that decides.
    pub primary_profile: ProfileId,
    /// The model.
    pub model: Model,
    /// The machine.
    pub hardware: Hardware,
    /// Engines used, in order of first use.
    pub engines: Vec<EngineUsed>,
    /// Tools that printed the results.
    pub tools: Vec<Tool>,
    /// The first screen.
    pub conclusion: Conclusion,
    /// Every variant, the best figure first: what became of it, and why.
    pub ranking: Vec<Ranked>,
    /// The best variant of each profile.
    pub best_per_profile: Vec<BestOn>,
    /// Throughput against TPOT and TTFT, profile by profile.
    pub pareto: Vec<Front>,
    /// What other studies of the same question say; empty where none was set beside this one.
    pub rivals: Vec<Rival>,
    /// Noise estimates, one a profile where there is one.
    pub noise: Vec<NoiseEstimate>,
    /// Workloads.
    pub profiles: Vec<Profile>,
    /// Configurations.
    pub variants: Vec<VariantFacts>,
    /// What was tried.
    pub steps: Vec<StepReport>,
    /// The option table, one row a step.
    pub options: Vec<OptionRow>,
    /// Profiles that no step decided on, or where baseline and recommended were set side by side.
    pub cases: Vec<Case>,
    /// Measurements, in the study's order.
    pub runs: Vec<RunReport>,
    /// Everything found, heaviest first.
    pub findings: Vec<Finding>,
    /// Markdown of the study's authors.
    pub notes: Localized,
}

/// An engine in a version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EngineUsed {
    /// `vLLM`.
    pub engine: String,
    /// `v0.17.1`, where known.
    pub version: Option<String>,
}

/// A variant with its command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VariantFacts {
    /// Its id.
    pub id: VariantId,
    /// Its name, where people gave one.
    pub name: Option<Localized>,
    /// The engine.
    #[serde(flatten)]
    pub engine: EngineUsed,
    /// The weights.
    pub model: String,
    /// Arguments in order.
    pub args: Vec<String>,
    /// What serves it, where [`VariantFacts::has_command`] says so.
    pub command: Command,
    /// Arguments that the baseline does not have.
    pub added: Vec<String>,
    /// Arguments that only the baseline has.
    pub removed: Vec<String>,
    /// Markdown of the study's authors.
    #[serde(skip_serializing_if = "Localized::is_empty")]
    pub notes: Localized,
}

/// A profile with all its runs outside the steps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Case {
    /// The profile.
    pub profile: ProfileId,
    /// Its runs, baseline first.
    pub runs: Vec<RunId>,
}

/// A run in a report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunReport {
    /// Its id.
    pub id: RunId,
    /// Its number in the study, from 1.
    pub number: usize,
    /// What was under test.
    pub variant: VariantId,
    /// The workload.
    pub profile: ProfileId,
    /// The file it came in.
    pub file: String,
    /// That file's digest.
    pub digest: Digest,
    /// The server start, where known.
    pub start: Option<String>,
    /// Milliseconds since 1970 UTC, where known.
    pub started_at: Option<i64>,
    /// Who printed it.
    pub tool: Tool,
    /// What the tool says its TPOT is.
    pub tpot_definition: TpotDefinition,
    /// As printed.
    pub metrics: Metrics,
    /// As it follows.
    pub recomputed: Recomputed,
    /// What was found.
    pub findings: Vec<Finding>,
    /// The lines it was read from.
    pub excerpt: Option<Excerpt>,
    /// Markdown of the study's authors.
    #[serde(skip_serializing_if = "Localized::is_empty")]
    pub notes: Localized,
}

/// Whether engine and model are known, so that a command can be given. An upload may leave them unknown.
pub(crate) fn launchable(engine: &str, model: &str) -> bool {
    engine != UNKNOWN && model != UNKNOWN
}

impl VariantFacts {
    /// Whether [`VariantFacts::command`] is one that starts something; otherwise nobody has named engine or model.
    pub fn has_command(&self) -> bool {
        launchable(&self.engine.engine, &self.model)
    }
}

impl Report {
    /// The profile with this id.
    pub fn profile(&self, id: &ProfileId) -> Option<&Profile> {
        self.profiles.iter().find(|profile| &profile.id == id)
    }

    /// The variant with this id.
    pub fn variant(&self, id: &VariantId) -> Option<&VariantFacts> {
        self.variants.iter().find(|variant| &variant.id == id)
    }

    /// The run with this id.
    pub fn run(&self, id: &RunId) -> Option<&RunReport> {
        self.runs.iter().find(|run| &run.id == id)
    }

    /// The step with this id.
    pub fn step(&self, id: &StepId) -> Option<&StepReport> {
        self.steps.iter().find(|step| &step.id == id)
    }

    /// Notes on variants and runs that neither a step nor a case shows: they stand with those on the study.
    pub fn notes_apart(&self) -> Vec<(Target, &Localized)> {
        let tried = |id: &VariantId| self.steps.iter().flat_map(|step| &step.variants).any(|tried| tried.id == *id);
        let in_step = |id: &RunId| {
            let figures = self.steps.iter().flat_map(|step| &step.variants).filter_map(|tried| tried.figures.as_ref());
            figures.flat_map(|figures| &figures.runs).any(|run| run == id)
        };
        let in_case = |id: &RunId| self.cases.iter().flat_map(|case| &case.runs).any(|run| run == id);
        let variants = self.variants.iter().filter(|variant| !tried(&variant.id));
        let variants = variants.map(|variant| (Target::Variant(variant.id.clone()), &variant.notes));
        let runs = self.runs.iter().filter(|run| !run.notes.is_empty() && !in_step(&run.id) && !in_case(&run.id));
        let runs = runs.map(|run| (Target::Run(run.id.clone()), &run.notes));
        variants.chain(runs).filter(|(_, notes)| !notes.is_empty()).collect()
    }

    /// What a figure of the option table is: as reported where the study asks for a recomputed form that does not exist.
    pub fn option_basis(&self, row: &OptionRow, metric: Metric) -> Basis {
        let of = || self.step(&row.step)?.variants.iter().find(|variant| Some(&variant.id) == row.variant.as_ref());
        let figures = of().and_then(|variant| variant.figures.as_ref());
        figures.map_or(self.basis, |figures| figures.basis(self.basis, metric))
    }

    /// The row of the profile that decides, where both sides were run under it.
    pub fn primary_row(&self) -> Option<&ConclusionRow> {
        self.conclusion.rows.iter().find(|row| row.primary)
    }

    /// A variant's place in the ranking.
    pub fn ranked(&self, id: &VariantId) -> Option<&Ranked> {
        self.ranking.iter().find(|ranked| &ranked.variant == id)
    }

    /// The recommended variant's place in the ranking.
    pub fn advised(&self) -> Option<&Ranked> {
        self.ranked(self.conclusion.recommended.as_ref()?)
    }

    /// Whether the study, or its reader, sets limits.
    pub fn has_limits(&self) -> bool {
        self.profiles.iter().any(|profile| !profile.slo.is_empty())
    }

    /// The noise estimate of a profile.
    pub fn noise_of(&self, profile: &ProfileId) -> Option<&NoiseEstimate> {
        self.noise.iter().find(|estimate| &estimate.profile == profile)
    }
}
