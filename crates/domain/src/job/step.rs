//! What may happen to a job.

use thiserror::Error;

use super::{FailureClass, Job, Lease, Phase};
use crate::digest::Digest;
use crate::id::AgentId;

/// A result that was accepted is being stored by the request that brought it. An hour later that request is dead, and its
/// agent too.
const STORING_MS: i64 = 60 * 60 * 1000;

/// Something that happens to a job. Agents name the attempt that they speak of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// An agent takes it, for so many milliseconds.
    Lease {
        /// Who.
        agent: AgentId,
        /// How long it may stay silent.
        for_ms: i64,
    },
    /// The agent is alive and so far.
    Alive {
        /// Of this attempt.
        attempt: u32,
        /// How far; one of the active phases.
        phase: Phase,
        /// How long it may stay silent from now on.
        for_ms: i64,
    },
    /// The agent failed.
    Fail {
        /// Of this attempt.
        attempt: u32,
        /// Why.
        class: FailureClass,
    },
    /// A result arrived: from now on no other one can.
    Claim {
        /// Of this attempt, be it lost by now.
        attempt: u32,
        /// Who brings it.
        agent: AgentId,
        /// What it is.
        digest: Digest,
    },
    /// The result is stored.
    Finish {
        /// Which.
        digest: Digest,
    },
    /// Time passes: the lease may be over.
    Tick,
    /// Somebody wants it no more.
    Cancel,
    /// Somebody wants it again.
    Retry,
}

/// Why something cannot happen to a job.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refusal {
    /// Somebody else has it, or had it.
    #[error("the job is {}, so it cannot be leased", .0.key())]
    NotQueued(Phase),
    /// Another attempt is at work, or none: whoever asks must stop.
    #[error("attempt {asked} of the job is over; the last one is {last}")]
    NotYours {
        /// What was named.
        asked: u32,
        /// The last attempt.
        last: u32,
    },
    /// It is to be cancelled: whoever asks must stop.
    #[error("the job is being cancelled")]
    Cancelling,
    /// It has another result.
    #[error("the job has another result already")]
    OtherResult,
    /// It has no such result.
    #[error("the job was not promised this result")]
    NoSuchResult,
    /// It has ended.
    #[error("the job is {} already", .0.key())]
    Ended(Phase),
    /// It has not ended.
    #[error("the job is {}, so it need not be tried again", .0.key())]
    NotEnded(Phase),
    /// Not a phase of an agent at work.
    #[error("an agent at work cannot be {}", .0.key())]
    NotActive(Phase),
}

impl Job {
    /// The job after an event at `now` (milliseconds since 1970 UTC on the server's clock), or why it cannot happen.
    ///
    /// # Errors
    ///
    /// Says what an agent is to do: stop, or forget its result.
    pub fn after(&self, event: &Event, now: i64) -> Result<Self, Refusal> {
        match event {
            Event::Lease { agent, for_ms } => self.lease(agent, *for_ms, now),
            Event::Alive { attempt, phase, for_ms } => self.alive(*attempt, *phase, *for_ms, now),
            Event::Fail { attempt, class } => {
                self.held(*attempt)?;
                Ok(self.failed(*class))
            }
            Event::Claim { attempt, agent, digest } => self.claim(*attempt, agent, digest, now),
            Event::Finish { digest } => self.finish(digest),
            Event::Tick => Ok(self.tick(now)),
            Event::Cancel => self.cancel(),
            Event::Retry => self.retry(),
        }
    }

    fn lease(&self, agent: &AgentId, for_ms: i64, now: i64) -> Result<Self, Refusal> {
        if self.phase != Phase::Queued {
            return Err(Refusal::NotQueued(self.phase));
        }
        let lease = Lease { agent: agent.clone(), expires_at: now.saturating_add(for_ms.max(0)) };
        let (attempt, tries) = (self.attempt.saturating_add(1), self.tries.saturating_add(1));
        Ok(Self { phase: Phase::Leased, attempt, tries, lease: Some(lease), failure: None, ..self.clone() })
    }

    /// Whether this attempt has the job.
    fn held(&self, attempt: u32) -> Result<(), Refusal> {
        let ours = self.phase.is_active() && attempt == self.attempt;
        if ours { Ok(()) } else { Err(Refusal::NotYours { asked: attempt, last: self.attempt }) }
    }

    fn alive(&self, attempt: u32, phase: Phase, for_ms: i64, now: i64) -> Result<Self, Refusal> {
        if !phase.is_active() {
            return Err(Refusal::NotActive(phase));
        }
        if self.cancelling && attempt == self.attempt {
            return Err(Refusal::Cancelling);
        }
        self.held(attempt)?;
        // A result that is being stored is not taken back.
        let phase = if self.result.is_some() { Phase::Uploading } else { phase };
        let until = now.saturating_add(for_ms.max(0));
        // A clock that was set back shortens no lease.
        let lease = self.lease.clone().map(|lease| Lease { expires_at: lease.expires_at.max(until), ..lease });
        Ok(Self { phase, lease, ..self.clone() })
    }

    /// Back into the queue while that may help.
    fn failed(&self, class: FailureClass) -> Self {
        let idle = Self { lease: None, cancelling: false, result: None, failure: Some(class), ..self.clone() };
        let phase = if self.cancelling || class == FailureClass::Cancelled {
            Phase::Cancelled
        } else if class.may_pass() && self.tries < self.max_tries {
            Phase::Queued
        } else {
            Phase::Failed
        };
        Self { phase, ..idle }
    }

    /// A result is a result, however late it comes: whoever is at work on the job meanwhile works in vain.
    fn claim(&self, attempt: u32, agent: &AgentId, digest: &Digest, now: i64) -> Result<Self, Refusal> {
        if attempt == 0 || attempt > self.attempt {
            return Err(Refusal::NotYours { asked: attempt, last: self.attempt });
        }
        match (self.phase, &self.result) {
            (Phase::Done, Some(result)) if result == digest => return Ok(self.clone()),
            (Phase::Done | Phase::Uploading, Some(result)) if result != digest => return Err(Refusal::OtherResult),
            (Phase::Done | Phase::Cancelled, _) => return Err(Refusal::Ended(self.phase)),
            _ => {}
        }
        // From now on the attempt that brings the result is the last one; others are told that theirs is over.
        let attempt = if attempt == self.attempt { attempt } else { self.attempt.saturating_add(1) };
        let lease = Lease { agent: agent.clone(), expires_at: now.saturating_add(STORING_MS) };
        Ok(Self {
            phase: Phase::Uploading,
            attempt,
            lease: Some(lease),
            result: Some(digest.clone()),
            failure: None,
            ..self.clone()
        })
    }

    fn finish(&self, digest: &Digest) -> Result<Self, Refusal> {
        match (self.phase, &self.result) {
            (Phase::Done, Some(result)) if result == digest => Ok(self.clone()),
            (Phase::Uploading, Some(result)) if result == digest => {
                Ok(Self { phase: Phase::Done, lease: None, cancelling: false, ..self.clone() })
            }
            (_, Some(_)) => Err(Refusal::OtherResult),
            (_, None) => Err(Refusal::NoSuchResult),
        }
    }

    fn tick(&self, now: i64) -> Self {
        match &self.lease {
            Some(lease) if self.phase.is_active() && now >= lease.expires_at => self.failed(FailureClass::Lost),
            Some(_) | None => self.clone(),
        }
    }

    fn cancel(&self) -> Result<Self, Refusal> {
        match self.phase {
            Phase::Queued => {
                Ok(Self { phase: Phase::Cancelled, failure: Some(FailureClass::Cancelled), ..self.clone() })
            }
            Phase::Cancelled => Ok(self.clone()),
            Phase::Done | Phase::Failed => Err(Refusal::Ended(self.phase)),
            // Its result is here.
            Phase::Uploading if self.result.is_some() => Err(Refusal::Ended(self.phase)),
            Phase::Leased | Phase::Starting | Phase::Warming | Phase::Running | Phase::Uploading => {
                Ok(Self { cancelling: true, ..self.clone() })
            }
        }
    }

    fn retry(&self) -> Result<Self, Refusal> {
        match self.phase {
            Phase::Failed | Phase::Cancelled => Ok(Self {
                phase: Phase::Queued,
                tries: 0,
                lease: None,
                cancelling: false,
                result: None,
                ..self.clone()
            }),
            Phase::Queued
            | Phase::Leased
            | Phase::Starting
            | Phase::Warming
            | Phase::Running
            | Phase::Uploading
            | Phase::Done => Err(Refusal::NotEnded(self.phase)),
        }
    }
}
