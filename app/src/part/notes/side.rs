//! One language of the editor: the field, what is missing, what the folder has, what somebody else saved meanwhile.

use domain::text::notes::{language, missing_in, note_labels, revision};
use leptos::prelude::*;

use super::{Written, diff::Diff, history_href};
use crate::{lang::Lang, notes::Side, part::in_textarea, routes::encode};

/// A field with everything that is known about its language.
#[component]
pub fn SideField(
    /// The language.
    side: Side,
    /// Whether the other one has a text.
    other_written: bool,
    /// The study's slug.
    study: String,
    /// What the note is on.
    on: String,
    /// The address of the editor.
    here: String,
    /// The language of the page.
    lang: Lang,
) -> impl IntoView {
    let words = note_labels(lang);
    let of = side.lang;
    let id = |name: &str| format!("{name}-{}", of.code());
    let missing = (other_written && side.text.is_empty()).then(|| {
        view! { <p class="notes__missing" id=id("missing")>{missing_in(lang, of)}</p> }
    });
    let described = format!("{} notes-hint", if missing.is_some() { id("missing") } else { String::new() });
    let history = side.note.as_ref().map(|note| {
        let href = history_href(lang, &study, &on, of);
        view! {
            <p class="hint">
                <a href=href>{words.history}</a>" · "{revision(lang, note.revision)}" · "
                <Written author=note.author.clone() at=note.at lang/>
            </p>
        }
    });
    let of_folder = side.is_of_folder().then(|| view! { <p class="hint">{words.folder_has}</p> });
    let moved = side.folder_moved().then(|| {
        if side.folder.is_empty() {
            return view! { <p class="note note--caution small">{words.folder_without}</p> }.into_any();
        }
        let take = format!("{here}&take={}#{}", encode(of.code()), id("text"));
        view! {
            <div class="note note--caution small">
                <p>{words.folder_changed}</p>
                <pre class="block" lang=of.code()>{side.folder.clone()}</pre>
                <p><a href=take>{words.take_folder}</a></p>
            </div>
        }
        .into_any()
    });
    let conflict = side.conflict.then(|| {
        let caption = format!("{} ({})", words.yours_differs, language(lang, of));
        let who = side.note.as_ref().map(|note| {
            view! { <p class="small muted"><Written author=note.author.clone() at=note.at lang/></p> }
        });
        let theirs = if side.kept.is_empty() {
            view! { <p class="small">{words.taken_away}</p> }.into_any()
        } else {
            view! { <pre class="block" lang=of.code()>{side.kept.clone()}</pre> }.into_any()
        };
        view! {
            <section class="notes__conflict" aria-labelledby=id("theirs")>
                <h3 id=id("theirs")>{words.meanwhile}</h3>
                {who}
                {theirs}
                <h3>{words.yours_differs}</h3>
                <Diff lines=render::diff(&side.kept, &side.text) caption of lang/>
            </section>
        }
    });
    view! {
        <section class="notes__side" aria-labelledby=id("side")>
            <h2 id=id("side")><label for=id("text")>{language(lang, of)}</label></h2>
            {missing}
            {moved}
            {of_folder}
            {conflict}
            <textarea
                class="field paste notes__text"
                id=id("text")
                name=id("text")
                rows="16"
                lang=of.code()
                spellcheck="true"
                aria-describedby=described.trim().to_owned()
                inner_html=in_textarea(&side.text)
            ></textarea>
            <input type="hidden" name=id("base") value=side.base.to_string()/>
            <input type="hidden" name=id("folder") value=side.seen.to_string()/>
            {side.restored.map(|from| view! { <input type="hidden" name=id("restored") value=from.to_string()/> })}
            {history}
        </section>
    }
}
