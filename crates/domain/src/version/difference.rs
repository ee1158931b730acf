//! The differences that there can be between two states of a report.

use super::outline::Named;
use crate::metric::Metric;
use crate::study::Basis;
use crate::text::Lang;

/// One thing in which two states of a report differ. `from` is the older one's; absent is none.
#[expect(missing_docs, reason = "fields are named by what they hold")]
#[derive(Debug, Clone, PartialEq)]
pub enum Difference {
    /// Another variant is advised.
    Recommended { from: Option<Named>, to: Option<Named> },
    /// The advice stands more or less firmly; keys as in JSON.
    Standing { from: String, to: String },
    /// Another variant is what others are compared with.
    Baseline { from: Named, to: Named },
    /// What baseline against recommended gives on a profile.
    Gain { profile: Named, decimals: usize, from: Gain, to: Gain },
    /// A profile on which both sides are set against each other now, or are not any more.
    Compared { profile: Named, now: bool },
    /// A figure of a side whose variant is the same.
    Figure { profile: Named, side: SideOf, moved: FigureMoved },
    /// What became of a step; keys as in JSON.
    Decision { step: Named, from: String, to: String },
    /// Something that the study has now, or does not have any more.
    Part { kind: PartKind, what: Named, added: bool },
    /// What starts a variant: engine, variables and arguments that came and went. Both are empty where only their order is
    /// another.
    Command { variant: Named, added: Vec<String>, removed: Vec<String> },
    /// What a profile asks for, by the keys of `study.toml`: key, from, to.
    Workload { profile: Named, asks: Vec<(String, String, String)> },
    /// The title in a language.
    Title { lang: Lang, from: String, to: String },
    /// What the study asks for; texts as in `study.toml`.
    Setting { setting: Setting, from: String, to: String },
    /// Runs of a variant under a profile that are new, or gone.
    Runs { variant: Named, profile: Named, count: usize, added: bool },
    /// The same raw output, read differently.
    Reading { run: usize, figures: Vec<FigureMoved> },
    /// A kind of finding, with the places where it is new, or gone.
    Finding { finding: Named, severity: String, places: Vec<Place>, appeared: bool },
    /// A note in a language.
    Note { on: NoteOn, lang: Lang, from: Option<String>, to: Option<String> },
    /// The program says the same in other words: numbers of the wording.
    Wording { from: u32, to: u32 },
    /// Something that an outline does not hold; the programs, where two wrote them.
    Other { programs: Option<(String, String)> },
}

/// A change with its verdict, as a row of the conclusion has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Gain {
    /// From the printed figures, percent.
    pub reported_pct: Option<f64>,
    /// From the recomputed figures, percent.
    pub recomputed_pct: Option<f64>,
    /// As in JSON.
    pub verdict: String,
}

/// A figure that is another one now.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureMoved {
    /// Which one.
    pub metric: Metric,
    /// As printed or recomputed.
    pub basis: Basis,
    /// In the metric's unit.
    pub from: Option<f64>,
    /// In the metric's unit.
    pub to: Option<f64>,
}

/// A side of the conclusion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SideOf {
    /// The baseline.
    Baseline,
    /// The recommended variant.
    Recommended,
}

/// What a study is made of, besides runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartKind {
    /// A workload.
    Profile,
    /// A configuration.
    Variant,
    /// Something that was tried.
    Step,
    /// Another study of the same question.
    Rival,
}

/// What a finding is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A run, by its number.
    Run(usize),
    /// A variant against the baseline under a profile.
    Comparison {
        /// The profile.
        profile: Named,
        /// The variant.
        variant: Named,
    },
    /// The study as a whole.
    Study,
}

/// What a note is on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoteOn {
    /// The study as a whole.
    Study,
    /// A step.
    Step(Named),
    /// A variant.
    Variant(Named),
    /// A run, by its number.
    Run(usize),
}

/// What a study asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// What is to be improved.
    Objective,
    /// Where.
    PrimaryProfile,
    /// Which figure ranks.
    Basis,
    /// What option rows are compared with.
    OptionBase,
    /// Changes below this do not matter, percent.
    RelevancePct,
    /// Runs below this success rate are disqualified, percent.
    MinSuccessPct,
    /// What a GPU hour costs.
    Price,
    /// The model.
    Model,
    /// The GPU.
    Gpu,
    /// How many.
    Gpus,
    /// Decimals of percentages.
    Decimals,
}

impl Setting {
    /// All of them, in the order shown.
    pub const ALL: [Self; 11] = [
        Self::Objective,
        Self::PrimaryProfile,
        Self::Basis,
        Self::OptionBase,
        Self::RelevancePct,
        Self::MinSuccessPct,
        Self::Price,
        Self::Model,
        Self::Gpu,
        Self::Gpus,
        Self::Decimals,
    ];

    /// Its key in an outline.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Objective => "objective",
            Self::PrimaryProfile => "primary_profile",
            Self::Basis => "basis",
            Self::OptionBase => "option_base",
            Self::RelevancePct => "relevance_pct",
            Self::MinSuccessPct => "min_success_pct",
            Self::Price => "price",
            Self::Model => "model",
            Self::Gpu => "gpu",
            Self::Gpus => "gpus",
            Self::Decimals => "decimals",
        }
    }
}

/// Where a difference stands in a list of many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// The first screen.
    Conclusion,
    /// What was tried.
    Steps,
    /// What the study asks for and is made of.
    Study,
    /// Measurements.
    Runs,
    /// What was found.
    Findings,
    /// What people wrote.
    Notes,
    /// What the program makes of it.
    Program,
}

impl Group {
    /// All of them, in the order shown.
    pub const ALL: [Self; 7] =
        [Self::Conclusion, Self::Steps, Self::Study, Self::Runs, Self::Findings, Self::Notes, Self::Program];
}

impl Difference {
    /// Where it belongs.
    #[must_use]
    pub fn group(&self) -> Group {
        match self {
            Self::Recommended { .. }
            | Self::Standing { .. }
            | Self::Baseline { .. }
            | Self::Gain { .. }
            | Self::Compared { .. }
            | Self::Figure { .. } => Group::Conclusion,
            Self::Decision { .. } => Group::Steps,
            Self::Part { kind: PartKind::Step, .. } => Group::Steps,
            Self::Part { kind: PartKind::Profile | PartKind::Variant | PartKind::Rival, .. }
            | Self::Command { .. }
            | Self::Workload { .. }
            | Self::Title { .. }
            | Self::Setting { .. } => Group::Study,
            Self::Runs { .. } | Self::Reading { .. } => Group::Runs,
            Self::Finding { .. } => Group::Findings,
            Self::Note { .. } => Group::Notes,
            Self::Wording { .. } | Self::Other { .. } => Group::Program,
        }
    }
}
