//! vLLM: `bench serve` (JSON, appended JSON, console), `bench sweep`, `bench throughput`, `bench latency`.

use super::{check, check_some, read};
use touchstone_domain::parse::{ParseError, parse};
use touchstone_domain::run::{Tool, TpotDefinition};

/// Two runs of one log, appended to one JSON file.
const APPENDED: [&str; 2] = [
    "succ 31, failed 9, planned 40, rate 20, no cap, dur 2.23, req/s 13.88, out 444.26, total 762.67, peak out 500, \
     peak conc 18, in 711, out tokens 992, TTFT 58.24/56.93/77.01, TPOT 6.03/5.96/7.22, ITL 6.03/5.86/9.02, no E2E",
    "succ 40, failed 0, planned 40, rate inf, cap 6, dur 1.87, out 684.77, total 1111.68, peak conc 24, \
     TTFT 64.69/62.70/85.73, E2E 265.06/266.10/311.58, no TPOT, no ITL",
];
const SPECULATIVE: &str = "succ 60, failed 0, cap 8, rate 15, dur 4.33, req/s 13.84, goodput 4.61, out 442.93, total 709.15, \
    peak out 574, peak conc 23, TTFT 63.66/61.90/89.47, TPOT 6.94/6.82/8.72, ITL 6.94/6.74/18.71, E2E 278.66/273.61/346.66, \
    TTFT p99.9 91.49, ITL p90 10.70, acceptance 43.78, length 2.31";
const EMBEDDINGS: &str = "succ 40, failed 0, cap 4, rate inf, dur 0.35, req/s 114.23, total 2278.89, in 798, \
    E2E 32.72/32.37/47.82, no out, no out tokens, no TTFT, no TPOT, no ITL";
const COLON_KEY: &str = "succ 40, planned 40, failed 0, rate 12, cap 8, dur 3.57, req/s 11.20, goodput 11.20, out 358.27, \
    total 1074.81, TTFT 66.70/68.06/84.37, TPOT 8.42/8.22/11.24, ITL 8.42/7.58/19.75, E2E 327.66/324.89/406.55, \
    TTFT p99.9 85.16, TPOT p50 8.22, no peak out";

#[test]
pub fn every_json_of_bench_serve_reads_to_its_values() {
    let cases: [(&str, &[&str]); 10] = [
        (
            "vllm/v0.7-detailed-e2el-with-texts.json",
            &["succ 40, planned 40, failed 0, rate inf, dur 112.002, req/s 0.357, out 327.75, total 658.71, cap 4, \
               TTFT 962.95/1003.69/1784.06, TPOT 10.89/11.08/12.41, ITL 108.49/83.56/1017.69, \
               E2E 10955.27/10922.71/13238.77, no goodput"],
        ),
        (
            "vllm/v0.6.3-detailed-partial-failure-cut.json",
            &["succ 17, failed 983, planned 1000, rate 1000, dur 43.598, req/s 0.390, out 0, total 172.72, in 7530, \
               out tokens 0, no TTFT, no TPOT, no ITL, no E2E"],
        ),
        (
            "vllm/v0.10-goodput-null.json",
            &[
                "succ 500, failed 0, planned 500, cap 64, rate inf, dur 12.338, req/s 40.525, out 2663.12, total 85584.91, \
               in 1023101, out tokens 32858, TTFT 883.63/551.91/3515.43, TPOT 9.49/9.55/12.48, ITL 9.15/9.12/22.39, \
               no goodput",
            ],
        ),
        ("vllm/v0.33.0-append-result.json", &APPENDED),
        (
            "vllm/v0.33.0-detailed.json",
            &["succ 12, failed 0, no cap, dur 0.473, out 811.25, total 1263.35, TTFT 90.02/88.63/115.08, \
               TPOT 9.43/9.34/11.31"],
        ),
        ("vllm/v0.33.0-embeddings.json", &[EMBEDDINGS]),
        ("vllm/v0.33.0-spec-goodput.json", &[SPECULATIVE]),
        ("vllm/v0.7.3-goodput-colon-key.json", &[COLON_KEY]),
        (
            "vllm/v0.11-own-partial-no-failed-key.json",
            &[
                "succ 600, failed 40, planned 640, rate inf, cap 64, peak conc 97, dur 30, req/s 20, out 5120, total 25600, \
               peak out 9000, TTFT 512.25/498.50/801.75, TPOT 10.50/10.25/14.75, ITL 11.50/9.25/40.125, TTFT std 90.125",
            ],
        ),
        (
            "vllm/v0.25-own-pretty-sorted.json",
            &[
                "succ 16, failed 0, planned 16, rate inf, cap 4, peak conc 9, peak out 120, dur 2.5, req/s 6.4, out 102.4, \
               total 307.2, TTFT 80.5/61.25/190.75, TPOT 9.125/9.00/10.5, ITL 9.125/8.75/21.5, no E2E",
            ],
        ),
    ];
    for (file, runs) in cases {
        check(file, runs);
        assert!(read(file).runs.iter().all(|run| run.tool == Tool::VllmServe), "{file}: its tool");
    }
    let details = &read("vllm/v0.33.0-spec-goodput.json").runs[0];
    assert_eq!(details.tpot_definition, TpotDefinition::ExcludesFirstToken);
    assert_eq!(details.context.model.as_deref(), Some("mock-model"));
    let parameter = |name: &str| details.context.parameters.get(name).map(String::as_str);
    assert_eq!([parameter("gpu"), parameter("tp"), parameter("engine")], [Some("H200"), Some("1"), Some("vllm")]);
    assert_eq!(parameter("burstiness"), Some("1.0"));
}

#[test]
pub fn a_run_without_a_success_has_counts_and_nothing_else() {
    check(
        "vllm/v0.25-own-all-failed.json",
        &[
            "succ 0, failed 12, planned 12, dur 0.0071, no req/s, no out, no total, no peak out, no TTFT, no TPOT, no ITL",
        ],
    );
}

#[test]
fn a_failure_count_that_is_derived_is_doubted() {
    let warnings = |file: &str| read(file).warnings.into_iter().map(|warning| warning.message).collect::<Vec<_>>();
    assert!(warnings("vllm/v0.10-goodput-null.json").is_empty());
    assert_eq!(
        warnings("vllm/v0.11-own-partial-no-failed-key.json"),
        ["the document has no count of failures; 640 planned less 600 completed makes 40"]
    );
}

#[test]
pub fn every_console_log_reads_to_the_values_of_its_json() {
    check_some("vllm/v0.33.0-console-append-failures.log", 2, &[(0, 29, APPENDED[0]), (1, 72, APPENDED[1])]);
    check("vllm/v0.33.0-console-embeddings.log", &[EMBEDDINGS]);
    check("vllm/v0.33.0-console-spec-goodput.log", &[SPECULATIVE]);
    check("vllm/v0.7.3-console-progress.log", &[COLON_KEY]);
    check_some(
        "vllm/v0.14-console-spec-decode-in-markdown.md",
        1,
        &[(
            0,
            176,
            "succ 32, failed 0, rate 10, dur 62.23, req/s 0.51, out 526.57, peak out 800, peak conc 32, total 4640.43, \
             TTFT 13395.44/14494.06/22952.29, TPOT 35.39/34.58/49.72, ITL 57.98/41.88/578.32, acceptance 21.33, length 1.64",
        )],
    );
    check_some(
        "vllm/v0.6-console-multi-block.txt",
        23,
        &[
            (
                0,
                5,
                "succ 1, dur 4.53, req/s 0.22, out 18.75, total 36.40, TTFT 314.58/314.58/314.58, TPOT 50.19/50.19/50.19, \
                 ITL 49.13/49.66/94.22, no failed, no planned, no rate",
            ),
            (22, 491, "succ 1, dur 33.84, out 4.08, total 476.89, TTFT mean 23828.07, TPOT mean 73.06"),
        ],
    );
}

#[test]
fn what_the_client_said_before_a_block_goes_with_it() {
    let context = |file: &str, at: usize| read(file).runs.swap_remove(at).context;
    let random = context("vllm/v0.7.3-console-progress.log", 0);
    assert_eq!((random.model.as_deref(), random.dataset.as_deref()), (Some("mock-model"), Some("random")));
    assert_eq!((random.input_tokens, random.output_tokens), (Some(64), Some(32)));
    let second = context("vllm/v0.33.0-console-append-failures.log", 1);
    assert_eq!(second.model.as_deref(), Some("mock-model"));
    let page = context("vllm/v0.14-console-spec-decode-in-markdown.md", 0);
    assert_eq!((page.label.as_deref(), page.model.as_deref()), (Some("Benchmarking / FP8 Benchmark"), None));
    // Two clients that disagree: neither is believed.
    let block = "============ Serving Benchmark Result ============\nSuccessful requests: 3\nBenchmark duration (s): 2.0\n\
         ==================================================\n";
    let said = "Namespace(model='a', num_prompts=3, request_rate=inf, extra={'x': [1, 2]})\n\
                Namespace(model='b,c)', num_prompts=3, request_rate=inf)\nargs: Namespace(model='server', port=1)\n";
    let run = parse(format!("{said}{block}").as_bytes()).unwrap().runs.remove(0);
    assert_eq!(
        (run.context.model, run.metrics.planned_requests, run.metrics.failed_requests),
        (None, Some(3), Some(0))
    );
}

#[test]
pub fn a_sweep_reads_as_runs_as_summary_and_as_table() {
    let first = "succ 18, failed 0, cap 6, dur 0.81, total 804.00, TTFT mean 152.83, TPOT mean 6.65";
    check("vllm/v0.33.0-sweep-run-0.json", &[first]);
    check("vllm/v0.33.0-sweep-summary.json", &[first, "succ 18, total 1053.50"]);
    let totals = ["427.08", "456.32", "804.00", "1053.50", "459.46", "443.86", "1147.56", "1100.42"];
    let rows = totals.map(|total| format!("failed 0, rate inf, total {total}, no goodput"));
    check("vllm/v0.33.0-sweep-summary.csv", &rows.each_ref().map(String::as_str));
    let table = read("vllm/v0.33.0-sweep-summary.csv");
    let swept: Vec<_> = table.runs.iter().map(|run| run.context.parameters["max_num_seqs"].as_str()).collect();
    assert_eq!(swept, ["4", "4", "4", "4", "8", "8", "8", "8"]);
    assert_eq!(table.warnings, []);
    let own = ["succ 16, dur 2.0, TTFT 70.5/66.5/141.0, E2E 210.5/203.5/301.0", "succ 16, dur 1.6, TTFT mean 41.25"];
    check("vllm/v0.25-own-sweep-run-0.json", &own[..1]);
    check("vllm/v0.25-own-sweep-run-1.json", &own[1..]);
    check("vllm/v0.25-own-sweep-summary.json", &own);
    let run = read("vllm/v0.25-own-sweep-run-1.json").runs.remove(0);
    let parameters = ["max_num_seqs", "run_number"].map(|name| run.context.parameters[name].clone());
    assert_eq!(parameters, ["4", "1"]);
}

#[test]
pub fn offline_benchmarks_have_what_they_measure_and_no_more() {
    check(
        "vllm/v0.6-bench-throughput.json",
        &["planned 64, dur 262.464, req/s 0.2438, total 998.78, no succ, no out, no E2E"],
    );
    check(
        "vllm/v0.6-bench-latency.json",
        &["E2E 84220.33/84220.33/84271.97, E2E p90 84262.49, E2E p10 84178.17, no req/s, no total, no succ"],
    );
    let latency = read("vllm/v0.6-bench-latency.json").runs.remove(0);
    assert_eq!((latency.tool, latency.context.parameters["batches"].as_str()), (Tool::VllmLatency, "2"));
    let throughput = read("vllm/v0.6-bench-throughput.json").runs.remove(0);
    assert_eq!(throughput.context.parameters["total_num_tokens"], "262144");
}

#[test]
fn a_dashboard_side_file_is_no_second_result() {
    let bytes = std::fs::read(super::fixture("vllm/v0.25-own-dashboard.pytorch.json")).unwrap();
    let error = parse(&bytes).unwrap_err();
    assert!(matches!(error, ParseError::NotAResult { line: 1, .. }), "{error}");
}

#[test]
pub fn a_table_made_of_blocks_reads_row_by_row() {
    let table = read("vllm/v0.6-wide-table-crlf.csv");
    assert_eq!(table.runs.len(), 12);
    super::expect("first row", &table.runs[0], "succ 1, dur 4.53, total 36.40, TTFT 314.58/314.58/314.58");
    super::expect(
        "last row",
        &table.runs[11],
        "succ 2048, dur 272.95, out 438.42, total 1048.96, TTFT 128150.28/129063.54/253434.71",
    );
}
