//! Round steps for axes.

/// The smallest step of the row 1, 2, 5, 10, 20 … that cuts `span` into pieces of which each has room for its label,
/// `room` telling whether a step is wide enough.
pub(super) fn step(span: f64, room: impl Fn(f64) -> bool) -> f64 {
    let smallest = 10f64.powi((span.log10().floor() - 2.0) as i32);
    (0..30)
        .map(|at| smallest * [1.0, 2.0, 5.0][at % 3] * 10f64.powi((at / 3) as i32))
        .find(|step| *step >= span || room(*step))
        .unwrap_or(span)
}

/// Multiples of `step` from `low` to `high`.
pub(super) fn multiples(step: f64, low: f64, high: f64) -> Vec<f64> {
    // A hair of slack, so that 0.3 counts as three times 0.1.
    let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
    let count = (last - first + 1.0).clamp(0.0, 1000.0) as u32;
    (0..count).map(|at| (first + f64::from(at)) * step).collect()
}

/// Decimals that show multiples of `step`.
pub(super) fn decimals(step: f64) -> usize {
    (-step.log10() - 1e-9).ceil().clamp(0.0, 6.0) as usize
}

/// Decimals at which `value` has three figures or more.
pub(super) fn three_figures(value: f64) -> usize {
    match value.abs() {
        v if v >= 1000.0 => 0,
        v if v >= 100.0 => 1,
        v if v >= 1.0 || v == 0.0 => 2,
        v => (1.0 - v.log10().floor()).clamp(2.0, 6.0) as usize,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_and_leave_room() {
        assert_eq!(step(34_470.0, |step| step >= 8_000.0), 10_000.0);
        assert_eq!(step(0.03, |step| step >= 0.004), 0.005);
        assert_eq!(step(1e7, |_| true), 1e5);
        assert_eq!(step(7.0, |_| false), 10.0);
        assert_eq!(multiples(5.0, -2.0, 17.0), [0.0, 5.0, 10.0, 15.0]);
        assert_eq!(multiples(0.1, 0.0, 0.3).len(), 4);
        assert_eq!([0.005, 0.1, 1.0, 20.0].map(decimals), [3, 1, 0, 0]);
        assert_eq!([0.0123, 0.5, 31.0, 512.0, 27_021.0].map(three_figures), [3, 2, 2, 1, 0]);
    }
}
