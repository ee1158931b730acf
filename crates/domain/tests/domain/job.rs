//! Jobs: whatever happens in whatever order, one result, and no end that is none.

use proptest::prelude::*;
use touchstone_domain::digest::Digest;
use touchstone_domain::job::{Event, FailureClass, Job, Phase, Refusal};

const LEASE_MS: i64 = 60_000;

fn digest(n: u8) -> Digest {
    Digest::of(&[n])
}

fn lease(agent: &str) -> Event {
    Event::Lease { agent: agent.into(), for_ms: LEASE_MS }
}

fn claim(attempt: u32, n: u8) -> Event {
    Event::Claim { attempt, agent: format!("agent-{n}").as_str().into(), digest: digest(n) }
}

fn after(job: &Job, event: Event, now: i64) -> Job {
    job.after(&event, now).unwrap_or_else(|refusal| panic!("{event:?}: {refusal}"))
}

#[test]
fn a_job_goes_its_way() {
    let mut job = Job::new(3);
    job = after(&job, lease("a"), 0);
    for (at, phase) in [Phase::Starting, Phase::Warming, Phase::Running, Phase::Uploading].into_iter().enumerate() {
        job = after(&job, Event::Alive { attempt: 1, phase, for_ms: LEASE_MS }, 1000 * at as i64);
        assert_eq!(job.phase, phase);
    }
    job = after(&job, claim(1, 7), 5000);
    job = after(&job, Event::Finish { digest: digest(7) }, 6000);
    assert_eq!((job.phase, job.result.clone(), job.lease.clone()), (Phase::Done, Some(digest(7)), None));
    // Said twice, it is the same; another result is none.
    assert_eq!(after(&job, claim(1, 7), 7000), job);
    assert_eq!(after(&job, Event::Finish { digest: digest(7) }, 7000), job);
    assert_eq!(job.after(&claim(1, 8), 7000), Err(Refusal::OtherResult));
}

#[test]
fn a_result_that_comes_after_its_lease_counts_and_who_works_in_vain_is_told() {
    let mut job = after(&Job::new(3), lease("a"), 0);
    job = after(&job, Event::Tick, LEASE_MS);
    assert_eq!((job.phase, job.failure), (Phase::Queued, Some(FailureClass::Lost)));
    job = after(&job, lease("b"), LEASE_MS);
    let late = after(&job, claim(1, 1), LEASE_MS + 1);
    assert_eq!(late.phase, Phase::Uploading);
    let alive = Event::Alive { attempt: 2, phase: Phase::Running, for_ms: LEASE_MS };
    assert!(matches!(late.after(&alive, LEASE_MS + 2), Err(Refusal::NotYours { asked: 2, .. })));
    assert_eq!(late.after(&claim(2, 2), LEASE_MS + 3), Err(Refusal::OtherResult));
    assert_eq!(after(&late, Event::Finish { digest: digest(1) }, LEASE_MS + 4).phase, Phase::Done);
}

#[test]
fn a_promised_result_that_never_comes_does_not_hold_the_job_for_ever() {
    let job = after(&Job::new(3), lease("a"), 0);
    let claimed = after(&job, claim(1, 1), 10);
    assert_eq!(after(&claimed, Event::Tick, LEASE_MS), claimed, "storing takes longer than a heartbeat");
    let over = after(&claimed, Event::Tick, 10 + 60 * 60 * 1000);
    assert_eq!((over.phase, over.result.clone()), (Phase::Queued, None));
    let again = after(&after(&over, lease("b"), 4_000_000), claim(2, 2), 4_000_001);
    assert_eq!(again.after(&Event::Finish { digest: digest(1) }, 4_000_002), Err(Refusal::OtherResult));
}

#[test]
fn a_failure_is_tried_again_while_that_may_help() {
    for (class, tries) in FailureClass::ALL.map(|class| (class, if class.may_pass() { 3 } else { 1 })) {
        let (mut job, mut leases) = (Job::new(3), 0);
        while job.phase == Phase::Queued {
            job = after(&job, lease("a"), 0);
            leases += 1;
            job = after(&job, Event::Fail { attempt: job.attempt, class }, 1);
        }
        let ended = if class == FailureClass::Cancelled { Phase::Cancelled } else { Phase::Failed };
        assert_eq!((leases, job.phase, job.failure), (tries, ended, Some(class)));
        let again = after(&job, Event::Retry, 2);
        assert_eq!((again.phase, again.tries, again.attempt), (Phase::Queued, 0, leases));
    }
}

#[test]
fn cancelling_reaches_whoever_has_the_job() {
    let queued = after(&Job::new(3), Event::Cancel, 0);
    assert_eq!(queued.phase, Phase::Cancelled);
    let starting = after(&after(&Job::new(3), lease("a"), 0), Event::Cancel, 1);
    assert_eq!(starting.phase, Phase::Leased);
    let alive = Event::Alive { attempt: 1, phase: Phase::Starting, for_ms: LEASE_MS };
    assert_eq!(starting.after(&alive, 2), Err(Refusal::Cancelling));
    let told = after(&starting, Event::Fail { attempt: 1, class: FailureClass::Cancelled }, 3);
    assert_eq!(told.phase, Phase::Cancelled);
    assert_eq!(
        after(&starting, Event::Tick, LEASE_MS).phase,
        Phase::Cancelled,
        "an agent that is gone needs no telling"
    );
    let claimed = after(&after(&Job::new(3), lease("a"), 0), claim(1, 1), 1);
    assert_eq!(claimed.after(&Event::Cancel, 2), Err(Refusal::Ended(Phase::Uploading)));
}

#[test]
fn a_clock_that_is_set_back_shortens_no_lease() {
    let job = after(&Job::new(3), lease("a"), 1_000_000);
    let alive = after(&job, Event::Alive { attempt: 1, phase: Phase::Running, for_ms: LEASE_MS }, 0);
    assert_eq!(alive.lease, job.lease);
    assert_eq!(after(&alive, Event::Tick, 0).phase, Phase::Running);
}

/// What agents, people, clocks and networks do.
fn events() -> impl Strategy<Value = Vec<(Event, i64)>> {
    let attempt = 0..6_u32;
    let event = prop_oneof![
        4 => (0..3_u8).prop_map(|n| lease(&format!("agent-{n}"))),
        3 => (attempt.clone(), 0..Phase::ALL.len())
            .prop_map(|(attempt, at)| Event::Alive { attempt, phase: Phase::ALL[at], for_ms: LEASE_MS }),
        3 => (attempt.clone(), 0..FailureClass::ALL.len())
            .prop_map(|(attempt, at)| Event::Fail { attempt, class: FailureClass::ALL[at] }),
        4 => (attempt, 0..3_u8).prop_map(|(attempt, n)| claim(attempt, n)),
        4 => (0..3_u8).prop_map(|n| Event::Finish { digest: digest(n) }),
        3 => Just(Event::Tick),
        1 => Just(Event::Cancel),
        1 => Just(Event::Retry),
    ];
    // A clock may be set back, too.
    let passed = prop_oneof![6 => 0..90_000_i64, 1 => 0..8_000_000_i64, 1 => -100_000..0_i64];
    prop::collection::vec((event, passed), 0..60)
}

proptest! {
    #[test]
    fn no_sequence_gives_two_results_and_none_gets_stuck(events in events(), tries in 1..4_u32) {
        let mut now = 0;
        let mut job = Job::new(tries);
        let mut stored: Vec<Digest> = Vec::new();
        for (event, passed) in events {
            now += passed;
            let Ok(next) = job.after(&event, now) else { continue };
            if next.phase == Phase::Done && job.phase != Phase::Done {
                stored.push(next.result.clone().expect("a job that is done has its result"));
            }
            prop_assert!(next.attempt >= job.attempt, "attempts are never counted back: {:?}", event);
            prop_assert_eq!(next.lease.is_some(), next.phase.is_active(), "{:?} after {:?}", next, event);
            prop_assert!(next.result.is_none() || matches!(next.phase, Phase::Uploading | Phase::Done), "{:?}", next);
            prop_assert!(!next.cancelling || next.phase.is_active(), "{:?}", next);
            job = next;
        }
        prop_assert!(stored.len() <= 1, "{:?}", stored);
        // Agents that take it and fall silent: sooner or later it ends, or has ended.
        for _ in 0..=2 * tries {
            now += 4_000_000;
            job = after(&job, Event::Tick, now);
            if job.phase == Phase::Queued {
                job = after(&job, lease("agent"), now);
            }
        }
        prop_assert!(job.phase.is_ended(), "{:?}", job);
    }

    #[test]
    fn a_late_answer_of_a_lost_attempt_moves_nothing(class in 0..FailureClass::ALL.len()) {
        let mut job = after(&Job::new(5), lease("a"), 0);
        job = after(&after(&job, Event::Tick, LEASE_MS), lease("b"), LEASE_MS);
        let late = Event::Fail { attempt: 1, class: FailureClass::ALL[class] };
        prop_assert!(job.after(&late, LEASE_MS + 1).is_err());
        let alive = Event::Alive { attempt: 1, phase: Phase::Running, for_ms: LEASE_MS };
        prop_assert!(job.after(&alive, LEASE_MS + 1).is_err());
    }
}
