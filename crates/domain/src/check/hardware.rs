//! Whether figures are those of the same hardware, and whether that hardware can reach them.

use super::{Evidence, HardwareLimit, PerGpu, RunFacts};
use crate::aggregate::Figures;
use crate::change::change_pct;
use crate::machine;
use crate::metric::Metric;
use crate::metrics::{Latency, Stat};
use crate::round::derived;
use crate::run::{Run, TpotDefinition};
use crate::study::StudyData;

/// Printed figures have two decimals; what lies above a roof by less than this is on it.
const ROOF_SLACK: f64 = 1.001;

/// A run on another GPU, or another number of them, than the study describes: by what its variant says, its arguments or
/// the tool.
pub(super) fn run_differs(data: &StudyData, run: &Run) -> Option<Evidence> {
    let usual = &data.study.hardware;
    let context = &run.measurement.context;
    let gpu = context.gpu.as_ref().filter(|gpu| machine::differ(gpu, &usual.gpu)).cloned();
    let variant = data.study.variant(&run.variant);
    let declared = variant.and_then(|variant| variant.gpus);
    let needed =
        variant.and_then(machine::needed_gpus).filter(|needed| usual.count.is_some_and(|count| *needed > count));
    // Where several speak, the tool was there.
    let gpus = context.gpus.or(declared).or(needed).filter(|gpus| usual.count.is_some_and(|count| count != *gpus));
    (gpu.is_some() || gpus.is_some()).then(|| Evidence::HardwareDiffers {
        usual_gpu: gpu.as_ref().map(|_| usual.gpu.clone()),
        usual_gpus: gpus.and(usual.count),
        gpu,
        gpus,
        per_gpu: None,
        compared: false,
    })
}

/// Two sides on different GPUs, or different numbers of them: totals cannot be compared, per-GPU figures can where the
/// number is all that differs.
pub(crate) fn hardware_differs(baseline: &Figures, candidate: &Figures) -> Option<Evidence> {
    let gpu = baseline.gpu.as_ref().zip(candidate.gpu.as_ref()).filter(|(a, b)| machine::differ(a, b));
    let gpus = baseline.gpus.zip(candidate.gpus).filter(|(a, b)| a != b);
    if gpu.is_none() && gpus.is_none() {
        return None;
    }
    let each = |figures: &Figures| {
        let total = figures.recomputed.get(Metric::TotalTps).or_else(|| Metric::TotalTps.of(&figures.metrics))?;
        Some(derived(total / f64::from(figures.gpus.filter(|gpus| *gpus > 0)?)))
    };
    let per_gpu = each(baseline).zip(each(candidate)).filter(|_| gpu.is_none()).and_then(|(from, to)| {
        let change_pct = change_pct(Some(from), Some(to))?;
        Some(PerGpu { baseline: from, candidate: to, change_pct })
    });
    Some(Evidence::HardwareDiffers {
        gpu: gpu.map(|(_, gpu)| gpu.clone()),
        gpus: gpus.map(|(_, gpus)| gpus),
        usual_gpu: gpu.map(|(gpu, _)| gpu.clone()),
        usual_gpus: gpus.map(|(gpus, _)| gpus),
        per_gpu,
        compared: true,
    })
}

/// Figures above what the GPU's memory bandwidth or arithmetic allows with the model's weights.
pub(super) fn beyond_hardware(facts: &RunFacts<'_>) -> Vec<Evidence> {
    let Some(machine) = facts.machine else { return Vec::new() };
    let in_flight = facts.metrics.peak_concurrent_requests.or(facts.load.max_concurrency);
    let passes = machine.tokens_per_pass.map(|tokens| derived(machine.passes_per_sec() * tokens as f64));
    let generated = passes.zip(in_flight).map(|(passes, in_flight)| derived(passes * in_flight as f64));
    let believed = |metric: Metric| facts.recomputed.get(metric).or_else(|| metric.of(facts.metrics));
    let tpot = Metric::Latency(Latency::Tpot, Stat::Mean);
    let own = facts.tpot_definition != TpotDefinition::IncludesFirstToken;
    let pace = facts.recomputed.get(tpot).or_else(|| tpot.of(facts.metrics).filter(|_| own));
    let measured = [
        (HardwareLimit::Compute, believed(Metric::TotalTps), Some(derived(machine.tokens_per_sec()))),
        (HardwareLimit::Output, believed(Metric::OutputTps), generated),
        (HardwareLimit::PeakOutput, facts.metrics.peak_output_throughput.map(|peak| peak.get()), generated),
        (HardwareLimit::Pace, pace.filter(|ms| *ms > 0.0).map(|ms| derived(1000.0 / ms)), passes),
    ];
    measured
        .into_iter()
        .filter_map(|(limit, measured, bound)| {
            let (measured, bound) = measured.zip(bound)?;
            (measured > bound * ROOF_SLACK).then_some(Evidence::BeyondHardware {
                limit,
                measured,
                bound,
                gpu: machine.gpu.name,
                gpus: machine.gpus,
                billions: machine.weights.billions,
                bits: machine.weights.bits,
                in_flight: in_flight.filter(|_| matches!(limit, HardwareLimit::Output | HardwareLimit::PeakOutput)),
            })
        })
        .collect()
}
