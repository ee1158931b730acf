//! What is broken in a file of a known tool is said with its place; nothing panics, whatever the bytes.

use super::fixture;
use crate::abuse::refused;
use std::fs;
use touchstone_domain::parse::parse;

/// GuideLLM 0.1, which has no small file.
pub const V0_1: &str = r#"{"benchmarks": [{"benchmarks": [{"mode": "asynchronous", "rate": 4.0, "results": [
  {"prompt": "a \"quoted\" word", "output": "x", "prompt_token_count": 6, "output_token_count": 3, "start_time": 100.0,
   "end_time": 100.5, "last_time": 100.4, "first_token_time": 0.1, "decode_times": {"data": [0.1, 0.2]}},
  {"prompt": "b", "output": "y", "prompt_token_count": 8, "output_token_count": 3, "start_time": 101.0,
   "end_time": 101.75, "last_time": 101.7, "first_token_time": 0.3, "decode_times": {"data": [0.1, 0.3]}}
], "errors": [{"error": "boom"}], "concurrencies": [{"time": 1}]}], "args": {"model": "m"}}]}"#;

fn text(path: &str) -> String {
    fs::read_to_string(fixture(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn requests_one_by_one_are_added_up() {
    let run = parse(V0_1.as_bytes()).unwrap().runs.remove(0);
    super::expect(
        "0.1",
        &run,
        "succ 2, failed 1, in 14, out tokens 6, dur 1.75, TTFT mean 200, TTFT p50 200, E2E mean 625, TPOT mean 175",
    );
}

#[test]
fn what_is_broken_is_said_with_its_place() {
    let guidellm = text("guidellm/v0.2.1-errors.json");
    let csv = text("guidellm/v0.5.4-concurrent.csv");
    let html = text("guidellm/v0.5.4-concurrent.html");
    let aiperf = text("aiperf/v0.13.0-summary.json");
    let llmperf = text("llmperf/2023-12-summary.json");
    let evalscope = text("evalscope/v1.14.1-summary.json");
    let hf = text("inference-benchmarker/v1.1.0-sweep.json");
    let stage = text("inference-perf/2025-11-stage.json");
    let report = text("llm-d/v0.2.1-own-units.yaml");
    let old_report = text("llm-d/v0.1-inference-perf.yaml");
    let record = text("gpustack/v2.2-own-export.yaml");
    let rows = text("gpustack/v2.3-own-results.json");
    let max = text("inferencemax/2026-own-disaggregated.json");
    let half = |text: &str| text[..text.len() / 2].to_owned();
    let swap = |text: &str, from: &str, to: &str| {
        assert!(text.contains(from), "{from:?} is there to be replaced");
        text.replacen(from, to, 1)
    };
    let nines = "9".repeat(400);
    let cases: Vec<(&str, String, &str)> = vec![
        ("a report cut in half", half(&guidellm), "line 1: the JSON cannot be read: the file ends in the middle"),
        ("a page cut in half", half(&html), "the JSON cannot be read"),
        ("a summary cut in half", half(&aiperf), "the JSON cannot be read"),
        ("a list cut in half", half(&max), "the JSON cannot be read"),
        ("requests cut in half", half(V0_1), "line 3: the JSON cannot be read"),
        (
            "a table without rows",
            csv.lines().take(3).collect::<Vec<_>>().join("\n"),
            "line 1: the file holds a GuideLLM table without a row",
        ),
        (
            "a wrong type",
            swap(&guidellm, r#""request_totals": {"successful": 28"#, r#""request_totals": {"successful": "many""#),
            "request_totals.successful is \"many\"; expected a number",
        ),
        (
            "a negative duration",
            swap(&guidellm, r#""duration": 5.778482437133789"#, r#""duration": -5.7"#),
            "benchmarks[0].duration is -5.7; expected a number that is not negative",
        ),
        (
            "a negative duration in AIPerf",
            swap(&aiperf, r#""avg": 2.1889438720000003"#, r#""avg": -2.2"#),
            "benchmark_duration.avg is -2.2",
        ),
        ("a negative duration in EvalScope", swap(&evalscope, "0.9323", "-0.9323"), "Test Duration (s) is -0.9323"),
        ("a list for a count", swap(&llmperf, "_completed_requests\": 150", "_completed_requests\": [150]"), "[150]"),
        (
            "a word for a duration",
            swap(&hf, "\"duration_ms\":4004", "\"duration_ms\":\"long\""),
            "results[1].duration_ms",
        ),
        (
            "no count",
            swap(&stage, "\"count\": 6715, \"latency\"", "\"counts\": 6715, \"latency\""),
            "successes.count is missing",
        ),
        (
            "no throughput",
            swap(&max, "\"tput_per_gpu\": 900.0", "\"tput_per_gpu\": \"fast\""),
            "tput_per_gpu is \"fast\"",
        ),
        (
            "a duration of words",
            swap(&report, "PT1M5.25S", "PT1M5.25"),
            "run.time.duration is PT1M5.25; expected an ISO 8601",
        ),
        ("a negative time", swap(&old_report, "duration: 59.99", "duration: -59.99"), "metrics.time.duration is -59.9"),
        (
            "half a request",
            swap(&record, "request_successful: 998", "request_successful: 998.5"),
            "expected a whole number",
        ),
        (
            "a wrong count",
            swap(&rows, "\"request_successful\": 60", "\"request_successful\": {}"),
            "items[0].request_successful",
        ),
        (
            "a number of 400 digits",
            swap(&guidellm, "5.778482437133789", &nines),
            "the JSON cannot be read: number out of range",
        ),
        ("a longer one", swap(&guidellm, "5.778482437133789", &"9".repeat(401)), "longer than any figure"),
        (
            "400 digits in YAML",
            swap(&record, "request_successful: 998", &format!("request_successful: {nines}")),
            "expected a number",
        ),
        (
            "a lone surrogate",
            swap(&aiperf, "mock-model", r"\ud800"),
            "line 243: the JSON cannot be read: unexpected end of hex escape",
        ),
        ("a NUL in YAML", swap(&record, "own-throughput", "own\0throughput"), "line 2: byte 0x00"),
        ("a NUL in JSON", swap(&guidellm, "mock-model", "mock\0model"), "the JSON cannot be read: control character"),
        ("deep lists", format!("{{\"benchmarks\": {}", "[".repeat(50_000)), "nested too deeply"),
        ("deep lists in YAML", format!("benchmarks:\n  {}", "[".repeat(50_000)), "recursion limit exceeded"),
        ("deep maps in YAML", deep_yaml(), "nested too deeply"),
        ("an alias bomb", bomb(), "more than 1000000 values"),
        ("an unclosed quote in YAML", swap(&record, "name: own", "name: \"own"), "the YAML cannot be read"),
        ("no points", r#"{"metadata": {"guidellm_version": "0.5.4"}, "benchmarks": []}"#.to_owned(), "no benchmark"),
    ];
    let mut wrong = Vec::new();
    for (what, text, expected) in cases {
        match refused(text.as_bytes()).map(|error| error.to_string()) {
            None => wrong.push(format!("{what} was read")),
            Some(error) if error.contains(expected) && error.starts_with("line ") && error.len() < 400 => {}
            Some(error) => wrong.push(format!("{what}: {error}")),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    // In a value that is passed over, depth does not matter.
    let deep = format!(r#""pdf": {}{}"#, "[".repeat(50_000), "]".repeat(50_000));
    let skipped = swap(&guidellm, r#""cumulative_distribution_function": null"#, &deep);
    assert!(parse(skipped.as_bytes()).is_ok_and(|parsed| parsed.runs.len() == 1));
}

fn deep_yaml() -> String {
    let levels = (0..1000).map(|depth| format!("{}a:\n", " ".repeat(depth)));
    format!("benchmarks:\n{}", levels.map(|line| format!(" {line}")).collect::<String>())
}

/// Ten aliases of ten aliases of ten …
fn bomb() -> String {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let items = vec![format!("*a{}", level - 1); 10].join(", ");
        text += &format!("a{level}: &a{level} [{items}]\n");
    }
    text + "benchmarks: *a11\n"
}

#[test]
fn what_a_small_file_asks_for_stays_bounded() {
    let many = format!("{{\"benchmarks\": [{}1]}}", "1,".repeat(2_000_001));
    let error = parse(many.as_bytes()).expect_err("two million numbers").to_string();
    assert!(error.contains("more than 2000000 values"), "{error}");
    let line = text("evalscope/v1.0.0-summary.json").replace('\n', " ") + "\n";
    assert_eq!(parse(line.repeat(10_000).as_bytes()).map(|parsed| parsed.runs.len()), Ok(10_000));
    let error = parse(line.repeat(20_001).as_bytes()).expect_err("too many runs").to_string();
    assert!(error.starts_with("line 20001: the file holds more than 20000 results"), "{error}");
    let odd = line.replace("\"Average latency (s)\": 0.2162", "\"Average latency (s)\": -1");
    let parsed = parse(odd.repeat(2000).as_bytes()).unwrap();
    assert_eq!((parsed.runs.len(), parsed.warnings.len()), (2000, 501));
}
