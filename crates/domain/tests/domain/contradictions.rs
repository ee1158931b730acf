//! The contradictions of the two published reports (A01 to A17, B01 to B18), as far as a study folder can show them: each
//! with the finding, decision or figure pair by which the report shows it.
//!
//! Not computable from a folder, because it holds the runs and not the published text:
//! A01 in part (the stated 51.5 %; the rate itself is computed) · A18, B15 (a block printed twice, white space:
//! a folder holds each text once) · B01, B02 (8424.86 is in no run; the report states what the run gives) · B12, B13, B14
//! (what a published page leaves unsaid, and labels).

use crate::studies;
use touchstone_domain::advise::{Decision, NotRecommended, Reason};
use touchstone_domain::change::{Change, Verdict};
use touchstone_domain::check::{Contradiction, Evidence, Finding, HardwareLimit, Subject};
use touchstone_domain::metric::Metric;
use touchstone_domain::metrics::{Latency, Stat};
use touchstone_domain::report::{ConclusionRow, Report, RunReport, StepReport, TpotDirection, build};
use touchstone_domain::study::OptionBase;
use touchstone_domain::text::{self, Lang};

fn qwen35() -> Report {
    build(&studies::study(studies::QWEN35).data)
}

fn qwen3() -> Report {
    build(&studies::study(studies::QWEN3).data)
}

fn run(report: &Report, number: usize) -> &RunReport {
    &report.runs[number - 1]
}

fn row<'a>(report: &'a Report, profile: &str) -> &'a ConclusionRow {
    report.conclusion.rows.iter().find(|row| row.profile.as_str() == profile).expect("the profile has a row")
}

fn step<'a>(report: &'a Report, id: &str) -> &'a StepReport {
    report.steps.iter().find(|step| step.id.as_str() == id).expect("the step is described")
}

/// What `pick` makes of the first finding that it knows.
fn found<T>(findings: &[Finding], pick: impl Fn(&Evidence) -> Option<T>) -> Option<T> {
    findings.iter().find_map(|finding| pick(&finding.evidence))
}

fn near(value: f64, expected: f64) -> bool {
    (value - expected).abs() <= 0.005 + 1e-9
}

fn changes(change: &Change) -> (f64, f64) {
    change.reported_pct.zip(change.recomputed_pct).expect("both forms exist")
}

#[test]
fn a01_the_success_rate_is_514_of_1000() {
    let rate = found(&run(&qwen35(), 4).findings, |evidence| match *evidence {
        Evidence::SuccessRate { successful, attempted, success_pct, .. } => Some((successful, attempted, success_pct)),
        _ => None,
    });
    assert_eq!(rate, Some((514, 1000, 51.4)));
}

#[test]
fn a02_the_best_figure_belongs_to_a_run_that_cannot_win() {
    let report = qwen35();
    let highest = report.conclusion.highest.as_ref().expect("the best figure is not recommended");
    assert_eq!((highest.variant.as_str(), highest.why), ("speculative-decoding", NotRecommended::Disqualified));
    assert_eq!((highest.value, highest.other_value), (15059.89, Some(12619.641402)));
    let option = &report.options[2];
    assert_eq!((option.decision, option.total_token_throughput), (Decision::Rejected, Some(15059.89)));
    let (reported, recomputed) = changes(option.change.as_ref().expect("it is compared"));
    assert!(near(reported, 30.65) && near(recomputed, 10.80), "{reported} {recomputed}");
    assert!(matches!(option.reason, Reason::TooManyFailures { success_pct: 51.4, .. }));
}

#[test]
fn a03_the_survivors_are_another_workload() {
    let report = qwen35();
    let tokens = found(&run(&report, 4).findings, |evidence| match *evidence {
        Evidence::SurvivorsDiffer { input_per_request, output_per_request, usual_input, usual_output } => {
            Some([input_per_request, output_per_request, usual_input, usual_output])
        }
        _ => None,
    });
    let tokens = tokens.expect("the finding is raised");
    assert!(tokens.iter().zip([45.36, 255.89, 342.06, 281.41]).all(|(a, b)| near(*a, b)), "{tokens:?}");
}

#[test]
fn a04_printed_rates_stand_beside_those_from_counts_and_duration() {
    let report = qwen35();
    for (number, reported, recomputed) in
        [(1, 11527.14, 11389.66), (4, 15059.89, 12619.64), (17, 29822.16, 27021.67), (22, 3025.11, 2800.18)]
    {
        let run = run(&report, number);
        assert_eq!(Metric::TotalTps.of(&run.metrics), Some(reported));
        assert!(run.recomputed.get(Metric::TotalTps).is_some_and(|tps| near(tps, recomputed)), "{number}");
    }
    let deviation = found(&run(&report, 4).findings, |evidence| match *evidence {
        Evidence::RateMismatch { figure: Metric::TotalTps, deviation_pct, .. } => Some(deviation_pct),
        _ => None,
    });
    assert!(deviation.is_some_and(|pct| near(pct, 19.34)));
}

#[test]
fn a05_headline_changes_move_when_recomputed() {
    let report = qwen35();
    for (profile, reported, recomputed) in [
        ("sharegpt", 2.09, 1.90),
        ("throughput", 15.59, 9.97),
        ("long-context", 0.75, 0.76),
        ("generation-heavy", 1.74, -0.01),
    ] {
        let (ours_reported, ours) = changes(&row(&report, profile).change);
        assert!(near(ours_reported, reported) && near(ours, recomputed), "{profile}");
    }
}

#[test]
fn a06_signs_and_orders_that_depend_on_the_rate() {
    let report = qwen35();
    let flips: Vec<(String, String, f64, f64)> = report
        .findings
        .iter()
        .filter_map(|finding| match (&finding.about, &finding.evidence) {
            (Subject::Comparison(profile, variant), Evidence::SignFlips { reported_pct, recomputed_pct }) => {
                Some((profile.to_string(), variant.to_string(), *reported_pct, *recomputed_pct))
            }
            _ => None,
        })
        .collect();
    let expected = [
        ("sharegpt", "performance-mode", -0.27, 0.15),
        ("sharegpt", "seqs-1024", 0.05, -0.24),
        ("sharegpt", "perf-tokens-24k", -0.12, 0.33),
        ("generation-heavy", "perf-seqs-512", 1.74, -0.01),
    ];
    assert_eq!(flips.len(), expected.len(), "{flips:?}");
    for ((profile, variant, reported, recomputed), expected) in flips.iter().zip(expected) {
        assert_eq!((profile.as_str(), variant.as_str()), (expected.0, expected.1));
        assert!(near(*reported, expected.2) && near(*recomputed, expected.3), "{variant}");
    }
    let pairs = found(&report.findings, |evidence| match evidence {
        Evidence::OrderFlips { pairs } => Some(pairs.clone()),
        _ => None,
    });
    let pairs: Vec<_> = pairs.iter().flatten().map(|(first, second)| (first.as_str(), second.as_str())).collect();
    // Runs 10 and 16, 07 and 05, 07 and 09.
    let expected = [
        ("perf-tokens-32k", "perf-tokens-48k-seqs-768"),
        ("seqs-1024", "performance-mode"),
        ("seqs-1024", "perf-tokens-24k"),
    ];
    assert_eq!(pairs, expected);
}

#[test]
fn a07_peaks_above_all_tokens_and_above_the_hardware() {
    let report = qwen35();
    let peak = |number: usize| {
        found(&run(&report, number).findings, |evidence| match *evidence {
            Evidence::PeakImplausible { peak, generated_tokens, .. } => Some((peak, generated_tokens)),
            _ => None,
        })
    };
    assert_eq!(peak(1), Some((20_132_659.2, Some(281_412))));
    let impossible =
        (1..=22).filter(|run| peak(*run).is_some_and(|(peak, all)| all.is_some_and(|all| peak > all as f64)));
    assert_eq!(impossible.count(), 17);
    let roof = found(&run(&report, 22).findings, |evidence| match *evidence {
        Evidence::BeyondHardware { limit: HardwareLimit::PeakOutput, measured, bound, in_flight, .. } => {
            Some((measured, bound, in_flight))
        }
        _ => None,
    });
    // 18 requests of 232.6 passes a second: 3.35 TB/s over 0.8 · 9 · 10⁹ weights of two bytes.
    let (measured, bound, in_flight) = roof.expect("the peak lies above the memory bandwidth");
    assert!(measured == 59750.47 && in_flight == Some(18) && (bound - 18.0 * 3350.0 / 14.4).abs() < 0.01, "{bound}");
}

#[test]
fn a08_a11_tpot_is_held_against_the_latency() {
    let report = qwen35();
    let of = |number: usize| {
        found(&run(&report, number).findings, |evidence| match *evidence {
            Evidence::TpotIdentity { reported_ms, recomputed_ms, includes_first_token, from_itl_ms, .. } => {
                Some((reported_ms, recomputed_ms, includes_first_token, from_itl_ms))
            }
            _ => None,
        })
        .unwrap_or_else(|| panic!("run {number} raises it"))
    };
    for (number, reported, recomputed, first_token, itl) in [
        (1, 15.12, 80.26, false, Some(9.45)),
        (2, 138.86, 45.87, true, None),
        (17, 34.63, 132.57, false, Some(0.0)),
        (21, 0.33, 8.72, false, Some(0.31)),
        (22, 0.12, 8.75, false, Some(0.09)),
    ] {
        let (ours, recomputed_ms, includes, from_itl) = of(number);
        assert_eq!((ours, includes, from_itl), (reported, first_token, itl), "run {number}");
        assert!(near(recomputed_ms, recomputed), "run {number}: {recomputed_ms}");
    }
}

#[test]
fn a09_ttft_and_itl_leave_most_of_the_latency_open() {
    let report = qwen35();
    for (number, expected) in [(1, 82.36), (11, 46.78), (4, 97.71), (17, 79.16), (19, 87.04), (22, 98.66)] {
        let unexplained = found(&run(&report, number).findings, |evidence| match *evidence {
            Evidence::LatencyUnexplained { unexplained_pct, .. } => Some(unexplained_pct),
            _ => None,
        });
        assert!(unexplained.is_some_and(|pct| near(pct, expected)), "run {number}: {unexplained:?}");
    }
}

#[test]
fn a10_the_engine_comparison_of_tpot_reverses() {
    let report = qwen35();
    let summary = step(&report, "engine").summary.as_ref().expect("two engines were measured");
    assert_eq!(summary.tpot_direction, Some(TpotDirection::Reduction));
    assert!(summary.tpot_reverses());
    assert!(summary.tpot_recomputed_ms.is_some_and(|(vllm, sglang)| near(vllm, 80.26) && near(sglang, 45.87)));
    for (profile, reported, recomputed, verdict) in
        [("generation-heavy", -63.64, 0.40, Verdict::Neutral), ("throughput", 6.76, -13.00, Verdict::Better)]
    {
        let change = &row(&report, profile).tpot_change;
        let (ours_reported, ours) = changes(change);
        assert!(near(ours_reported, reported) && near(ours, recomputed) && change.verdict == verdict, "{profile}");
    }
}

#[test]
fn a12_a13_means_above_p99_and_zeros_that_were_not_measured() {
    let report = qwen35();
    let above = found(&run(&report, 22).findings, |evidence| match *evidence {
        Evidence::MeanAboveP99 { latency: Latency::Tpot, mean_ms, p99_ms } => Some((mean_ms, p99_ms)),
        _ => None,
    });
    assert_eq!(above, Some((0.12, 0.03)));
    let zeros = |number: usize, of: Latency| {
        found(&run(&report, number).findings, |evidence| match evidence {
            Evidence::NotMeasuredZero { latency, stats } if *latency == of => Some(stats.clone()),
            _ => None,
        })
    };
    assert_eq!(zeros(1, Latency::Itl), Some(vec![Stat::Median]));
    assert_eq!(zeros(4, Latency::Ttft), Some(vec![Stat::Median]));
    for number in [4, 17, 18, 19, 20] {
        assert_eq!(zeros(number, Latency::Itl), Some(vec![Stat::Mean, Stat::Median, Stat::P99]), "run {number}");
    }
}

#[test]
fn a14_512_clients_and_not_1000_requests_a_second() {
    let report = qwen35();
    let closed = found(&run(&report, 1).findings, |evidence| match *evidence {
        Evidence::ClosedLoop { offered, achieved, in_flight } => Some((offered, achieved, in_flight)),
        _ => None,
    });
    let (offered, achieved, in_flight) = closed.expect("the client held requests back");
    assert!(offered == 1000.0 && in_flight == 512 && near(achieved, 18.27));
    let capped = found(&run(&report, 8).findings, |evidence| match evidence {
        Evidence::ConcurrencyCapped { flag, knob, in_flight, declared } => {
            Some((flag.clone(), *knob, *in_flight, *declared))
        }
        _ => None,
    });
    assert_eq!(capped, Some(("--max-num-seqs".to_owned(), 2048, 512, false)));
}

#[test]
fn a15_the_load_sets_the_throughput_and_printed_rates_exceed_it() {
    let report = qwen35();
    for profile in ["long-context", "generation-heavy"] {
        let row = row(&report, profile);
        assert_eq!(row.change.verdict, Verdict::NotComparable);
        assert!(
            row.findings.iter().any(|finding| matches!(finding.evidence, Evidence::LoadLimited { offered: 1.0, .. }))
        );
    }
    for (number, implied) in [(19, 1.0096), (20, 1.0171), (22, 1.00505)] {
        let above = found(&run(&report, number).findings, |evidence| match *evidence {
            Evidence::ContradictoryCounts { contradiction: Contradiction::AboveOffered, larger, bound } => {
                Some((larger, bound))
            }
            _ => None,
        });
        assert!(above.is_some_and(|(larger, bound)| (larger - implied).abs() < 1e-6 && bound == 1.0), "{above:?}");
    }
}

#[test]
fn a16_a_step_whose_parameters_are_more_than_its_title_says() {
    let unnamed = |report: &Report| -> Vec<(String, Vec<String>)> {
        let found = report.findings.iter().filter_map(|finding| match &finding.evidence {
            Evidence::UnnamedOption { step, flags } => Some((step.to_string(), flags.clone())),
            _ => None,
        });
        found.collect()
    };
    let step = "max-num-seqs-max-batched-tokens".to_owned();
    assert_eq!(unnamed(&qwen35()), [(step, vec!["--performance-mode".to_owned()])]);
    assert_eq!(unnamed(&qwen3()), []);
}

#[test]
fn a17_one_measurement_under_two_names() {
    let report = qwen35();
    for (number, twin) in [(13, 14), (14, 13)] {
        let same_as = found(&run(&report, number).findings, |evidence| match evidence {
            Evidence::DuplicateMeasurement { same_as } => Some(same_as.clone()),
            _ => None,
        });
        assert_eq!(same_as.as_ref(), Some(&run(&report, twin).id));
    }
}

#[test]
fn b03_fewer_arguments_win_within_the_relevance_threshold() {
    let report = qwen3();
    let highest = report.conclusion.highest.as_ref().expect("fa3 is a hair faster");
    assert_eq!((highest.variant.as_str(), highest.why), ("fa3", NotRecommended::FewerArguments));
    assert!(highest.value == 10434.44 && highest.above_recommended_pct.is_some_and(|pct| near(pct, 0.08)));
}

#[test]
fn b04_options_chain_and_the_conclusion_does_not() {
    let report = qwen3();
    assert_eq!(report.option_base, OptionBase::Previous);
    let bases: Vec<_> = report.options.iter().filter_map(|row| Some(row.base.as_ref()?.as_str())).collect();
    assert_eq!((bases, report.conclusion.baseline.as_str()), (vec!["vllm", "sglang", "fp8"], "vllm"));
    for lang in Lang::ALL {
        let chained = match lang {
            Lang::Ja => "1つ前の項目の最良の構成",
            Lang::En => "the best of the step before",
        };
        assert!(text::method(lang, &report).iter().any(|sentence| sentence.plain().contains(chained)));
    }
}

#[test]
fn b05_tpot_gets_worse_where_throughput_improves() {
    let report = qwen3();
    for (profile, expected, verdict) in [
        ("sharegpt", 11.34, Verdict::Worse),
        ("short-prompt", 76.63, Verdict::Worse),
        ("medium-prompt", -30.65, Verdict::Better),
        ("long-prompt", -35.88, Verdict::Better),
        ("very-long-prompt", -22.17, Verdict::Better),
    ] {
        let change = &row(&report, profile).tpot_change;
        assert!(change.pct().is_some_and(|pct| near(pct, expected)) && change.verdict == verdict, "{profile}");
    }
    let tail = found(&row(&report, "sharegpt").findings, |evidence| match *evidence {
        Evidence::TailRegression { latency: Latency::Tpot, baseline_ms, candidate_ms, change_pct, .. } => {
            Some((baseline_ms, candidate_ms, change_pct))
        }
        _ => None,
    });
    assert!(tail.is_some_and(|(from, to, pct)| from == 621.87 && to == 1678.80 && near(pct, 169.96)));
}

#[test]
fn b06_mean_tpot_outlasts_the_benchmark() {
    let report = qwen3();
    for (number, implied, duration) in [
        (1, 67.49, 63.53),
        (2, 56.44, 49.86),
        (4, 57.86, 40.21),
        (5, 56.05, 40.18),
        (6, 62.87, 45.91),
        (7, 61.08, 41.67),
    ] {
        let weight = found(&run(&report, number).findings, |evidence| match *evidence {
            Evidence::TpotWeight { implied_s, duration_s } => Some((implied_s, duration_s)),
            _ => None,
        });
        assert!(
            weight.is_some_and(|(ours, bound)| near(ours, implied) && bound == duration),
            "run {number}: {weight:?}"
        );
    }
}

#[test]
fn b07_b08_itl_counts_chunks_and_bursts() {
    let report = qwen3();
    for (number, intervals, expected) in [(11, 4.0, 3.0), (15, 5.0, 3.0), (10, 99.807, 99.0), (14, 100.902, 99.0)] {
        let counted = found(&run(&report, number).findings, |evidence| match *evidence {
            Evidence::ItlIntervals { intervals, expected } => Some((intervals, expected)),
            _ => None,
        });
        assert!(counted.is_some_and(|(ours, n)| (ours - intervals).abs() < 0.001 && n == expected), "{counted:?}");
    }
    let bursts = found(&run(&report, 3).findings, |evidence| match *evidence {
        Evidence::ItlBursts { median_ms, mean_ms } => Some((median_ms, mean_ms)),
        _ => None,
    });
    assert_eq!(bursts, Some((0.12, 84.78)));
}

#[test]
fn b09_answers_are_shorter_than_asked_for() {
    let report = qwen3();
    for (number, expected) in [(8, -1.45), (12, -0.36), (9, -0.197), (13, -0.186)] {
        let off = run(&report, number).findings.iter().filter_map(|finding| match finding.evidence {
            Evidence::LengthDeviation { deviation_pct, .. } => Some(deviation_pct),
            _ => None,
        });
        let off: Vec<f64> = off.collect();
        assert!(off.iter().any(|pct| near(*pct, expected)), "run {number}: {off:?}");
    }
}

#[test]
fn b10_all_requests_at_once() {
    let report = qwen3();
    let at_once = |number: usize| {
        found(&run(&report, number).findings, |evidence| match *evidence {
            Evidence::AllAtOnce { requests } => Some(requests),
            _ => None,
        })
    };
    assert_eq!((at_once(1), at_once(8), at_once(9)), (Some(1000), Some(100), Some(500)));
}

#[test]
fn b11_engine_and_weights_change_together() {
    let report = qwen3();
    let models = found(&row(&report, "sharegpt").findings, |evidence| match evidence {
        Evidence::PrecisionChanged { baseline_model, candidate_model } => {
            Some((baseline_model.clone(), candidate_model.clone()))
        }
        _ => None,
    });
    assert_eq!(models, Some(("Qwen/Qwen3-14B".to_owned(), "Qwen/Qwen3-14B-FP8".to_owned())));
    for lang in Lang::ALL {
        let explanation: String =
            text::conclusion(lang, &report).explanation.iter().map(|sentence| sentence.plain()).collect();
        assert!(
            ["vLLM", "SGLang", "Qwen/Qwen3-14B-FP8"].iter().all(|word| explanation.contains(word)),
            "{explanation}"
        );
    }
}

#[test]
fn b16_coarse_rates_raise_no_alarm_and_the_exact_ones_stand_beside() {
    let report = qwen3();
    for (number, printed, exact) in [(8, 0.26, 0.258532), (12, 0.31, 0.311974)] {
        let run = run(&report, number);
        assert_eq!(Metric::RequestThroughput.of(&run.metrics), Some(printed));
        let ours = run.recomputed.get(Metric::RequestThroughput);
        assert!(ours.is_some_and(|rate| (rate - exact).abs() < 1e-4), "{ours:?}");
        assert!(run.findings.iter().all(|finding| finding.evidence.id() != "rate-mismatch"));
    }
}

#[test]
fn b17_a_p99_that_hides_stalls() {
    let hidden = found(&run(&qwen3(), 13).findings, |evidence| match *evidence {
        Evidence::TailBeyondP99 { latency: Latency::Itl, p99_ms, least_ms, .. } => Some((p99_ms, least_ms)),
        _ => None,
    });
    assert!(hidden.is_some_and(|(p99, least)| p99 == 89.35 && (least - 1958.35).abs() < 0.01), "{hidden:?}");
}

#[test]
fn b18_what_holds_raises_nothing() {
    let report = qwen3();
    let silent = [
        "rate-mismatch",
        "percentile-order",
        "mean-above-p99",
        "not-measured-zero",
        "peak-implausible",
        "peak-below-mean",
        "contradictory-counts",
        "success-rate",
        "littles-law",
        "duplicate-measurement",
    ];
    let raised = report.findings.iter().find(|finding| silent.contains(&finding.evidence.id()));
    assert!(raised.is_none(), "{raised:?}");
}
