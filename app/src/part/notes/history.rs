//! Every text that a note had in one language, and what changed between two of them.

use domain::{
    note::Target,
    report::Report,
    text::{
        self,
        notes::{characters, language, note_labels, note_on, restored_from, revision, target_in},
    },
};
use leptos::prelude::*;
use store::NoteRevision;

use super::{diff::Diff, history_href};
use crate::{
    lang::Lang,
    part::{Head, Time},
    routes::{Route, note_href},
};

/// Two revisions set against each other.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The number of the older one; 0 is the empty text before the first.
    pub from: u64,
    /// The number of the newer one.
    pub to: u64,
    /// What changed.
    pub lines: Vec<render::DiffLine>,
}

/// The list and the comparison. Choosing two is a form whose address is the view.
#[component]
pub fn History(
    /// The study.
    report: Report,
    /// What the note is on.
    on: Target,
    /// The language of the note.
    of: Lang,
    /// Newest first.
    revisions: Vec<NoteRevision>,
    /// The two that are compared.
    compared: Option<Compared>,
    /// The language of the page.
    lang: Lang,
) -> impl IntoView {
    let words = note_labels(lang);
    let target = target_in(lang, &report, &on).plain();
    let title = note_on(lang, &target);
    let study = report.slug.to_string();
    let key = on.to_string();
    let editor = note_href(lang, &report.slug, &on);
    let languages = Lang::ALL.map(|other| {
        view! {
            <a href=history_href(lang, &study, &key, other) aria-current=(other == of).then_some("true")>{language(lang, other)}</a>
        }
    });
    let empty = revisions.is_empty();
    let chosen = compared.as_ref().map_or((0, 0), |compared| (compared.from, compared.to));
    let newest = revisions.first().map(|one| one.revision);
    let rows = revisions.into_iter().map(|one| row(one, newest, chosen, &editor, of, lang)).collect_view();
    let action = Route::NoteHistory(study.clone()).href(lang);
    let list = (!empty).then(|| {
        view! {
            <form method="get" action=format!("{action}#difference")>
                <input type="hidden" name="on" value=key/>
                <input type="hidden" name="in" value=of.code()/>
                <div class="scroll" tabindex="0" role="group" aria-label=words.history>
                    <table class="t notes__table">
                        <thead>
                            <tr>
                                <th scope="col">{words.history}</th>
                                <th scope="col">{words.who}</th>
                                <th scope="col">{words.when}</th>
                                <th scope="col" class="n">{words.length}</th>
                                <th scope="col">{words.older}</th>
                                <th scope="col">{words.newer}</th>
                                <th scope="col">{words.restore}</th>
                            </tr>
                        </thead>
                        <tbody>{rows}</tbody>
                    </table>
                </div>
                <div class="tools notes__send"><button class="btn" type="submit">{words.compare}</button></div>
            </form>
        }
    });
    let compared = compared.map(|Compared { from, to, lines }| {
        let name = |number: u64| if number == 0 { words.preview_empty.to_owned() } else { revision(lang, number) };
        let caption = format!("{} → {}", name(from), name(to));
        view! {
            <section class="notes__kind" id="difference" aria-labelledby="difference-title">
                <h2 id="difference-title">{words.difference}<span class="title__sizes">{caption.clone()}</span></h2>
                <Diff lines caption of lang/>
            </section>
        }
    });
    view! {
        <Head title=format!("{} — {title}", words.history) description=words.history_intro/>
        <nav class="crumbs" aria-label=text::page_labels(lang).breadcrumb>
            <a href=Route::Home.href(lang)>{text::labels(lang).studies}</a>
            <span aria-hidden="true">"/"</span>
            <a href=Route::Study(study.clone()).href(lang)>{study.clone()}</a>
            <span aria-hidden="true">"/"</span>
            <a href=Route::Notes(study).href(lang)>{words.notes}</a>
            <span aria-hidden="true">"/"</span>
            <a href=editor>{target}</a>
            <span aria-hidden="true">"/"</span>
            <span aria-current="page">{words.history}</span>
        </nav>
        <div class="title">
            <div><h1>{title}{text::phrase::colon(lang)}{words.history}</h1><p>{words.history_intro}</p></div>
            <nav class="seg" aria-label=words.line_text>{languages}</nav>
        </div>
        {empty.then(|| view! { <p class="empty">{words.history_empty}</p> })}
        {list}
        {compared}
    }
}

fn row(one: NoteRevision, newest: Option<u64>, (from, to): (u64, u64), editor: &str, of: Lang, lang: Lang) -> AnyView {
    let words = note_labels(lang);
    let number = one.revision;
    let name = revision(lang, number);
    let is_newest = newest == Some(number);
    let remark = match (one.restored, is_newest) {
        (Some(from), _) => Some(restored_from(lang, from)),
        (None, true) => Some(words.newest.to_owned()),
        (None, false) => None,
    };
    let remark = remark.map(|remark| view! { <span class="notes__more">{remark}</span> });
    let who = if one.of_folder {
        words.folder.to_owned()
    } else {
        one.author.unwrap_or_else(|| words.this_machine.to_owned())
    };
    let length = if one.characters == 0 { words.preview_empty.to_owned() } else { characters(lang, one.characters) };
    let radio = |field: &'static str, label: &str, checked: bool| {
        let label = format!("{label}{}{name}", text::phrase::colon(lang));
        view! {
            <td class="notes__pick">
                <label><input type="radio" name=field value=number.to_string() checked=checked/><span class="vh">{label}</span></label>
            </td>
        }
    };
    let restore = (!is_newest).then(|| {
        let href = format!("{editor}&restore={of}.{number}");
        let label = format!("{}{}{name}", words.restore, text::phrase::colon(lang));
        view! { <a href=href aria-label=label>{words.restore}</a> }
    });
    view! {
        <tr>
            <th scope="row">{name.clone()}{remark}</th>
            <td>{who}</td>
            <td><Time ms=one.at lang/></td>
            <td class="n">{length}</td>
            {radio("from", words.older, from == number)}
            {radio("to", words.newer, to == number)}
            <td>{restore}</td>
        </tr>
    }
    .into_any()
}
