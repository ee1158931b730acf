//! Runs and variants side by side: what the sides differ in, what their changes mean, and what is not compared at all.

use std::fmt::Write as _;

use crate::made::{Made, run};
use crate::studies::{self, Bench};
use touchstone_domain::change::Verdict;
use touchstone_domain::compare::{
    Apart, Cell, Comparison, Dimension, Mark, Name, Selection, Subject, Value, WhyMissing, Workload, compare,
};
use touchstone_domain::metric::Metric;
use touchstone_domain::metrics::{Latency, Stat};
use touchstone_domain::report::build;
use touchstone_domain::run::TpotDefinition;
use touchstone_domain::study::{Basis, StudyData};
use touchstone_domain::text::{Lang, compare as words};

const TPOT: Metric = Metric::Latency(Latency::Tpot, Stat::Mean);

fn subject(text: &str) -> Subject {
    text.parse().unwrap_or_else(|()| panic!("{text} is a subject"))
}

fn selection(subjects: &[&str]) -> Selection {
    Selection::of(subjects.iter().map(|text| subject(text)))
}

fn both() -> Vec<StudyData> {
    [studies::QWEN35, studies::QWEN3].map(|slug| studies::study(slug).data).into()
}

fn cell(comparison: &Comparison, metric: Metric, basis: Basis, at: usize) -> Cell {
    let row = comparison
        .metrics
        .iter()
        .find(|row| (row.figure.metric, row.figure.basis, row.figure.per_gpu) == (metric, basis, false));
    row.expect("the figure has a row").cells[at]
}

fn total(comparison: &Comparison, at: usize) -> Cell {
    cell(comparison, Metric::TotalTps, Basis::Recomputed, at)
}

fn verdict(cell: &Cell) -> Verdict {
    cell.change.expect("the side is held against the base").verdict
}

fn dimensions(comparison: &Comparison) -> Vec<(Dimension, bool)> {
    comparison.mismatches.iter().map(|mismatch| (mismatch.dimension, mismatch.certain)).collect()
}

/// A study of two variants under one profile, told apart by a line each.
fn pair(slug: &str, keys: [&str; 2], tps: [f64; 2]) -> StudyData {
    let at = |tps: f64| Bench { duration: 500.0 * 1152.0 / tps, ttft: 9000.0, tpot: 150.0, ..Bench::SOUND };
    let variants = [("base", keys[0]), ("other", keys[1])];
    let mut data = studies::made_up(&variants, &[("base", "", at(tps[0])), ("other", "", at(tps[1]))]);
    data.study.slug = slug.into();
    data
}

#[test]
fn the_figures_and_verdicts_are_those_of_the_report() {
    for data in both() {
        let report = build(&data);
        let comparison = compare(&Selection::of_report(&report), std::slice::from_ref(&data));
        assert_eq!((comparison.base, comparison.missing.len()), (0, 0));
        let row = report.primary_row().expect("both sides were run there");
        for metric in &row.metrics {
            let cell = cell(&comparison, metric.metric, metric.basis, 1);
            assert_eq!(cell.value, metric.recommended, "{:?}", metric.metric);
            assert_eq!(cell.change, Some(metric.change), "{:?} {:?}", metric.metric, metric.basis);
        }
        // The base is not held against itself.
        assert!(comparison.metrics.iter().all(|row| row.cells[0].change.is_none()));
    }
}

#[test]
fn what_a_person_reads_of_the_reference_studies() {
    let slug = studies::QWEN35;
    let of = |variant: &str| format!("{slug}:{variant}:sharegpt");
    let data = both();
    let report = build(&data[0]);
    let recommended = report.conclusion.recommended.as_ref().expect("there is one").as_str();
    let mtp = report.variants.iter().find(|variant| variant.args.iter().any(|arg| arg.contains("mtp")));
    let mtp = mtp.expect("speculative decoding was tried").id.as_str();
    let baseline = of(report.conclusion.baseline.as_str());
    let comparison = compare(&selection(&[&baseline, &of(recommended), &of(mtp)]), &data);
    for lang in Lang::ALL {
        insta::assert_snapshot!(format!("compare-{lang}"), told(&comparison, lang));
    }
    let mismatches = compare(&across(&data), &data).mismatches;
    insta::assert_snapshot!("compare-mismatches", serde_json::to_string_pretty(&mismatches).expect("facts are JSON"));
}

/// The baselines of both studies.
fn across(data: &[StudyData]) -> Selection {
    Selection::of(
        data.iter()
            .map(|data| Subject::of_variant(&data.study.slug, &data.study.baseline, &data.study.primary_profile)),
    )
}

/// A comparison in lines, as its words have it.
fn told(comparison: &Comparison, lang: Lang) -> String {
    let mut out = format!("{}\n{}\n", words::title(lang, comparison), words::description(lang, comparison));
    for column in &comparison.columns {
        let _ = writeln!(out, "- {} {:?}", words::column_name(lang, column).plain(), column.repeats);
        for line in column.command.iter().flatten() {
            let _ = writeln!(out, "    {:?} {}", line.mark, line.text);
        }
    }
    let _ = writeln!(out, "{}", words::banner(lang, comparison));
    for row in &comparison.metrics {
        let cells = row.cells.iter().map(|cell| {
            let change = cell.change.and_then(|change| Some((change.pct()?, change.verdict)));
            let apart = cell.apart.map(|apart| words::apart(lang, apart));
            format!("{:?} {change:?} {apart:?}", cell.value)
        });
        let _ = writeln!(
            out,
            "{}: {}",
            words::figure(lang, row.figure, comparison.in_both_forms(row.figure.metric)),
            cells.collect::<Vec<_>>().join(" | ")
        );
    }
    for row in &comparison.workload {
        let cells: Vec<_> = row.cells.iter().map(|cell| format!("{:?} {}", cell.value, cell.differs)).collect();
        let _ = writeln!(out, "{}: {}", words::workload(lang, row.figure).0, cells.join(" | "));
    }
    for parameter in &comparison.parameters {
        let values = parameter.values.iter().map(|value| value.as_ref().map(|value| words::value(lang, value)));
        let values: Vec<_> = values.map(Option::unwrap_or_default).collect();
        let name = words::parameter(lang, &parameter.name).plain();
        let _ = writeln!(out, "{}{name}: {}", if parameter.differs { "! " } else { "" }, values.join(" | "));
    }
    out
}

#[test]
fn a_side_that_failed_is_compared_in_nothing() {
    let data = both();
    let report = build(&data[0]);
    let failed = report.runs.iter().find(|run| run.recomputed.success_rate_pct.is_some_and(|pct| pct < 99.0));
    let failed = failed.expect("one run lost half of its requests");
    let run = format!("run:{}", failed.id);
    let baseline = format!("{}:{}:{}", report.slug, report.conclusion.baseline, failed.profile);
    let comparison = compare(&selection(&[&baseline, &run]), &data);
    assert!(comparison.columns[1].disqualified && comparison.has_incomparable());
    for row in &comparison.metrics {
        let cell = row.cells[1];
        let Some(change) = cell.change else { continue };
        assert_eq!((change.verdict, cell.apart), (Verdict::NotComparable, Some(Apart::Failures)), "{:?}", row.figure);
    }
    let rate = comparison.workload.iter().find(|row| row.figure == Workload::SuccessRate).expect("it is counted");
    assert_eq!(rate.cells.iter().map(|cell| cell.differs).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn a_load_that_both_reach_sets_throughput_and_not_latency() {
    let data = both();
    let report = build(&data[0]);
    let recommended = report.conclusion.recommended.as_ref().expect("there is one");
    let of = |variant: &str| format!("{}:{variant}:long-context", report.slug);
    let chosen = selection(&[&of(report.conclusion.baseline.as_str()), &of(recommended.as_str())]);
    let comparison = compare(&chosen, &data);
    assert_eq!(total(&comparison, 1).apart, Some(Apart::Load));
    assert_eq!(verdict(&total(&comparison, 1)), Verdict::NotComparable);
    let latency = cell(&comparison, Metric::Latency(Latency::E2el, Stat::P99), Basis::Reported, 1);
    assert_eq!((latency.apart, verdict(&latency)), (None, Verdict::Worse));
}

#[test]
fn different_profiles_stand_side_by_side_without_a_comparison() {
    let data = Made::of(&[run("base", "chat", 1000.0), run("base", "batch", 2000.0)]).data();
    let comparison = compare(&selection(&["made:base:chat", "made:base:batch"]), &[data]);
    assert_eq!(dimensions(&comparison), [(Dimension::Profile, true)]);
    assert_eq!(total(&comparison, 1).value.map(f64::round), Some(2000.0));
    assert_eq!(
        (verdict(&total(&comparison, 1)), total(&comparison, 1).apart),
        (Verdict::NotComparable, Some(Apart::Profile))
    );
}

#[test]
fn every_dimension_that_differs_is_named() {
    let tell = |change: &dyn Fn(&mut StudyData)| {
        let mut data = pair("one", ["args = []", "args = []"], [11_000.0, 12_000.0]);
        change(&mut data);
        compare(&selection(&["one:base:p", "one:other:p"]), &[data])
    };
    type Change<'a> = &'a dyn Fn(&mut StudyData);
    let cases: [(Dimension, bool, Change<'_>, Option<Apart>); 8] = [
        (Dimension::Model, true, &|data| data.study.variants[1].model = "Qwen/Qwen3-4B".to_owned(), None),
        (
            Dimension::Precision,
            true,
            &|data| data.study.variants[1].args = vec!["--kv-cache-dtype=fp8".to_owned()],
            None,
        ),
        (
            Dimension::Hardware,
            true,
            &|data| data.runs[1].measurement.context.gpu = Some("NVIDIA A100".to_owned()),
            Some(Apart::Hardware),
        ),
        (Dimension::GpuCount, true, &|data| data.study.variants[1].gpus = Some(2), Some(Apart::Hardware)),
        (Dimension::Engine, true, &|data| data.study.variants[1].engine = "SGLang".to_owned(), None),
        (
            Dimension::EngineVersion,
            true,
            &|data| {
                data.study.variants[0].engine_version = Some("1".to_owned());
                data.study.variants[1].engine_version = Some("2".to_owned());
            },
            None,
        ),
        (Dimension::EngineVersion, false, &|data| data.study.variants[0].engine_version = Some("1".to_owned()), None),
        (
            Dimension::TpotDefinition,
            true,
            &|data| data.runs[1].measurement.tpot_definition = TpotDefinition::IncludesFirstToken,
            None,
        ),
    ];
    assert_eq!(dimensions(&tell(&|_| ())), []);
    for (dimension, certain, change, apart) in cases {
        let comparison = tell(change);
        let found = dimensions(&comparison);
        assert!(found.contains(&(dimension, certain)), "{dimension:?}: {found:?}");
        assert_eq!(total(&comparison, 1).apart, apart, "{dimension:?}");
        let values = &comparison.mismatches.iter().find(|found| found.dimension == dimension).expect("found").values;
        assert_eq!(values.iter().map(|shared| shared.columns.len()).sum::<usize>(), 2);
    }
    // A variant has figures at the load at which its profile is compared, and at no other.
    let at_other_load = tell(&|data| data.runs[1].measurement.metrics.max_concurrency = Some(64));
    let missing: Vec<_> = at_other_load.missing.iter().map(|missing| missing.why).collect();
    assert_eq!((missing.as_slice(), at_other_load.columns.len()), (&[WhyMissing::NotMeasured][..], 1));
}

#[test]
fn a_run_at_another_load_is_shown_and_not_compared() {
    let mut data = pair("one", ["args = []", "args = []"], [11_000.0, 12_000.0]);
    data.runs[1].measurement.metrics.max_concurrency = Some(64);
    let runs: Vec<String> = data.runs.iter().map(|run| format!("run:{}", run.id)).collect();
    let comparison = compare(&selection(&[&runs[0], &runs[1]]), &[data]);
    assert_eq!(dimensions(&comparison), [(Dimension::Load, true)]);
    assert_eq!(total(&comparison, 1).apart, Some(Apart::LoadPoint));
    assert!(total(&comparison, 1).value.is_some());
}

#[test]
fn two_meanings_of_tpot_get_no_verdict_as_printed_and_one_as_recomputed() {
    let mut data = pair("one", ["args = []", "args = []"], [11_000.0, 12_000.0]);
    data.runs[1].measurement.tpot_definition = TpotDefinition::IncludesFirstToken;
    data.runs[1]
        .measurement
        .metrics
        .e2el
        .insert(Stat::Mean, touchstone_domain::units::Ms::new(40_000.0).expect("it is one"));
    let comparison = compare(&selection(&["one:base:p", "one:other:p"]), &[data]);
    let printed = cell(&comparison, Metric::Latency(Latency::Tpot, Stat::P99), Basis::Reported, 1);
    assert_eq!((printed.apart, verdict(&printed)), (Some(Apart::TpotDefinition), Verdict::Unknown));
    let recomputed = cell(&comparison, TPOT, Basis::Recomputed, 1);
    assert_eq!((recomputed.apart, verdict(&recomputed)), (None, Verdict::Worse));
}

#[test]
fn another_number_of_gpus_is_compared_for_each_gpu() {
    let mut data = pair("one", ["args = []", "gpus = 2"], [10_000.0, 15_000.0]);
    data.study.hardware.count = Some(1);
    let comparison = compare(&selection(&["one:base:p", "one:other:p"]), &[data]);
    let row = comparison.metrics.iter().find(|row| row.figure.per_gpu).expect("there is one");
    assert_eq!(row.cells[1].value.map(f64::round), Some(7500.0));
    assert_eq!((verdict(&row.cells[1]), row.cells[1].apart), (Verdict::Worse, None));
    assert_eq!(total(&comparison, 1).apart, Some(Apart::Hardware));
}

#[test]
fn the_same_workload_of_two_studies_is_compared() {
    let (one, two) = (
        pair("one", ["args = []", "args = []"], [10_000.0, 11_000.0]),
        pair("two", ["args = []", "args = []"], [12_000.0, 13_000.0]),
    );
    let comparison = compare(&selection(&["one:base:p", "two:base:p"]), &[one, two]);
    assert_eq!(dimensions(&comparison), []);
    assert_eq!((verdict(&total(&comparison, 1)), total(&comparison, 1).apart), (Verdict::Better, None));
    assert!(total(&comparison, 1).change.is_some_and(|change| change.unproven().is_some()), "measured once");
}

#[test]
fn repeats_collapse_into_a_mean_with_an_interval_over_starts() {
    let at = |tps: f64| Bench { duration: 500.0 * 1152.0 / tps, ttft: 9000.0, tpot: 150.0, ..Bench::SOUND };
    let runs = [
        ("base", "start = \"b1\"", at(10_000.0)),
        ("base", "start = \"b2\"", at(10_100.0)),
        ("other", "start = \"o1\"", at(11_000.0)),
        ("other", "start = \"o2\"", at(11_200.0)),
    ];
    let data = studies::made_up(&[("base", "args = []"), ("other", "args = [\"--x\"]")], &runs);
    let id = data.runs[2].id.clone();
    let chosen = selection(&["made-up:base:p", "made-up:other:p", &format!("run:{id}")]);
    let comparison = compare(&chosen, &[data]);
    let measured: Vec<_> =
        comparison.columns.iter().map(|column| (column.repeats.starts, column.repeats.runs)).collect();
    assert_eq!(measured, [(Some(2), 2), (Some(2), 2), (Some(1), 1)]);
    let other = total(&comparison, 1);
    assert_eq!(other.value.map(f64::round), Some(11_100.0));
    // t(0.975, 1) · s / √2, with s = 200 / √2.
    assert!(other.half_width.is_some_and(|half| (half - 12.706_204_736 * 100.0).abs() < 0.5), "{other:?}");
    assert!(other.change.is_some_and(|change| change.band().is_some()));
    let one = total(&comparison, 2);
    assert_eq!((one.half_width, one.change.and_then(|change| change.band())), (None, None));
}

#[test]
fn parameters_differ_by_what_they_set_and_not_by_how_they_are_spelled() {
    let data = pair(
        "one",
        [
            "args = [\"--max_num_seqs\", \"8\", \"--same\"]\nenv = { A = \"1\" }",
            "args = [\"--same\", \"--max-num-seqs=8\", \"--x=2\"]",
        ],
        [10_000.0, 11_000.0],
    );
    let comparison = compare(&selection(&["one:base:p", "one:other:p"]), &[data]);
    let of = |name: &Name| comparison.parameters.iter().find(|one| one.name == *name).expect("it is set");
    assert!(!of(&Name::Argument("--max-num-seqs".to_owned())).differs);
    let x = of(&Name::Argument("--x".to_owned()));
    assert_eq!((x.differs, &x.values), (true, &vec![None, Some(Value::Text("2".to_owned()))]));
    assert_eq!(of(&Name::Environment("A".to_owned())).values, [Some(Value::Text("1".to_owned())), None]);
    assert!(!of(&Name::Model).differs && !of(&Name::InputTokens).differs);
    let command = comparison.columns[1].command.as_ref().expect("engine and model are known");
    let marks: Vec<_> = command.iter().map(|line| (line.mark, line.text.as_str())).collect();
    assert_eq!(
        marks,
        [
            (Mark::Removed, "A=1 vllm serve Qwen/Qwen3-8B"),
            (Mark::Added, "vllm serve Qwen/Qwen3-8B"),
            (Mark::Same, "--same"),
            (Mark::Same, "--max-num-seqs=8"),
            (Mark::Added, "--x=2"),
        ]
    );
}

#[test]
fn what_is_not_there_is_named_and_the_rest_is_shown() {
    let data = pair("one", ["args = []", "args = []"], [10_000.0, 11_000.0]);
    let gone = ["gone:base:p", "one:gone:p", "one:base:gone", "run:gone"];
    let chosen = selection(&[&gone[..], &["one:other:p"]].concat()).with_base(&subject("gone:base:p"));
    let comparison = compare(&chosen, &[data]);
    let why: Vec<_> = comparison.missing.iter().map(|missing| missing.why).collect();
    assert_eq!(why, [WhyMissing::Study, WhyMissing::Variant, WhyMissing::Profile, WhyMissing::Run]);
    for (missing, name) in comparison.missing.iter().zip(gone) {
        for lang in Lang::ALL {
            assert!(words::missing(lang, missing).plain().starts_with(name), "{name}");
        }
    }
    assert_eq!((comparison.columns.len(), comparison.base), (1, 0), "what is there is the base");
    let nothing = compare(&Selection::default(), &[]);
    assert!(nothing.columns.is_empty() && nothing.metrics.is_empty() && nothing.parameters.is_empty());
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(24))]

    #[test]
    fn comparing_the_other_way_round_reverses_every_verdict(a in 8_000.0..30_000.0f64, b in 8_000.0..30_000.0f64) {
        // Near the threshold, a change of x and one of x / (1 + x) lie on different sides of it.
        proptest::prop_assume!(((a / b - 1.0).abs() - 0.005).abs() > 1e-3);
        let data = [pair("one", ["args = []", "args = [\"--x\"]"], [a, b])];
        let there = selection(&["one:base:p", "one:other:p"]);
        let back = there.with_base(&subject("one:other:p"));
        let (there, back) = (compare(&there, &data), compare(&back, &data));
        proptest::prop_assert_eq!(&there.mismatches, &back.mismatches);
        proptest::prop_assert_eq!(&there.parameters, &back.parameters);
        for (row, other) in there.metrics.iter().zip(&back.metrics) {
            proptest::prop_assert_eq!(row.cells[0].change, None, "nothing is held against itself");
            proptest::prop_assert_eq!(row.cells[1].value, other.cells[1].value);
            proptest::prop_assert_eq!(row.cells[1].apart, other.cells[0].apart);
            let (Some(to), Some(from)) = (row.cells[1].change, other.cells[0].change) else { continue };
            let reversed = match to.verdict {
                Verdict::Better => Verdict::Worse,
                Verdict::Worse => Verdict::Better,
                same @ (Verdict::Neutral | Verdict::WithinNoise | Verdict::Unknown | Verdict::NotComparable) => same,
            };
            proptest::prop_assert_eq!(from.verdict, reversed, "{:?}", row.figure);
            if let (Some(to), Some(from)) = (to.pct(), from.pct()) {
                proptest::prop_assert!(((1.0 + to / 100.0) * (1.0 + from / 100.0) - 1.0).abs() < 1e-6);
            }
        }
    }
}
