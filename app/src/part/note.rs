//! What people wrote, where a reader of the report or of a run finds it.

use domain::{
    note::Target,
    study::Localized,
    text::{
        self,
        notes::{edit_of, note_labels, only_in},
    },
};
use leptos::prelude::*;

use super::report::Edition;
use crate::{lang::Lang, routes::note_href};

/// A note as safe HTML. Where it is missing in the reader's language, the other one stands in and says so.
#[component]
pub fn NoteText(
    /// Markdown.
    notes: Localized,
    /// The reader's language.
    lang: Lang,
    /// Of the heading above.
    level: usize,
) -> impl IntoView {
    let own = notes.own(lang).is_some();
    let stands_in = (!own).then(|| match lang {
        Lang::Ja => Lang::En.code(),
        Lang::En => Lang::Ja.code(),
    });
    let said = (!own).then(|| view! { <p class="small muted">{only_in(lang)}</p> });
    let html = render::markdown_under(notes.get(lang), level);
    view! { {said}<div class="prose" lang=stands_in inner_html=html></div> }
}

/// A note beside what it is on, with the way to its editor. Nothing where there is none, unless readers are to be invited.
#[component]
pub fn NoteBeside(
    /// The report.
    edition: Edition,
    /// What it is on.
    on: Target,
    /// Markdown.
    notes: Localized,
    /// Of the heading above.
    level: usize,
    /// Whether the way to the editor stands here even without a note.
    #[prop(optional)]
    invite: bool,
) -> impl IntoView {
    let lang = edition.lang;
    let none = notes.is_empty();
    let way = (edition.on_site() && (invite || !none)).then(|| {
        let words = note_labels(lang);
        let target = text::notes::target_in(lang, &edition.report, &on).plain();
        let label = edit_of(lang, &target);
        let href = note_href(lang, &edition.report.slug, &on);
        let shown = if none { words.write_note } else { words.edit_note };
        view! { <p class="said__way"><a href=href aria-label=(!none).then_some(label)>{shown}</a></p> }
    });
    if none {
        return way.into_any();
    }
    view! {
        <div class="said">
            <NoteText notes lang level/>
            {way}
        </div>
    }
    .into_any()
}
