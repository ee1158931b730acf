//! The "Serving Benchmark Result" text block, in all its layouts, anywhere in a text: logs, Markdown pages, pasted mail.
//!
//! Printed by `vllm bench serve` (<https://github.com/vllm-project/vllm/blob/v0.17.1/vllm/benchmarks/serve.py>), by
//! `sglang.bench_serving` (<https://github.com/sgl-project/sglang/blob/v0.5.9/python/sglang/bench_serving.py>) and by
//! wrappers that imitate them. A label with its unit, a colon, a value; the letter case of labels changed over time.

use std::borrow::Cow;

use super::{ParseError, Parsed, Warning, text};
use crate::metrics::{Latency, Metrics, Stat};
use crate::run::{Context, Excerpt, Measurement, Tool, TpotDefinition};
use crate::units::{Ms, ReqPerSec, RequestRate, Secs, TokPerSec};

const TITLE: &str = "serving benchmark result";
/// Words that stand for "no figure". `xxx` is handled as a template.
const NOT_MEASURED: [&str; 8] = ["n/a", "na", "nan", "-nan", "none", "null", "-", "--"];
/// Shortest rule that closes a block; the tools print 50.
const RULE: usize = 20;
/// What is quoted of a bad value.
const QUOTED_CHARS: usize = 80;

/// Reads every block of a text.
pub(super) fn parse(text: &str) -> Result<Parsed, ParseError> {
    let mut parsed = Parsed::default();
    let mut template = None;
    for block in blocks(text) {
        match block.read(&mut parsed.warnings) {
            Ok(measurement) => parsed.runs.push(measurement),
            Err(error @ ParseError::Template { .. }) => template = template.or(Some(error)),
            Err(error) => return Err(error),
        }
    }
    match (parsed.runs.is_empty(), template) {
        (true, Some(error)) => Err(error),
        (true, None) => Err(ParseError::NoResult),
        (false, Some(error)) => {
            parsed.warnings.push(Warning { line: None, message: error.to_string() });
            Ok(parsed)
        }
        (false, None) => Ok(parsed),
    }
}

struct Block<'a> {
    first_line: usize,
    lines: Vec<(usize, Cow<'a, str>)>,
    closed: bool,
}

/// Cuts a text into blocks. A block opens with its title between rules and ends at the closing rule, at the next title,
/// or at the end of the text.
fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut prefix = 0;
    for (number, line) in text::lines(text) {
        if let Some(at) = title(&line) {
            // What stands before the title (a log's prefix, a quote mark) stands before every line of its block.
            prefix = line[..at].chars().count();
            let line = strip(&line, prefix);
            blocks.push(Block { first_line: number, lines: vec![(number, line)], closed: false });
        } else if let Some(block) = blocks.last_mut().filter(|block| !block.closed) {
            let line = strip(&line, prefix);
            block.closed = is_rule(&line, '=');
            block.lines.push((number, line));
        }
    }
    blocks
}

/// Where the title's rule starts in a line, if the line is a title.
fn title(line: &str) -> Option<usize> {
    let lower = line.to_ascii_lowercase();
    let at = lower.find(TITLE)?;
    let before = &line[..at];
    let rule =
        before.trim_end().rfind(|c| c != '=').map_or(0, |i| i + before[i..].chars().next().map_or(1, char::len_utf8));
    (before.trim_end().len() > rule + 2).then_some(rule)
}

/// A line without the first `prefix` characters; a shorter line, or one whose prefix is blank-only, is only trimmed.
fn strip<'a>(line: &str, prefix: usize) -> Cow<'a, str> {
    let rest = line.char_indices().nth(prefix).map_or("", |(at, _)| &line[at..]);
    let cut = if prefix == 0 {
        line
    } else if rest.is_empty() {
        line.trim_start()
    } else {
        rest
    };
    Cow::Owned(cut.trim_end().to_owned())
}

fn is_rule(line: &str, of: char) -> bool {
    let line = line.trim();
    line.len() >= RULE && line.chars().all(|c| c == of)
}

impl Block<'_> {
    fn read(self, warnings: &mut Vec<Warning>) -> Result<Measurement, ParseError> {
        let mut fields = Fields::default();
        let mut end = self.lines.len();
        for (at, (number, line)) in self.lines.iter().enumerate().skip(1) {
            if line.trim_start().starts_with("```") {
                // A fence closes a block that lost its rule.
                end = at;
                break;
            }
            fields.line(*number, line, warnings)?;
        }
        if !self.closed {
            let message = "the block has no closing rule; what follows it may be missing".to_owned();
            warnings.push(Warning { line: Some(self.first_line), message });
        }
        if fields.metrics.successful_requests.is_none() && !fields.absent.contains(&"Successful requests") {
            return Err(ParseError::MissingField { line: self.first_line, field: "Successful requests" });
        }
        if fields.metrics.duration.is_none() {
            return Err(ParseError::MissingField { line: self.first_line, field: "Benchmark duration (s)" });
        }
        let lines: Vec<&str> = self.lines[..end].iter().map(|(_, line)| line.as_ref()).collect();
        Ok(Measurement {
            tool: Tool::ServingBenchmarkBlock,
            tpot_definition: fields.tpot_definition.unwrap_or(TpotDefinition::Unstated),
            metrics: fields.metrics,
            context: Context::default(),
            excerpt: Some(Excerpt { text: lines.join("\n"), first_line: self.first_line }),
        })
    }
}

#[derive(Default)]
struct Fields {
    metrics: Metrics,
    tpot_definition: Option<TpotDefinition>,
    seen: Vec<(String, String)>,
    absent: Vec<&'static str>,
}

impl Fields {
    fn line(&mut self, number: usize, line: &str, warnings: &mut Vec<Warning>) -> Result<(), ParseError> {
        let line = line.trim();
        if line.starts_with('-') {
            if line.to_ascii_lowercase().contains("excl. 1st token") {
                self.tpot_definition.get_or_insert(TpotDefinition::ExcludesFirstToken);
            }
            return Ok(());
        }
        let Some((label, value)) = line.rsplit_once(": ").or_else(|| line.rsplit_once(':')) else { return Ok(()) };
        let (label, value) = (label.trim(), value.trim());
        let lower = label.to_ascii_lowercase();
        let Some(field) = field(&lower) else { return Ok(()) };
        if lower.ends_with("latency(s)") {
            // Only GPUStack's runner prints these rows, from GuideLLM's figures: its TPOT holds TTFT, whatever the head says.
            self.tpot_definition = Some(TpotDefinition::IncludesFirstToken);
        }
        if value.to_ascii_lowercase().starts_with("xx") {
            return Err(ParseError::Template { line: number, value: value.to_owned() });
        }
        if let Some((_, first)) = self.seen.iter().find(|(seen, _)| seen == label) {
            if first == value {
                return Ok(());
            }
            let (field, first, second) = (label.to_owned(), first.clone(), value.to_owned());
            return Err(ParseError::GivenTwice { line: number, field, first, second });
        }
        self.seen.push((label.to_owned(), value.to_owned()));
        if NOT_MEASURED.contains(&value.to_ascii_lowercase().as_str()) {
            if matches!(field, Field::Successful) {
                self.absent.push("Successful requests");
            }
            return Ok(());
        }
        let cell = Cell { number, label, value };
        self.set(field, &cell, warnings)
    }

    fn set(&mut self, field: Field, cell: &Cell<'_>, warnings: &mut Vec<Warning>) -> Result<(), ParseError> {
        let metrics = &mut self.metrics;
        match field {
            Field::Successful => metrics.successful_requests = Some(cell.count()?),
            Field::Failed => metrics.failed_requests = Some(cell.count()?),
            Field::MaxConcurrency => metrics.max_concurrency = cell.limit()?,
            Field::RequestRate => metrics.request_rate = cell.rate()?,
            Field::PeakConcurrency => metrics.peak_concurrent_requests = cell.rounded_count(warnings)?,
            Field::Duration => metrics.duration = Secs::new(cell.figure()?),
            Field::InputTokens => metrics.total_input_tokens = Some(cell.count()?),
            Field::OutputTokens => metrics.total_output_tokens = Some(cell.count()?),
            Field::RequestThroughput => metrics.request_throughput = ReqPerSec::new(cell.figure()?),
            Field::Goodput => metrics.goodput = ReqPerSec::new(cell.figure()?),
            Field::OutputThroughput => metrics.output_throughput = TokPerSec::new(cell.figure()?),
            Field::PeakOutput => metrics.peak_output_throughput = TokPerSec::new(cell.figure()?),
            Field::TotalThroughput => metrics.total_token_throughput = TokPerSec::new(cell.figure()?),
            Field::Latency { latency, stat, seconds } => {
                let figure = cell.figure()?;
                let value = if seconds { Ms::from_secs(figure) } else { Ms::new(figure) };
                if let Some(value) = value {
                    metrics.latency_mut(latency).insert(stat, value);
                }
            }
        }
        Ok(())
    }
}

#[derive(Clone, Copy)]
enum Field {
    Successful,
    Failed,
    MaxConcurrency,
    RequestRate,
    PeakConcurrency,
    Duration,
    InputTokens,
    OutputTokens,
    RequestThroughput,
    Goodput,
    OutputThroughput,
    PeakOutput,
    TotalThroughput,
    Latency { latency: Latency, stat: Stat, seconds: bool },
}

/// The field of a label, in lower case. Labels that no metric maps to (accept length, RTFx, …) are passed over.
fn field(label: &str) -> Option<Field> {
    Some(match label {
        "successful requests" => Field::Successful,
        "failed requests" => Field::Failed,
        // SGLang 0.4.0 to 0.4.6 misspells it.
        "maximum request concurrency" | "max request concurrency" | "max reqeuest concurrency" => Field::MaxConcurrency,
        "request rate configured (rps)" | "traffic request rate" => Field::RequestRate,
        "peak concurrent requests" => Field::PeakConcurrency,
        "benchmark duration (s)" => Field::Duration,
        "total input tokens" => Field::InputTokens,
        "total generated tokens" => Field::OutputTokens,
        "request throughput (req/s)" => Field::RequestThroughput,
        "request goodput (req/s)" => Field::Goodput,
        "output token throughput (tok/s)" => Field::OutputThroughput,
        "peak output token throughput (tok/s)" => Field::PeakOutput,
        "total token throughput (tok/s)" => Field::TotalThroughput,
        other => return latency(other),
    })
}

/// `mean ttft (ms)`, `p99.9 e2el (ms)`, `median e2e latency (ms)`, `mean latency(s)`.
fn latency(label: &str) -> Option<Field> {
    let (stat, rest) = label.split_once(' ')?;
    let (name, unit) = rest.strip_suffix(')')?.rsplit_once('(')?;
    let latency = match name.trim() {
        "ttft" => Latency::Ttft,
        "tpot" => Latency::Tpot,
        "itl" => Latency::Itl,
        "e2el" | "e2e latency" | "latency" => Latency::E2el,
        _ => return None,
    };
    let seconds = match unit {
        "ms" => false,
        "s" => true,
        _ => return None,
    };
    Some(Field::Latency { latency, stat: stat.parse().ok()?, seconds })
}

struct Cell<'a> {
    number: usize,
    label: &'a str,
    value: &'a str,
}

impl Cell<'_> {
    fn bad(&self, expected: &'static str) -> ParseError {
        let value = self.value.chars().take(QUOTED_CHARS).collect();
        ParseError::BadValue { line: self.number, field: self.label.to_owned(), value, expected }
    }

    /// A figure that is not negative. `inf` is no measurement and comes out as infinite, which no unit takes.
    fn figure(&self) -> Result<f64, ParseError> {
        let figure: f64 = self.value.replace(',', "").parse().map_err(|_| self.bad("a number"))?;
        let written = self.value.to_ascii_lowercase().contains("inf");
        if figure < 0.0 || (figure.is_infinite() && !written) {
            return Err(self.bad("a number that is not negative and not beyond 1.8e308"));
        }
        Ok(figure)
    }

    fn count(&self) -> Result<u64, ParseError> {
        whole(self.figure()?).ok_or_else(|| self.bad("a whole number"))
    }

    /// Some versions print a count as a mean.
    fn rounded_count(&self, warnings: &mut Vec<Warning>) -> Result<Option<u64>, ParseError> {
        let figure = self.figure()?;
        if let Some(count) = whole(figure) {
            return Ok(Some(count));
        }
        let message = format!("{} is {}, not a whole number of requests; left out", self.label, self.value);
        warnings.push(Warning { line: Some(self.number), message });
        Ok(None)
    }

    fn limit(&self) -> Result<Option<u64>, ParseError> {
        match self.value.to_ascii_lowercase().as_str() {
            "not set" | "inf" => Ok(None),
            _ => self.count().map(Some),
        }
    }

    fn rate(&self) -> Result<Option<RequestRate>, ParseError> {
        match self.value.to_ascii_lowercase().as_str() {
            "inf" => Ok(Some(RequestRate::Unlimited)),
            // Arrival times come from a recorded trace: there is no one rate.
            "trace" => Ok(None),
            _ => Ok(ReqPerSec::new(self.figure()?).filter(|rate| rate.get() > 0.0).map(RequestRate::PerSec)),
        }
    }
}

/// Counts above 2^53 cannot be told from their neighbours.
fn whole(figure: f64) -> Option<u64> {
    (figure.fract() == 0.0 && figure <= 9_007_199_254_740_992.0).then_some(figure as u64)
}
