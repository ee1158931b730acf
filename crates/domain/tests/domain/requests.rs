//! Requests one by one: read from every format that lists them, kept whole or not at all, and counted against limits.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::sync::LazyLock;

use proptest::prelude::*;
use touchstone_domain::advise::goodput::{GoodputSource, goodput};
use touchstone_domain::aggregate::Figures;
use touchstone_domain::metric::Metric;
use touchstone_domain::metrics::{Latency, Stat};
use touchstone_domain::parse::{Parsed, parse, read};
use touchstone_domain::recompute::{recompute, recompute_under};
use touchstone_domain::report::{Report, build, build_under};
use touchstone_domain::requests::{MAX_REQUESTS, Request, Requests, Timing};
use touchstone_domain::run::Measurement;
use touchstone_domain::study::{Limits, Profile, StudyData};
use touchstone_domain::text::{self, Lang};
use touchstone_domain::units::{Ms, Secs};

use crate::corpus::fixture;
use crate::made::{Made, run};

/// Every fixture that lists all of its requests, and how many each of its runs has. vLLM 0.33 writes latencies always, the
/// rest only with details.
const LISTED: [(&str, &[usize]); 12] = [
    ("guidellm/v0.1.0-per-request-only.json", &[25, 30]),
    ("guidellm/v0.4.0-poisson.json", &[11]),
    ("guidellm/v0.7.4-constant.json", &[19]),
    ("sglang/v0.5.9-output-details.jsonl", &[24]),
    ("vllm/v0.33.0-append-result.json", &[31, 40]),
    ("vllm/v0.33.0-detailed.json", &[12]),
    ("vllm/v0.33.0-embeddings.json", &[40]),
    ("vllm/v0.33.0-spec-goodput.json", &[60]),
    ("vllm/v0.33.0-sweep-run-0.json", &[18]),
    ("vllm/v0.33.0-sweep-summary.json", &[18, 18]),
    ("vllm/v0.7-detailed-e2el-with-texts.json", &[40]),
    ("vllm/v0.7.3-goodput-colon-key.json", &[40]),
];

fn bytes(path: &str) -> Vec<u8> {
    fs::read(fixture(path)).expect("fixtures lie beside the tests")
}

/// The runs of those fixtures.
static ALL: LazyLock<Vec<(&str, Measurement)>> = LazyLock::new(|| {
    let runs = |(path, _): (&'static str, _)| {
        parse(&bytes(path)).expect("it is read").runs.into_iter().map(move |run| (path, run))
    };
    LISTED.into_iter().flat_map(runs).collect()
});

fn of(request: &Request, latency: Latency) -> Option<Ms> {
    match latency {
        Latency::Ttft => request.ttft,
        Latency::Tpot => request.tpot,
        Latency::E2el => request.e2el,
        Latency::Itl => None,
    }
}

#[test]
fn every_format_that_lists_its_requests_gives_its_own_statistics_back() {
    let mut found = Vec::new();
    for folder in fs::read_dir(fixture("")).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        for file in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            let Ok(parsed) = parse(&fs::read(&file).unwrap()) else { continue };
            let of = |run: &Measurement| run.requests.as_ref().map_or(0, Requests::count);
            let counts: Vec<usize> = parsed.runs.iter().map(of).collect();
            if counts.iter().any(|count| *count > 0) {
                found.push((file.strip_prefix(fixture("")).unwrap().to_string_lossy().into_owned(), counts));
            }
        }
    }
    found.sort();
    assert_eq!(found, LISTED.map(|(path, counts)| (path.to_owned(), counts.to_vec())));
    for (path, run) in ALL.iter() {
        let requests = run.requests.as_ref().unwrap();
        for latency in [Latency::Ttft, Latency::Tpot, Latency::E2el] {
            let figures: Vec<f64> = requests.iter().filter_map(|one| Some(of(&one, latency)?.get())).collect();
            if figures.is_empty() {
                assert!(path.contains("v0.33.0") && latency != Latency::E2el, "{path} {latency:?}");
                continue;
            }
            let printed = |stat| run.metrics.latency(latency).get(&stat).map(|ms| ms.get());
            let mean = figures.iter().sum::<f64>() / figures.len() as f64;
            for (stat, ours) in [
                (Stat::Mean, mean),
                (Stat::Max, figures.iter().copied().fold(f64::MIN, f64::max)),
                (Stat::Min, figures.iter().copied().fold(f64::MAX, f64::min)),
            ] {
                let Some(printed) = printed(stat) else { continue };
                assert!((ours / printed - 1.0).abs() < 1e-3, "{path} {latency:?} {stat}: {ours} against {printed}");
            }
        }
    }
}

/// Every reader sees the same in pieces of any size.
struct Pieces<'a> {
    bytes: &'a [u8],
    size: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let size = self.size.min(self.bytes.len()).min(to.len());
        let (piece, rest) = self.bytes.split_at(size);
        to[..size].copy_from_slice(piece);
        self.bytes = rest;
        Ok(size)
    }
}

#[test]
fn a_stream_in_pieces_gives_the_requests_of_the_whole() {
    for (path, _) in LISTED {
        // The first 4 kB are read at once: blanks push the lists beyond them.
        let bytes = [&vec![b' '; 4095], bytes(path).as_slice()].concat();
        let whole = parse(&bytes).unwrap();
        for size in [1, 2, 3, 5, 7, 64, 1021] {
            assert_eq!(read(&mut Pieces { bytes: &bytes, size }).unwrap(), whole, "{path} in pieces of {size}");
        }
    }
}

/// A vLLM result with these per-request lists.
fn vllm(lists: &str) -> String {
    format!(
        r#"{{"model_id": "m", "num_prompts": 4, "completed": 3, "duration": 2.0, "request_throughput": 1.5, "total_input_tokens": 30, "total_output_tokens": 12, "mean_ttft_ms": 200.0, {lists}}}"#
    )
}

fn requests(text: &str) -> (Option<Vec<Request>>, Parsed) {
    let mut parsed = parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!((parsed.runs.len(), parsed.rejected.len()), (1, 0), "{text}");
    let run = parsed.runs.remove(0);
    assert_eq!(run.metrics.successful_requests, Some(3), "{text}");
    assert_eq!(run.metrics.latency(Latency::Ttft).get(&Stat::Mean), Ms::new(200.0).as_ref(), "{text}");
    assert!(run.context.parameters.values().all(|value| value.len() < 40), "{:?}", run.context.parameters);
    (run.requests.map(|requests| requests.iter().collect()), parsed)
}

const TTFTS: &str = r#""ttfts": [0.1, 0.0, 0.2, 0.3]"#;
const ITLS: &str = r#""itls": [[0.01, 0.03], [], [], [0.25]]"#;
const LENS: &str = r#""output_lens": [5, 0, 1, 6]"#;
const ERRORS: &str = r#""errors": ["", "ConnectionError: \"[{,\"", "", ""]"#;

#[test]
fn failed_requests_are_left_out_and_a_single_token_has_no_tpot() {
    let ms = |figures: [Option<f64>; 3]| figures.map(|figure| figure.map(|ms| f64::from(ms as f32)));
    let expected = [
        ms([Some(100.0), Some(10.0), Some(140.0)]),
        ms([Some(200.0), None, Some(200.0)]),
        ms([Some(300.0), Some(50.0), Some(550.0)]),
    ];
    let plain = [TTFTS, ITLS, LENS, ERRORS];
    let with = |at: usize, list: &'static str| {
        let mut lists = plain;
        lists[at] = list;
        lists.join(", ")
    };
    let texts = [
        plain.join(", "),
        // In any order, over lines, with exponents, nulls for no error, errors without a text.
        [ERRORS, LENS, ITLS, TTFTS].join(",\n "),
        with(0, r#""ttfts" : [ 1e-1,0,2.0E-1 ,\n0.3 ]"#),
        with(1, r#""itls": [[0.01,\n0.03], [ ], [], [ 0.25 ]]"#),
        with(3, r#""errors": [null, "x", null, ""]"#),
        with(3, r#""errors": ["", "", "", ""]"#),
        with(3, r#""start_times": [1, 2, 3, 4]"#),
        // The latency itself, where the tool writes it.
        with(1, r#""latencies": [0.14, 0.0, 0.2, 0.55]"#),
        with(1, r#""e2els": [0.14, 0.0, 0.2, 0.55]"#),
    ];
    for text in texts {
        let text = text.replace("\\n", "\n");
        let (found, parsed) = requests(&vllm(&text));
        let found = found.unwrap_or_else(|| panic!("{text}: {:?}", parsed.warnings));
        let found: Vec<_> = found.iter().map(|one| [one.ttft, one.tpot, one.e2el].map(|ms| ms.map(Ms::get))).collect();
        for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
            assert!(found.zip(*expected).map_or(found == expected, |(a, b)| (a - b).abs() < 1e-4), "{text}: {found:?}");
        }
    }
}

#[test]
fn a_malformed_list_keeps_no_request_and_no_run_from_being_read() {
    let plain = [TTFTS, ITLS, LENS, ERRORS];
    let long = format!(r#""ttfts": [{}1, 0, 0.2, 0.3]"#, "0".repeat(3000));
    let cases: [(usize, &str, bool); 19] = [
        (0, r#""ttfts": [0.1, 0.0, 0.2]"#, true),
        (0, r#""ttfts": ["0.1", "0", "0.2", "0.3"]"#, false),
        (0, r#""ttfts": [0.1, [0.0], 0.2, 0.3]"#, false),
        (0, r#""ttfts": [0.1, {"a": [1]}, 0.2, 0.3]"#, false),
        (0, r#""ttfts": [true, 0, 0.2, 0.3]"#, false),
        (0, r#""ttfts": {"0": 0.1}"#, false),
        (0, r#""ttfts": "0.1 0.2 \" 0.3""#, false),
        (0, r#""ttfts": null"#, false),
        (0, r#""ttfts": []"#, false),
        (0, r#""ttfts": [0.8, 0.0, 0.9, 0.7]"#, true),
        (0, &long, false),
        (1, r#""itls": [0.1, 0.2, 0.3, 0.4]"#, false),
        (1, r#""itls": [[0.1], [[0.2]], [], []]"#, false),
        (1, r#""itls": [["0.1"], [], [], []]"#, false),
        (1, r#""itls": [{}, [], [], []]"#, false),
        (2, r#""output_lens": ["5", "0", "1", "6"]"#, false),
        (2, r#""output_lens": [5, 0, 1]"#, true),
        (3, r#""errors": ["", "x", "x", ""]"#, false),
        (3, r#""errors": {"": 1}"#, false),
    ];
    for (at, list, doubted) in cases {
        let mut lists = plain;
        lists[at] = list;
        let (found, parsed) = requests(&vllm(&lists.join(", ")));
        let kept = found.iter().flatten().any(|one| one.ttft.is_some() && one.e2el.is_some() && one.tpot.is_some());
        // Without token counts and flags nothing tells which request failed; a list that fits again fits.
        assert!(!kept || (at >= 2 && found.as_ref().is_some_and(|found| found.len() == 3)), "{list}: {found:?}");
        let doubts = parsed.warnings.iter().any(|warning| warning.message.contains("kept by itself"));
        assert_eq!(doubts, doubted, "{list}: {:?}", parsed.warnings);
    }
    // One latency that is none takes that latency away, not the others.
    for (lists, kept) in [
        ([r#""ttfts": [0.1, 0.0, NaN, 0.3]"#, ITLS, LENS, ERRORS], Some([false, true, false])),
        ([TTFTS, r#""itls": [[0.01, NaN], [], [], [0.25]]"#, LENS, ERRORS], Some([true, false, false])),
        ([TTFTS, r#""itls": [null, [], [], [0.25]]"#, LENS, ERRORS], Some([true, false, false])),
        ([TTFTS, r#""itls": [[Infinity], [], [], [0.25]]"#, LENS, ERRORS], Some([true, false, false])),
        ([TTFTS, r#""itls": [[-5.0], [], [], [0.25]]"#, LENS, ERRORS], Some([true, false, false])),
        ([TTFTS, r#""queue_times": []"#, LENS, ERRORS], Some([true, false, false])),
    ] {
        let (found, _) = requests(&vllm(&lists.join(", ")));
        let measured = found.map(|found| {
            [Latency::Ttft, Latency::Tpot, Latency::E2el]
                .map(|latency| found.iter().any(|one| of(one, latency).is_some()))
        });
        assert_eq!(measured, kept, "{lists:?}");
    }
}

#[test]
fn more_requests_than_are_kept_leave_the_percentiles_alone() {
    let list = |item: &str, count: usize| format!("[{}]", vec![item; count].join(","));
    for (count, kept) in [(MAX_REQUESTS, Some(MAX_REQUESTS)), (MAX_REQUESTS + 1, None)] {
        let lists = format!(
            r#""ttfts": {}, "itls": {}, "output_lens": {}, "errors": {}"#,
            list("0.2", count),
            list("[0.01, 0.01]", count),
            list("3", count),
            list("\"\"", count)
        );
        let text = vllm(&lists).replace("\"completed\": 3", &format!("\"completed\": {count}"));
        let run = parse(text.as_bytes()).unwrap().runs.remove(0);
        assert_eq!(run.requests.map(|requests| requests.count()), kept);
        assert_eq!(run.metrics.successful_requests, Some(count as u64));
    }
}

#[test]
fn a_report_of_guidellm_is_read_whatever_its_requests_are() {
    let text = String::from_utf8(bytes("guidellm/v0.4.0-poisson.json")).unwrap();
    let whole = parse(text.as_bytes()).unwrap().runs;
    assert_eq!(whole[0].requests.as_ref().map(Requests::count), Some(11));
    let first = text.find("\"successful\": [").or_else(|| text.find("\"successful\":[")).unwrap();
    let within = |from: &str, to: &str| format!("{}{}", &text[..first], text[first..].replacen(from, to, 1));
    let ms = "\"time_to_first_token_ms\": 56.31399154663086";
    let cases = [
        // What is read of it afterwards: TTFT, TPOT, end-to-end latency.
        (within(ms, "\"time_to_first_token_ms\": null"), Some([false, true, true])),
        (within(ms, "\"time_to_first_token\": 56.3"), Some([false, true, true])),
        (within(ms, "\"time_to_first_token_ms\": NaN"), Some([false, true, true])),
        (within(ms, "\"time_to_first_token_ms\": \"56.3\""), None),
        (within(ms, "\"time_to_first_token_ms\": {\"mean\": 56.3}"), None),
        (within(ms, "\"time_to_first_token_ms\": [56.3]"), None),
        // A key inside of something nested, or in a text, is another one.
        (within(ms, &format!("{ms}, \"more\": {{\"time_to_first_token_ms\": [7]}}")), Some([true; 3])),
        (within(ms, &format!("{ms}, \"output\": \"\\\"request_latency\\\": 5, \"")), Some([true; 3])),
        (within("\"request_latency\": 0.2197263240814209", "\"request_latency\": 99.0"), None),
        // Samples of the requests, or none.
        (within("\"successful\"", "\"successes\""), None),
        (within("\"successful\": [", "\"successful\": [7, "), None),
        (within("\"successful\": [", "\"successful\": [[], "), None),
        (within("\"successful\": [", "\"successful\": [{}, "), None),
        (within("\"successful\": [", "\"successful\": null, \"others\": ["), None),
    ];
    for (text, kept) in cases {
        let parsed = parse(text.as_bytes()).unwrap();
        assert_eq!((parsed.runs.len(), parsed.rejected.len()), (1, 0));
        assert_eq!(parsed.runs[0].metrics, whole[0].metrics);
        let measured = parsed.runs[0].requests.as_ref().map(|requests| {
            [Latency::Ttft, Latency::Tpot, Latency::E2el].map(|at| requests.iter().any(|one| of(&one, at).is_some()))
        });
        assert_eq!(measured, kept, "{}", &text[first..first + 200]);
        for size in [1, 13] {
            let bytes = [&vec![b' '; 4095], text.as_bytes()].concat();
            let pieces = read(&mut Pieces { bytes: &bytes, size }).unwrap();
            assert_eq!(pieces.runs, parsed.runs);
        }
    }
}

fn slo(limits: &[(&str, f64)]) -> BTreeMap<Metric, f64> {
    limits.iter().map(|(metric, limit)| (metric.parse().expect("a metric"), *limit)).collect()
}

/// A profile with these limits.
fn under(slo: BTreeMap<Metric, f64>) -> Profile {
    let data = Made::of(&[run("base", "chat", 10_000.0)]).data();
    Profile { slo, ..data.study.profile(&"chat".into()).expect("it is made").clone() }
}

#[test]
fn goodput_is_requests_within_every_limit_over_the_duration() {
    // Counted by hand in the raw output: 24 requests in 1.0458588940000482 s.
    let run = parse(&bytes("sglang/v0.5.9-output-details.jsonl")).unwrap().runs.remove(0);
    type Case<'a> = (&'a [(&'a str, f64)], Option<f64>);
    let cases: [Case<'_>; 8] = [
        (&[("ttft_p99_ms", 70.0)], Some(17.0)),
        (&[("tpot_mean_ms", 6.5)], Some(6.0)),
        (&[("ttft_p99_ms", 70.0), ("tpot_p95_ms", 6.8)], Some(12.0)),
        (&[("ttft_p99_ms", 70.0), ("tpot_p95_ms", 6.8), ("e2el_p99_ms", 200.0)], Some(6.0)),
        // The highest percentile named is the limit of a request.
        (&[("ttft_median_ms", 55.0), ("ttft_p99_ms", 70.0)], Some(17.0)),
        (&[("itl_p99_ms", 70.0)], None),
        (&[("goodput", 5.0)], None),
        (&[], None),
    ];
    for (limits, expected) in cases {
        let found = recompute_under(&run, Some(&under(slo(limits))), None).goodput.map(|goodput| goodput.get());
        let expected = expected.map(|met: f64| met / 1.045_858_894_000_048_2);
        assert!(found.zip(expected).map_or(found == expected, |(a, b)| (a - b).abs() < 1e-6), "{limits:?}: {found:?}");
    }
    let without = Measurement { requests: None, ..run.clone() };
    assert_eq!(recompute_under(&without, Some(&under(slo(&[("ttft_p99_ms", 70.0)]))), None).goodput, None);
    let mut still = run;
    still.metrics.duration = Secs::new(0.0);
    assert_eq!(recompute_under(&still, Some(&under(slo(&[("ttft_p99_ms", 70.0)]))), None).goodput, None);
}

proptest! {
    #[test]
    fn what_is_counted_lies_within_what_percentiles_allow(
        at in 0_usize..16,
        shares in prop::array::uniform3(0.0..1.3_f64),
        limited in 1_u8..8,
    ) {
        let (path, run) = &ALL[at % ALL.len()];
        let mut limits = BTreeMap::new();
        for (bit, latency) in [Latency::Ttft, Latency::Tpot, Latency::E2el].into_iter().enumerate() {
            let figures = run.metrics.latency(latency);
            let (Some(mean), true) = (figures.get(&Stat::Mean), limited & (1 << bit) != 0) else { continue };
            // From half to twice the mean: beyond both ends, and everywhere between.
            limits.insert(Metric::Latency(latency, Stat::P99), mean.get() * (0.5 + shares[bit] * 1.2));
        }
        prop_assume!(!limits.is_empty());
        let mut metrics = run.metrics.clone();
        metrics.goodput = None;
        let recomputed = recompute(&metrics, None, None);
        let figures = Figures {
            variant: "v".into(), runs: Vec::new(), n: 1, starts: 1, gpu: None, gpus: None, metrics, recomputed,
            per_start: [].into(),
        };
        let Some(bracket) = goodput(&figures, Some(&limits)) else { return Ok(()) };
        prop_assert_eq!(bracket.source, GoodputSource::Percentiles);
        let counted = recompute_under(run, Some(&under(limits.clone())), None).goodput.map(|goodput| goodput.get());
        let Some(counted) = counted else {
            prop_assert!(path.contains("v0.33.0"), "{}", path);
            return Ok(());
        };
        // Percentiles are interpolated between two requests: each limit may miss one of them.
        let slack = limits.len() as f64 / run.metrics.duration.unwrap().get() + 1e-9;
        prop_assert!(
            (bracket.low - slack..=bracket.high + slack).contains(&counted),
            "{}: {} outside of {:?} under {:?}", path, counted, bracket, limits
        );
    }
}

/// So many requests, of which the first `good` have a TTFT of 100 ms and the others one of 600.
fn counted(good: usize, all: usize) -> Option<Requests> {
    let timing = |at: usize| Timing {
        ttft: Ms::new(if at < good { 100.0 } else { 600.0 }),
        tpot: Ms::new(20.0),
        e2el: Ms::new(2000.0),
        tokens: Some(100.0),
    };
    Requests::of(&(0..all).map(timing).collect::<Vec<_>>())
}

const LIMITED: &str = "slo = { ttft_median_ms = 500 }";

/// The baseline with two runs in one start and one in another, a variant with one run; 100, 80 and 100 s, then 50 s.
fn repeated() -> StudyData {
    let runs = [("base", 10_000.0), ("base", 12_500.0), ("base", 10_000.1), ("a", 20_000.0)];
    let runs = runs.map(|(variant, tps)| run(variant, "chat", tps));
    let mut data = Made { chat: LIMITED, head: "objective = \"goodput\"", ..Made::of(&runs) }.data();
    for (run, (start, good)) in data.runs.iter_mut().zip([("1", 900), ("1", 800), ("2", 700), ("3", 400)]) {
        run.start = Some(start.to_owned());
        run.measurement.requests = counted(good, 1000);
    }
    data
}

fn goodput_row(report: &Report) -> &touchstone_domain::report::GoalRow {
    let goal = "goodput".parse().expect("a figure");
    report.conclusion.rows[0].derived.iter().find(|row| row.goal == goal).expect("there is a goodput")
}

fn side(report: &Report, variant: &str) -> Option<f64> {
    report.ranking.iter().find(|ranked| ranked.variant.as_str() == variant)?.value
}

#[test]
fn repeats_are_averaged_inside_a_start_and_then_over_starts() {
    let data = repeated();
    let report = build(&data);
    // ((900 / 100 + 800 / 80) / 2 + 700 / 99.999) / 2, and 400 / 50.
    let expected = ((9.0 + 10.0) / 2.0 + 700.0 / 99.999) / 2.0;
    assert!(side(&report, "base").is_some_and(|value| (value - expected).abs() < 1e-6), "{:?}", side(&report, "base"));
    assert!(side(&report, "a").is_some_and(|value| (value - 8.0).abs() < 1e-9), "{:?}", side(&report, "a"));
    let row = goodput_row(&report);
    assert_eq!((row.baseline_source, row.at_least), (Some(GoodputSource::Requests), false));
    let figures = &report.conclusion.rows[0].baseline;
    assert_eq!((figures.n, figures.starts), (3, 2));
    let spread = figures.spread(Metric::Goodput).expect("it was repeated");
    assert!((spread.starts.mean - expected).abs() < 1e-6, "{spread:?}");
    let runs: Vec<f64> = report.runs.iter().filter_map(|run| Some(run.recomputed.goodput?.get())).collect();
    assert_eq!(runs.len(), 4);
    assert!((runs[1] - 10.0).abs() < 1e-9, "{runs:?}");
    // One run without its requests: the percentiles have to do, and say so.
    let mut lacking = data.clone();
    lacking.runs[2].measurement.requests = None;
    let row = build(&lacking);
    assert_eq!(goodput_row(&row).baseline_source, Some(GoodputSource::Percentiles));
    // The same measurement twice, once without its requests, is counted.
    let mut twice = data.clone();
    let mut twin = twice.runs[3].clone();
    twice.runs[3].measurement.requests = None;
    twin.id = "twin".into();
    twice.runs.push(twin);
    assert!(side(&build(&twice), "a").is_some_and(|value| (value - 8.0).abs() < 1e-9));
}

#[test]
fn limits_of_a_reader_are_counted_against_too() {
    let data = repeated();
    let asked = |ms: &str| {
        let field = (Limits::field(&"chat".into(), "ttft_median_ms".parse().unwrap()), ms.to_owned());
        build_under(&data, Limits::read(&data.study, &[field]).expect("a limit was sent").limits)
    };
    for (limit, expected) in [("600", 20.0), ("599", 8.0), ("99", 0.0)] {
        let report = asked(limit);
        assert_eq!(side(&report, "a"), Some(expected), "{limit}");
    }
}

#[test]
fn what_the_tool_printed_stands_beside_what_was_counted() {
    let made = |printed: &'static str| {
        let runs = [("base", 10_000.0), ("a", 10_400.0)]
            .map(|(variant, tps)| crate::made::Block { more: printed, ..run(variant, "chat", tps) });
        let mut data = Made { chat: LIMITED, head: "objective = \"goodput\"", ..Made::of(&runs) }.data();
        for (run, good) in data.runs.iter_mut().zip([850, 900]) {
            run.measurement.requests = counted(good, 1000);
        }
        build(&data)
    };
    // The percentiles allow 5 to 9.9 of 10 requests per second; 8.5 were counted.
    for (printed, other) in [
        ("Request goodput (req/s): 9.00\n", Some(9.0)),
        ("Request goodput (req/s): 8.60\n", None),
        ("Request goodput (req/s): 3.00\n", None),
        ("", None),
    ] {
        let report = made(printed);
        let row = goodput_row(&report);
        assert_eq!((row.baseline, row.other_baseline), (Some(8.5), other), "{printed}");
        assert_eq!(row.source(), Some(GoodputSource::Requests));
        let change = row.change;
        assert_eq!(change.reported_pct.is_some(), printed.contains("9.00") || printed.contains("8.60"), "{printed}");
        // 8.5 to 900 / 96.153846 s.
        assert!(change.recomputed_pct.is_some_and(|pct| (pct - 10.117_647).abs() < 1e-3), "{change:?}");
        for (lang, counted, beside) in
            [(Lang::En, "counted by request", "reported 9.00"), (Lang::Ja, "全リクエストの集計", "報告値 9.00")]
        {
            let page = touchstone_domain::report::markdown::markdown(&report, lang);
            assert!(page.contains(counted), "{page}");
            assert_eq!(page.contains(beside), other.is_some(), "{printed}: {page}");
            let by = text::ranked_by(lang, &report).plain();
            assert!(by.contains(if lang == Lang::En { "request by request" } else { "1件ずつ数え" }), "{by}");
        }
    }
}

#[test]
fn a_stored_measurement_keeps_its_requests_and_one_from_before_has_none() {
    for (path, run) in ALL.iter() {
        let document = serde_json::to_value(run).unwrap();
        assert!(document["requests"].is_string(), "{path}");
        assert_eq!(serde_json::from_value::<Measurement>(document.clone()).unwrap(), *run, "{path}");
        let mut old = document;
        old.as_object_mut().unwrap().remove("requests");
        let old = serde_json::from_value::<Measurement>(old).unwrap();
        assert_eq!(old, Measurement { requests: None, ..run.clone() });
        assert!(!serde_json::to_string(&old).unwrap().contains("requests\":\""), "{path}");
    }
}
