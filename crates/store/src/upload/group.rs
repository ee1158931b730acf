//! Uploads that wait at the same time share a transaction: the disk takes as long to make one upload durable as to make
//! fifty, and each is still answered only when it is.
//!
//! Invariant: an upload that cannot be stored takes no other with it. Where a shared transaction fails, its uploads are
//! divided.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use super::seen::Seen;
use super::write::{Failed, write};
use super::{Job, Stored};
use crate::db::Db;
use crate::{Result, StoreError};

/// Two databases' worth of bad luck: a deadlock or a lost race is tried again this often.
const TRIES: usize = 5;
/// A file with more runs has a transaction of its own, as has one that is too long for memory: others need not wait for it.
const RUNS_TO_SHARE: usize = 256;
/// What one transaction holds at most: some megabytes, and a tenth of a second.
const UPLOADS_AT_ONCE: usize = 64;
const RUNS_AT_ONCE: usize = 2048;

/// The way of uploads into one store.
#[derive(Default)]
pub(crate) struct Uploads {
    /// A lane is there as long as somebody serves it.
    lanes: Mutex<BTreeMap<String, VecDeque<Waiting>>>,
    seen: Seen,
}

impl fmt::Debug for Uploads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Uploads").finish_non_exhaustive()
    }
}

struct Waiting {
    job: Job,
    answer: oneshot::Sender<Result<Stored>>,
}

impl Uploads {
    pub async fn store(self: &Arc<Self>, db: &Db, job: Job) -> Result<Stored> {
        if !job.raw.is_short() || job.runs.len() > RUNS_TO_SHARE {
            return alone(db, &self.seen, &mut [job]).await.map_err(StoreError::from);
        }
        let (answer, answered) = oneshot::channel();
        let lane = db.lane(job.upload.envelope.slug()).to_owned();
        let waiting = Waiting { job, answer };
        let unserved = {
            let mut lanes = self.lanes();
            let unserved = !lanes.contains_key(&lane);
            lanes.entry(lane.clone()).or_default().push_back(waiting);
            unserved
        };
        if unserved {
            // A task of its own: if this caller goes away, the others still get their answers.
            let lane = Lane { uploads: Arc::clone(self), name: lane, served: false };
            tokio::spawn(lane.serve(db.clone()));
        }
        let interrupted = |_| StoreError::unavailable("the upload was interrupted", "send it again");
        answered.await.map_err(interrupted)?
    }

    fn lanes(&self) -> MutexGuard<'_, BTreeMap<String, VecDeque<Waiting>>> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A lane while it is served. When that ends, however it ends, who still waits in it is told so.
struct Lane {
    uploads: Arc<Uploads>,
    name: String,
    /// It is gone already, and another with its name may be there.
    served: bool,
}

impl Drop for Lane {
    fn drop(&mut self) {
        if !self.served {
            self.uploads.lanes().remove(&self.name);
        }
    }
}

impl Lane {
    /// Serves until nobody waits.
    async fn serve(mut self, db: Db) {
        loop {
            // Whoever is about to come may still come along.
            tokio::task::yield_now().await;
            let mut taken = self.take();
            if taken.is_empty() {
                return;
            }
            // Two transactions that keep the same raw outputs cannot each wait for the other.
            taken.sort_by(|one, other| one.job.raw.digest.cmp(&other.job.raw.digest));
            let (mut jobs, answers): (Vec<_>, Vec<_>) = taken.into_iter().map(|one| (one.job, one.answer)).unzip();
            for (answer, outcome) in answers.into_iter().zip(together(&db, &self.uploads.seen, &mut jobs).await) {
                // Who went away needs no answer.
                answer.send(outcome).ok();
            }
        }
    }

    /// Who goes together next. If there is nobody, the lane is gone.
    fn take(&mut self) -> Vec<Waiting> {
        let mut lanes = self.uploads.lanes();
        let mut taken: Vec<Waiting> = Vec::new();
        let mut runs = 0;
        if let Some(lane) = lanes.get_mut(&self.name) {
            while taken.len() < UPLOADS_AT_ONCE
                && let Some(next) = lane.pop_front_if(|next| runs == 0 || runs + next.job.runs.len() <= RUNS_AT_ONCE)
            {
                // Who went away takes no part.
                if !next.answer.is_closed() {
                    runs += next.job.runs.len();
                    taken.push(next);
                }
            }
        }
        if taken.is_empty() {
            lanes.remove(&self.name);
            self.served = true;
        }
        taken
    }
}

/// Stores uploads in one transaction, or in two where that fails, and so on.
async fn together(db: &Db, seen: &Seen, jobs: &mut [Job]) -> Vec<Result<Stored>> {
    let mut outcomes = Vec::with_capacity(jobs.len());
    let mut ends = vec![jobs.len()];
    while let Some(&end) = ends.last() {
        let at = outcomes.len();
        let written = match end - at {
            1 => alone(db, seen, &mut jobs[at..end]).await.map(|stored| vec![stored]),
            _ => write(db, seen, &mut jobs[at..end]).await,
        };
        match written {
            Ok(written) => outcomes.extend(written.into_iter().map(Ok)),
            Err(Failed::Within(error)) if end - at == 1 => outcomes.push(Err(error)),
            // The others need not wait for the same.
            Err(Failed::Begin(error)) if end - at == 1 || !matches!(error, StoreError::Conflict(_)) => {
                outcomes.extend(jobs[at..].iter().map(|_| Err(error.clone())));
                return outcomes;
            }
            Err(Failed::Within(_) | Failed::Begin(_)) => {
                ends.push(at + (end - at) / 2);
                continue;
            }
        }
        ends.pop();
    }
    outcomes
}

/// Stores one upload, trying again where somebody else was in the way.
async fn alone(db: &Db, seen: &Seen, job: &mut [Job]) -> std::result::Result<Stored, Failed> {
    let mut tries = 1;
    loop {
        match write(db, seen, job).await {
            Ok(mut outcomes) => return Ok(outcomes.remove(0)),
            Err(Failed::Within(StoreError::Conflict(_)) | Failed::Begin(StoreError::Conflict(_))) if tries < TRIES => {
                tries += 1;
            }
            Err(failed) => return Err(failed),
        }
    }
}
