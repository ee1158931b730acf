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

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use touchstone_domain::metrics::{Distribution, Stat};
use touchstone_domain::parse::{ParseError, Parsed, parse};
use touchstone_domain::run::Measurement;
use touchstone_domain::units::RequestRate;

/// A fixture by its path below `tests/fixtures`.
pub fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(path)
}

thread_local! {
    /// Files that were read and values that were found right, in this thread.
    static TALLY: RefCell<(BTreeSet<String>, usize)> = RefCell::default();
}

/// Every test that holds fixtures against values.
const VALUED: &[fn()] = &[
    documents::every_block_of_a_page_is_read_in_order,
    documents::a_tpot_that_holds_the_first_token_says_so_and_itl_is_kept_apart,
    guidellm::every_version_reads_to_its_values,
    guidellm::the_same_run_reads_alike_from_json_and_csv,
    guidellm::the_four_tpots_of_a_gpustack_runner_are_told_apart,
    others::lmdeploy_rows_are_a_csv_whatever_the_file_is_called,
    others::mlperf_latencies_become_milliseconds_and_offline_ones_are_left_out,
    others::genai_bench_says_its_unit_and_its_kind_of_load,
    sglang::every_json_line_of_bench_serving_reads_to_its_values,
    sglang::the_console_reads_to_the_values_of_the_json_lines,
    sglang::one_batch_has_one_latency_and_no_distribution,
    summaries::every_summary_reads_to_its_values,
    summaries::lists_of_runs_keep_their_order,
    trtllm::the_report_and_the_console_read_alike,
    trtllm::the_fork_of_benchmark_serving_reads_past_its_failure_lines,
    vllm::every_json_of_bench_serve_reads_to_its_values,
    vllm::a_run_without_a_success_has_counts_and_nothing_else,
    vllm::every_console_log_reads_to_the_values_of_its_json,
    vllm::a_sweep_reads_as_runs_as_summary_and_as_table,
    vllm::offline_benchmarks_have_what_they_measure_and_no_more,
    vllm::a_table_made_of_blocks_reads_row_by_row,
];

/// The same assertions as the tests of each tool, counted: a fixture that can be read and is held against no value fails.
/// `cargo test -p touchstone-domain --test domain corpus::figures -- --nocapture` prints the count.
#[test]
fn figures() {
    VALUED.iter().for_each(|test| test());
    let (read, values) = TALLY.with_borrow(Clone::clone);
    let (mut all, mut refused) = (BTreeSet::new(), 0);
    for folder in fs::read_dir(fixture("")).unwrap().map(|entry| entry.unwrap()).filter(|entry| entry.path().is_dir()) {
        for file in fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap()) {
            match parse(&fs::read(file.path()).unwrap()) {
                Ok(parsed) => {
                    assert_eq!(parsed.rejected, [], "{}", file.path().display());
                    all.insert(format!("{}/{}", folder.file_name().display(), file.file_name().display()));
                }
                // It belongs to a result but holds none, and says which file does.
                Err(ParseError::NotAResult { .. }) => refused += 1,
                Err(error) => panic!("{}: {error}", file.path().display()),
            }
        }
    }
    assert_eq!(read, all, "every file that is read is held against values, and no other");
    println!(
        "corpus: files read {}/{}, values right {values}/{values}; {refused} more hold no result and say where it is",
        read.len(),
        all.len()
    );
}

/// What a fixture holds.
pub fn read(path: &str) -> Parsed {
    TALLY.with_borrow_mut(|(files, _)| files.insert(path.to_owned()));
    let bytes = fs::read(fixture(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    parse(&bytes).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Checks the runs of a fixture, all of them and in order.
pub fn check(path: &str, runs: &[&str]) {
    let parsed = read(path);
    assert_eq!(parsed.runs.len(), runs.len(), "{path}: number of runs");
    let pairs = parsed.runs.iter().zip(runs).enumerate();
    pairs.for_each(|(at, (run, expected))| expect(&format!("{path}, run {at}"), run, expected));
}

/// Checks one run against a line of values.
pub fn expect(what: &str, run: &Measurement, expected: &str) {
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
    TALLY.with_borrow_mut(|(_, values)| *values += compared);
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
pub fn check_some(path: &str, runs: usize, some: &[(usize, usize, &str)]) {
    let parsed = read(path);
    assert_eq!(parsed.runs.len(), runs, "{path}: number of runs");
    let one = |(at, line, expected): &(usize, usize, &str)| {
        let run = &parsed.runs[*at];
        let first_line = run.excerpt.as_ref().map(|excerpt| excerpt.first_line);
        assert_eq!(first_line, Some(*line), "{path}, run {at}: the line it starts on");
        expect(&format!("{path}, run {at}"), run, expected);
    };
    some.iter().for_each(one);
}
