//! A relative difference, and what it means.

use serde::{Deserialize, Serialize};

use crate::metric::{Direction, Metric};
use crate::round::derived;

/// What a change means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// In the metric's good direction, relevant, and beyond the noise that is known.
    Better,
    /// In the other direction, relevant, and beyond the noise that is known.
    Worse,
    /// Below the study's relevance threshold.
    Neutral,
    /// Relevant in size, but the noise is as large.
    WithinNoise,
    /// No baseline, or the figures cannot be believed.
    Unknown,
    /// The load, not the variant, set the figure.
    NotComparable,
}

impl Verdict {
    /// All of them, for tests and legends.
    pub const ALL: [Self; 6] =
        [Self::Better, Self::Worse, Self::Neutral, Self::WithinNoise, Self::Unknown, Self::NotComparable];

    /// As in JSON.
    pub fn key(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Neutral => "neutral",
            Self::WithinNoise => "within_noise",
            Self::Unknown => "unknown",
            Self::NotComparable => "not_comparable",
        }
    }
}

/// Candidate / baseline − 1, in percent. A baseline of 0 or none gives none: never NaN, never infinite.
pub fn change_pct(baseline: Option<f64>, candidate: Option<f64>) -> Option<f64> {
    let (baseline, candidate) = baseline.zip(candidate)?;
    let change = (candidate / baseline - 1.0) * 100.0;
    (baseline != 0.0 && change.is_finite()).then(|| derived(change))
}

/// Half the width of the 95 % interval around a change of one start (or mean of starts) against another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NoiseBand {
    /// For the change of printed figures.
    pub reported_pct: Option<f64>,
    /// For the change of recomputed figures.
    pub recomputed_pct: Option<f64>,
    /// What it was estimated from.
    pub source: NoiseSource,
}

impl NoiseBand {
    /// The band of one form: a noise estimate is held against a change of its own basis only.
    fn of(self, recomputed: bool) -> Option<f64> {
        if recomputed { self.recomputed_pct } else { self.reported_pct }
    }
}

/// Where a noise band comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoiseSource {
    /// Variants of the study that cannot differ.
    Equivalents,
    /// Repeats over server starts of both sides (Welch).
    Starts,
}

/// How often something was measured: runs, in so many server starts. The order puts starts first, for a start is the unit
/// of replication: the lesser of two is the one that a comparison rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Repeats {
    /// Server starts; none where several runs do not say which they belong to.
    pub starts: Option<usize>,
    /// Runs in all of them.
    pub runs: usize,
}

impl Repeats {
    /// Whether the server is known to have been started more than once: only that tells the noise across starts.
    pub fn restarted(self) -> bool {
        self.starts > Some(1)
    }
}

/// What a change is held against.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Yardstick {
    /// Changes below this, in percent, do not matter.
    pub relevance_pct: f64,
    /// The noise, where it is known.
    pub noise: Option<NoiseBand>,
    /// Whether the figure can be compared at all.
    pub comparable: bool,
    /// How often the side that was measured less was measured.
    pub repeats: Repeats,
}

/// The change of one figure in both forms, with one verdict.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// From the printed figures, percent.
    pub reported_pct: Option<f64>,
    /// From the recomputed figures, percent.
    pub recomputed_pct: Option<f64>,
    /// What it means. Judged on the recomputed change where there is one.
    pub verdict: Verdict,
    /// The noise that the verdict took into account; none means "noise unknown".
    pub noise: Option<NoiseBand>,
    /// Whether the change that counts lies beyond the noise, whatever its size; none where the noise is unknown. One run
    /// against one, without an estimate, is never significant.
    #[serde(default)]
    pub significant: Option<bool>,
    /// How often the side that was measured less was measured.
    #[serde(default)]
    pub repeats: Repeats,
}

impl Change {
    /// Judges a change. Pass `None` for a form that does not exist.
    pub fn judge(metric: Metric, reported_pct: Option<f64>, recomputed_pct: Option<f64>, by: &Yardstick) -> Self {
        Self::judge_toward(metric.direction(), reported_pct, recomputed_pct, by)
    }

    /// The same for a figure that is no metric of a tool: it improves in this direction.
    pub fn judge_toward(
        direction: Direction,
        reported_pct: Option<f64>,
        recomputed_pct: Option<f64>,
        by: &Yardstick,
    ) -> Self {
        let band = by.noise.and_then(|noise| noise.of(recomputed_pct.is_some()));
        let verdict = match recomputed_pct.or(reported_pct) {
            None => Verdict::Unknown,
            Some(_) if !by.comparable => Verdict::NotComparable,
            Some(pct) if pct.abs() < by.relevance_pct => Verdict::Neutral,
            Some(pct) if band.is_some_and(|band| pct.abs() <= band) => Verdict::WithinNoise,
            Some(pct) => match direction {
                Direction::HigherIsBetter if pct > 0.0 => Verdict::Better,
                Direction::LowerIsBetter if pct < 0.0 => Verdict::Better,
                Direction::HigherIsBetter | Direction::LowerIsBetter => Verdict::Worse,
            },
        };
        let significant = band.zip(recomputed_pct.or(reported_pct)).map(|(band, pct)| pct.abs() > band);
        Self { reported_pct, recomputed_pct, verdict, noise: by.noise, significant, repeats: by.repeats }
    }

    /// The change that counts: recomputed where there is one.
    pub fn pct(&self) -> Option<f64> {
        self.recomputed_pct.or(self.reported_pct)
    }

    /// The band of the change that counts.
    pub fn band(&self) -> Option<f64> {
        self.noise.and_then(|noise| noise.of(self.recomputed_pct.is_some()))
    }

    /// How often the weaker side was measured, where a gain or a loss may be luck: no noise is known for the form that was
    /// judged.
    pub fn unproven(&self) -> Option<Repeats> {
        let open = self.band().is_none() && matches!(self.verdict, Verdict::Better | Verdict::Worse);
        open.then_some(self.repeats)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::{Latency, Stat};
    use proptest::prelude::*;

    #[test]
    fn a_missing_or_zero_baseline_gives_no_change() {
        assert_eq!(change_pct(None, Some(1.0)), None);
        assert_eq!(change_pct(Some(0.0), Some(1.0)), None);
        assert_eq!(change_pct(Some(1.0), None), None);
        assert_eq!(change_pct(Some(f64::MIN_POSITIVE), Some(f64::MAX)), None);
        assert_eq!(change_pct(Some(100.0), Some(0.0)), Some(-100.0));
    }

    #[test]
    fn the_recomputed_change_decides_and_small_or_noisy_ones_are_no_gain() {
        let noise =
            NoiseBand { reported_pct: Some(3.84), recomputed_pct: Some(2.55), source: NoiseSource::Equivalents };
        let repeats = Repeats { starts: Some(1), runs: 1 };
        let with = |noise| Yardstick { relevance_pct: 0.5, noise, comparable: true, repeats };
        let judge =
            |reported, recomputed, by: &Yardstick| Change::judge(Metric::TotalTps, reported, recomputed, by).verdict;
        let cases = [
            (Some(2.09), Some(1.90), Some(noise), Verdict::WithinNoise),
            (Some(2.09), Some(1.90), None, Verdict::Better),
            (Some(15.59), Some(9.97), Some(noise), Verdict::Better),
            (Some(-2.62), Some(-3.06), Some(noise), Verdict::Worse),
            (Some(-2.62), None, Some(noise), Verdict::WithinNoise),
            (Some(1.74), Some(-0.01), None, Verdict::Neutral),
            (None, None, Some(noise), Verdict::Unknown),
        ];
        for (reported, recomputed, noise, expected) in cases {
            assert_eq!(judge(reported, recomputed, &with(noise)), expected, "{reported:?} {recomputed:?} {noise:?}");
        }
        let capped = Yardstick { comparable: false, ..with(None) };
        assert_eq!(judge(Some(9.0), Some(9.0), &capped), Verdict::NotComparable);
        let latency = Metric::Latency(Latency::Ttft, Stat::Mean);
        assert_eq!(Change::judge(latency, Some(13.86), None, &with(None)).verdict, Verdict::Worse);
    }

    #[test]
    fn a_gain_may_be_luck_while_the_noise_of_its_form_is_unknown_however_often_it_was_measured() {
        let band = |reported_pct, recomputed_pct| {
            Some(NoiseBand { reported_pct, recomputed_pct, source: NoiseSource::Equivalents })
        };
        let (once, one_start) = (Repeats { starts: Some(1), runs: 1 }, Repeats { starts: Some(1), runs: 3 });
        for (verdict, noise, repeats, expected) in [
            (Verdict::Better, None, once, Some(once)),
            (Verdict::Better, None, one_start, Some(one_start)),
            (Verdict::Worse, band(Some(1.0), None), once, Some(once)),
            (Verdict::Better, band(None, Some(1.0)), once, None),
            (Verdict::Neutral, None, once, None),
            (Verdict::NotComparable, None, once, None),
        ] {
            let (reported_pct, recomputed_pct) = (Some(9.0), Some(8.0));
            let change = Change { reported_pct, recomputed_pct, verdict, noise, significant: None, repeats };
            assert_eq!(change.unproven(), expected, "{change:?}");
        }
        let many_runs = Repeats { starts: Some(1), runs: 5 };
        assert_eq!(many_runs.min(Repeats { starts: Some(2), runs: 2 }), many_runs, "starts count before runs");
    }

    proptest! {
        #[test]
        fn swapping_baseline_and_candidate_reverses_the_verdict(a in 1.0..1e6f64, b in 1.0..1e6f64) {
            let by = Yardstick { relevance_pct: 0.0, noise: None, comparable: true, repeats: Repeats::default() };
            let verdict = |base, other| Change::judge(Metric::TotalTps, change_pct(Some(base), Some(other)), None, &by).verdict;
            // Changes are kept to six decimals of a percent; closer figures are the same figure.
            prop_assume!((a / b - 1.0).abs() > 1e-7);
            prop_assert_ne!(verdict(a, b), verdict(b, a));
        }
    }
}
