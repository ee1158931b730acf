//! What a comparison of two variants under a profile says against its own gain.

pub(crate) use super::study::SURVIVORS_TOLERANCE as TOKENS_TOLERANCE;
use super::{Evidence, Finding, Subject, hardware_differs};
use crate::aggregate::Figures;
use crate::change::change_pct;
use crate::command::{Flag, flags};
use crate::metric::Metric;
use crate::metrics::{Latency, Stat};
use crate::study::{Profile, Variant};
use crate::units::RequestRate;

/// The last requests need time to finish after the last arrival, so even a server that keeps up stays some percent below
/// the arrival rate (93 % in 200 requests of 17 s at 1 req/s).
const KEEPS_UP: f64 = 0.9;
/// P99 of a thousand requests rests on ten of them; below 5 % it is scatter.
const TAIL_REGRESSION_PCT: f64 = 5.0;

/// vLLM, SGLang and TensorRT-LLM.
const PRECISION: [&str; 4] = ["--quantization", "-q", "--kv-cache-dtype", "--kv-cache-data-type"];

/// Both sides of a comparison.
pub(crate) struct Comparison<'a> {
    pub profile: &'a Profile,
    pub baseline: (&'a Variant, &'a Figures),
    pub candidate: (&'a Variant, &'a Figures),
    /// Whether the printed TPOT of both sides is the decode time.
    pub tpot_believed: bool,
}

impl Comparison<'_> {
    fn single_run(&self) -> Option<Evidence> {
        let (baseline, candidate) = (self.baseline.1.repeats(), self.candidate.1.repeats());
        (!baseline.min(candidate).restarted()).then_some(Evidence::SingleRun { baseline, candidate })
    }

    fn precision_changed(&self) -> Option<Evidence> {
        let (baseline_model, candidate_model) = (served(self.baseline.0), served(self.candidate.0));
        (baseline_model != candidate_model).then_some(Evidence::PrecisionChanged { baseline_model, candidate_model })
    }

    /// Of the same workload only: longer prompts have longer tails.
    fn tail_regressions(&self) -> impl Iterator<Item = Evidence> {
        let same = !workload_differs(self.baseline.1, self.candidate.1);
        let compared = [Latency::Ttft, Latency::Tpot, Latency::E2el].into_iter().filter(move |_| same);
        compared.filter(|latency| *latency != Latency::Tpot || self.tpot_believed).filter_map(|latency| {
            let metric = Metric::Latency(latency, Stat::P99);
            let (baseline_ms, candidate_ms) =
                metric.of(&self.baseline.1.metrics).zip(metric.of(&self.candidate.1.metrics))?;
            let change_pct = change_pct(Some(baseline_ms), Some(candidate_ms))?;
            (change_pct >= TAIL_REGRESSION_PCT).then_some(Evidence::TailRegression {
                latency,
                stat: Stat::P99,
                baseline_ms,
                candidate_ms,
                change_pct,
            })
        })
    }
}

/// The weights that are served, with the arguments that change their precision or that of the cache.
fn served(variant: &Variant) -> String {
    let flags: String = precision_arguments(variant).into_iter().map(|argument| format!(" {argument}")).collect();
    format!("{}{flags}", variant.model)
}

/// The arguments that change the precision of the weights or of the cache.
pub(crate) fn precision_arguments(variant: &Variant) -> Vec<String> {
    let of = |flag: Flag| {
        let value = flag.value.filter(|value| value != "auto" && value != "none")?;
        PRECISION.contains(&flag.name.as_str()).then(|| format!("{}={value}", flag.name))
    };
    flags(&variant.args).into_iter().filter_map(of).collect()
}

/// Offered and achieved rates, where both sides keep up with an open loop.
pub(crate) fn load_limited(rate: Option<RequestRate>, baseline: &Figures, candidate: &Figures) -> Option<Evidence> {
    let Some(RequestRate::PerSec(offered)) = rate else { return None };
    let achieved = |figures: &Figures| {
        let rate = figures.recomputed.request_throughput.or(figures.metrics.request_throughput)?.get();
        (rate >= offered.get() * KEEPS_UP).then_some(rate)
    };
    let (achieved_baseline, achieved_candidate) = achieved(baseline).zip(achieved(candidate))?;
    Some(Evidence::LoadLimited { offered: offered.get(), achieved_baseline, achieved_candidate })
}

/// Whether the prompts of two sides were of different lengths: then nothing of them compares. Answers may be shorter or
/// longer where the variant changes them.
pub(crate) fn workload_differs(baseline: &Figures, candidate: &Figures) -> bool {
    let input = |figures: &Figures| figures.recomputed.input_tokens_per_request;
    let differs = |(a, b): (f64, f64)| a.max(b) > a.min(b) * (1.0 + TOKENS_TOLERANCE);
    input(baseline).zip(input(candidate)).is_some_and(differs)
}

/// Every finding on a comparison.
pub(crate) fn check_comparison(comparison: &Comparison<'_>) -> Vec<Finding> {
    let evidence = [
        load_limited(comparison.profile.request_rate, comparison.baseline.1, comparison.candidate.1),
        hardware_differs(comparison.baseline.1, comparison.candidate.1),
        comparison.precision_changed(),
        comparison.single_run(),
    ];
    let about = Subject::Comparison(comparison.profile.id.clone(), comparison.candidate.0.id.clone());
    let found = evidence.into_iter().flatten().chain(comparison.tail_regressions());
    found.map(|evidence| Finding { about: about.clone(), evidence }).collect()
}
