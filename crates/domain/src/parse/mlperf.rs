//! MLPerf LoadGen's `mlperf_log_summary.txt`: rows `label : value`, latencies in nanoseconds. No request count and no wall
//! time are in it.
//!
//! <https://github.com/mlcommons/inference/blob/b66003e10e/loadgen/results.cc>.

use super::node::Unit;
use super::{ParseError, Parsed, Warning, text};
use crate::metrics::{Latency, Metrics, Stat};
use crate::run::{Context, Measurement, Tool, TpotDefinition};
use crate::units::{ReqPerSec, RequestRate, TokPerSec};

const TITLE: &str = "MLPerf Results Summary";

/// Rows that are kept as parameters.
const PARAMETERS: [&str; 9] = [
    "Mode",
    "Result is",
    "Scheduled samples per second",
    "samples_per_query",
    "target_qps",
    "ttft_latency (ns)",
    "tpot_latency (ns)",
    "min_duration (ms)",
    "performance_sample_count",
];

/// Reads every summary of a text, if there is one.
pub(super) fn summary(text: &str) -> Option<Result<Parsed, ParseError>> {
    text.contains(TITLE).then(|| summaries(text))
}

fn summaries(text: &str) -> Result<Parsed, ParseError> {
    let mut summaries: Vec<Summary> = Vec::new();
    for (line, row) in text::lines(text) {
        if row.contains(TITLE) {
            summaries.push(Summary::new(line));
        } else if let (Some(summary), Some((label, value))) = (summaries.last_mut(), row.split_once(':'))
            && let Err(error) = summary.row(line, label.trim(), value.trim())
        {
            summary.wrong.get_or_insert(error);
        }
    }
    let (mut runs, mut warnings, mut rejected) = (Vec::new(), Vec::new(), Vec::new());
    for summary in summaries {
        match summary.measurement(&mut warnings) {
            Ok(run) => runs.push(run),
            Err(error) => rejected.push(error),
        }
    }
    Parsed::of(runs, warnings, rejected)
}

struct Summary {
    line: usize,
    metrics: Metrics,
    context: Context,
    target: Option<RequestRate>,
    /// The first row that cannot be read.
    wrong: Option<ParseError>,
}

impl Summary {
    fn new(line: usize) -> Self {
        Self { line, metrics: Metrics::default(), context: Context::default(), target: None, wrong: None }
    }

    fn row(&mut self, line: usize, label: &str, value: &str) -> Result<(), ParseError> {
        let figure = || figure(line, label, value);
        match label {
            "SUT name" => self.context.engine = Some(value.to_owned()).filter(|name| !name.is_empty()),
            "Scenario" => self.context.label = Some(value.to_owned()),
            "Completed samples per second" | "Samples per second" => {
                self.metrics.request_throughput = ReqPerSec::new(figure()?);
            }
            // The Server scenario prints it twice.
            "Completed tokens per second" | "Tokens per second" => {
                self.metrics.output_throughput = TokPerSec::new(figure()?);
            }
            "target_qps" => {
                self.target = ReqPerSec::new(figure()?).filter(|rate| rate.get() > 0.0).map(RequestRate::PerSec);
            }
            _ => {
                if let Some((latency, stat)) = latency(label) {
                    self.metrics.latency_mut(latency).extend(Unit::Nanos.ms(figure()?).map(|value| (stat, value)));
                }
            }
        }
        if PARAMETERS.contains(&label) {
            self.context.parameters.insert(label.to_owned(), value.chars().take(80).collect());
        }
        Ok(())
    }

    /// Warnings only of what is read.
    fn measurement(mut self, warnings: &mut Vec<Warning>) -> Result<Measurement, ParseError> {
        if let Some(wrong) = self.wrong {
            return Err(wrong);
        }
        let Some(scenario) = self.context.label.clone() else {
            return Err(ParseError::MissingField { line: self.line, field: "Scenario" });
        };
        if self.metrics.request_throughput.is_none() && (scenario == "Offline" || self.metrics.e2el.is_empty()) {
            return Err(ParseError::MissingField { line: self.line, field: "Completed samples per second" });
        }
        let mut doubt = |message: String| warnings.push(Warning { line: Some(self.line), message });
        if scenario == "Offline" {
            // All samples are sent at once and each latency counts from the start of the run; the target only sizes it.
            self.metrics.request_rate = Some(RequestRate::Unlimited);
            if !self.metrics.e2el.is_empty() {
                self.metrics.e2el.clear();
                doubt("latencies of the Offline scenario count from the start of the run; left out".to_owned());
            }
        } else {
            self.metrics.request_rate = self.target;
        }
        if let Some(result) = self.context.parameters.get("Result is").filter(|result| *result != "VALID") {
            doubt(format!("LoadGen calls the result {result}"));
        }
        let definition =
            if self.metrics.tpot.is_empty() { TpotDefinition::Unstated } else { TpotDefinition::ExcludesFirstToken };
        Ok(Measurement {
            tool: Tool::MlPerf,
            tpot_definition: definition,
            metrics: self.metrics,
            context: self.context,
            excerpt: None,
            requests: None,
        })
    }
}

/// `Mean latency (ns)`, `99.00 percentile first token latency (ns)`, `Min Time to Output Token (ns)`, in any case.
fn latency(label: &str) -> Option<(Latency, Stat)> {
    let lower = label.to_ascii_lowercase();
    let (stat, rest) = lower.strip_suffix(" (ns)")?.split_once(' ')?;
    let (stat, name) = match rest.strip_prefix("percentile ") {
        Some(name) => (format!("p{}", stat.trim_end_matches("th")).parse().ok()?, name),
        None => (stat.parse().ok()?, rest),
    };
    let latency = match name {
        "latency" => Latency::E2el,
        "first token latency" => Latency::Ttft,
        "time to output token" => Latency::Tpot,
        _ => return None,
    };
    Some((latency, stat))
}

fn figure(line: usize, label: &str, value: &str) -> Result<f64, ParseError> {
    text::number(value).filter(|figure| figure.is_finite() && *figure >= 0.0).ok_or_else(|| ParseError::BadValue {
        line,
        field: label.to_owned(),
        value: value.chars().take(80).collect(),
        expected: "a number that is not negative",
    })
}
