//! Plans: what is wrong is said with its line, jobs take turns, and a search finds what was planted.

mod mistakes;
mod rounds;
mod search;

use std::collections::BTreeMap;

use touchstone_domain::digest::Digest;
use touchstone_domain::job::FailureClass;
use touchstone_domain::parse::parse as read_output;
use touchstone_domain::plan::{Going, JobSpec, Known, KnownState, Next, Plan, next, parse};
use touchstone_domain::run::{Run, run_id};

use crate::studies::Bench;

/// A plan of two variants under one profile, whose rest is `more`.
pub fn matrix(more: &str) -> String {
    format!(
        r#"schema = 1
slug = "planned"
title = "Planned"
baseline = "base"
primary_profile = "chat"
model = {{ id = "Qwen/Qwen3-8B" }}
hardware = {{ gpu = "NVIDIA H200", count = 1 }}

[[profiles]]
id = "chat"
dataset = "random"
input_tokens = 1024
output_tokens = 128
requests = 500
request_rate = "unlimited"
seed = 42

[[variants]]
id = "base"
engine = "vLLM"
args = ["--max-model-len", "32768"]

[[variants]]
id = "fp8"
engine = "vLLM"
args = ["--max-model-len", "32768", "--quantization", "fp8"]

{more}"#
    )
}

/// The same with the first variant alone.
pub fn searching(more: &str) -> String {
    let whole = matrix("");
    let first = whole.split("[[variants]]\nid = \"fp8\"").next().expect("there is a second variant");
    format!("{first}{more}")
}

pub fn plan(text: &str) -> Plan {
    parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A machine that does not exist: it runs jobs as `speed` says, one by one, in their order.
pub struct Machine<'a> {
    pub plan: &'a Plan,
    pub runs: Vec<Run>,
    pub jobs: Vec<Known>,
    /// In the order in which they ran.
    pub ran: Vec<JobSpec>,
    queue: BTreeMap<i64, JobSpec>,
}

impl<'a> Machine<'a> {
    pub fn new(plan: &'a Plan) -> Self {
        Self { plan, runs: Vec::new(), jobs: Vec::new(), ran: Vec::new(), queue: BTreeMap::new() }
    }

    /// Runs until the plan is at its end. `speed` gives seconds of a run, or why there is none.
    pub fn run(&mut self, speed: impl Fn(&JobSpec) -> Result<f64, FailureClass>) -> Next {
        loop {
            let next = next(self.plan, &self.runs, &self.jobs);
            for job in &next.jobs {
                assert!(self.jobs.iter().all(|known| known.key != job.key), "{:?} is made twice", job.key);
                self.jobs.push(Known { key: job.key.clone(), state: KnownState::Open, minutes: None });
                assert!(self.queue.insert(job.ordinal, job.clone()).is_none(), "{:?} has another's place", job.key);
            }
            if let Going::Ended(_) = next.going {
                assert!(self.queue.is_empty(), "the plan ended while jobs were open");
                return next;
            }
            let (_, job) = self.queue.pop_first().expect("a plan that goes on has open jobs");
            let done = speed(&job);
            let known = self.jobs.iter_mut().find(|known| known.key == job.key).expect("it was made");
            known.minutes = Some(1.0);
            known.state = match done {
                Ok(seconds) => {
                    self.runs.push(measured(self.plan, &job, seconds));
                    KnownState::Done
                }
                Err(class) => KnownState::Failed(class),
            };
            self.ran.push(job);
            assert!(self.ran.len() < 500, "the plan does not end");
        }
    }

    /// `base base fp8`, as they ran.
    pub fn order(&self) -> String {
        let names: Vec<String> =
            self.ran.iter().map(|job| format!("{}/{}", job.key.variant, job.key.profile)).collect();
        names.join(" ")
    }
}

fn measured(plan: &Plan, job: &JobSpec, seconds: f64) -> Run {
    let bench = Bench { duration: seconds, ..Bench::SOUND };
    let bytes = bench.json().into_bytes();
    let digest = Digest::of(&bytes);
    let result = read_output(&bytes).expect("the tool's output can be read").runs.remove(0);
    let (variant, profile) = (job.key.variant.clone(), job.key.profile.clone());
    Run {
        id: run_id(&plan.study.slug, &variant, &profile, &digest, 0),
        variant,
        profile,
        file: "result.json".to_owned(),
        digest,
        index: 0,
        start: Some(job.key.start()),
        started_at: None,
        notes: Default::default(),
        measurement: result,
    }
}

/// Seconds that scatter a little from start to start, without chance: 17.0, 17.1, 16.9, …
pub fn jitter(seconds: f64, repeat: u32) -> f64 {
    let sign = if repeat.is_multiple_of(2) { 1.0 } else { -1.0 };
    seconds * (1.0 + sign * 0.002 * f64::from(repeat / 2 + 1) / f64::from(repeat))
}
