//! One run in two forms is recognised as one, and no two runs are ever taken for one: every pair of results of all fixtures
//! is tried, both ways.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use touchstone_domain::parse::parse;
use touchstone_domain::run::{Measurement, same_run};
use touchstone_domain::units::{Ms, Secs};

/// Files that hold the same runs, all of them or those that the smaller one has.
const SAME: [(&str, &str); 19] = [
    ("aiperf/v0.13.0-summary.csv", "aiperf/v0.13.0-summary.json"),
    ("genai-perf/v0.0.16-summary.csv", "genai-perf/v0.0.16-summary.json"),
    ("guidellm/v0.5.4-concurrent.csv", "guidellm/v0.5.4-concurrent.json"),
    ("guidellm/v0.8.1-concurrent.csv", "guidellm/v0.8.1-concurrent.json"),
    ("guidellm/v0.8.1-concurrent.html", "guidellm/v0.8.1-concurrent.json"),
    ("guidellm/v0.8.1-concurrent.csv", "guidellm/v0.8.1-concurrent.html"),
    ("sglang/v0.4.6-console-two-blocks.log", "sglang/v0.4.6-sweep.jsonl"),
    ("sglang/v0.5.9-console.log", "sglang/v0.5.9-output-details.jsonl"),
    ("trtllm/v1-own-benchmark-serving-failures.log", "trtllm/v1-own-benchmark-serving.json"),
    ("trtllm/v1.2-own-console.log", "trtllm/v1.2-own-report.json"),
    ("vllm/v0.25-own-sweep-run-0.json", "vllm/v0.25-own-sweep-summary.json"),
    ("vllm/v0.25-own-sweep-run-1.json", "vllm/v0.25-own-sweep-summary.json"),
    ("vllm/v0.33.0-append-result.json", "vllm/v0.33.0-console-append-failures.log"),
    ("vllm/v0.33.0-console-embeddings.log", "vllm/v0.33.0-embeddings.json"),
    ("vllm/v0.33.0-console-spec-goodput.log", "vllm/v0.33.0-spec-goodput.json"),
    ("vllm/v0.33.0-sweep-run-0.json", "vllm/v0.33.0-sweep-summary.json"),
    ("vllm/v0.33.0-sweep-summary.csv", "vllm/v0.33.0-sweep-summary.json"),
    ("vllm/v0.6-console-multi-block.txt", "vllm/v0.6-wide-table-crlf.csv"),
    ("vllm/v0.7.3-console-progress.log", "vllm/v0.7.3-goodput-colon-key.json"),
];

/// Pairs that share a run without holding all of each other's, and reports converted from another tool's.
const ALSO: [(&str, &str); 4] = [
    ("inference-perf/2025-11-stage.json", "llm-d/v0.1-inference-perf.yaml"),
    ("inference-perf/2025-11-stage.json", "llm-d/v0.2-inference-perf.yaml"),
    ("llm-d/v0.1-inference-perf.yaml", "llm-d/v0.2-inference-perf.yaml"),
    ("vllm/v0.33.0-sweep-run-0.json", "vllm/v0.33.0-sweep-summary.csv"),
];

const READABLE: &str = "fixtures lie beside the tests";

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect(READABLE) {
        let path = entry.expect(READABLE).path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

/// Every run of every fixture, with its file.
fn runs() -> Vec<(String, Measurement)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut found = Vec::new();
    files(&root, &mut found);
    found.sort();
    let parsed = found.iter().filter_map(|path| {
        let name = path.strip_prefix(&root).expect(READABLE).to_string_lossy().into_owned();
        Some((name, parse(&fs::read(path).expect(READABLE)).ok()?.runs))
    });
    parsed.flat_map(|(name, runs)| runs.into_iter().map(move |run| (name.clone(), run))).collect()
}

#[test]
fn every_pair_of_runs_is_told_apart_or_recognised() {
    let runs = runs();
    let mut matched = BTreeSet::new();
    for (at, (file, run)) in runs.iter().enumerate() {
        for (other_file, other) in &runs[at + 1..] {
            let same = same_run(run, other);
            assert_eq!(same, same_run(other, run), "{file} and {other_file}: both ways");
            if !same {
                continue;
            }
            let pair = (file.as_str(), other_file.as_str());
            // A document may quote a run twice.
            let twice = run.metrics == other.metrics;
            assert!(SAME.contains(&pair) || ALSO.contains(&pair) || twice, "{file} is not {other_file}");
            matched.insert(pair);
        }
    }
    for pair in &SAME {
        assert!(matched.contains(pair), "{} is {}", pair.0, pair.1);
    }
}

#[test]
fn each_run_of_two_forms_finds_exactly_its_own() {
    let runs = runs();
    let of = |name: &str| runs.iter().filter(|(file, _)| file == name).map(|(_, run)| run).collect::<Vec<_>>();
    for (a, b) in [
        ("vllm/v0.33.0-append-result.json", "vllm/v0.33.0-console-append-failures.log"),
        ("sglang/v0.4.6-console-two-blocks.log", "sglang/v0.4.6-sweep.jsonl"),
        ("guidellm/v0.8.1-concurrent.csv", "guidellm/v0.8.1-concurrent.json"),
        ("guidellm/v0.5.4-concurrent.csv", "guidellm/v0.5.4-concurrent.json"),
    ] {
        for (at, run) in of(a).into_iter().enumerate() {
            let found: Vec<_> = of(b).iter().map(|other| same_run(run, other)).collect();
            let expected: Vec<_> = (0..found.len()).map(|place| place == at).collect();
            assert_eq!(found, expected, "{a}, run {at}, in {b}");
        }
    }
}

#[test]
fn one_figure_beyond_rounding_or_one_count_makes_another_run() {
    let runs = runs();
    let of = |name: &str| runs.iter().find(|(file, _)| file == name).unwrap().1.clone();
    let printed = of("vllm/v0.7.3-console-progress.log");
    let full = of("vllm/v0.7.3-goodput-colon-key.json");
    assert!(same_run(&printed, &full));
    let changed = |change: fn(&mut Measurement)| {
        let mut other = printed.clone();
        change(&mut other);
        same_run(&other, &full)
    };
    assert!(!changed(|run| run.metrics.total_output_tokens = Some(1281)));
    assert!(!changed(|run| run.metrics.max_concurrency = Some(9)));
    assert!(!changed(|run| run.metrics.duration = Secs::new(3.58)));
    assert!(!changed(|run| {
        run.metrics.ttft.values_mut().for_each(|value| *value = Ms::new(value.get() + 0.01).unwrap());
    }));
    // Without latencies there is not enough to tell.
    assert!(!changed(|run| {
        run.metrics.ttft.clear();
        run.metrics.tpot.clear();
        run.metrics.itl.clear();
        run.metrics.e2el.clear();
    }));
    // What one form leaves out is no difference.
    assert!(changed(|run| {
        run.metrics.itl.clear();
        run.metrics.total_input_tokens = None;
        run.metrics.request_rate = None;
    }));
}
