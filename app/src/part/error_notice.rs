//! A page that could not be given.

use leptos::prelude::*;
use leptos_axum::ResponseOptions;

use crate::{error::AppError, part::Head, routes::Route, visit::Visit, words::words};

/// Says what happened and what the reader can do, and sets the answer's status.
#[component]
pub fn ErrorNotice(
    /// What happened.
    error: AppError,
) -> impl IntoView {
    let lang = expect_context::<Visit>().lang;
    let w = words(lang);
    expect_context::<ResponseOptions>().set_status(error.status());
    let (title, text) = match &error {
        AppError::NotFound => (w.not_found_title, w.not_found.to_owned()),
        AppError::Invalid(what) => (w.invalid_title, what.clone()),
        AppError::Denied => (w.denied_title, w.denied.to_owned()),
        AppError::Conflict => (w.conflict_title, w.conflict.to_owned()),
        AppError::Internal(_) => (w.internal_title, w.internal.to_owned()),
    };
    let incident = match &error {
        AppError::Internal(incident) => Some(view! {
            <p>{w.incident} " " <code>{incident.to_string()}</code></p>
        }),
        AppError::NotFound | AppError::Invalid(_) | AppError::Denied | AppError::Conflict => None,
    };

    view! {
        <Head title description=text.clone()/>
        <div class="title"><h1>{title}</h1></div>
        <div class="prose">
            <p>{text}</p>
            {incident}
            <p><a href=Route::Home.href(lang)>{w.to_studies}</a></p>
        </div>
    }
}
