//! An agent from its start to its end.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use domain::agent::{Enrol, Failure};
use domain::job::FailureClass;

use crate::deliver::deliver_all;
use crate::slot::Pool;
use crate::spool::{self, Spool, SpoolError, new_id};
use crate::work::{Bench, Slot};
use crate::{Config, Quit, Server, Trouble, facts, process};

/// How an agent ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// Results that the server does not have yet; the next agent of the directory delivers them.
    pub waiting: usize,
}

/// Works until it is told to quit, drained, or with `once` until there is nothing to do.
///
/// # Errors
///
/// Where its directory cannot be used.
pub fn run(config: &Config, server: &dyn Server, quit: &Quit) -> Result<Ended, SpoolError> {
    let spool = Spool::open(&config.dir)?;
    let disk = |source| SpoolError::Disk { path: config.dir.clone(), source };
    // What an agent that was killed has left running is ended first: it holds GPUs.
    process::sweep(&format!("{}/", spool.agent));
    let facts = facts::facts(config);
    let gpus: Vec<u32> = facts.gpus.iter().map(|gpu| gpu.index).collect();
    let bench = Bench {
        config,
        spool: &spool,
        server,
        quit,
        gpu_names: facts.gpus.iter().map(|gpu| (gpu.index, gpu.name.clone())).collect(),
        session: new_id().map_err(disk)?,
    };
    let enrol = Enrol { id: spool.agent.clone(), facts };
    enrolled(&bench, &enrol);
    give_back(&bench);
    let pool = Pool::of(gpus.clone());
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| deliver_until(&bench, &over));
        let slots: Vec<_> = (0..u16::try_from(gpus.len().max(1)).unwrap_or(u16::MAX))
            .map(|number| {
                let slot = Slot { number, gpus: Vec::new(), engine: None, count: 0 };
                scope.spawn(|| pool.serve(&bench, slot))
            })
            .collect();
        for slot in slots {
            // A slot that panicked has stopped its server on the way; the others go on.
            slot.join().ok();
        }
        over.store(true, Ordering::SeqCst);
    });
    process::sweep(&format!("{}/", spool.agent));
    if spool.draining() && !quit.is_told() {
        spool.drained();
    }
    Ok(Ended { waiting: spool.kept().len() })
}

/// Asks the agent of a directory to finish its jobs, take no more, and end.
///
/// # Errors
///
/// Where its directory cannot be written.
pub fn drain(dir: &Path) -> Result<(), SpoolError> {
    spool::ask_to_drain(dir).map_err(|source| SpoolError::Disk { path: dir.to_owned(), source })
}

fn enrolled(bench: &Bench<'_>, enrol: &Enrol) {
    while !bench.quit.is_told() {
        match bench.server.enrol(enrol) {
            Ok(()) => return,
            Err(Trouble::Away(why)) => tracing::warn!(why, "the agent could not enrol"),
            Err(trouble @ (Trouble::Stop(_) | Trouble::Refused(_))) => {
                tracing::error!(%trouble, "the agent could not enrol");
            }
        }
        bench.quit.wait(bench.config.poll);
    }
}

/// Jobs of an agent that was killed: others need not wait until their leases are over.
fn give_back(bench: &Bench<'_>) {
    for (job, attempt) in bench.spool.left() {
        let done = bench.spool.kept().iter().any(|(_, kept)| kept.job == job && kept.attempt == attempt);
        let log = vec!["the agent was ended while it worked on the job".to_owned()];
        let failure = Failure { attempt, class: FailureClass::Lost, log };
        if done || !matches!(bench.server.fail(&job, &failure), Err(Trouble::Away(_))) {
            bench.spool.forget(&job, attempt);
        }
    }
}

/// Delivers as results come, and at the end what is left, once more.
fn deliver_until(bench: &Bench<'_>, over: &AtomicBool) {
    loop {
        let last = over.load(Ordering::SeqCst);
        let all = deliver_all(bench.spool, bench.server);
        if last {
            return;
        }
        let pause = if all { bench.config.heartbeat.min(bench.config.poll) } else { bench.config.poll };
        let end = std::time::Instant::now() + pause;
        while std::time::Instant::now() < end && !over.load(Ordering::SeqCst) {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }
}
