//! One run.

use std::sync::Arc;

use domain::{
    compare::Selection,
    id::RunId,
    report::{self, RunReport},
    text::{self, compare::compare_labels, phrase},
};
use leptos::prelude::*;
use store::{Store, StoreError};

use crate::{
    error::AppError,
    part::{
        ErrorNotice, Head, IconSheet,
        report::Edition,
        rich::Sentence,
        run::RunBody,
        tag::{DisqualifiedTag, RoleTag},
    },
    routes::{Route, compare_href},
    visit::Visit,
};

/// The run page.
#[component]
pub fn Run(
    /// The run's id.
    id: String,
) -> impl IntoView {
    let store = expect_context::<Store>();
    let lang = expect_context::<Visit>().lang;
    let id = RunId::new(id);
    Suspend::new(async move {
        match report_with(&store, &id).await {
            Ok(report) => {
                let edition = Edition::new(Arc::new(report), lang);
                match edition.report.run(&id).cloned() {
                    Some(run) => view! { <RunPage edition run/> }.into_any(),
                    None => view! { <ErrorNotice error=AppError::NotFound/> }.into_any(),
                }
            }
            Err(error) => view! { <ErrorNotice error=AppError::from_store(&error)/> }.into_any(),
        }
    })
}

/// The report of the study that a run belongs to: its numbers, its findings and its neighbours are known only there.
async fn report_with(store: &Store, id: &RunId) -> Result<report::Report, StoreError> {
    let (slug, _) = store.run(id).await?;
    Ok(report::build(&store.study(&slug).await?.data))
}

#[component]
fn RunPage(edition: Edition, run: RunReport) -> impl IntoView {
    let (report, lang, page) = (&edition.report, edition.lang, edition.page());
    let title = phrase::run_title(lang, run.number);
    let study = edition.name(&report.title);
    let profile = edition.profile(&run.profile);
    let name = text::variant_name(lang, report, &run.variant);
    let is_baseline = run.variant == report.conclusion.baseline;
    let role = (is_baseline || edition.is_recommended(&run.variant)).then(|| {
        view! { <RoleTag recommended=!is_baseline lang/> }
    });
    let failed = run.recomputed.success_rate_pct.is_some_and(|rate| rate < report.min_success_pct);
    let neighbour = |number: usize, rel: &'static str, label: &'static str| {
        let other = report.runs.iter().find(|other| other.number == number)?;
        let href = Route::Run(other.id.to_string()).href(lang);
        Some(view! { <a class="btn" href=href rel=rel>{label}" "{format!("{:02}", other.number)}</a> })
    };
    let compare = Selection::against_baseline(report, &run).map(|selection| {
        view! { <a class="btn" href=compare_href(lang, &selection)>{compare_labels(lang).with_baseline}</a> }
    });
    let description = phrase::run_description(lang, run.number, &study, &profile);
    let full_title = format!("{title}{}{} — {study}", phrase::colon(lang), name.plain());
    let study_href = Route::Study(report.slug.to_string()).href(lang);
    view! {
        <Head title=full_title description/>
        <IconSheet/>
        <nav class="crumbs" aria-label=page.breadcrumb>
            <a href=Route::Home.href(lang)>{edition.labels().studies}</a>
            <span aria-hidden="true">"/"</span>
            <a href=study_href.clone()>{report.slug.to_string()}</a>
            <span aria-hidden="true">"/"</span>
            <span aria-current="page">{title.clone()}</span>
        </nav>
        <div class="title">
            <div>
                <h1>{title}{phrase::colon(lang)}<Sentence rich=name/></h1>
                <ul class="meta">
                    <li>{profile}</li>
                    <li><a href=study_href>{study}</a></li>
                    {role.map(|role| view! { <li>{role}</li> })}
                    {failed.then(|| view! { <li><DisqualifiedTag lang/></li> })}
                </ul>
            </div>
            <nav class="tools" aria-label=edition.labels().runs>
                {compare}
                {neighbour(run.number.wrapping_sub(1), "prev", page.previous_run)}
                {neighbour(run.number + 1, "next", page.next_run)}
            </nav>
        </div>
        <RunBody edition=edition.clone() run/>
    }
}
