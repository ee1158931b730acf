//! Icons: one drawing a meaning, so that no verdict rests on colour alone. A page draws the sheet once and refers to it.

use leptos::prelude::*;

/// What an icon stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    /// Disc with a tick.
    Better,
    /// Ring with a tick: better, noise unknown.
    BetterOnce,
    /// Diamond with an exclamation mark.
    Worse,
    /// Outlined diamond: worse, noise unknown.
    WorseOnce,
    /// Ring with two bars.
    Same,
    /// Dashed ring with a question mark.
    Unknown,
    /// Ring with a slash.
    NotComparable,
    /// Triangle.
    Warning,
    /// Ring with an i.
    Info,
    /// Octagon with a cross.
    Disqualified,
    /// Cross.
    Rejected,
    /// Magnifier.
    Search,
}

impl Icon {
    const fn id(self) -> &'static str {
        match self {
            Self::Better => "#i-better",
            Self::BetterOnce => "#i-better-once",
            Self::Worse => "#i-worse",
            Self::WorseOnce => "#i-worse-once",
            Self::Same => "#i-same",
            Self::Unknown => "#i-unknown",
            Self::NotComparable => "#i-incomparable",
            Self::Warning => "#i-warning",
            Self::Info => "#i-info",
            Self::Disqualified => "#i-disqualified",
            Self::Rejected => "#i-rejected",
            Self::Search => "#i-search",
        }
    }
}

/// An icon beside its word; the word is what assistive technology reads.
#[component]
pub fn IconMark(
    /// What it stands for.
    icon: Icon,
) -> impl IntoView {
    view! { <svg class="i" aria-hidden="true"><use href=icon.id()/></svg> }
}

/// The drawings, once a page.
#[component]
pub fn IconSheet() -> impl IntoView {
    view! { <svg class="icon-sheet" aria-hidden="true" width="0" height="0" inner_html=SHEET/> }
}

const SHEET: &str = concat!(
    r#"<symbol id="i-better" viewBox="0 0 16 16"><path fill-rule="evenodd" d="M8 .4a7.6 7.6 0 1 0 0 15.2A7.6 7.6 0 0 0 8 .4ZM12.3 5.7 7 11.6 3.8 8.6 5 7.3 6.9 9.1 11 4.5Z"/></symbol>"#,
    r#"<symbol id="i-better-once" viewBox="0 0 16 16"><g fill="none" stroke="currentColor" stroke-width="1.5"><circle cx="8" cy="8" r="6.8"/><path d="m4.7 8.2 2.3 2.2 4.3-4.8"/></g></symbol>"#,
    r#"<symbol id="i-worse" viewBox="0 0 16 16"><path fill-rule="evenodd" d="m8 0 8 8-8 8-8-8ZM7.1 3.9v5h1.8v-5ZM7.1 10.3v1.8h1.8v-1.8Z"/></symbol>"#,
    r#"<symbol id="i-worse-once" viewBox="0 0 16 16"><path fill="none" stroke="currentColor" stroke-width="1.5" d="m8 1.1 6.9 6.9L8 14.9 1.1 8Z"/><path d="M7.2 4.6v4.2h1.6V4.6Zm0 5.5v1.6h1.6v-1.6Z"/></symbol>"#,
    r#"<symbol id="i-same" viewBox="0 0 16 16"><path fill="none" stroke="currentColor" stroke-width="1.5" d="M8 1.2a6.8 6.8 0 1 0 0 13.6A6.8 6.8 0 0 0 8 1.2ZM4.8 6.5h6.4M4.8 9.5h6.4"/></symbol>"#,
    r#"<symbol id="i-unknown" viewBox="0 0 16 16"><g fill="none" stroke="currentColor" stroke-width="1.5"><circle cx="8" cy="8" r="6.8" stroke-dasharray="2.6 1.7"/><path d="M5.9 6.4c0-1.3.9-2.1 2.1-2.1s2.1.7 2.1 1.9c0 1.5-2 1.6-2 3.2"/></g><path d="M7.2 10.6h1.7v1.6H7.2Z"/></symbol>"#,
    r#"<symbol id="i-incomparable" viewBox="0 0 16 16"><path fill="none" stroke="currentColor" stroke-width="1.5" d="M8 1.2a6.8 6.8 0 1 0 0 13.6A6.8 6.8 0 0 0 8 1.2ZM12.8 3.2 3.2 12.8"/></symbol>"#,
    r#"<symbol id="i-warning" viewBox="0 0 16 16"><path fill-rule="evenodd" d="M8 .8 15.7 14.8H.3ZM7.1 5.6v4.6h1.8V5.6Zm0 5.7v1.7h1.8v-1.7Z"/></symbol>"#,
    r#"<symbol id="i-info" viewBox="0 0 16 16"><circle cx="8" cy="8" r="6.8" fill="none" stroke="currentColor" stroke-width="1.5"/><path d="M7.2 4.2h1.7v1.6H7.2Zm0 2.9h1.7v4.7H7.2Z"/></symbol>"#,
    r#"<symbol id="i-disqualified" viewBox="0 0 16 16"><path fill-rule="evenodd" d="M4.7 0h6.6L16 4.7v6.6L11.3 16H4.7L0 11.3V4.7Zm.6 4.1L4.1 5.3 6.8 8l-2.7 2.7 1.2 1.2L8 9.2l2.7 2.7 1.2-1.2L9.2 8l2.7-2.7-1.2-1.2L8 6.8Z"/></symbol>"#,
    r#"<symbol id="i-rejected" viewBox="0 0 16 16"><path fill="none" stroke="currentColor" stroke-width="2" d="m3 3 10 10M13 3 3 13"/></symbol>"#,
    r#"<symbol id="i-search" viewBox="0 0 16 16"><path fill="none" stroke="currentColor" stroke-width="1.6" d="M6.5 1.8a4.7 4.7 0 1 0 0 9.4 4.7 4.7 0 0 0 0-9.4ZM10 10l4.5 4.5"/></symbol>"#,
);
