//! The rows of a block: labels, and what their values may be.

use std::collections::BTreeMap;

use crate::metrics::{Latency, Metrics, Stat};
use crate::parse::{ParseError, Warning, text};
use crate::run::TpotDefinition;
use crate::units::{Ms, ReqPerSec, RequestRate, Secs, TokPerSec};

/// Words that stand for "no figure".
const NOT_MEASURED: [&str; 9] = ["", "n/a", "na", "nan", "-nan", "none", "null", "-", "--"];
/// What is quoted of a bad value.
const QUOTED_CHARS: usize = 80;

/// Kinds of rows that tell where a block ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Row {
    /// The duration, above which the load stands.
    Duration,
    /// The load asked for.
    Load,
    /// Any other row, or a heading among them.
    Other,
}

/// What the rows of one block say.
#[derive(Default)]
pub(super) struct Fields {
    pub(super) metrics: Metrics,
    pub(super) tpot_definition: Option<TpotDefinition>,
    /// Rows that are no metric but say how the run was made.
    pub(super) parameters: BTreeMap<String, String>,
    /// Whether the count of successes is there but says that it is not known.
    pub(super) no_count: bool,
    /// Values by their labels in lower case: a fixed set, however a text spells them.
    seen: BTreeMap<String, String>,
}

impl Fields {
    /// Whether a high percentile of the inter-token latency was read.
    pub(super) fn has_inter_token_tail(&self) -> bool {
        self.metrics.itl.keys().any(|stat| stat.rank().is_some_and(|rank| rank > 500))
    }

    /// What kind of row a line is, if it is one.
    pub(super) fn row(line: &str) -> Option<Row> {
        let line = line.trim();
        if line.starts_with("---") && line.contains(char::is_alphabetic) {
            return Some(Row::Other);
        }
        let (label, value) = line.rsplit_once(": ").or_else(|| line.rsplit_once(':'))?;
        // A label is the last word of a log line, too, but the value of a row is one word, or two (`not set`).
        if plain(value).split_whitespace().count() > 2 {
            return None;
        }
        let field = field(&label.trim().to_ascii_lowercase())?;
        let load = matches!(field, Field::RequestRate | Field::MaxConcurrency);
        let otherwise = if load { Row::Load } else { Row::Other };
        Some(if matches!(field, Field::Duration) { Row::Duration } else { otherwise })
    }

    /// Reads a line of a block; a line that is no row of it is passed over.
    pub(super) fn line(&mut self, number: usize, line: &str, warnings: &mut Vec<Warning>) -> Result<(), ParseError> {
        let line = line.trim();
        if line.starts_with('-') {
            if line.to_ascii_lowercase().contains("excl. 1st token") {
                self.tpot_definition.get_or_insert(TpotDefinition::ExcludesFirstToken);
            }
            return Ok(());
        }
        let Some((label, value)) = line.rsplit_once(": ").or_else(|| line.rsplit_once(':')) else { return Ok(()) };
        self.cell(number, label.trim(), plain(value), warnings).map(|_| ())
    }

    /// Reads one labelled value; says whether the label is known.
    pub(super) fn cell(
        &mut self,
        number: usize,
        label: &str,
        value: &str,
        warnings: &mut Vec<Warning>,
    ) -> Result<bool, ParseError> {
        let lower = label.to_ascii_lowercase();
        let Some(field) = field(&lower) else { return Ok(false) };
        if lower.ends_with("latency(s)") {
            // Only GPUStack's runner prints these rows, from GuideLLM's figures: its TPOT holds TTFT, whatever the head says.
            self.tpot_definition = Some(TpotDefinition::IncludesFirstToken);
        }
        if is_template(value) {
            return Err(ParseError::Template { line: number, value: value.chars().take(QUOTED_CHARS).collect() });
        }
        if let Some(first) = self.seen.get(&lower) {
            if first == value {
                return Ok(true);
            }
            let quoted = |text: &str| text.chars().take(QUOTED_CHARS).collect();
            let (field, first, second) = (label.to_owned(), quoted(first), quoted(value));
            return Err(ParseError::GivenTwice { line: number, field, first, second });
        }
        self.seen.insert(lower, value.to_owned());
        if NOT_MEASURED.contains(&value.to_ascii_lowercase().as_str()) {
            self.no_count |= matches!(field, Field::Successful);
            return Ok(true);
        }
        self.set(field, &Cell { number, label, value }, warnings)?;
        Ok(true)
    }

    fn set(&mut self, field: Field, cell: &Cell<'_>, warnings: &mut Vec<Warning>) -> Result<(), ParseError> {
        let metrics = &mut self.metrics;
        match field {
            Field::Successful => metrics.successful_requests = Some(cell.count()?),
            Field::Failed => metrics.failed_requests = Some(cell.count()?),
            Field::Planned => metrics.planned_requests = Some(cell.count()?),
            Field::MaxConcurrency => metrics.max_concurrency = cell.limit()?,
            Field::RequestRate => metrics.request_rate = cell.rate()?,
            Field::PeakConcurrency => metrics.peak_concurrent_requests = cell.rounded_count(warnings)?,
            Field::MeanConcurrency => metrics.mean_concurrency = Some(cell.figure()?).filter(|mean| mean.is_finite()),
            Field::Duration => metrics.duration = Secs::new(cell.figure()?),
            Field::InputTokens => metrics.total_input_tokens = Some(cell.count()?),
            Field::OutputTokens => metrics.total_output_tokens = Some(cell.count()?),
            Field::RequestThroughput => metrics.request_throughput = ReqPerSec::new(cell.figure()?),
            Field::Goodput => metrics.goodput = ReqPerSec::new(cell.figure()?),
            Field::OutputThroughput => metrics.output_throughput = TokPerSec::new(cell.figure()?),
            Field::PeakOutput => metrics.peak_output_throughput = TokPerSec::new(cell.figure()?),
            Field::TotalThroughput => metrics.total_token_throughput = TokPerSec::new(cell.figure()?),
            Field::AcceptanceRate => metrics.acceptance_rate_pct = Some(cell.figure()?).filter(|rate| rate.is_finite()),
            Field::AcceptanceLength => metrics.acceptance_length = Some(cell.figure()?).filter(|n| n.is_finite()),
            Field::Parameter(name) => {
                self.parameters.insert(name.to_owned(), cell.value.chars().take(QUOTED_CHARS).collect());
            }
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

/// A value without what pages and chats leave behind it (a stray `·`, a table's border).
fn plain(value: &str) -> &str {
    value.trim_matches(|c: char| c.is_whitespace() || matches!(c, '·' | '•' | '|' | '│' | '`' | '*'))
}

/// `xxx.xx`, `X.XX`, `...`: a page shows the shape of a result, not a result.
fn is_template(value: &str) -> bool {
    let shape = value.chars().all(|c| matches!(c, 'x' | 'X' | '.' | ',' | '…' | '%'));
    shape && (value.contains(['x', 'X', '…']) || value.contains("..")) || value.to_ascii_lowercase().starts_with("xx")
}

#[derive(Clone, Copy)]
enum Field {
    Successful,
    Failed,
    Planned,
    MaxConcurrency,
    RequestRate,
    PeakConcurrency,
    MeanConcurrency,
    Duration,
    InputTokens,
    OutputTokens,
    RequestThroughput,
    Goodput,
    OutputThroughput,
    PeakOutput,
    TotalThroughput,
    AcceptanceRate,
    AcceptanceLength,
    Parameter(&'static str),
    Latency { latency: Latency, stat: Stat, seconds: bool },
}

/// The field of a label, in lower case. Labels that no metric maps to (RTFx, client queue, …) are passed over.
fn field(label: &str) -> Option<Field> {
    Some(match label {
        "successful requests" => Field::Successful,
        "failed requests" | "total failed requests" => Field::Failed,
        // TensorRT-LLM's fork.
        "total requests" => Field::Planned,
        // SGLang 0.4.0 to 0.4.6 misspells it.
        "maximum request concurrency" | "max request concurrency" | "max reqeuest concurrency" => Field::MaxConcurrency,
        "request rate configured (rps)" | "traffic request rate" => Field::RequestRate,
        "peak concurrent requests" => Field::PeakConcurrency,
        // SGLang: the sum of latencies over the duration.
        "concurrency" => Field::MeanConcurrency,
        "benchmark duration (s)" => Field::Duration,
        "total input tokens" => Field::InputTokens,
        "total generated tokens" => Field::OutputTokens,
        "request throughput (req/s)" => Field::RequestThroughput,
        "request goodput (req/s)" => Field::Goodput,
        "output token throughput (tok/s)" => Field::OutputThroughput,
        "peak output token throughput (tok/s)" => Field::PeakOutput,
        // Forks of SGLang leave the word "token" out.
        "total token throughput (tok/s)" | "total throughput (tok/s)" => Field::TotalThroughput,
        "acceptance rate (%)" => Field::AcceptanceRate,
        "acceptance length" | "accept length" => Field::AcceptanceLength,
        "backend" => Field::Parameter("backend"),
        other => return latency(other),
    })
}

/// `mean ttft (ms)`, `p99.9 e2el (ms)`, `std dev itl (ms)`, `median e2e latency (ms)`, `mean latency(s)`.
fn latency(label: &str) -> Option<Field> {
    let (stat, rest) = label.split_once(' ')?;
    let rest = rest.strip_prefix("dev ").unwrap_or(rest);
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
        let value = self.value.trim_end_matches('%');
        let figure = text::number(value).ok_or_else(|| self.bad("a number"))?;
        let written = self.value.to_ascii_lowercase().contains("inf");
        if figure < 0.0 || (figure.is_infinite() && !written) {
            return Err(self.bad("a number that is not negative and not beyond 1.8e308"));
        }
        // Python prints a tiny negative difference as -0.00.
        Ok(figure + 0.0)
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
