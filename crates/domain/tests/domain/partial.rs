//! One result that cannot be read does not cost the others: each is read whole or rejected with its place, and nothing of
//! one comes into another.

use std::fs;

use touchstone_domain::parse::{ParseError, Parsed, parse};
use touchstone_domain::run::Measurement;
use touchstone_domain::units::RequestRate;

use crate::corpus::{fixture, read};

const RULE: &str = "==================================================";

fn text(path: &str) -> String {
    fs::read_to_string(fixture(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn parsed(text: &str) -> Parsed {
    parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
}

/// What is read is exactly what the whole file gives at these places; what is not is rejected on these lines.
fn check(what: &str, text: &str, whole: &[Measurement], kept: &[usize], lines: &[usize]) {
    let Parsed { runs, rejected, .. } =
        parse(text.as_bytes()).unwrap_or_else(|error| panic!("{what}: {error}\n{text:.300}"));
    let metrics = |run: &Measurement| (run.metrics.clone(), run.context.clone());
    let expected: Vec<_> = kept.iter().map(|at| metrics(&whole[*at])).collect();
    assert_eq!(runs.iter().map(metrics).collect::<Vec<_>>(), expected, "{what}: what is read");
    let found: Vec<_> = rejected.iter().filter_map(ParseError::line).collect();
    assert_eq!(found, lines, "{what}: {rejected:?}");
}

#[test]
fn a_cut_block_leaves_the_blocks_around_it() {
    let log = text("vllm/v0.33.0-console-append-failures.log");
    let whole = read("vllm/v0.33.0-console-append-failures.log").runs;
    let cut = log.trim_end().trim_end_matches('=');
    check("no last rule", cut, &whole, &[0], &[72]);
    check("half of the second block", log.split_once("Mean E2EL").unwrap().0, &whole, &[0], &[72]);
    check("a word in the first", &log.replacen("2.23 ", "soon ", 1), &whole, &[1], &[33]);
    let both = log.replace("2.23 ", "soon ").replace("1.87 ", "soon ");
    assert!(matches!(parse(both.as_bytes()), Err(ParseError::BadValue { line: 33, .. })), "the first reason");
}

#[test]
fn a_block_without_its_rule_takes_nothing_of_the_next_run() {
    let log = text("vllm/v0.33.0-console-append-failures.log");
    let without_rule = log.replacen(&format!("{RULE}\n"), "", 1);
    let whole = parsed(&log);
    let without_settings: String =
        without_rule.split_inclusive('\n').filter(|line| !line.starts_with("Namespace(")).collect();
    for (what, text, model) in
        [("with settings", without_rule.as_str(), true), ("without settings", without_settings.as_str(), false)]
    {
        let bent = parsed(text);
        assert_eq!((bent.runs.len(), bent.rejected.len(), bent.warnings.len()), (2, 0, 1), "{what}");
        let loads: Vec<_> =
            bent.runs.iter().map(|run| (run.metrics.request_rate, run.metrics.max_concurrency)).collect();
        assert_eq!(loads[0], (whole.runs[0].metrics.request_rate, None), "{what}");
        assert_eq!(loads[1], (Some(RequestRate::Unlimited), Some(6)), "{what}");
        assert_eq!(bent.runs[1].context.model.is_some(), model, "{what}");
        let excerpt = bent.runs[0].excerpt.as_ref().unwrap();
        assert!(excerpt.text.trim_end().ends_with("9.02"), "{what}: {}", excerpt.text);
    }
    // The second run goes on as if the first had ended well.
    assert_eq!(parsed(&without_rule).runs[1].metrics, whole.runs[1].metrics);
    assert_eq!(parsed(&without_rule).runs[1].context, whole.runs[1].context);
}

#[test]
fn a_broken_line_leaves_the_lines_around_it() {
    let lines = text("sglang/v0.4.6-sweep.jsonl");
    let lines: Vec<&str> = lines.lines().cycle().take(3).collect();
    let whole = parsed(&lines.join("\n")).runs;
    assert_eq!(whole.len(), 3);
    let half = |at: usize| &lines[at][..lines[at].len() / 2];
    let (first, second, third) = (lines[0], lines[1], lines[2]);
    check("the last line cut", &format!("{first}\n{second}\n{}", half(2)), &whole, &[0, 1], &[3]);
    check("the first line cut", &format!("{}\n{second}\n{third}\n", half(0)), &whole, &[1, 2], &[1]);
    check("a line cut in between", &format!("{first}\n{}\n{third}\n", half(1)), &whole, &[0, 2], &[2]);
    check("two in a row", &format!("{}\n{}\n{third}\n", half(0), half(1)), &whole, &[2], &[1, 2]);
    for at in (2..second.len()).filter(|at| second.is_char_boundary(*at)) {
        check("cut anywhere", &format!("{first}\n{}\n{third}\n", &second[..at]), &whole, &[0, 2], &[2]);
    }
    let bad = second.replacen("\"duration\": ", "\"duration\": -", 1);
    assert_ne!(bad, second);
    check("a negative duration", &format!("{first}\n{bad}\n{third}\n"), &whole, &[0, 2], &[2]);
    let word = second.replacen("\"duration\": ", "\"duration\": about ", 1);
    check("no JSON", &format!("{first}\n{word}\n{third}\n"), &whole, &[0, 2], &[2]);
    check("another document", &format!("{first}\n{{\"level\": \"info\"}}\n{third}\n"), &whole, &[0, 2], &[2]);
    let trace =
        "Traceback (most recent call last):\n  File \"bench.py\", line 3, in <module>\n    {\"a\": 1}\nKeyError: 'a'";
    let between = format!("{first}\n{trace}\n[INFO] again\n{second}\n{third}\n");
    check("a traceback in between", &between, &whole, &[0, 1, 2], &[]);
    assert_eq!(parsed(&between).warnings.iter().map(|warning| warning.line).collect::<Vec<_>>(), [Some(2)]);
}

#[test]
fn appended_documents_of_many_lines_stand_by_themselves() {
    let pretty = text("vllm/v0.25-own-pretty-sorted.json");
    let run = parsed(&pretty).runs;
    let lines = pretty.lines().count();
    for at in [pretty.len() / 3, pretty.len() / 2, pretty.len() - 3] {
        let text = format!("{}\n{pretty}\n{pretty}", &pretty[..at]);
        let Parsed { runs, rejected, .. } = parsed(&text);
        assert_eq!((runs.len(), rejected.len()), (2, 1), "cut at {at}: {rejected:?}");
        assert!(runs.iter().all(|other| other.metrics == run[0].metrics), "cut at {at}");
        assert!(rejected[0].line() <= Some(lines), "cut at {at}: {rejected:?}");
    }
    // Without indentation objects of a list start lines, too.
    let list = format!("[\n{}\n]", [text("vllm/v0.33.0-detailed.json").trim(), pretty.trim()].join(",\n"));
    assert_eq!((parsed(&list).runs.len(), parsed(&list).rejected.len()), (2, 0));
}

#[test]
fn a_bad_row_of_a_list_or_table_leaves_the_others() {
    let swap = |text: &str, from: &str, to: &str| {
        assert!(text.contains(from), "{from:?} is there to be replaced");
        text.replacen(from, to, 1)
    };
    let full = text("inferencemax/2025-11-agg.json");
    let whole = parsed(&full).runs;
    let bent = swap(&full, "\"tput_per_gpu\": ", "\"tput_per_gpu\": \"fast\", \"was\": ");
    let rest: Vec<usize> = (1..66).collect();
    check("InferenceMAX", &bent, &whole, &rest, &[1]);
    assert_eq!(parsed(&bent).rejected[0].path(), Some("[0].tput_per_gpu"));
    let bent = swap(&full, "\"tput_per_gpu\": ", "\"per_gpu\": ");
    assert_eq!((parsed(&bent).runs.len(), parsed(&bent).rejected.len()), (65, 1), "a row that lost its key");
    for (path, from, to, left, place) in [
        ("llmperf/v2.0.1-keyed.json", "_completed_requests\": ", "_completed_requests\": [3], \"x\": ", 7, "completed"),
        (
            "inference-benchmarker/v1.1.0-sweep.json",
            "\"duration_ms\":4004",
            "\"duration_ms\":\"long\"",
            3,
            "duration_ms",
        ),
        ("gpustack/v2.3-own-results.json", "\"request_successful\": 60", "\"request_successful\": {}", 1, "successful"),
    ] {
        let Parsed { runs, rejected, .. } = parsed(&swap(&text(path), from, to));
        assert_eq!((runs.len(), rejected.len()), (left, 1), "{path}: {rejected:?}");
        assert!(rejected[0].path().is_some_and(|path| path.contains(place)), "{path}: {rejected:?}");
    }
    let table = text("vllm/v0.33.0-sweep-summary.csv");
    let whole = parsed(&table).runs;
    let cut = table.trim_end().rsplit_once(',').unwrap().0;
    check("the last row cut", cut, &whole, &[0, 1, 2, 3, 4, 5, 6], &[9]);
    let summary = text("mlperf/2025-server-summary.txt");
    let both = format!("{}\n{summary}", swap(&summary, "Mean latency (ns)", "Mean latency (ns) : soon\nwas"));
    assert_eq!((parsed(&both).runs.len(), parsed(&both).rejected.len()), (1, 1));
    let report = text("trtllm/v1.2-own-console.log");
    let both = format!("{report}\n{}", swap(&report, "Total Latency (ms):", "Total Latency (ms): -"));
    assert_eq!((parsed(&both).runs.len(), parsed(&both).rejected.len()), (1, 1));
}

#[test]
fn a_null_figure_of_one_load_point_is_absent() {
    let report = text("guidellm/v0.2.1-errors.json");
    let mut document: serde_json::Value = serde_json::from_str(&report).unwrap();
    let whole = parsed(&report).runs.remove(0);
    document["benchmarks"][0]["metrics"]["requests_per_second"] = serde_json::Value::Null;
    let run = parsed(&document.to_string()).runs.remove(0);
    assert_eq!((run.metrics.request_throughput, &run.metrics.ttft), (None, &whole.metrics.ttft));
    // A point without any figure is no result; the other one is.
    let point = document["benchmarks"][0].clone();
    document["benchmarks"].as_array_mut().unwrap().push(point);
    document["benchmarks"][0]["metrics"] = serde_json::Value::Null;
    let Parsed { runs, rejected, .. } = parsed(&document.to_string());
    assert_eq!((runs.len(), rejected[0].path()), (1, Some("benchmarks[0].metrics")));
}

#[test]
fn a_result_is_found_behind_a_json_log_line_and_inside_a_fence() {
    let log = text("vllm/v0.7.3-console-progress.log");
    let behind = format!("{{\"level\": \"info\", \"msg\": \"start\"}}\n{{\"level\": \"info\"}}\n{log}");
    assert_eq!(parsed(&behind).runs[0].metrics, parsed(&log).runs[0].metrics);
    let json = text("vllm/v0.33.0-append-result.json");
    let page =
        format!("# Results\n\nSome prose: {{x}}.\n\n```python\n{{'a': 1}}\n```\n\n```json\n{json}\n```\nDone.\n");
    let found = parsed(&page);
    let whole = parsed(&json);
    let metrics = |parsed: &Parsed| parsed.runs.iter().map(|run| run.metrics.clone()).collect::<Vec<_>>();
    assert_eq!((metrics(&found), found.rejected.len()), (metrics(&whole), 0));
    assert!(matches!(parse(b"Prose.\n\n```json\n{\"a\": 1}\n```\n"), Err(ParseError::NoResult)));
}

#[test]
fn many_lines_that_are_no_result_are_not_many_results() {
    let log = "{\"level\": \"info\"}\n".repeat(20_100);
    assert!(matches!(parse(log.as_bytes()), Err(ParseError::UnknownDocument { line: 1, .. })));
    let requests = text("aiperf/v0.3-requests.jsonl");
    let requests = requests.lines().next().unwrap();
    let all = format!("{requests}\n").repeat(3);
    assert!(matches!(parse(all.as_bytes()), Err(ParseError::NotAResult { line: 1, .. })));
    let line = text("sglang/v0.4.6-sweep.jsonl");
    let Parsed { runs, rejected, .. } = parsed(&format!("{line}\n{all}"));
    assert_eq!((runs.len(), rejected.len()), (2, 1), "{rejected:?}");
}

#[test]
fn microseconds_and_a_run_that_completed_nothing() {
    let report = text("llm-d/v0.2.1-own-units.yaml");
    let ttft = |text: &str| parsed(text).runs[0].metrics.ttft.clone();
    let with = |unit: &str| {
        assert!(report.contains("p99p9: 91.5, units: ms}"));
        report.replace("p99p9: 91.5, units: ms}", &format!("p99p9: 91.5, units: {unit}}}"))
    };
    let expected = ttft(&with("ms"));
    assert!(!expected.is_empty());
    for unit in ["us", "\u{b5}s", "\u{3bc}s"] {
        for (stat, micro) in ttft(&with(unit)) {
            let ms = expected[&stat].get();
            assert!((micro.get() * 1000.0 - ms).abs() <= ms * 1e-12, "{unit}: {micro:?} against {ms}");
        }
    }
    let none = text("llmperf/2023-12-summary.json").replace("_completed_requests\": 150", "_completed_requests\": 0");
    let metrics = &parsed(&none).runs[0].metrics;
    assert_eq!((metrics.successful_requests, metrics.duration), (Some(0), None));
}

#[test]
fn the_same_bytes_give_the_same_places() {
    let lines = text("sglang/v0.4.6-sweep.jsonl");
    let lines: Vec<&str> = lines.lines().cycle().take(3).collect();
    let bent = format!("{}\n{}\n{}\n", lines[0], &lines[1][..40], lines[2]);
    assert_eq!(parse(bent.as_bytes()), parse(bent.as_bytes()));
    // Whatever pieces it comes in.
    struct Slow<'a>(&'a [u8], usize);
    impl std::io::Read for Slow<'_> {
        fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
            let count = self.1.min(self.0.len()).min(to.len());
            to[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }
    for size in [1, 7, 64, 1000] {
        assert_eq!(touchstone_domain::parse::read(&mut Slow(bent.as_bytes(), size)), parse(bent.as_bytes()), "{size}");
    }
}
