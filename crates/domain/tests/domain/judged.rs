//! What may be compared with what, what a conclusion rests on, and that every row, reason and front keeps to it.

use crate::languages::assert_report;
use crate::made::{Block, Made, run};
use touchstone_domain::advise::{Decision, Elsewhere, Reason};
use touchstone_domain::change::Verdict;
use touchstone_domain::report::markdown::markdown;
use touchstone_domain::report::{OptionRow, Report, Reservation, Standing, StepReport, build};
use touchstone_domain::study::{Localized, Step, StudyData};
use touchstone_domain::text::{self, Lang};
use touchstone_domain::units::TokPerSec;

/// A study of these runs, and what is done to it before it is judged.
struct Case<'a> {
    name: &'a str,
    head: &'static str,
    chat: &'static str,
    batch: &'static str,
    runs: &'a [Block],
    then: fn(&mut StudyData),
}

const PLAIN: Case<'static> = Case { name: "", head: "", chat: "", batch: "", runs: &[], then: |_| {} };

impl Case<'_> {
    fn report(&self) -> Report {
        let made = Made { head: self.head, chat: self.chat, batch: self.batch, runs: self.runs.to_vec() };
        let mut data = made.data();
        (self.then)(&mut data);
        let report = build(&data);
        assert_report(&report);
        report
    }
}

fn fails(block: Block) -> Block {
    Block { requests: 514, failed: 486, ..block }
}

/// Sets the study's steps: id, profile, variants.
fn steps(data: &mut StudyData, all: &[(&str, &str, &[&str])]) {
    let step = |(id, profile, variants): &(&str, &str, &[&str])| Step {
        id: (*id).into(),
        name: Localized::same(id),
        profile: (*profile).into(),
        variants: variants.iter().map(|id| (*id).into()).collect(),
    };
    data.study.steps = all.iter().map(step).collect();
}

/// Gives a variant two GPUs.
fn twice(data: &mut StudyData, variant: &str) {
    let variant = data.study.variants.iter_mut().find(|known| known.id.as_str() == variant);
    variant.expect("the variant is described").gpus = Some(2);
}

/// Makes a variant's prompts on a profile three times as long, and its runs as much longer.
fn longer_prompts(data: &mut StudyData, variant: &str, profile: &str) {
    for run in &mut data.runs {
        if run.variant.as_str() == variant && run.profile.as_str() == profile {
            let input = &mut run.measurement.metrics.total_input_tokens;
            *input = input.map(|tokens| tokens * 3);
        }
    }
}

/// Every run in a server start of its own.
fn each_in_a_start(data: &mut StudyData) {
    for (at, run) in data.runs.iter_mut().enumerate() {
        run.start = Some(format!("s{at}"));
    }
}

fn recommended(report: &Report) -> Option<&str> {
    report.conclusion.recommended.as_ref().map(|id| id.as_str())
}

fn why(report: &Report, variant: &str) -> String {
    let ranked = report.ranked(&variant.into()).unwrap_or_else(|| panic!("{variant} is not ranked"));
    let json = serde_json::to_value(&ranked.why_not).expect("a reason can be written");
    json["id"].as_str().unwrap_or("recommended").to_owned()
}

fn step<'a>(report: &'a Report, id: &str) -> &'a StepReport {
    report.steps.iter().find(|step| step.id.as_str() == id).expect("the step is described")
}

fn option<'a>(report: &'a Report, id: &str) -> &'a OptionRow {
    report.options.iter().find(|row| row.step.as_str() == id).expect("the step has a row")
}

fn reason(lang: Lang, report: &Report, id: &str) -> String {
    text::reason(lang, report, &step(report, id).reason).plain()
}

fn has(report: &Report, id: &str) -> bool {
    let id_of = |reservation| serde_json::to_value(reservation).expect("a reservation can be written")["id"].clone();
    report.conclusion.reservations.iter().any(|reservation| id_of(reservation) == id)
}

#[test]
fn an_option_row_shows_the_variant_that_its_decision_is_about() {
    let base = run("base", "chat", 11_000.0);
    let failing = fails(run("a", "chat", 15_060.0));
    let missing = Block { ttft_p99_ms: 1500.0, ..run("a", "chat", 12_000.0) };
    let slow = Block { ttft_p99_ms: 1000.0, ..run("b", "chat", 11_600.0) };
    let slo = "slo = { ttft_p99_ms = 1000 }";
    let cases = [
        (
            Case { name: "a failing one is faster", runs: &[base, failing, slow], ..PLAIN },
            ("b", Decision::Adopted, 11_600.0, Verdict::Better),
        ),
        (
            Case { name: "one that misses a limit is faster", chat: slo, runs: &[base, missing, slow], ..PLAIN },
            ("b", Decision::Adopted, 11_600.0, Verdict::Better),
        ),
        (
            Case { name: "all others fail", runs: &[base, failing], ..PLAIN },
            ("base", Decision::Baseline, 11_000.0, Verdict::Neutral),
        ),
        (
            Case { name: "the baseline fails", runs: &[fails(base), slow], ..PLAIN },
            ("b", Decision::Adopted, 11_600.0, Verdict::NotComparable),
        ),
        (
            Case {
                name: "nothing may win",
                runs: &[base, failing],
                then: |data| steps(data, &[("one", "chat", &["a"])]),
                ..PLAIN
            },
            ("a", Decision::Rejected, 15_060.0, Verdict::NotComparable),
        ),
        (
            Case {
                name: "of equals the recommended one is not the fastest",
                runs: &[base, run("a", "chat", 11_950.0), run("b", "chat", 12_000.0)],
                ..PLAIN
            },
            ("a", Decision::Adopted, 11_950.0, Verdict::Better),
        ),
    ];
    for (case, (variant, decision, tps, verdict)) in cases {
        let report = case.report();
        let row = option(&report, "one");
        let change = row.change.expect("both sides were measured");
        let found = (row.variant.as_ref().map(|id| id.as_str()), row.decision, change.verdict);
        assert_eq!(found, (Some(variant), decision, verdict), "{}", case.name);
        assert!(row.total_token_throughput.is_some_and(|value| (value - tps).abs() < 1e-3), "{}", case.name);
        assert_eq!(row.decision, step(&report, "one").decision, "{}", case.name);
        // The reason quotes the row's own change, or none.
        for lang in Lang::ALL {
            let said = reason(lang, &report, "one");
            let quoted = said.contains(&text::number::signed_pct(change.pct().unwrap(), 2));
            assert_eq!(quoted, decision == Decision::Adopted && verdict == Verdict::Better, "{}: {said}", case.name);
        }
    }
}

#[test]
fn a_step_is_adopted_where_it_has_the_recommended_variant() {
    let report = Case {
        runs: &[run("base", "chat", 10_000.0), run("a", "chat", 11_950.0), run("b", "chat", 12_000.0)],
        ..PLAIN
    }
    .report();
    let step = step(&report, "one");
    assert_eq!((recommended(&report), step.decision), (Some("a"), Decision::Adopted));
    assert_eq!(step.best.as_ref().map(|id| id.as_str()), Some("b"), "the best figure stays the best figure");
    assert!(matches!(step.reason, Reason::Recommended { change: Some(change) } if change.verdict == Verdict::Better));
}

#[test]
fn the_reason_against_a_gain_is_the_rankings_and_names_where_it_counts() {
    let chat = |variant, tps| run(variant, "chat", tps);
    let batch = |variant, tps| run(variant, "batch", tps);
    let weighted = "objective = { metric = \"total_token_throughput\", weights = { chat = 3, batch = 1 } }";
    let on_chat: fn(&mut StudyData) = |data| steps(data, &[("one", "chat", &["b"])]);
    let on_batch: fn(&mut StudyData) = |data| steps(data, &[("one", "batch", &["b"])]);
    let common = [chat("base", 10_000.0), chat("a", 12_000.0), batch("base", 1_000.0), batch("a", 800.0)];
    let with = |more: &[Block]| [&common[..], more].concat();
    let cases = [
        (
            Case {
                name: "weighted, not run everywhere",
                head: weighted,
                runs: &with(&[chat("b", 14_000.0)]),
                then: on_chat,
                ..PLAIN
            },
            Decision::NotComparable,
            "The figure that decides was not measured on batch.",
            "判定に使う「batch」の値が未計測です。",
        ),
        (
            Case {
                name: "weighted, less over all",
                head: weighted,
                runs: &with(&[chat("b", 11_000.0), batch("b", 900.0)]),
                then: on_chat,
                ..PLAIN
            },
            Decision::Rejected,
            "A gain of +10.00%, but a gains more over the 2 weighted profiles.",
            "+10.00%の改善ですが、2つのプロファイルの加重平均ではaのほうが上回ります。",
        ),
        (
            Case {
                name: "worse on the primary profile",
                runs: &with(&[chat("b", 9_000.0), batch("b", 1_500.0)]),
                then: on_batch,
                ..PLAIN
            },
            Decision::Rejected,
            "A gain of +50.00%, but −10.00% on chat, where it counts.",
            "+50.00%の改善ですが、判定に使う「chat」では悪化します（−10.00%）。",
        ),
        (
            Case {
                name: "less on the primary profile",
                runs: &with(&[chat("b", 11_000.0), batch("b", 1_500.0)]),
                then: on_batch,
                ..PLAIN
            },
            Decision::Rejected,
            "A gain of +50.00%, but a gains more on chat.",
            "+50.00%の改善ですが、「chat」ではaのほうが上回ります。",
        ),
        (
            Case {
                name: "as good on the primary profile",
                runs: &with(&[chat("b", 12_010.0), batch("b", 1_500.0)]),
                then: on_batch,
                ..PLAIN
            },
            Decision::NoRelevantGain,
            "A gain of +50.00%, but a is as good on chat with fewer arguments.",
            "+50.00%の改善ですが、「chat」ではaが少ない引数で同等の結果です。",
        ),
        (
            Case {
                name: "not comparable on the primary profile",
                runs: &with(&[chat("b", 12_010.0), batch("b", 1_500.0)]),
                then: |data| {
                    steps(data, &[("one", "batch", &["b"])]);
                    longer_prompts(data, "b", "chat");
                },
                ..PLAIN
            },
            Decision::NotComparable,
            "A gain of +50.00%, but not by what decides. Prompts of another length than the baseline's: nothing can be \
             compared.",
            "+50.00%の改善ですが、判定に使う値の改善とはいえません。基準設定とプロンプトの長さが異なるため、どの値も比較できません。",
        ),
        (
            Case { name: "on the primary profile", runs: &with(&[chat("b", 11_000.0)]), then: on_chat, ..PLAIN },
            Decision::Rejected,
            "A gain of +10.00%, but a gains more.",
            "+10.00%の改善ですが、aのほうが上回ります。",
        ),
    ];
    for (case, decision, en, ja) in cases {
        let report = case.report();
        assert_eq!(recommended(&report), Some("a"), "{}", case.name);
        assert_eq!(step(&report, "one").decision, decision, "{}", case.name);
        let said = Lang::ALL.map(|lang| reason(lang, &report, "one"));
        assert!(said.contains(&en.to_owned()) && said.contains(&ja.to_owned()), "{}: {said:?}", case.name);
    }
}

#[test]
fn the_standing_is_that_of_the_objective() {
    let three = |variant: &'static str, tps: f64, ttft: f64, spread: f64| {
        let at = |n: f64| Block { ttft_p99_ms: ttft + spread * n, ..run(variant, "chat", tps + n) };
        [at(-1.0), at(0.0), at(1.0)]
    };
    let both = |base: [Block; 3], a: [Block; 3]| [base, a].concat();
    let on_batch = |block: Block| Block { profile: "batch", ..block };
    let ttft = "objective = \"ttft_p99_ms\"";
    let weighted = "objective = { metric = \"ttft_p99_ms\", weights = { chat = 3, batch = 1 } }";
    let noisy = both(three("base", 10_000.0, 1000.0, 200.0), three("a", 10_000.0, 960.0, 200.0));
    let firm = both(three("base", 10_000.0, 1000.0, 2.0), three("a", 10_000.0, 800.0, 2.0));
    let dear = both(three("base", 10_000.0, 1000.0, 2.0), three("a", 9_000.0, 800.0, 2.0));
    let everywhere = |blocks: &[Block]| [blocks.to_vec(), blocks.iter().copied().map(on_batch).collect()].concat();
    let worse = both(three("base", 10_000.0, 1000.0, 2.0), three("a", 10_000.0, 1100.0, 2.0));
    let mixed: Vec<Block> = firm.iter().copied().chain(worse.iter().copied().map(on_batch)).collect();
    let cases: [(Case<'_>, Standing, &[&str]); 7] = [
        (
            Case { name: "TTFT within noise, TPS firm", head: ttft, runs: &noisy, ..PLAIN },
            Standing::WithReservations,
            &["within-noise"],
        ),
        (Case { name: "TTFT firm", head: ttft, runs: &firm, ..PLAIN }, Standing::Recommended, &[]),
        (
            Case { name: "TTFT firm at a load", head: ttft, chat: "request_rate = 9", runs: &firm, ..PLAIN },
            Standing::Recommended,
            &[],
        ),
        (
            Case { name: "TTFT bought with TPS", head: ttft, runs: &dear, ..PLAIN },
            Standing::WithReservations,
            &["loses"],
        ),
        (
            Case { name: "weighted within noise", head: weighted, runs: &everywhere(&noisy), ..PLAIN },
            Standing::WithReservations,
            &["within-noise-overall", "within-noise"],
        ),
        (Case { name: "weighted firm", head: weighted, runs: &everywhere(&firm), ..PLAIN }, Standing::Recommended, &[]),
        (
            Case { name: "weighted, worse on one", head: weighted, runs: &mixed, ..PLAIN },
            Standing::WithReservations,
            &["objective-worse"],
        ),
    ];
    for (case, standing, reservations) in cases {
        let report = Case { then: each_in_a_start, ..case }.report();
        assert_eq!((recommended(&report), report.conclusion.standing), (Some("a"), standing), "{}", case.name);
        for id in reservations {
            assert!(has(&report, id), "{}: {id} in {:?}", case.name, report.conclusion.reservations);
        }
        if standing == Standing::Recommended {
            assert_eq!(report.conclusion.reservations, [], "{}", case.name);
        }
        if reservations.contains(&"objective-worse") {
            let said = Lang::ALL.map(|lang| text::conclusion(lang, &report).wrong_choice[0].plain());
            assert!(said.contains(&"Traffic like batch: P99 TTFT gets worse.".to_owned()), "{said:?}");
            assert!(said.contains(&"「batch」のような負荷では、P99 TTFTが悪化します。".to_owned()), "{said:?}");
        }
    }
}

#[test]
fn a_finding_that_doubts_a_figure_that_decides_is_a_reservation() {
    // 14 billion weights of 16 bits: an H100 makes 35,000 tok/s at most, and reads 500 tokens in 14 ms.
    let base = run("base", "chat", 10_000.0);
    let beyond = run("a", "chat", 60_000.0);
    let warm = Block { ttft_p99_ms: 10.0, ..run("a", "chat", 12_000.0) };
    let cases: [(Case<'_>, &[&str]); 4] = [
        (Case { name: "more than the GPU can", runs: &[base, beyond], ..PLAIN }, &["beyond-hardware"]),
        (Case { name: "sooner than the GPU can", runs: &[base, warm], ..PLAIN }, &["warm-cache"]),
        (Case { name: "sound", runs: &[base, run("a", "chat", 12_000.0)], ..PLAIN }, &[]),
        (
            Case {
                name: "elsewhere",
                runs: &[base, run("a", "chat", 12_000.0), Block { profile: "batch", ..warm }],
                ..PLAIN
            },
            &[],
        ),
    ];
    for (case, expected) in cases {
        let report = case.report();
        assert_eq!(recommended(&report), Some("a"), "{}", case.name);
        let doubts: Vec<&str> = report
            .conclusion
            .reservations
            .iter()
            .filter_map(|reservation| match reservation {
                Reservation::Doubted { variant, finding, .. } if variant.as_str() == "a" => Some(*finding),
                _ => None,
            })
            .collect();
        let known = report.findings.iter().filter(|finding| expected.contains(&finding.evidence.id()));
        assert_eq!(known.count() >= expected.len(), true, "{}", case.name);
        assert_eq!(doubts, expected, "{}", case.name);
        for (lang, words) in
            [(Lang::En, "The figures of a on chat are in doubt."), (Lang::Ja, "「chat」でのaの値は疑わしい")]
        {
            let said = text::conclusion(lang, &report).explanation;
            let told = said.iter().filter(|line| line.plain().starts_with(words)).count();
            assert_eq!(told, usize::from(!expected.is_empty()), "{}: {said:?}", case.name);
        }
        if !expected.is_empty() {
            assert_eq!(report.conclusion.standing, Standing::WithReservations, "{}", case.name);
        }
    }
}

#[test]
fn prompts_of_other_lengths_set_every_figure_apart() {
    let chat = [run("base", "chat", 10_000.0), run("a", "chat", 12_000.0)];
    for head in ["", "objective = \"ttft_p99_ms\"", "objective = \"goodput\""] {
        let quick = Block { ttft_p99_ms: 300.0, ..chat[1] };
        let case = Case {
            head,
            chat: "slo = { ttft_p99_ms = 5000 }",
            runs: &[chat[0], quick],
            then: |data| longer_prompts(data, "a", "chat"),
            ..PLAIN
        };
        let report = case.report();
        assert_eq!((recommended(&report), why(&report, "a").as_str()), (Some("base"), "workload-differs"), "{head}");
        let change = report.ranked(&"a".into()).and_then(|ranked| ranked.change);
        assert_eq!(change.map(|change| change.verdict), Some(Verdict::NotComparable), "{head}");
    }
    // On another profile: nothing of its row compares, and no tail is called worse.
    let batch = [run("base", "batch", 1_000.0), Block { ttft_p99_ms: 9000.0, ..run("a", "batch", 2_000.0) }];
    let then: fn(&mut StudyData) = |data| longer_prompts(data, "a", "batch");
    let report = Case { runs: &[&chat[..], &batch].concat(), then, ..PLAIN }.report();
    assert_eq!(recommended(&report), Some("a"));
    let row = report.conclusion.rows.iter().find(|row| !row.primary).expect("both ran on batch");
    assert!(row.metrics.iter().all(|metric| metric.change.verdict == Verdict::NotComparable), "{:?}", row.metrics);
    assert_eq!(row.tpot_change.verdict, Verdict::NotComparable);
    assert!(row.findings.iter().all(|finding| finding.evidence.id() != "tail-regression"));
    assert!(has(&report, "workload-differs"), "{:?}", report.conclusion.reservations);
    for (lang, words) in [(Lang::En, "different lengths"), (Lang::Ja, "プロンプトの長さが異なる")] {
        assert!(text::row_note(lang, &report, row).is_some_and(|note| note.plain().contains(words)));
        let wrong = text::conclusion(lang, &report).wrong_choice;
        assert!(wrong.iter().any(|line| line.plain().contains(words)), "{wrong:?}");
    }
    // Some percent are the engine's special tokens.
    let few: fn(&mut StudyData) = |data| {
        let input = &mut data.runs[1].measurement.metrics.total_input_tokens;
        *input = input.map(|tokens| tokens * 108 / 100);
    };
    assert_eq!(recommended(&Case { runs: &chat, then: few, ..PLAIN }.report()), Some("a"));
}

#[test]
fn more_hardware_is_no_gain_although_the_baseline_is_out() {
    let base = run("base", "chat", 10_000.0);
    let late = Block { ttft_p99_ms: 5000.0, ..base };
    let slo = "slo = { ttft_p99_ms = 2000 }";
    let (one, two) = (run("b", "chat", 11_000.0), Block { ttft_p99_ms: 500.0, ..run("a", "chat", 18_000.0) });
    let then: fn(&mut StudyData) = |data| twice(data, "a");
    let all: fn(&mut StudyData) = |data| ["a", "b"].into_iter().for_each(|id| twice(data, id));
    let both = run("b", "chat", 19_000.0);
    let ttft = "objective = \"ttft_p99_ms\"";
    let cases = [
        (Case { name: "the baseline fails", runs: &[fails(base), two, one], then, ..PLAIN }, "b", "hardware-differs"),
        (
            Case { name: "the baseline misses a limit", chat: slo, runs: &[late, two, one], then, ..PLAIN },
            "b",
            "hardware-differs",
        ),
        (Case { name: "the baseline was not run", runs: &[two, one], then, ..PLAIN }, "b", "hardware-differs"),
        (
            Case { name: "all that works has more", runs: &[fails(base), two, both], then: all, ..PLAIN },
            "b",
            "surpassed",
        ),
        (Case { name: "nothing else works", runs: &[fails(base), two, fails(one)], then, ..PLAIN }, "a", "recommended"),
        (
            Case { name: "a latency decides", head: ttft, runs: &[fails(base), two, one], then, ..PLAIN },
            "a",
            "recommended",
        ),
    ];
    for (case, expected, fate) in cases {
        let report = case.report();
        assert_eq!((recommended(&report), why(&report, "a").as_str()), (Some(expected), fate), "{}", case.name);
    }
    // The same of another workload.
    let then: fn(&mut StudyData) = |data| longer_prompts(data, "b", "chat");
    let report = Case { runs: &[fails(base), run("a", "chat", 11_000.0), both], then, ..PLAIN }.report();
    assert_eq!((recommended(&report), why(&report, "b").as_str()), (Some("a"), "workload-differs"));
}

#[test]
fn nothing_beats_the_baseline_only_where_something_was_compared() {
    let base = run("base", "chat", 10_000.0);
    let faster = run("a", "chat", 18_000.0);
    let none =
        ("No other variant could be compared with it on chat.", "「chat」で比較できる構成はほかにありませんでした。");
    let beaten = ("Nothing that was tried beats it on chat.", "これを上回る構成はありませんでした。");
    let cases = [
        (Case { name: "load", chat: "request_rate = 5", runs: &[base, faster], ..PLAIN }, none),
        (Case { name: "hardware", runs: &[base, faster], then: |data| twice(data, "a"), ..PLAIN }, none),
        (
            Case { name: "prompts", runs: &[base, faster], then: |data| longer_prompts(data, "a", "chat"), ..PLAIN },
            none,
        ),
        (Case { name: "failures", runs: &[base, fails(faster)], ..PLAIN }, none),
        (Case { name: "alone", runs: &[base], ..PLAIN }, none),
        (Case { name: "slower", runs: &[base, run("a", "chat", 9_000.0)], ..PLAIN }, beaten),
        (
            Case {
                name: "one slower, one on more hardware",
                runs: &[base, faster, run("b", "chat", 9_000.0)],
                then: |data| twice(data, "a"),
                ..PLAIN
            },
            beaten,
        ),
    ];
    for (case, (en, ja)) in cases {
        let report = case.report();
        assert_eq!(report.conclusion.standing, Standing::KeepBaseline, "{}", case.name);
        for (lang, words) in [(Lang::En, en), (Lang::Ja, ja)] {
            let said = text::conclusion(lang, &report).headline.plain();
            assert!(said.ends_with(words), "{}: {said}", case.name);
        }
    }
}

#[test]
fn a_step_that_keeps_the_baseline_says_what_became_of_the_rest() {
    let base = run("base", "chat", 10_000.0);
    let failing = fails(run("a", "chat", 15_060.0));
    let slower = run("a", "chat", 9_500.0);
    let slo = "slo = { ttft_p99_ms = 1000 }";
    let late = Block { ttft_p99_ms: 1500.0, ..run("a", "chat", 12_000.0) };
    let cases = [
        (
            Case { name: "a failing one is faster", runs: &[base, failing, run("b", "chat", 9_000.0)], ..PLAIN },
            Decision::Baseline,
            "Nothing in this step beats the baseline; next is b with −10.00%. a cannot be recommended. Disqualified: only \
             51.4% of the requests on chat succeeded; at least 99% must.",
        ),
        (
            Case { name: "a failing one is all there is", runs: &[base, failing], ..PLAIN },
            Decision::Baseline,
            "Nothing in this step can be compared with the baseline. a cannot be recommended. Disqualified: only 51.4% of \
             the requests on chat succeeded; at least 99% must.",
        ),
        (
            Case { name: "one that misses a limit is faster", chat: slo, runs: &[base, late], ..PLAIN },
            Decision::Baseline,
            "Nothing in this step can be compared with the baseline. a cannot be recommended. Misses an SLO. P99 TTFT on \
             chat is 1,500.00\u{a0}ms, and at most 1,000\u{a0}ms is asked for.",
        ),
        (
            Case { name: "the load sets both", chat: "request_rate = 5", runs: &[base, slower], ..PLAIN },
            Decision::NotComparable,
            "The load sets the throughput here, so it cannot be compared.",
        ),
        (
            Case { name: "slower on more hardware", runs: &[base, slower], then: |data| twice(data, "a"), ..PLAIN },
            Decision::NotComparable,
            "Measured on other hardware than what it is compared with, so totals cannot be compared.",
        ),
        (
            Case { name: "slower", runs: &[base, slower], ..PLAIN },
            Decision::Baseline,
            "Nothing in this step beats the baseline; next is a with −5.00%.",
        ),
    ];
    for (case, decision, expected) in cases {
        let report = case.report();
        assert_eq!(step(&report, "one").decision, decision, "{}", case.name);
        assert_eq!(reason(Lang::En, &report, "one"), expected, "{}", case.name);
        assert!(reason(Lang::Ja, &report, "one").ends_with('。'));
    }
}

#[test]
fn what_cannot_be_compared_is_quoted_as_no_gain() {
    let base = run("base", "chat", 10_000.0);
    let two = run("a", "chat", 18_000.0);
    let on_a: fn(&mut StudyData) = |data| {
        twice(data, "a");
        steps(data, &[("one", "chat", &["base", "a"])]);
    };
    // A summary would state a difference that load, hardware or failures made.
    let cases = [
        (Case { name: "load", chat: "request_rate = 5", runs: &[base, two], ..PLAIN }, false),
        (Case { name: "hardware", runs: &[base, two], then: on_a, ..PLAIN }, false),
        (Case { name: "prompts", runs: &[base, two], then: |data| longer_prompts(data, "a", "chat"), ..PLAIN }, false),
        (Case { name: "alike", runs: &[base, two], ..PLAIN }, true),
    ];
    for (case, told) in cases {
        assert_eq!(step(&case.report(), "one").summary.is_some(), told, "{}", case.name);
    }
    // A failed baseline lends no gain.
    let report = Case { runs: &[fails(base), run("a", "chat", 9_000.0)], ..PLAIN }.report();
    assert_eq!(step(&report, "one").decision, Decision::Adopted);
    assert_eq!(reason(Lang::En, &report, "one"), "The recommended variant; what it gains here cannot be told.");
    assert_eq!(reason(Lang::Ja, &report, "one"), "推奨設定です。ここでの効果は判定できません。");
    for (lang, words) in [(Lang::En, "−10.00% (not comparable)"), (Lang::Ja, "−10.00%（比較不可）")] {
        let text = markdown(&report, lang);
        assert!(text.contains(words), "{text}");
    }
    // Where the step before has only a variant that misses a limit, the baseline is what the next is held against.
    let chain: fn(&mut StudyData) = |data| steps(data, &[("one", "chat", &["a"]), ("two", "chat", &["b"])]);
    let report = Case {
        head: "option_base = \"previous\"",
        chat: "slo = { ttft_p99_ms = 1000 }",
        runs: &[base, Block { ttft_p99_ms: 1500.0, ..run("a", "chat", 14_000.0) }, run("b", "chat", 11_000.0)],
        then: chain,
        ..PLAIN
    }
    .report();
    let row = option(&report, "two");
    assert_eq!((row.base.as_ref().map(|id| id.as_str()), row.decision), (Some("base"), Decision::Adopted));
    assert!(row.change.and_then(|change| change.pct()).is_some_and(|pct| (pct - 10.0).abs() < 1e-3), "{row:?}");
}

#[test]
fn fronts_and_the_best_of_a_profile_are_of_what_a_reader_can_choose() {
    let base = run("base", "chat", 10_000.0);
    let fast = Block { ttft_p99_ms: 600.0, tpot_ms: 15.0, ..run("a", "chat", 14_000.0) };
    let sound = Block { ttft_p99_ms: 900.0, ..run("b", "chat", 11_000.0) };
    // Printed rates: `a` leads as printed and loses by its counts.
    let printed: fn(&mut StudyData) = |data| {
        for (run, tps) in data.runs.iter_mut().zip([10_000.0, 10_600.0, 10_400.0]) {
            run.measurement.metrics.total_token_throughput = TokPerSec::new(tps);
        }
    };
    let counted =
        [base, Block { ttft_p99_ms: 1100.0, tpot_ms: 25.0, ..run("a", "chat", 9_900.0) }, run("b", "chat", 10_300.0)];
    let cases = [
        (
            Case {
                name: "misses a limit",
                chat: "slo = { tpot_mean_ms = 30, ttft_p99_ms = 1000 }",
                runs: &[base, Block { ttft_p99_ms: 5000.0, ..fast }, sound],
                ..PLAIN
            },
            "b",
            false,
        ),
        (Case { name: "more GPUs", runs: &[base, fast, sound], then: |data| twice(data, "a"), ..PLAIN }, "b", false),
        (
            Case {
                name: "other prompts",
                runs: &[base, fast, sound],
                then: |data| longer_prompts(data, "a", "chat"),
                ..PLAIN
            },
            "b",
            false,
        ),
        (Case { name: "refuted", head: "basis = \"reported\"", runs: &counted, then: printed, ..PLAIN }, "b", true),
        (Case { name: "free to choose", runs: &[base, fast, sound], ..PLAIN }, "a", true),
    ];
    for (case, best, drawn) in cases {
        let report = case.report();
        assert_eq!(recommended(&report), Some(best), "{}", case.name);
        let chosen = report.best_per_profile.iter().find(|best| best.profile.as_str() == "chat").expect("chat was run");
        assert_eq!(chosen.variant.as_ref().map(|id| id.as_str()), Some(best), "{}", case.name);
        assert!(chosen.lead.is_none_or(|lead| lead.verdict != Verdict::Worse), "{}", case.name);
        assert_eq!(report.pareto.len(), 2, "{}", case.name);
        for front in &report.pareto {
            let point = front.points.iter().find(|point| point.variant.as_str() == "a");
            assert_eq!(point.is_some(), drawn, "{}", case.name);
            assert_eq!(point.is_some_and(|point| point.on_front), best == "a", "{}", case.name);
        }
    }
}

#[test]
fn a_step_under_another_objective_names_the_figure_that_changed() {
    let ttft = |variant, profile, ttft_p99_ms, tps| Block { ttft_p99_ms, ..run(variant, profile, tps) };
    let runs = [
        ttft("base", "chat", 1000.0, 10_000.0),
        ttft("a", "chat", 800.0, 9_000.0),
        ttft("base", "batch", 1000.0, 1_000.0),
        ttft("a", "batch", 1100.0, 1_200.0),
    ];
    let then: fn(&mut StudyData) = |data| steps(data, &[("one", "chat", &["a"]), ("two", "batch", &["a"])]);
    let report = Case { head: "objective = \"ttft_p99_ms\"", runs: &runs, then, ..PLAIN }.report();
    let said = |lang| ["one", "two"].map(|id| reason(lang, &report, id));
    let [en, ja] = [Lang::En, Lang::Ja].map(said);
    assert_eq!(
        en,
        [
            "The recommended variant: P99 TTFT −20.00%.",
            "The recommended variant, although worse here: P99 TTFT +10.00%."
        ]
    );
    assert_eq!(
        ja,
        ["推奨設定です。P99 TTFTの変化は−20.00%です。", "推奨設定ですが、ここではP99 TTFTが悪化します（+10.00%）。"]
    );
    // The table shows total TPS, and its change.
    let row = option(&report, "one");
    let pcts = [row.change, row.objective_change].map(|change| change.and_then(|change| change.pct()));
    assert!(pcts[0].is_some_and(|pct| (pct + 10.0).abs() < 1e-3) && pcts[1] == Some(-20.0), "{pcts:?}");
}

#[test]
fn a_reason_says_where_it_counts_only_where_that_is_elsewhere() {
    let runs = [
        run("base", "chat", 10_000.0),
        run("a", "chat", 12_000.0),
        run("b", "chat", 11_000.0),
        run("base", "batch", 1_000.0),
        run("b", "batch", 1_500.0),
    ];
    let then: fn(&mut StudyData) = |data| steps(data, &[("one", "chat", &["b"]), ("two", "batch", &["b"])]);
    let report = Case { runs: &runs, then, ..PLAIN }.report();
    let elsewhere = |id: &str| match &step(&report, id).reason {
        Reason::Surpassed { elsewhere, .. } => elsewhere.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!((elsewhere("one"), elsewhere("two")), (None, Some(Elsewhere::Profile("chat".into()))));
}
