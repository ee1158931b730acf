//! A job's row, read.

use domain::agent::{Progress, Settled};
use domain::digest::Digest;
use domain::id::{AgentId, JobId, PlanId, StudySlug};
use domain::job::{FailureClass, Job, Lease, Phase};
use domain::plan::{JobSpec, Known, KnownState};

use crate::{Result, StoreError};

pub(crate) const NOUN: &str = "job";

/// A job as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredJob {
    /// Its id.
    pub id: JobId,
    /// Its plan.
    pub plan: PlanId,
    /// The study that its result belongs to.
    pub study: StudySlug,
    /// What is to be done.
    pub spec: JobSpec,
    /// Its life.
    pub job: Job,
    /// Who has it, or had it last.
    pub agent: Option<AgentId>,
    /// Requests of its run that came back.
    pub progress: Option<Progress>,
    /// How it was measured.
    pub settled: Option<Settled>,
    /// Milliseconds since 1970 UTC, as all that follow.
    pub created_at: i64,
    /// When it was leased last.
    pub leased_at: Option<i64>,
    /// When it ended.
    pub ended_at: Option<i64>,
    /// When something was last heard of it.
    pub updated_at: i64,
    /// Grows with every change.
    pub version: i64,
}

impl StoredJob {
    /// What its plan has to know of it.
    #[must_use]
    pub fn known(&self) -> Known {
        let state = match self.job.phase {
            Phase::Queued | Phase::Leased | Phase::Starting | Phase::Warming | Phase::Running | Phase::Uploading => {
                KnownState::Open
            }
            Phase::Done => KnownState::Done,
            Phase::Failed => KnownState::Failed(self.job.failure.unwrap_or(FailureClass::Lost)),
            Phase::Cancelled => KnownState::Cancelled,
        };
        let minutes = self.leased_at.zip(self.ended_at).map(|(from, to)| (to - from).max(0) as f64 / 60_000.0);
        Known { key: self.spec.key.clone(), state, minutes }
    }
}

/// Something that happened to a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobEvent {
    /// Milliseconds since 1970 UTC.
    pub at: i64,
    /// What it then was.
    pub phase: Phase,
    /// In this attempt.
    pub attempt: u32,
    /// Who had it.
    pub agent: Option<AgentId>,
    /// Why it failed.
    pub failure: Option<FailureClass>,
}

#[derive(sqlx::FromRow)]
pub(crate) struct Row {
    pub id: String,
    plan: String,
    study: String,
    document: String,
    phase: String,
    attempt: i64,
    tries: i64,
    max_tries: i64,
    agent: Option<String>,
    lease_expires_at: Option<i64>,
    cancelling: bool,
    result: Option<String>,
    failure: Option<String>,
    progress_done: Option<i64>,
    progress_total: Option<i64>,
    settled: Option<String>,
    created_at: i64,
    leased_at: Option<i64>,
    ended_at: Option<i64>,
    updated_at: i64,
    version: i64,
}

impl Row {
    pub fn read(self) -> Result<StoredJob> {
        let corrupt = |reason: String| StoreError::corrupt(NOUN, &self.id, reason);
        let number = |value: i64| u32::try_from(value).map_err(|error| corrupt(error.to_string()));
        let phase = phase(&self.id, &self.phase)?;
        let failure = failure(&self.id, self.failure.as_deref())?;
        let result = match &self.result {
            None => None,
            Some(hex) => {
                Some(Digest::from_hex(hex).ok_or_else(|| corrupt(format!("its result \"{hex}\" is no digest")))?)
            }
        };
        let agent = self.agent.as_deref().map(AgentId::new);
        let lease = agent.clone().zip(self.lease_expires_at).map(|(agent, expires_at)| Lease { agent, expires_at });
        let job = Job {
            phase,
            attempt: number(self.attempt)?,
            tries: number(self.tries)?,
            max_tries: number(self.max_tries)?,
            lease,
            cancelling: self.cancelling,
            result,
            failure,
        };
        let progress = self.progress_done.zip(self.progress_total).map(|(done, total)| Progress {
            done: u64::try_from(done).unwrap_or_default(),
            total: u64::try_from(total).unwrap_or_default(),
        });
        let spec: JobSpec = serde_json::from_str(&self.document).map_err(|error| corrupt(error.to_string()))?;
        let settled: Option<Settled> = self
            .settled
            .as_deref()
            .map(serde_json::from_str)
            .transpose()
            .map_err(|error| corrupt(error.to_string()))?;
        Ok(StoredJob {
            plan: PlanId::new(self.plan.as_str()),
            study: StudySlug::new(self.study.as_str()),
            spec,
            job,
            agent,
            progress,
            settled,
            created_at: self.created_at,
            leased_at: self.leased_at,
            ended_at: self.ended_at,
            updated_at: self.updated_at,
            version: self.version,
            id: JobId::new(self.id),
        })
    }
}

#[derive(sqlx::FromRow)]
pub(super) struct EventRow {
    at: i64,
    phase: String,
    attempt: i64,
    agent: Option<String>,
    failure: Option<String>,
}

impl EventRow {
    pub fn read(self, job: &JobId) -> Result<JobEvent> {
        let attempt = u32::try_from(self.attempt);
        Ok(JobEvent {
            at: self.at,
            phase: phase(job.as_str(), &self.phase)?,
            attempt: attempt.map_err(|error| StoreError::corrupt(NOUN, job.as_str(), error))?,
            agent: self.agent.map(AgentId::new),
            failure: failure(job.as_str(), self.failure.as_deref())?,
        })
    }
}

fn phase(job: &str, text: &str) -> Result<Phase> {
    text.parse().map_err(|()| StoreError::corrupt(NOUN, job, format!("\"{text}\" is no phase")))
}

fn failure(job: &str, text: Option<&str>) -> Result<Option<FailureClass>> {
    let class = |text: &str| {
        text.parse().map_err(|()| StoreError::corrupt(NOUN, job, format!("\"{text}\" is no class of failures")))
    };
    text.map(class).transpose()
}
