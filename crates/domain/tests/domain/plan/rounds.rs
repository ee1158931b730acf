use super::{Machine, jitter, matrix, plan};
use touchstone_domain::job::FailureClass;
use touchstone_domain::plan::{Ending, Estimate, Going, Span, estimate, next};
use touchstone_domain::text::{Lang, plan as words};

#[test]
fn variants_take_turns_and_every_repeat_is_another_start() {
    let plan = plan(&matrix("[plan]\nrepeats = { min = 3, max = 3 }\n"));
    let mut machine = Machine::new(&plan);
    let end = machine.run(|job| Ok(jitter(17.0, job.key.repeat)));
    assert_eq!(machine.order(), "base/chat fp8/chat base/chat fp8/chat base/chat fp8/chat");
    let mut starts: Vec<String> = machine.ran.iter().map(|job| job.key.start()).collect();
    starts.dedup();
    assert_eq!(starts, ["base/1", "fp8/1", "base/2", "fp8/2", "base/3", "fp8/3"]);
    assert_eq!(end.going, Going::Ended(Ending::Complete));
}

#[test]
fn profiles_of_one_start_stand_together() {
    let more = "[[profiles]]\nid = \"batch\"\nrequests = 10\ninput_tokens = 8\noutput_tokens = 8\n";
    let plan = plan(&matrix(&format!("{more}[plan]\nrepeats = {{ min = 2, max = 2 }}\n")));
    let mut machine = Machine::new(&plan);
    machine.run(|job| Ok(jitter(17.0, job.key.repeat)));
    let round = "base/chat base/batch fp8/chat fp8/batch";
    assert_eq!(machine.order(), format!("{round} {round}"));
}

#[test]
fn repeats_go_on_until_the_interval_is_tight() {
    let plan = plan(&matrix("[plan]\nrepeats = { min = 2, max = 5, width_pct = 5.0 }\n"));
    let mut machine = Machine::new(&plan);
    // The baseline scatters by 10 %, fp8 hardly at all: ±9 times the deviation with two starts, ±2.5 times with three.
    machine.run(|job| {
        let even = job.key.repeat.is_multiple_of(2);
        let by = if job.key.variant.as_str() == "base" { 0.1 } else { 0.005 };
        Ok(17.0 * if even { 1.0 + by } else { 1.0 - by } + 0.001 * f64::from(job.key.repeat))
    });
    let of = |id: &str| machine.ran.iter().filter(|job| job.key.variant.as_str() == id).count();
    assert_eq!((of("base"), of("fp8")), (5, 3));
}

#[test]
fn what_was_measured_before_counts() {
    let twice = plan(&matrix("[plan]\nrepeats = { min = 2, max = 2 }\n"));
    let mut machine = Machine::new(&twice);
    machine.run(|job| Ok(jitter(17.0, job.key.repeat)));
    let again = plan(&matrix("[plan]\nrepeats = { min = 3, max = 3 }\n"));
    let next = next(&again, &machine.runs, &[]);
    // One more start of each is missing.
    assert_eq!(next.jobs.len(), 2);
    assert_eq!(self::next(&twice, &machine.runs, &[]).going, Going::Ended(Ending::Complete));
}

#[test]
fn a_variant_that_fails_is_not_tried_again_and_holds_nobody_up() {
    let more = "[[profiles]]\nid = \"batch\"\nrequests = 10\ninput_tokens = 8\noutput_tokens = 8\n";
    let plan = plan(&matrix(&format!("{more}[plan]\nrepeats = {{ min = 3, max = 3 }}\n")));
    let mut machine = Machine::new(&plan);
    let end = machine.run(|job| match job.key.variant.as_str() {
        "fp8" => Err(FailureClass::OutOfMemory),
        _ => Ok(jitter(17.0, job.key.repeat)),
    });
    assert_eq!(end.going, Going::Ended(Ending::Complete));
    let of = |id: &str| machine.ran.iter().filter(|job| job.key.variant.as_str() == id).count();
    assert_eq!((of("base"), of("fp8")), (6, 2), "{}", machine.order());
}

#[test]
fn a_budget_ends_a_plan_between_jobs() {
    for (budget, ending, ran) in [("jobs = 3", Ending::Jobs, 3), ("minutes = 4", Ending::Minutes, 4)] {
        let text =
            matrix(&format!("[plan]\nrepeats = {{ min = 5 }}\nbudget = {{ {budget} }}\n[plan.minutes]\nchat = 1\n"));
        let plan = plan(&text);
        let mut machine = Machine::new(&plan);
        let end = machine.run(|job| Ok(jitter(17.0, job.key.repeat)));
        assert_eq!((end.going, machine.ran.len()), (Going::Ended(ending), ran), "{budget}");
    }
}

#[test]
fn a_plan_says_what_it_will_cost_and_what_it_does_not_know() {
    let unknown = estimate(&plan(&matrix("")), &[]);
    assert_eq!((unknown.jobs, unknown.starts), (Span { least: 4, most: 10 }, Span { least: 4, most: 10 }));
    assert_eq!((unknown.minutes, unknown.unknown.len(), unknown.money), (None, 1, None));
    let priced = matrix("[plan]\nstart_minutes = 2\n[plan.minutes]\nchat = 1\n").replacen(
        "baseline",
        "price = { gpu_hour = 600, currency = \"JPY\" }\nbaseline",
        1,
    );
    let known = estimate(&plan(&priced), &[]);
    assert_eq!(known.minutes, Some(Span { least: 12.0, most: 30.0 }));
    assert_eq!(known.money.map(|(money, _)| money), Some(Span { least: 120.0, most: 300.0 }));
    // 500 requests at 5 a second.
    let rate = matrix("").replacen("request_rate = \"unlimited\"", "request_rate = 5", 1);
    let of_rate = estimate(&plan(&rate), &[]);
    assert!(of_rate.minutes.is_some_and(|minutes| (minutes.least - 4.0 * (2.0 + 100.0 / 60.0)).abs() < 1e-9));
    let said = |of: &Estimate| Lang::ALL.map(|lang| words::estimate(lang, of).join(" "));
    insta::assert_snapshot!("estimates", [said(&unknown), said(&known)].concat().join("\n"));
}
