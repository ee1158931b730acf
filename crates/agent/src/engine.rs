//! A server under test: started, waited for, warmed up, and always stopped.

use std::fs::File;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use domain::id::PlanId;
use domain::job::{Exit, FailureClass, classify};
use domain::plan::{JobSpec, Place};
use ureq::Agent;

use crate::log;
use crate::process::{Group, Start};

/// Between looks at a server that starts.
const LOOK: Duration = Duration::from_millis(100);
/// For one question whether it is healthy.
const ASK: Duration = Duration::from_secs(5);
/// For clearing the cache, and for one request of the warm-up.
const REQUEST: Duration = Duration::from_secs(120);
/// Requests of the warm-up at once.
const AT_ONCE: u32 = 16;
/// Tokens that a request of the warm-up asks for.
const WARMUP_TOKENS: u32 = 4;
/// Ports that are looked at before one is taken that may be in use.
const PORTS: u16 = 100;

/// Why a job came to nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failed {
    pub class: FailureClass,
    /// The last lines that say why.
    pub log: Vec<String>,
}

impl Failed {
    pub fn of(class: FailureClass, said: impl Into<String>) -> Self {
        Self { class, log: vec![said.into()] }
    }
}

/// A server that runs.
pub(crate) struct Engine {
    group: Group,
    pub place: Place,
    pub log: PathBuf,
    /// Jobs of this plan and start may share it.
    pub key: (PlanId, String),
    /// Unlike any other start's.
    pub start_id: String,
    /// Runs so far.
    pub runs: u32,
    pub start_s: f64,
    spec: JobSpec,
    http: Agent,
}

/// What a server needs beside its job.
pub(crate) struct Needed<'a> {
    pub argv: Vec<String>,
    pub place: Place,
    pub dir: &'a Path,
    pub gpus: &'a [u32],
    pub key: (PlanId, String),
    pub mark: String,
    pub grace: Duration,
}

/// A port that nobody listens on, from `first` on.
pub(crate) fn free_port(host: &str, first: u16) -> u16 {
    let free = |port: &u16| TcpListener::bind((host, *port)).is_ok();
    (first..first.saturating_add(PORTS)).find(free).unwrap_or(first)
}

impl Engine {
    /// Starts a server and waits until it is healthy. `goes_on` says whether it is still wanted.
    pub fn start(spec: &JobSpec, needed: Needed<'_>, goes_on: &dyn Fn() -> bool) -> Result<Self, Failed> {
        let Needed { argv, place, dir, gpus, key, mark, grace } = needed;
        let log = dir.join("engine.log");
        let disk = |error: std::io::Error| not_started(&argv, &error);
        let stdout = File::create(&log).map_err(disk)?;
        let stderr = stdout.try_clone().map_err(disk)?;
        let visible: Vec<String> = gpus.iter().map(u32::to_string).collect();
        let mut env: Vec<(String, String)> = vec![("CUDA_VISIBLE_DEVICES".to_owned(), visible.join(","))];
        env.extend(spec.variant.env.iter().map(|(name, value)| (name.clone(), value.clone())));
        let begun = Instant::now();
        let start_id = mark.clone();
        let group = Group::start(Start { argv: &argv, env, stdout, stderr, mark, grace }).map_err(disk)?;
        let config = Agent::config_builder().timeout_global(Some(ASK)).build();
        let mut engine =
            Self { group, place, log, key, start_id, runs: 0, start_s: 0.0, spec: spec.clone(), http: config.into() };
        engine.wait_until_healthy(begun, goes_on)?;
        engine.start_s = begun.elapsed().as_secs_f64();
        Ok(engine)
    }

    fn wait_until_healthy(&mut self, begun: Instant, goes_on: &dyn Fn() -> bool) -> Result<(), Failed> {
        let patience = Duration::from_secs(u64::from(self.spec.method.start_timeout_s));
        let health = format!("{}{}", self.place.url(), self.spec.health_path());
        loop {
            self.check()?;
            if !goes_on() {
                return Err(Failed::of(FailureClass::Cancelled, "stopped while the server started"));
            }
            if self.http.get(&health).call().is_ok() {
                return self.check();
            }
            if begun.elapsed() >= patience {
                return Err(self.failed(Exit::TimedOut, FailureClass::Unhealthy));
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Whether it still runs.
    pub fn check(&mut self) -> Result<(), Failed> {
        match self.group.ended() {
            None => Ok(()),
            Some(exit) => Err(self.failed(exit, FailureClass::Crash)),
        }
    }

    /// Whether it still answers, or how it ended: a process takes a moment to fall.
    pub fn still_serves(&mut self) -> Result<(), Failed> {
        let health = format!("{}{}", self.place.url(), self.spec.health_path());
        let end = Instant::now() + ASK;
        loop {
            self.check()?;
            if self.http.get(&health).call().is_ok() {
                return self.check();
            }
            if Instant::now() >= end {
                return Err(Failed::of(FailureClass::Crash, "the server answers no more"));
            }
            std::thread::sleep(LOOK);
        }
    }

    fn failed(&self, exit: Exit, otherwise: FailureClass) -> Failed {
        let lines = log::end(&self.log);
        let class = classify(exit, lines.iter().map(String::as_str), otherwise);
        let mut said = log::last(lines, log::TOLD);
        said.push(match exit {
            Exit::Code(code) => format!("the server ended with status {code}"),
            Exit::Signal(signal) => format!("the server was ended by signal {signal}"),
            Exit::TimedOut | Exit::NotStarted(_) => {
                format!("the server was not healthy after {} s", self.spec.method.start_timeout_s)
            }
        });
        Failed { class, log: said }
    }

    /// Sends short requests, so that what is compiled at the first ones is compiled. What they answer does not matter,
    /// as long as the server lives.
    pub fn warm_up(&mut self, goes_on: &dyn Fn() -> bool) -> Result<(), Failed> {
        let requests = self.spec.method.warmup_requests;
        let (sent, model) = (AtomicU32::new(0), self.spec.served_model());
        let url = format!("{}/v1/chat/completions", self.place.url());
        let start = &self.start_id;
        let http: Agent = Agent::config_builder().timeout_global(Some(REQUEST)).build().into();
        // A stop is noticed between requests.
        let wanted = std::sync::atomic::AtomicBool::new(true);
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..AT_ONCE.min(requests))
                .map(|_| {
                    scope.spawn(|| {
                        while wanted.load(Ordering::SeqCst) {
                            let number = sent.fetch_add(1, Ordering::SeqCst);
                            if number >= requests {
                                return;
                            }
                            // The first words differ, so no cache of prefixes helps a later run.
                            let body = serde_json::json!({
                                "model": model,
                                "max_tokens": WARMUP_TOKENS,
                                "messages": [{ "role": "user", "content": format!("{number} {start} warm-up") }],
                            });
                            let request = http.post(&url).header("content-type", "application/json");
                            let answer = request.send(&body.to_string().into_bytes()[..]);
                            // A server that does not answer one request in time will not answer fifty.
                            if matches!(answer, Err(ureq::Error::Timeout(_) | ureq::Error::Io(_))) {
                                return;
                            }
                        }
                    })
                })
                .collect();
            while workers.iter().any(|worker| !worker.is_finished()) {
                if !goes_on() || self.group.ended().is_some() {
                    wanted.store(false, Ordering::SeqCst);
                }
                std::thread::sleep(LOOK);
            }
        });
        if !goes_on() {
            return Err(Failed::of(FailureClass::Cancelled, "stopped while the server was warmed up"));
        }
        self.check()
    }

    /// Clears the prefix cache; none where the engine has no way to.
    pub fn clear_cache(&self) -> Option<bool> {
        let path = self.spec.reset_path()?;
        let config = Agent::config_builder().timeout_global(Some(REQUEST)).build();
        let http: Agent = config.into();
        Some(http.post(format!("{}{path}", self.place.url())).send_empty().is_ok())
    }
}

/// A program that could not be started at all.
pub(crate) fn not_started(argv: &[String], error: &std::io::Error) -> Failed {
    let exit = Exit::NotStarted(error.raw_os_error());
    let class = classify(exit, std::iter::empty(), FailureClass::Crash);
    Failed::of(class, format!("{}: {error}", argv.first().map_or("", String::as_str)))
}
