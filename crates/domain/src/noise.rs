//! How much a figure scatters when nothing changed. Without it a gain cannot be told from luck.

use serde::{Deserialize, Serialize};

use crate::advise::eligible;
use crate::aggregate::{Figures, figures};
use crate::change::{NoiseBand, NoiseSource};
use crate::command::{Flag, flags};
use crate::id::{ProfileId, VariantId};
use crate::metric::Metric;
use crate::round::derived;
use crate::stats::{relative_sd, t_quantile, welch_pct};
use crate::study::{StudyData, Variant};

/// A noise estimate from variants that cannot differ: a free A/A test inside a study. It holds for its own profile only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoiseEstimate {
    /// The profile.
    pub profile: ProfileId,
    /// The variants, all of which admit the same batch.
    pub variants: Vec<VariantId>,
    /// The flag in which alone they differ.
    pub flag: String,
    /// The requests in flight that the flag's smallest value already admits.
    pub concurrency: u64,
    /// Starts that were compared.
    pub n: usize,
    /// Sample standard deviation of printed total TPS, percent of the mean.
    pub sd_reported_pct: Option<f64>,
    /// Sample standard deviation of recomputed total TPS, percent of the mean.
    pub sd_recomputed_pct: Option<f64>,
    /// What one start against one needs to count: t(0.975, n − 1) · s · √2.
    pub band: NoiseBand,
}

/// The largest group of variants under `profile` that differ only in how many sequences the server may batch, while none
/// of them is below the requests in flight. At least three: two give one degree of freedom, and t = 12.7 says nothing.
pub fn equivalents(data: &StudyData, profile: &ProfileId) -> Option<NoiseEstimate> {
    let mut groups: Vec<(Vec<Flag>, Vec<Member<'_>>)> = Vec::new();
    for variant in &data.study.variants {
        let Some((limit, others)) = batch_limit(variant) else { continue };
        let sound = |figures: &Figures| eligible(figures, data.study.min_success_pct);
        let Some(figures) = figures(data, &variant.id, profile).filter(sound) else { continue };
        match groups.iter_mut().find(|(key, members)| *key == others && same_but_args(members[0].variant, variant)) {
            Some((_, members)) => members.push(Member { variant, limit, figures }),
            None => groups.push((others, vec![Member { variant, limit, figures }])),
        }
    }
    groups.into_iter().filter_map(|(_, members)| estimate(profile, members)).max_by_key(|estimate| estimate.n)
}

/// A variant with the limit of its batch.
struct Member<'a> {
    variant: &'a Variant,
    limit: u64,
    figures: Figures,
}

fn same_but_args(a: &Variant, b: &Variant) -> bool {
    (&a.engine, &a.engine_version, &a.model, &a.env, a.gpus) == (&b.engine, &b.engine_version, &b.model, &b.env, b.gpus)
}

/// What limits a server's batch: vLLM, SGLang, TensorRT-LLM.
pub(crate) const BATCH_FLAGS: [&str; 3] = ["--max-num-seqs", "--max-running-requests", "--max-batch-size"];

/// The value of the flag that limits the batch, and the other flags.
fn batch_limit(variant: &Variant) -> Option<(u64, Vec<Flag>)> {
    let mut flags = flags(&variant.args);
    let at = flags.iter().position(|flag| BATCH_FLAGS.contains(&flag.name.as_str()))?;
    let limit = flags.remove(at).value?.parse().ok()?;
    Some((limit, flags))
}

fn estimate(profile: &ProfileId, members: Vec<Member<'_>>) -> Option<NoiseEstimate> {
    let in_flight = |figures: &Figures| figures.metrics.peak_concurrent_requests.or(figures.metrics.max_concurrency);
    let concurrency = members.iter().filter_map(|member| in_flight(&member.figures)).max()?;
    let members: Vec<_> = members.into_iter().filter(|member| member.limit >= concurrency).collect();
    if members.len() < 3 {
        return None;
    }
    let all = |of: &dyn Fn(&Figures) -> Option<f64>| {
        members.iter().map(|member| of(&member.figures)).collect::<Option<Vec<_>>>()
    };
    let sd = |values: Option<Vec<f64>>| values.as_deref().and_then(relative_sd);
    let sd_reported_pct = sd(all(&|figures| Metric::TotalTps.of(&figures.metrics)));
    let sd_recomputed_pct = sd(all(&|figures| figures.recomputed.get(Metric::TotalTps)));
    let needed = t_quantile((members.len() - 1) as f64)? * std::f64::consts::SQRT_2;
    let band = |sd: Option<f64>| sd.map(|sd| derived(sd * needed));
    Some(NoiseEstimate {
        profile: profile.clone(),
        variants: members.iter().map(|member| member.variant.id.clone()).collect(),
        flag: flags(&members[0].variant.args)
            .into_iter()
            .map(|flag| flag.name)
            .find(|name| BATCH_FLAGS.contains(&name.as_str()))?,
        concurrency,
        n: members.len(),
        sd_reported_pct: sd_reported_pct.map(derived),
        sd_recomputed_pct: sd_recomputed_pct.map(derived),
        band: NoiseBand {
            reported_pct: band(sd_reported_pct),
            recomputed_pct: band(sd_recomputed_pct),
            source: NoiseSource::Equivalents,
        },
    })
}

/// The noise around the change of a metric between two variants of a study; none of a variant against itself.
pub fn band(
    metric: Metric,
    baseline: &Figures,
    candidate: &Figures,
    estimate: Option<&NoiseEstimate>,
) -> Option<NoiseBand> {
    let same = baseline.variant == candidate.variant;
    if same { None } else { band_between(metric, baseline, candidate, estimate) }
}

/// The noise around the change of a metric between two sides, whatever they are of: Welch's interval over start means where
/// both have at least two starts, else the profile's estimate (which is of total TPS and holds for throughputs only).
pub(crate) fn band_between(
    metric: Metric,
    baseline: &Figures,
    candidate: &Figures,
    estimate: Option<&NoiseEstimate>,
) -> Option<NoiseBand> {
    let (base_reported, base_recomputed) = baseline.starts_of(metric);
    let (other_reported, other_recomputed) = candidate.starts_of(metric);
    let reported_pct = welch_pct(&base_reported, &other_reported);
    let recomputed_pct = welch_pct(&base_recomputed, &other_recomputed);
    if reported_pct.is_some() || recomputed_pct.is_some() {
        return Some(NoiseBand { reported_pct, recomputed_pct, source: NoiseSource::Starts });
    }
    match metric {
        Metric::TotalTps | Metric::OutputTps | Metric::RequestThroughput => estimate.map(|estimate| estimate.band),
        Metric::Goodput | Metric::Latency(..) => None,
    }
}
