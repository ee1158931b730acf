//! Slots: as many jobs at once as there are GPUs for, each with GPUs of its own.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use domain::agent::{LeaseAsk, Leased};
use domain::id::PlanId;

use crate::Trouble;
use crate::engine::Engine;
use crate::work::{Bench, Slot};

/// What slots have in common.
pub(crate) struct Pool {
    /// Held while a slot asks for a job and takes its GPUs.
    turn: Mutex<Turn>,
    busy: AtomicUsize,
}

struct Turn {
    free: Vec<u32>,
    /// When the server last had no job for us.
    none_at: Option<Instant>,
}

/// What a slot does next.
enum Next {
    Job(Box<Leased>),
    Wait,
    End,
}

impl Pool {
    pub fn of(gpus: Vec<u32>) -> Self {
        Self { turn: Mutex::new(Turn { free: gpus, none_at: None }), busy: AtomicUsize::new(0) }
    }

    /// Takes jobs until the agent is to end.
    pub fn serve(&self, bench: &Bench<'_>, mut slot: Slot) {
        loop {
            match self.next(bench, &mut slot) {
                Next::Job(leased) => {
                    bench.work(&leased, &mut slot);
                    self.busy.fetch_sub(1, Ordering::SeqCst);
                }
                Next::Wait => bench.quit.wait(bench.config.poll),
                Next::End => return,
            }
        }
    }

    fn next(&self, bench: &Bench<'_>, slot: &mut Slot) -> Next {
        let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let release = |turn: &mut Turn, slot: &mut Slot| {
            slot.engine = None;
            turn.free.append(&mut slot.gpus);
            turn.free.sort_unstable();
        };
        if bench.quit.is_told() || bench.spool.draining() {
            release(&mut turn, slot);
            return Next::End;
        }
        // Another slot has just been told that there is none.
        if slot.engine.is_none() && turn.none_at.is_some_and(|at| at.elapsed() < bench.config.poll) {
            release(&mut turn, slot);
            return Next::Wait;
        }
        // A plan may make more jobs once it has the results that are still on their way.
        let all_quiet = self.busy.load(Ordering::SeqCst) == 0 && bench.spool.kept().is_empty();
        let free = turn.free.len() + slot.gpus.len();
        let prefer: Option<(PlanId, String)> = slot.engine.as_ref().map(|engine| engine.key.clone());
        let ask = LeaseAsk { free_gpus: u32::try_from(free).unwrap_or(u32::MAX), prefer };
        match bench.server.lease(&bench.spool.agent, &ask) {
            Ok(Some(leased)) => {
                self.busy.fetch_add(1, Ordering::SeqCst);
                turn.none_at = None;
                let key = (leased.plan.clone(), leased.spec.key.start());
                let same = slot.engine.as_ref().is_some_and(|engine: &Engine| engine.key == key);
                if !same {
                    release(&mut turn, slot);
                    let needed = usize::try_from(leased.spec.needs.gpus).unwrap_or(usize::MAX).min(turn.free.len());
                    slot.gpus = turn.free.drain(..needed).collect();
                }
                Next::Job(Box::new(leased))
            }
            Ok(None) => {
                release(&mut turn, slot);
                turn.none_at = Some(Instant::now());
                if bench.config.once && all_quiet { Next::End } else { Next::Wait }
            }
            Err(trouble) => {
                match &trouble {
                    Trouble::Away(why) => tracing::warn!(why, "no job could be asked for"),
                    Trouble::Stop(_) | Trouble::Refused(_) => tracing::error!(%trouble, "no job could be asked for"),
                }
                release(&mut turn, slot);
                turn.none_at = Some(Instant::now());
                Next::Wait
            }
        }
    }
}
