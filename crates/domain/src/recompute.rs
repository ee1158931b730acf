//! What follows from a run's own counts, duration and latencies. We believe this before we believe a printed rate.

use serde::{Deserialize, Serialize};

use crate::metric::Metric;
use crate::metrics::{Distribution, Latency, Metrics, Stat};
use crate::requests::limits;
use crate::round::derived;
use crate::run::Measurement;
use crate::study::Profile;
use crate::units::{Ms, ReqPerSec, TokPerSec};

/// Figures that follow from others of the same run. What cannot be computed is absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Recomputed {
    /// Successful requests / duration.
    pub request_throughput: Option<ReqPerSec>,
    /// Output tokens / duration.
    pub output_throughput: Option<TokPerSec>,
    /// (Input + output tokens) / duration.
    pub total_token_throughput: Option<TokPerSec>,
    /// Mean only: (mean E2EL − mean TTFT) / (output tokens per request − 1).
    #[serde(rename = "tpot_ms", skip_serializing_if = "Distribution::is_empty")]
    pub tpot: Distribution,
    /// Successful / attempted requests, percent.
    pub success_rate_pct: Option<f64>,
    /// Input tokens / successful requests.
    pub input_tokens_per_request: Option<f64>,
    /// Output tokens / successful requests.
    pub output_tokens_per_request: Option<f64>,
    /// Total token throughput / GPUs; absent where the number of GPUs is not known.
    pub total_token_throughput_per_gpu: Option<TokPerSec>,
    /// Output throughput / GPUs; absent where the number of GPUs is not known.
    pub output_throughput_per_gpu: Option<TokPerSec>,
    /// Requests that met every latency limit of the profile / duration; absent where there is no limit, or the output does
    /// not list all requests with the latencies that are limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goodput: Option<ReqPerSec>,
}

/// Recomputes what a run allows. `planned` is the profile's number of requests, used where the tool does not print how
/// many it attempted; `gpus` is how many GPUs served.
pub fn recompute(metrics: &Metrics, planned: Option<u64>, gpus: Option<u32>) -> Recomputed {
    let per_second = |count: Option<u64>| {
        let duration = metrics.duration.map(|d| d.get()).filter(|d| *d > 0.0)?;
        Some(derived(count? as f64 / duration))
    };
    let all_tokens = metrics.total_input_tokens.zip(metrics.total_output_tokens).and_then(|(i, o)| i.checked_add(o));
    let output = per_second(metrics.total_output_tokens);
    let total = per_second(all_tokens);
    let per_gpu = |rate: Option<f64>| Some(derived(rate? / f64::from(gpus.filter(|gpus| *gpus > 0)?)));
    let output_per_request = per_request(metrics, metrics.total_output_tokens);
    Recomputed {
        request_throughput: per_second(metrics.successful_requests).and_then(ReqPerSec::new),
        output_throughput: output.and_then(TokPerSec::new),
        total_token_throughput: total.and_then(TokPerSec::new),
        tpot: mean_tpot(metrics, output_per_request)
            .map(|tpot| Distribution::from([(Stat::Mean, tpot)]))
            .unwrap_or_default(),
        success_rate_pct: success_rate(metrics, planned),
        input_tokens_per_request: per_request(metrics, metrics.total_input_tokens),
        output_tokens_per_request: output_per_request,
        total_token_throughput_per_gpu: per_gpu(total).and_then(TokPerSec::new),
        output_throughput_per_gpu: per_gpu(output).and_then(TokPerSec::new),
        goodput: None,
    }
}

/// Recomputes what a run allows under a profile, whose number of requests and latency limits it is held against.
pub fn recompute_under(measurement: &Measurement, profile: Option<&Profile>, gpus: Option<u32>) -> Recomputed {
    let recomputed = recompute(&measurement.metrics, profile.and_then(|profile| profile.requests), gpus);
    Recomputed { goodput: profile.and_then(|profile| goodput(measurement, profile)), ..recomputed }
}

fn goodput(measurement: &Measurement, profile: &Profile) -> Option<ReqPerSec> {
    let limits = limits(&profile.slo);
    let duration = measurement.metrics.duration.map(|duration| duration.get()).filter(|duration| *duration > 0.0)?;
    let met = measurement.requests.as_ref().filter(|_| !limits.is_empty())?.within(&limits)?;
    ReqPerSec::new(derived(met as f64 / duration))
}

/// How many requests were sent: successes and failures where the tool counts both, else what was planned.
pub fn attempted(metrics: &Metrics, planned: Option<u64>) -> Option<u64> {
    let counted =
        metrics.successful_requests.zip(metrics.failed_requests).and_then(|(ok, failed)| ok.checked_add(failed));
    counted.or(metrics.planned_requests).or(planned)
}

fn success_rate(metrics: &Metrics, planned: Option<u64>) -> Option<f64> {
    let attempted = attempted(metrics, planned).filter(|attempted| *attempted > 0)?;
    Some(derived(metrics.successful_requests? as f64 / attempted as f64 * 100.0))
}

fn per_request(metrics: &Metrics, tokens: Option<u64>) -> Option<f64> {
    let requests = metrics.successful_requests.filter(|requests| *requests > 0)?;
    Some(derived(tokens? as f64 / requests as f64))
}

/// The identity behind TPOT, on means. One output token has no decode time.
fn mean_tpot(metrics: &Metrics, output_per_request: Option<f64>) -> Option<Ms> {
    let mean = |latency| metrics.latency(latency).get(&Stat::Mean).map(|v| v.get());
    let decoded = output_per_request? - 1.0;
    let decode_time = mean(Latency::E2el)? - mean(Latency::Ttft)?;
    if decoded <= 0.0 || decode_time < 0.0 {
        return None;
    }
    Ms::new(derived(decode_time / decoded))
}

impl Recomputed {
    /// The recomputed form of a figure; latencies but the mean TPOT have none. Goodput has one where requests were counted.
    pub fn get(&self, metric: Metric) -> Option<f64> {
        match metric {
            Metric::TotalTps => self.total_token_throughput.map(|v| v.get()),
            Metric::OutputTps => self.output_throughput.map(|v| v.get()),
            Metric::RequestThroughput => self.request_throughput.map(|v| v.get()),
            Metric::Latency(Latency::Tpot, Stat::Mean) => self.tpot.get(&Stat::Mean).map(|v| v.get()),
            Metric::Goodput => self.goodput.map(|v| v.get()),
            Metric::Latency(..) => None,
        }
    }
}
