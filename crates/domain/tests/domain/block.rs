//! The text block, in every layout and surrounding that people paste, and the ways in which it can be wrong.

use std::fs;

use crate::studies;
use touchstone_domain::metrics::{Latency, Metrics, Stat};
use touchstone_domain::parse::{ParseError, Parsed, parse};
use touchstone_domain::run::TpotDefinition;
use touchstone_domain::units::RequestRate;

const PLAIN: &str = "\
============ Serving Benchmark Result ============
Successful requests:                     1000
Benchmark duration (s):                  63.53
Total input tokens:                      217393
Total generated tokens:                  201648
Request throughput (req/s):              15.74
Output token throughput (tok/s):         3173.92
Total Token throughput (tok/s):          6595.66
---------------Time to First Token----------------
Mean TTFT (ms):                          22141.21
Median TTFT (ms):                        21872.31
P99 TTFT (ms):                           31156.86
-----Time per Output Token (excl. 1st token)------
Mean TPOT (ms):                          226.03
Median TPOT (ms):                        117.46
P99 TPOT (ms):                           621.87
---------------Inter-token Latency----------------
Mean ITL (ms):                           92.83
P99 ITL (ms):                            627.72
==================================================
";

fn one(text: &str) -> Metrics {
    let Parsed { mut runs, .. } = parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(runs.len(), 1, "one block in\n{text}");
    runs.remove(0).metrics
}

fn latency(metrics: &Metrics, latency: Latency, stat: Stat) -> Option<f64> {
    metrics.latency(latency).get(&stat).map(|value| value.get())
}

#[test]
fn the_same_block_reads_alike_whatever_surrounds_it() {
    let expected = one(PLAIN);
    assert_eq!(expected.successful_requests, Some(1000));
    assert_eq!(latency(&expected, Latency::Ttft, Stat::P99), Some(31156.86));
    let quoted: String = PLAIN.lines().map(|line| format!("> {line}\n")).collect();
    let logged: String = PLAIN.lines().map(|line| format!("bench-1  | {line}\n")).collect();
    let indented: String = PLAIN.lines().map(|line| format!("    {line}\n")).collect();
    let coloured = PLAIN.replace("Successful requests:", "\x1b[1;32mSuccessful requests:\x1b[0m");
    let title = "\x1b]0;bench\x07";
    let cases = [
        ("CRLF", PLAIN.replace('\n', "\r\n")),
        ("a byte order mark", format!("\u{feff}{PLAIN}")),
        ("trailing blanks", PLAIN.replace('\n', "   \n")),
        ("a Markdown fence", format!("# Results\n\nSome prose: with a colon.\n\n```text\n{PLAIN}```\n\nMore prose.\n")),
        (
            "a fence that closes a block without its rule",
            format!(
                "```\n{}```\nMean TTFT (ms): 1\n",
                PLAIN.trim_end_matches("==================================================\n")
            ),
        ),
        ("a quote", quoted),
        ("a container's log prefix", logged),
        ("an indented list", indented),
        ("a progress bar on the title's line", format!("  0%|   | 0/10\r100%|###| 10/10\r{PLAIN}")),
        ("colour codes", coloured),
        ("a window title", format!("{title}{PLAIN}")),
        ("comments around it", format!("# fa3\n{PLAIN}# end\n")),
        ("labels in another case", PLAIN.replace("Total Token", "Total token")),
        ("a stray mark behind a value", PLAIN.replace("22141.21\n", "22141.21  ·\n")),
        ("log lines in between", PLAIN.replace("Mean TPOT", "INFO 12:00:01 [loggers.py:1] Running: 3 reqs\nMean TPOT")),
        ("a block in a table's cell", PLAIN.lines().map(|line| format!("│ {line} │\n")).collect()),
        ("a bracket before it all", format!("[2026-03-01 10:15:00] [INFO] start\n{PLAIN}")),
        ("thousands commas", PLAIN.replace("217393", "217,393")),
        (
            "lines that belong to no metric",
            PLAIN.replace("Total input", "RTFx (Inverse Real-Time Factor):      3.1\nTotal input"),
        ),
    ];
    for (what, text) in cases {
        assert_eq!(one(&text), expected, "{what}");
    }
    let utf16: Vec<u8> = [0xFF, 0xFE].into_iter().chain(PLAIN.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    assert_eq!(parse(&utf16).map(|parsed| parsed.runs[0].metrics.clone()), Ok(expected), "UTF-16");
}

#[test]
fn several_blocks_in_one_file_come_in_order() {
    let second = PLAIN.replace("63.53", "50.00");
    let text = format!("Run A\n\n```\n{PLAIN}```\n\nRun B, after a restart:\n{second}\n{PLAIN}");
    let parsed = parse(text.as_bytes()).unwrap();
    let durations: Vec<_> = parsed.runs.iter().map(|run| run.metrics.duration.map(|d| d.get())).collect();
    assert_eq!(durations, [Some(63.53), Some(50.0), Some(63.53)]);
    let excerpts: Vec<_> = parsed.runs.iter().filter_map(|run| run.excerpt.as_ref()).collect();
    assert_eq!(excerpts.iter().map(|excerpt| excerpt.first_line).collect::<Vec<_>>(), [4, 27, 48]);
    assert_eq!(excerpts[0].text, PLAIN.trim_end());
    // A block that lost its closing rule ends where the next one begins.
    let cut = format!("{}{second}", PLAIN.trim_end_matches("==================================================\n"));
    let parsed = parse(cut.as_bytes()).unwrap();
    assert_eq!(parsed.runs.len(), 2);
    assert_eq!(parsed.warnings.len(), 1, "the cut block is doubted: {:?}", parsed.warnings);
}

#[test]
fn a_run_without_a_success_has_no_rate_and_no_latency() {
    let failed = PLAIN.replace("1000\n", "0\n").replace("201648", "0").replace("217393", "0");
    let metrics = one(&failed);
    assert_eq!((metrics.successful_requests, metrics.duration.map(|d| d.get())), (Some(0), Some(63.53)));
    assert_eq!((metrics.request_throughput, metrics.total_token_throughput), (None, None));
    assert!(metrics.ttft.is_empty() && metrics.tpot.is_empty());
    let silent = one(&PLAIN.replace("201648", "0"));
    assert!(silent.ttft.is_empty() && silent.tpot.is_empty(), "no output token, no first one");
    assert!(silent.request_throughput.is_some());
}

#[test]
fn what_was_not_measured_is_absent_and_a_measured_zero_is_a_value() {
    for value in ["N/A", "nan", "-", "None", ""] {
        let metrics = one(&PLAIN.replace("31156.86", value));
        assert_eq!(latency(&metrics, Latency::Ttft, Stat::P99), None, "{value}");
    }
    let metrics = one(&PLAIN.replace("117.46", "0.00"));
    assert_eq!(latency(&metrics, Latency::Tpot, Stat::Median), Some(0.0));
    assert_eq!(metrics.failed_requests, None, "no line, no figure");
    let metrics = one(&PLAIN.replace("117.46", "-0.00"));
    assert_eq!(latency(&metrics, Latency::Tpot, Stat::Median).map(f64::is_sign_positive), Some(true));
}

#[test]
fn units_and_names_of_every_layout_are_understood() {
    let rows = "\
Total requests:                          1003
Concurrency:                             3.70
Acceptance rate (%):                     43.78
Acceptance length:                       2.31
Per-position acceptance (%):
  Position 0:                            70.97
P99.9 E2EL incl. Client Queue (ms):      51300.00
Std Dev TTFT (ms):                       3.25
Failed requests:                         3
Max reqeuest concurrency:                not set
Traffic request rate:                    inf
Peak concurrent requests:                512.00
Request goodput (req/s):                 1.50
Mean Latency(s):                          24.11
P99.9 E2EL (ms):                         51200.00
P50 ITL (ms):                            12.00
Max ITL (ms):                            99.00
Median E2E Latency (ms):                 21900.00
";
    let metrics = one(&PLAIN.replace("Total input tokens:", &format!("{rows}Total input tokens:")));
    assert_eq!((metrics.failed_requests, metrics.planned_requests), (Some(3), Some(1003)));
    assert_eq!(metrics.mean_concurrency, Some(3.7));
    assert_eq!((metrics.acceptance_rate_pct, metrics.acceptance_length), (Some(43.78), Some(2.31)));
    assert_eq!(latency(&metrics, Latency::Ttft, Stat::Std), Some(3.25));
    assert_eq!(metrics.max_concurrency, None);
    assert_eq!(metrics.request_rate, Some(RequestRate::Unlimited));
    assert_eq!(metrics.peak_concurrent_requests, Some(512));
    assert_eq!(metrics.goodput.map(|v| v.get()), Some(1.5));
    assert_eq!(latency(&metrics, Latency::E2el, Stat::Mean), Some(24110.0), "seconds become milliseconds");
    assert_eq!(latency(&metrics, Latency::E2el, Stat::Median), Some(21900.0));
    assert_eq!(latency(&metrics, Latency::E2el, Stat::Percentile(999)), Some(51200.0));
    assert_eq!(latency(&metrics, Latency::Itl, Stat::Median), Some(12.0));
    assert_eq!(latency(&metrics, Latency::Itl, Stat::Max), Some(99.0));
    let definition = |text: &str| parse(text.as_bytes()).unwrap().runs[0].tpot_definition;
    assert_eq!(definition(PLAIN), TpotDefinition::ExcludesFirstToken);
    // A GuideLLM record in this clothing: its TPOT holds TTFT, although the head says otherwise.
    let record = PLAIN.replace("Total input tokens:", "Mean Latency(s):  24.11\nTotal input tokens:");
    assert_eq!(definition(&record), TpotDefinition::IncludesFirstToken);
}

#[test]
fn a_wrong_block_says_where_it_is_wrong_and_what_was_expected() {
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("nothing", b"".to_vec(), "line 1: the file is empty"),
        ("only blanks", b" \n\n".to_vec(), "line 1: the file is empty"),
        ("prose", b"hello\nworld\n".to_vec(), "line 1: no benchmark result found"),
        ("a NUL", PLAIN.replace("63.53", "63\0.53").into_bytes(), "line 3: byte 0x00"),
        ("a PNG", b"\x89PNG\r\n\x1a\n\0\0".to_vec(), "line 2: byte 0x1a"),
        (
            "a word for a number",
            PLAIN.replace("63.53", "soon").into_bytes(),
            "line 3: Benchmark duration (s) is \"soon\"; expected a number",
        ),
        (
            "a negative duration",
            PLAIN.replace("63.53", "-63.53").into_bytes(),
            "line 3: Benchmark duration (s) is \"-63.53\"",
        ),
        (
            "half a request",
            PLAIN.replace("1000\n", "1000.5\n").into_bytes(),
            "line 2: Successful requests is \"1000.5\"; expected a whole number",
        ),
        (
            "a number of 400 digits",
            PLAIN.replace("63.53", &"9".repeat(400)).into_bytes(),
            "line 3: Benchmark duration (s)",
        ),
        (
            "no count",
            PLAIN.replace("Successful requests:", "Sucessful requests:").into_bytes(),
            "line 1: the block that starts here has no \"Successful requests\" line",
        ),
        (
            "cut off after the count",
            PLAIN.lines().take(2).collect::<Vec<_>>().join("\n").into_bytes(),
            "line 1: the block that starts here has no \"Benchmark duration (s)\" line",
        ),
        (
            "a decimal comma",
            PLAIN.replace("63.53", "63,53").into_bytes(),
            "line 3: Benchmark duration (s) is \"63,53\"; expected a number",
        ),
        ("another template", PLAIN.replace("63.53", "X.XX").into_bytes(), "line 3: the block is a template"),
        ("a template of dots", PLAIN.replace("63.53", "...").into_bytes(), "line 3: the block is a template"),
        (
            "cut off among the latencies",
            PLAIN.lines().take(10).collect::<Vec<_>>().join("\n").into_bytes(),
            "line 1: the block that starts here has no closing rule",
        ),
        (
            "cut off in its last figure",
            PLAIN.split_inclusive("627").next().unwrap_or_default().as_bytes().to_vec(),
            "line 1: the block that starts here has no closing rule",
        ),
        ("a template", PLAIN.replace("63.53", "xxx.xx").into_bytes(), "line 3: the block is a template"),
        (
            "two results run into one",
            PLAIN.replace("Total input tokens:", "Benchmark duration (s):  9.9\nTotal input tokens:").into_bytes(),
            "line 4: Benchmark duration (s) is given twice",
        ),
    ];
    for (what, bytes, expected) in cases {
        let error = parse(&bytes).expect_err(what).to_string();
        assert!(error.starts_with(expected), "{what}: {error}");
    }
    let long = PLAIN.replace("63.53", &"x1".repeat(10_000));
    assert!(
        parse(long.as_bytes()).is_err_and(|error| error.to_string().len() < 300),
        "a long value is cut when quoted"
    );
}

#[test]
fn a_template_beside_results_is_a_doubt_not_an_error() {
    let text = format!("{PLAIN}{}", PLAIN.replace("63.53", "xxx.xx"));
    let parsed = parse(text.as_bytes()).unwrap();
    assert_eq!((parsed.runs.len(), parsed.warnings.len()), (1, 1));
    let only = PLAIN.replace("63.53", "xxx.xx");
    assert!(matches!(parse(only.as_bytes()), Err(ParseError::Template { line: 3, .. })));
}

#[test]
fn every_run_of_both_reference_studies_reads_to_what_it_prints() {
    let mut blocks = 0;
    for slug in [studies::QWEN35, studies::QWEN3] {
        for run in &studies::study(slug).data.runs {
            let text = fs::read_to_string(studies::folder(slug).join(&run.file)).unwrap();
            let printed = |label: &str| {
                let line = text.lines().find_map(|line| line.strip_prefix(label)?.strip_prefix(':'));
                line.and_then(|value| value.trim().parse::<f64>().ok())
            };
            let metrics = &run.measurement.metrics;
            assert_eq!(metrics.successful_requests.map(|v| v as f64), printed("Successful requests"));
            assert_eq!(metrics.duration.map(|v| v.get()), printed("Benchmark duration (s)"));
            assert_eq!(metrics.total_token_throughput.map(|v| v.get()), printed("Total Token throughput (tok/s)"));
            assert_eq!(
                metrics.peak_output_throughput.map(|v| v.get()),
                printed("Peak output token throughput (tok/s)")
            );
            assert_eq!(metrics.max_concurrency.map(|v| v as f64), printed("Maximum request concurrency"));
            for (latency_of, label, unit) in [
                (Latency::Ttft, "TTFT (ms)", 1.0),
                (Latency::Tpot, "TPOT (ms)", 1.0),
                (Latency::Itl, "ITL (ms)", 1.0),
                (Latency::E2el, "Latency(s)", 1000.0),
            ] {
                for (stat, name) in
                    [(Stat::Mean, "Mean"), (Stat::Median, "Median"), (Stat::P95, "P95"), (Stat::P99, "P99")]
                {
                    let printed = printed(&format!("{name} {label}")).map(|value| value * unit);
                    let read = latency(metrics, latency_of, stat);
                    let same = read.zip(printed).map_or(read == printed, |(a, b)| (a - b).abs() < 1e-6);
                    assert!(same, "{} {name} {label}: {read:?} against {printed:?}", run.file);
                }
            }
            blocks += 1;
        }
    }
    assert_eq!(blocks, 22 + 15);
}
