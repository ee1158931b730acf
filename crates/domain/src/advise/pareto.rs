//! The Pareto front: what nothing else beats in one figure without losing in the other.

/// Which of `points` lie on the front, throughput first (more is better), latency second (less is better). A point
/// that lacks a figure, or whose figure is no number, is never on it. Points that are equal in both figures are on the
/// front together, or not at all.
pub fn front(points: &[Option<(f64, f64)>]) -> Vec<bool> {
    let measured = |point: &Option<(f64, f64)>| point.filter(|(x, y)| !x.is_nan() && !y.is_nan());
    let all: Vec<(f64, f64)> = points.iter().filter_map(measured).collect();
    let beats = |a: (f64, f64), b: (f64, f64)| a.0 >= b.0 && a.1 <= b.1 && a != b;
    points.iter().map(|point| measured(point).is_some_and(|own| !all.iter().any(|other| beats(*other, own)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_points_share_the_front_and_gaps_are_never_on_it() {
        let nan = f64::NAN;
        type Case<'a> = (&'a [Option<(f64, f64)>], &'a [bool]);
        let cases: [Case<'_>; 6] = [
            (&[], &[]),
            (&[Some((1.0, 1.0))], &[true]),
            (&[Some((1.0, 1.0)), Some((1.0, 1.0)), Some((0.5, 1.0))], &[true, true, false]),
            (&[Some((2.0, 9.0)), Some((1.0, 3.0)), Some((1.0, 4.0))], &[true, true, false]),
            (&[None, Some((nan, 1.0)), Some((1.0, nan)), Some((1.0, 5.0))], &[false, false, false, true]),
            (&[Some((2.0, 5.0)), Some((2.0, 4.0)), Some((1.0, 4.0))], &[false, true, false]),
        ];
        for (points, expected) in cases {
            assert_eq!(front(points), expected, "{points:?}");
        }
    }

    /// Small whole numbers, so that ties are common, with gaps and NaN among them.
    fn point() -> impl Strategy<Value = Option<(f64, f64)>> {
        let figure = || prop_oneof![9 => (0..6u8).prop_map(f64::from), 1 => Just(f64::NAN)];
        prop_oneof![9 => (figure(), figure()).prop_map(Some), 1 => Just(None)]
    }

    proptest! {
        #[test]
        fn every_point_is_on_the_front_or_beaten_by_one_that_is(points in proptest::collection::vec(point(), 0..24)) {
            let on = front(&points);
            let is_number = |point: &Option<(f64, f64)>| point.is_some_and(|(x, y)| !x.is_nan() && !y.is_nan());
            prop_assert_eq!(points.iter().any(is_number), on.iter().any(|on| *on));
            for (point, on_front) in points.iter().zip(&on) {
                let Some((x, y)) = point.filter(|_| is_number(point)) else {
                    prop_assert!(!on_front);
                    continue;
                };
                let beaten = points.iter().zip(&on).any(|(other, on)| {
                    *on && other.is_some_and(|(a, b)| a >= x && b <= y && (a > x || b < y))
                });
                prop_assert_ne!(*on_front, beaten);
            }
        }

        #[test]
        fn the_order_of_points_does_not_matter(points in proptest::collection::vec(point(), 0..24)) {
            let mut backwards: Vec<_> = points.clone();
            backwards.reverse();
            let mut on = front(&backwards);
            on.reverse();
            prop_assert_eq!(on, front(&points));
        }
    }
}
