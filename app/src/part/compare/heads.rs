//! The head of a column: what it is, how often it was measured, and the views one step away.

use domain::{
    compare::Column,
    text::{compare::compare_labels, phrase},
};
use leptos::prelude::*;

use super::view::View;
use crate::part::tag::DisqualifiedTag;

/// All heads, after the empty corner.
#[component]
pub fn Heads(
    /// What is seen.
    view: View,
) -> impl IntoView {
    let words = compare_labels(view.lang);
    let heads = view.columns().map(|(at, column)| head(&view, at, column)).collect_view();
    view! { <tr><td><span class="vh">{words.figures}</span></td>{heads}</tr> }
}

fn head(view: &View, at: usize, column: &Column) -> AnyView {
    let (lang, facts, words) = (view.lang, &view.facts, compare_labels(view.lang));
    let is_base = at == facts.base;
    let title = column.title.get(lang).to_owned();
    let study = match view.study_href(column) {
        Some(href) => view! { <a href=href>{title}</a> }.into_any(),
        None => title.into_any(),
    };
    // The words alone say nothing out of their column.
    let whose = || view! { <span class="vh">{phrase::colon(lang)}{view.numbered(at, column)}</span> };
    let base = match is_base {
        true => view! { <span class="tag tag--flat">{words.base}</span> }.into_any(),
        false => view
            .href(&facts.selection.with_base(&column.subject))
            .map(|href| view! { <a href=href>{words.make_base}{whose()}</a> })
            .into_any(),
    };
    let remove = view.href(&facts.selection.without(&column.subject)).map(|href| {
        view! { <a href=href>{words.remove}{whose()}</a> }
    });
    let disqualified = column.disqualified.then(|| view! { <DisqualifiedTag lang/> });
    view! {
        <th scope="col" class:vs__base=is_base>
            <span class="vs__name">{view.numbered(at, column)}</span>
            <span>
                {column.profile_name.get(lang).to_owned()}" · "{phrase::measured(lang, column.repeats)}" · "{view.runs(column)}
            </span>
            <span class="vs__ways">{study}</span>
            <span class="vs__ways">{base}{remove}{disqualified}</span>
        </th>
    }
    .into_any()
}
