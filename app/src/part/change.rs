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
    view! { {pct}<VerdictMark verdict=change.verdict unproven=change.unproven() lang/> }
}

/// Whether a regression is large enough for the eye to be led there.
#[must_use]
pub fn is_hit(change: &Change) -> bool {
    change.verdict == Verdict::Worse && change.pct().is_some_and(|pct| pct.abs() >= TINTED_PCT)
}
