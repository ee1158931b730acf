//! Profiles that no step decided on: the raw results of both sides.

use domain::{note::Target, report::Case, text};
use leptos::prelude::*;

use super::{edition::Edition, raw::RawBlock};
use crate::part::{NoteBeside, rich::Sentence, tag::RoleTag};

/// One group a profile.
#[component]
pub fn Cases(
    /// The report.
    edition: Edition,
) -> impl IntoView {
    let cases = edition
        .report
        .cases
        .iter()
        .map(|case| view! { <CaseBlock edition=edition.clone() case=case.clone()/> })
        .collect_view();
    view! {
        <div>{cases}</div>
        <div class="margin">
            <p class="note">
                {edition.page().cases_intro}{text::phrase::lead_space(edition.lang)}<a href="#profiles">{edition.labels().profile_by_profile}</a>
            </p>
        </div>
    }
}

#[component]
fn CaseBlock(edition: Edition, case: Case) -> impl IntoView {
    let (report, lang) = (&edition.report, edition.lang);
    let runs = edition
        .runs(&case.runs)
        .into_iter()
        .map(|run| {
            let is_baseline = run.variant == report.conclusion.baseline;
            let role = (is_baseline || edition.is_recommended(&run.variant))
                .then(|| view! { <RoleTag recommended=!is_baseline lang/> });
            view! {
                <div class="case__run">
                    <h4>
                        {text::phrase::run_title(lang, run.number)}" · "
                        <Sentence rich=text::variant_name(lang, report, &run.variant)/>
                        {role}
                    </h4>
                    <NoteBeside
                        edition=edition.clone()
                        on=Target::Run(run.id.clone())
                        notes=run.notes.clone()
                        level=4
                    />
                    <RawBlock edition=edition.clone() run=run.clone()/>
                </div>
            }
        })
        .collect_view();
    view! {
        <div class="variant">
            <h3 class="case__title">
                {edition.profile(&case.profile)}
                <span class="muted small">{edition.profile_line(&case.profile)}</span>
            </h3>
            {runs}
        </div>
    }
}
