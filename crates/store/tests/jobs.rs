//! Plans and jobs: made, leased, raced for, lost and brought home, on SQLite and on PostgreSQL by the same words.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where it stopped")]
#![expect(dead_code, reason = "the story of studies looks behind the store's back in more ways")]

mod place;

use std::collections::BTreeSet;
use std::sync::Arc;

use domain::agent::{AgentFacts, EngineFact, Enrol, GpuFact, LeaseAsk, Progress, Settled};
use domain::digest::Digest;
use domain::id::{AgentId, JobId, PlanId};
use domain::job::{Event, FailureClass, Job, Phase, Refusal};
use domain::parse;
use domain::plan::{Ending, Going, Plan};
use domain::upload::Envelope;
use place::Place;
use touchstone_store::{NewPlan, Packed, PlanState, Store, StoreError, StoredJob, Told, Upload, UploadedFile};

/// 2026-11-30.
const NOW: i64 = 1_796_000_000_000;
const LEASE_MS: i64 = 60_000;

const PLAN: &str = r#"schema = 1
slug = "planned"
title = "Planned"
baseline = "base"
primary_profile = "chat"
model = { id = "Qwen/Qwen3-8B" }
hardware = { gpu = "NVIDIA H200", count = 1 }

[[profiles]]
id = "chat"
input_tokens = 1024
output_tokens = 128
requests = 500

[[profiles]]
id = "batch"
input_tokens = 128
output_tokens = 4
requests = 500

[[variants]]
id = "base"
engine = "vLLM"

[[variants]]
id = "fp8"
engine = "vLLM"
args = ["--quantization", "fp8"]

[plan]
repeats = { min = 2, max = 2 }
attempts = 2
"#;

macro_rules! on_both {
    ($($story:ident)*) => {
        mod sqlite {
            $(#[tokio::test]
            async fn $story() {
                let place = super::Place::sqlite();
                super::$story(&place).await;
                place.close().await;
            })*
        }
        mod postgres {
            $(#[tokio::test]
            async fn $story() {
                let Some(place) = super::Place::postgres().await else { return };
                super::$story(&place).await;
                place.close().await;
            })*
        }
    };
}

on_both! {
    a_plan_becomes_jobs_and_jobs_become_runs_until_it_is_complete
    a_lease_is_what_the_domain_says_and_starts_are_shared
    of_agents_that_race_each_gets_another_job_and_no_job_has_two
    what_an_agent_cannot_do_is_not_given_to_it
    a_lost_job_is_given_to_another_and_the_first_result_counts
    a_plan_that_is_stopped_makes_no_more_jobs
    a_plan_adds_to_its_study_and_never_changes_it
    the_log_keeps_its_last_lines
}

async fn a_plan_becomes_jobs_and_jobs_become_runs_until_it_is_complete(place: &Place) {
    let store = place.open().await;
    let id = plan(&store, PLAN).await;
    enrol(&store, "a", "NVIDIA H200").await;
    let study = store.study(&"planned".into()).await.unwrap().data.study;
    assert_eq!((study.variants.len(), study.profiles.len(), study.steps.len()), (2, 2, 1), "before the first run");
    let mut order = Vec::new();
    let mut now = NOW;
    while let Some(job) = lease(&store, "a", now).await {
        order.push(format!("{}/{}", job.spec.key.start(), job.spec.key.profile));
        now += 1000;
        done(&store, &job, u8::try_from(order.len()).unwrap(), now).await;
        store.advance_plan(&id, now).await.unwrap();
    }
    assert_eq!(
        order,
        [
            "base/1/chat",
            "base/1/batch",
            "fp8/1/chat",
            "fp8/1/batch",
            "base/2/chat",
            "base/2/batch",
            "fp8/2/chat",
            "fp8/2/batch"
        ]
    );
    let (stored, jobs) = store.plan(&id).await.unwrap();
    assert_eq!(stored.state, PlanState::Ended(Ending::Complete));
    assert!(jobs.iter().all(|job| job.job.phase == Phase::Done && job.ended_at.is_some() && job.settled.is_some()));
    let runs = store.study(&"planned".into()).await.unwrap().data.runs;
    assert_eq!(runs.len(), 8, "every job has exactly one result");
    let events = store.job_events(&jobs[0].id).await.unwrap();
    let phases: Vec<Phase> = events.iter().map(|event| event.phase).collect();
    assert_eq!(phases, [Phase::Leased, Phase::Running, Phase::Uploading, Phase::Done]);
    // Asked again, it is the same.
    let again = store.advance_plan(&id, now).await.unwrap().unwrap();
    assert_eq!((again.jobs.len(), again.going), (0, Going::Ended(Ending::Complete)));
    assert_eq!(store.plans_of(&"planned".into()).await.unwrap(), store.plans().await.unwrap());
}

async fn a_lease_is_what_the_domain_says_and_starts_are_shared(place: &Place) {
    let store = place.open().await;
    let id = plan(&store, PLAN).await;
    for agent in ["a", "b"] {
        enrol(&store, agent, "NVIDIA H200").await;
    }
    let first = lease(&store, "a", NOW).await.unwrap();
    let event = Event::Lease { agent: "a".into(), for_ms: LEASE_MS };
    let by_domain = Job::new(2).after(&event, NOW).unwrap();
    assert_eq!((first.job.clone(), first.leased_at), (by_domain, Some(NOW)));
    assert_eq!(store.job(&first.id).await.unwrap(), first);
    // Another agent begins another start, though this one has jobs left.
    let other = lease(&store, "b", NOW).await.unwrap();
    assert_eq!((first.spec.key.start(), other.spec.key.start()), ("base/1".into(), "fp8/1".into()));
    // Whoever runs a server gets what is left for it.
    let ask = LeaseAsk { free_gpus: 1, prefer: Some((id.clone(), "fp8/1".to_owned())) };
    let same = store.lease_job(&"b".into(), &ask, LEASE_MS, NOW).await.unwrap().unwrap();
    assert_eq!((same.spec.key.start(), same.spec.key.profile.as_str()), ("fp8/1".into(), "batch"));
    // Nothing else is left: then a start is divided rather than nobody at work.
    let ask = LeaseAsk { free_gpus: 1, prefer: None };
    let divided = store.lease_job(&"b".into(), &ask, LEASE_MS, NOW).await.unwrap().unwrap();
    assert_eq!(divided.spec.key.start(), "base/1");
    assert_eq!(lease(&store, "b", NOW).await, None);
}

async fn of_agents_that_race_each_gets_another_job_and_no_job_has_two(place: &Place) {
    let store = Arc::new(place.open().await);
    plan(&store, PLAN).await;
    // Four jobs are there, twelve agents ask.
    let agents: Vec<String> = (0..12).map(|n| format!("agent-{n}")).collect();
    for agent in &agents {
        enrol(&store, agent, "NVIDIA H200").await;
    }
    let asking: Vec<_> = agents
        .iter()
        .map(|agent| {
            let (store, agent) = (Arc::clone(&store), agent.clone());
            tokio::spawn(async move { lease(&store, &agent, NOW).await })
        })
        .collect();
    let mut got = Vec::new();
    for one in asking {
        got.extend(one.await.unwrap());
    }
    let ids: BTreeSet<JobId> = got.iter().map(|job| job.id.clone()).collect();
    assert_eq!((got.len(), ids.len()), (4, 4));
    // Two results for one job at once: one is promised, the other refused.
    let job = got.remove(0);
    let claims: Vec<_> = [1_u8, 2]
        .into_iter()
        .map(|n| {
            let (store, id, agent) = (Arc::clone(&store), job.id.clone(), job.agent.clone().unwrap());
            let event = Event::Claim { attempt: 1, agent, digest: Digest::of(&[n]) };
            tokio::spawn(async move { store.job_event(&id, &event, &Told::default(), NOW).await.unwrap() })
        })
        .collect();
    let mut promised = 0;
    for claim in claims {
        match claim.await.unwrap() {
            Ok(_) => promised += 1,
            Err(refusal) => assert_eq!(refusal, Refusal::OtherResult),
        }
    }
    assert_eq!(promised, 1);
}

async fn what_an_agent_cannot_do_is_not_given_to_it(place: &Place) {
    let store = place.open().await;
    plan(&store, PLAN).await;
    enrol(&store, "small", "NVIDIA L4").await;
    enrol(&store, "fits", "NVIDIA H200 SXM").await;
    assert_eq!(lease(&store, "small", NOW).await, None);
    let busy = LeaseAsk { free_gpus: 0, prefer: None };
    assert_eq!(store.lease_job(&"fits".into(), &busy, LEASE_MS, NOW).await.unwrap(), None);
    assert!(lease(&store, "fits", NOW).await.is_some());
    let unknown = lease_result(&store, "nobody", NOW).await.unwrap_err();
    assert!(matches!(unknown, StoreError::NotFound { noun: "agent", .. }), "{unknown}");
    // Signs of life are written now and then.
    lease(&store, "small", NOW + 5_000).await;
    assert_eq!(store.agent(&"small".into()).await.unwrap().last_seen_at, NOW);
    lease(&store, "small", NOW + 40_000).await;
    assert_eq!(store.agent(&"small".into()).await.unwrap().last_seen_at, NOW + 40_000);
}

async fn a_lost_job_is_given_to_another_and_the_first_result_counts(place: &Place) {
    let store = place.open().await;
    let id = plan(&store, PLAN).await;
    for agent in ["a", "b"] {
        enrol(&store, agent, "NVIDIA H200").await;
    }
    let job = lease(&store, "a", NOW).await.unwrap();
    assert_eq!(store.expire_jobs(NOW + LEASE_MS - 1).await.unwrap(), []);
    let lost = store.expire_jobs(NOW + LEASE_MS).await.unwrap();
    assert_eq!(lost.iter().map(|job| (&job.id, job.job.phase)).collect::<Vec<_>>(), [(&job.id, Phase::Queued)]);
    let again = lease(&store, "b", NOW + LEASE_MS).await.unwrap();
    assert_eq!((&again.id, again.job.attempt), (&job.id, 2));
    // The first one is back, with a result.
    done(&store, &job, 1, NOW + LEASE_MS + 1).await;
    let alive = Event::Alive { attempt: 2, phase: Phase::Running, for_ms: LEASE_MS };
    let refusal = store.job_event(&job.id, &alive, &Told::default(), NOW + LEASE_MS + 2).await.unwrap().unwrap_err();
    assert!(matches!(refusal, Refusal::NotYours { asked: 2, .. }), "{refusal}");
    let late = Event::Claim { attempt: 2, agent: "b".into(), digest: Digest::of(b"other") };
    let refusal = store.job_event(&job.id, &late, &Told::default(), NOW + LEASE_MS + 3).await.unwrap().unwrap_err();
    assert_eq!(refusal, Refusal::OtherResult);
    assert_eq!(store.study(&"planned".into()).await.unwrap().data.runs.len(), 1);
    // One that fails for good holds nobody up.
    let next = lease(&store, "a", NOW + LEASE_MS + 4).await.unwrap();
    let fail = Event::Fail { attempt: next.job.attempt, class: FailureClass::OutOfMemory };
    let told = Told { log: vec!["CUDA out of memory".to_owned()], ..Told::default() };
    let failed = store.job_event(&next.id, &fail, &told, NOW + LEASE_MS + 5).await.unwrap().unwrap();
    assert_eq!((failed.job.phase, failed.job.failure), (Phase::Failed, Some(FailureClass::OutOfMemory)));
    assert_eq!(store.job_log(&next.id, 0).await.unwrap()[0].body, "CUDA out of memory");
    store.advance_plan(&id, NOW + LEASE_MS + 6).await.unwrap();
    assert!(lease(&store, "a", NOW + LEASE_MS + 7).await.is_some());
    // Somebody asks for it again.
    let retried =
        store.job_event(&next.id, &Event::Retry, &Told::default(), NOW + LEASE_MS + 8).await.unwrap().unwrap();
    assert_eq!((retried.job.phase, retried.ended_at), (Phase::Queued, None));
}

async fn a_plan_that_is_stopped_makes_no_more_jobs(place: &Place) {
    let store = place.open().await;
    let id = plan(&store, PLAN).await;
    enrol(&store, "a", "NVIDIA H200").await;
    let job = lease(&store, "a", NOW).await.unwrap();
    store.stop_plan(&id, NOW + 1).await.unwrap();
    let (stored, jobs) = store.plan(&id).await.unwrap();
    assert_eq!(stored.state, PlanState::Stopped);
    let cancelled = jobs.iter().filter(|job| job.job.phase == Phase::Cancelled).count();
    assert_eq!((cancelled, jobs.len()), (3, 4), "the one that is at work is told first");
    let alive = Event::Alive { attempt: 1, phase: Phase::Starting, for_ms: LEASE_MS };
    let told = store.job_event(&job.id, &alive, &Told::default(), NOW + 2).await.unwrap();
    assert_eq!(told.unwrap_err(), Refusal::Cancelling);
    let fail = Event::Fail { attempt: 1, class: FailureClass::Cancelled };
    store.job_event(&job.id, &fail, &Told::default(), NOW + 3).await.unwrap().unwrap();
    assert_eq!(store.advance_plan(&id, NOW + 4).await.unwrap(), None);
    assert_eq!(lease(&store, "a", NOW + 5).await, None);
}

async fn a_plan_adds_to_its_study_and_never_changes_it(place: &Place) {
    let store = place.open().await;
    plan(&store, PLAN).await;
    let before = store.study(&"planned".into()).await.unwrap();
    let more = PLAN.replace("\"--quantization\", \"fp8\"", "\"--quantization=fp8\"").replace(
        "[plan]",
        "[[variants]]\nid = \"seqs\"\nengine = \"vLLM\"\nargs = [\"--max-num-seqs\", \"256\"]\n\n[plan]",
    );
    let id = PlanId::from("second");
    let read = domain::plan::parse(&more).unwrap();
    let new = NewPlan { id: &id, text: &more, plan: &read, author: Some("ci") };
    store.create_plan(new, NOW + 1).await.unwrap();
    let after = store.study(&"planned".into()).await.unwrap();
    assert_eq!(after.data.study.variants[..2], before.data.study.variants[..], "as they were written first");
    assert_eq!(after.data.study.variants.len(), 3);
    assert!(after.updated_at > before.updated_at);
    let other = PLAN.replace("\"fp8\"]", "\"awq\"]");
    let read = domain::plan::parse(&other).unwrap();
    let id = PlanId::from("third");
    let new = NewPlan { id: &id, text: &other, plan: &read, author: None };
    let error = store.create_plan(new, NOW + 2).await.unwrap_err();
    assert!(error.to_string().contains("another variant \"fp8\""), "{error}");
    assert_eq!(store.plans().await.unwrap().len(), 2, "nothing of it is kept");
}

async fn the_log_keeps_its_last_lines(place: &Place) {
    let store = place.open().await;
    plan(&store, PLAN).await;
    enrol(&store, "a", "NVIDIA H200").await;
    let job = lease(&store, "a", NOW).await.unwrap();
    for part in 0..7 {
        let log = (0..100).map(|n| format!("line {}\0", part * 100 + n)).collect();
        let told = Told { log, progress: Some(Progress { done: part, total: 7 }), settled: None };
        let alive = Event::Alive { attempt: 1, phase: Phase::Running, for_ms: LEASE_MS };
        store.job_event(&job.id, &alive, &told, NOW + 1).await.unwrap().unwrap();
    }
    let lines = store.job_log(&job.id, 0).await.unwrap();
    assert_eq!((lines.len(), lines[0].line, lines[499].body.as_str()), (500, 201, "line 699"));
    assert_eq!(store.job_log(&job.id, 699).await.unwrap().len(), 1);
    assert_eq!(store.job(&job.id).await.unwrap().progress, Some(Progress { done: 6, total: 7 }));
}

async fn plan(store: &Store, text: &str) -> PlanId {
    let id = PlanId::from("first");
    let plan: Plan = domain::plan::parse(text).unwrap();
    store.create_plan(NewPlan { id: &id, text, plan: &plan, author: None }, NOW).await.unwrap();
    id
}

async fn enrol(store: &Store, agent: &str, gpu: &str) {
    let facts = AgentFacts {
        name: agent.to_owned(),
        gpus: vec![GpuFact { index: 0, name: gpu.to_owned(), memory_mib: None }],
        engines: vec![EngineFact { name: "vLLM".to_owned(), version: None }],
        ..AgentFacts::default()
    };
    let enrol = Enrol { id: AgentId::from(agent), facts };
    store.enrol(&enrol, Some("token"), NOW).await.unwrap();
    store.enrol(&enrol, Some("token"), NOW).await.unwrap();
}

async fn lease(store: &Store, agent: &str, now: i64) -> Option<StoredJob> {
    lease_result(store, agent, now).await.unwrap()
}

async fn lease_result(store: &Store, agent: &str, now: i64) -> Result<Option<StoredJob>, StoreError> {
    store.lease_job(&agent.into(), &LeaseAsk { free_gpus: 1, prefer: None }, LEASE_MS, now).await
}

/// What an agent does with a job, and the server with its result.
async fn done(store: &Store, job: &StoredJob, n: u8, now: i64) {
    let attempt = job.job.attempt;
    let alive = Event::Alive { attempt, phase: Phase::Running, for_ms: LEASE_MS };
    // Refused where the job is another's by now; its result counts all the same.
    store.job_event(&job.id, &alive, &Told::default(), now).await.unwrap().ok();
    let raw = result(n);
    let digest = Digest::of(raw.as_bytes());
    let claim = Event::Claim { attempt, agent: job.agent.clone().unwrap(), digest: digest.clone() };
    store.job_event(&job.id, &claim, &Told::default(), now).await.unwrap().unwrap();
    let envelope: Envelope = serde_json::from_value(serde_json::json!({
        "study": "planned",
        "variant": job.spec.key.variant.as_str(),
        "profile": job.spec.key.profile.as_str(),
        "start": job.spec.key.start(),
    }))
    .unwrap();
    let upload = Upload { id: digest.to_string(), envelope, token: None, document: "{}".to_owned(), started_at: None };
    let runs = parse::parse(raw.as_bytes()).unwrap().runs;
    let file = UploadedFile {
        name: "result.txt".to_owned(),
        raw: Packed::pack(&mut raw.as_bytes(), &std::env::temp_dir()).unwrap(),
        runs,
        answers: None,
    };
    store.upload(&Arc::new(upload), file, now).await.unwrap();
    let told = Told { settled: Some(Settled { cache_cleared: Some(true), ..Settled::default() }), ..Told::default() };
    store.job_event(&job.id, &Event::Finish { digest }, &told, now).await.unwrap().unwrap();
}

fn result(n: u8) -> String {
    let seconds = 17.0 + f64::from(n) / 100.0;
    format!(
        "============ Serving Benchmark Result ============\nSuccessful requests: 500\nBenchmark duration (s): {seconds:.2}\n\
         Total input tokens: 512000\nTotal generated tokens: 64000\nRequest throughput (req/s): {:.2}\n\
         Output token throughput (tok/s): {:.2}\nTotal Token throughput (tok/s): {:.2}\nMean TTFT (ms): 700.00\n\
         Mean TPOT (ms): 20.00\n==================================================\n",
        500.0 / seconds,
        64000.0 / seconds,
        576000.0 / seconds
    )
}
