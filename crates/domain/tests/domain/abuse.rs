//! Bad input: what is wrong is said with its place and with what was expected.

use std::fs;
use std::path::Path;

use touchstone_domain::parse::{ParseError, parse};

/// The first thing that cannot be read, whether anything else can or not.
pub fn refused(bytes: &[u8]) -> Option<ParseError> {
    match parse(bytes) {
        Ok(parsed) => parsed.rejected.into_iter().next(),
        Err(error) => Some(error),
    }
}

#[test]
fn a_wrong_document_says_where_and_what_was_expected() {
    let vllm = fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/vllm/v0.33.0-append-result.json"),
    );
    let vllm = vllm.unwrap();
    let deep = |open: &str, depth: usize| open.repeat(depth);
    let sglang = r#"{"backend":"sglang","dataset_name":"random","mean_e2e_latency_ms":1.0,"duration":"soon"}"#;
    let lmdeploy = "backend,dataset_name,request_rate,completed,duration,output_throughput,mean_e2e_latency_ms\n";
    let cases: Vec<(&str, String, &str)> = vec![
        ("cut off", vllm[..vllm.len() - 1].to_owned(), "line 2: the JSON cannot be read"),
        (
            "a negative duration in the second result",
            vllm.replace("\"duration\": 1.8", "\"duration\": -1.8"),
            "line 2: duration is -1.8",
        ),
        (
            "no duration",
            vllm.replacen("\"duration\"", "\"durations\"", 1),
            "line 1: no benchmark result found; the document has the keys",
        ),
        (
            "a word for a count",
            vllm.replacen("\"completed\": 31", "\"completed\": \"many\"", 1),
            "line 1: completed is \"many\"",
        ),
        ("a list for a count", vllm.replacen("\"completed\": 31", "\"completed\": [3]", 1), "line 1: completed is [3]"),
        (
            "a number of 400 digits",
            vllm.replacen("\"duration\": 2.", &format!("\"duration\": {}", "2".repeat(401)), 1),
            "line 1: the JSON cannot be read: a number or bare word is longer than any figure",
        ),
        (
            "a number of 350 digits",
            vllm.replacen("\"duration\": 2.", &format!("\"duration\": {}.", "2".repeat(350)), 1),
            "line 1: the JSON cannot be read: number out of range",
        ),
        ("a lone surrogate", vllm.replacen("mock-model", "\\ud800", 1), "line 1: the JSON cannot be read"),
        ("a NUL in a text", vllm.replacen("mock-model", "mock\0model", 1), "line 1: the JSON cannot be read"),
        ("50,000 lists", deep("[", 50_000), "line 1: the JSON cannot be read: values are nested too deeply"),
        ("50,000 objects", deep("{\"a\":", 50_000), "line 1: the JSON cannot be read: values are nested too deeply"),
        ("SGLang's duration as a word", sglang.to_owned(), "line 1: duration is \"soon\"; expected a number"),
        (
            "a word in LMDeploy's second row",
            format!("{lmdeploy}lmdeploy,random,inf,4,2.0,10,5\nlmdeploy,random,inf,4,soon,10,5\n"),
            "line 3: duration is \"soon\"",
        ),
        ("more cells than columns", format!("{lmdeploy}lmdeploy,random,inf,4,2.0,10,5,6\n"), "line 2: the row is"),
        (
            "a word in MLPerf's summary",
            "MLPerf Results Summary\nScenario : Server\nMean latency (ns) : soon\n".to_owned(),
            "line 3: Mean latency (ns) is \"soon\"",
        ),
        (
            "MLPerf without a scenario",
            "MLPerf Results Summary\n".to_owned(),
            "line 1: the block that starts here has no \"Scenario\"",
        ),
        (
            "half a TensorRT-LLM report",
            "= PERFORMANCE OVERVIEW\nRequest Throughput (req/sec): 1\n".to_owned(),
            "line 1: the block that starts here has no \"Total Latency (ms)\"",
        ),
        (
            "a negative latency in a TensorRT-LLM report",
            "\n= PERFORMANCE OVERVIEW\nTotal Latency (ms): -1\n".to_owned(),
            "line 3: Total Latency (ms) is \"-1\"",
        ),
        ("a log that starts with a bracket", "[INFO] nothing here\n".to_owned(), "line 1: no benchmark result found"),
        ("an empty list", "[]".to_owned(), "line 1: no benchmark result found"),
        (
            "no tool's document",
            "\n\n{\"a\": 1}".to_owned(),
            "line 3: no benchmark result found; the document has the keys a",
        ),
    ];
    for (what, text, expected) in cases {
        let error = refused(text.as_bytes()).expect(what).to_string();
        assert!(error.starts_with(expected), "{what}: {error}");
    }
}

#[test]
fn a_strange_figure_beside_good_ones_is_left_out_with_its_path() {
    let text = r#"[{"model_id": "m", "num_prompts": 2, "completed": 2, "duration": 2.0, "request_throughput": 1.0,
        "mean_ttft_ms": -4.0, "p99_ttft_ms": 12.5, "max_concurrency": 1.5, "output_throughput": "4,53"}]"#;
    let parsed = parse(text.as_bytes()).unwrap();
    let metrics = &parsed.runs[0].metrics;
    assert_eq!((metrics.ttft.len(), metrics.max_concurrency, metrics.output_throughput), (1, None, None));
    let messages: Vec<_> = parsed.warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert_eq!(messages.len(), 3, "{messages:?}");
    for (message, path) in messages.iter().zip(["[0].max_concurrency", "[0].output_throughput", "[0].mean_ttft_ms"]) {
        assert!(message.starts_with(path), "{message}");
    }
}
