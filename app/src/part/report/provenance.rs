//! Where every figure comes from: files, digests, and how to check them.

use std::collections::BTreeSet;

use domain::{
    id::RunId,
    report::Report,
    text::{self, phrase},
};
use leptos::prelude::*;

use super::{
    edition::{Edition, run_anchor},
    raw::RawBlock,
};
use crate::part::rich::Sentence;

/// One row a run.
#[component]
pub fn Provenance(
    /// The report.
    edition: Edition,
) -> impl IntoView {
    let (report, lang, labels, page) = (&edition.report, edition.lang, edition.labels(), edition.page());
    let rows = report
        .runs
        .iter()
        .map(|run| {
            let title = phrase::run_title(lang, run.number);
            let title = match edition.on_site() {
                true => view! { <a href=edition.run_href(run)>{title}</a> }.into_any(),
                false => title.into_any(),
            };
            let anchor = (!edition.on_site()).then(|| run_anchor(run));
            let digest = run.digest.short().to_owned();
            let digest = match edition.raw_href(run) {
                Some(href) => view! { <a href=href download="">{digest}</a> }.into_any(),
                None => digest.into_any(),
            };
            view! {
                <tr id=anchor>
                    <th scope="row">{title}</th>
                    <td><Sentence rich=text::variant_name(lang, report, &run.variant)/></td>
                    <td>{edition.profile(&run.profile)}</td>
                    <td class="mono">{run.file.clone()}</td>
                    <td class="mono">{digest}</td>
                </tr>
            }
        })
        .collect_view();
    // On the site every run has a page with its raw lines; by itself the report must have them all.
    let shown = raw_runs(report);
    let rest = report.runs.iter().filter(|run| !edition.on_site() && run.excerpt.is_some() && !shown.contains(&run.id));
    let rest = rest.map(|run| view! { <RawBlock edition=edition.clone() run=run.clone()/> }).collect_view();
    view! {
        <p class="small wide">{page.provenance_intro}" "{page.verify}" "<code>"sha256sum FILE"</code></p>
        <div class="scroll wide" tabindex="0" role="region" aria-label=page.provenance>
            <table class="t provenance">
                <caption class="vh">{page.provenance}</caption>
                <thead>
                    <tr>
                        <th scope="col">{labels.run}</th>
                        <th scope="col">{labels.variant}</th>
                        <th scope="col">{labels.profile}</th>
                        <th scope="col">{page.file}</th>
                        <th scope="col">{page.digest}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
        {rest}
    }
}

/// Runs whose raw lines stand in steps and cases.
fn raw_runs(report: &Report) -> BTreeSet<RunId> {
    let variants = report.steps.iter().flat_map(|step| &step.variants);
    let of_steps = variants.filter_map(|variant| variant.figures.as_ref()).flat_map(|figures| &figures.runs);
    of_steps.chain(report.cases.iter().flat_map(|case| &case.runs)).cloned().collect()
}
