//! Runs and variants side by side, any of them the base: figures with what each change means, parameters, commands, and
//! every dimension in which the sides differ besides.
//!
//! Invariant: facts, no words. A function of the studies' data and the selection alone, so that a shared or frozen view is
//! built from what its readers may see.

mod judge;
mod lines;
mod mismatch;
mod parameters;
mod resolve;
mod rows;
mod selection;
mod value;

use std::collections::BTreeMap;

use serde::Serialize;

pub use judge::{Apart, Figure};
pub use lines::{Line, Mark};
pub use mismatch::{Dimension, Mismatch, Shared};
pub use parameters::{Name, Parameter};
pub use resolve::{Missing, WhyMissing};
pub use rows::{Cell, MetricRow, Workload, WorkloadCell, WorkloadRow};
pub use selection::{Asked, MOST, Selection, Subject};
pub use value::Value;

use crate::advise::eligible;
use crate::change::Repeats;
use crate::check::{self, Evidence, Finding, heaviest_first};
use crate::digest::Digest;
use crate::id::{ProfileId, RunId, StudySlug, VariantId};
use crate::metric::Metric;
use crate::study::{Localized, StudyData};
use judge::{Judge, same_profile};
use resolve::{Resolved, resolve};

/// The shape of [`Comparison`].
const SCHEMA: u32 = 1;

/// Subjects side by side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Of this shape.
    pub schema: u32,
    /// What was asked for.
    pub selection: Selection,
    /// The place of the base among the columns; of no meaning without columns.
    pub base: usize,
    /// Decimals of percentages.
    pub decimals: u8,
    /// One a subject that was found, in the order asked for.
    pub columns: Vec<Column>,
    /// Subjects that were not.
    pub missing: Vec<Missing>,
    /// In what the sides differ, or may differ.
    pub mismatches: Vec<Mismatch>,
    /// Results.
    pub metrics: Vec<MetricRow>,
    /// What they rest on.
    pub workload: Vec<WorkloadRow>,
    /// All parameters, those that do not differ too.
    pub parameters: Vec<Parameter>,
    /// The numbers, each in its study, of all runs that findings name.
    pub numbers: BTreeMap<RunId, usize>,
}

/// A side of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Column {
    /// As it was asked for.
    pub subject: Subject,
    /// The study that it is of.
    pub study: StudySlug,
    /// Its title.
    pub title: Localized,
    /// What was under test.
    pub variant: VariantId,
    /// Its name, where people gave one.
    pub name: Option<Localized>,
    /// The workload.
    pub profile: ProfileId,
    /// Its name.
    pub profile_name: Localized,
    /// The runs behind its figures.
    pub runs: Vec<RunIn>,
    /// How often it was measured.
    #[serde(flatten)]
    pub repeats: Repeats,
    /// Whether too many of its requests failed.
    pub disqualified: bool,
    /// Its command against the base's; none where engine or model is not known.
    pub command: Option<Vec<Line>>,
    /// What was found on its runs, then against the base, the heaviest first.
    pub findings: Vec<Finding>,
}

/// A run with its place in its study.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunIn {
    /// Its id.
    pub id: RunId,
    /// Its number in the study, from 1.
    pub number: usize,
    /// Its raw output.
    pub digest: Digest,
}

impl Comparison {
    /// Whether two sides are there: one alone is compared with nothing.
    pub fn is_pair(&self) -> bool {
        self.columns.len() > 1
    }

    /// Whether the figures of any side cannot be compared with the base's at all.
    pub fn has_incomparable(&self) -> bool {
        let whole = |apart: Apart| match apart {
            Apart::Profile | Apart::LoadPoint | Apart::Failures | Apart::Workload => true,
            Apart::Hardware | Apart::Load | Apart::TpotDefinition => false,
        };
        self.metrics.iter().flat_map(|row| &row.cells).filter_map(|cell| cell.apart).any(whole)
    }

    /// Whether a figure has a row as printed and another as recomputed.
    pub fn in_both_forms(&self, metric: Metric) -> bool {
        self.metrics.iter().filter(|row| row.figure.metric == metric && !row.figure.per_gpu).count() > 1
    }

    /// A run as sentences about it name it: by its number in its study.
    pub fn number(&self, id: &RunId) -> String {
        self.numbers.get(id).map_or_else(|| id.to_string(), |number| format!("{number:02}"))
    }
}

/// Compares what was selected in these studies. What is not in them is named as missing; where that is the base, the first
/// that was found is the base.
pub fn compare(selection: &Selection, studies: &[StudyData]) -> Comparison {
    let (sides, missing) = resolve(&selection.subjects, studies);
    let base = sides.iter().position(|side| Some(side.subject) == selection.base()).unwrap_or_default();
    let judge = sides.get(base).map(Judge::new);
    Comparison {
        schema: SCHEMA,
        selection: selection.clone(),
        base,
        decimals: sides.iter().map(|side| side.study().decimals).max().unwrap_or_default(),
        columns: judge.iter().flat_map(|judge| sides.iter().map(|side| column(judge.base, side))).collect(),
        mismatches: mismatch::mismatches(&sides),
        metrics: judge.as_ref().map(|judge| rows::metric_rows(judge, &sides)).unwrap_or_default(),
        workload: judge.as_ref().map(|judge| rows::workload_rows(judge.base, &sides)).unwrap_or_default(),
        parameters: if sides.is_empty() { Vec::new() } else { parameters::parameters(&sides) },
        numbers: numbers(&sides),
        missing,
    }
}

fn numbers(sides: &[Resolved<'_>]) -> BTreeMap<RunId, usize> {
    let named = |side: &Resolved<'_>, id: &RunId| {
        side.findings.iter().any(|finding| match &finding.evidence {
            Evidence::DuplicateMeasurement { same_as } => same_as == id,
            _ => false,
        })
    };
    let of = |side: &Resolved<'_>| {
        let runs = (1..).zip(&side.data.runs).filter(|(_, run)| named(side, &run.id));
        runs.map(|(number, run)| (run.id.clone(), number)).collect::<Vec<_>>()
    };
    sides.iter().flat_map(of).collect()
}

fn column(base: &Resolved<'_>, side: &Resolved<'_>) -> Column {
    let study = side.study();
    let numbered = (1..).zip(&side.data.runs).filter(|(_, run)| side.figures.runs.contains(&run.id));
    let runs = numbered.map(|(number, run)| RunIn { id: run.id.clone(), number, digest: run.digest.clone() });
    let mut findings = side.findings.clone();
    findings.extend(against(base, side));
    heaviest_first(&mut findings);
    Column {
        subject: side.subject.clone(),
        study: study.slug.clone(),
        title: study.title.clone(),
        variant: side.variant.id.clone(),
        name: side.variant.name.clone(),
        profile: side.profile.id.clone(),
        profile_name: side.profile.name.clone(),
        runs: runs.collect(),
        repeats: side.figures.repeats(),
        disqualified: !eligible(&side.figures, study.min_success_pct),
        command: lines::lines(base.variant, side.variant),
        findings,
    }
}

/// What the comparison with the base says against itself; nothing where there is none.
fn against(base: &Resolved<'_>, side: &Resolved<'_>) -> Vec<Finding> {
    if std::ptr::eq(base, side) || !same_profile(base, side) {
        return Vec::new();
    }
    check::check_comparison(&check::Comparison {
        profile: side.profile,
        baseline: (base.variant, &base.figures),
        candidate: (side.variant, &side.figures),
        tpot_believed: !base.other_tpot() && !side.other_tpot(),
    })
}
