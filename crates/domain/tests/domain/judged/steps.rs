//! What became of a step: the variant that stands for it, and the reason.

use super::*;

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
            "+10.00%, an improvement, but a is better still over the 2 weighted profiles.",
            "変化は+10.00%で改善していますが、2つのプロファイルの加重平均ではaのほうが優れています。",
        ),
        (
            Case {
                name: "worse on the primary profile",
                runs: &with(&[chat("b", 9_000.0), batch("b", 1_500.0)]),
                then: on_batch,
                ..PLAIN
            },
            Decision::Rejected,
            "+50.00%, an improvement, but −10.00% on chat, where it counts.",
            "変化は+50.00%で改善していますが、判定に使う「chat」では悪化しています（−10.00%）。",
        ),
        (
            Case {
                name: "less on the primary profile",
                runs: &with(&[chat("b", 11_000.0), batch("b", 1_500.0)]),
                then: on_batch,
                ..PLAIN
            },
            Decision::Rejected,
            "+50.00%, an improvement, but a is better still on chat.",
            "変化は+50.00%で改善していますが、「chat」ではaのほうが優れています。",
        ),
        (
            Case {
                name: "as good on the primary profile",
                runs: &with(&[chat("b", 12_010.0), batch("b", 1_500.0)]),
                then: on_batch,
                ..PLAIN
            },
            Decision::NoRelevantGain,
            "+50.00%, an improvement, but a is as good on chat with fewer arguments.",
            "変化は+50.00%で改善していますが、「chat」ではaが少ない引数で同等の結果です。",
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
            "+50.00%, an improvement, but not by what decides. Prompts of another length than the baseline's: nothing can be \
             compared.",
            "変化は+50.00%で改善していますが、判定に使う値の改善とはいえません。基準設定とプロンプトの長さが異なるため、どの値も比較できません。",
        ),
        (
            Case { name: "on the primary profile", runs: &with(&[chat("b", 11_000.0)]), then: on_chat, ..PLAIN },
            Decision::Rejected,
            "+10.00%, an improvement, but a is better still.",
            "変化は+10.00%で改善していますが、aのほうが優れています。",
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
            "The recommended variant: −20.00% in P99 TTFT.",
            "The recommended variant, although worse here: +10.00% in P99 TTFT."
        ]
    );
    assert_eq!(
        ja,
        [
            "推奨設定です。P99 TTFTの変化は−20.00%です。",
            "推奨設定です。ただし、ここでのP99 TTFTの変化は+10.00%で、悪化しています。"
        ]
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
