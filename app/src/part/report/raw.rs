//! The lines a run was read from, verbatim, one click away.

use domain::{report::RunReport, text::phrase};
use leptos::prelude::*;

use super::edition::Edition;

/// A collapsed raw block with the ways to its run and its file.
#[component]
pub fn RawBlock(
    /// The report.
    edition: Edition,
    /// The run.
    run: RunReport,
) -> impl IntoView {
    let (lang, labels, page) = (edition.lang, edition.labels(), edition.page());
    let label = format!("{}: {}", phrase::run_title(lang, run.number), labels.raw_result);
    let href = edition.run_href(&run);
    let download = edition.raw_href(&run).map(|href| view! { <a href=href download="">{page.download}</a> });
    let to_run = if edition.on_site() {
        view! { <a href=href>{page.page_of_run}{phrase::lead_space(lang)}{phrase::run(lang, run.number)}</a> }
            .into_any()
    } else {
        view! { <a href=href>{page.provenance}{phrase::colon(lang)}{phrase::run(lang, run.number)}</a> }.into_any()
    };
    let text = match run.excerpt {
        Some(excerpt) => view! {
            <pre class="block" tabindex="0" role="group" aria-label=label>{excerpt.text}</pre>
        }
        .into_any(),
        None => view! { <p class="small muted">{page.no_excerpt}</p> }.into_any(),
    };
    view! {
        <details class="raw" id=raw_id(run.number)>
            <summary>
                {labels.raw_result}
                <span class="mono">{run.file}" · sha256 "{run.digest.short().to_owned()}</span>
            </summary>
            <p class="raw__ways">
                {to_run}
                {download}
            </p>
            {text}
        </details>
    }
}

/// A raw block that the page shows elsewhere: the way there.
#[component]
pub fn RawElsewhere(
    /// The report.
    edition: Edition,
    /// The run's number.
    number: usize,
) -> impl IntoView {
    let href = format!("#{}", raw_id(number));
    view! { <p class="raw small"><a href=href>{phrase::raw_shown(edition.lang, number)}</a></p> }
}

fn raw_id(number: usize) -> String {
    format!("raw-{number:02}")
}
