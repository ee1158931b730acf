//! Every reader against bent bytes: a target a tool, seeded with its fixtures, and one a notation that has no tool's name.
//! What comes out is sound results or short reasons with a line, never a panic; nothing is read twice differently.
//!
//! `PROPTEST_CASES` sets the number of cases of every target; without it the whole suite takes some ten seconds.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestRunner;
use touchstone_domain::metrics::{Latency, Metrics};
use touchstone_domain::parse::{ParseError, Parsed, parse};

use crate::corpus::mangled::V0_1;

/// Mutations are tried on whole files: larger ones are left to the readers' own tests.
const MAX_BYTES: u64 = 48 * 1024;
const READABLE: &str = "fixtures lie beside the tests";
/// Cases of a target in a run of the whole suite.
const CASES: u32 = 96;
/// Pieces of every notation, and what breaks numbers, texts and terminals.
const PIECES: [&[u8]; 25] = [
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
    b"}\n{\"",
    b"\n{\"model_id\": ",
    b"\nTraceback (most recent call last):\n",
    b"============ Serving Benchmark Result ============\n",
    b"\n==================================================\n",
    b"Namespace(num_prompts=1)\n",
    b"\x1b[31m",
    b"```\n",
    b"&a [*a]\n",
    b"\xe2\x82",
    b"\"",
];

/// A target a tool: its fixtures are the seeds.
macro_rules! targets {
    ($($name:ident: $folder:literal),* $(,)?) => {
        /// The folders that have a target.
        const FOLDERS: &[&str] = &[$($folder),*];

        $(
            #[test]
            fn $name() {
                fuzz(&seeds(|folder, _| folder == $folder));
            }
        )*
    };
}

targets! {
    aiperf: "aiperf",
    evalscope: "evalscope",
    genai_bench: "genai-bench",
    genai_perf: "genai-perf",
    gpustack: "gpustack",
    guidellm: "guidellm",
    inference_benchmarker: "inference-benchmarker",
    inference_perf: "inference-perf",
    inferencemax: "inferencemax",
    llm_d: "llm-d",
    llmperf: "llmperf",
    lmdeploy: "lmdeploy",
    mlperf: "mlperf",
    sglang: "sglang",
    trtllm: "trtllm",
    vllm: "vllm",
}

#[test]
fn text_block() {
    fuzz(&seeds(|_, bytes| bytes.windows(24).any(|window| window.eq_ignore_ascii_case(b"serving benchmark result"))));
}

#[test]
fn json_lines() {
    let seeds = seeds(|_, bytes| bytes.iter().filter(|byte| **byte == b'\n').count() < 12 && bytes.starts_with(b"{\""));
    // Every pair of neighbours in one file: tools append to what another one wrote.
    let pairs: Vec<_> = seeds.windows(2).map(|pair| [pair[0].as_slice(), b"\n", &pair[1]].concat()).collect();
    fuzz(&pairs);
}

#[test]
fn guidellm_requests_one_by_one() {
    fuzz(&[V0_1.as_bytes().to_vec()]);
}

#[test]
fn every_folder_of_fixtures_has_a_target() {
    let mut folders: Vec<_> = folders().iter().map(|(name, _)| name.clone()).collect();
    folders.sort();
    assert_eq!(folders, FOLDERS);
}

fn folders() -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let entries = fs::read_dir(root).expect(READABLE).map(|entry| entry.expect(READABLE));
    let folders = entries.filter(|entry| entry.path().is_dir());
    folders.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path())).collect()
}

/// Fixtures by their folder and content, small ones first. A folder whose files are all large gives its smallest.
fn seeds(wanted: impl Fn(&str, &[u8]) -> bool) -> Vec<Vec<u8>> {
    let mut found: Vec<Vec<u8>> = Vec::new();
    for (folder, path) in folders() {
        for entry in fs::read_dir(path).expect(READABLE) {
            let bytes = fs::read(entry.expect(READABLE).path()).expect(READABLE);
            if wanted(&folder, &bytes) {
                found.push(bytes);
            }
        }
    }
    found.sort_by_key(|bytes| (bytes.len(), bytes.clone()));
    let small = found.iter().filter(|bytes| bytes.len() as u64 <= MAX_BYTES).count().max(1);
    found.truncate(small);
    assert!(!found.is_empty(), "a target has a seed");
    found
}

#[derive(Debug, Clone)]
enum Change {
    Flip(Index, u8),
    Cut(Index, usize),
    Double(Index, usize),
    Insert(Index, usize),
    Number(Index, &'static str),
    End(Index),
}

fn change() -> impl Strategy<Value = Change> {
    let at = any::<Index>;
    prop_oneof![
        (at(), any::<u8>()).prop_map(|(at, byte)| Change::Flip(at, byte)),
        (at(), 1..400_usize).prop_map(|(at, length)| Change::Cut(at, length)),
        (at(), 1..400_usize).prop_map(|(at, length)| Change::Double(at, length)),
        (at(), 0..PIECES.len()).prop_map(|(at, piece)| Change::Insert(at, piece)),
        (at(), prop::sample::select(vec!["-5", "\"soon\"", "[]", "{\"a\": 1}", "true", "1e308", "NaN", "0"]))
            .prop_map(|(at, other)| Change::Number(at, other)),
        at().prop_map(Change::End),
    ]
}

fn changed(mut bytes: Vec<u8>, changes: &[Change]) -> Vec<u8> {
    for change in changes {
        let length = bytes.len();
        if length == 0 {
            break;
        }
        match change {
            Change::Flip(at, byte) => bytes[at.index(length)] = *byte,
            Change::Cut(at, count) => {
                let at = at.index(length);
                bytes.drain(at..(at + count).min(length));
            }
            Change::Double(at, count) => {
                let at = at.index(length);
                let copy = bytes[at..(at + count).min(length)].to_vec();
                bytes.splice(at..at, copy);
            }
            Change::Insert(at, piece) => {
                let at = at.index(length);
                bytes.splice(at..at, PIECES[*piece].iter().copied());
            }
            // The first number behind a place becomes something else.
            Change::Number(at, other) => {
                let from = at.index(length);
                let digit = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
                if let Some(start) = bytes[from..].iter().position(digit).map(|start| from + start) {
                    let end = bytes[start..].iter().position(|byte| !digit(byte)).map_or(length, |end| start + end);
                    bytes.splice(start..end, other.bytes());
                }
            }
            Change::End(at) => bytes.truncate(at.index(length)),
        }
    }
    bytes
}

fn fuzz(seeds: &[Vec<u8>]) {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    let asked = std::env::var_os("PROPTEST_CASES").is_some();
    let config = if asked { config } else { ProptestConfig { cases: CASES, ..config } };
    let strategy = (any::<Index>(), prop::collection::vec(change(), 1..6));
    let tried = TestRunner::new(config).run(&strategy, |(which, changes)| {
        let bytes = changed(seeds[which.index(seeds.len())].clone(), &changes);
        let parsed = parse(&bytes);
        match &parsed {
            Ok(parsed) => prop_assert!(is_sound(parsed), "{parsed:?}"),
            Err(error) => prop_assert!(is_placed(error), "{error}"),
        }
        prop_assert_eq!(parse(&bytes), parsed, "the same bytes, read again");
        Ok(())
    });
    if let Err(error) = tried {
        panic!("{error}");
    }
}

/// An error is short and says a line, whatever the file holds.
fn is_placed(error: &ParseError) -> bool {
    let text = error.to_string();
    (text.starts_with("line ") || matches!(error, ParseError::Source { .. })) && text.len() < 600
}

/// No figure that is read is negative or infinite.
fn is_sound(parsed: &Parsed) -> bool {
    let plain = |metrics: &Metrics| {
        let figures = [
            metrics.duration.map(|value| value.get()),
            metrics.request_throughput.map(|value| value.get()),
            metrics.output_throughput.map(|value| value.get()),
            metrics.total_token_throughput.map(|value| value.get()),
            metrics.peak_output_throughput.map(|value| value.get()),
            metrics.goodput.map(|value| value.get()),
            metrics.mean_concurrency,
        ];
        let latencies = Latency::ALL.into_iter().flat_map(|latency| metrics.latency(latency).values());
        let latencies = latencies.chain(metrics.tpot_including_first.values()).map(|value| value.get());
        figures.into_iter().flatten().chain(latencies).all(|value| value >= 0.0 && value.is_finite())
    };
    !parsed.runs.is_empty()
        && parsed.runs.iter().all(|run| plain(&run.metrics))
        && parsed.warnings.iter().all(|warning| warning.message.len() < 1000)
        && parsed.rejected.iter().all(is_placed)
}
