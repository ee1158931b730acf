//! Each command against the base's, line by line: sign, word and colour say what was added and dropped.

use domain::{
    compare::{Line, Mark},
    text::{compare as words, labels},
};
use leptos::prelude::*;

use super::view::View;

/// One block a side, the base's first.
#[component]
pub fn Commands(
    /// What is seen.
    view: View,
) -> impl IntoView {
    let base = view.facts.base;
    let first = view.columns().filter(|(at, _)| *at == base);
    let all = first.chain(view.columns().filter(|(at, _)| *at != base)).map(|(at, column)| {
        let lines = match &column.command {
            Some(lines) => block(&view, lines),
            None => view! { <p class="muted">{labels(view.lang).command_unknown}</p> }.into_any(),
        };
        let is_base = (at == base).then(|| {
            view! { " "<span class="tag tag--flat">{words::compare_labels(view.lang).base}</span> }
        });
        view! { <div><h3>{view.numbered(at, column)}{is_base}</h3>{lines}</div> }
    });
    view! { <div class="wide">{all.collect_view()}</div> }
}

fn block(view: &View, lines: &[Line]) -> AnyView {
    let label = words::compare_labels(view.lang);
    let lines = lines.iter().map(|line| {
        let (class, sign, said) = match line.mark {
            Mark::Same => (None, "\u{a0}", None),
            Mark::Added => (Some("new"), "+", Some(label.line_added)),
            Mark::Removed => (Some("old"), "−", Some(label.line_removed)),
        };
        let said = said.map(|said| view! { <span class="vh">{said}": "</span> });
        view! {
            <li class=class>
                <b aria-hidden="true">{sign}</b>{said}<code>{line.text.clone()}</code>
            </li>
        }
    });
    view! { <ul class="vs-lines">{lines.collect_view()}</ul> }.into_any()
}
