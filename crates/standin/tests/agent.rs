//! An agent with a stand-in engine and a stand-in benchmark: real processes, real HTTP, no GPU.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where it stopped")]

mod support;

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::Duration;

use agent::{Quit, drain, dry_run, run};
use domain::advise::Decision;
use domain::job::{Event, FailureClass, Phase};
use domain::report::build;
use domain::study::StudyData;
use support::{Memory, config, left_by, plan, variant, work};

const TWICE: &str = "[plan]\nrepeats = { min = 2, max = 2 }\nwarmup_requests = 3\nstart_timeout_minutes = 1\n";

/// A second profile.
const BATCH: &str = "[[profiles]]\nid = \"batch\"\nrequests = 3\ninput_tokens = 4\noutput_tokens = 2\nmax_concurrency = 1\n\
    command = \"standin-bench --base-url {base_url} --model m --num-prompts 3 --max-concurrency 1 --input-len 4 \
    --output-len 2 --virtual --result {out}/x.json\"\n";

#[test]
fn a_plan_is_measured_from_its_first_job_to_its_last_and_nothing_is_left() {
    let more = format!("{}{BATCH}{TWICE}", variant("fast", "\"--tokens-per-s\", \"4000\", \"--children\", \"2\""));
    let server = Memory::new(plan("", &more));
    let dir = tempfile::tempdir().unwrap();
    let ended = work(&config(dir.path()), &server);
    assert_eq!(ended.waiting, 0);
    assert!(server.phases_of_jobs().iter().all(|phase| *phase == Phase::Done), "{:?}", server.phases_of_jobs());
    server.state(|state| {
        assert!(state.ended);
        assert_eq!((state.finished.len(), state.runs.len()), (8, 8), "each job has one result");
        let starts: BTreeSet<_> = state.runs.iter().map(|run| run.start.clone().unwrap()).collect();
        assert_eq!(starts.len(), 4, "two profiles share a start, repeats do not: {starts:?}");
        let seen: BTreeSet<Phase> = state.phases.values().flatten().copied().collect();
        assert!(seen.contains(&Phase::Starting), "{seen:?}");
        assert!(state.settled.iter().all(|settled| settled.cache_cleared == Some(true) && settled.run_s.is_some()));
        let before: BTreeSet<u32> = state.settled.iter().map(|settled| settled.runs_before).collect();
        assert_eq!(before, BTreeSet::from([0, 1]));
        let data = StudyData { study: state.study.clone().unwrap(), runs: state.runs.clone() };
        assert_eq!(build(&data).conclusion.recommended.map(|id| id.to_string()), Some("fast".to_owned()));
    });
    assert_eq!(left_by(dir.path()), 0);
}

#[test]
fn a_search_on_a_real_server_finds_the_planted_optimum() {
    let knobs = "[plan]\nrepeats = { min = 2, max = 3 }\nwarmup_requests = 1\n\
        [[search.knobs]]\nid = \"a\"\nflag = \"--speed-a\"\nvalues = [1.5, 0.7]\n\
        [[search.knobs]]\nid = \"b\"\nflag = \"--speed-b\"\nvalues = [1.3]\n\
        [[search.knobs]]\nid = \"c\"\nflag = \"--speed-c\"\nvalues = [0.8]\n\
        [[search.knobs]]\nid = \"oom\"\nvalues = [{ id = \"oom\", args = [\"--fail\", \"oom\"] }]\n";
    let server = Memory::new(plan("", knobs));
    let dir = tempfile::tempdir().unwrap();
    work(&config(dir.path()), &server);
    server.state(|state| {
        assert!(state.ended);
        let data = StudyData { study: state.study.clone().unwrap(), runs: state.runs.clone() };
        let report = build(&data);
        assert_eq!(report.conclusion.recommended.map(|id| id.to_string()), Some("a-1.5+b-1.3".to_owned()));
        let decisions: Vec<_> = report.steps.iter().map(|step| (step.id.as_str(), step.decision)).collect();
        let expected = [
            ("a", Decision::Adopted),
            ("b", Decision::Adopted),
            ("c", Decision::Rejected),
            ("oom", Decision::NotComparable),
            ("combinations", Decision::Adopted),
        ];
        assert_eq!(decisions, expected);
    });
    assert_eq!(left_by(dir.path()), 0);
}

#[test]
fn every_failure_has_its_class_and_the_next_job_goes_on() {
    let of = |id: &str, fail: &str| variant(id, fail);
    let more = [
        of("oom", "\"--fail\", \"oom\""),
        of("oom-later", "\"--fail\", \"oom\", \"--fail-after\", \"3\""),
        of("crash", "\"--fail\", \"crash\""),
        of("crash-later", "\"--fail\", \"crash\", \"--fail-after\", \"3\""),
        of("port", "\"--fail\", \"port\""),
        of("disk", "\"--fail\", \"disk\""),
        of("never", "\"--fail\", \"never\""),
        of("hang", "\"--fail\", \"hang\", \"--fail-after\", \"3\""),
        of("missing", "\"--x\"").replace("standin-engine", "no-such-engine"),
        of("last", "\"--tokens-per-s\", \"3000\""),
        "[plan]\nrepeats = { min = 1, max = 1 }\nattempts = 1\nwarmup_requests = 1\n\
         start_timeout_minutes = 0.05\nrun_timeout_minutes = 0.05\n"
            .to_owned(),
    ];
    let server = Memory::new(plan("", &more.concat()));
    let dir = tempfile::tempdir().unwrap();
    let mut config = config(dir.path());
    config.engines.push(("no-such-engine".to_owned(), None));
    work(&config, &server);
    use FailureClass::{Crash, DiskFull, Hang, MissingEngine, OutOfMemory, PortInUse, Unhealthy};
    let expected = [
        ("oom", OutOfMemory),
        ("oom-later", OutOfMemory),
        ("crash", Crash),
        ("crash-later", Crash),
        ("port", PortInUse),
        ("disk", DiskFull),
        ("never", Unhealthy),
        ("hang", Hang),
        ("missing", MissingEngine),
    ];
    server.state(|state| {
        for (id, class) in expected {
            let (key, (_, job)) = state.jobs.iter().find(|(_, (spec, _))| spec.key.variant.as_str() == id).unwrap();
            assert_eq!((job.phase, job.failure), (Phase::Failed, Some(class)), "{id}: {:?}", state.logs.get(key));
            assert!(!state.logs[key].is_empty(), "{id} says why");
        }
        let done: BTreeSet<String> = state.runs.iter().map(|run| run.variant.to_string()).collect();
        assert_eq!(done, BTreeSet::from(["base".to_owned(), "last".to_owned()]));
        assert!(state.ended);
    });
    assert_eq!(left_by(dir.path()), 0);
}

#[test]
fn a_benchmark_that_fails_is_told_from_its_server() {
    for fail in ["status", "garbage", "hang"] {
        let mut of = plan(
            "",
            "[plan]\nrepeats = { min = 1, max = 1 }\nattempts = 1\nrun_timeout_minutes = 0.03\nwarmup_requests = 0\n",
        );
        let command = of.study.profiles[0].command.as_mut().unwrap();
        command.push_str(&format!(" --fail {fail}"));
        let server = Memory::new(of);
        let dir = tempfile::tempdir().unwrap();
        work(&config(dir.path()), &server);
        server.state(|state| {
            let (_, job) = state.jobs.values().next().unwrap();
            let expected = if fail == "hang" { FailureClass::Hang } else { FailureClass::BenchFailed };
            assert_eq!((job.phase, job.failure), (Phase::Failed, Some(expected)), "{fail}: {:?}", state.logs);
            assert_eq!(state.runs.len(), 0);
        });
        assert_eq!(left_by(dir.path()), 0);
    }
}

#[test]
fn whatever_answers_are_lost_every_job_has_one_result() {
    for loses in [2, 3, 5] {
        let more = format!("{}{TWICE}", variant("fast", "\"--tokens-per-s\", \"4000\""));
        let server = Memory::new(plan("", &more));
        server.loses.store(loses, Ordering::SeqCst);
        let dir = tempfile::tempdir().unwrap();
        // A job that was leased to an agent that did not hear of it comes back when its lease is over: here, at once.
        let ended = std::thread::scope(|scope| {
            let at_work = scope.spawn(|| {
                loop {
                    let ended = work(&config(dir.path()), &server);
                    if server.state(|state| state.ended) {
                        return ended;
                    }
                }
            });
            while !at_work.is_finished() {
                std::thread::sleep(Duration::from_millis(100));
                server.state(|state| {
                    let unheard: Vec<_> = state
                        .jobs
                        .iter()
                        .filter(|(_, (_, job))| job.phase == Phase::Leased)
                        .map(|(id, (_, job))| (id.clone(), job.attempt))
                        .filter(|lease| !state.heard.contains(lease))
                        .collect();
                    for (id, attempt) in unheard {
                        let fail = Event::Fail { attempt, class: FailureClass::Lost };
                        server.event(state, &id, &fail).ok();
                    }
                });
            }
            at_work.join().unwrap()
        });
        assert_eq!(ended.waiting, 0);
        server.state(|state| {
            let done: Vec<_> = state.jobs.values().filter(|(_, job)| job.phase == Phase::Done).collect();
            assert_eq!(state.finished.len(), done.len(), "loses one of {loses}");
            let unlike: BTreeSet<_> = state.finished.iter().collect();
            assert_eq!(unlike.len(), state.finished.len(), "no job is finished twice");
            assert_eq!(state.runs.len(), done.len(), "and each has one run");
            assert!(state.jobs.values().all(|(_, job)| job.phase.is_ended()));
        });
        assert_eq!(left_by(dir.path()), 0);
    }
}

#[test]
fn a_server_that_is_away_loses_nothing_and_the_next_agent_delivers() {
    let server = Memory::new(plan("", "[plan]\nrepeats = { min = 1, max = 1 }\nwarmup_requests = 0\n"));
    let dir = tempfile::tempdir().unwrap();
    let quit = Quit::default();
    let ended = std::thread::scope(|scope| {
        let config = config(dir.path());
        let (server, quit) = (&server, &quit);
        let at_work = scope.spawn(move || run(&config, server, quit).unwrap());
        until(|| server.phases_of_jobs() != [Phase::Queued]);
        server.away.store(true, Ordering::SeqCst);
        until(|| std::fs::read_dir(dir.path().join("results")).unwrap().count() == 1);
        quit.now();
        at_work.join().unwrap()
    });
    assert_eq!((ended.waiting, left_by(dir.path())), (1, 0));
    assert_eq!(server.state(|state| state.runs.len()), 0);
    server.away.store(false, Ordering::SeqCst);
    assert_eq!(work(&config(dir.path()), &server).waiting, 0);
    server.state(|state| assert_eq!((state.runs.len(), state.finished.len()), (1, 1)));
}

#[test]
fn a_job_that_is_cancelled_while_its_server_starts_ends_and_leaves_nothing() {
    let more = format!(
        "{}[plan]\nrepeats = {{ min = 1, max = 1 }}\nwarmup_requests = 0\n",
        variant("slow", "\"--start-ms\", \"600000\", \"--children\", \"1\"")
    );
    let server = Memory::new(plan("", &more));
    let dir = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        let (config, server) = (config(dir.path()), &server);
        let at_work = scope.spawn(move || work(&config, server));
        let slow = until_some(|| {
            server.state(|state| {
                let (id, _) = state.jobs.iter().find(|(_, (spec, _))| spec.key.variant.as_str() == "slow")?;
                state.phases.get(id)?.contains(&Phase::Starting).then(|| id.clone())
            })
        });
        server.state(|state| server.event(state, &slow, &Event::Cancel)).unwrap();
        at_work.join().unwrap();
    });
    let mut phases = server.phases_of_jobs();
    phases.sort();
    assert_eq!(phases, [Phase::Done, Phase::Cancelled]);
    assert_eq!(left_by(dir.path()), 0);
}

#[test]
fn an_agent_that_quits_gives_its_job_back_and_a_drained_one_takes_no_more() {
    let server = Memory::new(plan(", \"--start-ms\", \"600000\"", "[plan]\nrepeats = { min = 1, max = 1 }\n"));
    let dir = tempfile::tempdir().unwrap();
    let quit = Quit::default();
    std::thread::scope(|scope| {
        let (config, server, quit) = (config(dir.path()), &server, &quit);
        let at_work = scope.spawn(move || run(&config, server, quit).unwrap());
        until(|| server.state(|state| state.phases.values().any(|phases| phases.contains(&Phase::Starting))));
        quit.now();
        at_work.join().unwrap();
    });
    assert_eq!((server.phases_of_jobs(), left_by(dir.path())), (vec![Phase::Queued], 0));
    drain(dir.path()).unwrap();
    let mut drained = config(dir.path());
    drained.once = false;
    work(&drained, &server);
    assert_eq!(server.phases_of_jobs(), [Phase::Queued]);
    assert!(!dir.path().join("drain").exists(), "the next agent takes jobs again");
}

fn until(what: impl Fn() -> bool) {
    until_some(|| what().then_some(()));
}

fn until_some<T>(what: impl Fn() -> Option<T>) -> T {
    // Long enough for a machine that is busy with other things.
    for _ in 0..12_000 {
        if let Some(found) = what() {
            return found;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("it did not happen");
}

#[test]
fn a_dry_run_says_what_would_be_done_and_does_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let of = plan("", &variant("other", "\"--x\"").replace("standin-engine", "no-such-engine"));
    let said = dry_run(&config(dir.path()), Some(&of));
    for part in [
        "\"Stand-in GPU\"",
        "# base / chat / 1\n",
        "standin-engine m --port ",
        "--num-prompts 6",
        "--result OUT/r.json",
    ] {
        assert!(said.contains(part), "{part} is not in\n{said}");
    }
    let other = said.split("# other / chat / 1\n").nth(1).unwrap();
    assert!(other.starts_with("# not on this machine: Engine"), "{said}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}
