//! The review: each file with what was understood and doubted, and the form that says where it goes.

use domain::text::upload::{self as words, upload_labels};
use leptos::prelude::*;
use store::StudyHead;

use super::{
    field::Faults,
    place::{FaultList, FilePlace, StudyPlace, Suggestions},
    seen::{Masked, Reading, Unreadable},
};
use crate::{
    lang::Lang,
    part::{Icon, IconMark, Time},
    routes::Route,
    upload::{Outcome, SeenFile, Sheet, Waiting},
};

/// All of it is one form: nothing is stored before its button is pressed.
#[component]
pub fn Review(
    /// What waits.
    waiting: Waiting,
    /// What stands in the fields.
    sheet: Sheet,
    /// All studies.
    heads: Vec<StudyHead>,
    /// The one that is chosen.
    study: Option<domain::study::Study>,
    /// In which language.
    lang: Lang,
) -> impl IntoView {
    let own = upload_labels(lang);
    let faults = Faults::of(&waiting.faults);
    let problem = (!waiting.faults.is_empty()).then(|| {
        let named = waiting.faults.iter().map(|fault| {
            let name = fault.field.as_deref().map_or_else(String::new, |field| field_name(lang, field, &waiting.files));
            (fault.field.clone(), name, fault.wrong.clone())
        });
        view! { <FaultList faults=named.collect() lang/> }
    });
    let sizes = [
        words::files(lang, waiting.files.len()),
        domain::text::phrase::runs(lang, waiting.files.iter().filter_map(SeenFile::read).map(|read| read.count).sum()),
    ]
    .join(domain::text::phrase::separator(lang));
    let typed_masked = (!waiting.masked.is_empty()).then(|| {
        view! { <p class="small"><b>{words::secrets(lang, waiting.masked.len())}</b>" "<code>{domain::mask::MASK}</code></p> }
    });
    let readable = !sheet.files.is_empty();
    let kept = sheet.files.iter().filter(|fields| !fields.skip).filter_map(|fields| waiting.files[fields.at].read());
    let (runs, disqualified) = kept.fold((0, 0), |(runs, bad), read| (runs + read.count, bad + read.disqualified));
    let left_out = waiting.files.len() - sheet.files.iter().filter(|fields| !fields.skip).count();
    let (before, after) = words::waits_until(lang);
    let expires = waiting.expires_at;
    let took = words::read_in(lang, waiting.took_ms);
    let action = Route::Preview(waiting.id.clone()).href(lang);
    let mut places = sheet.files.into_iter().peekable();
    let files = waiting
        .files
        .into_iter()
        .enumerate()
        .map(|(at, file)| {
            let place = places.next_if(|fields| fields.at == at).map(|fields| {
                let (name, study, faults) = (file.name.clone(), study.clone(), faults.clone());
                view! { <FilePlace fields file=name study faults lang/> }
            });
            card(file, at, place.into_any(), lang)
        })
        .collect_view();
    let save = (runs > 0 || readable).then(|| {
        view! { <button class="btn btn--main" type="submit" name="do" value="save">{words::save(lang, runs)}</button> }
    });
    let where_to = readable.then(|| {
        view! {
            <section aria-labelledby="h-belongs">
                <h2 id="h-belongs">{own.belongs}</h2>
                <StudyPlace fields=sheet.study heads study=study.clone() faults lang/>
            </section>
        }
    });
    view! {
        <div class="title">
            <div>
                <h1>{own.preview}<span class="title__sizes">{sizes}</span></h1>
                <p>
                    {took}" "<b>{own.nothing_stored}</b>" "{before}<Time ms=expires lang/>{after}
                </p>
            </div>
        </div>
        {problem}
        <form class="cols" method="post" action=action>
            <div class="side">
                {where_to}
                <section aria-labelledby="h-kept">
                    <h2 id="h-kept">{own.kept}</h2>
                    <p class="small">{own.kept_text}</p>
                    {typed_masked}
                </section>
            </div>
            <div class="cols__main">
                {files}
                <Suggestions study lang/>
                <div class="savebar">
                    <span>{words::will_store(lang, runs, disqualified, left_out)}</span>
                    <div class="tools">
                        <button class="btn" type="submit" name="do" value="discard">{own.discard}</button>
                        {save}
                    </div>
                </div>
            </div>
        </form>
    }
}

/// How a fault's field is named above the form: with its file, where it belongs to one.
fn field_name(lang: Lang, field: &str, files: &[SeenFile]) -> String {
    let own = field.rsplit_once('-').and_then(|(name, at)| Some((name, files.get(at.parse::<usize>().ok()?)?)));
    match own {
        Some((name, file)) => {
            format!("{}{}{}", file.name, domain::text::phrase::colon(lang), words::field(lang, name))
        }
        None => words::field(lang, field).to_owned(),
    }
}

fn card(file: SeenFile, at: usize, place: AnyView, lang: Lang) -> AnyView {
    let own = upload_labels(lang);
    let heading = format!("file-{at}");
    let masked = (file.masked_count > 0).then(|| {
        view! { <Masked places=file.masked.clone() count=file.masked_count lang/> }
    });
    let (class, tag, body) = match file.outcome {
        Outcome::Unreadable(unread) => {
            let tag = view! {
                <span class="tag tag--disqualified"><IconMark icon=Icon::Rejected/>{own.unreadable}</span>
            };
            ("file file--bad", tag.into_any(), view! { <Unreadable unread=*unread lang/> }.into_any())
        }
        Outcome::Read(read) => {
            let reading = Reading::of(*read, lang);
            let class = match (reading.disqualified(), reading.doubts()) {
                (true, _) => "file file--bad",
                (false, 1..) => "file file--doubted",
                (false, 0) => "file",
            };
            (class, reading.tag(), reading.view())
        }
    };
    view! {
        <article class=class aria-labelledby=heading.clone()>
            <div class="file__head">
                <h2 id=heading.clone()>{file.name}</h2>
                <span class="small muted">{words::size(file.size)}</span>
                {tag}
            </div>
            {body}
            {masked}
            {place}
        </article>
    }
    .into_any()
}
