//! Noise, by simulation and by law: how often luck is called a gain, and how often a gain is found.

use crate::studies::{self, Bench};
use proptest::prelude::*;
use touchstone_domain::advise::metric_change;
use touchstone_domain::aggregate::{Figures, figures};
use touchstone_domain::change::{NoiseSource, Verdict};
use touchstone_domain::metric::Metric;
use touchstone_domain::noise::equivalents;
use touchstone_domain::report::build;
use touchstone_domain::study::StudyData;
use touchstone_domain::text::{self, Lang};
use touchstone_domain::units::Secs;

/// SplitMix64: a few lines, the same figures on every machine.
struct Luck(u64);

impl Luck {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// In (0, 1].
    fn uniform(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    /// Standard normal (Box–Muller).
    fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

const TOKENS: f64 = 500.0 * 1152.0;
const TPS: f64 = 30_000.0;

/// Two variants with so many starts each.
fn pair(starts: usize) -> StudyData {
    let names: Vec<String> = (0..2 * starts).map(|at| format!("start = \"{at}\"")).collect();
    let run = |at: usize| Bench { duration: 20.0 + at as f64 / 1000.0, ..Bench::SOUND };
    let of = |variant, offset: usize| {
        let names = &names;
        (0..starts).map(move |at| (variant, names[offset + at].as_str(), run(offset + at)))
    };
    let runs: Vec<_> = of("a", 0).chain(of("b", starts)).collect();
    studies::made_up(&[("a", "args = []"), ("b", "args = [\"--x\"]")], &runs)
}

fn set(data: &mut StudyData, at: usize, tps: f64) {
    data.runs[at].measurement.metrics.duration = Secs::new(TOKENS / tps);
}

fn sides(data: &StudyData) -> (Figures, Figures) {
    let of = |id: &str| figures(data, &id.into(), &"p".into()).expect("it was measured");
    (of("a"), of("b"))
}

fn verdict(data: &StudyData) -> Verdict {
    let (a, b) = sides(data);
    metric_change(data, Metric::TotalTps, &a, &b, None, true).verdict
}

/// How many of `pairs` simulated comparisons are called better, with `gain` and `noise` in percent.
fn better(luck: &mut Luck, starts: usize, pairs: usize, gain: f64, noise: f64) -> usize {
    let mut data = pair(starts);
    (0..pairs)
        .filter(|_| {
            for at in 0..2 * starts {
                let mean = if at < starts { TPS } else { TPS * (1.0 + gain / 100.0) };
                set(&mut data, at, mean * (1.0 + luck.normal() * noise / 100.0));
            }
            verdict(&data) == Verdict::Better
        })
        .count()
}

#[test]
fn luck_is_called_a_gain_in_at_most_one_of_twenty_comparisons() {
    for (starts, noise, pairs) in [(3, 1.0, 2000), (2, 1.0, 500), (3, 5.0, 500), (5, 2.0, 500)] {
        let found = better(&mut Luck(2026), starts, pairs, 0.0, noise);
        println!("{starts} starts, {noise} % noise: {found} of {pairs} called better");
        assert!(found <= pairs / 20, "{starts} starts, {noise} %: {found}");
    }
}

#[test]
fn five_percent_at_one_percent_noise_and_three_starts_is_found() {
    let found = better(&mut Luck(7), 3, 2000, 5.0, 1.0);
    println!("{found} of 2000 found");
    assert!(found >= 1900, "{found}");
}

/// A study with three variants that cannot differ, a baseline and a candidate, one run each.
fn with_equivalents() -> StudyData {
    let ids = ["a", "b", "s512", "s1024", "s2048"];
    let variants = [
        ("a", "args = []"),
        ("b", "args = [\"--x\"]"),
        ("s512", "args = [\"--max-num-seqs=512\"]"),
        ("s1024", "args = [\"--max-num-seqs=1024\"]"),
        ("s2048", "args = [\"--max-num-seqs=2048\"]"),
    ];
    let run = |at: usize| Bench { duration: 20.0 + at as f64 / 1000.0, ..Bench::SOUND };
    let runs: Vec<_> = ids.iter().enumerate().map(|(at, id)| (*id, "", run(at))).collect();
    studies::made_up(&variants, &runs)
}

#[test]
fn an_estimate_from_equivalents_calls_luck_a_gain_as_seldom() {
    let mut data = with_equivalents();
    let mut luck = Luck(42);
    let (mut better, mut worse) = (0, 0);
    for _ in 0..2000 {
        for at in 0..5 {
            set(&mut data, at, TPS * (1.0 + luck.normal() / 100.0));
        }
        let estimate = equivalents(&data, &"p".into()).expect("three variants cannot differ");
        let (a, b) = sides(&data);
        match metric_change(&data, Metric::TotalTps, &a, &b, Some(&estimate), true).verdict {
            Verdict::Better => better += 1,
            Verdict::Worse => worse += 1,
            Verdict::Neutral | Verdict::WithinNoise | Verdict::Unknown | Verdict::NotComparable => {}
        }
    }
    println!("{better} of 2000 called better, {worse} worse");
    assert!(better <= 100 && worse <= 100 && better + worse > 20, "{better} {worse}");
}

#[test]
fn the_estimate_of_the_reference_study_is_t_times_s_times_root_two() {
    let report = build(&studies::study(studies::QWEN35).data);
    let [estimate] = report.noise.as_slice() else { panic!("{:?}", report.noise) };
    let half_up = |value: Option<f64>| value.map(|value| touchstone_domain::round::half_up(value, 2));
    assert_eq!((half_up(estimate.sd_recomputed_pct), half_up(estimate.sd_reported_pct)), (Some(0.42), Some(0.63)));
    assert_eq!((half_up(estimate.band.recomputed_pct), half_up(estimate.band.reported_pct)), (Some(2.55), Some(3.84)));
    let runs = [54.89, 54.87, 55.28].map(|duration| (342_058.0 + 281_412.0) / duration);
    let s = touchstone_domain::stats::relative_sd(&runs).unwrap();
    let t = touchstone_domain::stats::t_quantile(2.0).unwrap();
    assert!(estimate.band.recomputed_pct.is_some_and(|band| (band - t * s * 2_f64.sqrt()).abs() < 1e-5));
    let change = &report.primary_row().unwrap().change;
    assert_eq!((change.verdict, change.significant), (Verdict::WithinNoise, Some(false)));
    // It holds for its own profile only.
    assert!(report.conclusion.rows[1].change.noise.is_none());
}

#[test]
fn repeats_are_nested_and_each_level_is_stated() {
    // Measured on an H200: an unchanged baseline in three server starts.
    let starts = [("a", [33626.30, 33188.81, 33952.45].as_slice()), ("b", &[32209.86, 31777.20]), ("c", &[33406.09])];
    let runs: Vec<(String, Bench)> = starts
        .iter()
        .flat_map(|(start, all)| {
            all.iter()
                .map(move |tps| (format!("start = \"{start}\""), Bench { duration: TOKENS / tps, ..Bench::SOUND }))
        })
        .collect();
    let runs: Vec<_> = runs.iter().map(|(start, bench)| ("a", start.as_str(), bench.clone())).collect();
    let report = build(&studies::made_up(&[("a", "args = []")], &runs));
    let row = report.primary_row().unwrap();
    let spread = row.baseline_spread.as_ref().expect("it was measured six times");
    assert_eq!((row.baseline.n, row.baseline.starts, spread.starts.n), (6, 3, 3));
    assert_eq!(spread.runs.iter().map(|level| level.n).collect::<Vec<_>>(), [3, 2, 1]);
    let near = |value: Option<f64>, expected: f64| value.is_some_and(|value| (value - expected).abs() < 0.005);
    // The mean of starts, not of runs: a start with three runs counts once.
    assert!(near(Some(spread.starts.mean), 32996.27), "{}", spread.starts.mean);
    assert!(near(row.baseline.recomputed.total_token_throughput.map(|tps| tps.get()), 32996.27));
    assert!(near(spread.starts.pct(spread.starts.sd), 2.65) && near(spread.starts.pct(spread.starts.half_width), 6.57));
    for lang in Lang::ALL {
        let noise = text::conclusion(lang, &report).noise;
        let sentence = noise.iter().map(|sentence| sentence.plain()).find(|text| text.contains("32,996.27"));
        assert!(
            sentence
                .is_some_and(|text| text.contains("2.65%") && text.contains("±6.57%") && text.contains("3 + 2 + 1"))
        );
    }
}

#[test]
fn repeats_in_one_start_leave_the_noise_unknown() {
    let runs: Vec<_> =
        (0..3).map(|at| ("a", Bench { duration: 17.0 + f64::from(at) / 10.0, ..Bench::SOUND })).collect();
    let others: Vec<_> =
        (0..3).map(|at| ("b", Bench { duration: 15.0 + f64::from(at) / 10.0, ..Bench::SOUND })).collect();
    let runs: Vec<_> = runs
        .into_iter()
        .map(|(variant, bench)| (variant, "start = \"1\"", bench))
        .chain(others.into_iter().map(|(variant, bench)| (variant, "start = \"2\"", bench)))
        .collect();
    let report = build(&studies::made_up(&[("a", "args = []"), ("b", "args = [\"--x\"]")], &runs));
    let change = &report.primary_row().unwrap().change;
    assert_eq!((change.noise, change.significant), (None, None));
    for (lang, words) in
        [(Lang::En, "the noise across server starts is unknown"), (Lang::Ja, "起動し直したときのゆらぎは不明")]
    {
        assert!(text::conclusion(lang, &report).noise.iter().any(|sentence| sentence.plain().contains(words)));
    }
}

#[test]
fn significant_is_not_relevant() {
    let mut data = pair(4);
    for at in 0..8 {
        let mean = if at < 4 { TPS } else { TPS * 1.003 };
        set(&mut data, at, mean * (1.0 + at as f64 % 4.0 / 1e5));
    }
    let (a, b) = sides(&data);
    let change = metric_change(&data, Metric::TotalTps, &a, &b, None, true);
    assert_eq!(
        (change.verdict, change.significant),
        (Verdict::Neutral, Some(true)),
        "far beyond noise, of use to nobody"
    );
    assert_eq!(change.noise.map(|noise| noise.source), Some(NoiseSource::Starts));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn comparing_the_other_way_round_reverses_the_verdict(
        a in proptest::collection::vec(0.9..1.1f64, 3), b in proptest::collection::vec(0.9..1.1f64, 3),
    ) {
        let mut data = pair(3);
        data.study.relevance_pct = 0.0;
        for (at, factor) in a.iter().chain(&b).enumerate() {
            set(&mut data, at, TPS * factor);
        }
        let (a, b) = sides(&data);
        let there = metric_change(&data, Metric::TotalTps, &a, &b, None, true);
        let back = metric_change(&data, Metric::TotalTps, &b, &a, None, true);
        // Both are kept to six decimals of a percent: closer to its band than that, a change may fall on either side.
        prop_assume!((there.pct().unwrap().abs() - there.band().unwrap()).abs() > 1e-4);
        let expected = match there.verdict {
            Verdict::Better => Verdict::Worse,
            Verdict::Worse => Verdict::Better,
            other => other,
        };
        prop_assert_eq!(back.verdict, expected);
        prop_assert_eq!(back.significant, there.significant);
        let product = (1.0 + there.pct().unwrap() / 100.0) * (1.0 + back.pct().unwrap() / 100.0);
        prop_assert!((product - 1.0).abs() < 1e-6, "{}", product);
    }

    #[test]
    fn a_wider_scatter_never_makes_a_change_significant(
        gain in 0.0..10.0f64, noise in 0.1..3.0f64, factor in 1.0..4.0f64,
    ) {
        let significant = |noise: f64| {
            let mut data = pair(3);
            for at in 0..6 {
                let mean = if at < 3 { TPS } else { TPS * (1.0 + gain / 100.0) };
                set(&mut data, at, mean * (1.0 + (at % 3) as f64 * noise / 100.0 - noise / 100.0));
            }
            let (a, b) = sides(&data);
            metric_change(&data, Metric::TotalTps, &a, &b, None, true).significant
        };
        prop_assert!(significant(noise * factor) <= significant(noise));
    }
}
