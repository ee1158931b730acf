//! What can be done with a report: links to the pages and files around it.

use domain::{
    compare::Selection,
    text::{
        cards::card_labels, compare::compare_labels, notes::note_labels, shares::share_labels, versions::version_labels,
    },
};
use leptos::prelude::*;

use super::{downloads::Downloads, edition::Edition};
use crate::routes::{Route, compare_href};

/// A list of links. Every one is a page or a file of its own, so nothing here needs a script.
#[component]
pub fn Toolbar(
    /// The report.
    edition: Edition,
) -> impl IntoView {
    let tools: Vec<(String, &'static str)> = tools(&edition);
    let tools = tools.into_iter().map(|(href, label)| view! { <li><a href=href>{label}</a></li> }).collect_view();
    view! {
        <ul class="tools">
            {tools}
            <li><Downloads edition/></li>
        </ul>
    }
}

/// Address and label, in the order shown.
fn tools(edition: &Edition) -> Vec<(String, &'static str)> {
    let (lang, slug) = (edition.lang, edition.report.slug.to_string());
    vec![
        (compare_href(lang, &Selection::of_report(&edition.report)), compare_labels(lang).compare),
        (Route::Notes(slug.clone()).href(lang), note_labels(lang).notes),
        (Route::Versions(slug.clone()).href(lang), version_labels(lang).versions),
        (Route::Shares(slug.clone()).href(lang), share_labels(lang).share),
        (Route::Embed(slug).href(lang), card_labels(lang).embed),
    ]
}
