//! The report of one study.

use std::sync::Arc;

use domain::{
    id::StudySlug,
    report,
    study::Limits,
    text::{self, cards},
};
use leptos::prelude::*;
use render::card::Fonts;
use store::{Store, StoredStudy};

use crate::{
    error::AppError,
    part::{
        ErrorNotice, Head, IconSheet, Picture,
        report::{Edition, ReportBody, ReportTitle, Toolbar},
        versions::SinceVersion,
    },
    query,
    routes::{Route, card_href},
    versions::Since,
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
            Ok((edition, updated_at, since)) => view! { <StudyReport edition updated_at since/> }.into_any(),
            Err(error) => view! { <ErrorNotice error=AppError::from_store(&error)/> }.into_any(),
        }
    })
}

/// The report under the limits that the address asks for, with the other studies of its question, and how it stands to the
/// newest version.
async fn read(store: &Store, visit: &Visit, slug: String) -> store::Result<(Edition, i64, Option<Since>)> {
    let slug = StudySlug::new(slug);
    let StoredStudy { data, updated_at, .. } = store.study(&slug).await?;
    let asked = Limits::read(&data.study, &query::fields(visit.query.as_deref()));
    let mut report = match &asked {
        Some(asked) => report::build_under(&data, asked.limits.clone()),
        None => report::build(&data),
    };
    report.rivals = report::beside(&data, &report, &store.same_question(&data.study).await?);
    let newest = store.newest_version(&slug).await?;
    let since = newest.map(|newest| Since::of(&report, &newest, visit.lang));
    let edition = Edition { asked: asked.map(Arc::new), ..Edition::new(Arc::new(report), visit.lang) };
    Ok((edition, updated_at, since))
}

#[component]
fn StudyReport(edition: Edition, updated_at: i64, since: Option<Since>) -> impl IntoView {
    let (report, lang) = (edition.report.clone(), edition.lang);
    let title = edition.name(&report.title);
    let (slug, of_tools) = (report.slug.to_string(), edition.clone());
    let (breadcrumb, studies) = (edition.page().breadcrumb, edition.labels().studies);
    let description = text::conclusion(lang, &report).headline.plain();
    let since = since.map(|since| view! { <SinceVersion since slug=slug.clone() lang/> });
    // Each state of a study has an address of its own, since those who show previews keep them.
    let picture = Fonts::likely().then(|| Picture {
        path: format!("{}?v={updated_at}", card_href(lang, &slug)),
        alt: cards::card_alt(&cards::card(lang, &report)),
    });
    view! {
        <Head title description picture/>
        <IconSheet/>
        <nav class="crumbs" aria-label=breadcrumb>
            <a href=Route::Home.href(lang)>{studies}</a>
            <span aria-hidden="true">"/"</span>
            <span aria-current="page">{slug}</span>
        </nav>
        <ReportTitle edition=edition.clone() updated_at>
            <Toolbar edition=of_tools/>
        </ReportTitle>
        {since}
        <ReportBody edition/>
    }
}
