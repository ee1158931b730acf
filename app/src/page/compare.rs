//! Runs and variants side by side. The address is the view; without a choice, the page is the form that makes one.

use std::sync::Arc;

use domain::{
    compare::{Asked, Comparison, Selection, compare},
    text::{
        compare::{compare_labels, description, title},
        page_labels,
        shares::share_labels,
    },
};
use http::StatusCode;
use leptos::prelude::*;
use leptos_axum::ResponseOptions;
use store::{Result, Store};

use crate::{
    error::AppError,
    lang::Lang,
    part::{
        ErrorNotice, Head, IconSheet,
        compare::{Choose, CompareBody, NotShown, Offered, Studies, View},
        report::Medium,
    },
    query,
    routes::{Route, choose_href, share_view_href},
    visit::Visit,
    words::words,
};

/// The compare page.
#[component]
pub fn Compare() -> impl IntoView {
    let store = expect_context::<Store>();
    let visit = expect_context::<Visit>();
    let asked = Selection::read(&query::fields(visit.query.as_deref()));
    // The form of a choice that is made already.
    let choosing = query::has(visit.query.as_deref(), "choose");
    Suspend::new(async move {
        match read(&store, &asked.selection, choosing).await {
            Ok((facts, offered)) => {
                view! { <ComparePage asked facts=Arc::new(facts) offered lang=visit.lang/> }.into_any()
            }
            Err(error) => view! { <ErrorNotice error=AppError::from_store(&error)/> }.into_any(),
        }
    })
}

/// The comparison, and, where the form is shown, what it offers: only then is more read than what is compared.
async fn read(store: &Store, selection: &Selection, choosing: bool) -> Result<(Comparison, Option<Vec<Offered>>)> {
    let facts = compare(selection, &store.compared(selection).await?);
    let offered = match choosing || facts.columns.is_empty() {
        true => Some(store.studies().await?.iter().filter_map(|study| Offered::of(&study.data)).collect()),
        false => None,
    };
    Ok((facts, offered))
}

#[component]
fn ComparePage(asked: Asked, facts: Arc<Comparison>, offered: Option<Vec<Offered>>, lang: Lang) -> impl IntoView {
    let (label, title) = (compare_labels(lang), title(lang, &facts));
    let selection = facts.selection.clone();
    let nothing_found = facts.columns.is_empty();
    if nothing_found && !facts.missing.is_empty() {
        expect_context::<ResponseOptions>().set_status(StatusCode::NOT_FOUND);
    } else if nothing_found && !asked.unreadable.is_empty() {
        expect_context::<ResponseOptions>().set_status(StatusCode::BAD_REQUEST);
    }
    let empty = (selection.is_empty() && asked.unreadable.is_empty()).then(|| {
        view! {
            <section class="empty" aria-labelledby="empty"><h2 id="empty">{label.empty_title}</h2><p>{label.empty}</p></section>
        }
    });
    let change = offered.is_none().then(|| {
        let base = facts.columns.get(facts.base).map(|column| share_view_href(lang, column.study.as_str(), &selection));
        let share = base.map(|href| view! { <li><a href=href>{share_labels(lang).share_view}</a></li> });
        view! {
            <ul class="tools">{share}<li><a class="btn" href=choose_href(lang, &selection)>{label.change_choice}</a></li></ul>
        }
    });
    let content = match offered {
        Some(offered) => {
            // What is gone is not offered again.
            let missing = facts.missing.iter();
            let selection = missing.fold(selection, |selection, missing| selection.without(&missing.subject));
            view! { <Choose offered selection lang/> }.into_any()
        }
        None => view! { <CompareBody view=View { facts: facts.clone(), lang, medium: Medium::Site }/> }.into_any(),
    };
    view! {
        <Head title=title.clone() description=description(lang, &facts)/>
        <IconSheet/>
        <nav class="crumbs" aria-label=page_labels(lang).breadcrumb>
            <a href=Route::Home.href(lang)>{words(lang).studies}</a>
            <span aria-hidden="true">"/"</span>
            <span aria-current="page">{label.compare}</span>
        </nav>
        <div class="title"><div><h1>{title}</h1><Studies facts=facts.clone() lang/></div>{change}</div>
        <NotShown asked missing=facts.missing.clone() lang/>
        {empty}
        {content}
    }
}
