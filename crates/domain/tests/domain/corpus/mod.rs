//! Result files of every tool, each read to the values that it holds. A case is the file and a line a run:
//! `succ 31, failed 9, dur 2.233, TTFT 58.24/56.93/77.01` (mean/median/P99 in ms). A figure is right when it rounds to
//! what is written; `no TPOT` says that it must be absent.

mod documents;
mod guidellm;
pub mod mangled;
mod others;
mod sglang;
mod summaries;
mod trtllm;
mod vllm;

use std::fs;
use std::path::{Path, PathBuf};

use touchstone_domain::metrics::{Distribution, Stat};
use touchstone_domain::parse::{Parsed, parse};
use touchstone_domain::run::Measurement;
use touchstone_domain::units::RequestRate;

/// A fixture by its path below `tests/fixtures`.
pub fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(path)
}

/// What a fixture holds.
pub fn read(path: &str) -> Parsed {
    let bytes = fs::read(fixture(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    parse(&bytes).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Checks the runs of a fixture, all of them and in order. Gives how many values were compared.
pub fn check(path: &str, runs: &[&str]) -> usize {
    let parsed = read(path);
    assert_eq!(parsed.runs.len(), runs.len(), "{path}: number of runs");
    let pairs = parsed.runs.iter().zip(runs).enumerate();
    pairs.map(|(at, (run, expected))| expect(&format!("{path}, run {at}"), run, expected)).sum()
}

/// Checks one run against a line of values.
pub fn expect(what: &str, run: &Measurement, expected: &str) -> usize {
    let mut compared = 0;
    for item in expected.split(", ") {
        let (name, values) = item.rsplit_once(' ').unwrap_or_else(|| panic!("{what}: {item:?} is no value"));
        if let Some(name) = item.strip_prefix("no ") {
            assert_eq!(found(run, name), None, "{what}: {name} must be absent");
            compared += 1;
            continue;
        }
        let names: Vec<String> = match distribution(run, name) {
            Some(_) if values.contains('/') => {
                ["mean", "median", "p99"].iter().map(|stat| format!("{name} {stat}")).collect()
            }
            _ => vec![name.to_owned()],
        };
        for (name, value) in names.iter().zip(values.split('/')) {
            let expected: f64 = value.parse().unwrap_or_else(|_| panic!("{what}: {item:?} has no number"));
            let got = found(run, name).unwrap_or_else(|| panic!("{what}: {name} is absent, expected {value}"));
            let decimals = value.split_once('.').map_or(0, |(_, fraction)| fraction.len() as i32);
            let half_unit = 0.5 * 10_f64.powi(-decimals) + expected.abs() * 1e-12;
            assert!(
                got == expected || (got - expected).abs() <= half_unit,
                "{what}: {name} is {got}, expected {value}"
            );
            compared += 1;
        }
    }
    compared
}

fn distribution<'a>(run: &'a Measurement, name: &str) -> Option<&'a Distribution> {
    let metrics = &run.metrics;
    match name {
        "TTFT" => Some(&metrics.ttft),
        "TPOT" => Some(&metrics.tpot),
        "TPOT1" => Some(&metrics.tpot_including_first),
        "ITL" => Some(&metrics.itl),
        "E2E" => Some(&metrics.e2el),
        _ => None,
    }
}

/// `TTFT` is present when any statistic is; `TTFT mean` is one figure.
fn found(run: &Measurement, name: &str) -> Option<f64> {
    let metrics = &run.metrics;
    let count = |value: Option<u64>| value.map(|value| value as f64);
    match name {
        "succ" => count(metrics.successful_requests),
        "failed" => count(metrics.failed_requests),
        "incomplete" => count(metrics.incomplete_requests),
        "planned" => count(metrics.planned_requests),
        "cap" => count(metrics.max_concurrency),
        "peak conc" => count(metrics.peak_concurrent_requests),
        "conc" => metrics.mean_concurrency,
        "in" => count(metrics.total_input_tokens),
        "out tokens" => count(metrics.total_output_tokens),
        "dur" => metrics.duration.map(|v| v.get()),
        "req/s" => metrics.request_throughput.map(|v| v.get()),
        "out" => metrics.output_throughput.map(|v| v.get()),
        "total" => metrics.total_token_throughput.map(|v| v.get()),
        "peak out" => metrics.peak_output_throughput.map(|v| v.get()),
        "goodput" => metrics.goodput.map(|v| v.get()),
        "acceptance" => metrics.acceptance_rate_pct,
        "length" => metrics.acceptance_length,
        "rate" => metrics.request_rate.map(|rate| match rate {
            RequestRate::Unlimited => f64::INFINITY,
            RequestRate::PerSec(rate) => rate.get(),
        }),
        other => {
            let (latency, stat) = other.split_once(' ').map_or((other, None), |(name, stat)| (name, Some(stat)));
            let distribution = distribution(run, latency).unwrap_or_else(|| panic!("{other:?} is no value's name"));
            let Some(stat) = stat else { return distribution.values().next().map(|v| v.get()) };
            let stat: Stat = stat.parse().unwrap_or_else(|()| panic!("{stat:?} is no statistic"));
            distribution.get(&stat).map(|v| v.get())
        }
    }
}

/// Checks the number of runs of a fixture, and some of them by their place and the line they start on.
pub fn check_some(path: &str, runs: usize, some: &[(usize, usize, &str)]) -> usize {
    let parsed = read(path);
    assert_eq!(parsed.runs.len(), runs, "{path}: number of runs");
    let one = |(at, line, expected): &(usize, usize, &str)| {
        let run = &parsed.runs[*at];
        let first_line = run.excerpt.as_ref().map(|excerpt| excerpt.first_line);
        assert_eq!(first_line, Some(*line), "{path}, run {at}: the line it starts on");
        expect(&format!("{path}, run {at}"), run, expected)
    };
    some.iter().map(one).sum()
}
