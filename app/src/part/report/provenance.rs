//! Where every figure comes from: files, digests, and how to check them.

use domain::text::{self, phrase};
use leptos::prelude::*;

use super::edition::Edition;
use crate::{
    part::rich::Sentence,
    routes::{Route, raw_href},
};

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
            view! {
                <tr>
                    <th scope="row">
                        <a href=Route::Run(run.id.to_string()).href(lang)>{phrase::run_title(lang, run.number)}</a>
                    </th>
                    <td><Sentence rich=text::variant_name(lang, report, &run.variant)/></td>
                    <td>{edition.profile(&run.profile)}</td>
                    <td class="mono">{run.file.clone()}</td>
                    <td class="mono"><a href=raw_href(&run.digest) download="">{run.digest.short().to_owned()}</a></td>
                </tr>
            }
        })
        .collect_view();
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
    }
}
