//! What runs on a GPU machine: it takes jobs from a server, starts engines, measures, and delivers what was measured.
//!
//! Invariants: every result is on this machine's disk, whole, before it is sent, and stays until the server has it; whatever
//! was started is stopped, with all that it started itself, also by the next agent after this one was killed.

mod bench;
mod client;
mod deliver;
mod dry;
mod engine;
mod facts;
mod gpu;
mod log;
mod process;
mod run;
mod slot;
mod spool;
mod work;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub use client::{Http, Server, Trouble};
pub use dry::dry_run;
pub use run::{Ended, drain, run};
pub use spool::SpoolError;

/// What an agent is told.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where results, logs and the agent's own id are kept.
    pub dir: PathBuf,
    /// What people call it.
    pub name: String,
    /// GPUs that it may use, by their numbers; none: all that the driver knows.
    pub gpus: Option<Vec<u32>>,
    /// What they are called, where the driver does not say.
    pub gpu_name: Option<String>,
    /// Engines beside those that are found, each with its version where it is known.
    pub engines: Vec<(String, Option<String>)>,
    /// Where programs are, by the name that commands have for them: `vllm` → `/opt/vllm/bin/vllm`.
    pub programs: BTreeMap<String, String>,
    /// The address that servers listen on.
    pub host: String,
    /// The first of the ports that servers may listen on.
    pub port: u16,
    /// Whether the host is told by name, system and processor.
    pub tell_host: bool,
    /// Ends when no job waits and every result is delivered.
    pub once: bool,
    /// Between questions for a job, and between tries to deliver.
    pub poll: Duration,
    /// Between signs of life.
    pub heartbeat: Duration,
    /// How long a server may take to end by itself.
    pub grace: Duration,
}

impl Config {
    /// An agent with defaults for everything but its place and name.
    #[must_use]
    pub fn new(dir: PathBuf, name: String) -> Self {
        Self {
            dir,
            name,
            gpus: None,
            gpu_name: None,
            engines: Vec::new(),
            programs: BTreeMap::new(),
            host: "127.0.0.1".to_owned(),
            port: 18000,
            tell_host: true,
            once: false,
            poll: Duration::from_secs(5),
            // What a browser shows is then at most two seconds old.
            heartbeat: Duration::from_secs(1),
            grace: Duration::from_secs(20),
        }
    }

    /// The program behind the first word of a command.
    fn program(&self, mut argv: Vec<String>) -> Vec<String> {
        if let Some(first) = argv.first_mut()
            && let Some(path) = self.programs.get(first)
        {
            first.clone_from(path);
        }
        argv
    }
}

/// Tells an agent to end: its servers are stopped, its jobs given back, its results kept.
#[derive(Debug, Clone, Default)]
pub struct Quit(Arc<AtomicBool>);

impl Quit {
    /// Tells it.
    pub fn now(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether it was told.
    #[must_use]
    pub fn is_told(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    /// Waits so long, or until it is told.
    fn wait(&self, time: Duration) {
        let end = std::time::Instant::now() + time;
        while !self.is_told() && std::time::Instant::now() < end {
            std::thread::sleep(Duration::from_millis(20).min(time));
        }
    }
}
