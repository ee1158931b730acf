//! SGLang: `bench_serving` (JSON lines, console), `bench_one_batch_server`.

use super::{check, check_some, read};
use touchstone_domain::run::{Context, Tool, TpotDefinition};

#[test]
pub fn every_json_line_of_bench_serving_reads_to_its_values() {
    let lines = read("sglang/v0.4-multi-line.jsonl");
    assert_eq!(lines.runs.len(), 7);
    super::expect(
        "line 1",
        &lines.runs[0],
        "rate 1, succ 300, dur 298.368, out 537.41, in 152612, out tokens 160347, TTFT median 85.75, ITL median 13.64, \
         E2E mean 7840.62, E2E median 7819.05, no TTFT mean, no TPOT, no req/s, no total, no failed",
    );
    super::expect("line 7", &lines.runs[6], "rate 8, succ 2400, out 1471.09, TTFT median 83.17");
    assert_eq!(lines.runs[6].context.dataset.as_deref(), Some("sharegpt"));
    assert_eq!(lines.runs[6].context.input_tokens, None, "the length of random data says nothing about ShareGPT");
    let cases: [(&str, &[&str]); 6] = [
        (
            "sglang/v0.4.6-sweep.jsonl",
            &[
                "rate inf, cap 4, succ 40, dur 1.742, req/s 22.966, out 537.41, total 1595.58, conc 3.70, \
                 TTFT 44.76/45.18/58.12, TPOT 5.19/5.19/5.94, E2E 160.98/159.87/209.05, no length",
                "rate inf, cap 16, dur 0.527, req/s 75.901, out 1776.09, total 5273.24, TTFT 48.21/48.04/61.80",
            ],
        ),
        (
            "sglang/v0.5.9-output-details.jsonl",
            &["rate 20, succ 24, failed 0, planned 24, dur 1.046, req/s 22.948, out 550.74, total 2019.39, \
               TTFT 65.42/64.97/85.56, TPOT 6.56/6.72/7.43, ITL 2.60/2.53/4.66, E2E 216.23/223.41/242.85, length 2.41, \
               peak out 566, peak conc 24, cap 8"],
        ),
        (
            "sglang/v0.5.5-own-server-info.jsonl",
            &[
                "rate inf, cap 32, succ 60, dur 1.5, req/s 40, out 2400, total 12400, conc 29.5, TTFT 310.50/305.25/402.75, \
               TPOT 7.25/7.00/19.5, ITL 7.125/4.75/180.25, ITL p95 9.5, E2E 737.5/740.0/801.25, no failed, no length",
            ],
        ),
        (
            "sglang/v0.2.7-own-bare-keys.jsonl",
            &[
                "rate 4, dur 40, in 20000, out tokens 16000, out 400, E2E mean 5200.5, E2E median 5100.25, TTFT median 92.5, \
               ITL median 12.75, no succ, no total",
            ],
        ),
        (
            "sglang/v0.5.23-own-separated-trace.jsonl",
            &[
                "no rate, no cap, succ 60, failed 2, planned 62, goodput 31.5, peak out 2900, peak conc 41, TTFT p90 380.5, \
               TTFT p95 390.25, E2E p90 780.5",
            ],
        ),
        (
            "sglang/v0.5-own-all-failed-nan.jsonl",
            &["succ 0, cap 8, rate inf, dur 3, no req/s, no out, no total, no E2E, no TTFT, no ITL, no conc"],
        ),
    ];
    for (file, runs) in cases {
        check(file, runs);
        assert!(read(file).runs.iter().all(|run| run.tool == Tool::SglangServing), "{file}: its tool");
    }
}

#[test]
pub fn the_console_reads_to_the_values_of_the_json_lines() {
    check_some(
        "sglang/v0.4.6-console-two-blocks.log",
        2,
        &[
            (
                0,
                40,
                "rate inf, cap 4, succ 40, planned 40, dur 1.74, req/s 22.97, out 537.41, total 1595.58, conc 3.70, \
             TTFT 44.76/45.18/58.12, ITL p95 7.12, ITL max 15.65, E2E mean 160.98, E2E median 159.87, no TPOT",
            ),
            (1, 107, "cap 16, dur 0.53, req/s 75.90, out 1776.09, total 5273.24, TTFT 48.21/48.04/61.80"),
        ],
    );
    check(
        "sglang/v0.5.9-console.log",
        &[
            "rate 20, succ 24, planned 24, failed 0, dur 1.05, req/s 22.95, out 550.74, total 2019.39, TTFT 65.42/64.97/85.56, \
         TPOT 6.56/6.72/7.43, ITL 2.60/2.53/4.66, E2E 216.23/223.41/242.85, E2E p90 240.03, length 2.41, peak out 566, \
         peak conc 24, cap 8, conc 4.96",
        ],
    );
    let Context { model, dataset, label, input_tokens, .. } = read("sglang/v0.5.9-console.log").runs.remove(0).context;
    assert_eq!(
        (model.as_deref(), dataset.as_deref(), label.as_deref()),
        (Some("mock-model"), Some("random"), Some("demo"))
    );
    assert_eq!(input_tokens, Some(64));
}

#[test]
fn the_server_says_what_it_is_but_its_keys_stay_out() {
    let context = read("sglang/v0.5.5-own-server-info.jsonl").runs.remove(0).context;
    assert_eq!(context.engine.as_deref(), Some("sglang"));
    assert_eq!(context.engine_version.as_deref(), Some("0.5.5.post3"));
    assert_eq!((context.model.as_deref(), context.gpus), (Some("example/tiny-1b"), Some(2)));
    assert_eq!(context.parameters["attention_backend"], "fa3");
    let separated = read("sglang/v0.5.23-own-separated-trace.jsonl").runs.remove(0).context;
    assert_eq!((separated.engine_version.as_deref(), separated.gpus), (Some("0.5.23"), None));
    assert_eq!([&separated.parameters["prefill.tp_size"], &separated.parameters["decode.tp_size"]], ["4", "8"]);
    for file in ["sglang/v0.5.5-own-server-info.jsonl", "sglang/v0.5.23-own-separated-trace.jsonl"] {
        assert!(!format!("{:?}", read(file)).contains("not-to-be-kept"), "{file}: no key is kept");
    }
}

#[test]
pub fn one_batch_has_one_latency_and_no_distribution() {
    check(
        "sglang/v0.5-own-one-batch-server.jsonl",
        &[
            "succ 16, cap 16, dur 1.25, in 16384, out tokens 256, total 13312, E2E max 1250, no E2E mean, no TTFT, no out",
            "succ 4, dur 0.5, in 2048, out tokens 128, total 4352, TTFT max 50, no length",
        ],
    );
    let run = read("sglang/v0.5-own-one-batch-server.jsonl").runs.remove(0);
    assert_eq!((run.tpot_definition, run.context.label.as_deref()), (TpotDefinition::Unstated, Some("own")));
}
