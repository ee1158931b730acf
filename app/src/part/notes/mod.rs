//! The pages about notes: the overview of a study, the editor of one note, its history.

mod diff;
mod editor;
mod history;
mod overview;
mod side;

pub use diff::Diff;
pub use editor::Editor;
pub use history::{Compared, History};
pub use overview::Overview;

use domain::text::notes::note_labels;
use leptos::prelude::*;

use crate::{
    lang::Lang,
    part::Time,
    routes::{Route, encode},
};

/// Who wrote something here, and when.
#[component]
fn Written(
    /// Name of the token; none for whoever sits at the server.
    author: Option<String>,
    /// Milliseconds since 1970 UTC.
    at: i64,
    /// In which language.
    lang: Lang,
) -> impl IntoView {
    let who = author.unwrap_or_else(|| note_labels(lang).this_machine.to_owned());
    view! { <span class="nb">{who}</span>" · "<Time ms=at lang/> }
}

/// The history of one language of a note.
fn history_href(lang: Lang, study: &str, on: &str, of: Lang) -> String {
    format!("{}?on={}&in={of}", Route::NoteHistory(study.to_owned()).href(lang), encode(on))
}
