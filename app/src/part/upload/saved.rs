//! What became of an upload: its runs, what was there already, what was not taken.

use domain::text::{
    labels, phrase,
    upload::{self as words, upload_labels},
};
use leptos::prelude::*;

use crate::{
    lang::Lang,
    part::{Icon, IconMark},
    routes::Route,
    upload::{Outcome, Saved, Waiting},
};

/// The answer to the second form.
#[component]
pub fn SavedUpload(
    /// What was seen.
    waiting: Waiting,
    /// What became of it.
    saved: Saved,
    /// In which language.
    lang: Lang,
) -> impl IntoView {
    let (w, own) = (labels(lang), upload_labels(lang));
    let before = saved.runs.iter().filter(|run| run.before).count();
    let unreadable = waiting.files.iter().filter_map(|file| match &file.outcome {
        Outcome::Unreadable(unread) => {
            let said = match lang {
                Lang::Ja => &unread.ja,
                Lang::En => &unread.en,
            };
            Some((file.name.clone(), said.found.clone()))
        }
        Outcome::Read(_) => None,
    });
    let rejections: Vec<(String, String)> = unreadable.chain(saved.rejections).collect();
    // Of a file with runs only single results were left out.
    let left_out = rejections.iter().filter(|(file, _)| saved.runs.iter().any(|run| run.file == *file)).count();
    let summary = words::stored(lang, saved.runs.len() - before, before, rejections.len() - left_out, left_out);
    let runs = saved.runs.into_iter().map(|run| {
        let place = match run.index {
            0 => None,
            index => Some(view! { " "<span class="muted small">{words::result(lang, index + 1)}</span> }),
        };
        let state = if run.before {
            view! { <span class="tag tag--flat"><IconMark icon=Icon::Same/>{own.already}</span> }.into_any()
        } else {
            view! { <span class="tag tag--adopted"><IconMark icon=Icon::Better/>{own.new_run}</span> }.into_any()
        };
        view! {
            <tr role="row">
                <th scope="row" role="rowheader"><a href=Route::Run(run.id).href(lang)>{run.file}</a>{place}</th>
                <td role="cell" data-label=w.variant><code>{run.variant}</code></td>
                <td role="cell" data-label=w.profile><code>{run.profile}</code></td>
                <td role="cell">{state}</td>
            </tr>
        }
    });
    let runs = runs.collect_view();
    let rejected = (!rejections.is_empty()).then(|| {
        let items = rejections.into_iter().map(|(file, reason)| {
            view! { <li><code>{file}</code>{phrase::colon(lang)}{reason}</li> }
        });
        view! {
            <section class="saved__part" aria-labelledby="h-rejected">
                <h2 id="h-rejected">{own.rejected}</h2>
                <ul class="remarks">{items.collect_view()}</ul>
            </section>
        }
    });
    let warned = (!saved.warnings.is_empty()).then(|| {
        let items = saved.warnings.into_iter().map(|(file, message)| {
            let file = file.map(|file| view! { <code>{file}</code>{phrase::colon(lang)} });
            view! { <li>{file}<span lang="en">{message}</span></li> }
        });
        view! {
            <section class="saved__part" aria-labelledby="h-warned">
                <h2 id="h-warned">{own.remarks}</h2>
                <ul class="remarks">{items.collect_view()}</ul>
            </section>
        }
    });
    let masked: usize = waiting.files.iter().map(|file| file.masked_count).sum::<usize>() + waiting.masked.len();
    let masked = (masked > 0).then(|| view! { <p class="small muted">{words::secrets(lang, masked)}</p> });
    view! {
        <div class="title">
            <div><h1>{own.saved}</h1><p role="status">{summary}</p></div>
            <div class="tools">
                <a class="btn" href=Route::Upload.href(lang)>{own.more}</a>
                <a class="btn btn--main" href=Route::Study(saved.study).href(lang)>{own.to_report}</a>
            </div>
        </div>
        <table class="t stack saved" role="table">
            <caption class="vh">{w.runs}</caption>
            <thead role="rowgroup">
                <tr role="row">
                    <th scope="col" role="columnheader">{w.run}</th>
                    <th scope="col" role="columnheader">{w.variant}</th>
                    <th scope="col" role="columnheader">{w.profile}</th>
                    <th scope="col" role="columnheader"><span class="vh">{w.value}</span></th>
                </tr>
            </thead>
            <tbody role="rowgroup">{runs}</tbody>
        </table>
        {masked}
        {rejected}
        {warned}
    }
}
