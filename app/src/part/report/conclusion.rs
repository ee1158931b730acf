//! The conclusion card: the first screen of a report.

use domain::{
    check::Severity,
    report::{Standing, kinds_of},
    text::{self, phrase},
};
use leptos::prelude::*;

use super::{command::CommandPlate, edition::Edition, gain::GainTable};
use crate::part::{
    icon::{Icon, IconMark},
    rich::{Headline, Sentence, Sentences},
};

/// Standing, verdict, command, gains and caveats.
#[component]
pub fn ConclusionCard(
    /// The report.
    edition: Edition,
) -> impl IntoView {
    let words = text::conclusion(edition.lang, &edition.report);
    let explanation = words.explanation.into_iter().map(|rich| view! { <p><Sentence rich/></p> }).collect_view();
    let command = edition.report.conclusion.command.is_some();
    let unknown = (!command && edition.report.conclusion.recommended.is_some())
        .then(|| view! { <p class="muted">{edition.labels().command_unknown}</p> });
    let compared = !edition.report.conclusion.rows.is_empty();
    let differs = edition.report.conclusion.recommended.as_ref() != Some(&edition.report.conclusion.baseline);
    let caveats = compared.then(|| {
        let (labels, page) = (edition.labels(), edition.page());
        let said = |all: Vec<text::Rich>, none: &'static str| match all.is_empty() {
            true => view! { <p>{none}</p> }.into_any(),
            false => view! { <Sentences all/> }.into_any(),
        };
        view! {
            <div class="caveats">
                <div>
                    <h3><IconMark icon=Icon::Unknown/>{labels.noise}</h3>
                    {said(words.noise, labels.noise_unknown)}
                </div>
                <div>
                    <h3><IconMark icon=Icon::Worse/>{labels.got_worse}</h3>
                    {said(words.got_worse, page.nothing_worse)}
                </div>
                <div>
                    <h3><IconMark icon=Icon::NotComparable/>{labels.wrong_choice}</h3>
                    {said(words.wrong_choice, page.nothing_wrong)}
                </div>
            </div>
        }
    });
    view! {
        <section class="conclusion" id="conclusion" aria-labelledby="h-conclusion">
            <div class="conclusion__head">
                <h2 id="h-conclusion">{edition.labels().conclusion}</h2>
                <Hallmarks edition=edition.clone()/>
            </div>
            {edition.report.limits_of_reader.then(|| view! { <super::limits::OwnLimits edition=edition.clone()/> })}
            <div class="conclusion__top" class:conclusion__top--alone=!command>
                <div class="conclusion__say">
                    <p class="verdict-line"><Headline rich=words.headline/></p>
                    {explanation}
                    {unknown}
                </div>
                {command.then(|| view! { <CommandPlate edition=edition.clone()/> })}
            </div>
            {(compared && differs).then(|| view! { <GainTable edition=edition.clone()/> })}
            {caveats}
        </section>
    }
}

/// Small frames: how firmly it stands, how often it was measured, what was found, what it rests on.
#[component]
fn Hallmarks(edition: Edition) -> impl IntoView {
    let (report, lang, labels) = (&edition.report, edition.lang, edition.labels());
    let stamped = match report.conclusion.standing {
        Standing::Recommended | Standing::WithReservations => "hallmark hallmark--stamp",
        Standing::KeepBaseline | Standing::Nothing => "hallmark hallmark--plain",
    };
    let repeats = phrase::repeats(lang, report).map(|(n, meaning)| {
        view! { <li class="hallmark"><b>{n}</b>" "{meaning}</li> }
    });
    let counts: Vec<String> = [Severity::Disqualifying, Severity::Warning, Severity::Info]
        .into_iter()
        .map(|severity| (severity, kinds_of(report, severity).len()))
        .filter(|(_, n)| *n > 0)
        .map(|(severity, n)| phrase::findings(lang, severity, n))
        .collect();
    let separator = phrase::separator(lang);
    let found = (!counts.is_empty()).then(|| {
        view! {
            <li class="hallmark"><a href="#findings">{labels.findings}</a>" "<b>{counts.join(separator)}</b></li>
        }
    });
    view! {
        <ul class="hallmarks">
            <li class=stamped>{text::standing(lang, report.conclusion.standing)}</li>
            {repeats}
            {found}
            <li class="hallmark">{labels.basis}" "<b>{text::basis(lang, report.basis)}</b></li>
        </ul>
    }
}
