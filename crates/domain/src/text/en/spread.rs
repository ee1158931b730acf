//! Repeats: how often something was measured, and how far it scatters at each level.

use crate::id::{ProfileId, VariantId};
use crate::stats::Spread;
use crate::text::facts::Facts;
use crate::text::number::{grouped, pct};
use crate::text::rich::strong;

/// `ShareGPT, baseline: 3 starts, total TPS 33,089.00 tok/s on average, standard deviation 2.65% …`
pub(super) fn spread(facts: &Facts<'_>, profile: &ProfileId, variant: &VariantId, spread: &Spread) -> String {
    let starts = &spread.starts;
    let runs: Vec<String> = spread.runs.iter().map(|level| level.n.to_string()).collect();
    let mean = grouped(starts.mean, 2);
    let of = format!("{}, {}: ", facts.profile(profile), facts.variant(variant));
    let between = match (starts.pct(starts.sd), starts.pct(starts.half_width)) {
        (Some(sd), Some(half)) => format!(
            "{} server starts with {} runs, total TPS {mean} tok/s on average; the starts have a standard deviation of {}, and the 95% interval of their mean is {}.",
            starts.n,
            runs.join(" + "),
            pct(sd, 2),
            strong(format!("±{}", pct(half, 2)))
        ),
        _ => format!(
            "one server start with {} runs, total TPS {mean} tok/s on average; the noise across restarts is unknown.",
            runs.join(" + ")
        ),
    };
    let within = starts.pct(spread.within_sd);
    of + &between
        + &within.map_or_else(String::new, |sd| format!(" Within a start the standard deviation is {}.", pct(sd, 2)))
}
