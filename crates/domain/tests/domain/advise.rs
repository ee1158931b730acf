//! What is recommended under which objective and limits, and what becomes of everything else.

use proptest::prelude::*;

use crate::made::{Block, Made, run};
use touchstone_domain::advise::slo::SloState;
use touchstone_domain::advise::{Decision, Goal, Ranked, Reason, WhyNot};
use touchstone_domain::change::Verdict;
use touchstone_domain::report::markdown::markdown;
use touchstone_domain::report::{Difference, Report, Reservation, Standing, beside, build, build_under, same_question};
use touchstone_domain::study::{Limits, StudyData, parse_manifest};
use touchstone_domain::text::{self, Lang};

fn recommended(report: &Report) -> Option<&str> {
    report.conclusion.recommended.as_ref().map(|id| id.as_str())
}

fn of<'a>(report: &'a Report, variant: &str) -> &'a Ranked {
    report.ranked(&variant.into()).unwrap_or_else(|| panic!("{variant} is not ranked"))
}

/// The id of the reason why a variant is not recommended.
fn why(report: &Report, variant: &str) -> String {
    let Some(why) = &of(report, variant).why_not else { return "recommended".to_owned() };
    let json = serde_json::to_value(why).expect("a reason can be written");
    json["id"].as_str().expect("a reason has an id").to_owned()
}

fn whys(report: &Report) -> Vec<String> {
    ["base", "a", "b", "c"].map(|variant| why(report, variant)).to_vec()
}

#[test]
fn a_failing_variant_loses_to_a_slower_sound_one_and_is_logged() {
    let failing = Block { requests: 514, failed: 486, ..run("b", "chat", 15_060.0) };
    let report = build(&Made::of(&[run("base", "chat", 11_000.0), run("a", "chat", 11_600.0), failing]).data());
    assert_eq!(recommended(&report), Some("a"));
    assert_eq!(whys(&report), ["surpassed", "recommended", "too-many-failures", "not-measured"]);
    assert_eq!((of(&report, "a").place, of(&report, "b").place), (Some(1), None));
    assert_eq!(report.ranking[0].variant.as_str(), "b", "the log shows the highest figure first");
    let step = &report.steps[0];
    assert_eq!((step.decision, step.best.as_ref().map(|id| id.as_str())), (Decision::Adopted, Some("a")));
    for front in &report.pareto {
        assert!(front.points.iter().all(|point| point.variant.as_str() != "b"), "what failed is on no front");
    }
    let english = text::outcome(Lang::En, &report, of(&report, "b").why_not.as_ref()).plain();
    assert_eq!(english, "Disqualified: only 51.4% of the requests on chat succeeded; at least 99% must.");
}

#[test]
fn each_objective_has_its_own_winner() {
    let runs = [
        Block { ttft_p99_ms: 900.0, tpot_ms: 30.0, ..run("base", "chat", 10_000.0) },
        Block { ttft_p99_ms: 1900.0, tpot_ms: 40.0, ..run("a", "chat", 14_000.0) },
        Block {
            ttft_p99_ms: 300.0,
            tpot_ms: 35.0,
            more: "Request goodput (req/s): 6.00\n",
            ..run("b", "chat", 12_000.0)
        },
        Block {
            ttft_p99_ms: 950.0,
            tpot_ms: 10.0,
            more: "Request goodput (req/s): 9.00\n",
            ..run("c", "chat", 9_000.0)
        },
    ];
    let cases = [
        ("", "a"),
        ("objective = \"output_throughput\"", "a"),
        ("objective = \"ttft_p99_ms\"", "b"),
        ("objective = \"tpot_mean_ms\"", "c"),
        ("objective = \"tpot_p99_ms\"", "c"),
        ("objective = \"e2el_p99_ms\"", "c"),
        ("objective = \"goodput\"", "c"),
        ("objective = \"cost_per_million_tokens\"\nprice = { gpu_hour = 450, currency = \"JPY\" }", "a"),
        ("objective = { metric = \"total_token_throughput\", weights = { chat = 1 } }", "a"),
    ];
    for (head, expected) in cases {
        let report = build(&Made { head, ..Made::of(&runs) }.data());
        assert_eq!(recommended(&report), Some(expected), "{head}");
    }
}

#[test]
fn several_profiles_decide_by_the_weighted_geometric_mean_of_their_ratios() {
    let head = "objective = { metric = \"total_token_throughput\", weights = { chat = 3, batch = 1 } }";
    let runs = [
        run("base", "chat", 10_000.0),
        run("a", "chat", 12_000.0),
        run("b", "chat", 11_000.0),
        run("c", "chat", 20_000.0),
        run("base", "batch", 1_000.0),
        run("a", "batch", 500.0),
        run("b", "batch", 1_300.0),
    ];
    let made = Made { head, ..Made::of(&runs) };
    let report = build(&made.data());
    // a: 1.2^(3/4) · 0.5^(1/4) < 1; b: 1.1^(3/4) · 1.3^(1/4); c was not run under both.
    let expected = (0.75 * 1.1_f64.ln() + 0.25 * 1.3_f64.ln()).exp();
    assert!(of(&report, "b").value.is_some_and(|value| (value - expected).abs() < 1e-6), "{:?}", of(&report, "b"));
    assert_eq!(whys(&report), ["surpassed", "worse", "recommended", "not-measured"]);
    let batch: Vec<_> = of(&report, "a").parts.iter().map(|part| (part.profile.as_str(), part.weight)).collect();
    assert_eq!(batch, [("batch", 1.0), ("chat", 3.0)]);
    let english = text::conclusion(Lang::En, &report).headline.plain();
    assert!(english.starts_with("Total TPS rises by 14.69% over 2 weighted profiles"), "{english}");
    // Where the load sets the throughput under one profile, that ratio is 1 for everybody.
    let report = build(&Made { batch: "request_rate = 0.5", ..Made { head, ..Made::of(&runs) } }.data());
    let expected = (0.75 * 1.2_f64.ln()).exp();
    assert!(of(&report, "a").value.is_some_and(|value| (value - expected).abs() < 1e-6), "{:?}", of(&report, "a"));
    assert_eq!(recommended(&report), Some("a"));
}

#[test]
fn limits_have_four_states_and_two_of_them_keep_a_variant_out() {
    let runs = [
        run("base", "chat", 10_000.0),
        Block { ttft_p99_ms: 2400.0, ..run("a", "chat", 14_000.0) },
        Block { requests: 200, ..run("b", "chat", 13_000.0) },
    ];
    let made = Made { chat: "slo = { ttft_p99_ms = 2000, tpot_mean_ms = 25 }", ..Made::of(&runs) };
    let report = build(&made.data());
    let states = |variant: &str| of(&report, variant).slo.iter().map(|check| check.state).collect::<Vec<_>>();
    assert_eq!(states("base"), [SloState::Met, SloState::Met]);
    assert_eq!(states("a"), [SloState::NotMet, SloState::Met]);
    assert_eq!(states("b"), [SloState::WeaklyMeasured, SloState::Met]);
    assert_eq!(states("c"), [SloState::NotMeasured, SloState::NotMeasured]);
    // Weakly kept is kept, with a reservation.
    assert_eq!(whys(&report), ["surpassed", "misses-slo", "recommended", "slo-not-measured"]);
    let weak = |reservation: &Reservation| matches!(reservation, Reservation::SloWeaklyMeasured { .. });
    assert!(report.conclusion.reservations.iter().any(weak));
    let said = text::conclusion(Lang::En, &report);
    assert!(said.explanation.iter().any(|line| line.plain().contains("It misses an SLO of the study")), "{said:?}");
    assert!(said.wrong_choice.iter().any(|line| line.plain().contains("too few requests")), "{said:?}");
    let check = &of(&report, "b").slo[0];
    assert_eq!(text::slo_check(Lang::En, check), "1,000.00\u{a0}ms · weakly measured (200 values, P99 needs 299)");
    assert_eq!(text::slo_check(Lang::Ja, check), "1,000.00\u{a0}ms · 計測不足（値は200個、P99には299個必要）");
}

#[test]
fn a_baseline_that_misses_a_limit_holds_no_slower_variant_back() {
    let runs = [
        Block { ttft_p99_ms: 5000.0, ..run("base", "chat", 10_000.0) },
        Block { ttft_p99_ms: 4000.0, ..run("a", "chat", 12_000.0) },
        Block { ttft_p99_ms: 900.0, ..run("b", "chat", 8_000.0) },
    ];
    let report = build(&Made { chat: "slo = { ttft_p99_ms = 1000 }", ..Made::of(&runs) }.data());
    assert_eq!(recommended(&report), Some("b"));
    assert_eq!(whys(&report), ["misses-slo", "misses-slo", "recommended", "slo-not-measured"]);
    for (lang, part) in [
        (Lang::En, "The baseline misses an SLO. P99 TTFT on chat is 5,000.00"),
        (Lang::Ja, "基準設定はSLOを達成していません"),
    ] {
        let said = text::conclusion(lang, &report).explanation;
        assert!(said.iter().any(|line| line.plain().starts_with(part)), "{said:?}");
    }
    // Nothing keeps this one.
    let report = build(&Made { chat: "slo = { ttft_p99_ms = 10 }", ..Made::of(&runs) }.data());
    assert_eq!((report.conclusion.standing, recommended(&report)), (Standing::Nothing, None));
    assert!(matches!(&report.steps[0].reason, Reason::MissesSlo { .. }), "{:?}", report.steps[0].reason);
    assert_eq!(report.steps[0].decision, Decision::Rejected);
    let headline = text::conclusion(Lang::En, &report).headline.plain();
    assert_eq!(headline, "No variant can be recommended: none is known to keep every SLO.");
    // A limit on another profile counts too, and what was not run there is said apart from what misses it.
    let mut with_batch = runs.to_vec();
    with_batch.push(run("base", "batch", 900.0));
    let report = build(&Made { batch: "slo = { ttft_p99_ms = 1000 }", ..Made::of(&with_batch) }.data());
    assert_eq!(whys(&report), ["recommended", "slo-not-measured", "slo-not-measured", "slo-not-measured"]);
    assert_eq!(report.conclusion.standing, Standing::KeepBaseline);
}

#[test]
fn a_tpot_by_another_definition_keeps_no_limit() {
    let mut data = Made { chat: "slo = { tpot_p99_ms = 40 }", ..Made::of(&[run("base", "chat", 10_000.0)]) }.data();
    let report = build(&data);
    assert_eq!(of(&report, "base").slo[0].state, SloState::Met);
    data.runs[0].measurement.tpot_definition = touchstone_domain::run::TpotDefinition::IncludesFirstToken;
    let check = &of(&build(&data), "base").slo[0].clone();
    assert_eq!((check.state, check.value, check.other_definition), (SloState::NotMeasured, None, true));
    assert!(
        text::slo_check(Lang::En, check).ends_with("not measured (the tool's TPOT is not the decode time per token)")
    );
}

#[test]
fn a_tpot_by_another_definition_than_the_baselines_has_no_place() {
    let runs = [run("base", "chat", 10_000.0), Block { tpot_ms: 5.0, ..run("a", "chat", 10_000.0) }];
    let mut data = Made { head: "objective = \"tpot_p99_ms\"", ..Made::of(&runs) }.data();
    assert_eq!(recommended(&build(&data)), Some("a"));
    data.runs[1].measurement.tpot_definition = touchstone_domain::run::TpotDefinition::IncludesFirstToken;
    let report = build(&data);
    assert_eq!((recommended(&report), why(&report, "a")), (Some("base"), "other-definition".to_owned()));
    // The mean follows from the latencies, whatever the tool prints.
    data.study.objective = "tpot_mean_ms".parse::<Goal>().expect("a metric").into();
    assert_eq!(recommended(&build(&data)), Some("a"));
}

#[test]
fn money_follows_from_price_gpus_and_tokens_and_is_absent_without_any_of_them() {
    let runs = [run("base", "chat", 10_000.0), run("a", "chat", 12_500.0)];
    let data = |head| Made { head, ..Made::of(&runs) }.data();
    let jpy = build(&data("price = { gpu_hour = 450, currency = \"JPY\" }"));
    let a = of(&jpy, "a");
    assert_eq!((a.cost_per_million_tokens, a.cost_per_million_output_tokens), (Some(10.0), Some(20.0)));
    let usd = build(&data("price = { gpu_hour = 2.25, currency = \"USD\" }"));
    assert_eq!(of(&usd, "base").cost_per_million_tokens, Some(0.0625));
    let shown = |report: &Report, lang, value| {
        text::goal_value(lang, report, "cost_per_million_tokens".parse().unwrap(), value)
    };
    assert_eq!([shown(&jpy, Lang::En, 10.0), shown(&jpy, Lang::Ja, 10.0)], ["¥10.00", "10.00円"]);
    assert_eq!([shown(&usd, Lang::En, 0.0625), shown(&usd, Lang::Ja, 0.0625)], ["$0.0625", "0.0625ドル"]);
    assert_eq!(of(&build(&data("")), "a").cost_per_million_tokens, None);
    let mut unknown = data("price = { gpu_hour = 450, currency = \"JPY\" }");
    unknown.study.hardware.count = None;
    assert_eq!(of(&build(&unknown), "a").cost_per_million_tokens, None, "GPUs that nobody counted are not one GPU");
    // A faster variant on twice the GPUs is dearer.
    let mut twice = data("objective = \"cost_per_million_tokens\"\nprice = { gpu_hour = 450, currency = \"JPY\" }");
    assert_eq!(recommended(&build(&twice)), Some("a"));
    twice.study.variants[1].gpus = Some(2);
    let report = build(&twice);
    assert_eq!((recommended(&report), why(&report, "a")), (Some("base"), "worse".to_owned()));
    assert_eq!(of(&report, "a").change.map(|change| change.verdict), Some(Verdict::Worse));
}

#[test]
fn of_equals_the_one_with_fewest_arguments_wins_and_the_others_say_so() {
    let runs = [
        run("base", "chat", 10_000.0),
        run("a", "chat", 11_980.0),
        run("b", "chat", 12_000.0),
        run("c", "chat", 12_010.0),
    ];
    let report = build(&Made::of(&runs).data());
    assert_eq!(whys(&report), ["surpassed", "recommended", "fewer-arguments", "fewer-arguments"]);
    let arguments: Vec<_> = ["base", "a", "b", "c"].map(|variant| of(&report, variant).arguments).to_vec();
    assert_eq!(arguments, [0, 1, 2, 3]);
    // Outside the threshold fewer arguments do not help.
    let report = build(&Made { head: "relevance_pct = 0.1", ..Made::of(&runs) }.data());
    assert_eq!(recommended(&report), Some("b"));
}

#[test]
fn energy_is_tokens_per_second_over_watts_where_power_was_measured() {
    let mut data = Made {
        head: "objective = \"tokens_per_joule\"",
        ..Made::of(&[run("base", "chat", 10_000.0), run("a", "chat", 12_000.0)])
    }
    .data();
    assert_eq!(recommended(&build(&data)), None, "no power, no figure, no recommendation");
    for (run, watts) in data.runs.iter_mut().zip([500.0, 800.0]) {
        run.measurement.metrics.gpu_power = touchstone_domain::units::Watts::new(watts);
    }
    let report = build(&data);
    assert_eq!((of(&report, "base").tokens_per_joule, of(&report, "a").tokens_per_joule), (Some(20.0), Some(15.0)));
    assert_eq!((recommended(&report), report.conclusion.standing), (Some("base"), Standing::KeepBaseline));
    assert!(markdown(&report, Lang::En).contains("| Tokens per joule (tok/J) | recomputed | 20.00 |\n"));
}

#[test]
fn the_report_says_for_which_traffic_the_command_is_wrong() {
    let failing = Block { requests: 600, failed: 400, ..run("a", "batch", 900.0) };
    let chat = [run("base", "chat", 10_000.0), run("a", "chat", 13_000.0), run("b", "chat", 12_000.0)];
    let batch = |more: &[Block]| build(&Made::of(&[&chat[..], more].concat()).data());
    let wrong = |report: &Report| {
        let all = text::conclusion(Lang::En, report).wrong_choice;
        all.iter().map(|line| line.plain()).collect::<Vec<_>>()
    };
    let better = batch(&[run("base", "batch", 1_000.0), run("a", "batch", 1_050.0), run("b", "batch", 1_500.0)]);
    assert_eq!(recommended(&better), Some("a"));
    assert!(
        wrong(&better).contains(&"Traffic like batch: b is better there (total TPS 42.86% higher).".to_owned()),
        "{:?}",
        wrong(&better)
    );
    let best = better.best_per_profile.iter().find(|best| best.profile.as_str() == "batch").unwrap();
    assert_eq!(best.variant.as_ref().map(|id| id.as_str()), Some("b"));
    let unknown = batch(&[run("base", "batch", 1_000.0), run("b", "batch", 1_500.0)]);
    assert!(wrong(&unknown).contains(&"Traffic like batch: it was not measured there.".to_owned()));
    let fails = batch(&[run("base", "batch", 1_000.0), failing]);
    assert!(wrong(&fails).contains(&"Traffic like batch: too many requests fail.".to_owned()), "{:?}", wrong(&fails));
    let slower = batch(&[run("base", "batch", 1_000.0), run("a", "batch", 800.0)]);
    assert!(wrong(&slower).contains(&"Traffic like batch: throughput falls.".to_owned()));
}

#[test]
fn a_readers_limits_rank_as_the_studys_own_would_and_are_marked() {
    let runs = [
        run("base", "chat", 10_000.0),
        Block { ttft_p99_ms: 2400.0, ..run("a", "chat", 14_000.0) },
        run("b", "chat", 12_000.0),
    ];
    let data = Made { chat: "slo = { ttft_p99_ms = 3000 }", ..Made::of(&runs) }.data();
    assert_eq!(recommended(&build(&data)), Some("a"));
    let fields = |all: &[(&str, &str)]| {
        all.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect::<Vec<_>>()
    };
    let name = Limits::field(&"chat".into(), "ttft_p99_ms".parse().unwrap());
    assert_eq!(name, "slo:chat:ttft_p99_ms");
    // Fields, what is recommended, whether the view is marked, and what is refused.
    type Case<'a> = (&'a [(&'a str, &'a str)], Option<(&'a str, bool)>, &'a [&'a str]);
    let cases: [Case<'_>; 9] = [
        (&[], None, &[]),
        (&[("q", "x")], None, &[]),
        (&[("slo", "1")], Some(("a", true)), &[]),
        (&[("slo:chat:ttft_p99_ms", "3000")], Some(("a", false)), &[]),
        (&[("slo:chat:ttft_p99_ms", " 2,000 ")], Some(("b", true)), &[]),
        (&[("slo:chat:ttft_p99_ms", "")], Some(("a", true)), &[]),
        (
            &[("slo:chat:ttft_p99_ms", "2000"), ("slo:chat:e2el_p99_ms", "-3")],
            Some(("b", true)),
            &["slo:chat:e2el_p99_ms"],
        ),
        (
            &[("slo:nobody:ttft_p99_ms", "1"), ("slo:chat:speed", "1")],
            Some(("a", true)),
            &["slo:nobody:ttft_p99_ms", "slo:chat:speed"],
        ),
        (
            &[("slo:chat:ttft_p99_ms", "inf"), ("slo:chat", "5")],
            Some(("a", true)),
            &["slo:chat:ttft_p99_ms", "slo:chat"],
        ),
    ];
    for (sent, expected, refused) in cases {
        let asked = Limits::read(&data.study, &fields(sent));
        let names: Vec<_> =
            asked.iter().flat_map(|asked| &asked.refused).map(|refused| refused.field.as_str()).collect();
        assert_eq!(names, refused, "{sent:?}");
        let report = asked.map(|asked| build_under(&data, asked.limits));
        let found = report.as_ref().map(|report| (recommended(report).unwrap(), report.limits_of_reader));
        assert_eq!(found, expected, "{sent:?}");
    }
    let asked = Limits::read(&data.study, &fields(&[("slo:chat:ttft_p99_ms", "2000")])).unwrap();
    let theirs = Made { chat: "slo = { ttft_p99_ms = 2000 }", ..Made::of(&runs) }.data();
    assert_eq!(Report { limits_of_reader: false, ..build_under(&data, asked.limits) }, build(&theirs));
}

#[test]
fn mistakes_in_objective_price_and_limits_are_named() {
    let cases = [
        ("objective = \"speed\"", "\"speed\" is no metric; known are"),
        (
            "objective = { metric = \"goodput\", weights = { chats = 1 } }",
            "objective weighs profile \"chats\", which is not described",
        ),
        (
            "objective = { metric = \"goodput\", weights = { chat = 0 } }",
            "the weight of profile \"chat\" must be a number above 0",
        ),
        ("objective = { metric = \"goodput\", wieghts = {} }", "unknown field `wieghts`"),
        ("objective = \"cost_per_million_tokens\"", "needs price = { gpu_hour"),
        ("price = { gpu_hour = 0, currency = \"JPY\" }", "price.gpu_hour must be a number above 0"),
        ("price = { gpu_hour = 1, currency = \"EUR\" }", "unknown variant `EUR`"),
        ("price = { gpu_hour = 1 }", "missing field `currency`"),
    ];
    for (head, expected) in cases {
        let error = parse_manifest(&Made { head, ..Made::of(&[]) }.manifest()).expect_err(head);
        assert!(error.message.contains(expected) && error.line == 6, "{head}: {error}");
    }
}

/// The same question asked elsewhere.
fn elsewhere(runs: &[Block]) -> StudyData {
    let mut data = Made::of(runs).data();
    data.study.slug = touchstone_domain::id::StudySlug::new("elsewhere");
    data.study.title = touchstone_domain::study::Localized::same("Elsewhere");
    data
}

#[test]
fn two_studies_of_a_question_are_set_side_by_side() {
    let ours =
        Made::of(&[run("base", "chat", 10_000.0), run("a", "chat", 12_000.0), run("b", "chat", 13_000.0)]).data();
    let report = build(&ours);
    let agreeing = elsewhere(&[run("base", "chat", 9_000.0), run("b", "chat", 11_000.0)]);
    let [rival] = &beside(&ours, &report, &[agreeing])[..] else { panic!("one study asks the same") };
    assert!(rival.agrees && rival.differences.is_empty(), "{rival:?}");
    assert_eq!(text::rival(Lang::En, &report, rival).plain(), "“Elsewhere” recommends the same command (b).");
    assert_eq!(rival.profiles.len(), 2, "profiles of one workload, run or not");

    let mut other = elsewhere(&[run("base", "chat", 10_000.0), run("a", "chat", 14_000.0), run("b", "chat", 9_000.0)]);
    other.study.hardware.count = Some(8);
    other.study.variants[1].engine_version = None;
    other.study.variants[1].env.insert("VLLM_USE_V1".to_owned(), "1".to_owned());
    let [rival] = &beside(&ours, &report, &[other.clone()])[..] else { panic!("one study asks the same") };
    assert!(!rival.agrees);
    let said: Vec<_> = rival.differences.iter().map(|of| text::difference(Lang::En, &report, of).plain()).collect();
    assert_eq!(
        said,
        [
            "--y: set here, not set there.",
            "VLLM_USE_V1: not set here, 1 there.",
            "Engine version: 0.17.1 here, not recorded there.",
            "Hardware: H100 × 1 here, H100 × 8 there.",
        ]
    );
    let said = text::difference(Lang::Ja, &report, &rival.differences[0]).plain();
    assert_eq!(said, "--y：この検証は指定あり、別の検証は指定なしです。");
    // Gains that point in opposite directions are named.
    let same = |data: &StudyData| same_question(&ours.study, &data.study);
    assert!(same(&other) && !same(&ours));
    type Change = fn(&mut StudyData);
    let changes: [Change; 3] = [
        |data| data.study.model.id = "Qwen/Qwen3-8B".to_owned(),
        |data| data.study.variants.iter_mut().for_each(|variant| variant.engine = "SGLang".to_owned()),
        |data| data.study.profiles.iter_mut().for_each(|profile| profile.max_concurrency = Some(7)),
    ];
    for change in changes {
        let mut another = other.clone();
        change(&mut another);
        assert!(!same(&another) && beside(&ours, &report, &[another]).is_empty());
    }
    let failing = elsewhere(&[Block { requests: 1, failed: 999, ..run("a", "chat", 1.0) }]);
    let rivals = beside(&ours, &report, &[failing]);
    assert_eq!(rivals[0].differences[0], Difference::Advice { ours: true, theirs: false });
}

fn figures(text: &str) -> Vec<String> {
    let cut = text.split(|c: char| !c.is_ascii_digit() && c != '.' && c != ',');
    let mut found: Vec<String> =
        cut.map(|number| number.trim_matches(['.', ',']).to_owned()).filter(|n| n.contains('.')).collect();
    found.sort();
    found
}

#[test]
fn the_ranking_reads_as_follows() {
    let head = "price = { gpu_hour = 450, currency = \"JPY\" }";
    let runs = [
        Block { tpot_ms: 30.0, ..run("base", "chat", 10_000.0) },
        Block { ttft_p99_ms: 2400.0, ..run("a", "chat", 14_000.0) },
        Block { requests: 298, tpot_ms: 25.0, ..run("b", "chat", 13_000.0) },
        Block { requests: 514, failed: 486, ..run("c", "chat", 15_060.0) },
        run("base", "batch", 1_000.0),
        run("a", "batch", 1_400.0),
        run("b", "batch", 1_100.0),
    ];
    let weighted = "objective = { metric = \"total_token_throughput\", weights = { chat = 3, batch = 1 } }";
    let chat = "name = { ja = \"対話\", en = \"Chat\" }\nslo = { ttft_p99_ms = 2000, tpot_p99_ms = 42.5 }";
    for (name, made) in
        [("limits", Made { head, chat, ..Made::of(&runs) }), ("weighted", Made { head: weighted, ..Made::of(&runs) })]
    {
        let data = made.data();
        let mut report = build(&data);
        let other = elsewhere(&[run("base", "chat", 10_000.0), run("a", "chat", 12_000.0), run("b", "chat", 9_000.0)]);
        report.rivals = beside(&data, &report, &[other]);
        let [ja, en] = Lang::ALL.map(|lang| markdown(&report, lang));
        assert_eq!(figures(&ja), figures(&en), "{name}");
        for (lang, text) in [("ja", ja), ("en", en)] {
            let end = if lang == "ja" { "\n## メモ" } else { "\n## Notes" };
            let first = text.split_once(end).expect("notes follow the ranking").0;
            insta::assert_snapshot!(format!("{name}-{lang}"), first);
        }
    }
}

proptest! {
    #[test]
    fn what_is_recommended_keeps_every_limit_and_looser_limits_rule_nobody_out(
        tps in proptest::collection::vec(1_000.0..20_000.0f64, 4),
        ttft in proptest::collection::vec(100.0..5_000.0f64, 4),
        requests in proptest::collection::vec(prop_oneof![Just(50u64), Just(1000u64)], 4),
        limit in 100.0..5_000.0f64,
        looser in 1.0..3.0f64,
    ) {
        let runs: Vec<Block> = ["base", "a", "b", "c"].into_iter().enumerate().map(|(at, variant)| Block {
            ttft_p99_ms: ttft[at], requests: requests[at], ..run(variant, "chat", tps[at])
        }).collect();
        let data = Made::of(&runs).data();
        let under = |limit: f64| {
            let fields = [("slo:chat:ttft_p99_ms".to_owned(), limit.to_string())];
            build_under(&data, Limits::read(&data.study, &fields).expect("a limit was sent").limits)
        };
        let (tight, loose) = (under(limit), under(limit * looser));
        if let Some(advised) = tight.advised() {
            prop_assert!(advised.slo.iter().all(|check| matches!(check.state, SloState::Met | SloState::WeaklyMeasured)));
            prop_assert!(loose.advised().is_some());
        }
        let out = |report: &Report, id: &str| of(report, id).why_not.as_ref().is_some_and(WhyNot::rules_out);
        for variant in ["base", "a", "b", "c"] {
            prop_assert!(!out(&loose, variant) || out(&tight, variant));
        }
        // Places are 1, 2, 3 … in the order of the figures.
        let places: Vec<_> = tight.ranking.iter().filter_map(|ranked| ranked.place).collect();
        prop_assert_eq!(&places, &(1..=places.len()).collect::<Vec<_>>());
    }
}
