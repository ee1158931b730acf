//! The published versions of a study: list, form, and what changed between two.

use domain::{
    id::StudySlug,
    report,
    study::Localized,
    version::{Snapshot, compare},
};
use leptos::prelude::*;
use store::{Store, StoreError, StoredStudy, Version};

use crate::{
    error::AppError,
    part::{
        ErrorNotice, IconSheet,
        versions::{Changes, VersionList},
    },
    query,
    versions::{PROGRAM, VersionsDesk},
    visit::Visit,
};

/// The list, and with `?from=1&to=2` or `&to=live` the comparison.
#[component]
pub fn Versions(
    /// The study's name in addresses.
    slug: String,
) -> impl IntoView {
    let store = expect_context::<Store>();
    let visit = expect_context::<Visit>();
    let desk = use_context::<VersionsDesk>().unwrap_or_default();
    let slug = StudySlug::new(slug);
    Suspend::new(async move {
        let lang = visit.lang;
        match read(&store, &slug, &visit).await {
            Ok(Page { title, versions, changes, done }) => {
                view! { <IconSheet/><VersionList slug title versions changes desk done lang/> }.into_any()
            }
            Err(error) => view! { <ErrorNotice error/> }.into_any(),
        }
    })
}

/// What a form has just done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Done {
    /// Made this version.
    Published(u32),
    /// Found that nothing had changed since this one.
    Unchanged(u32),
}

struct Page {
    title: Localized,
    versions: Vec<Version>,
    changes: Option<Changes>,
    done: Option<(Done, bool)>,
}

async fn read(store: &Store, slug: &StudySlug, visit: &Visit) -> Result<Page, AppError> {
    let failed = |error: StoreError| AppError::from_store(&error);
    let StoredStudy { data, .. } = store.study(slug).await.map_err(failed)?;
    let versions = store.versions(slug).await.map_err(failed)?;
    let fields = query::fields(visit.query.as_deref());
    let field = |name: &str| fields.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let number = |name: &str| field(name).and_then(|text| text.parse::<u32>().ok());
    let known = |number: u32| versions.iter().find(|version| version.number == number);
    let changes = match (field("from"), field("to")) {
        (Some(_), Some(to)) => {
            let from = number("from").and_then(known).ok_or(AppError::NotFound)?;
            let (to, snapshot) = if to == "live" {
                let mut report = report::build(&data);
                report.rivals =
                    report::beside(&data, &report, &store.same_question(&data.study).await.map_err(failed)?);
                (None, Snapshot::of(&report, PROGRAM))
            } else {
                let to = number("to").and_then(known).ok_or(AppError::NotFound)?;
                (Some(to.number), to.snapshot.clone())
            };
            Some(Changes { from: from.number, to, differences: compare(&from.snapshot, &snapshot) })
        }
        _ => None,
    };
    let done = number("published").map(Done::Published).or_else(|| number("unchanged").map(Done::Unchanged));
    // What an address claims is only said of a version that is there.
    let done = done.filter(|(Done::Published(number) | Done::Unchanged(number))| known(*number).is_some());
    let masked = query::has(visit.query.as_deref(), "masked");
    Ok(Page { title: data.study.title, versions, changes, done: done.map(|done| (done, masked)) })
}
