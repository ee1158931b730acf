//! A moment, absolute and with its zone: two readers of one link must read the same.

use chrono::DateTime;
use domain::text::phrase;
use leptos::prelude::*;

use crate::lang::Lang;

/// Milliseconds since 1970 UTC as a date and time.
#[component]
pub fn Time(
    /// The moment.
    ms: i64,
    /// In which language.
    lang: Lang,
) -> impl IntoView {
    let at = DateTime::from_timestamp_millis(ms)?;
    let datetime = at.format("%Y-%m-%dT%H:%M:%SZ").to_string();
    Some(view! { <time class="nb" datetime=datetime>{phrase::instant(lang, ms)}</time> })
}
