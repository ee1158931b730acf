//! Sentences with emphasis, as `domain` writes them.

use domain::text::{Piece, Rich};
use leptos::prelude::*;

/// A sentence: figures bold, arguments and ids in mono.
#[component]
pub fn Sentence(
    /// Its pieces.
    rich: Rich,
) -> impl IntoView {
    rich.0
        .into_iter()
        .map(|piece| match piece {
            Piece::Text(text) => text.into_any(),
            Piece::Strong(text) => view! { <b>{text}</b> }.into_any(),
            Piece::Code(text) => view! { <code>{text}</code> }.into_any(),
        })
        .collect_view()
}

/// The sentence of a verdict: its figures carry the gold streak.
#[component]
pub fn Headline(
    /// Its pieces.
    rich: Rich,
) -> impl IntoView {
    rich.0
        .into_iter()
        .map(|piece| match piece {
            Piece::Text(text) => text.into_any(),
            Piece::Strong(text) => view! { <em>{text}</em> }.into_any(),
            Piece::Code(text) => view! { <code>{text}</code> }.into_any(),
        })
        .collect_view()
}

/// Several sentences: a paragraph for one, a list for more.
#[component]
pub fn Sentences(
    /// In order.
    all: Vec<Rich>,
) -> impl IntoView {
    let mut all = all;
    match (all.pop(), all.is_empty()) {
        (None, _) => ().into_any(),
        (Some(only), true) => view! { <p><Sentence rich=only/></p> }.into_any(),
        (Some(last), false) => {
            all.push(last);
            let items = all.into_iter().map(|rich| view! { <li><Sentence rich/></li> }).collect_view();
            view! { <ul>{items}</ul> }.into_any()
        }
    }
}
