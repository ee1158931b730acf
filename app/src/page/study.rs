//! The report of one study.

use std::sync::Arc;

use domain::{
    id::StudySlug,
    report,
    study::Limits,
    text::{self, phrase},
};
use leptos::prelude::*;
use store::{Store, StoredStudy};

use crate::{
    error::AppError,
    part::{
        ErrorNotice, Head, IconSheet, Time,
        report::{Edition, ReportBody, engines_under_advice},
    },
    query,
    routes::Route,
    visit::Visit,
};

/// The report page.
#[component]
pub fn Study(
    /// The study's name in addresses.
    slug: String,
) -> impl IntoView {
    let store = expect_context::<Store>();
    let visit = expect_context::<Visit>();
    Suspend::new(async move {
        match read(&store, &visit, slug).await {
            Ok((edition, updated_at)) => view! { <StudyReport edition updated_at/> }.into_any(),
            Err(error) => view! { <ErrorNotice error=AppError::from_store(&error)/> }.into_any(),
        }
    })
}

/// The report under the limits that the address asks for, with the other studies of its question.
async fn read(store: &Store, visit: &Visit, slug: String) -> store::Result<(Edition, i64)> {
    let StoredStudy { data, updated_at, .. } = store.study(&StudySlug::new(slug)).await?;
    let asked = Limits::read(&data.study, &query::fields(visit.query.as_deref()));
    let mut report = match &asked {
        Some(asked) => report::build_under(&data, asked.limits.clone()),
        None => report::build(&data),
    };
    report.rivals = report::beside(&data, &report, &store.same_question(&data.study).await?);
    Ok((Edition { report: Arc::new(report), lang: visit.lang, asked: asked.map(Arc::new) }, updated_at))
}

#[component]
fn StudyReport(edition: Edition, updated_at: i64) -> impl IntoView {
    let (report, lang) = (&edition.report, edition.lang);
    let title = edition.name(&report.title);
    let description = text::conclusion(lang, report).headline.plain();
    let sizes = [
        phrase::runs(lang, report.runs.len()),
        phrase::profiles(lang, report.profiles.len()),
        phrase::steps(lang, report.steps.len()),
    ]
    .join(phrase::separator(lang));
    view! {
        <Head title=title.clone() description/>
        <IconSheet/>
        <nav class="crumbs" aria-label=edition.page().breadcrumb>
            <a href=Route::Home.href(lang)>{edition.labels().studies}</a>
            <span aria-hidden="true">"/"</span>
            <span aria-current="page">{report.slug.to_string()}</span>
        </nav>
        <div class="title">
            <div>
                <h1>{title}</h1>
                <ul class="meta">
                    <li><code>{phrase::model(lang, &report.model.id).to_owned()}</code></li>
                    <li>{phrase::hardware(lang, &report.hardware)}</li>
                    <li>{engines_under_advice(lang, report)}</li>
                    <li>{sizes}</li>
                    <li>{edition.page().updated}" "<Time ms=updated_at lang/></li>
                </ul>
            </div>
        </div>
        <ReportBody edition=edition.clone()/>
    }
}
