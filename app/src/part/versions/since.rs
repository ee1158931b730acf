//! The line under the title of a live report that says how it stands to the newest version.

use domain::text::versions::{Standing, live, version_labels};
use leptos::prelude::*;

use crate::{
    lang::Lang,
    routes::{since_version_href, version_href},
    versions::Since,
};

/// That line, with the way to what changed.
#[component]
pub fn SinceVersion(
    /// How it stands.
    since: Since,
    /// The study's slug.
    slug: String,
    /// In which language.
    lang: Lang,
) -> impl IntoView {
    let words = version_labels(lang);
    let text = live(lang, since.number, since.age_ms, &since.standing);
    let (href, label) = match since.standing {
        Standing::Same => (version_href(lang, &slug, since.number), words.show_version),
        Standing::Moved(_) | Standing::Unknown => (since_version_href(lang, &slug, since.number), words.see_changes),
    };
    view! { <p class="since">{text}" "<a href=href>{label}</a></p> }
}
