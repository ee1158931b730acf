//! GuideLLM 0.1 to 0.8, in four notations.

use super::{check, fixture, read};
use std::fs;
use touchstone_domain::metrics::Metrics;
use touchstone_domain::parse::parse;
use touchstone_domain::run::{Measurement, Tool, TpotDefinition};

const V0_5_4: [&str; 2] = [
    "cap 2, succ 44, failed 9, incomplete 1, dur 5.000, req/s 8.600, out 279.47, total 532.94, TTFT 52.22/52.00/68.24, \
     TPOT 5.45/5.47/6.11, E2E 222.00/221.25/250.03, TPOT1 mean 6.910, in 1277, out tokens 1408, no ITL, no peak out",
    "cap 6, succ 105, failed 20, incomplete 5, req/s 20.800, out 678.31, total 1292.84, TTFT 68.00/67.61/85.84, \
     TPOT 6.57/6.63/7.13",
];
const V0_8_1: [&str; 2] = [
    "cap 2, succ 11, failed 3, dur 1.186, req/s 9.274, out 222.57, total 498.26, TTFT 46.43/45.45/55.59, \
     TPOT 5.86/5.89/6.55, E2E 182.80/183.36/195.89, in 327, out tokens 264",
    "cap 6, succ 11, failed 3, dur 0.555, req/s 19.805, out 475.31, total 1078.46, TTFT 63.30/62.78/73.53, \
     TPOT 6.84/6.43/8.86",
];

#[test]
pub fn every_version_reads_to_its_values() {
    let cases: Vec<(&str, Vec<&str>)> = vec![
        (
            "guidellm/v0.1.0-per-request-only.json",
            vec![
                "rate 4, succ 25, failed 0, TTFT mean 289.36, TTFT median 142.99, out tokens 2375, dur 7.722, no ITL, \
                 no req/s, no TPOT1",
                "rate 8, succ 30, failed 0, TTFT mean 836.77, TTFT median 815.34, out tokens 2850, dur 5.574",
            ],
        ),
        (
            "guidellm/v0.2-0.3-stripped.json",
            vec![
                "cap 1, succ 46, incomplete 1, dur 29.997, req/s 1.548, out 198.13, total 992.69, \
                 TTFT 16.79/16.38/21.28, TPOT 4.94/4.92/5.26, E2E 644.47/642.46/689.18, no TPOT1",
            ],
        ),
        (
            "guidellm/v0.2.1-errors.json",
            vec![
                "rate 6, succ 28, failed 10, incomplete 3, dur 5.778, req/s 4.868, out 467.13, total 1116.62, \
                 TTFT 73.24/72.56/114.81, TPOT 7.05/7.04/8.71, E2E 743.08/744.58/906.17, no TPOT1, no ITL",
            ],
        ),
        (
            "guidellm/v0.2.1-sweep.csv",
            vec![
                "cap 1, succ 6, dur 3.855, req/s 1.702, failed 0, incomplete 1, no TPOT1",
                "rate inf, succ 62, incomplete 45, req/s 15.827, out 1519.17, TTFT mean 265.29, TPOT mean 16.47",
                "rate 8.76, succ 36, incomplete 6, req/s 9.255, E2E mean 916.23",
                "rate 15.83, succ 44, incomplete 30, req/s 12.048, total 2708.37, TTFT p99 426.97",
            ],
        ),
        (
            "guidellm/v0.3-constant.json",
            vec![
                "rate 10, succ 586, failed 0, incomplete 23, dur 60.010, req/s 9.778, out 1251.54, total 2426.94, \
                 TTFT 1006.21/1005.81/1019.42, TPOT 10.42/10.43/10.58, E2E 2330.10/2330.39/2349.31, conc 22.78",
            ],
        ),
        (
            "guidellm/v0.4.0-poisson.json",
            vec![
                "rate 6, succ 11, failed 1, dur 1.903, req/s 5.780, out 217.34, total 406.28, TTFT 55.41/57.80/66.93, \
                 TPOT 5.60/5.62/6.23, TPOT1 mean 7.16, E2E 229.88/226.76/260.60, no cap",
            ],
        ),
        ("guidellm/v0.5.4-concurrent.json", V0_5_4.to_vec()),
        ("guidellm/v0.5.4-concurrent.csv", V0_5_4.to_vec()),
        (
            "guidellm/v0.5.4-concurrent.html",
            vec![
                "succ 18, req/s 8.712, out 288.20, TTFT 51.15/48.00/68.74, TPOT 5.48/5.51/5.78, \
                 E2E 221.76/222.96/235.9, TTFT p95 68.74, no failed, no total, no dur, no in",
                "succ 16, req/s 18.229, out 620.64, TTFT 65.79/64.02/89.04, TPOT 6.20/6.22/6.90, \
                 E2E 258.81/260.60/303.6",
            ],
        ),
        (
            "guidellm/v0.6.1-concurrent.yaml",
            vec![
                "cap 2, succ 41, failed 6, incomplete 1, req/s 8.000, out 261.71, total 498.69, TTFT 53.79/51.44/73.41, \
                 TPOT 5.89/5.84/6.81",
                "cap 6, succ 102, failed 24, incomplete 6, req/s 20.400, out 664.86, total 1269.42, \
                 TTFT 70.70/69.21/90.71, TPOT 6.69/6.74/7.52",
            ],
        ),
        (
            "guidellm/v0.7.4-constant.json",
            vec![
                "rate 8, succ 19, failed 5, dur 3.088, req/s 6.153, out 196.89, total 370.47, TTFT 49.37/47.63/74.04, \
                 TPOT 5.42/5.40/5.92, E2E 218.30/215.84/253.70, no cap",
            ],
        ),
        (
            "guidellm/v0.8.0dev-report-v2.json",
            vec![
                "rate 2, succ 2, dur 5.020, req/s 0.398, TTFT 11.48/11.28/11.69, TPOT 1.15/1.05/1.26, \
                 E2E 19.79/19.27/20.31",
                "rate 4, succ 2, dur 2.519, TTFT 9.78/9.42/10.15",
            ],
        ),
        ("guidellm/v0.8.1-concurrent.json", V0_8_1.to_vec()),
        ("guidellm/v0.8.1-concurrent.csv", V0_8_1.to_vec()),
        // The page has no means, and its rates mix in failed requests.
        (
            "guidellm/v0.8.1-concurrent.html",
            vec![
                "cap 2, succ 11, failed 3, incomplete 0, out 222.57, TTFT p99 55.59, TPOT p99 6.55, E2E p99 195.89, \
                 no req/s, no total",
                "cap 6, succ 11, failed 3, out 475.31, TTFT p99 73.53, TPOT p99 8.86",
            ],
        ),
    ];
    cases.iter().for_each(|(path, runs)| check(path, runs));
    for (path, _) in &cases {
        for run in read(path).runs {
            assert_eq!((run.tool, run.tpot_definition), (Tool::GuideLlm, TpotDefinition::ExcludesFirstToken), "{path}");
        }
    }
}

#[test]
fn console_tables_are_refused_with_a_way_out() {
    let bytes = fs::read(fixture("guidellm/v0.8.1-console.txt")).unwrap();
    let error = parse(&bytes).expect_err("a console log").to_string();
    assert!(error.contains("GuideLLM's console tables") && error.contains("give the JSON file"), "{error}");
}

#[test]
pub fn the_same_run_reads_alike_from_json_and_csv() {
    for version in ["0.5.4", "0.8.1"] {
        let runs = |extension: &str| read(&format!("guidellm/v{version}-concurrent.{extension}")).runs;
        for (json, csv) in runs("json").into_iter().zip(runs("csv")) {
            // The table has no 99.9th percentile; nothing else differs.
            let without = |mut metrics: Metrics| {
                for distribution in
                    [&mut metrics.ttft, &mut metrics.tpot, &mut metrics.tpot_including_first, &mut metrics.e2el]
                {
                    distribution.retain(|stat, _| stat.to_string() != "p99.9");
                }
                metrics
            };
            assert_eq!(without(json.metrics), without(csv.metrics), "{version}");
            let said = |run: &touchstone_domain::run::Context| {
                (run.model.clone(), run.tool_version.clone(), run.label.clone(), run.output_tokens)
            };
            assert_eq!(said(&json.context), said(&csv.context), "{version}");
        }
    }
}

#[test]
fn what_the_report_says_besides_figures_is_kept() {
    let first = |path: &str| -> Measurement { read(path).runs.remove(0) };
    let run = first("guidellm/v0.7.4-constant.json").context;
    assert_eq!(run.tool_version.as_deref(), Some("0.7.4"));
    assert_eq!(run.model.as_deref(), Some("mock-model"));
    assert_eq!((run.input_tokens, run.output_tokens), (Some(64), Some(32)));
    assert_eq!(run.label.as_deref(), Some("constant@8.00"));
    assert_eq!(run.started_at, Some(1_796_051_331_873));
    assert_eq!(run.parameters.get("ended by").map(String::as_str), Some("max_requests"));
    assert_eq!(first("guidellm/v0.6.1-concurrent.yaml").context.model.as_deref(), Some("mock-model"));
    assert_eq!(first("guidellm/v0.2.1-errors.json").context.model.as_deref(), Some("mock-model"));
    assert_eq!(first("guidellm/v0.1.0-per-request-only.json").context.model.as_deref(), Some("mock-model"));
    // 0.4.0 loses an error between its scheduler and its totals: the count is mended and said so.
    let warnings = read("guidellm/v0.4.0-poisson.json").warnings;
    assert!(warnings.iter().any(|warning| warning.message.contains("the higher count is taken")), "{warnings:?}");
}

#[test]
pub fn the_four_tpots_of_a_gpustack_runner_are_told_apart() {
    check(
        "gpustack/v0.0.2-runner-dual.json",
        &["succ 47, failed 13, dur 7.594, req/s 6.189, out 199.15, total 378.57, TTFT 50.03/48.16/70.35, \
           TPOT 5.53/5.54/5.95, TPOT1 mean 6.92, E2E 222.10/221.91/248.38, conc 1.375, no ITL"],
    );
    check(
        "gpustack/v0.0.2-runner-full.json",
        &["succ 20, failed 5, dur 1.241, req/s 16.122, out 537.85, total 1016.88, TTFT 63.39/62.84/85.87, \
           TPOT 6.02/6.08/6.84, E2E 250.79/249.49/284.48"],
    );
}
