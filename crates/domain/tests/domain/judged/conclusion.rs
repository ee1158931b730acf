//! What a conclusion rests on: its standing, what puts it in doubt, and what was compared at all.

use super::*;

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
        assert!(known.count() >= expected.len(), "{}", case.name);
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
