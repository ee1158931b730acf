//! LMDeploy, MLPerf LoadGen, genai-bench.

use super::{check, fixture, read};
use touchstone_domain::parse::{ParseError, parse};
use touchstone_domain::run::Tool;

#[test]
pub fn lmdeploy_rows_are_a_csv_whatever_the_file_is_called() {
    check(
        "lmdeploy/main-2026-08-profile-restful-api.jsonl",
        &[
            "rate inf, succ 40, dur 0.900, req/s 44.461, out 1422.74, total 4268.22, in 2560, E2E mean 578.15, \
         TTFT mean 178.72, TPOT mean 12.89, ITL mean 12.88, no TTFT p99",
            "rate 12, succ 40, dur 3.100, req/s 12.903, out 412.90, TTFT mean 59.44, TPOT mean 6.24",
        ],
    );
    let run = read("lmdeploy/main-2026-08-profile-restful-api.jsonl").runs.remove(0);
    assert_eq!((run.tool, run.context.engine.as_deref()), (Tool::LmDeploy, Some("lmdeploy")));
    assert_eq!((run.context.input_tokens, run.context.output_tokens), (Some(64), Some(32)));
}

#[test]
pub fn mlperf_latencies_become_milliseconds_and_offline_ones_are_left_out() {
    check(
        "mlperf/2025-server-summary.txt",
        &["req/s 81.68, rate 83.5, out 24593.77, E2E 43579.60/38401.78/136069.23, TTFT 918.46/875.07/1914.65, \
         TPOT 144.59/151.04/193.38, TPOT p99.9 283.86, no succ, no dur, no total"],
    );
    check("mlperf/2025-offline-summary.txt", &["req/s 92.1544, out 27803.9, rate inf, no E2E, no TTFT, no TPOT"]);
    let offline = read("mlperf/2025-offline-summary.txt");
    assert_eq!(offline.warnings.len(), 1, "{:?}", offline.warnings);
    let context = &offline.runs[0].context;
    assert_eq!((context.label.as_deref(), context.parameters["Result is"].as_str()), (Some("Offline"), "VALID"));
    assert_eq!(context.parameters["target_qps"], "93");
}

#[test]
pub fn genai_bench_says_its_unit_and_its_kind_of_load() {
    let figures = "succ 200, failed 4, dur 20, req/s 10, out 500, total 1500, in 20000, out tokens 10000, \
                   TTFT 50/48/81, TPOT 12.5/12/15.5, E2E 662.5/650/810, TTFT std 10, TTFT p25 30, no ITL";
    check("genai-bench/v0.0.2-own-concurrency-8.json", &[&format!("{figures}, cap 8, rate inf")]);
    check("genai-bench/v0.0.4-own-open-loop-ms.json", &[&format!("{figures}, rate 12.5, no cap")]);
    assert_eq!(read("genai-bench/v0.0.2-own-concurrency-8.json").runs[0].context.label.as_deref(), Some("D(100,50)"));
    let metadata = std::fs::read(fixture("genai-bench/v0.0.2-own-experiment-metadata.json")).unwrap();
    assert!(matches!(parse(&metadata), Err(ParseError::NotAResult { .. })));
}
