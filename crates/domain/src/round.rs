//! Rounding as the reports print it: half up on the decimal digits of the figure, away from zero for negative ones.

/// Rounds half up at `decimals`. Works on the shortest decimal text of `value`, so that 2.675 becomes 2.68 although its
/// nearest double lies below. Figures that are not finite come back as they are.
pub fn half_up(value: f64, decimals: usize) -> f64 {
    if !value.is_finite() {
        return value;
    }
    fixed(value, decimals).parse().expect("a fixed decimal text is a number")
}

/// `value` with exactly `decimals` digits after the point, rounded half up; "-0.00" loses its sign.
pub fn fixed(value: f64, decimals: usize) -> String {
    debug_assert!(value.is_finite(), "only measured figures are printed");
    let text = format!("{}", value.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let mut digits: Vec<u8> =
        whole.bytes().chain(fraction.bytes().chain(std::iter::repeat(b'0')).take(decimals)).collect();
    if fraction.as_bytes().get(decimals).is_some_and(|next| *next >= b'5') {
        carry(&mut digits);
    }
    let point = digits.len() - decimals;
    let all = String::from_utf8(digits).expect("only ASCII digits were pushed");
    let negative = value < 0.0 && all.bytes().any(|digit| digit != b'0');
    let sign = if negative { "-" } else { "" };
    if decimals == 0 { format!("{sign}{all}") } else { format!("{sign}{}.{}", &all[..point], &all[point..]) }
}

/// Adds one in the last place.
fn carry(digits: &mut Vec<u8>) {
    for digit in digits.iter_mut().rev() {
        if *digit == b'9' {
            *digit = b'0';
        } else {
            *digit += 1;
            return;
        }
    }
    digits.insert(0, b'1');
}

/// Six decimals: what a derived figure keeps in the report model. Below what any tool prints, above float noise, so the
/// same runs give the same bytes on every machine.
pub fn derived(value: f64) -> f64 {
    half_up(value, 6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_round_half_up_on_their_decimal_digits() {
        let cases: &[(f64, usize, &str)] = &[
            (2.675, 2, "2.68"),
            (2.091412, 2, "2.09"),
            (-0.005, 2, "-0.01"),
            (-0.004, 2, "0.00"),
            (999.995, 2, "1000.00"),
            (0.0, 2, "0.00"),
            (5027.73, 2, "5027.73"),
            (12.0, 0, "12"),
            (9.5, 0, "10"),
            (1e21, 1, "1000000000000000000000.0"),
            (1e-9, 3, "0.000"),
        ];
        for (value, decimals, expected) in cases {
            assert_eq!(&fixed(*value, *decimals), expected, "{value} at {decimals}");
        }
    }

    #[test]
    fn seconds_become_milliseconds_without_float_noise() {
        assert_eq!(crate::units::Ms::from_secs(24.11).map(crate::units::Ms::get), Some(24110.0));
        assert_eq!(crate::units::Ms::from_secs(f64::NAN), None);
    }
}
