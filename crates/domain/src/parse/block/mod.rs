//! The "Serving Benchmark Result" text block, in all its layouts, anywhere in a text: logs, Markdown pages, pasted mail.
//!
//! Printed by `vllm bench serve` (<https://github.com/vllm-project/vllm/blob/v0.17.1/vllm/benchmarks/serve.py>), by
//! `sglang.bench_serving` (<https://github.com/sgl-project/sglang/blob/v0.5.9/python/sglang/bench_serving.py>), by
//! TensorRT-LLM's fork of the former
//! (<https://github.com/NVIDIA/TensorRT-LLM/blob/v1.0.0/tensorrt_llm/serve/scripts/benchmark_serving.py>) and by wrappers
//! that imitate them. A label with its unit, a colon, a value; the letter case of labels changed over time.

mod before;
mod fields;

use std::borrow::Cow;

use super::{ParseError, Parsed, Warning, flat, text};
use crate::run::{Context, Excerpt, Measurement, Tool, TpotDefinition};
use before::{Before, Said};
use fields::{Fields, Row};

const TITLE: &str = "serving benchmark result";
/// Shortest rule that closes a block; the tools print 50.
const RULE: usize = 20;
/// What is kept of a column that is no figure.
const PARAMETER_CHARS: usize = 200;

/// Reads every block of a text, if there is one.
pub(super) fn parse(text: &str) -> Option<Result<Parsed, ParseError>> {
    let blocks = blocks(text);
    (!blocks.is_empty()).then(|| read(blocks))
}

fn read(blocks: Vec<Block<'_>>) -> Result<Parsed, ParseError> {
    let (mut runs, mut warnings, mut rejected, mut template) = (Vec::new(), Vec::new(), Vec::new(), None);
    for block in blocks {
        let before = warnings.len();
        let line = block.first_line;
        match block.read(&mut warnings) {
            Ok(measurement) => {
                runs.push(measurement);
                continue;
            }
            // A page shows the shape of a result: nothing was lost.
            Err(error @ ParseError::Template { .. }) => template = template.or(Some((line, error))),
            Err(error) => rejected.push(error),
        }
        warnings.truncate(before);
    }
    match template {
        Some((_, error)) if runs.is_empty() && rejected.is_empty() => return Err(error),
        Some((line, error)) => warnings.push(Warning { line: Some(line), message: error.to_string() }),
        None => {}
    }
    Parsed::of(runs, warnings, rejected)
}

/// Reads a row of a table whose columns are named like the labels of a block. Other columns become parameters.
pub(super) fn parse_row<'a>(
    line: usize,
    cells: impl Iterator<Item = (&'a str, &'a str)>,
    warnings: &mut Vec<Warning>,
) -> Result<Measurement, ParseError> {
    let mut fields = Fields::default();
    let mut context = Context::default();
    for (label, value) in cells {
        if !fields.cell(line, label, value, warnings)? && !label.is_empty() && !value.is_empty() {
            let short = |text: &str| text.chars().take(PARAMETER_CHARS).collect();
            context.parameters.insert(short(label), short(value));
        }
    }
    fields.measurement(line, context)
}

struct Block<'a> {
    first_line: usize,
    lines: Vec<(usize, Cow<'a, str>)>,
    closed: bool,
    /// Whether the text ends inside it: its last line may be half a line.
    open_end: bool,
    said: Said,
}

/// Cuts a text into blocks. A block opens with its title between rules and ends at the closing rule. One that lost its
/// rule ends after its last row, before the next client's settings, the next title or the end of the text: what was said
/// for the next block is none of its rows.
fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut before = Before::default();
    let mut prefix = 0;
    let mut is_open = false;
    for (number, line) in text::lines(text) {
        let starts = title(&line);
        if is_open
            && (starts.is_some() || before::is_settings(&line))
            && let Some(block) = blocks.last_mut()
        {
            block.end().iter().for_each(|(_, line)| before.line(line));
            is_open = false;
        }
        if let Some(at) = starts {
            // What stands before the title (a log's prefix, a quote mark) stands before every line of its block.
            prefix = line[..at].chars().count();
            let line = strip(&line, prefix);
            blocks.push(Block {
                first_line: number,
                lines: vec![(number, line)],
                closed: false,
                open_end: false,
                said: before.take(),
            });
            is_open = true;
        } else if is_open && let Some(block) = blocks.last_mut() {
            let line = strip(&line, prefix);
            block.closed = is_rule(&line, '=');
            is_open = !block.closed;
            block.lines.push((number, line));
        } else {
            before.line(&line);
        }
    }
    if let Some(block) = blocks.last_mut().filter(|_| is_open) {
        block.open_end = !block.lines.iter().any(|(_, line)| is_fence(line));
        block.end();
    }
    blocks
}

/// A Markdown fence closes a block that lost its rule.
fn is_fence(line: &str) -> bool {
    line.trim_start().starts_with("```")
}

/// What tqdm draws: `  5%|▌         | 2/40 [00:00<00:04,  8.05it/s]`.
fn is_progress(line: &str) -> bool {
    line.contains("%|") && (line.contains("it/s") || line.contains("s/it"))
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
    // Boxes and quotes draw their own lines beside it.
    let line = line.trim_matches(|c: char| c.is_whitespace() || matches!(c, '│' | '|' | '>' | '#'));
    line.len() >= RULE && line.chars().all(|c| c == of)
}

impl<'a> Block<'a> {
    /// Ends a block that lost its rule; gives the lines behind it.
    fn end(&mut self) -> Vec<(usize, Cow<'a, str>)> {
        let (mut timed, mut last) = (false, 0);
        for (at, (_, line)) in self.lines.iter().enumerate().skip(1) {
            let row = Fields::row(line);
            // The client prints its load before a run, in words that a block has above its duration.
            if is_fence(line) || is_progress(line) || (timed && row == Some(Row::Load)) {
                break;
            }
            timed |= row == Some(Row::Duration);
            if row.is_some() {
                last = at;
            }
        }
        self.lines.split_off(last + 1)
    }

    fn read(self, warnings: &mut Vec<Warning>) -> Result<Measurement, ParseError> {
        let mut fields = Fields::default();
        let mut end = self.lines.len();
        for (at, (number, line)) in self.lines.iter().enumerate().skip(1) {
            if is_fence(line) {
                end = at;
                break;
            }
            fields.line(*number, line, warnings)?;
        }
        if !self.closed {
            let message = "the block has no closing rule; what followed its last line is missing".to_owned();
            warnings.push(Warning { line: Some(self.first_line), message });
        }
        let lines: Vec<&str> = self.lines[..end].iter().map(|(_, line)| line.as_ref()).collect();
        let tail = fields.has_inter_token_tail();
        let mut measurement = fields.measurement(self.first_line, Context::default())?;
        // Inter-token latencies come last in every layout: without them nobody knows what else is missing. And where the
        // text ends with the block, its last figure may lack digits.
        if self.open_end || (!self.closed && !tail) {
            return Err(ParseError::CutOff { line: self.first_line });
        }
        self.said.complete(&mut measurement);
        measurement.excerpt = Some(Excerpt { text: lines.join("\n"), first_line: self.first_line });
        Ok(measurement)
    }
}

impl Fields {
    /// The figures as a measurement; `line` is where they stand.
    fn measurement(self, line: usize, mut context: Context) -> Result<Measurement, ParseError> {
        let mut metrics = self.metrics;
        if metrics.successful_requests.is_none() && !self.no_count {
            return Err(ParseError::MissingField { line, field: "Successful requests" });
        }
        if metrics.duration.is_none() {
            return Err(ParseError::MissingField { line, field: "Benchmark duration (s)" });
        }
        flat::drop_by_counts(&mut metrics);
        context.parameters.extend(self.parameters);
        Ok(Measurement {
            tool: Tool::ServingBenchmarkBlock,
            tpot_definition: self.tpot_definition.unwrap_or(TpotDefinition::Unstated),
            metrics,
            context,
            excerpt: None,
            requests: None,
        })
    }
}
