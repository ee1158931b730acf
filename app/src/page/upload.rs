//! Upload: the first form, which takes files and leads to their preview.

use domain::text::upload::upload_labels;
use leptos::prelude::*;

use crate::{
    part::{Head, IconSheet, upload::Start},
    query,
    upload::UploadDesk,
    visit::Visit,
};

/// The upload page.
#[component]
pub fn Upload() -> impl IntoView {
    let visit = expect_context::<Visit>();
    let desk = use_context::<UploadDesk>().unwrap_or_default();
    let own = upload_labels(visit.lang);
    let discarded = desk.notice.is_none() && query::has(visit.query.as_deref(), "discarded");
    view! {
        <Head title=own.title description=own.intro/>
        <IconSheet/>
        <div class="title"><div><h1>{own.title}</h1><p>{own.intro}</p></div></div>
        {discarded.then(|| view! { <p class="hits" role="status">{own.discarded}</p> })}
        <Start desk lang=visit.lang/>
    }
}
