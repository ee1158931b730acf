//! The parts of a comparison: what differs, the table, the commands, the findings, and the form that chooses.

mod banner;
mod choose;
mod commands;
mod findings;
mod heads;
mod parameters;
mod table;
mod view;

pub use banner::NotShown;
pub use choose::{Choose, Offered};
pub use view::View;

use std::sync::Arc;

use domain::{
    compare::Comparison,
    text::{compare::compare_labels, labels, phrase},
};
use leptos::prelude::*;

use crate::lang::Lang;

/// A whole comparison; nothing where nothing was found.
#[component]
pub fn CompareBody(
    /// What is seen.
    view: View,
) -> impl IntoView {
    let (words, labels) = (compare_labels(view.lang), labels(view.lang));
    (!view.facts.columns.is_empty()).then(|| {
        let alone = (!view.facts.is_pair()).then(|| view! { <p class="muted">{words.alone}</p> });
        view! {
            <banner::Banner view=view.clone()/>
            {alone}
            <table::Table view=view.clone()/>
            <section class="sec" id="commands" aria-labelledby="h-commands">
                <h2 id="h-commands">{words.commands}</h2>
                <commands::Commands view=view.clone()/>
            </section>
            <section class="sec" id="findings" aria-labelledby="h-findings">
                <h2 id="h-findings">{labels.findings}</h2>
                <findings::Findings view/>
            </section>
        }
    })
}

/// The studies that the sides are of.
#[component]
pub fn Studies(
    /// The facts.
    facts: Arc<Comparison>,
    /// In which language.
    lang: Lang,
) -> impl IntoView {
    let mut titles: Vec<&str> = Vec::new();
    for column in &facts.columns {
        let title = column.title.get(lang);
        if !titles.contains(&title) {
            titles.push(title);
        }
    }
    (!titles.is_empty()).then(|| view! { <p>{titles.join(phrase::separator(lang))}</p> })
}
