//! What comes next.

use serde::{Deserialize, Serialize};

use super::estimate::minutes_of;
use super::rounds::Board;
use super::search::{self, Traced};
use super::{JobKey, JobSpec, Plan};
use crate::id::{ProfileId, VariantId};
use crate::job::FailureClass;
use crate::run::Run;
use crate::study::Study;

/// A job that was made for the plan before.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// Which.
    pub key: JobKey,
    /// How far it is.
    pub state: KnownState,
    /// How long it took, where it ended.
    pub minutes: Option<f64>,
}

/// How far a job is, as far as a plan cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownState {
    /// It will end some time.
    Open,
    /// It has its result.
    Done,
    /// It will not be tried again by itself.
    Failed(FailureClass),
    /// Somebody cancelled it.
    Cancelled,
}

/// What comes next.
#[derive(Debug, Clone, PartialEq)]
pub struct Next {
    /// The study as far as it is planned: its variants and steps.
    pub study: Study,
    /// Jobs to make, in their order; none that is known.
    pub jobs: Vec<JobSpec>,
    /// The search, step by step; empty where the variants are given.
    pub trace: Vec<Traced>,
    /// Whether the plan is at its end.
    pub going: Going,
    /// What was used of the budget.
    pub spent: Spent,
}

/// Whether a plan is at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Going {
    /// Jobs are open, or are to be made.
    Measuring,
    /// Nothing more comes.
    Ended(Ending),
}

/// How a plan ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// All of it was measured.
    Complete,
    /// No more jobs may be made.
    Jobs,
    /// No more minutes may be spent.
    Minutes,
}

/// What was used of the budget: what ended, and what is open by its estimate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    /// Jobs that were made.
    pub jobs: u32,
    /// Minutes, as far as they are known.
    pub minutes: f64,
}

/// Says which jobs to make now. `runs` are the study's so far, `jobs` all that were ever made for this plan.
#[must_use]
pub fn next(plan: &Plan, runs: &[Run], jobs: &[Known]) -> Next {
    let mut board = Board::new(plan, runs, jobs);
    let (trace, complete) = match &plan.search {
        Some(knobs) => search::replay(&mut board, knobs),
        None => {
            let variants: Vec<VariantId> = plan.study.variants.iter().map(|variant| variant.id.clone()).collect();
            let profiles: Vec<ProfileId> = plan.study.profiles.iter().map(|profile| profile.id.clone()).collect();
            (Vec::new(), board.measure(0, None, &variants, &profiles))
        }
    };
    let mut wanted = std::mem::take(&mut board.wanted);
    wanted.sort_by_key(|job| job.ordinal);
    let estimated = |profile: &ProfileId| minutes_of(plan, runs, profile).unwrap_or(0.0);
    let of_known = |known: &Known| match (known.minutes, known.state) {
        (Some(minutes), _) => minutes,
        (None, KnownState::Open) => estimated(&known.key.profile),
        (None, KnownState::Done | KnownState::Failed(_) | KnownState::Cancelled) => 0.0,
    };
    let made = u32::try_from(jobs.len()).unwrap_or(u32::MAX);
    let spent = Spent { jobs: made, minutes: jobs.iter().map(of_known).sum() };
    let (jobs_to_make, stopped) = affordable(plan, wanted, spent, estimated);
    let open = jobs.iter().any(|known| known.state == KnownState::Open);
    let going = match (complete, stopped) {
        (true, _) => Going::Ended(Ending::Complete),
        (false, Some(ending)) if jobs_to_make.is_empty() && !open => Going::Ended(ending),
        (false, Some(_) | None) => Going::Measuring,
    };
    Next { study: board.data.study, jobs: jobs_to_make, trace, going, spent }
}

/// The first jobs for which the budget lasts, and what it lacks for the next one.
fn affordable(
    plan: &Plan,
    wanted: Vec<JobSpec>,
    spent: Spent,
    estimated: impl Fn(&ProfileId) -> f64,
) -> (Vec<JobSpec>, Option<Ending>) {
    let Spent { mut jobs, mut minutes } = spent;
    let mut made = Vec::new();
    for job in wanted {
        if plan.budget.jobs.is_some_and(|most| jobs >= most) {
            return (made, Some(Ending::Jobs));
        }
        minutes += estimated(&job.key.profile);
        // A job of unknown length may begin while there is time at all.
        if plan.budget.minutes.is_some_and(|most| minutes > most || spent.minutes >= most) {
            return (made, Some(Ending::Minutes));
        }
        jobs = jobs.saturating_add(1);
        made.push(job);
    }
    (made, None)
}
