//! GuideLLM 0.1 writes no figures at all, only every request: they are added up here while the file streams by.
//!
//! <https://github.com/vllm-project/guidellm/blob/v0.1.0/src/guidellm/core/result.py> (`TextGenerationResult`).

use serde::Deserialize;
use serde_json::{Value, json};

use super::super::ParseError;
use super::super::prune::folded;
use crate::requests::MAX_REQUESTS as MAX_EACH;

/// Three figures are kept of a request (24 bytes); a run of this many takes 12 days at 1 request per second.
const MAX_REQUESTS: usize = 1_000_000;

/// One request as written; texts and token times were passed over before.
#[derive(Deserialize)]
struct Request {
    /// Unix seconds.
    start_time: Option<f64>,
    /// Unix seconds, when the answer was closed.
    end_time: Option<f64>,
    /// Unix seconds, when the last token came.
    last_time: Option<f64>,
    /// Seconds after the start.
    first_token_time: Option<f64>,
    prompt_token_count: Option<f64>,
    output_token_count: Option<f64>,
}

/// The requests of one load point, added up.
#[derive(Default)]
pub(in crate::parse) struct Requests {
    count: u64,
    input_tokens: f64,
    output_tokens: f64,
    started: Option<f64>,
    ended: Option<f64>,
    e2el_ms: Vec<f64>,
    ttft_ms: Vec<f64>,
    tpot_ms: Vec<f64>,
    /// TTFT, TPOT, end-to-end latency (ms) and tokens of each request, NaN for none, as long as they are few.
    each: Vec<[f64; 4]>,
}

impl Requests {
    /// Adds a request, which ends on `line`.
    pub(in crate::parse) fn add(&mut self, item: &[u8], line: usize) -> Result<(), ParseError> {
        let request: Request = serde_json::from_slice(item).map_err(|error| {
            let message = error.to_string();
            let reason = message.rsplit_once(" at line ").map_or(message.as_str(), |(reason, _)| reason);
            ParseError::Json { line, reason: format!("a request that ends here: {reason}") }
        })?;
        self.count += 1;
        if self.e2el_ms.len() >= MAX_REQUESTS {
            return Err(ParseError::TooManyRequests { line, limit: MAX_REQUESTS });
        }
        self.input_tokens += request.prompt_token_count.unwrap_or(0.0).max(0.0);
        self.output_tokens += request.output_token_count.unwrap_or(0.0).max(0.0);
        self.started = least(self.started, request.start_time);
        self.ended = least(self.ended.map(|t| -t), request.end_time.map(|t| -t)).map(|t| -t);
        let e2el = request.e2el();
        let (ttft, tpot) = (request.ttft(), request.tpot());
        self.e2el_ms.extend(e2el);
        self.ttft_ms.extend(ttft);
        self.tpot_ms.extend(tpot);
        if self.each.len() <= MAX_EACH {
            self.each.push([ttft, tpot, e2el, request.output_token_count].map(|figure| figure.unwrap_or(f64::NAN)));
        }
        Ok(())
    }

    /// What stands in the list's place afterwards.
    pub(in crate::parse) fn sum(&mut self) -> Value {
        json!({
            "requests": self.count,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "started": self.started,
            "span_s": self.started.zip(self.ended).map(|(started, ended)| ended - started),
            "e2el_ms": statistics(&mut self.e2el_ms),
            "ttft_ms": statistics(&mut self.ttft_ms),
            "tpot_ms": statistics(&mut self.tpot_ms),
            "each": (self.each.len() <= MAX_EACH).then(|| folded(self.each.as_flattened())),
        })
    }
}

impl Request {
    /// Milliseconds, as the others.
    fn e2el(&self) -> Option<f64> {
        between(self.start_time, self.end_time).map(|took| took * 1000.0)
    }

    fn ttft(&self) -> Option<f64> {
        self.first_token_time.filter(|ttft| *ttft > 0.0).map(|ttft| ttft * 1000.0)
    }

    fn tpot(&self) -> Option<f64> {
        let ttft = self.first_token_time.filter(|ttft| *ttft > 0.0)?;
        let decoded = self.output_token_count.map(|tokens| tokens - 1.0).filter(|decoded| *decoded > 0.0)?;
        let took = between(self.start_time, self.last_time).filter(|took| *took > ttft)?;
        Some((took - ttft) / decoded * 1000.0)
    }
}

fn least(so_far: Option<f64>, next: Option<f64>) -> Option<f64> {
    so_far.into_iter().chain(next).reduce(f64::min)
}

/// From one instant to a later one, in seconds.
fn between(from: Option<f64>, to: Option<f64>) -> Option<f64> {
    from.zip(to).map(|(from, to)| to - from).filter(|seconds| *seconds >= 0.0)
}

/// Mean, sample statistics and percentiles by linear interpolation, as numpy has them.
fn statistics(values: &mut [f64]) -> Value {
    if values.is_empty() {
        return Value::Null;
    }
    values.sort_by(f64::total_cmp);
    let last = values.len() - 1;
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64;
    let at = |percent: f64| {
        let place = percent / 100.0 * last as f64;
        let (below, above) = (values[place.floor() as usize], values[place.ceil() as usize]);
        below + (above - below) * place.fract()
    };
    json!({
        "mean": mean, "std": variance.sqrt(), "min": values[0], "max": values[last], "median": at(50.0),
        "p25": at(25.0), "p75": at(75.0), "p90": at(90.0), "p95": at(95.0), "p99": at(99.0),
    })
}
