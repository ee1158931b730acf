//! What may be compared with what, what a conclusion rests on, and that every row, reason and front keeps to it.

mod compared;
mod conclusion;
mod steps;

use crate::languages::assert_report;
use crate::made::{Block, Made, run};
use touchstone_domain::advise::{Decision, Elsewhere, Reason};
use touchstone_domain::change::Verdict;
use touchstone_domain::report::markdown::markdown;
use touchstone_domain::report::{OptionRow, Report, Reservation, Standing, StepReport, build};
use touchstone_domain::study::{Localized, Step, StudyData};
use touchstone_domain::text::{self, Lang};
use touchstone_domain::units::TokPerSec;

/// A study of these runs, and what is done to it before it is judged.
struct Case<'a> {
    name: &'a str,
    head: &'static str,
    chat: &'static str,
    batch: &'static str,
    runs: &'a [Block],
    then: fn(&mut StudyData),
}

const PLAIN: Case<'static> = Case { name: "", head: "", chat: "", batch: "", runs: &[], then: |_| {} };

impl Case<'_> {
    fn report(&self) -> Report {
        let made = Made { head: self.head, chat: self.chat, batch: self.batch, runs: self.runs.to_vec() };
        let mut data = made.data();
        (self.then)(&mut data);
        let report = build(&data);
        assert_report(&report);
        report
    }
}

fn fails(block: Block) -> Block {
    Block { requests: 514, failed: 486, ..block }
}

/// Sets the study's steps: id, profile, variants.
fn steps(data: &mut StudyData, all: &[(&str, &str, &[&str])]) {
    let step = |(id, profile, variants): &(&str, &str, &[&str])| Step {
        id: (*id).into(),
        name: Localized::same(id),
        profile: (*profile).into(),
        variants: variants.iter().map(|id| (*id).into()).collect(),
        notes: Localized::default(),
    };
    data.study.steps = all.iter().map(step).collect();
}

/// Gives a variant two GPUs.
fn twice(data: &mut StudyData, variant: &str) {
    let variant = data.study.variants.iter_mut().find(|known| known.id.as_str() == variant);
    variant.expect("the variant is described").gpus = Some(2);
}

/// Makes a variant's prompts on a profile three times as long, and its runs as much longer.
fn longer_prompts(data: &mut StudyData, variant: &str, profile: &str) {
    for run in &mut data.runs {
        if run.variant.as_str() == variant && run.profile.as_str() == profile {
            let input = &mut run.measurement.metrics.total_input_tokens;
            *input = input.map(|tokens| tokens * 3);
        }
    }
}

/// Every run in a server start of its own.
fn each_in_a_start(data: &mut StudyData) {
    for (at, run) in data.runs.iter_mut().enumerate() {
        run.start = Some(format!("s{at}"));
    }
}

fn recommended(report: &Report) -> Option<&str> {
    report.conclusion.recommended.as_ref().map(|id| id.as_str())
}

fn why(report: &Report, variant: &str) -> String {
    let ranked = report.ranked(&variant.into()).unwrap_or_else(|| panic!("{variant} is not ranked"));
    let json = serde_json::to_value(&ranked.why_not).expect("a reason can be written");
    json["id"].as_str().unwrap_or("recommended").to_owned()
}

fn step<'a>(report: &'a Report, id: &str) -> &'a StepReport {
    report.steps.iter().find(|step| step.id.as_str() == id).expect("the step is described")
}

fn option<'a>(report: &'a Report, id: &str) -> &'a OptionRow {
    report.options.iter().find(|row| row.step.as_str() == id).expect("the step has a row")
}

fn reason(lang: Lang, report: &Report, id: &str) -> String {
    text::reason(lang, report, &step(report, id).reason).plain()
}

fn has(report: &Report, id: &str) -> bool {
    let id_of = |reservation| serde_json::to_value(reservation).expect("a reservation can be written")["id"].clone();
    report.conclusion.reservations.iter().any(|reservation| id_of(reservation) == id)
}
