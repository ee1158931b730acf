//! Parameters: only those that differ, or all.

use domain::{
    compare::{Parameter, Value},
    text::{compare as words, labels},
};
use leptos::prelude::*;

use super::{table::group, view::View};
use crate::part::{figure::Absent, rich::Sentence};

/// The group of the table, with the switch between the two views.
#[component]
pub fn Parameters(
    /// What is seen.
    view: View,
) -> impl IntoView {
    let (facts, lang, label) = (&view.facts, view.lang, words::compare_labels(view.lang));
    let all = facts.selection.all_params;
    let same = facts.parameters.iter().filter(|parameter| !parameter.differs).count();
    let shown: Vec<&Parameter> = facts.parameters.iter().filter(|parameter| all || parameter.differs).collect();
    let none = shown.is_empty().then(|| {
        let columns = facts.columns.len().to_string();
        view! { <tr><th scope="row">{label.no_differences}</th><td colspan=columns></td></tr> }
    });
    let rows = shown.into_iter().map(|parameter| row(&view, parameter)).collect_view();
    let others = (!all && same > 0).then(|| view! { <span>{words::same_parameters(lang, same)}</span> });
    let toggle = switch(&view);
    let more = view! { {others}{toggle} }.into_any();
    view! { <tbody id="parameters">{group(&view, label.parameters, Some(more))}{none}{rows}</tbody> }
}

/// Two links, of which one is this view.
fn switch(view: &View) -> Option<AnyView> {
    let (selection, label) = (&view.facts.selection, words::compare_labels(view.lang));
    let way = |all: bool, name: &'static str| {
        let href = format!("{}#parameters", view.href(&selection.with_all_params(all))?);
        let here = (selection.all_params == all).then_some("true");
        Some(view! { <a href=href aria-current=here>{name}</a> })
    };
    let ways = (way(false, label.only_differences)?, way(true, label.all_parameters)?);
    Some(view! { <span class="seg" role="group" aria-label=label.parameters_shown>{ways.0}{ways.1}</span> }.into_any())
}

fn row(view: &View, parameter: &Parameter) -> AnyView {
    let (lang, base) = (view.lang, view.facts.base);
    let theirs = parameter.values.get(base);
    let absent = match parameter.name.is_option() {
        true => words::compare_labels(lang).not_set,
        false => labels(lang).not_recorded,
    };
    let cells = parameter.values.iter().enumerate().map(|(at, value)| {
        let new = at != base && Some(value) != theirs;
        let value = match value {
            Some(value) => chip(words::value(lang, value), new, is_code(value)),
            None if new => view! { <span class="chip chip--gone">{absent}</span> }.into_any(),
            None => view! { <Absent word=absent/> }.into_any(),
        };
        view! { <td class:vs__base={at == base}>{value}</td> }
    });
    let cells = cells.collect_view();
    view! {
        <tr><th scope="row"><Sentence rich=words::parameter(lang, &parameter.name)/></th>{cells}</tr>
    }
    .into_any()
}

/// Whether a value is shown as it is written.
fn is_code(value: &Value) -> bool {
    match value {
        Value::Text(_) => true,
        Value::Switch(_)
        | Value::Count(_)
        | Value::Seed(_)
        | Value::Rate(_)
        | Value::Named(_)
        | Value::Profile(_)
        | Value::Tools(_)
        | Value::Definitions(_)
        | Value::Load { .. }
        | Value::Precision { .. } => false,
    }
}

fn chip(text: String, new: bool, code: bool) -> AnyView {
    match (new, code) {
        (true, _) => view! { <span class="chip chip--new">{text}</span> }.into_any(),
        (false, true) => view! { <code>{text}</code> }.into_any(),
        (false, false) => text.into_any(),
    }
}
