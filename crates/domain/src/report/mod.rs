//! The report model: facts only. One model stands behind the page, Markdown and JSON, so they cannot disagree.
//!
//! Invariant: no words but names that people gave. Same runs, same bytes: derived figures keep six decimals.

mod build;
pub mod markdown;

use serde::Serialize;

pub use build::build;

use crate::advise::{Decision, Highest, Reason};
use crate::aggregate::Figures;
use crate::change::Change;
use crate::check::Finding;
use crate::command::Command;
use crate::digest::Digest;
use crate::id::{ProfileId, RunId, StepId, StudySlug, VariantId};
use crate::metric::Metric;
use crate::metrics::Metrics;
use crate::noise::NoiseEstimate;
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
    /// What is to be improved.
    pub objective: Metric,
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

/// How firmly the recommendation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// Beyond noise on the primary profile, worse nowhere.
    Recommended,
    /// Recommended, but see the reservations.
    WithReservations,
    /// Nothing beats the baseline: keep it.
    KeepBaseline,
    /// No variant is eligible.
    Nothing,
}

/// Why a recommendation does not stand firmly, one fact each.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "id", rename_all = "kebab-case")]
pub enum Reservation {
    /// Measured once, or in one server start: noise unknown.
    SingleRun,
    /// The baseline was not measured on the primary profile: there is nothing to gain against.
    BaselineNotMeasured,
    /// The gain on the primary profile is within noise.
    WithinNoise {
        /// The profile.
        profile: ProfileId,
    },
    /// A profile that loses throughput.
    Loses {
        /// The profile.
        profile: ProfileId,
    },
    /// A latency that got worse.
    LatencyWorse {
        /// The profile.
        profile: ProfileId,
        /// The worst of its latencies.
        metric: Metric,
    },
    /// The tool's figure is off by more than 2 %.
    ReportedDiffers {
        /// The profile where the two changes lie furthest apart.
        profile: ProfileId,
    },
    /// Weights of another precision: quality was not measured.
    PrecisionChanged,
    /// A profile whose load set the throughput.
    LoadLimited {
        /// The profile.
        profile: ProfileId,
    },
}

/// The conclusion card.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Conclusion {
    /// What others are compared with.
    pub baseline: VariantId,
    /// What the report advises.
    pub recommended: Option<VariantId>,
    /// How firmly.
    pub standing: Standing,
    /// Why not more firmly.
    pub reservations: Vec<Reservation>,
    /// The command to copy; absent where the engine or the model is not known.
    pub command: Option<Command>,
    /// Arguments that the baseline does not have.
    pub added: Vec<String>,
    /// Arguments that only the baseline has.
    pub removed: Vec<String>,
    /// One row a profile, the primary one first.
    pub rows: Vec<ConclusionRow>,
    /// The best figure, where its variant is not the recommended one.
    pub highest: Option<Highest>,
}

/// Baseline and recommended under one profile.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConclusionRow {
    /// The profile.
    pub profile: ProfileId,
    /// Whether it decides.
    pub primary: bool,
    /// The baseline's figures.
    pub baseline: Figures,
    /// The recommended variant's figures.
    pub recommended: Figures,
    /// Change of total TPS.
    pub change: Change,
    /// Change of mean TPOT.
    pub tpot_change: Change,
    /// Change of what the study wants to improve; total TPS again where that is it.
    pub objective_change: Change,
    /// Every compared figure.
    pub metrics: Vec<MetricRow>,
    /// Findings on this comparison.
    pub findings: Vec<Finding>,
}

/// One figure of both sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MetricRow {
    /// Which figure.
    pub metric: Metric,
    /// As printed, or recomputed.
    pub basis: Basis,
    /// Whether the tool's definition of the figure is not ours.
    pub other_definition: bool,
    /// In the metric's unit.
    pub baseline: Option<f64>,
    /// In the metric's unit.
    pub recommended: Option<f64>,
    /// Its change, in the form of `basis` only.
    pub change: Change,
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
}

/// A step with what it found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepReport {
    /// Its id.
    pub id: StepId,
    /// Its name.
    pub name: Localized,
    /// The profile that decided.
    pub profile: ProfileId,
    /// What was tried, in order.
    pub variants: Vec<StepVariant>,
    /// The best eligible variant on the study's basis.
    pub best: Option<VariantId>,
    /// The lowest of the eligible variants, where there are two.
    pub worst: Option<VariantId>,
    /// Best against worst; absent for one variant.
    pub summary: Option<Summary>,
    /// What became of it.
    pub decision: Decision,
    /// Why.
    pub reason: Reason,
}

/// A variant in a step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepVariant {
    /// Its id.
    pub id: VariantId,
    /// Whether too many of its requests failed.
    pub disqualified: bool,
    /// What it measured; absent where it was not run.
    pub figures: Option<Figures>,
    /// Change of the objective against the baseline.
    pub change: Option<Change>,
}

/// Best against worst of a step, on the study's basis. Differences carry no sign: best minus worst for total TPS, and
/// the direction beside it for TPOT.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// tok/s.
    pub tps_difference: f64,
    /// Percent of the worst.
    pub tps_pct: f64,
    /// ms.
    pub tpot_difference_ms: Option<f64>,
    /// Percent of the worst's.
    pub tpot_pct: Option<f64>,
    /// Which way TPOT went from worst to best.
    pub tpot_direction: Option<TpotDirection>,
    /// Mean TPOT of best and worst from their latencies, ms, where the printed ones are not to be believed.
    pub tpot_recomputed_ms: Option<(f64, f64)>,
}

impl Summary {
    /// Whether the latencies say the opposite of the printed TPOT.
    pub fn tpot_reverses(&self) -> bool {
        let (Some(way), Some((best_ms, worst_ms))) = (self.tpot_direction, self.tpot_recomputed_ms) else {
            return false;
        };
        (way == TpotDirection::Reduction) != (best_ms < worst_ms)
    }
}

/// Which way TPOT went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TpotDirection {
    /// Shorter: better.
    Reduction,
    /// Longer: worse.
    Increase,
}

/// A row of the option table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OptionRow {
    /// The step.
    pub step: StepId,
    /// The variant shown: the step's best figure, failures not considered.
    pub variant: Option<VariantId>,
    /// What it is compared with.
    pub base: Option<VariantId>,
    /// Total TPS on the study's basis, tok/s.
    pub total_token_throughput: Option<f64>,
    /// Mean TPOT on the study's basis, ms.
    pub tpot_mean_ms: Option<f64>,
    /// Total TPS on the other basis, tok/s, where the two differ by more than 2 %.
    pub other_total_token_throughput: Option<f64>,
    /// Mean TPOT on the other basis, ms, where the two differ by more than 2 %.
    pub other_tpot_mean_ms: Option<f64>,
    /// Total TPS of the base, tok/s.
    pub base_total_token_throughput: Option<f64>,
    /// Mean TPOT of the base, ms.
    pub base_tpot_mean_ms: Option<f64>,
    /// Change of total TPS against the base.
    pub change: Option<Change>,
    /// Success rate, percent, where it is known.
    pub success_rate_pct: Option<f64>,
    /// What became of it.
    pub decision: Decision,
    /// Why.
    pub reason: Reason,
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

    /// The row of the profile that decides, where both sides were run under it.
    pub fn primary_row(&self) -> Option<&ConclusionRow> {
        self.conclusion.rows.iter().find(|row| row.primary)
    }

    /// The noise estimate of a profile.
    pub fn noise_of(&self, profile: &ProfileId) -> Option<&NoiseEstimate> {
        self.noise.iter().find(|estimate| &estimate.profile == profile)
    }
}
