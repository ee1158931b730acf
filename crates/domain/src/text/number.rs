//! Figures as people read them, alike in both languages: thousands commas, U+2212 for minus, signed changes, no space
//! before a percent sign, a space before other units.

use crate::metric::Metric;
use crate::metrics::{Latency, Stat};
use crate::round::fixed;

/// A figure with thousands commas: `11,527.14`.
pub fn grouped(value: f64, decimals: usize) -> String {
    let text = fixed(value, decimals);
    let (sign, digits) = text.strip_prefix('-').map_or(("", text.as_str()), |digits| ("\u{2212}", digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut out = String::from(sign);
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if !fraction.is_empty() {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

/// A count with thousands commas: `1,000`.
pub fn count(value: u64) -> String {
    grouped(value as f64, 0)
}

/// A change with its sign: `+2.09%`, `−0.01%`, `±0.00%`.
pub fn signed_pct(pct: f64, decimals: usize) -> String {
    format!("{}%", signed(pct, decimals))
}

/// A difference with its sign: `+4,895.86`.
pub fn signed(value: f64, decimals: usize) -> String {
    let text = grouped(value, decimals);
    let sign = match text.strip_prefix('\u{2212}') {
        Some(_) => "",
        None if text.bytes().all(|byte| matches!(byte, b'0' | b'.')) => "±",
        None => "+",
    };
    format!("{sign}{text}")
}

/// A share or a size without a sign: `51.4%`.
pub fn pct(value: f64, decimals: usize) -> String {
    format!("{}%", grouped(value, decimals))
}

/// A limit that people wrote, with as many digits as they wrote: `99%`, `99.5%`.
pub fn threshold(value: f64) -> String {
    format!("{}%", short(value, 4))
}

/// A share that lies below a limit, with one decimal, or as many more as it takes to show that it does.
pub fn pct_below(value: f64, limit: f64) -> String {
    let below = |decimals: &usize| value >= limit || crate::round::half_up(value, *decimals) < limit;
    pct(value, (1..4).find(below).unwrap_or(4))
}

/// A figure with up to `decimals` digits, without trailing zeros: 1,000 rather than 1,000.00.
pub fn short(value: f64, decimals: usize) -> String {
    let text = grouped(value, decimals);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A metric's figure as it is shown, without its unit. End-to-end latencies are shown in seconds, as the tools print them.
pub fn figure(metric: Metric, value: f64) -> String {
    match metric {
        Metric::Latency(Latency::E2el, _) => grouped(value / 1000.0, 2),
        Metric::TotalTps | Metric::OutputTps | Metric::RequestThroughput | Metric::Goodput | Metric::Latency(..) => {
            grouped(value, 2)
        }
    }
}

/// The unit in which [`figure`] shows a metric.
pub fn unit(metric: Metric) -> &'static str {
    match metric {
        Metric::Latency(Latency::E2el, _) => "s",
        Metric::TotalTps | Metric::OutputTps | Metric::RequestThroughput | Metric::Goodput | Metric::Latency(..) => {
            metric.unit()
        }
    }
}

/// A metric's figure with its unit.
pub fn with_unit(metric: Metric, value: f64) -> String {
    format!("{}\u{a0}{}", figure(metric, value), unit(metric))
}

/// `P99`, `P99.9`; the words for mean and the like are each language's.
pub(super) fn percentile(stat: Stat) -> String {
    stat.to_string().to_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_read_alike_everywhere() {
        assert_eq!(grouped(11527.14, 2), "11,527.14");
        assert_eq!(grouped(-1234.5, 1), "\u{2212}1,234.5");
        assert_eq!(grouped(999.0, 0), "999");
        assert_eq!(signed_pct(2.091412, 2), "+2.09%");
        assert_eq!(signed_pct(-0.013, 2), "\u{2212}0.01%");
        assert_eq!(signed_pct(0.0, 2), "±0.00%");
        assert_eq!(signed_pct(-0.001, 2), "±0.00%");
        assert_eq!(short(1000.0, 2), "1,000");
        assert_eq!(short(51.4, 2), "51.4");
        assert_eq!((threshold(99.0), threshold(99.5), threshold(0.25)), ("99%".into(), "99.5%".into(), "0.25%".into()));
        assert_eq!((pct_below(51.4, 99.0), pct_below(98.96, 99.0)), ("51.4%".into(), "98.96%".into()));
        let e2el = Metric::Latency(Latency::E2el, Stat::P99);
        assert_eq!(with_unit(e2el, 12360.0), "12.36\u{a0}s");
    }
}
