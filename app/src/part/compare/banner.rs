//! In what the sides differ besides their arguments, and what is not shown: said before any figure.

use domain::{
    check::Evidence,
    compare::{Asked, Column, MOST, Mismatch, Missing, Shared},
    text::{self, compare as words, labels, phrase},
};
use leptos::prelude::*;

use super::view::View;
use crate::{
    lang::Lang,
    part::{
        icon::{Icon, IconMark},
        rich::Sentence,
    },
};

/// Every dimension in which the sides differ, with who has what; disqualified sides first, for they outweigh the rest.
#[component]
pub fn Banner(
    /// What is seen.
    view: View,
) -> impl IntoView {
    let facts = &view.facts;
    let failed: Vec<AnyView> = view.columns().filter_map(|(at, column)| failed(&view, at, column)).collect();
    if failed.is_empty() && facts.mismatches.is_empty() {
        return ().into_any();
    }
    let (icon, class) = match (failed.is_empty(), facts.has_incomparable()) {
        (false, _) => (Icon::Disqualified, "differ differ--bad points"),
        (true, true) => (Icon::NotComparable, "differ differ--bad points"),
        (true, false) => (Icon::Warning, "differ points"),
    };
    let lines = facts.mismatches.iter().map(|mismatch| line(&view, mismatch)).collect_view();
    view! {
        <section class=class aria-labelledby="mismatches">
            <h2 id="mismatches"><IconMark icon/>" "{words::banner(view.lang, facts)}</h2>
            <ul>{failed}{lines}</ul>
        </section>
    }
    .into_any()
}

/// Why a side cannot win, by its own counts.
fn failed(view: &View, at: usize, column: &Column) -> Option<AnyView> {
    let lang = view.lang;
    let counts =
        |evidence: &&Evidence| matches!(evidence, Evidence::SuccessRate { .. } | Evidence::SurvivorsDiffer { .. });
    let evidence = column.findings.iter().map(|finding| &finding.evidence).filter(counts);
    let sentences = evidence.map(|evidence| {
        let rich = text::evidence_with(lang, evidence, &|id| view.facts.number(id));
        view! { <Sentence rich/>{phrase::lead_space(lang)} }
    });
    let sentences = sentences.collect_view();
    column
        .disqualified
        .then(|| view! { <li><b>{view.numbered(at, column)}</b>{phrase::colon(lang)}{sentences}</li> }.into_any())
}

fn line(view: &View, mismatch: &Mismatch) -> AnyView {
    let lang = view.lang;
    let last = mismatch.values.len().saturating_sub(1);
    let value = |(at, shared): (usize, &Shared)| {
        let said = match &shared.value {
            Some(value) => words::value(lang, value),
            None => labels(lang).not_recorded.to_owned(),
        };
        let columns = shared.columns.iter().map(|at| (at + 1).to_string()).collect::<Vec<_>>();
        let columns = columns.join(phrase::separator(lang));
        let between = (at < last).then_some(" · ");
        view! {
            <span>{said}{labels(lang).open}{columns}{labels(lang).close}</span>{between}
        }
    };
    let values = mismatch.values.iter().enumerate().map(value).collect_view();
    view! {
        <li>
            <b>{words::dimension(lang, mismatch.dimension)}</b>{phrase::colon(lang)}{values}{words::full_stop(lang)}
            <span class="muted">{words::consequence(lang, mismatch.dimension, mismatch.certain)}</span>
        </li>
    }
    .into_any()
}

/// What was asked for and cannot be shown, each by its name and with the reason.
#[component]
pub fn NotShown(
    /// As the address has it.
    asked: Asked,
    /// What was looked for and not found.
    missing: Vec<Missing>,
    /// In which language.
    lang: Lang,
) -> impl IntoView {
    let all = missing
        .iter()
        .map(|missing| words::missing(lang, missing))
        .chain(asked.unreadable.iter().map(|text| words::unreadable(lang, text)))
        .chain(asked.too_many.iter().map(|subject| words::too_many(lang, subject, MOST)));
    let all: Vec<_> = all.map(|rich| view! { <li><Sentence rich/></li> }).collect();
    (!all.is_empty()).then(|| {
        view! {
            <section class="differ differ--bad points" aria-labelledby="not-shown">
                <h2 id="not-shown"><IconMark icon=Icon::Warning/>" "{words::compare_labels(lang).not_shown}</h2>
                <ul>{all}</ul>
            </section>
        }
    })
}
