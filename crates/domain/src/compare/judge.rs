//! Whether a figure of two sides can be compared, and what its change means. The rules are the report's
//! ([`crate::advise::incomparable`], [`crate::noise::band`]), for sides that may be of two studies.

use serde::Serialize;

use super::resolve::Resolved;
use crate::advise::{Goal, Incomparable, eligible, unlike};
use crate::aggregate::Figures;
use crate::change::{Change, NoiseBand, Verdict, Yardstick, change_pct};
use crate::check::load_limited;
use crate::machine;
use crate::metric::Metric;
use crate::metrics::Latency;
use crate::noise::{NoiseEstimate, band_between, equivalents};
use crate::report::same_workload;
use crate::study::Basis;

/// Why a figure is not compared with the base's, or gets no verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Apart {
    /// Another profile: another question.
    Profile,
    /// Another load under the same profile.
    LoadPoint,
    /// Too many requests of a side failed: those that succeeded are not the workload.
    Failures,
    /// Prompts of different lengths.
    Workload,
    /// A total of different hardware.
    Hardware,
    /// The load set the figure of both.
    Load,
    /// A printed TPOT that is not the decode time of both.
    TpotDefinition,
}

impl From<Incomparable> for Apart {
    fn from(of: Incomparable) -> Self {
        match of {
            Incomparable::Failures => Self::Failures,
            Incomparable::Workload => Self::Workload,
            Incomparable::Hardware => Self::Hardware,
            Incomparable::Load => Self::Load,
        }
    }
}

/// A figure that is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Figure {
    /// Which one.
    pub metric: Metric,
    /// In which form.
    pub basis: Basis,
    /// Whether for each GPU.
    pub per_gpu: bool,
}

impl Figure {
    pub(super) fn new(metric: Metric, basis: Basis) -> Self {
        Self { metric, basis, per_gpu: false }
    }

    /// Its value; the mean over starts where it was measured in several. A 0 where time must have passed was not measured.
    pub(super) fn of(self, side: &Resolved<'_>) -> Option<f64> {
        let zero = self.basis == Basis::Reported && side.printed_zero(self.metric);
        self.value(&side.figures).filter(|_| !zero)
    }

    fn value(self, figures: &Figures) -> Option<f64> {
        let recomputed = &figures.recomputed;
        match (self.basis, self.per_gpu, self.metric) {
            (Basis::Reported, false, metric) => metric.of(&figures.metrics),
            (Basis::Recomputed, false, metric) => recomputed.get(metric),
            (Basis::Recomputed, true, Metric::TotalTps) => recomputed.total_token_throughput_per_gpu.map(|v| v.get()),
            (Basis::Recomputed, true, Metric::OutputTps) => recomputed.output_throughput_per_gpu.map(|v| v.get()),
            // Nobody prints a figure per GPU, and no other is asked for.
            (Basis::Recomputed | Basis::Reported, true, _) => None,
        }
    }
}

/// Whether two sides were asked the same.
pub(super) fn same_profile(a: &Resolved<'_>, b: &Resolved<'_>) -> bool {
    let same_study = a.study().slug == b.study().slug;
    if same_study { a.profile.id == b.profile.id } else { same_workload(a.profile, b.profile) }
}

/// Whether two sides certainly had another load.
pub(super) fn other_load(a: &Resolved<'_>, b: &Resolved<'_>) -> bool {
    let rate = a.load.request_rate.zip(b.load.request_rate).is_some_and(|(a, b)| a != b);
    let limit = a.load.max_concurrency.zip(b.load.max_concurrency).is_some_and(|(a, b)| a != b);
    rate || limit
}

/// What everything is held against.
pub(super) struct Judge<'a, 'b> {
    pub(super) base: &'b Resolved<'a>,
    /// Of the base's profile: it holds for no other.
    noise: Option<NoiseEstimate>,
}

impl<'a, 'b> Judge<'a, 'b> {
    pub(super) fn new(base: &'b Resolved<'a>) -> Self {
        Self { base, noise: equivalents(base.data, &base.profile.id) }
    }

    /// The change of a figure from the base to another side, and why it says nothing where it does not.
    pub(super) fn change(&self, figure: Figure, other: &Resolved<'_>) -> (Change, Option<Apart>) {
        let base = self.base;
        let apart = apart(figure, base, other);
        let pct = change_pct(figure.of(base), figure.of(other));
        let by = Yardstick {
            // Of two studies, what does not matter to one of them is no gain.
            relevance_pct: base.study().relevance_pct.max(other.study().relevance_pct),
            noise: self.noise(figure, other),
            comparable: matches!(apart, None | Some(Apart::TpotDefinition)),
            repeats: base.figures.repeats().min(other.figures.repeats()),
        };
        let judged = match figure.basis {
            Basis::Reported => Change::judge(figure.metric, pct, None, &by),
            Basis::Recomputed => Change::judge(figure.metric, None, pct, &by),
        };
        let doubted = apart == Some(Apart::TpotDefinition);
        let judged = if doubted { Change { verdict: Verdict::Unknown, ..judged } } else { judged };
        (judged, apart.filter(|_| pct.is_some()))
    }

    fn noise(&self, figure: Figure, other: &Resolved<'_>) -> Option<NoiseBand> {
        // An interval over starts is of totals; for each GPU its width would be another.
        if figure.per_gpu {
            return None;
        }
        let base = self.base;
        let one_profile = base.study().slug == other.study().slug && base.profile.id == other.profile.id;
        let estimate = self.noise.as_ref().filter(|_| one_profile);
        band_between(figure.metric, &base.figures, &other.figures, estimate)
    }
}

fn apart(figure: Figure, base: &Resolved<'_>, other: &Resolved<'_>) -> Option<Apart> {
    let fails = |side: &Resolved<'_>| !eligible(&side.figures, side.study().min_success_pct);
    let goal = Goal::Metric(figure.metric);
    if !same_profile(base, other) {
        return Some(Apart::Profile);
    }
    if fails(base) || fails(other) {
        return Some(Apart::Failures);
    }
    if other_load(base, other) {
        return Some(Apart::LoadPoint);
    }
    let unlike = match unlike(goal, &base.figures, &other.figures) {
        // For each GPU, their number is no difference; another GPU is one.
        Some(Incomparable::Hardware) if figure.per_gpu && !other_gpu(&base.figures, &other.figures) => None,
        unlike => unlike,
    };
    if let Some(unlike) = unlike {
        return Some(unlike.into());
    }
    let limited = || {
        let rate = |side: &Resolved<'_>| side.profile.request_rate;
        load_limited(rate(base).or(rate(other)), &base.figures, &other.figures).is_some()
    };
    if goal.set_by_load() && limited() {
        return Some(Apart::Load);
    }
    let printed_tpot = figure.basis == Basis::Reported && matches!(figure.metric, Metric::Latency(Latency::Tpot, _));
    (printed_tpot && (base.other_tpot() || other.other_tpot())).then_some(Apart::TpotDefinition)
}

/// Whether two sides certainly ran on different GPUs.
pub(super) fn other_gpu(a: &Figures, b: &Figures) -> bool {
    a.gpu.as_ref().zip(b.gpu.as_ref()).is_some_and(|(a, b)| machine::differ(a, b))
}
