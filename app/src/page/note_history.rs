//! The history of a note in one language.

use domain::{id::StudySlug, note::Target, report};
use leptos::prelude::*;
use store::{NoteRevision, Store, StoreError};

use crate::{
    error::AppError,
    lang::Lang,
    part::{
        ErrorNotice, IconSheet,
        notes::{Compared, History},
    },
    query,
    visit::Visit,
};

/// `?on=step:ID&in=ja`, and perhaps `&from=1&to=3`.
#[component]
pub fn NoteHistory(
    /// The study's name in addresses.
    slug: String,
) -> impl IntoView {
    let store = expect_context::<Store>();
    let visit = expect_context::<Visit>();
    let slug = StudySlug::new(slug);
    Suspend::new(async move {
        let lang = visit.lang;
        match read(&store, &slug, &visit).await {
            Ok(Past { report, on, of, revisions, compared }) => {
                view! { <IconSheet/><History report on of revisions compared lang/> }.into_any()
            }
            Err(error) => view! { <ErrorNotice error/> }.into_any(),
        }
    })
}

struct Past {
    report: report::Report,
    on: Target,
    of: Lang,
    revisions: Vec<NoteRevision>,
    compared: Option<Compared>,
}

async fn read(store: &Store, slug: &StudySlug, visit: &Visit) -> Result<Past, AppError> {
    let failed = |error: StoreError| AppError::from_store(&error);
    let fields = query::fields(visit.query.as_deref());
    let field = |name: &str| fields.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let on = field("on").and_then(Target::parse).ok_or(AppError::NotFound)?;
    let of = field("in").and_then(|code| code.parse().ok()).unwrap_or(visit.lang);
    let data = store.study(slug).await.map_err(failed)?.data;
    let revisions = store.note_revisions(slug, &on, of).await.map_err(failed)?;
    let number = |name: &str| field(name).and_then(|text| text.parse::<u64>().ok());
    let compared = match revisions.first() {
        // What never was has no history.
        None if data.notes(&on).is_none() => return Err(AppError::NotFound),
        None => None,
        Some(newest) => {
            let to = number("to").unwrap_or(newest.revision);
            let from = number("from").unwrap_or(to.saturating_sub(1));
            let old = text(store, slug, &on, of, from).await?;
            let new = text(store, slug, &on, of, to).await?;
            Some(Compared { from, to, lines: render::diff(&old, &new) })
        }
    };
    Ok(Past { report: report::build(&data), on, of, revisions, compared })
}

/// Before the first revision there was nothing.
async fn text(store: &Store, slug: &StudySlug, on: &Target, of: Lang, number: u64) -> Result<String, AppError> {
    if number == 0 {
        return Ok(String::new());
    }
    store.note_text(slug, on, of, number).await.map_err(|error| AppError::from_store(&error))
}
