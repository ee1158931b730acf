//! What can be done with a report: links to the pages and files around it.

use leptos::prelude::*;

use super::edition::Edition;

/// A list of links. Every one is a page or a file of its own, so nothing here needs a script.
#[component]
pub fn Toolbar(
    /// The report.
    edition: Edition,
) -> impl IntoView {
    let tools: Vec<(String, &'static str)> = tools(&edition);
    let tools = tools.into_iter().map(|(href, label)| view! { <li><a href=href>{label}</a></li> }).collect_view();
    view! { <ul class="tools">{tools}</ul> }
}

/// Address and label, in the order shown.
fn tools(_edition: &Edition) -> Vec<(String, &'static str)> {
    Vec::new()
}
