//! `touchstone check`: the shape that programs outside see, and what people read.

use std::fs;

use crate::studies;
use serde_json::{Value, json};
use touchstone_domain::check::check_file;
use touchstone_domain::text::{Lang, checked_file};

fn run(slug: &str, file: &str) -> Vec<u8> {
    fs::read(studies::folder(slug).join("runs").join(file)).expect("the reference study has this run")
}

#[test]
fn the_json_has_the_documented_keys() {
    let bytes = run(studies::QWEN35, "01-vllm-sharegpt-baseline.txt");
    let checked = serde_json::to_value(check_file("01.txt", &bytes)).unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&checked), ["error", "file", "rejected", "runs", "tool", "warnings"]);
    assert_eq!(checked["error"], Value::Null);
    let run = &checked["runs"][0];
    let metrics = &run["metrics"];
    assert_eq!(metrics["successful_requests"], 1000);
    assert_eq!(metrics["max_concurrency"], 512);
    assert_eq!(metrics["peak_concurrent_requests"], 512);
    assert_eq!(metrics["duration_s"], 54.74);
    assert_eq!(metrics["total_token_throughput"], 11527.14);
    assert_eq!(metrics["ttft_ms"], json!({"mean": 1604.23, "median": 646.01, "p99": 5737.27}), "N/A is absent");
    assert_eq!(metrics["e2el_ms"]["p99"], 51160.0);
    assert_eq!(metrics["failed_requests"], Value::Null);
    assert_eq!(run["recomputed"]["total_token_throughput"], 11389.660212);
    let finding = run["findings"].as_array().unwrap().iter().find(|finding| finding["id"] == "tpot-identity").unwrap();
    assert_eq!(keys(finding), ["id", "severity", "values"]);
    assert_eq!((&finding["severity"], &finding["values"]["reported_ms"]), (&json!("warning"), &json!(15.12)));
}

#[test]
fn a_file_that_cannot_be_read_is_an_answer_too() {
    let checked = check_file("a.bin", b"\x7fELF\x02\x01\x01\0");
    assert!(checked.runs.is_empty() && !checked.disqualified());
    assert_eq!(
        checked_file(Lang::En, &checked),
        "a.bin: line 1: byte 0x02 is not text; expected the output of a benchmark tool\n"
    );
}

#[test]
fn a_result_that_cannot_be_read_is_named_beside_those_that_can() {
    let good = String::from_utf8(run(studies::QWEN3, "01-vllm-sharegpt-baseline.txt")).unwrap();
    let bad = good.replace("Benchmark duration (s):", "Benchmark duration (s):  about");
    let checked = check_file("two.txt", format!("{good}\n{bad}").as_bytes());
    assert_eq!((checked.runs.len(), checked.rejected.len()), (1, 1));
    let json = serde_json::to_value(&checked).unwrap();
    let lines = good.lines().count() + 1;
    let at = good.lines().position(|line| line.starts_with("Benchmark duration")).unwrap() + 1;
    assert_eq!(
        (&json["error"]["line"], &json["error"]["path"]),
        (&json!(lines + at), &json!("Benchmark duration (s)"))
    );
    assert_eq!(json["rejected"], json!([json["error"]]));
    for (lang, head, label) in [
        (Lang::En, ", 1 run, 1 result left out\n", "  ✗ left out: line "),
        (Lang::Ja, "、除外した結果1件\n", "  ✗ 除外：line "),
    ] {
        let text = checked_file(lang, &checked);
        assert!(text.contains(head) && text.contains(label), "{text}");
    }
    let whole = serde_json::to_value(check_file("a.txt", bad.as_bytes())).unwrap();
    assert_eq!((&whole["error"]["line"], &whole["rejected"]), (&json!(at), &json!([])));
}

#[test]
fn failures_that_the_output_counts_disqualify() {
    let text = String::from_utf8(run(studies::QWEN3, "01-vllm-sharegpt-baseline.txt")).unwrap();
    let failing =
        text.replace("Benchmark duration", "Failed requests:                         100\nBenchmark duration");
    assert!(check_file("x", failing.as_bytes()).disqualified());
    assert!(!check_file("x", text.as_bytes()).disqualified(), "without counts of failures the rate is unknown");
}

#[test]
fn a_checked_file_reads_as_follows() {
    let two = [
        run(studies::QWEN35, "04-speculative-decoding-mtp4.txt"),
        run(studies::QWEN3, "01-vllm-sharegpt-baseline.txt"),
    ];
    let bytes = two.concat();
    for lang in Lang::ALL {
        insta::assert_snapshot!(format!("checked-{lang}"), checked_file(lang, &check_file("two.txt", &bytes)));
    }
}

#[test]
fn a_block_that_misnames_its_decode_time_has_it_under_its_own_name() {
    let of = |page: &str, at: usize| {
        let path = format!("{}/tests/fixtures/gpustack/performance-lab-{page}.md", env!("CARGO_MANIFEST_DIR"));
        let checked = serde_json::to_value(check_file(page, &fs::read(path).unwrap())).unwrap();
        checked["runs"][at].clone()
    };
    let glm = of("glm-5.2-h200", 0);
    let metrics = &glm["metrics"];
    assert_eq!(metrics["tpot_ms"], json!({ "mean": 57.86, "median": 56.85, "p95": 69.41, "p99": 90.01 }));
    assert_eq!(metrics["tpot_including_first_ms"]["mean"], 636.24);
    assert_eq!((&metrics["itl_ms"], &metrics["peak_output_throughput"]), (&Value::Null, &Value::Null));
    assert_eq!(glm["tpot_definition"], "excludes-first-token");
    // A median of 0 was not measured.
    let qwen = of("qwen3.5-35b-a3b-h200", 0);
    let tpot = &qwen["metrics"]["tpot_ms"];
    assert_eq!((&tpot["mean"], &tpot["median"], &tpot["p99"]), (&json!(11.46), &Value::Null, &json!(132.49)));
    // A block of vLLM itself is left alone.
    let vllm = of("qwen3-8b-910b", 0);
    let (tpot, itl) = (&vllm["metrics"]["tpot_ms"]["mean"], &vllm["metrics"]["itl_ms"]["mean"]);
    assert_eq!(
        (tpot, itl, &vllm["metrics"]["peak_output_throughput"]),
        (&json!(125.09), &json!(112.9), &json!(2821.0))
    );
}
