//! What may be compared with what, in rankings, rows, summaries and fronts.

use super::*;

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
