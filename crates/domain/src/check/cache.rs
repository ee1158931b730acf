//! Whether prompts came from a prefix cache that was still warm. No tool prints it, so the figures have to tell.
//!
//! Measured (H200, 1024 tokens in and 128 out, the same seed again on the same server): mean TTFT 2,718 ms against 6,902 to
//! 7,089 ms, 85,098 tok/s against 33,189 to 33,952. Two signs are beyond doubt, and only these are used: a repeat that
//! is twice as quick as every other one, and a first token sooner than the GPU can read the prompt. A study all of whose
//! runs were warm, and slow enough for their GPU, cannot be told from a cold one.

use super::{Evidence, RunFacts};
use crate::aggregate::LoadPoint;
use crate::command::flags;
use crate::metrics::{Latency, Metrics, Stat};
use crate::recompute::recompute;
use crate::round::derived;
use crate::run::Run;
use crate::study::{StudyData, Variant};

/// Repeats of an unchanged configuration over server starts lay within 25 % of one another; half the TTFT of the quickest
/// of the others is far outside.
const TTFT_SHARE: f64 = 0.5;
/// And the throughput has to follow: half as much again as that of the fastest of the others.
const TPS_TIMES: f64 = 1.5;
/// With a single other run either of the two may be the odd one: a server that still compiles is slow the first time.
const OTHERS: usize = 2;

/// How a warm cache shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WarmSign {
    /// Twice as quick as every other run of the same configuration under the same load.
    Repeats,
    /// Quicker than the GPU can read a prompt of this length.
    Prefill,
}

/// A run whose prompts came from a warm cache.
pub(super) fn warm_cache(data: &StudyData, run: &Run, facts: &RunFacts<'_>) -> Option<Evidence> {
    let variant = data.study.variant(&run.variant)?;
    if cache_is_off(variant) {
        return None;
    }
    among_repeats(data, run).or_else(|| before_prefill(facts))
}

/// The switches of vLLM, SGLang and TensorRT-LLM.
fn cache_is_off(variant: &Variant) -> bool {
    let flags = flags(&variant.args);
    let off = ["--no-enable-prefix-caching", "--disable-radix-cache"];
    flags.iter().any(|flag| off.contains(&flag.name.as_str()))
        || flags.iter().any(|flag| {
            let off = flag.value.as_deref().is_some_and(|value| value.eq_ignore_ascii_case("false"));
            flag.name == "--enable-prefix-caching" && off
        })
}

fn among_repeats(data: &StudyData, run: &Run) -> Option<Evidence> {
    let load = LoadPoint::of(&run.measurement);
    let same = |other: &&Run| {
        other.variant == run.variant && other.profile == run.profile && LoadPoint::of(&other.measurement) == load
    };
    let repeats: Vec<&Metrics> = data.runs.iter().filter(same).map(|run| &run.measurement.metrics).collect();
    odd_one(&run.measurement.metrics, &repeats)
}

/// Whether a run is much quicker than every other of `repeats` (itself and its equals aside).
fn odd_one(ours: &Metrics, repeats: &[&Metrics]) -> Option<Evidence> {
    let mut others: Vec<&Metrics> = Vec::new();
    for other in repeats {
        if *other != ours && !others.contains(other) {
            others.push(other);
        }
    }
    if others.len() < OTHERS {
        return None;
    }
    let ttft = |metrics: &Metrics| metrics.ttft.get(&Stat::Mean).map(|ms| ms.get());
    let tps = |metrics: &Metrics| {
        let recomputed = recompute(metrics, None, None).total_token_throughput.or(metrics.total_token_throughput);
        recomputed.map(|tps| tps.get())
    };
    let all = |of: &dyn Fn(&Metrics) -> Option<f64>| others.iter().map(|other| of(other)).collect::<Option<Vec<f64>>>();
    let (ttft_ms, total_tps) = (ttft(ours)?, tps(ours)?);
    let least_ms = all(&ttft)?.into_iter().reduce(f64::min)?;
    let most_tps = all(&tps)?.into_iter().reduce(f64::max)?;
    let odd = ttft_ms < least_ms * TTFT_SHARE && total_tps > most_tps * TPS_TIMES;
    odd.then_some(Evidence::WarmCache {
        sign: WarmSign::Repeats,
        ttft_ms,
        least_ms,
        total_tps: Some(total_tps),
        most_tps: Some(most_tps),
    })
}

/// The mean TTFT against the time that multiplying one prompt takes all GPUs at their peak.
fn before_prefill(facts: &RunFacts<'_>) -> Option<Evidence> {
    let prompt = facts.recomputed.input_tokens_per_request?;
    let ttft_ms = facts.metrics.latency(Latency::Ttft).get(&Stat::Mean)?.get();
    let least_ms = derived(prompt / facts.machine?.tokens_per_sec() * 1000.0);
    (ttft_ms > 0.0 && ttft_ms < least_ms).then_some(Evidence::WarmCache {
        sign: WarmSign::Prefill,
        ttft_ms,
        least_ms,
        total_tps: None,
        most_tps: None,
    })
}

/// Takes out of repeats under one load the run that a warm cache made: it is no repeat of the others.
pub(crate) fn without_warm<'a>(variant: Option<&Variant>, runs: Vec<&'a Run>) -> Vec<&'a Run> {
    if runs.len() <= OTHERS || variant.is_none_or(cache_is_off) {
        return runs;
    }
    let metrics: Vec<&Metrics> = runs.iter().map(|run| &run.measurement.metrics).collect();
    runs.iter().copied().filter(|run| odd_one(&run.measurement.metrics, &metrics).is_none()).collect()
}
