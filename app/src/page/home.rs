//! All studies, the freshest first.

use std::sync::Arc;

use domain::{
    report::{self, Report},
    text::{page_labels, phrase, upload::upload_labels},
};
use leptos::prelude::*;
use store::{Store, StoreError};

use crate::{
    error::AppError,
    lang::Lang,
    part::{ErrorNotice, Head, Icon, IconMark, IconSheet, StudyCard, report::Edition},
    query,
    routes::Route,
    visit::Visit,
    words::words,
};

/// A study's report and the time of its last change, milliseconds since 1970 UTC.
type Listed = (Arc<Report>, i64);

/// Home.
#[component]
pub fn Home() -> impl IntoView {
    let store = expect_context::<Store>();
    let visit = expect_context::<Visit>();
    Suspend::new(async move {
        match listed(&store).await {
            Ok(all) => view! { <Studies all search=query::search(visit.query.as_deref()) lang=visit.lang/> }.into_any(),
            Err(error) => view! { <ErrorNotice error=AppError::from_store(&error)/> }.into_any(),
        }
    })
}

async fn listed(store: &Store) -> Result<Vec<Listed>, StoreError> {
    let studies = store.studies().await?;
    Ok(studies.into_iter().map(|study| (Arc::new(report::build(&study.data)), study.updated_at)).collect())
}

#[component]
fn Studies(all: Vec<Listed>, search: Option<String>, lang: Lang) -> impl IntoView {
    let w = words(lang);
    let page = page_labels(lang);
    let runs = all.iter().map(|(report, _)| report.runs.len()).sum();
    let sizes = format!("{}{}{}", phrase::studies(lang, all.len()), phrase::separator(lang), phrase::runs(lang, runs));
    let none = all.is_empty();
    let found: Vec<Listed> =
        all.into_iter().filter(|(report, _)| search.as_deref().is_none_or(|words| matches(report, words))).collect();
    let hits = search.clone().map(|search| {
        view! {
            <p class="hits" role="status">
                {phrase::hits(lang, found.len(), &search)}" "<a href=Route::Home.href(lang)>{page.show_all}</a>
            </p>
        }
    });
    let no_match =
        (search.is_some() && found.is_empty() && !none).then(|| view! { <p class="empty">{page.no_match_hint}</p> });
    let cards = found
        .into_iter()
        .map(|(report, updated_at)| view! { <StudyCard edition=Edition::new(report, lang) updated_at/> })
        .collect_view();
    view! {
        <Head title=w.studies description=w.tagline/>
        <IconSheet/>
        <div class="title home__title">
            <div><h1>{w.studies}</h1><p>{if none { w.tagline.to_owned() } else { sizes }}</p></div>
            {(!none).then(|| view! { <Search search=search.unwrap_or_default() lang/> })}
        </div>
        {hits}
        {none.then(|| view! { <Empty lang/> })}
        {no_match}
        <div class="cards">{cards}</div>
    }
}

/// A form that works as it is: the address it leads to is the search.
#[component]
fn Search(search: String, lang: Lang) -> impl IntoView {
    let page = page_labels(lang);
    view! {
        <form class="search" role="search" action=Route::Home.href(lang) method="get">
            <label class="vh" for="q">{page.search}</label>
            <IconMark icon=Icon::Search/>
            <input class="field" id="q" name="q" type="search" value=search placeholder=page.search_hint/>
            <button class="btn" type="submit">{page.search}</button>
        </form>
    }
}

#[component]
fn Empty(lang: Lang) -> impl IntoView {
    let page = page_labels(lang);
    view! {
        <section class="empty" aria-labelledby="empty">
            <h2 id="empty">{page.empty_title}</h2>
            <p><a class="btn btn--main" href=Route::Upload.href(lang)>{upload_labels(lang).home_empty}</a></p>
            <p>{page.empty}</p>
            <pre class="block"><code>"touchstone import DIR"</code></pre>
            <p>{page.empty_more}</p>
            <pre class="block"><code>"touchstone demo"</code></pre>
        </section>
    }
}

/// Whether every word is somewhere in what a card says about a study, in either language and any case.
fn matches(report: &Report, words: &str) -> bool {
    let advised = report.conclusion.recommended.as_ref().and_then(|id| report.variant(id));
    let mut text: Vec<&str> = vec![report.slug.as_str(), &report.model.id, &report.hardware.gpu];
    text.extend(Lang::ALL.map(|lang| report.title.get(lang)));
    text.extend(report.engines.iter().flat_map(|used| [Some(used.engine.as_str()), used.version.as_deref()]).flatten());
    text.extend(report.variants.iter().map(|variant| variant.model.as_str()));
    text.extend(advised.iter().flat_map(|variant| &variant.args).map(String::as_str));
    let text = text.join("\n").to_lowercase();
    words.to_lowercase().split_whitespace().all(|word| text.contains(word))
}
