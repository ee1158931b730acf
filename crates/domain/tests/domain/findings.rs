//! Every check of the product: raised by figures that deserve it, silent on sound ones, with its sentence in both languages.

use std::collections::BTreeSet;

use crate::studies::{self, Bench};
use touchstone_domain::change::Verdict;
use touchstone_domain::check::{Evidence, Severity, WarmSign};
use touchstone_domain::metrics::{Metrics, Stat};
use touchstone_domain::report::{Report, Reservation, Standing, build, kinds_of};
use touchstone_domain::study::StudyData;
use touchstone_domain::text::{self, Lang};
use touchstone_domain::units::{Ms, ReqPerSec, RequestRate, Secs, TokPerSec};

fn sound() -> StudyData {
    let faster = Bench { duration: 16.0, ttft: 6500.0, tpot: 70.0, ..Bench::SOUND };
    studies::made_up(
        &[("base", "args = []"), ("other", "args = [\"--max-num-seqs=256\"]")],
        &[
            ("base", "start = \"1\"", Bench::SOUND),
            ("base", "start = \"2\"", Bench { duration: 17.1, ..Bench::SOUND }),
            ("other", "start = \"3\"", faster.clone()),
            ("other", "start = \"4\"", Bench { duration: 16.1, ..faster }),
        ],
    )
}

fn ids(report: &Report) -> BTreeSet<&'static str> {
    report.findings.iter().map(|finding| finding.evidence.id()).collect()
}

fn ms(value: f64) -> Ms {
    Ms::new(value).expect("a latency")
}

#[test]
fn sound_repeats_raise_nothing() {
    assert_eq!(ids(&build(&sound())), BTreeSet::new());
}

type Change = fn(&mut StudyData);

fn first(data: &mut StudyData) -> &mut Metrics {
    &mut data.runs[0].measurement.metrics
}

/// What has to happen to sound runs for each check to speak: the least that does it.
const DESERVED: [(&str, Change); 23] = [
    ("rate-mismatch", |data| first(data).output_throughput = TokPerSec::new(64000.0 / 17.0 * 1.021)),
    ("tpot-identity", |data| _ = first(data).tpot.insert(Stat::Mean, ms(75.0 * 1.21))),
    ("peak-implausible", |data| first(data).peak_output_throughput = TokPerSec::new(64000.0 / 17.0 * 50.1)),
    ("peak-below-mean", |data| first(data).peak_output_throughput = TokPerSec::new(64000.0 / 17.0 * 0.99)),
    ("percentile-order", |data| _ = first(data).ttft.insert(Stat::P99, ms(6999.0))),
    ("mean-above-p99", |data| _ = first(data).e2el.insert(Stat::P99, ms(16524.9))),
    ("not-measured-zero", |data| _ = first(data).itl.insert(Stat::Median, ms(0.0))),
    ("success-rate", |data| {
        let metrics = first(data);
        (metrics.successful_requests, metrics.failed_requests) = (Some(494), Some(6));
    }),
    ("survivors-differ", |data| first(data).total_input_tokens = Some(500 * 900)),
    ("contradictory-counts", |data| first(data).successful_requests = Some(501)),
    ("littles-law", |data| _ = first(data).e2el.insert(Stat::Mean, ms(17.0 * 1021.0))),
    ("load-limited", |data| data.study.profiles[0].request_rate = ReqPerSec::new(30.0).map(RequestRate::PerSec)),
    ("concurrency-capped", |data| data.study.variants[1].args = vec!["--max-num-seqs=501".to_owned()]),
    ("length-deviation", |data| first(data).total_input_tokens = Some(512_000 + 52)),
    ("low-sample-tail", |data| {
        for run in &mut data.runs {
            run.measurement.metrics.successful_requests = Some(499);
        }
    }),
    ("duplicate-measurement", |data| data.runs[1].measurement.metrics = data.runs[0].measurement.metrics.clone()),
    ("warm-cache", |data| {
        let mut third = data.runs[0].clone();
        (third.id, third.start) = ("third".into(), Some("5".to_owned()));
        third.measurement.metrics.duration = Secs::new(16.9);
        data.runs.push(third);
        let metrics = first(data);
        metrics.duration = Secs::new(11.2);
        _ = metrics.ttft.insert(Stat::Mean, ms(3400.0));
    }),
    ("workload-differs", |data| {
        first(data).max_concurrency = Some(200);
    }),
    ("hardware-differs", |data| data.study.variants[1].gpus = Some(2)),
    ("precision-changed", |data| data.study.variants[1].model = "Qwen/Qwen3-8B-FP8".to_owned()),
    ("single-run", |data| data.runs.truncate(3)),
    ("tail-regression", |data| {
        for run in &mut data.runs[2..] {
            _ = run.measurement.metrics.ttft.insert(Stat::P99, ms(14_000.0 * 1.051));
        }
    }),
    ("beyond-hardware", |data| first(data).duration = Secs::new(7.4)),
];

#[test]
fn every_check_of_the_product_speaks_where_it_must() {
    for (id, change) in DESERVED {
        let mut data = sound();
        change(&mut data);
        let report = build(&data);
        assert!(ids(&report).contains(id), "{id} is not among {:?}", ids(&report));
        let finding = report.findings.iter().find(|finding| finding.evidence.id() == id).unwrap();
        for lang in Lang::ALL {
            let sentence = text::evidence(lang, &report, &finding.evidence).plain();
            assert!(sentence.ends_with(['。', '.']), "{id}: {sentence}");
            assert!(!text::phrase::finding(lang, &finding.evidence).is_empty());
        }
    }
    let named: BTreeSet<_> = DESERVED.iter().map(|(id, _)| *id).collect();
    assert_eq!(named.len(), DESERVED.len(), "each check has its own case");
}

#[test]
fn thresholds_hold_on_their_near_side() {
    let near: [(&str, Change); 12] = [
        ("rate-mismatch", |data| first(data).output_throughput = TokPerSec::new(64000.0 / 17.0 * 1.019)),
        ("tpot-identity", |data| _ = first(data).tpot.insert(Stat::Mean, ms(75.0 * 1.19))),
        ("peak-implausible", |data| first(data).peak_output_throughput = TokPerSec::new(63_999.0)),
        ("success-rate", |data| {
            let metrics = first(data);
            (metrics.successful_requests, metrics.failed_requests) = (Some(495), Some(5));
        }),
        ("littles-law", |data| _ = first(data).e2el.insert(Stat::Mean, ms(17.0 * 1019.0))),
        ("load-limited", |data| {
            data.study.profiles[0].request_rate = ReqPerSec::new(36.0).map(RequestRate::PerSec);
        }),
        ("concurrency-capped", |data| data.study.variants[1].args = vec!["--max-num-seqs=500".to_owned()]),
        ("length-deviation", |data| first(data).total_input_tokens = Some(512_000 + 51)),
        // Twice as quick, but one other run only: either may be the odd one.
        ("warm-cache", |data| {
            let metrics = first(data);
            metrics.duration = Secs::new(8.0);
            _ = metrics.ttft.insert(Stat::Mean, ms(2000.0));
        }),
        ("hardware-differs", |data| data.study.variants[1].gpus = Some(1)),
        ("tail-regression", |data| {
            for run in &mut data.runs[2..] {
                _ = run.measurement.metrics.ttft.insert(Stat::P99, ms(14_000.0 * 1.049));
            }
        }),
        // 77,312 tok/s is the roof of 8 billion weights on an H200.
        ("beyond-hardware", |data| first(data).duration = Secs::new(7.5)),
    ];
    for (id, change) in near {
        let mut data = sound();
        change(&mut data);
        let report = build(&data);
        assert!(!ids(&report).contains(id), "{id}");
    }
}

#[test]
fn a_few_tokens_that_share_a_chunk_are_no_finding_and_more_gaps_than_tokens_are() {
    let with = |itl: f64| {
        let mut data = sound();
        _ = first(&mut data).itl.insert(Stat::Mean, ms(itl));
        ids(&build(&data)).contains("itl-intervals")
    };
    // 127 tokens follow the first, 75 ms apart.
    assert_eq!([with(75.0 / 0.96), with(75.0 / 0.94), with(75.0 / 1.002)], [false, true, true]);
}

#[test]
fn a_mean_over_requests_says_what_it_weighs() {
    let mut data = sound();
    _ = first(&mut data).tpot.insert(Stat::Mean, ms(100.0));
    _ = data.runs[1].measurement.metrics.tpot.insert(Stat::Mean, ms(50.0));
    let report = build(&data);
    let weighs = report.runs.iter().filter_map(|run| {
        run.findings.iter().find_map(|finding| match finding.evidence {
            Evidence::TpotIdentity { weighs_requests, includes_first_token, .. } => {
                Some((weighs_requests, includes_first_token))
            }
            _ => None,
        })
    });
    assert_eq!(weighs.collect::<Vec<_>>(), [(true, false), (false, false)]);
}

/// The figures of an unchanged server on an H200, three runs with the prefix cache cleared and one without.
fn h200(keys: &str) -> StudyData {
    let run = |duration, ttft, tpot| Bench { duration, ttft, tpot, max_concurrency: None, ..Bench::SOUND };
    studies::made_up(
        &[("base", keys)],
        &[
            ("base", "start = \"a\"", run(17.129449, 7089.38, 74.95)),
            ("base", "start = \"a\"", run(17.355245, 6969.57, 77.72)),
            ("base", "start = \"a\"", run(16.9649, 6902.39, 75.15)),
            ("base", "start = \"a\"", run(6.768658, 2718.30, 17.16)),
        ],
    )
}

#[test]
fn a_warm_cache_is_found_among_repeats_and_is_part_of_no_mean() {
    let report = build(&h200("args = []"));
    let warm: Vec<_> = report
        .runs
        .iter()
        .filter_map(|run| {
            let evidence = run.findings.iter().find(|finding| finding.evidence.id() == "warm-cache")?;
            Some((run.number, evidence.evidence.clone()))
        })
        .collect();
    let [(4, Evidence::WarmCache { sign: WarmSign::Repeats, ttft_ms, least_ms, total_tps, most_tps })] =
        warm.as_slice()
    else {
        panic!("{warm:?}");
    };
    let near = |value: Option<f64>, expected: f64| value.is_some_and(|value| (value - expected).abs() < 0.01);
    assert_eq!((*ttft_ms, *least_ms), (2718.30, 6902.39));
    assert!(near(*total_tps, 85_098.11) && near(*most_tps, 33_952.45), "{total_tps:?} {most_tps:?}");
    let row = report.primary_row().expect("the baseline was measured");
    assert_eq!((row.baseline.n, row.baseline.runs.len()), (3, 3));
    assert!(near(row.baseline.recomputed.total_token_throughput.map(|tps| tps.get()), 33_589.19));
    // And no GPU of this kind multiplies 8 billion weights that fast.
    let beyond = report.runs[3].findings.iter().any(|finding| finding.evidence.id() == "beyond-hardware");
    assert!(
        beyond && report.runs[..3].iter().all(|run| run.findings.iter().all(|f| f.evidence.id() != "beyond-hardware"))
    );
}

#[test]
fn without_a_prefix_cache_nothing_can_be_warm() {
    for keys in ["args = [\"--no-enable-prefix-caching\"]", "args = [\"--disable-radix-cache\"]"] {
        let report = build(&h200(keys));
        assert!(!ids(&report).contains("warm-cache"), "{keys}");
        assert_eq!(report.primary_row().map(|row| row.baseline.n), Some(4));
    }
}

#[test]
fn a_first_token_before_the_prompt_can_be_read_is_a_warm_cache() {
    let alone =
        |ttft| Bench { requests: 100, ttft, tpot: 7.0, duration: 100.0, max_concurrency: Some(1), ..Bench::SOUND };
    let sign = |ttft| {
        let report = build(&studies::made_up(&[("base", "args = []")], &[("base", "", alone(ttft))]));
        report.runs[0].findings.iter().find_map(|finding| match finding.evidence {
            Evidence::WarmCache { sign, least_ms, .. } => Some((sign, least_ms)),
            _ => None,
        })
    };
    // 1,024 tokens at 77,312 tok/s.
    let (warm, least_ms) = sign(13.0).expect("13 ms are too few");
    assert!(warm == WarmSign::Prefill && (least_ms - 13.245).abs() < 0.001, "{least_ms}");
    assert_eq!(sign(13.3), None);
}

#[test]
fn more_gpus_are_no_gain_and_figures_stand_per_gpu() {
    let twice = Bench { duration: 9.0, ttft: 3500.0, tpot: 38.0, ..Bench::SOUND };
    let data = studies::made_up(
        &[("base", "args = []"), ("two", "args = [\"--tensor-parallel-size=2\"]\ngpus = 2")],
        &[
            ("base", "start = \"1\"", Bench::SOUND),
            ("base", "start = \"2\"", Bench { duration: 17.1, ..Bench::SOUND }),
            ("two", "start = \"3\"", twice.clone()),
            ("two", "start = \"4\"", Bench { duration: 9.1, ..twice }),
        ],
    );
    let report = build(&data);
    assert_eq!(report.conclusion.recommended.as_ref().map(|id| id.as_str()), Some("base"));
    assert_eq!(report.conclusion.standing, Standing::KeepBaseline);
    let ranked = report.ranking.iter().find(|ranked| ranked.variant.as_str() == "two").unwrap();
    assert_eq!(ranked.why_not, Some(touchstone_domain::advise::WhyNot::HardwareDiffers));
    let variant = report.steps[0].variants.iter().find(|variant| variant.id.as_str() == "two").unwrap();
    assert_eq!(variant.change.map(|change| change.verdict), Some(Verdict::NotComparable));
    let figures = variant.figures.as_ref().unwrap();
    assert_eq!(figures.gpus, Some(2));
    let per_gpu = figures.recomputed.total_token_throughput_per_gpu.zip(figures.recomputed.total_token_throughput);
    assert!(per_gpu.is_some_and(|(one, all)| (one.get() * 2.0 - all.get()).abs() < 1e-4));
    let on_runs = report.runs.iter().filter(|run| run.findings.iter().any(|f| f.evidence.id() == "hardware-differs"));
    assert_eq!(on_runs.map(|run| run.number).collect::<Vec<_>>(), [3, 4]);
    for run in &report.runs {
        assert!(run.recomputed.total_token_throughput_per_gpu.is_some(), "run {}", run.number);
    }
}

#[test]
fn arguments_that_need_more_gpus_than_the_study_has_are_noticed() {
    let twice = Bench { duration: 9.0, ttft: 3500.0, tpot: 38.0, ..Bench::SOUND };
    for args in ["--tensor-parallel-size=4", "-tp\", \"4", "--tp-size=2\", \"--pp-size=2"] {
        let two = format!("args = [\"{args}\"]");
        let data = studies::made_up(
            &[("base", "args = []"), ("four", &two)],
            &[("base", "", Bench::SOUND), ("four", "", twice.clone())],
        );
        let report = build(&data);
        let found = report.runs[1].findings.iter().find_map(|finding| match finding.evidence {
            Evidence::HardwareDiffers { gpus, usual_gpus, .. } => Some((gpus, usual_gpus)),
            _ => None,
        });
        assert_eq!(found, Some((Some(4), Some(1))), "{args}");
        assert_eq!(report.conclusion.recommended.as_ref().map(|id| id.as_str()), Some("base"));
        let per_gpu = report.runs[1].recomputed.total_token_throughput_per_gpu.map(|tps| tps.get());
        assert!(per_gpu.is_some_and(|tps| (tps - 16_000.0).abs() < 0.01), "{per_gpu:?}");
    }
}

#[test]
fn quantization_by_argument_is_another_precision() {
    let data = studies::made_up(
        &[("base", "args = []"), ("fp8", "args = [\"--quantization=fp8\", \"--kv-cache-dtype=auto\"]")],
        &[("base", "", Bench::SOUND), ("fp8", "", Bench { duration: 12.7, ttft: 5164.0, tpot: 56.2, ..Bench::SOUND })],
    );
    let report = build(&data);
    let row = report.primary_row().unwrap();
    let models = row.findings.iter().find_map(|finding| match &finding.evidence {
        Evidence::PrecisionChanged { baseline_model, candidate_model } => {
            Some((baseline_model.as_str(), candidate_model.as_str()))
        }
        _ => None,
    });
    assert_eq!(models, Some(("Qwen/Qwen3-8B", "Qwen/Qwen3-8B --quantization=fp8")));
    // Half the bytes and twice the arithmetic: the roof rises with the precision.
    assert!(report.findings.iter().all(|finding| finding.evidence.id() != "beyond-hardware"));
}

#[test]
fn a_recommended_variant_on_other_hardware_says_so_everywhere() {
    // Ranked by latency, where more GPUs may win: throughput still cannot be compared.
    let twice = Bench { duration: 9.0, ttft: 3500.0, tpot: 38.0, ..Bench::SOUND };
    let mut data = studies::made_up(
        &[("base", "args = []"), ("two", "args = []\ngpus = 2")],
        &[("base", "", Bench::SOUND), ("two", "", twice)],
    );
    data.study.objective.goal = "ttft_mean_ms".parse().unwrap();
    let report = build(&data);
    assert_eq!(report.conclusion.recommended.as_ref().map(|id| id.as_str()), Some("two"));
    let row = report.primary_row().unwrap();
    assert_eq!(row.change.verdict, Verdict::NotComparable);
    assert!(report.conclusion.reservations.iter().any(|r| matches!(r, Reservation::HardwareDiffers { .. })));
    let found = row.findings.iter().find(|finding| finding.evidence.id() == "hardware-differs").unwrap();
    let Evidence::HardwareDiffers { gpus: Some(2), usual_gpus: Some(1), per_gpu: Some(each), .. } = found.evidence
    else {
        panic!("{found:?}");
    };
    assert!((each.baseline - 576_000.0 / 17.0).abs() < 0.01 && (each.candidate - 32_000.0).abs() < 0.01, "{each:?}");
    assert!(each.change_pct < 0.0);
    for (lang, words) in [(Lang::En, "totals cannot be compared"), (Lang::Ja, "合計の値は比較できません")] {
        assert!(text::row_note(lang, &report, row).is_some_and(|note| note.plain().contains(words)));
        let sentence = text::evidence(lang, &report, &found.evidence).plain();
        assert!(sentence.contains(words) && sentence.contains("32,000.00"), "{sentence}");
        assert!(!text::conclusion(lang, &report).wrong_choice.is_empty());
    }
}

#[test]
fn the_gpu_that_a_tool_names_is_held_against_the_studys() {
    let mut data = sound();
    data.runs[2].measurement.context.gpu = Some("NVIDIA H100 PCIe".to_owned());
    data.runs[3].measurement.context.gpu = Some("NVIDIA-H200".to_owned());
    data.runs[0].measurement.context.gpus = Some(8);
    let report = build(&data);
    let on: Vec<_> = report
        .runs
        .iter()
        .filter_map(|run| {
            run.findings.iter().find_map(|finding| match &finding.evidence {
                Evidence::HardwareDiffers { gpu, gpus, .. } => Some((run.number, gpu.as_deref(), *gpus)),
                _ => None,
            })
        })
        .collect();
    assert_eq!(on, [(1, None, Some(8)), (3, Some("NVIDIA H100 PCIe"), None)]);
}

#[test]
fn findings_of_a_run_and_of_a_report_come_heaviest_first() {
    let mut data = studies::study(studies::QWEN35).data;
    data.runs[3].measurement.metrics.total_input_tokens = Some(1);
    let report = build(&data);
    let heaviest_first = |severities: Vec<Severity>| severities.windows(2).all(|pair| pair[0] >= pair[1]);
    assert!(heaviest_first(report.findings.iter().map(|finding| finding.evidence.severity()).collect()));
    for run in &report.runs {
        assert!(
            heaviest_first(run.findings.iter().map(|finding| finding.evidence.severity()).collect()),
            "{}",
            run.number
        );
    }
    assert_eq!(report.runs[3].findings[0].evidence.id(), "success-rate");
}

#[test]
fn a_severity_counts_kinds_on_the_page_and_in_markdown() {
    let report = build(&studies::study(studies::QWEN35).data);
    let markdown = touchstone_domain::report::markdown::markdown(&report, Lang::En);
    for severity in [Severity::Disqualifying, Severity::Warning, Severity::Info] {
        let kinds = kinds_of(&report, severity);
        let distinct: BTreeSet<_> = kinds.iter().map(|kind| kind.id).collect();
        assert_eq!(distinct.len(), kinds.len());
        let heading = format!("### {} ({})", text::severity(Lang::En, severity), kinds.len());
        assert!(markdown.contains(&heading), "{heading}");
    }
    let all: usize = [Severity::Disqualifying, Severity::Warning, Severity::Info]
        .iter()
        .flat_map(|severity| kinds_of(&report, *severity))
        .map(|kind| kind.findings.len())
        .sum();
    assert_eq!(all, report.findings.len(), "no finding is lost between the kinds");
}

#[test]
fn variants_that_one_command_starts_are_named_together() {
    let variants = |base: &str, other: &str| {
        let runs = [
            ("base", "start = \"1\"", Bench::SOUND),
            ("other", "start = \"2\"", Bench { duration: 16.0, ..Bench::SOUND }),
        ];
        let data = studies::made_up(&[("base", base), ("other", other)], &runs);
        let found = build(&data).findings.into_iter().find_map(|finding| match finding.evidence {
            Evidence::SameCommand { variants } => Some(variants),
            _ => None,
        });
        found.map(|variants| variants.iter().map(|id| id.as_str().to_owned()).collect::<Vec<_>>().join(" "))
    };
    let args = "args = [\"--max_num_seqs=256\", \"--enable-prefix-caching\"]";
    let spelt = "args = [\"--enable-prefix-caching\", \"--max-num-seqs\", \"256\"]";
    let cases = [
        ("args = []", "args = []", true),
        (args, spelt, true),
        (args, "args = [\"--max-num-seqs=512\", \"--enable-prefix-caching\"]", false),
        (args, "args = [\"--max-num-seqs=256\"]", false),
        (args, &format!("{args}\nenv = {{ VLLM_USE_V1 = \"1\" }}"), false),
        (args, &format!("{args}\nengine_version = \"0.17.1\""), false),
        (args, &format!("{args}\nmodel = \"another\""), false),
        (args, &format!("{args}\ngpus = 8"), false),
        // The last of two values counts, and the first of two words.
        ("args = [\"--x=1\", \"--x=2\"]", "args = [\"--x=2\", \"--x=1\"]", false),
    ];
    for (base, other, same) in cases {
        assert_eq!(variants(base, other), same.then(|| "base other".to_owned()), "{base} against {other}");
    }
}
