//! A measured figure, or that it was not measured: never a 0, never a blank.

use domain::{
    metric::Metric,
    text::{self, number},
};
use leptos::prelude::*;

use crate::lang::Lang;

/// A metric's figure; its unit stands in the head of the row unless asked for here.
#[component]
pub fn Figure(
    /// Which figure.
    metric: Metric,
    /// In the metric's own unit.
    value: Option<f64>,
    /// Whether its unit follows.
    #[prop(optional)]
    with_unit: bool,
    /// In which language.
    lang: Lang,
) -> impl IntoView {
    match value {
        Some(value) => {
            let unit = with_unit.then(|| view! { <small>"\u{a0}" {number::unit(metric)}</small> });
            view! { {number::figure(metric, value)}{unit} }.into_any()
        }
        None => view! { <Absent word=text::labels(lang).not_measured/> }.into_any(),
    }
}

/// What was not measured or recorded says so.
#[component]
pub fn Absent(
    /// The word for it.
    word: &'static str,
) -> impl IntoView {
    view! { <span class="absent">{word}</span> }
}
