//! Means, scatter and intervals, and nothing that knows what they are of.
//!
//! Repeats are nested: runs in a server start, starts in a variant. The start is the unit of replication, so differences
//! are held against the scatter of start means; the scatter inside a start is shown beside it.

use serde::{Deserialize, Serialize};
use statrs::distribution::{Continuous, ContinuousCDF, StudentsT};

use crate::round::derived;

/// Two-sided 95 %.
const CONFIDENCE_TAIL: f64 = 0.975;

/// What is known of one level of repeats.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Level {
    /// How many values.
    pub n: usize,
    /// Their mean.
    pub mean: f64,
    /// Their sample standard deviation (n − 1); one value has none.
    pub sd: Option<f64>,
    /// Half the 95 % interval of the mean: t(0.975, n − 1) · sd / √n; one value has none.
    pub half_width: Option<f64>,
}

impl Level {
    /// The level that these values make; none without a value.
    pub fn of(values: &[f64]) -> Option<Self> {
        let n = values.len();
        let mean = (n > 0).then(|| values.iter().sum::<f64>() / n as f64)?;
        let sd = mean_and_variance(values).map(|(_, variance)| variance.sqrt());
        let half_width = sd.and_then(|sd| Some(derived(t_quantile((n - 1) as f64)? * sd / (n as f64).sqrt())));
        Some(Self { n, mean: derived(mean), sd: sd.map(derived), half_width })
    }

    /// A figure of this level in percent of its mean.
    pub fn pct(&self, value: Option<f64>) -> Option<f64> {
        value.filter(|_| self.mean != 0.0).map(|value| derived(value / self.mean.abs() * 100.0))
    }
}

/// Repeats of one figure: starts in a variant, runs in a start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The means of the starts.
    pub starts: Level,
    /// The runs of each start.
    pub runs: Vec<Level>,
    /// The standard deviation inside a start, of all starts with more than one run together.
    pub within_sd: Option<f64>,
}

impl Spread {
    /// From the values of each start; none where a start has no value.
    pub fn of(starts: &[Vec<f64>]) -> Option<Self> {
        let runs: Vec<Level> = starts.iter().map(|values| Level::of(values)).collect::<Option<_>>()?;
        let means: Vec<f64> = runs.iter().map(|level| level.mean).collect();
        let freedom: usize = runs.iter().map(|level| level.n - 1).sum();
        let squares: f64 = runs.iter().filter_map(|level| Some(level.sd?.powi(2) * (level.n - 1) as f64)).sum();
        let within_sd = (freedom > 0).then(|| derived((squares / freedom as f64).sqrt()));
        Some(Self { starts: Level::of(&means)?, runs, within_sd })
    }
}

/// Half the 95 % Welch interval of the difference of two means, in percent of the first mean's size; none where a side has
/// fewer than two values.
pub fn welch_pct(baseline: &[f64], candidate: &[f64]) -> Option<f64> {
    let (mean_a, var_a) = mean_and_variance(baseline)?;
    let (_, var_b) = mean_and_variance(candidate)?;
    let (n_a, n_b) = (baseline.len() as f64, candidate.len() as f64);
    let (a, b) = (var_a / n_a, var_b / n_b);
    if mean_a == 0.0 {
        return None;
    }
    if a + b == 0.0 {
        return Some(0.0);
    }
    // Welch–Satterthwaite.
    let freedom = (a + b).powi(2) / (a.powi(2) / (n_a - 1.0) + b.powi(2) / (n_b - 1.0));
    Some(derived(t_quantile(freedom)? * (a + b).sqrt() / mean_a.abs() * 100.0))
}

/// Sample standard deviation in percent of the mean.
pub fn relative_sd(values: &[f64]) -> Option<f64> {
    let (mean, variance) = mean_and_variance(values)?;
    (mean != 0.0).then(|| variance.sqrt() / mean.abs() * 100.0)
}

/// Mean and sample variance (n − 1); one value has none.
fn mean_and_variance(values: &[f64]) -> Option<(f64, f64)> {
    if values.len() < 2 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((mean, squares / (values.len() - 1) as f64))
}

/// The 97.5 % point of Student's t, for any number of degrees of freedom above 0.
pub fn t_quantile(freedom: f64) -> Option<f64> {
    let t = StudentsT::new(0.0, 1.0, freedom).ok()?;
    // The inverse stops at four digits for very many degrees of freedom; the function and its slope are exact there.
    let refine = |at: f64| at - (t.cdf(at) - CONFIDENCE_TAIL) / t.pdf(at);
    Some(refine(refine(t.inverse_cdf(CONFIDENCE_TAIL))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_t_quantile_is_exact_to_nine_digits() {
        // 1 and 2 degrees of freedom have closed forms; the others are those of R's qt(0.975, df).
        let cases = [
            (1.0, (0.475 * std::f64::consts::PI).tan()),
            (2.0, 0.95 * (2.0_f64 / (4.0 * 0.975 * 0.025)).sqrt()),
            (3.0, 3.182_446_305_284_263),
            (4.0, 2.776_445_105_197_799),
            (5.0, 2.570_581_835_636_314),
            (10.0, 2.228_138_851_964_939),
            (30.0, 2.042_272_456_301_238),
            (100.0, 1.983_971_518_523_553),
        ];
        for (freedom, expected) in cases {
            let t = t_quantile(freedom).expect("the freedom is positive");
            assert!((t / expected - 1.0).abs() < 1e-9, "{freedom}: {t} {expected}");
        }
        let large = t_quantile(1e6).expect("the freedom is positive");
        assert!((large - 1.959_966_356_6).abs() < 1e-8, "{large}");
    }

    #[test]
    fn a_level_is_what_the_measured_study_prints() {
        // Measured on an H200: three runs of one start scatter 1.14 %, three starts 2.65 %.
        let starts = [vec![33626.30, 33188.81, 33952.45], vec![32209.86, 31777.20], vec![33406.09]];
        let spread = Spread::of(&starts).expect("every start has a value");
        let near = |value: Option<f64>, expected: f64| value.is_some_and(|value| (value - expected).abs() < 0.005);
        let first = spread.runs[0];
        assert!(near(first.pct(first.sd), 1.14) && near(Some(first.mean), 33589.19), "{first:?}");
        assert!(near(spread.starts.pct(spread.starts.sd), 2.65) && spread.starts.n == 3, "{spread:?}");
        // t(0.975, 2) / √3 = 2.484 standard deviations.
        assert!(near(spread.starts.pct(spread.starts.half_width), 2.6464 * 2.4841), "{spread:?}");
        assert_eq!((spread.runs[2].n, spread.runs[2].sd, spread.runs[2].half_width), (1, None, None));
    }

    #[test]
    fn one_start_has_no_interval() {
        assert_eq!(welch_pct(&[100.0], &[110.0, 111.0]), None);
        assert!(welch_pct(&[100.0, 101.0], &[110.0, 111.0]).is_some_and(|half| half > 1.0 && half < 4.0));
        assert_eq!(welch_pct(&[100.0, 100.0], &[110.0, 110.0]), Some(0.0));
        assert_eq!(Level::of(&[]), None);
    }

    proptest! {
        #[test]
        fn an_interval_grows_with_the_scatter_and_does_not_depend_on_order(
            values in proptest::collection::vec(50.0..150.0f64, 2..8), factor in 1.1..3.0f64,
        ) {
            let level = Level::of(&values).expect("there are values");
            let mut reversed = values.clone();
            reversed.reverse();
            let close = |a: Option<f64>, b: Option<f64>| a.zip(b).is_some_and(|(a, b)| (a - b).abs() < 1e-5);
            prop_assert!(close(Level::of(&reversed).and_then(|level| level.half_width), level.half_width));
            let wide: Vec<f64> = values.iter().map(|value| level.mean + (value - level.mean) * factor).collect();
            let wide = Level::of(&wide).expect("there are values");
            prop_assert!(wide.half_width >= level.half_width);
        }
    }
}
