//! Repeats of one variant under one profile, made into one figure. Nested: runs in a server start, starts in a variant;
//! the mean over starts of the means over runs, so that a start with many runs does not count for more.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::change::{Repeats, change_pct};
use crate::check::without_warm;
use crate::id::{ProfileId, RunId, VariantId};
use crate::machine::{self, differ};
use crate::metric::Metric;
use crate::metrics::{Distribution, Latency, Metrics, Stat};
use crate::recompute::{Recomputed, recompute, recompute_under};
use crate::round::derived;
use crate::run::{Measurement, Run, Tool, TpotDefinition};
use crate::stats::Spread;
use crate::study::{Basis, StudyData};
use crate::units::{Ms, ReqPerSec, RequestRate, Secs, TokPerSec, Watts};

/// PRODUCT: where reported and recomputed differ by more than this, in percent, every place shows both.
pub(crate) const SHOW_BOTH_PCT: f64 = 2.0;

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
    /// The GPU, where all of its runs agree.
    pub gpu: Option<String>,
    /// GPUs that served, where they are known and all of its runs agree.
    pub gpus: Option<u32>,
    /// As printed (means over repeats).
    #[serde(flatten)]
    pub metrics: Metrics,
    /// As it follows from counts, duration and latencies (means over repeats).
    pub recomputed: Recomputed,
    /// Runs and means of every start, for intervals; not part of the report. Shared, since figures are handed around.
    #[serde(skip)]
    pub per_start: Arc<[StartFigures]>,
}

/// What was measured in one server start.
#[derive(Debug, Clone, PartialEq)]
pub struct StartFigures {
    /// Whether its runs say so; those that do not are taken for one start.
    pub recorded: bool,
    /// Its runs, printed and recomputed.
    pub runs: Vec<(Metrics, Recomputed)>,
    /// Their means.
    pub mean: (Metrics, Recomputed),
}

impl Figures {
    /// The figure on the asked basis; a figure that has no recomputed form is the printed one.
    pub fn on(&self, basis: Basis, metric: Metric) -> Option<f64> {
        match basis {
            Basis::Reported => metric.of(&self.metrics),
            Basis::Recomputed => self.recomputed.get(metric).or_else(|| metric.of(&self.metrics)),
        }
    }

    /// The figure on the basis that was not asked for, where both exist and lie further apart than 2 %: every place
    /// that shows one then shows both.
    pub fn beside(&self, basis: Basis, metric: Metric) -> Option<f64> {
        let (reported, recomputed) = metric.of(&self.metrics).zip(self.recomputed.get(metric))?;
        let apart = change_pct(Some(recomputed), Some(reported))?.abs() > SHOW_BOTH_PCT;
        apart.then_some(match basis {
            Basis::Reported => recomputed,
            Basis::Recomputed => reported,
        })
    }

    /// The basis that `on` takes: as printed where there is no recomputed form.
    pub fn basis(&self, asked: Basis, metric: Metric) -> Basis {
        match asked {
            Basis::Recomputed if self.recomputed.get(metric).is_some() => Basis::Recomputed,
            Basis::Recomputed | Basis::Reported => Basis::Reported,
        }
    }

    /// How often it was measured.
    pub fn repeats(&self) -> Repeats {
        let known = self.n < 2 || self.per_start.is_empty() || self.per_start.iter().any(|start| start.recorded);
        Repeats { starts: known.then_some(self.starts), runs: self.n }
    }

    /// The figure of every start, printed and recomputed.
    pub fn starts_of(&self, metric: Metric) -> (Vec<f64>, Vec<f64>) {
        let means = self.per_start.iter().map(|start| &start.mean);
        let reported = means.clone().filter_map(|(metrics, _)| metric.of(metrics)).collect();
        let recomputed = means.filter_map(|(_, recomputed)| recomputed.get(metric)).collect();
        (reported, recomputed)
    }

    /// How a figure scatters over runs and starts; recomputed where all of its runs allow that. None for a single run.
    pub fn spread(&self, metric: Metric) -> Option<Spread> {
        let values = |of: &dyn Fn(&(Metrics, Recomputed)) -> Option<f64>| {
            let starts = self.per_start.iter().map(|start| start.runs.iter().map(of).collect::<Option<Vec<f64>>>());
            starts.collect::<Option<Vec<_>>>()
        };
        let starts =
            values(&|(_, recomputed)| recomputed.get(metric)).or_else(|| values(&|(metrics, _)| metric.of(metrics)))?;
        Spread::of(&starts).filter(|_| self.n > 1)
    }
}

/// The load that a tool was told to send. Runs at different loads are different points, never repeats.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoadPoint {
    /// The arrival rate, where the output says.
    pub request_rate: Option<RequestRate>,
    /// The client's limit, where the output says.
    pub max_concurrency: Option<u64>,
}

impl LoadPoint {
    /// The load of a run. GPUStack's block prints the observed maximum under the name of the limit: that is no setting.
    pub fn of(measurement: &Measurement) -> Self {
        let observed = measurement.tool == Tool::ServingBenchmarkBlock
            && measurement.tpot_definition == TpotDefinition::IncludesFirstToken;
        Self {
            request_rate: measurement.metrics.request_rate,
            max_concurrency: measurement.metrics.max_concurrency.filter(|_| !observed),
        }
    }

    /// The load of a profile: the one at which most of its variants were run; of equals the higher concurrency.
    pub fn usual(data: &StudyData, profile: &ProfileId) -> Option<Self> {
        let mut points: Vec<(Self, BTreeSet<&VariantId>)> = Vec::new();
        for run in data.runs.iter().filter(|run| &run.profile == profile) {
            let point = Self::of(&run.measurement);
            match points.iter_mut().find(|(known, _)| *known == point) {
                Some((_, variants)) => _ = variants.insert(&run.variant),
                None => points.push((point, BTreeSet::from([&run.variant]))),
            }
        }
        points
            .into_iter()
            .max_by_key(|(point, variants)| (variants.len(), point.max_concurrency))
            .map(|(point, _)| point)
    }
}

/// The figures of a variant under a profile at the profile's usual load; none where it was not run there. A run with too
/// many failures does not count beside sound ones, nor one that a warm cache made beside cold ones.
pub fn figures(data: &StudyData, variant: &VariantId, profile: &ProfileId) -> Option<Figures> {
    let load = LoadPoint::usual(data, profile)?;
    let at_load =
        |run: &&Run| &run.variant == variant && &run.profile == profile && LoadPoint::of(&run.measurement) == load;
    let all: Vec<&Run> = data.runs.iter().filter(at_load).collect();
    let planned = data.study.profile(profile).and_then(|profile| profile.requests);
    let is_sound = |run: &&Run| {
        let rate = recompute(&run.measurement.metrics, planned, None).success_rate_pct;
        rate.is_none_or(|rate| rate >= data.study.min_success_pct)
    };
    let sound: Vec<&Run> = all.iter().copied().filter(is_sound).collect();
    let runs = without_warm(data.study.variant(variant), if sound.is_empty() { all } else { sound });
    combined(data, variant, profile, &runs)
}

/// The figures of one run by itself, whatever the others of its variant measured and at which load.
pub fn figures_of(data: &StudyData, run: &Run) -> Option<Figures> {
    combined(data, &run.variant, &run.profile, &[run])
}

/// Runs of a variant under a profile as one figure; none without runs.
fn combined(data: &StudyData, variant: &VariantId, profile: &ProfileId, runs: &[&Run]) -> Option<Figures> {
    let (gpu, gpus) = hardware(data, runs);
    let profile = data.study.profile(profile);
    let mut starts: BTreeMap<Option<&str>, Vec<&Measurement>> = BTreeMap::new();
    let distinct = distinct(runs);
    for (start, measurement) in &distinct {
        starts.entry(*start).or_default().push(measurement);
    }
    let per_start: Arc<[StartFigures]> = starts
        .iter()
        .map(|(start, runs)| {
            let recomputed: Vec<Recomputed> = runs.iter().map(|run| recompute_under(run, profile, gpus)).collect();
            let metrics: Vec<&Metrics> = runs.iter().map(|run| &run.metrics).collect();
            let mean = (mean_metrics(&metrics), mean_recomputed(&recomputed.iter().collect::<Vec<_>>()));
            StartFigures {
                recorded: start.is_some(),
                runs: metrics.into_iter().cloned().zip(recomputed).collect(),
                mean,
            }
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
        gpu,
        gpus,
        metrics: mean_metrics(&per_start.iter().map(|start| &start.mean.0).collect::<Vec<_>>()),
        recomputed: mean_recomputed(&per_start.iter().map(|start| &start.mean.1).collect::<Vec<_>>()),
        per_start,
    })
}

/// Measurements that differ from one another, with their starts. The same figures to the last digit are the same
/// measurement under two names, not a repeat; of such, the one that lists its requests says more.
fn distinct<'a>(runs: &[&'a Run]) -> Vec<(Option<&'a str>, &'a Measurement)> {
    let mut distinct: Vec<(Option<&str>, &Measurement)> = Vec::new();
    for run in runs {
        let measurement = &run.measurement;
        match distinct.iter_mut().find(|(_, known)| known.metrics == measurement.metrics) {
            Some((_, known)) if known.requests.is_none() => *known = measurement,
            Some(_) => {}
            None => distinct.push((run.start.as_deref(), measurement)),
        }
    }
    distinct
}

/// GPU and number of GPUs on which all of these runs agree.
fn hardware(data: &StudyData, runs: &[&Run]) -> (Option<String>, Option<u32>) {
    let each = || runs.iter().map(|run| machine::hardware(&data.study, run));
    let first = each().next();
    let gpu = first.map(|(gpu, _)| gpu).filter(|gpu| each().all(|(other, _)| !differ(gpu, other)));
    let gpus = first.and_then(|(_, gpus)| gpus).filter(|gpus| each().all(|(_, other)| other == Some(*gpus)));
    (gpu.map(str::to_owned), gpus)
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
        gpu_power: mean(all, |m| m.gpu_power.map(|v| v.get()), Watts::new),
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
        goodput: mean(all, |r| r.goodput.map(|v| v.get()), ReqPerSec::new),
    }
}
