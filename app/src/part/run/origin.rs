//! Where a run comes from: tool, file, digest, and the lines themselves.

use domain::{
    report::RunReport,
    run::TpotDefinition,
    text::{self, phrase},
};
use leptos::prelude::*;

use crate::{
    part::{Time, figure::Absent, report::Edition},
    routes::raw_href,
};

/// Provenance. What was not recorded says so.
#[component]
pub fn Origin(
    /// The report of its study.
    edition: Edition,
    /// The run.
    run: RunReport,
) -> impl IntoView {
    let (lang, labels, page) = (edition.lang, edition.labels(), edition.page());
    let absent = || view! { <Absent word=labels.not_recorded/> }.into_any();
    let tool = text::tool(lang, run.tool);
    let tpot = match run.tpot_definition {
        TpotDefinition::ExcludesFirstToken => page.tpot_excludes,
        TpotDefinition::IncludesFirstToken => page.tpot_includes,
        TpotDefinition::Unstated => page.tpot_unstated,
    };
    let started = run.started_at.map_or_else(absent, |ms| view! { <Time ms lang/> }.into_any());
    let line = run.excerpt.as_ref().map(|excerpt| {
        view! { <dt>{page.place_in_file}</dt><dd>{excerpt.first_line}</dd> }
    });
    view! {
        <dl class="facts">
            <dt>{page.file}</dt>
            <dd><code>{run.file.clone()}</code></dd>
            <dt>{page.digest}</dt>
            <dd><code>{run.digest.to_string()}</code></dd>
            {line}
            <dt>{labels.tool}</dt>
            <dd>{tool}</dd>
            <dt>{page.tpot_definition}</dt>
            <dd>{tpot}</dd>
            <dt>{page.server_start}</dt>
            <dd>{run.start.clone().map_or_else(absent, IntoAny::into_any)}</dd>
            <dt>{page.started_at}</dt>
            <dd>{started}</dd>
        </dl>
        <div class="margin">
            <p class="note"><a href=raw_href(&run.digest) download="">{page.download}</a></p>
        </div>
    }
}

/// The lines that the run was read from, verbatim.
#[component]
pub fn Excerpt(
    /// The report of its study.
    edition: Edition,
    /// The run.
    run: RunReport,
) -> impl IntoView {
    match run.excerpt {
        Some(excerpt) => {
            let label = format!(
                "{}{}{}",
                phrase::run_title(edition.lang, run.number),
                phrase::colon(edition.lang),
                edition.page().excerpt
            );
            view! { <pre class="block" tabindex="0" role="group" aria-label=label>{excerpt.text}</pre> }.into_any()
        }
        None => view! { <p class="small muted">{edition.page().no_excerpt}</p> }.into_any(),
    }
}
