//! The share links of a study: list, what is redacted, and the form that makes one.

use std::time::{SystemTime, UNIX_EPOCH};

use domain::{compare::Selection, id::StudySlug, redact::redact, share::Scope};
use leptos::prelude::*;
use store::{Result, Store, StoredStudy};

use crate::{
    error::AppError,
    part::{
        ErrorNotice, IconSheet,
        shares::{ShareList, Shown},
    },
    query,
    shares::SharesDesk,
    visit::Visit,
};

/// The page; with `?compare=QUERY` its form offers that view.
#[component]
pub fn Shares(
    /// The study's name in addresses.
    slug: String,
) -> impl IntoView {
    let store = expect_context::<Store>();
    let visit = expect_context::<Visit>();
    let desk = use_context::<SharesDesk>().unwrap_or_default();
    Suspend::new(async move {
        let lang = visit.lang;
        match read(&store, &StudySlug::new(slug), &visit, &desk).await {
            Ok(shown) => view! { <IconSheet/><ShareList shown desk lang/> }.into_any(),
            Err(error) => view! { <ErrorNotice error=AppError::from_store(&error)/> }.into_any(),
        }
    })
}

async fn read(store: &Store, slug: &StudySlug, visit: &Visit, desk: &SharesDesk) -> Result<Shown> {
    let StoredStudy { data, .. } = store.study(slug).await?;
    let fields = query::fields(visit.query.as_deref());
    let field = |name: &str| fields.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let asked = field("compare").map(|view| Selection::read(&query::fields(Some(view))).selection);
    let asked = asked.filter(|selection| !selection.is_empty()).map(Scope::Compare);
    let sent = desk.sent.as_ref().and_then(|sent| Scope::read(&sent.scope));
    let mut scopes = vec![Scope::Study];
    scopes.extend(store.versions(slug).await?.into_iter().map(|version| Scope::Version(version.number)));
    scopes.extend(asked.clone());
    if let Some(sent) = &sent
        && !scopes.contains(sent)
    {
        scopes.push(sent.clone());
    }
    Ok(Shown {
        chosen: sent.or(asked).unwrap_or(Scope::Study),
        scopes,
        shares: store.shares(slug).await?,
        taken: redact(&data).taken,
        revoked: query::has(visit.query.as_deref(), "revoked"),
        title: data.study.title,
        slug: slug.clone(),
        origin: visit.origin.clone(),
        now_ms: now_ms(),
    })
}

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
