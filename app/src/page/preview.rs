//! An upload that waits: what was seen and where it will go, or, once it was saved, what became of it.

use domain::{
    study::Study,
    text::upload::{self as words, upload_labels},
};
use http::StatusCode;
use leptos::prelude::*;
use leptos_axum::ResponseOptions;
use store::{Store, StoreError, StudyHead};

use crate::{
    error::AppError,
    lang::Lang,
    part::{
        ErrorNotice, Head, IconSheet,
        upload::{Review, SavedUpload},
    },
    routes::Route,
    upload::{Sheet, Waiting, chosen_study},
    visit::Visit,
};

/// The page of one upload; the server hands over what waits.
#[component]
pub fn Preview() -> impl IntoView {
    let lang = expect_context::<Visit>().lang;
    let store = expect_context::<Store>();
    let waiting = use_context::<Waiting>();
    Suspend::new(async move {
        let Some(waiting) = waiting else { return view! { <Gone lang/> }.into_any() };
        if let Some(saved) = waiting.saved.clone() {
            let own = upload_labels(lang);
            let title = own.saved;
            return view! { <Head title description=own.intro/><IconSheet/><SavedUpload waiting saved lang/> }
                .into_any();
        }
        match sheet(&store, &waiting).await {
            Ok((sheet, heads, study)) => view! { <Waits waiting sheet heads study lang/> }.into_any(),
            Err(error) => view! { <ErrorNotice error=AppError::from_store(&error)/> }.into_any(),
        }
    })
}

async fn sheet(store: &Store, waiting: &Waiting) -> Result<(Sheet, Vec<StudyHead>, Option<Study>), StoreError> {
    let heads = store.heads().await?;
    let chosen = chosen_study(&waiting.files, &waiting.choices, &heads);
    let guessed = chosen.is_some_and(|(_, guessed)| guessed);
    let study = match chosen {
        Some((head, _)) => Some(store.study(&head.slug).await?.data.study),
        None => None,
    };
    let sheet = Sheet::of(&waiting.files, &waiting.choices, study.as_ref(), guessed);
    Ok((sheet, heads, study))
}

#[component]
fn Waits(waiting: Waiting, sheet: Sheet, heads: Vec<StudyHead>, study: Option<Study>, lang: Lang) -> impl IntoView {
    let own = upload_labels(lang);
    let title = format!("{} — {}", own.preview, words::files(lang, waiting.files.len()));
    view! {
        <Head title description=own.intro/>
        <IconSheet/>
        <Review waiting sheet heads study lang/>
    }
}

#[component]
fn Gone(lang: Lang) -> impl IntoView {
    let own = upload_labels(lang);
    expect_context::<ResponseOptions>().set_status(StatusCode::GONE);
    view! {
        <Head title=own.gone_title description=own.gone/>
        <div class="title"><h1>{own.gone_title}</h1></div>
        <div class="prose">
            <p>{own.gone}</p>
            <p><a class="btn btn--main" href=Route::Upload.href(lang)>{own.upload_again}</a></p>
        </div>
    }
}
