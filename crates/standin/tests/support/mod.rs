//! A server in memory, with the domain's rules and a network that can be told to fail; and a machine with the stand-ins.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use agent::{Config, Ended, Quit, Server, Trouble, run};
use domain::agent::{AgentFacts, Alive, Claim, Enrol, Failure, Finish, LeaseAsk, Leased, Settled, Stop};
use domain::digest::Digest;
use domain::id::{AgentId, JobId};
use domain::job::{Event, Job, Phase, Refusal, job_id};
use domain::parse;
use domain::plan::{Going, JobSpec, Known, KnownState, Plan, next};
use domain::run::{Run, run_id};
use domain::upload::{Envelope, Short};

pub const LEASE_MS: i64 = 60_000;

/// The head of a plan for the stand-ins; `more` follows.
pub fn plan(args: &str, more: &str) -> Plan {
    let text = format!(
        r#"schema = 1
slug = "standin"
title = "Stand-in"
baseline = "base"
primary_profile = "chat"
model = {{ id = "m" }}
hardware = {{ gpu = "Stand-in GPU", count = 1 }}

[[profiles]]
id = "chat"
input_tokens = 8
output_tokens = 4
requests = 6
max_concurrency = 2
command = "standin-bench --base-url {{base_url}} --model {{served_model}} --num-prompts {{requests}} --max-concurrency {{max_concurrency}} --input-len {{input_tokens}} --output-len {{output_tokens}} --virtual --result {{out}}/r.json"

[[variants]]
id = "base"
engine = "standin-engine"
args = ["--port", "{{port}}", "--ttft-ms", "2", "--tokens-per-s", "2000", "--scatter-pct", "0.05"{args}]

{more}"#
    );
    domain::plan::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A second variant, with arguments after those of the first.
pub fn variant(id: &str, args: &str) -> String {
    format!(
        "[[variants]]\nid = \"{id}\"\nengine = \"standin-engine\"\nargs = [\"--port\", \"{{port}}\", \"--ttft-ms\", \"2\", \
         \"--scatter-pct\", \"0.05\", {args}]\n"
    )
}

pub fn config(dir: &Path) -> Config {
    let programs = [
        ("standin-engine", env!("CARGO_BIN_EXE_standin-engine")),
        ("standin-bench", env!("CARGO_BIN_EXE_standin-bench")),
    ];
    let short = Duration::from_millis(30);
    Config {
        gpus: Some(vec![0]),
        gpu_name: Some("Stand-in GPU".to_owned()),
        engines: vec![("standin-engine".to_owned(), None)],
        programs: programs.into_iter().map(|(name, path)| (name.to_owned(), path.to_owned())).collect(),
        // Tests run side by side.
        port: 20_000 + u16::try_from(std::process::id() % 20_000).unwrap(),
        once: true,
        poll: short,
        heartbeat: short,
        grace: Duration::from_millis(500),
        ..Config::new(dir.to_owned(), "test".to_owned())
    }
}

pub fn work(config: &Config, server: &Memory) -> Ended {
    run(config, server, &Quit::default()).unwrap()
}

/// Processes that an agent of this directory started and that still run.
pub fn left_by(dir: &Path) -> usize {
    let agent = std::fs::read_to_string(dir.join("agent")).unwrap();
    let mark = format!("TOUCHSTONE_GROUP={}/", agent.trim());
    let marked = |entry: std::io::Result<std::fs::DirEntry>| {
        let environ = std::fs::read(entry.ok()?.path().join("environ")).ok()?;
        environ.split(|byte| *byte == 0).any(|word| word.starts_with(mark.as_bytes())).then_some(())
    };
    std::fs::read_dir("/proc").unwrap().filter_map(marked).count()
}

/// A server in memory.
pub struct Memory {
    plan: Plan,
    state: Mutex<State>,
    begun: Instant,
    /// Nothing gets through.
    pub away: AtomicBool,
    /// Of every so many answers one is lost, after what was asked was done; 0 for none.
    pub loses: AtomicU64,
    asked: AtomicU64,
}

#[derive(Default)]
pub struct State {
    pub jobs: BTreeMap<JobId, (JobSpec, Job)>,
    pub runs: Vec<Run>,
    /// Jobs that were finished for the first time.
    pub finished: Vec<JobId>,
    pub settled: Vec<Settled>,
    pub phases: BTreeMap<JobId, BTreeSet<Phase>>,
    pub logs: BTreeMap<JobId, Vec<String>>,
    /// Attempts of which an agent knows.
    pub heard: BTreeSet<(JobId, u32)>,
    pub progress: u64,
    pub ended: bool,
    pub study: Option<domain::study::Study>,
    facts: AgentFacts,
}

impl Memory {
    pub fn new(plan: Plan) -> Self {
        let server = Self {
            plan,
            state: Mutex::default(),
            begun: Instant::now(),
            away: AtomicBool::new(false),
            loses: AtomicU64::new(0),
            asked: AtomicU64::new(0),
        };
        server.state(|state| server.go_on(state));
        server
    }

    pub fn state<T>(&self, look: impl FnOnce(&mut State) -> T) -> T {
        look(&mut self.state.lock().unwrap())
    }

    pub fn phases_of_jobs(&self) -> Vec<Phase> {
        self.state(|state| state.jobs.values().map(|(_, job)| job.phase).collect())
    }

    /// The clock that counts.
    fn now(&self) -> i64 {
        i64::try_from(self.begun.elapsed().as_millis()).unwrap()
    }

    fn go_on(&self, state: &mut State) {
        let known: Vec<Known> = state
            .jobs
            .values()
            .map(|(spec, job)| Known {
                key: spec.key.clone(),
                state: match job.phase {
                    Phase::Done => KnownState::Done,
                    Phase::Failed => KnownState::Failed(job.failure.unwrap()),
                    Phase::Cancelled => KnownState::Cancelled,
                    _ => KnownState::Open,
                },
                minutes: None,
            })
            .collect();
        let next = next(&self.plan, &state.runs, &known);
        for spec in next.jobs {
            let job = Job::new(spec.method.attempts);
            assert!(state.jobs.insert(job_id(&"plan".into(), &spec.key), (spec, job)).is_none());
        }
        state.ended = next.going != Going::Measuring;
        state.study = Some(next.study);
    }

    /// Does what is asked, unless nothing gets through; the answer may be lost.
    fn ask<T>(&self, what: impl FnOnce(&mut State) -> Result<T, Trouble>) -> Result<T, Trouble> {
        let lost = || Trouble::Away("the network is gone".to_owned());
        if self.away.load(Ordering::SeqCst) {
            return Err(lost());
        }
        let number = self.asked.fetch_add(1, Ordering::SeqCst) + 1;
        let answer = self.state(what);
        match self.loses.load(Ordering::SeqCst) {
            0 => answer,
            // Scattered: a pattern could hit the same question for ever.
            every if scattered(number).is_multiple_of(every) => Err(lost()),
            _ => answer,
        }
    }

    pub fn event(&self, state: &mut State, id: &JobId, event: &Event) -> Result<(), Trouble> {
        let (_, job) = state.jobs.get_mut(id).ok_or_else(|| Trouble::Refused("there is no such job".to_owned()))?;
        match job.after(event, self.now()) {
            Ok(after) => {
                if after.phase == Phase::Done && job.phase != Phase::Done {
                    state.finished.push(id.clone());
                }
                *job = after;
            }
            Err(refusal) => return Err(stop(&refusal)),
        }
        self.go_on(state);
        Ok(())
    }
}

/// SplitMix64.
fn scattered(number: u64) -> u64 {
    let z = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

fn stop(refusal: &Refusal) -> Trouble {
    Trouble::Stop(Stop::from(refusal))
}

fn id<T>(short: &Short<T>) -> String {
    match short {
        Short::Text(text) => text.clone(),
        Short::Full(_) => panic!("the plan has described it already"),
    }
}

impl Server for Memory {
    fn enrol(&self, enrol: &Enrol) -> Result<(), Trouble> {
        self.ask(|state| {
            state.facts = enrol.facts.clone();
            Ok(())
        })
    }

    fn lease(&self, agent: &AgentId, ask: &LeaseAsk) -> Result<Option<Leased>, Trouble> {
        self.ask(|state| {
            let now = self.now();
            for (_, job) in state.jobs.values_mut() {
                *job = job.after(&Event::Tick, now).unwrap();
            }
            let facts = state.facts.clone();
            let fits = |(spec, job): &(JobSpec, Job)| {
                job.phase == Phase::Queued && spec.needs.unmet(&facts, ask.free_gpus).is_none()
            };
            let waiting = state.jobs.iter_mut().filter(|(_, job)| fits(job));
            let first = waiting.min_by_key(|(_, (spec, _))| {
                let other = ask.prefer.as_ref().is_none_or(|(_, start)| *start != spec.key.start());
                (other, spec.ordinal)
            });
            let Some((id, (spec, job))) = first else { return Ok(None) };
            *job = job.after(&Event::Lease { agent: agent.clone(), for_ms: LEASE_MS }, now).unwrap();
            Ok(Some(Leased {
                job: id.clone(),
                plan: "plan".into(),
                study: self.plan.study.slug.clone(),
                attempt: job.attempt,
                lease_ms: LEASE_MS,
                spec: spec.clone(),
            }))
        })
    }

    fn alive(&self, job: &JobId, alive: &Alive) -> Result<(), Trouble> {
        self.ask(|state| {
            state.phases.entry(job.clone()).or_default().insert(alive.phase);
            state.heard.insert((job.clone(), alive.attempt));
            state.logs.entry(job.clone()).or_default().extend(alive.log.clone());
            state.progress = state.progress.max(alive.progress.map_or(0, |progress| progress.done));
            self.event(state, job, &Event::Alive { attempt: alive.attempt, phase: alive.phase, for_ms: LEASE_MS })
        })
    }

    fn fail(&self, job: &JobId, failure: &Failure) -> Result<(), Trouble> {
        self.ask(|state| {
            state.logs.entry(job.clone()).or_default().extend(failure.log.clone());
            self.event(state, job, &Event::Fail { attempt: failure.attempt, class: failure.class })
        })
    }

    fn claim(&self, job: &JobId, claim: &Claim) -> Result<(), Trouble> {
        let Claim { attempt, agent, digest } = claim.clone();
        self.ask(|state| self.event(state, job, &Event::Claim { attempt, agent, digest }))
    }

    fn upload(&self, envelope: &Envelope, name: &str, file: &Path) -> Result<(), Trouble> {
        let bytes = std::fs::read(file).unwrap();
        self.ask(|state| {
            let digest = Digest::of(&bytes);
            let (variant, profile) = (id(&envelope.variant).as_str().into(), id(&envelope.profile).as_str().into());
            let measurement = parse::parse(&bytes).unwrap().runs.remove(0);
            let id = run_id(&self.plan.study.slug, &variant, &profile, &digest, 0);
            if state.runs.iter().all(|run| run.id != id) {
                let run = Run {
                    id,
                    variant,
                    profile,
                    file: name.to_owned(),
                    digest,
                    index: 0,
                    start: envelope.start.clone(),
                    started_at: None,
                    notes: Default::default(),
                    measurement,
                };
                state.runs.push(run);
            }
            Ok(())
        })
    }

    fn finish(&self, job: &JobId, finish: &Finish) -> Result<(), Trouble> {
        self.ask(|state| {
            state.settled.push(finish.settled.clone());
            self.event(state, job, &Event::Finish { digest: finish.digest.clone() })
        })
    }
}
