//! One job, from its lease to a result on the disk.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use domain::agent::{Alive, Failure, Leased, Progress, Settled, StopReason};
use domain::digest::Digesting;
use domain::job::{FailureClass, Phase};
use domain::plan::{CachePolicy, Place};
use domain::upload::{Commands, Envelope, HardwarePart, Short, StepPart};

use crate::bench::{self, errors_of, log_of};
use crate::engine::{Engine, Failed, Needed, free_port};
use crate::gpu::Telemetry;
use crate::log::{self, Tail};
use crate::spool::{Kept, Spool};
use crate::{Config, Quit, Server, Trouble};

/// What all jobs of an agent share.
pub(crate) struct Bench<'a> {
    pub config: &'a Config,
    pub spool: &'a Spool,
    pub server: &'a dyn Server,
    pub quit: &'a Quit,
    pub gpu_names: Vec<(u32, String)>,
    /// Unlike that of the agent before this one.
    pub session: String,
}

/// How far a job is, for the signs of life.
struct Now {
    phase: Phase,
    since: Instant,
    tails: Vec<Tail>,
    /// Of the benchmark that runs.
    out: Option<PathBuf>,
}

/// A job at work.
struct Work<'a> {
    leased: &'a Leased,
    now: Mutex<Now>,
    /// Nobody wants it any more.
    cancelled: AtomicBool,
    over: AtomicBool,
}

/// A server that may go on to the next job, and the directory of its slot.
pub(crate) struct Slot {
    pub number: u16,
    pub gpus: Vec<u32>,
    pub engine: Option<Engine>,
    /// Servers and benchmarks so far; makes their names unlike.
    pub count: u32,
}

impl Bench<'_> {
    /// Does a job; afterwards it is a result in the spool, or the server knows why not.
    pub fn work(&self, leased: &Leased, slot: &mut Slot) {
        let work = Work {
            leased,
            now: Mutex::new(Now { phase: Phase::Leased, since: Instant::now(), tails: Vec::new(), out: None }),
            cancelled: AtomicBool::new(false),
            over: AtomicBool::new(false),
        };
        if let Err(error) = self.spool.remember(leased) {
            self.give_back(leased, disk(&error));
            return;
        }
        let outcome = std::thread::scope(|scope| {
            scope.spawn(|| self.beat(&work));
            let outcome = self.measure(&work, slot);
            work.over.store(true, Ordering::SeqCst);
            outcome
        });
        if let Err(failed) = outcome {
            // A server that failed serves no other job.
            slot.engine = None;
            tracing::warn!(job = %leased.job, class = failed.class.key(), "the job failed");
            self.give_back(leased, failed);
        }
        self.spool.forget(&leased.job, leased.attempt);
    }

    /// Tells the server, as long as it may help: what it does not hear it finds out when the lease is over.
    fn give_back(&self, leased: &Leased, failed: Failed) {
        // An agent that ends has not failed: another may take the job at once.
        let quits = self.quit.is_told() && failed.class == FailureClass::Cancelled;
        let class = if quits { FailureClass::Lost } else { failed.class };
        let failure = Failure { attempt: leased.attempt, class, log: failed.log };
        for _ in 0..3 {
            match self.server.fail(&leased.job, &failure) {
                Err(Trouble::Away(why)) => tracing::warn!(job = %leased.job, why, "the failure could not be told"),
                Ok(()) | Err(Trouble::Stop(_) | Trouble::Refused(_)) => return,
            }
            self.quit.wait(self.config.heartbeat);
        }
    }

    /// Signs of life until the job is over.
    fn beat(&self, work: &Work<'_>) {
        while !work.over.load(Ordering::SeqCst) {
            let alive = Self::alive(work);
            match self.server.alive(&work.leased.job, &alive) {
                Ok(()) | Err(Trouble::Away(_)) => {}
                Err(Trouble::Stop(stop)) => {
                    let reason = match stop.reason {
                        StopReason::Cancelled => "it was cancelled",
                        StopReason::NotYours | StopReason::Misplaced => "it is another's",
                    };
                    tracing::info!(job = %work.leased.job, reason, "the job is not wanted any more");
                    work.cancelled.store(true, Ordering::SeqCst);
                    return;
                }
                Err(Trouble::Refused(why)) => tracing::warn!(job = %work.leased.job, why, "a sign of life was refused"),
            }
            let next = Instant::now() + self.config.heartbeat;
            while Instant::now() < next && !work.over.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }

    fn alive(work: &Work<'_>) -> Alive {
        let mut now = work.now.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let log: Vec<String> = now.tails.iter_mut().flat_map(Tail::new_lines).collect();
        let total = work.leased.spec.profile.requests;
        let bar = |out: &Path| log::progress(&errors_of(out), total).or_else(|| log::progress(&log_of(out), total));
        let progress = now.out.as_deref().and_then(bar).map(|(done, total)| Progress { done, total });
        Alive {
            attempt: work.leased.attempt,
            phase: now.phase,
            phase_ms: u64::try_from(now.since.elapsed().as_millis()).unwrap_or(u64::MAX),
            progress,
            // More lines than these nobody reads as they come; the end of the log is sent with a failure.
            log: log::last(log, 200),
        }
    }

    fn measure(&self, work: &Work<'_>, slot: &mut Slot) -> Result<(), Failed> {
        let goes_on = || !work.cancelled.load(Ordering::SeqCst) && !self.quit.is_told();
        let spec = &work.leased.spec;
        let key = (work.leased.plan.clone(), spec.key.start());
        let runs_on = slot.engine.as_mut().is_some_and(|engine| engine.key == key && engine.check().is_ok());
        if !runs_on {
            // The one before is ended before the next begins: they share GPUs.
            slot.engine = None;
            let dir = self.spool.work(&format!("{}", slot.number)).map_err(|error| disk(&error))?;
            work.go_to(Phase::Starting, vec![Tail::of(dir.join("engine.log"))], None);
            let first = self.config.port.saturating_add(slot.number.saturating_mul(100));
            let port = free_port(&self.config.host, first);
            let place = Place { host: self.config.host.clone(), port, out: String::new() };
            let mark = self.mark(slot);
            let needed = Needed {
                argv: self.config.program(spec.serve(&place)),
                place,
                dir: &dir,
                gpus: &slot.gpus,
                key,
                mark,
                grace: self.config.grace,
            };
            let mut engine = Engine::start(spec, needed, &goes_on)?;
            work.go_on_to(Phase::Warming);
            engine.warm_up(&goes_on)?;
            slot.engine = Some(engine);
        }
        let mark = self.mark(slot);
        let engine = slot.engine.as_mut().expect("it was started above, or runs on");
        let cache_cleared = match spec.method.cache {
            CachePolicy::Reset => engine.clear_cache(),
            CachePolicy::Keep => Some(false),
        };
        let dir = engine.log.parent().unwrap_or(Path::new(".")).to_owned();
        let out = dir.join(format!("run-{}", work.leased.job));
        std::fs::create_dir_all(&out).map_err(|error| disk(&error))?;
        let place = Place { out: out.to_string_lossy().into_owned(), ..engine.place.clone() };
        let argv = self.config.program(spec.bench(&place));
        work.go_to(Phase::Running, vec![Tail::of(log_of(&out))], Some(out.clone()));
        let telemetry = Telemetry::start(slot.gpus.clone(), &dir.join("telemetry.csv"));
        let measured = bench::run(spec, &argv, engine, &out, mark, &goes_on);
        let mut settled = Settled { cache_cleared, runs_before: engine.runs, ..Settled::default() };
        telemetry.finish(&mut settled);
        let output = measured?;
        engine.runs += 1;
        settled.start_s = Some(engine.start_s);
        settled.run_s = Some(output.run_s);
        work.go_on_to(Phase::Uploading);
        let kept = Kept {
            job: work.leased.job.clone(),
            attempt: work.leased.attempt,
            digest: digest(&output.file).map_err(|error| disk(&error))?,
            name: output.name,
            envelope: self.envelope(work.leased, slot, &engine_start(slot), &argv),
            settled,
        };
        self.spool.keep(&kept, &output.file).map_err(|error| disk(&error))?;
        std::fs::remove_dir_all(&out).ok();
        Ok(())
    }

    /// Names a server start or a benchmark: unlike any other of this agent, also of those before it.
    fn mark(&self, slot: &mut Slot) -> String {
        slot.count += 1;
        format!("{}/{}-{}-{}", self.spool.agent, self.session, slot.number, slot.count)
    }

    /// What is said of the result: the study knows the rest from the plan.
    fn envelope(&self, leased: &Leased, slot: &Slot, start: &str, argv: &[String]) -> Envelope {
        let spec = &leased.spec;
        let names: Vec<&String> =
            self.gpu_names.iter().filter(|(index, _)| slot.gpus.contains(index)).map(|(_, name)| name).collect();
        let hardware = HardwarePart {
            gpu: names.first().map(|name| (*name).clone()),
            count: u32::try_from(slot.gpus.len()).ok().filter(|count| *count > 0),
        };
        let place = Place { host: self.config.host.clone(), port: self.config.port, out: ".".to_owned() };
        Envelope {
            study: Short::Text(leased.study.to_string()),
            step: spec.step.as_ref().map(|step| Short::Full(StepPart { id: step.to_string(), name: None })),
            variant: Short::Text(spec.key.variant.to_string()),
            profile: Short::Text(spec.key.profile.to_string()),
            hardware: Some(hardware),
            commands: Some(Commands { serve: Some(shown(&spec.serve(&place))), bench: Some(shown(argv)) }),
            start: Some(start.to_owned()),
            started_at: None,
            finished_at: None,
            files: Vec::new(),
        }
    }
}

impl Work<'_> {
    fn go_to(&self, phase: Phase, tails: Vec<Tail>, out: Option<PathBuf>) {
        let mut now = self.now.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *now = Now { phase, since: Instant::now(), tails, out };
    }

    fn go_on_to(&self, phase: Phase) {
        let mut now = self.now.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        now.phase = phase;
        now.since = Instant::now();
    }
}

fn engine_start(slot: &Slot) -> String {
    slot.engine.as_ref().map(|engine| engine.start_id.clone()).unwrap_or_default()
}

/// Something of our own that could not be written.
fn disk(error: &std::io::Error) -> Failed {
    let full = matches!(error.kind(), std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded);
    Failed::of(if full { FailureClass::DiskFull } else { FailureClass::BenchFailed }, error.to_string())
}

/// A command line for people.
fn shown(argv: &[String]) -> String {
    argv.iter().map(|word| domain::command::quote(word)).collect::<Vec<_>>().join(" ")
}

fn digest(file: &Path) -> std::io::Result<domain::digest::Digest> {
    let mut digesting = Digesting::default();
    let bytes = std::fs::read(file)?;
    digesting.update(&bytes);
    Ok(digesting.finish())
}
