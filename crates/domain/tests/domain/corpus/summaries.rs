//! Tools with one document a run or a list of runs: GPUStack, AIPerf, GenAI-Perf, InferenceMAX, LLMPerf, EvalScope,
//! inference-benchmarker, inference-perf, llm-d.

use super::{check, fixture, read};
use std::fs;
use touchstone_domain::parse::parse;
use touchstone_domain::run::{Tool, TpotDefinition};

const AIPERF_0_13: &str = "succ 33, failed 7, dur 2.189, req/s 14.960, out 1184.59, total 2142.05, goodput 13.600, \
    TTFT 54.82/52.88/76.76, TPOT 2.35/2.34/2.83, ITL mean 5.92, E2E 238.29/236.50/260.75, cap 4";
const INFERENCE_PERF: &str = "succ 6715, failed 0, req/s 110.760, out 6955.73, total 29210.43, \
    TTFT 146.23/105.48/397.46, TPOT 12.02/12.63/13.07, ITL 12.02/0.05/42.73, E2E 1697.95/1726.59/2056.48, dur 60.63, \
    TPOT1 mean 27.28, out tokens 421704";

#[test]
pub fn every_summary_reads_to_its_values() {
    let cases: Vec<(&str, Tool, Vec<&str>)> = vec![
        ("aiperf/v0.13.0-summary.json", Tool::AiPerf, vec![AIPERF_0_13]),
        (
            "aiperf/v0.3-summary.json",
            Tool::AiPerf,
            vec![
                "succ 64, failed 0, dur 255.56, req/s 0.2504, out 50.08, no total, no goodput, TTFT 30.81/30.67/34.34, \
                 TPOT 18.20/18.16/19.48, ITL mean 18.20, E2E 3652.15/3644.08/3909.33, cap 1",
            ],
        ),
        (
            "aiperf/v0.13.0-summary.csv",
            Tool::AiPerf,
            vec![
                "succ 33, failed 7, dur 2.19, req/s 14.96, out 1184.59, total 2142.05, goodput 13.60, \
                 TTFT 54.82/52.88/76.76, TPOT 2.35/2.34/2.83, ITL mean 5.92, E2E 238.29/236.50/260.75",
            ],
        ),
        (
            "aiperf/v0.8-own-sweep.json",
            Tool::AiPerf,
            vec![
                "cap 10, succ 100, req/s 9.5, out 950.25, TTFT mean 55.5, TTFT p99 120.5, TPOT mean 9.75, no ITL",
                "cap 20, req/s 17.5, TTFT p99 145.25, no TPOT",
            ],
        ),
        (
            "genai-perf/v0.0.16-summary.json",
            Tool::GenAiPerf,
            vec![
                "succ 40, req/s 17.203, goodput 14.623, out 1103.58, cap 4, TTFT 60.46/61.33/75.20, TPOT 2.57/2.60/2.89, \
                 E2E 222.09/222.89/239.68, no total, no dur, no failed",
            ],
        ),
        (
            "genai-perf/v0.0.16-summary.csv",
            Tool::GenAiPerf,
            vec![
                "succ 40, req/s 17.20, goodput 14.62, out 1103.58, TTFT 60.46/61.33/75.20, TPOT 2.57/2.60/2.89, \
                 E2E 222.09/222.89/239.68, no failed",
            ],
        ),
        (
            "llmperf/2023-12-summary.json",
            Tool::LlmPerf,
            vec![
                "succ 150, failed 0, cap 5, out 216.46, req/s 1.3648, dur 109.9, TTFT 622.33/635.27/870.87, \
                 E2E 2490.64/2438.42/3534.97, TPOT1 15.78/15.33/22.98, no TPOT, no ITL, in 82500, out tokens 23789",
            ],
        ),
        (
            "evalscope/v1.0.0-summary.json",
            Tool::EvalScope,
            vec![
                "succ 22, failed 2, cap 6, dur 0.9045, req/s 24.3225, out 583.74, total 1092.30, E2E mean 216.2, \
                 TTFT mean 66.1, TPOT mean 6.5, ITL mean 6.2, in 460, out tokens 528",
            ],
        ),
        (
            "evalscope/v1.14.1-summary.json",
            Tool::EvalScope,
            vec![
                "succ 19, failed 5, cap 6, dur 0.9323, req/s 20.38, out 489.12, total 928.90, E2E mean 242.6, \
                 TTFT mean 72.58, TPOT mean 7.39, ITL mean 7.39, rate inf",
            ],
        ),
        (
            "evalscope/v1.14.1-percentile.json",
            Tool::EvalScope,
            vec![
                "TTFT p50 71.54, TTFT p90 86.86, TTFT p95 100.07, TTFT p99 100.07, TPOT p50 6.97, TPOT p90 10.08, \
                 TPOT p95 10.19, TPOT p99 10.19, E2E p50 230.1, E2E p90 293.2, E2E p95 303.0, E2E p99 303.0, no succ",
            ],
        ),
        (
            "inference-benchmarker/v1.1.0-sweep.json",
            Tool::InferenceBenchmarker,
            vec![
                "succ 131, dur 4.004, req/s 32.713, out 1952.80, TTFT mean 70.37, TTFT p50 69.52, TTFT p99 88.72, \
                 ITL mean 2.83, TPOT mean 2.83, E2E mean 236.01, E2E p99 265.89, rate inf, in 10414, out tokens 7820",
                "rate 13.085, succ 49",
                "rate 26.170, succ 99",
                "rate 39.256, req/s 30.344, succ 121, cap 8",
            ],
        ),
        ("inference-perf/2025-11-stage.json", Tool::InferencePerf, vec![INFERENCE_PERF]),
        ("llm-d/v0.1-inference-perf.yaml", Tool::LlmDReport, vec![INFERENCE_PERF]),
        ("llm-d/v0.2-inference-perf.yaml", Tool::LlmDReport, vec![INFERENCE_PERF]),
        (
            "llm-d/v0.2.1-own-units.yaml",
            Tool::LlmDReport,
            vec![
                "succ 500, failed 3, incomplete 2, dur 65.25, req/s 10.0, out 1280.5, total 21760.5, rate 10, no cap, \
                 TTFT mean 57.5, TTFT p0.1 27.25, TTFT p99.9 91.5, TPOT mean 10.5, TPOT std 1.0, ITL mean 36.5, \
                 no ITL p99.9, no TPOT1, E2E 2500/2250/4750, in 1024000, out tokens 64000",
            ],
        ),
        (
            "gpustack/v2.2-own-export.yaml",
            Tool::GpuStack,
            vec![
                "succ 998, failed 2, incomplete 0, planned 1000, rate inf, req/s 16.25, out 2080.5, total 18724.25, \
                 E2E mean 24500, E2E p99 50125, TTFT mean 21500.5, TPOT mean 23.5, TPOT p99 40.5, TPOT1 mean 191.5, \
                 no ITL, peak conc 512, no dur",
            ],
        ),
        (
            "gpustack/v2.3-own-results.json",
            Tool::GpuStack,
            vec![
                "cap 4, succ 60, TPOT mean 8.5, TPOT1 mean 8.75, ITL mean 17.25, ITL max 95.5, peak conc 4, no rate",
                "rate 2.5, succ 18, failed 1, incomplete 1, no TPOT, TPOT1 mean 3.9, E2E mean 500",
            ],
        ),
        (
            "inferencemax/2026-own-disaggregated.json",
            Tool::InferenceMax,
            vec![
                "cap 256, total 10800, out 1200, TTFT mean 1500, TPOT p50 25, no TPOT p99, no TPOT std",
                "cap 512, no total, no out, TTFT mean 2500",
            ],
        ),
    ];
    for (path, tool, runs) in cases {
        check(path, &runs);
        assert!(read(path).runs.iter().all(|run| run.tool == tool), "{path}");
    }
}

#[test]
pub fn lists_of_runs_keep_their_order() {
    let runs = read("llmperf/v2.0.1-keyed.json").runs;
    let caps: Vec<_> = runs.iter().filter_map(|run| run.metrics.max_concurrency).collect();
    assert_eq!(caps, [1, 2, 4, 8, 16, 32, 64, 128]);
    super::expect("keyed", &runs[0], "cap 1, TPOT1 mean 32.49, TTFT 190.81/191.00/191.53, E2E mean 5080.33");
    assert!(runs.iter().all(|run| run.tpot_definition == TpotDefinition::IncludesFirstToken));

    let full = read("inferencemax/2025-11-agg.json").runs;
    assert_eq!(full.len(), 66);
    super::expect(
        "full",
        &full[0],
        "cap 16, total 896.94, out 796.96, TTFT 534.64/114.73/4676.17, TPOT 19.54/19.60/19.94, \
         ITL 195.27/194.77/252.91, E2E 144685.41/144642.55/162729.10, no succ, no dur",
    );
    assert_eq!(full[0].context.gpus, Some(8));
    let slim = read("inferencemax/2025-slim.json").runs;
    assert_eq!(slim.len(), 42);
    super::expect("slim", &slim[0], "cap 16, total 21025.16, TPOT median 6.673, no TPOT mean, no out");
}

#[test]
fn files_that_hold_no_result_say_what_to_give_instead() {
    let error = |path: &str| parse(&fs::read(fixture(path)).unwrap()).expect_err(path).to_string();
    assert!(error("aiperf/v0.3-requests.jsonl").contains("give profile_export_aiperf.json"));
    let console = error("evalscope/v1.14.1-console.txt");
    assert!(console.contains("EvalScope") && console.contains("benchmark_summary.json"), "{console}");
    let pending = r#"{"name":"x","state":"pending","requests_per_second_mean":null,"request_successful":null}"#;
    let pending = parse(pending.as_bytes()).expect_err("a pending benchmark").to_string();
    assert!(pending.contains("has no figures"), "{pending}");
}

#[test]
fn context_travels_with_the_figures() {
    let first = |path: &str| read(path).runs.remove(0).context;
    let record = first("gpustack/v2.2-own-export.yaml");
    assert_eq!(record.engine.as_deref(), Some("vLLM"));
    assert_eq!((record.gpus, record.input_tokens), (Some(1), Some(1024)));
    assert_eq!(record.parameters.get("arguments").map(String::as_str), Some("--max-num-seqs=512"));
    let report = first("llm-d/v0.2.1-own-units.yaml");
    assert_eq!(report.gpus, Some(16), "all replicas");
    assert_eq!(report.started_at, Some(1_762_365_642_000));
    assert_eq!(report.model.as_deref(), Some("Qwen/Qwen3-0.6B"));
    let aiperf = first("aiperf/v0.13.0-summary.json");
    assert_eq!((aiperf.input_tokens, aiperf.output_tokens), (Some(64), Some(32)));
    let hf = read("inference-benchmarker/v1.1.0-sweep.json");
    assert!(hf.runs.iter().all(|run| run.context.label.as_deref() != Some("warmup")));
    assert!(hf.warnings.iter().any(|warning| warning.message.contains("warm-up")), "{:?}", hf.warnings);
}

#[test]
fn power_is_that_of_all_gpus_where_telemetry_has_it_for_each() {
    let power = |bytes: &[u8]| parse(bytes).unwrap().runs[0].metrics.gpu_power.map(|power| power.get());
    let with = fs::read(fixture("aiperf/v0.3-summary.json")).unwrap();
    // One GPU on each of two hosts.
    assert!(power(&with).is_some_and(|watts| (watts - (129.8854497206704 + 129.8930977653631)).abs() < 1e-6));
    let text = String::from_utf8(with).unwrap();
    let once = text.replacen("\"gpu_power_usage\"", "\"gpu_power_unknown\"", 1);
    assert_eq!(power(once.as_bytes()), None, "a sum without one of the GPUs is no sum");
    assert_eq!(power(&fs::read(fixture("genai-perf/v0.0.16-summary.json")).unwrap()), None);
}
