//! The menu of files: every form of a report, and the study's folder. A list of links that opens without a script.

use domain::text::export_labels;
use leptos::prelude::*;

use super::edition::Edition;
use crate::{routes::Route, visit::Visit};

/// Whether this server prints PDF, in the context of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prints(pub bool);

/// The menu.
#[component]
pub fn Downloads(
    /// The report.
    edition: Edition,
) -> impl IntoView {
    let words = export_labels(edition.lang);
    let slug = edition.report.slug.to_string();
    let study = Route::Study(slug).href(edition.lang);
    // What a reader sees under limits of his own is what he takes with him.
    let query = edition.asked.is_some().then(|| use_context::<Visit>().and_then(|visit| visit.query)).flatten();
    let query = query.map_or_else(String::new, |query| format!("?{query}"));
    let prints = use_context::<Prints>().is_some_and(|Prints(prints)| prints);
    let of = |name: &str| format!("{study}/{name}{query}");
    let whole = format!("/{}/study.tar.gz", study.splitn(3, '/').nth(2).unwrap_or_default());
    let files = [
        Some((of("report.html"), words.html, ".html")),
        prints.then(|| (of("report.pdf"), words.pdf, ".pdf")),
        Some((of("report.xlsx"), words.xlsx, ".xlsx")),
        Some((of("report.csv"), words.csv, ".csv")),
        Some((of("report.md"), words.markdown, ".md")),
        Some((of("report.json"), words.json, ".json")),
        Some((of("reproduce.sh"), words.reproduce, ".sh")),
        Some((whole, words.folder, ".tar.gz")),
    ];
    let files = files.into_iter().flatten().map(|(href, label, ending)| {
        view! {
            <li>
                <a href=href download="">{label}<code>{ending}</code></a>
            </li>
        }
    });
    let files = files.collect_view();
    view! {
        <details class="menu">
            <summary class="btn">{words.download}</summary>
            <ul class="menu__list">{files}</ul>
        </details>
    }
}
