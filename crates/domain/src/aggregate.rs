//! Repeats of one variant under one profile, made into one figure. Nested: runs in a server start, starts in a variant;
//! the mean over starts of the means over runs, so that a start with many runs does not count for more.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::id::{ProfileId, RunId, VariantId};
use crate::metric::Metric;
use crate::metrics::{Distribution, Latency, Metrics, Stat};
use crate::recompute::{Recomputed, recompute};
use crate::round::derived;
use crate::run::Run;
use crate::study::{Basis, StudyData};
use crate::units::{Ms, ReqPerSec, Secs, TokPerSec};

/// What a variant measured under a profile: one run, or the mean of its repeats.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// What was under test.
    pub variant: VariantId,
    /// The runs behind it, in the study's order, duplicates of a measurement included.
    pub runs: Vec<RunId>,
    /// Measurements that differ from one another.
    pub n: usize,
    /// Server starts, where they are known; unknown starts count as one.
    pub starts: usize,
    /// As printed (means over repeats).
    #[serde(flatten)]
    pub metrics: Metrics,
    /// As it follows from counts, duration and latencies (means over repeats).
    pub recomputed: Recomputed,
    /// Means per start, for intervals; not part of the report.
    #[serde(skip)]
    pub per_start: Vec<(Metrics, Recomputed)>,
}

impl Figures {
    /// The figure on the asked basis; a figure that has no recomputed form is the printed one.
    pub fn on(&self, basis: Basis, metric: Metric) -> Option<f64> {
        match basis {
            Basis::Reported => metric.of(&self.metrics),
            Basis::Recomputed => self.recomputed.get(metric).or_else(|| metric.of(&self.metrics)),
        }
    }

    /// The figure of every start, printed and recomputed.
    pub fn starts_of(&self, metric: Metric) -> (Vec<f64>, Vec<f64>) {
        let reported = self.per_start.iter().filter_map(|(metrics, _)| metric.of(metrics)).collect();
        let recomputed = self.per_start.iter().filter_map(|(_, recomputed)| recomputed.get(metric)).collect();
        (reported, recomputed)
    }
}

/// The figures of a variant under a profile; none where it was not run.
pub fn figures(data: &StudyData, variant: &VariantId, profile: &ProfileId) -> Option<Figures> {
    let runs: Vec<&Run> = data.runs.iter().filter(|run| &run.variant == variant && &run.profile == profile).collect();
    let gpus = data.study.variant(variant).and_then(|variant| data.study.gpus(variant));
    let planned = data.study.profile(profile).and_then(|profile| profile.requests);
    let mut starts: BTreeMap<Option<&str>, Vec<&Metrics>> = BTreeMap::new();
    let mut distinct: Vec<&Metrics> = Vec::new();
    for run in &runs {
        let metrics = &run.measurement.metrics;
        // The same figures to the last digit are the same measurement under two names, not a repeat.
        if !distinct.contains(&metrics) {
            distinct.push(metrics);
            starts.entry(run.start.as_deref()).or_default().push(metrics);
        }
    }
    let per_start: Vec<(Metrics, Recomputed)> = starts
        .values()
        .map(|runs| {
            let recomputed: Vec<Recomputed> = runs.iter().map(|metrics| recompute(metrics, planned, gpus)).collect();
            (mean_metrics(runs), mean_recomputed(&recomputed.iter().collect::<Vec<_>>()))
        })
        .collect();
    if per_start.is_empty() {
        return None;
    }
    Some(Figures {
        variant: variant.clone(),
        runs: runs.iter().map(|run| run.id.clone()).collect(),
        n: distinct.len(),
        starts: per_start.len(),
        metrics: mean_metrics(&per_start.iter().map(|(metrics, _)| metrics).collect::<Vec<_>>()),
        recomputed: mean_recomputed(&per_start.iter().map(|(_, recomputed)| recomputed).collect::<Vec<_>>()),
        per_start,
    })
}

/// The mean of what all of them measured; one that lacks a figure makes the mean absent, since it would be of fewer.
fn mean<T, U>(all: &[&T], of: impl Fn(&T) -> Option<f64>, unit: impl Fn(f64) -> Option<U>) -> Option<U> {
    let values: Vec<f64> = all.iter().map(|one| of(one)).collect::<Option<_>>()?;
    match values.as_slice() {
        [] => None,
        [one] => unit(*one),
        many => unit(derived(many.iter().sum::<f64>() / many.len() as f64)),
    }
}

fn mean_metrics(all: &[&Metrics]) -> Metrics {
    let count = |of: fn(&Metrics) -> Option<u64>| mean(all, |m| of(m).map(|v| v as f64), |v| Some(v.round() as u64));
    Metrics {
        successful_requests: count(|m| m.successful_requests),
        failed_requests: count(|m| m.failed_requests),
        incomplete_requests: count(|m| m.incomplete_requests),
        planned_requests: count(|m| m.planned_requests),
        // A setting, not a measurement: repeats share it, or it is unknown.
        request_rate: all
            .first()
            .and_then(|m| m.request_rate)
            .filter(|rate| all.iter().all(|m| m.request_rate == Some(*rate))),
        max_concurrency: all
            .first()
            .and_then(|m| m.max_concurrency)
            .filter(|limit| all.iter().all(|m| m.max_concurrency == Some(*limit))),
        peak_concurrent_requests: count(|m| m.peak_concurrent_requests),
        mean_concurrency: mean(all, |m| m.mean_concurrency, Some),
        duration: mean(all, |m| m.duration.map(|v| v.get()), Secs::new),
        total_input_tokens: count(|m| m.total_input_tokens),
        total_output_tokens: count(|m| m.total_output_tokens),
        request_throughput: mean(all, |m| m.request_throughput.map(|v| v.get()), ReqPerSec::new),
        output_throughput: mean(all, |m| m.output_throughput.map(|v| v.get()), TokPerSec::new),
        total_token_throughput: mean(all, |m| m.total_token_throughput.map(|v| v.get()), TokPerSec::new),
        peak_output_throughput: mean(all, |m| m.peak_output_throughput.map(|v| v.get()), TokPerSec::new),
        goodput: mean(all, |m| m.goodput.map(|v| v.get()), ReqPerSec::new),
        ttft: mean_distribution(all, |m| m.latency(Latency::Ttft)),
        tpot: mean_distribution(all, |m| m.latency(Latency::Tpot)),
        tpot_including_first: mean_distribution(all, |m| &m.tpot_including_first),
        itl: mean_distribution(all, |m| m.latency(Latency::Itl)),
        e2el: mean_distribution(all, |m| m.latency(Latency::E2el)),
        acceptance_rate_pct: mean(all, |m| m.acceptance_rate_pct, Some),
        acceptance_length: mean(all, |m| m.acceptance_length, Some),
    }
}

/// Statistic by statistic: the mean of the runs' P99s is not the P99 of all requests, and is what n runs can give.
fn mean_distribution<T>(all: &[&T], of: impl Fn(&T) -> &Distribution) -> Distribution {
    let stats: Vec<Stat> = all.first().map(|first| of(first).keys().copied().collect()).unwrap_or_default();
    stats
        .into_iter()
        .filter_map(|stat| Some((stat, mean(all, |one| of(one).get(&stat).map(|v| v.get()), Ms::new)?)))
        .collect()
}

fn mean_recomputed(all: &[&Recomputed]) -> Recomputed {
    Recomputed {
        request_throughput: mean(all, |r| r.request_throughput.map(|v| v.get()), ReqPerSec::new),
        output_throughput: mean(all, |r| r.output_throughput.map(|v| v.get()), TokPerSec::new),
        total_token_throughput: mean(all, |r| r.total_token_throughput.map(|v| v.get()), TokPerSec::new),
        tpot: mean_distribution(all, |r| &r.tpot),
        success_rate_pct: mean(all, |r| r.success_rate_pct, Some),
        input_tokens_per_request: mean(all, |r| r.input_tokens_per_request, Some),
        output_tokens_per_request: mean(all, |r| r.output_tokens_per_request, Some),
        total_token_throughput_per_gpu: mean(
            all,
            |r| r.total_token_throughput_per_gpu.map(|v| v.get()),
            TokPerSec::new,
        ),
        output_throughput_per_gpu: mean(all, |r| r.output_throughput_per_gpu.map(|v| v.get()), TokPerSec::new),
    }
}
