//! The editor of one note: both languages side by side, and how they will look.

use domain::{
    note::Target,
    report::Report,
    study::Localized,
    text::{
        self,
        notes::{built_differently, language, note_labels, note_on, notice, restoring, saved},
        upload::upload_labels,
    },
};
use http::StatusCode;
use leptos::prelude::*;
use leptos_axum::ResponseOptions;

use super::side::SideField;
use crate::{
    lang::Lang,
    notes::{NotesDesk, Side},
    part::{Head, NoteText},
    routes::{Route, note_href},
};

/// A form with both languages. It works as it is: every button leads to a page.
#[component]
pub fn Editor(
    /// The study, with all notes in it.
    report: Report,
    /// What the note is on.
    on: Target,
    /// Japanese, then English.
    sides: [Side; 2],
    /// What the server says.
    desk: NotesDesk,
    /// What the target was, where the study no longer has it.
    gone: Option<String>,
    /// Languages that were saved; none of them where nothing was different. No value where nothing was sent.
    just_saved: Option<Vec<Lang>>,
    /// Whether something that was saved was masked.
    masked: bool,
    /// Languages into which the folder's note was put.
    taken: Vec<Lang>,
    /// In which language.
    lang: Lang,
) -> impl IntoView {
    let words = note_labels(lang);
    let target = text::notes::target_in(lang, &report, &on).plain();
    let title = note_on(lang, &target);
    let here = note_href(lang, &report.slug, &on);
    let asks = desk.token;
    let answered = desk.sent.is_some();
    let fought = sides.iter().any(|side| side.conflict);

    let problem = desk.notice.map(|(of, status)| {
        if let Ok(status) = StatusCode::from_u16(status) {
            expect_context::<ResponseOptions>().set_status(status);
        }
        view! {
            <section class="problem" id="problem" role="alert" tabindex="-1">
                <h2>{words.problem}</h2>
                <p>{notice(lang, &of)}</p>
            </section>
        }
    });
    let status = |text: String| view! { <p class="hits" role="status">{text}</p> };
    let said_saved = just_saved
        .map(|which| status(if which.is_empty() { words.saved_none.to_owned() } else { saved(lang, &which) }));
    let said_masked =
        (masked || desk.sent.as_ref().is_some_and(|sent| sent.masked)).then(|| status(words.masked.to_owned()));
    let restored = sides
        .iter()
        .filter(|_| !answered)
        .filter_map(|side| side.restored.map(|number| status(restoring(lang, side.lang, number))));
    let restored = restored.collect_view();
    let said_taken = (!taken.is_empty()).then(|| status(words.folder_taken.to_owned()));
    let said_gone = gone.map(|about| {
        let about = (!about.is_empty()).then(|| view! { <p><code>{about}</code></p> });
        view! { <div class="note note--caution small notes__gone"><p>{words.orphan}</p>{about}</div> }
    });
    let token = asks.then(|| {
        view! {
            <div class="entry upload__token">
                <label for="token">{upload_labels(lang).token}</label>
                <input class="field" id="token" name="token" type="password" autocomplete="off" spellcheck="false" aria-describedby="token-hint"/>
                <p class="hint" id="token-hint">{words.token_hint}</p>
            </div>
        }
    });

    let written = [!sides[0].text.is_empty(), !sides[1].text.is_empty()];
    let outlines = [render::outline(&sides[0].text), render::outline(&sides[1].text)];
    let differ = (written == [true, true] && outlines[0] != outlines[1]).then(|| {
        let of = |at: usize| (outlines[at].headings, outlines[at].blocks);
        view! { <p class="hint notes__differ">{built_differently(lang, of(0), of(1))}</p> }
    });
    let unsaved = sides.iter().any(|side| side.text != side.kept);
    let preview = (written != [false, false]).then(|| {
        let shown = sides.iter().map(|side| view! { <Preview text=side.text.clone() of=side.lang lang/> });
        let unsaved = unsaved.then(|| view! { <span class="title__sizes">{words.not_saved}</span> });
        view! {
            <section class="notes__preview" id="preview" aria-labelledby="preview-title">
                <h2 id="preview-title">{words.preview}{unsaved}</h2>
                <div class="notes__sides">{shown.collect_view()}</div>
            </section>
        }
    });
    let [ja, en] = sides;
    let study = report.slug.to_string();
    let key = on.to_string();
    let action = here.clone();
    let overview = Route::Notes(study.clone()).href(lang);
    view! {
        <Head title=format!("{title} — {}", report.title.get(lang)) description=words.intro/>
        <nav class="crumbs" aria-label=text::page_labels(lang).breadcrumb>
            <a href=Route::Home.href(lang)>{text::labels(lang).studies}</a>
            <span aria-hidden="true">"/"</span>
            <a href=Route::Study(study.clone()).href(lang)>{study.clone()}</a>
            <span aria-hidden="true">"/"</span>
            <a href=overview>{words.notes}</a>
            <span aria-hidden="true">"/"</span>
            <span aria-current="page">{target}</span>
        </nav>
        <div class="title"><div><h1>{title}</h1></div></div>
        {said_gone}
        {problem}
        {said_saved}
        {said_masked}
        {restored}
        {said_taken}
        <form class="notes" method="post" action=action>
            <div class="notes__sides">
                <SideField side=ja other_written=written[1] study=study.clone() on=key.clone() here=here.clone() lang/>
                <SideField side=en other_written=written[0] study on=key here lang/>
            </div>
            {differ}
            <p class="hint notes__hint" id="notes-hint">{words.hint}</p>
            {token}
            <div class="tools">
                <button class="btn" type="submit" name="do" value="preview">{words.show_preview}</button>
                <button class="btn btn--main" type="submit" name="do" value="save">
                    {if fought { words.save_over } else { words.save }}
                </button>
            </div>
        </form>
        {preview}
    }
}

/// One language as readers will see it.
#[component]
fn Preview(text: String, of: Lang, lang: Lang) -> impl IntoView {
    let shown = if text.is_empty() {
        view! { <p class="muted">{note_labels(lang).preview_empty}</p> }.into_any()
    } else {
        let mut notes = Localized::default();
        notes.put(of, &text);
        view! { <div class="said" lang=of.code()><NoteText notes lang=of level=3/></div> }.into_any()
    };
    view! {
        <div class="notes__side">
            <h3>{language(lang, of)}</h3>
            {shown}
        </div>
    }
}
