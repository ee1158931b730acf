//! Sentences that were once false or unnatural: what a study measured, and what both languages then have to say and must
//! not say.

use crate::made::{Block, Made, run};
use crate::studies::{Bench, made_up};
use touchstone_domain::change::Repeats;
use touchstone_domain::check::Evidence;
use touchstone_domain::report::markdown::markdown;
use touchstone_domain::report::{Report, build};
use touchstone_domain::study::StudyData;
use touchstone_domain::text::{Lang, phrase};

/// What stands in the report of a study, and what does not, in Japanese and in English.
struct Said {
    what: &'static str,
    data: StudyData,
    ja: &'static [&'static str],
    en: &'static [&'static str],
    never: &'static [&'static str],
}

fn check(cases: Vec<Said>) {
    for case in cases {
        let report = build(&case.data);
        for (lang, said) in [(Lang::Ja, case.ja), (Lang::En, case.en)] {
            // Figures stand in bold.
            let text = markdown(&report, lang).replace("**", "");
            for sentence in said {
                assert!(text.contains(sentence), "{}: no {sentence:?} in\n{text}", case.what);
            }
            for sentence in case.never {
                assert!(!text.contains(sentence), "{}: {sentence:?} in\n{text}", case.what);
            }
        }
    }
}

/// Runs of the variants `a` (the baseline) and `b`, each with its server start and duration in seconds.
fn repeated(a: &[(&'static str, f64)], b: &[(&'static str, f64)]) -> StudyData {
    let bench = |duration: &f64| Bench { duration: *duration, ..Bench::SOUND };
    let of = |variant: &'static str, runs: &[(&'static str, f64)]| -> Vec<_> {
        runs.iter().map(|(start, duration)| (variant, *start, bench(duration))).collect()
    };
    made_up(&[("a", "args = []"), ("b", "args = [\"--x\"]")], &[of("a", a), of("b", b)].concat())
}

#[test]
fn how_often_something_was_measured_is_said_as_it_was() {
    let one: [(&str, f64); 3] = [("start = \"1\"", 17.0), ("start = \"1\"", 17.1), ("start = \"1\"", 17.2)];
    let three: [(&str, f64); 3] = [("start = \"1\"", 17.0), ("start = \"2\"", 17.1), ("start = \"3\"", 17.2)];
    let unnamed = one.map(|(_, duration)| ("", duration));
    let fast = |runs: [(&'static str, f64); 3]| runs.map(|(start, duration)| (start, duration * 0.8));
    check(vec![
        Said {
            what: "three runs of both in one start",
            data: repeated(&one, &fast(one)),
            ja: &[
                "25.00%上がりました（起動1回・計測3回、再起動によるゆらぎは不明）。",
                "- 計測3回はすべて1回のサーバー起動の中なので、起動し直したときのゆらぎは不明です。",
                "どちらも起動1回・計測3回です。",
            ],
            en: &[
                "rises by 25.00% on p (3 runs in one server start: noise across restarts unknown).",
                "- The 3 runs of each side lie within one server start, so the noise across server starts is unknown.",
                "Both sides have 3 runs in one server start.",
            ],
            never: &["計測は1回だけ", "計測1回", "measured once"],
        },
        Said {
            what: "three runs of both that do not name their start",
            data: repeated(&unnamed, &fast(unnamed)),
            ja: &[
                "25.00%上がりました（計測3回・起動の記録なし、再起動によるゆらぎは不明）。",
                "- 計測3回にはサーバー起動の記録がないため、起動し直したときのゆらぎは不明です。",
                "実行3件の合計TPSは平均",
            ],
            en: &[
                "(3 runs in unrecorded server starts: noise across restarts unknown)",
                "- The 3 runs of each side do not say which server start they belong to, so the noise across server starts \
                 is unknown.",
                "p, `a`: 3 runs, total TPS",
            ],
            never: &["起動1回", "同じ起動の中", "one server start", "Within a start"],
        },
        Said {
            what: "a baseline over three starts, the other side once",
            data: repeated(&three, &[("start = \"1\"", 13.0)]),
            ja: &[
                "（計測1回、ゆらぎ不明）",
                "- 推奨設定の計測は1回だけなので、サーバーを起動し直したときのゆらぎは不明です。",
                "サーバー起動3回",
                "基準設定は起動3回・計測3回、比較する構成は計測1回です。",
            ],
            en: &[
                "(measured once: noise unknown)",
                "- The recommended variant was measured once, so the noise across server starts is unknown.",
                "3 server starts",
                "The baseline has 3 runs in 3 server starts, the other side was measured once.",
            ],
            never: &["- 計測は1回だけ", "Both sides were measured once"],
        },
        Said {
            what: "three starts of both",
            data: repeated(&three, &fast(three)),
            ja: &["「p」：合計TPSの変化の95%信頼区間は、サーバー起動ごとの平均から求めて±"],
            en: &["p: the 95% interval of the change in total TPS, over server starts, is ±"],
            never: &["ゆらぎ不明", "noise unknown", "single-run"],
        },
        Said {
            what: "a baseline that is kept has no interval against itself",
            data: repeated(&three, &three.map(|(start, duration)| (start, duration * 1.2))),
            ja: &["基準設定のままで問題ありません。"],
            en: &["Keep the baseline."],
            never: &["変化の95%信頼区間", "interval of the change"],
        },
    ]);
}

#[test]
fn marks_count_runs_and_starts() {
    for (starts, runs, ja, en) in [
        (Some(1), 1, "n = 1", "n = 1"),
        (None, 3, "計測3回", "3 runs"),
        (Some(1), 3, "起動1回・計測3回", "3 runs, 1 start"),
        (Some(2), 6, "起動2回・計測6回", "6 runs, 2 starts"),
    ] {
        let said = Lang::ALL.map(|lang| phrase::measured(lang, Repeats { starts, runs }));
        assert_eq!(said, [ja, en]);
    }
}

#[test]
fn the_mark_of_a_study_says_whether_its_noise_is_known() {
    let (one, three) = (["1", "1", "1"], ["1", "2", "3"]);
    let study = |starts: [&str; 3], factor: f64| {
        let keys = starts.map(|start| format!("start = \"{start}\""));
        let bench = |at: usize, factor: f64| Bench { duration: (17.0 + 0.1 * at as f64) * factor, ..Bench::SOUND };
        let side = |id: &'static str, factor: f64| (0..3).map(move |at| (id, at, factor));
        let runs: Vec<_> = side("a", 1.0).chain(side("b", factor)).collect();
        let runs: Vec<_> = runs.iter().map(|(id, at, factor)| (*id, keys[*at].as_str(), bench(*at, *factor))).collect();
        build(&made_up(&[("a", "args = []"), ("b", "args = [\"--x\"]")], &runs))
    };
    for (starts, factor, ja, en) in [
        (one, 0.8, ("起動1回・計測3回", "ゆらぎ不明"), ("3 runs, 1 start", "noise unknown")),
        (three, 0.8, ("起動3回・計測3回", "ゆらぎは既知"), ("3 runs, 3 starts", "noise known")),
        // The baseline stays, and is not compared with itself.
        (three, 1.2, ("起動3回・計測3回", "ゆらぎは既知"), ("3 runs, 3 starts", "noise known")),
    ] {
        let report = study(starts, factor);
        for (lang, (mark, meaning)) in [(Lang::Ja, ja), (Lang::En, en)] {
            assert_eq!(phrase::repeats(lang, &report), Some((mark.to_owned(), meaning)), "{starts:?} {factor}");
        }
    }
}

/// The study of `made`, with lines for its head.
fn headed(head: &'static str, runs: &[Block]) -> StudyData {
    Made { head, ..Made::of(runs) }.data()
}

#[test]
fn each_objective_moves_in_words_of_its_own() {
    let ttft = |variant, tps, ttft_p99_ms| Block { ttft_p99_ms, ..run(variant, "chat", tps) };
    let cost = "objective = \"cost_per_million_tokens\"\nprice = { gpu_hour = 3.6, currency = \"USD\" }";
    check(vec![
        Said {
            what: "a shorter TTFT at fewer tokens",
            data: headed("objective = \"ttft_p99_ms\"", &[ttft("base", 12_000.0, 900.0), ttft("a", 9_000.0, 500.0)]),
            ja: &[
                "「chat」のP99 TTFTは44.44%短くなりました（計測1回、ゆらぎ不明）。",
                "`a`の合計TPSは`base`より3,000.00 tok/s（25.00%）低い値でした。平均TPOTは同じです。",
                "「chat」：合計TPSが25.00%下がりました。",
                "- 基準設定比（P99 TTFT）：−44.44%（報告値 −44.44%）、改善",
                "「chat」のP99 TTFT（報告値）の良い順",
            ],
            en: &[
                "P99 TTFT falls by 44.44% on chat (measured once: noise unknown).",
                "`a` delivers 3,000.00 tok/s (25.00%) less total TPS than `base`, and the same mean TPOT.",
                "chat: total TPS falls by 25.00%.",
                "- against the baseline (P99 TTFT): −44.44% (Reported −44.44%), better",
                "Ranked by P99 TTFT on chat (reported).",
            ],
            never: &[
                "−44.44%の改善",
                "高い値でした",
                "−3,000.00",
                "0.00%）長く",
                "0.00%) longer",
                "再計算値）の良い順",
                "on chat (recomputed).",
            ],
        },
        Said {
            what: "a longer TTFT is rejected by its name",
            data: headed("objective = \"ttft_p99_ms\"", &[ttft("base", 9_000.0, 500.0), ttft("a", 9_000.0, 550.0)]),
            ja: &["基準設定のままで問題ありません。", "`a`の合計TPSは"],
            en: &["Keep the baseline.", "P99 TTFT"],
            never: &["遅くなります", "Slower"],
        },
        Said {
            what: "a lower cost stands once",
            data: headed(cost, &[run("base", "chat", 10_000.0), run("a", "chat", 11_000.0)]),
            ja: &[
                "「chat」の100万トークンあたりのコストは9.09%下がりました",
                "| 順位 | 構成 | 100万トークンあたりのコスト（USD） | 変化（再計算値） | 判定 | 引数の数 | 結果と理由 |",
            ],
            en: &[
                "Cost per million tokens falls by 9.09% on chat",
                "| Place | Variant | Cost per million tokens (USD) | Change (Recomputed) | Verdict | Arguments | What became of it |",
            ],
            never: &["改善です"],
        },
        Said {
            what: "another variant is better elsewhere, by a named figure",
            data: headed(
                "objective = \"ttft_p99_ms\"",
                &[
                    ttft("base", 9_000.0, 900.0),
                    ttft("a", 9_000.0, 500.0),
                    Block { profile: "batch", ..ttft("base", 9_000.0, 400.0) },
                    Block { profile: "batch", ..ttft("a", 9_000.0, 380.0) },
                    Block { profile: "batch", ..ttft("b", 9_000.0, 280.0) },
                ],
            ),
            ja: &["「batch」のような負荷では、`b`のほうが優れています（P99 TTFTが26.32%短い）。"],
            en: &["Traffic like batch: `b` is better there (P99 TTFT 26.32% lower)."],
            never: &["優れています（−26.32%）"],
        },
    ]);
}

#[test]
fn a_figure_that_cannot_be_recomputed_is_called_reported() {
    let mut data = Made::of(&[run("base", "chat", 10_000.0), run("a", "chat", 11_000.0)]).data();
    for run in &mut data.runs {
        run.measurement.metrics.e2el = Default::default();
    }
    check(vec![Said {
        what: "TPOT without E2EL",
        data,
        ja: &["| `a` | 11,000.00 | 20.00（報告値） |", "再計算できない値は報告値です。"],
        en: &["| `a` | 11,000.00 | 20.00 (reported) |", "A figure that cannot be recomputed is the reported one."],
        never: &[],
    }]);
}

#[test]
fn a_rate_that_is_too_high_is_explained_by_guidellm_only_where_guidellm_printed_it() {
    use touchstone_domain::run::{Tool, TpotDefinition};
    use touchstone_domain::units::TokPerSec;
    let explained = |tool, tpot_definition, factor: f64| {
        let mut data = Made::of(&[run("base", "chat", 10_000.0)]).data();
        let measurement = &mut data.runs[0].measurement;
        (measurement.tool, measurement.tpot_definition) = (tool, tpot_definition);
        measurement.metrics.total_token_throughput = TokPerSec::new(10_000.0 * factor);
        let report: Report = build(&data);
        let mut rates = report.findings.iter().filter_map(|finding| match finding.evidence {
            Evidence::RateMismatch { other_window, .. } => Some(other_window),
            _ => None,
        });
        let found = rates.next().expect("the rate is off by more than 2 %");
        for (lang, word) in Lang::ALL.into_iter().zip(["GuideLLM系", "GuideLLM-based"]) {
            assert_eq!(markdown(&report, lang).contains(word), found, "{tool:?} {factor}");
        }
        found
    };
    use TpotDefinition::{ExcludesFirstToken, IncludesFirstToken};
    for (tool, definition, factor, expected) in [
        (Tool::ServingBenchmarkBlock, ExcludesFirstToken, 1.1, false),
        (Tool::ServingBenchmarkBlock, IncludesFirstToken, 1.1, true),
        (Tool::ServingBenchmarkBlock, IncludesFirstToken, 0.9, false),
        (Tool::GuideLlm, IncludesFirstToken, 1.1, true),
        (Tool::GpuStack, IncludesFirstToken, 1.1, true),
        (Tool::VllmServe, ExcludesFirstToken, 1.1, false),
    ] {
        assert_eq!(explained(tool, definition, factor), expected, "{tool:?} {definition:?} {factor}");
    }
}

#[test]
fn a_count_above_nine_has_no_tsu() {
    let variants: Vec<(String, String)> =
        (0..13).map(|n| (format!("v{n}"), format!("args = [{}]", vec!["\"--x\""; n.min(1)].join(", ")))).collect();
    let variants: Vec<(&str, &str)> = variants.iter().map(|(id, keys)| (id.as_str(), keys.as_str())).collect();
    let runs: Vec<_> = variants
        .iter()
        .enumerate()
        .map(|(n, (id, _))| {
            // The first is the fastest, the last has the shortest TTFT.
            let ttft = if n == 12 { 6000.0 } else { 7000.0 };
            (*id, "", Bench { duration: 17.0 + n as f64, ttft, ..Bench::SOUND })
        })
        .collect();
    let report = build(&made_up(&variants, &runs));
    let text = markdown(&report, Lang::Ja);
    assert!(text.contains("ほかの11の構成には、どちらの値でも同等以上の構成があります。"), "{text}");
    assert!(!text.contains("11つ"), "{text}");
}
