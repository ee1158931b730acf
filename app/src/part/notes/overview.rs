//! Everything that a study can have notes on, with the state of each language.

use domain::{
    note::Target,
    report::Report,
    text::{
        self,
        notes::{edit_of, language, note_labels, summary, target_in},
        variant_name,
    },
};
use leptos::prelude::*;
use store::{Note, StudyNotes};

use super::Written;
use crate::{
    lang::Lang,
    part::{Head, rich::Sentence},
    routes::{Route, note_href},
};

/// One table a kind of target.
#[component]
pub fn Overview(
    /// The study, with all notes in it.
    report: Report,
    /// What the folder has, and what was written here.
    notes: StudyNotes,
    /// In which language.
    lang: Lang,
) -> impl IntoView {
    let words = note_labels(lang);
    let shown = notes.shown();
    let rows: Vec<Row> = shown.targets().into_iter().map(|on| Row::of(&notes, on, lang)).collect();
    let (mut count, mut without) = (0, [0, 0]);
    for row in &rows {
        count += usize::from(row.has != [false, false]);
        for at in [0, 1] {
            without[at] += usize::from(!row.has[at] && row.has[1 - at]);
        }
    }
    let orphans: Vec<Row> = notes.orphans().into_iter().map(|on| Row::of(&notes, on.clone(), lang)).collect();
    let orphans = (!orphans.is_empty()).then(|| {
        view! {
            <section class="notes__kind" aria-labelledby="kind-orphans">
                <h2 id="kind-orphans">{words.orphans}</h2>
                <p class="small muted">{words.orphans_intro}</p>
                {table(&report, orphans, words.orphans, lang)}
            </section>
        }
    });
    let kinds: [(&str, &str, Is); 4] = [
        ("study", words.of_study, |on| matches!(on, Target::Study)),
        ("steps", words.steps, |on| matches!(on, Target::Step(_))),
        ("variants", words.variants, |on| matches!(on, Target::Variant(_))),
        ("runs", words.runs, |on| matches!(on, Target::Run(_))),
    ];
    let kinds = kinds.into_iter().filter_map(|(id, title, is)| {
        let rows: Vec<Row> = rows.iter().filter(|row| is(&row.on)).cloned().collect();
        let heading = format!("kind-{id}");
        (!rows.is_empty()).then(|| {
            view! {
                <section class="notes__kind" aria-labelledby=heading.clone()>
                    <h2 id=heading.clone()>{title}</h2>
                    {table(&report, rows, title, lang)}
                </section>
            }
        })
    });
    let kinds = kinds.collect_view();
    let study = report.slug.to_string();
    let study_href = Route::Study(study.clone()).href(lang);
    let title = report.title.get(lang).to_owned();
    view! {
        <Head title=format!("{} — {title}", words.notes) description=words.intro/>
        <nav class="crumbs" aria-label=text::page_labels(lang).breadcrumb>
            <a href=Route::Home.href(lang)>{text::labels(lang).studies}</a>
            <span aria-hidden="true">"/"</span>
            <a href=study_href>{study}</a>
            <span aria-hidden="true">"/"</span>
            <span aria-current="page">{words.notes}</span>
        </nav>
        <div class="title"><div><h1>{words.notes}</h1><p>{title}</p><p>{summary(lang, count, without[0], without[1])}</p></div></div>
        <p class="small muted notes__intro">{words.intro}</p>
        {orphans}
        {kinds}
    }
}

/// Whether a target is of one kind.
type Is = fn(&Target) -> bool;

#[derive(Clone)]
struct Row {
    on: Target,
    /// Japanese, English.
    has: [bool; 2],
    /// The newest edit here.
    last: Option<Note>,
}

impl Row {
    fn of(notes: &StudyNotes, on: Target, lang: Lang) -> Self {
        let of_folder = notes.study.data.notes(&on);
        let has = [Lang::Ja, Lang::En].map(|of| match notes.written(&on, of) {
            Some(note) => !note.text.is_empty(),
            None => of_folder.and_then(|notes| notes.own(of)).is_some(),
        });
        // Of two in the same moment, the reader's.
        let last = Lang::ALL
            .into_iter()
            .filter_map(|of| notes.written(&on, of))
            .max_by_key(|note| (note.at, note.lang == lang));
        Self { has, last: last.cloned(), on }
    }
}

fn table(report: &Report, rows: Vec<Row>, caption: &'static str, lang: Lang) -> AnyView {
    let words = note_labels(lang);
    let rows = rows.into_iter().map(|row| line(report, row, lang)).collect_view();
    view! {
        <div class="scroll" tabindex="0" role="group" aria-label=caption>
            <table class="t notes__table">
                <thead>
                    <tr>
                        <th scope="col">{words.target}</th>
                        <th scope="col">{language(lang, Lang::Ja)}</th>
                        <th scope="col">{language(lang, Lang::En)}</th>
                        <th scope="col">{words.last_edit}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn line(report: &Report, row: Row, lang: Lang) -> AnyView {
    let words = note_labels(lang);
    let name = target_in(lang, report, &row.on);
    let label = edit_of(lang, &name.plain());
    let href = note_href(lang, &report.slug, &row.on);
    // What an id or number does not say.
    let more = match &row.on {
        Target::Run(id) => match report.run(id) {
            Some(run) => Some(variant_name(lang, report, &run.variant).plain()),
            None => row.last.as_ref().and_then(|note| note.about.clone()),
        },
        Target::Study | Target::Step(_) | Target::Variant(_) => None,
    };
    let more = more.map(|more| view! { <span class="notes__more">{more}</span> });
    let states = [0, 1].map(|at| {
        let (class, word) = match (row.has[at], row.has[1 - at]) {
            (true, _) => ("notes__state notes__state--written", words.written),
            (false, true) => ("notes__state notes__state--missing", words.missing),
            (false, false) => ("notes__state", words.neither),
        };
        view! { <td><span class=class>{word}</span></td> }
    });
    let last = row.last.map(|note| view! { <Written author=note.author at=note.at lang/> });
    view! {
        <tr>
            <th scope="row"><a href=href aria-label=label><Sentence rich=name/></a>{more}</th>
            {states}
            <td class="small">{last}</td>
        </tr>
    }
    .into_any()
}
