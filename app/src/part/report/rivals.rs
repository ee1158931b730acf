//! Other studies of the same question: what they recommend, and in what they differ.

use domain::{
    change::Change,
    report::{Rival, SharedProfile},
    text::{self, ranking_labels},
};
use leptos::prelude::*;

use super::edition::Edition;
use crate::{
    part::{
        change::ChangeMark,
        rich::{Sentence, Sentences},
    },
    routes::Route,
};

/// The section.
#[component]
pub fn Rivals(
    /// The report.
    edition: Edition,
) -> impl IntoView {
    edition
        .report
        .rivals
        .iter()
        .map(|rival| view! { <Other edition=edition.clone() rival=rival.clone()/> })
        .collect_view()
}

#[component]
fn Other(edition: Edition, rival: Rival) -> impl IntoView {
    let (report, lang) = (&edition.report, edition.lang);
    let (labels, words) = (edition.labels(), ranking_labels(lang));
    let title = edition.name(&rival.title);
    let title = match edition.on_site() {
        true => view! { <a href=Route::Study(rival.slug.to_string()).href(lang)>{title}</a> }.into_any(),
        false => title.into_any(),
    };
    let differences: Vec<_> = rival.differences.iter().map(|of| text::difference(lang, report, of)).collect();
    let command = rival.advice.as_ref().filter(|_| !rival.agrees).map(|advice| {
        view! { <p class="small muted">{words.their_command}</p><pre class="block"><code>{advice.command.text.clone()}</code></pre> }
    });
    let rows = rival.profiles.iter().map(|shared| shared_row(&edition, shared)).collect_view();
    view! {
        <article class="wide rival">
            <h3>{title}</h3>
            <p><Sentence rich=text::rival(lang, report, &rival)/></p>
            {(!differences.is_empty()).then(|| view! { <div class="points"><Sentences all=differences/></div> })}
            {command}
            <table class="t stack" role="table">
                <caption class="vh">{edition.name(&rival.title)}</caption>
                <thead role="rowgroup">
                    <tr role="row">
                        <th scope="col" role="columnheader">{labels.profile}</th>
                        <th scope="col" role="columnheader">{words.our_change}</th>
                        <th scope="col" role="columnheader">{words.their_change}</th>
                    </tr>
                </thead>
                <tbody role="rowgroup">{rows}</tbody>
            </table>
        </article>
    }
}

fn shared_row(edition: &Edition, shared: &SharedProfile) -> impl IntoView + use<> {
    let (lang, labels, words) = (edition.lang, edition.labels(), ranking_labels(edition.lang));
    let decimals = edition.report.decimals;
    let mark = |change: Option<Change>| match change {
        Some(change) => view! { <ChangeMark change decimals lang/> }.into_any(),
        None => view! { <span class="absent">{labels.not_measured}</span> }.into_any(),
    };
    let (ours, theirs) = (edition.profile(&shared.ours), edition.name(&shared.their_name));
    let name = if ours == theirs { ours } else { format!("{ours} / {theirs}") };
    view! {
        <tr role="row">
            <th scope="row" role="rowheader">{name}</th>
            <td role="cell" data-label=words.our_change>{mark(shared.our_change)}</td>
            <td role="cell" data-label=words.their_change>{mark(shared.their_change)}</td>
        </tr>
    }
}
