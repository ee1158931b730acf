//! A change: sign, figure, verdict, and whether noise is known, decided in one place.

use domain::{
    change::{Change, Verdict},
    text::number::signed_pct,
};
use leptos::prelude::*;

use super::verdict::VerdictMark;
use crate::lang::Lang;

/// Regressions from here on are tinted: NOTES of the design, 10 %.
const TINTED_PCT: f64 = 10.0;

/// The change that counts with its verdict.
#[component]
pub fn ChangeMark(
    /// The change.
    change: Change,
    /// Of percentages.
    decimals: u8,
    /// In which language.
    lang: Lang,
) -> impl IntoView {
    let pct = change.pct().map(|pct| view! { <span class="num">{signed_pct(pct, decimals.into())}</span>" " });
    view! { {pct}<VerdictMark verdict=change.verdict once=measured_once(&change) lang/> }
}

/// Whether a change rests on one run against one, with no noise known for the form that was judged.
#[must_use]
pub fn measured_once(change: &Change) -> bool {
    let band = change.noise.and_then(|noise| match change.recomputed_pct {
        Some(_) => noise.recomputed_pct,
        None => noise.reported_pct,
    });
    band.is_none() && matches!(change.verdict, Verdict::Better | Verdict::Worse)
}

/// Whether a regression is large enough for the eye to be led there.
#[must_use]
pub fn is_hit(change: &Change) -> bool {
    change.verdict == Verdict::Worse && change.pct().is_some_and(|pct| pct.abs() >= TINTED_PCT)
}

#[cfg(test)]
mod tests {
    use domain::change::{NoiseBand, NoiseSource};

    use super::*;

    #[test]
    fn a_gain_counts_as_measured_once_when_the_noise_of_its_form_is_unknown() {
        let band = |reported_pct, recomputed_pct| {
            Some(NoiseBand { reported_pct, recomputed_pct, source: NoiseSource::Equivalents })
        };
        let change = |verdict, noise| Change {
            reported_pct: Some(9.0),
            recomputed_pct: Some(8.0),
            verdict,
            noise,
            significant: None,
        };
        for (verdict, noise, once) in [
            (Verdict::Better, None, true),
            (Verdict::Worse, band(Some(1.0), None), true),
            (Verdict::Better, band(None, Some(1.0)), false),
            (Verdict::Neutral, None, false),
            (Verdict::NotComparable, None, false),
        ] {
            assert_eq!(measured_once(&change(verdict, noise)), once, "{verdict:?} {noise:?}");
        }
    }
}
