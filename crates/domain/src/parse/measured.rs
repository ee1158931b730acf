//! What every reader ends with: figures of a run in which nothing succeeded are no figures.

use crate::metrics::Metrics;
use crate::run::{Context, Measurement, Tool, TpotDefinition};

/// A measurement of a document, which has no lines to quote.
pub(super) fn measurement(
    tool: Tool,
    tpot_definition: TpotDefinition,
    metrics: Metrics,
    context: Context,
) -> Measurement {
    Measurement { tool, tpot_definition, metrics: measured(metrics), context, excerpt: None, requests: None }
}

/// Tools write 0 for a latency or a rate that nothing was measured for. The counts tell: without a success there is no
/// latency and no rate, without an output token none that rests on tokens.
pub(super) fn measured(mut metrics: Metrics) -> Metrics {
    let nothing = metrics.successful_requests == Some(0);
    if nothing || metrics.total_output_tokens == Some(0) {
        for distribution in [
            &mut metrics.ttft,
            &mut metrics.tpot,
            &mut metrics.tpot_including_first,
            &mut metrics.itl,
            &mut metrics.e2el,
        ] {
            distribution.clear();
        }
        metrics.output_throughput = None;
        metrics.peak_output_throughput = None;
    }
    if nothing {
        metrics.total_token_throughput = None;
        metrics.request_throughput = None;
        metrics.goodput = None;
    }
    metrics
}

/// A count that a tool gives as a mean over `of` requests, printed with at least four decimals: none where the product is
/// not near enough to a whole number to be one.
pub(super) fn total(mean: Option<f64>, of: Option<u64>) -> Option<u64> {
    let of = of? as f64;
    near_whole(mean? * of, 1e-6 + of * 0.000_05)
}

/// A count that was added up in floating point.
pub(super) fn near_whole(figure: f64, slack: f64) -> Option<u64> {
    // Above 2^53 a double cannot tell whole numbers apart.
    let whole = (0.0..=9_007_199_254_740_992.0).contains(&figure) && (figure - figure.round()).abs() <= slack.min(0.3);
    whole.then(|| figure.round() as u64)
}
