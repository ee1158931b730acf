//! The notes of a study: all of them, or, where the address names one, its editor.

use domain::{id::StudySlug, note::Target, report};
use leptos::prelude::*;
use store::{Store, StoreError, StudyNotes};

use crate::{
    error::AppError,
    lang::Lang,
    notes::{NotesDesk, Side},
    part::{
        ErrorNotice, IconSheet,
        notes::{Editor, Overview},
    },
    query,
    visit::Visit,
};

/// The overview, or the editor of what `?on=` names.
#[component]
pub fn Notes(
    /// The study's name in addresses.
    slug: String,
) -> impl IntoView {
    let store = expect_context::<Store>();
    let visit = expect_context::<Visit>();
    let desk = use_context::<NotesDesk>().unwrap_or_default();
    let slug = StudySlug::new(slug);
    Suspend::new(async move {
        let lang = visit.lang;
        match read(&store, &slug, &visit, desk).await {
            Ok(Page::All(notes)) => {
                let report = report::build(&notes.shown());
                view! { <IconSheet/><Overview report notes=*notes lang/> }.into_any()
            }
            Ok(Page::One(one)) => {
                let Editing { notes, on, sides, desk, gone, asked } = *one;
                let report = report::build(&notes.shown());
                let (just_saved, masked, taken) = (asked.saved, asked.masked, asked.take);
                view! { <IconSheet/><Editor report on sides desk gone just_saved masked taken lang/> }.into_any()
            }
            Err(error) => view! { <ErrorNotice error/> }.into_any(),
        }
    })
}

enum Page {
    All(Box<StudyNotes>),
    One(Box<Editing>),
}

struct Editing {
    notes: StudyNotes,
    on: Target,
    sides: [Side; 2],
    desk: NotesDesk,
    gone: Option<String>,
    asked: Asked,
}

/// What an address asks of the editor.
#[derive(Default)]
struct Asked {
    on: Option<String>,
    /// Languages that were saved, where a form was.
    saved: Option<Vec<Lang>>,
    masked: bool,
    /// Languages into which the folder's note goes.
    take: Vec<Lang>,
    /// A language, and the revision that goes into it.
    restore: Vec<(Lang, u64)>,
}

impl Asked {
    fn read(query: Option<&str>) -> Self {
        let mut asked = Self { masked: query::has(query, "masked"), ..Self::default() };
        for (name, value) in query::fields(query) {
            match name.as_str() {
                "on" if asked.on.is_none() => asked.on = Some(value),
                "saved" => asked.saved = Some(value.split('.').filter_map(|code| code.parse().ok()).collect()),
                "take" => asked.take.extend(value.parse::<Lang>()),
                "restore" => {
                    let one =
                        value.split_once('.').and_then(|(lang, number)| lang.parse().ok().zip(number.parse().ok()));
                    asked.restore.extend(one);
                }
                _ => {}
            }
        }
        asked
    }
}

async fn read(store: &Store, slug: &StudySlug, visit: &Visit, desk: NotesDesk) -> Result<Page, AppError> {
    let failed = |error: StoreError| AppError::from_store(&error);
    let notes = store.notes(slug).await.map_err(failed)?;
    let mut asked = Asked::read(visit.query.as_deref());
    let Some(on) = asked.on.take() else { return Ok(Page::All(Box::new(notes))) };
    let on = Target::parse(&on).ok_or(AppError::NotFound)?;
    let is_gone = notes.study.data.notes(&on).is_none();
    let about = notes.written.iter().find(|note| note.target == on).map(|note| note.about.clone());
    // What somebody has just written is shown whatever became of the study.
    if is_gone && about.is_none() && desk.sent.is_none() {
        return Err(AppError::NotFound);
    }
    let mut sides = [Lang::Ja, Lang::En].map(|lang| Side::of(&notes, &on, lang));
    for side in &mut sides {
        if let Some(sent) = &desk.sent {
            *side = side.clone().filled(sent, desk.notice.as_ref().map(|(notice, _)| notice));
            continue;
        }
        if asked.take.contains(&side.lang) {
            side.text = side.folder.clone();
        }
        if let Some((_, number)) = asked.restore.iter().find(|(lang, _)| *lang == side.lang) {
            side.text = store.note_text(slug, &on, side.lang, *number).await.map_err(failed)?;
            side.restored = Some(*number);
        }
    }
    let gone = is_gone.then(|| about.flatten().unwrap_or_default());
    Ok(Page::One(Box::new(Editing { notes, on, sides, desk, gone, asked })))
}
