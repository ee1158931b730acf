//! Bad input, for every reader: each fixture is cut, bent and mixed up. What comes out is a result or an error that says a
//! line, never a panic; errors are short whatever the file holds.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use proptest::prelude::*;
use proptest::sample::Index;
use touchstone_domain::parse::{ParseError, parse};

/// A mutation is tried on the whole file: larger ones are left to the readers' own tests, which keeps this to seconds.
const MAX_BYTES: u64 = 48 * 1024;

const READABLE: &str = "fixtures lie beside the tests";

fn fixtures() -> &'static [(PathBuf, Vec<u8>)] {
    static FIXTURES: OnceLock<Vec<(PathBuf, Vec<u8>)>> = OnceLock::new();
    FIXTURES.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
        let mut found: Vec<PathBuf> = fs::read_dir(root)
            .expect(READABLE)
            .map(|entry| entry.expect(READABLE).path())
            .filter(|path| path.is_dir())
            .flat_map(|folder| fs::read_dir(folder).expect(READABLE).map(|entry| entry.expect(READABLE).path()))
            .filter(|path| fs::metadata(path).expect(READABLE).len() <= MAX_BYTES)
            .collect();
        found.sort();
        found.into_iter().map(|path| (path.clone(), fs::read(path).expect(READABLE))).collect()
    })
}

fn judge(path: &Path, bytes: &[u8]) {
    if let Err(error) = parse(bytes) {
        let text = error.to_string();
        assert!(text.len() < 600, "{}: {} characters of error: {}", path.display(), text.len(), &text[..200]);
        let placed = text.starts_with("line ") || matches!(error, ParseError::Source { .. });
        assert!(placed, "{}: {text}", path.display());
    }
}

#[derive(Debug, Clone)]
enum Change {
    Flip(Index, u8),
    Cut(Index, Index),
    Repeat(Index, Index),
    Insert(Index, &'static [u8]),
}

const PIECES: [&[u8]; 14] = [
    b"NaN",
    b"-1",
    b"1e999",
    b"\"\\ud800\"",
    b"\0",
    b"null",
    b"{}",
    b"[[[[",
    b"\n",
    b"\r\n",
    b",",
    b":",
    b"\xff\xfe",
    b"99999999999999999999999999",
];

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Change::Flip(at, byte)),
        (any::<Index>(), any::<Index>()).prop_map(|(from, to)| Change::Cut(from, to)),
        (any::<Index>(), any::<Index>()).prop_map(|(from, to)| Change::Repeat(from, to)),
        (any::<Index>(), prop::sample::select(&PIECES[..])).prop_map(|(at, piece)| Change::Insert(at, piece)),
    ]
}

fn apply(bytes: &mut Vec<u8>, change: &Change) {
    if bytes.is_empty() {
        return;
    }
    let span = |from: &Index, to: &Index| {
        let (a, b) = (from.index(bytes.len()), to.index(bytes.len()));
        a.min(b)..a.max(b).min(a.min(b) + 4096)
    };
    match change {
        Change::Flip(at, byte) => {
            let at = at.index(bytes.len());
            bytes[at] = *byte;
        }
        Change::Cut(from, to) => drop(bytes.drain(span(from, to))),
        Change::Repeat(from, to) => {
            let span = span(from, to);
            let piece = bytes[span.clone()].to_vec();
            bytes.splice(span.end..span.end, piece);
        }
        Change::Insert(at, piece) => {
            let at = at.index(bytes.len());
            bytes.splice(at..at, piece.iter().copied());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_mutated_file_is_a_result_or_an_error_never_a_panic(
        which in any::<Index>(),
        changes in prop::collection::vec(change(), 1..6),
    ) {
        let (path, bytes) = &fixtures()[which.index(fixtures().len())];
        let mut bytes = bytes.clone();
        changes.iter().for_each(|change| apply(&mut bytes, change));
        judge(path, &bytes);
    }
}

#[test]
fn every_file_cut_off_anywhere_is_no_panic() {
    for (path, bytes) in fixtures() {
        let steps = 40.min(bytes.len());
        (1..steps).for_each(|step| judge(path, &bytes[..bytes.len() * step / steps]));
    }
}

#[test]
fn every_number_may_be_anything_else() {
    let others = ["-5", "\"soon\"", "[]", "{\"a\": 1}", "true", "1e308", "NaN", "0"];
    for (path, bytes) in fixtures() {
        let Ok(text) = std::str::from_utf8(bytes) else { continue };
        // The value of each of the first keys that hold a number, replaced in turn.
        let numbers = text
            .match_indices(": ")
            .map(|(at, _)| at + 2)
            .filter(|at| text[*at..].starts_with(|c: char| c.is_ascii_digit()));
        for (at, other) in numbers.take(60).zip(others.iter().cycle()) {
            let end = text[at..].find([',', '}', '\n', ' ']).map_or(text.len(), |length| at + length);
            judge(path, format!("{}{other}{}", &text[..at], &text[end..]).as_bytes());
        }
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
        let error = parse(text.as_bytes()).expect_err(what).to_string();
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
