//! TensorRT-LLM: `trtllm-bench throughput` as JSON and on the console, and the fork of vLLM's `benchmark_serving`.

use super::{check, read};
use touchstone_domain::run::{Tool, TpotDefinition};

const REPORT: &str = "succ 30, rate inf, conc 21.5, dur 2.4, in 3843, out tokens 1920, req/s 12.5, out 800, total 2401.25, \
    E2E 1720/1700/2390.5, E2E min 900.5, E2E p95 2300, TTFT 180.25/175/281.5, TPOT 24.375/24/28.5, TPOT max 29, no ITL, \
    no failed, no cap";

#[test]
pub fn the_report_and_the_console_read_alike() {
    check("trtllm/v1.2-own-report.json", &[REPORT]);
    check("trtllm/v1.2-own-console.log", &[REPORT]);
    for file in ["trtllm/v1.2-own-report.json", "trtllm/v1.2-own-console.log"] {
        let run = read(file).runs.remove(0);
        assert_eq!((run.tool, run.tpot_definition), (Tool::TrtLlmBench, TpotDefinition::ExcludesFirstToken), "{file}");
        let context = run.context;
        assert_eq!(context.engine_version.as_deref(), Some("1.2.0"), "{file}");
        assert_eq!((context.gpu.as_deref(), context.gpus), (Some("NVIDIA H100 80GB HBM3"), Some(2)), "{file}");
        assert_eq!(context.parameters["tp_size"], "2", "{file}");
    }
    assert_eq!(read("trtllm/v1.2-own-report.json").runs[0].metrics.acceptance_length, Some(2.125));
}

#[test]
pub fn the_fork_of_benchmark_serving_reads_past_its_failure_lines() {
    let expected = "succ 48, failed 2, planned 50, cap 8, rate inf, dur 4, req/s 12, out 600, total 1800, \
                    TTFT 33.5/31.25/48.5, TPOT 7.25/7.0/9.5, ITL 13.5/12.75/30.25, E2E 390.5/385/460.25";
    check("trtllm/v1-own-benchmark-serving.json", &[&format!("{expected}, goodput 11.5")]);
    check(
        "trtllm/v1-own-benchmark-serving-failures.log",
        &[&format!("{expected}, TTFT std 4, TTFT min 27.75, TTFT max 51")],
    );
    assert_eq!(read("trtllm/v1-own-benchmark-serving.json").runs[0].tool, Tool::TrtLlmBench);
}
