//! The black plate with the command to copy; gold marks what differs from the baseline.

use domain::{command::NEXT_LINE, text::explain};
use leptos::prelude::*;

use super::{edition::Edition, forms::MoreOnCommand};
use crate::{
    island::CopyButton,
    part::chips::{arguments, engine},
    words::{copy_labels, words},
};

/// The recommended command. Without JavaScript it is text to select, backslashes included.
#[component]
pub fn CommandPlate(
    /// The report.
    edition: Edition,
) -> impl IntoView {
    let report = &edition.report;
    let conclusion = &report.conclusion;
    let command = conclusion.command.clone()?;
    let variant = conclusion.recommended.as_ref().and_then(|id| report.variant(id))?;
    let baseline = edition.baseline().filter(|baseline| baseline.id != variant.id);
    let lines: Vec<&str> = command.text.split(NEXT_LINE).collect();
    // Environment, program and weights.
    let head_new =
        baseline.is_some_and(|baseline| baseline.command.text.split(NEXT_LINE).next() != lines.first().copied());
    let marks: Vec<bool> = std::iter::once(head_new)
        .chain(arguments(variant, baseline).into_iter().map(|argument| argument.new))
        .collect();
    // One line a flag; a quoted line break could make more lines than flags, and then nothing is marked.
    let marked = marks.len() == lines.len();
    let any_new = marked && marks.contains(&true);
    let last = lines.len().saturating_sub(1);
    let shown = lines
        .iter()
        .enumerate()
        .map(|(at, line)| {
            let class = match (at, marked && marks[at]) {
                (0, false) => "arg arg--head",
                (0, true) => "arg arg--head arg--new",
                (_, false) => "arg",
                (_, true) => "arg arg--new",
            };
            let text = if at == 0 { (*line).to_owned() } else { format!("    {line}") };
            let more = (at < last).then(|| view! { <span class="bs">" \\\n"</span> });
            view! { <span class=class>{text}{more}</span> }
        })
        .collect_view();
    let key = any_new.then(|| view! { <span class="key-new">{edition.page().added_to_baseline}</span> });
    let dropped = (!conclusion.removed.is_empty()).then(|| {
        let all = conclusion.removed.iter().map(|text| view! { " "<del>{text.clone()}</del> }).collect_view();
        view! { <span>{edition.page().dropped_from_baseline}{all}</span> }
    });
    let labels = edition.labels();
    let explained = explain(edition.lang, &variant.engine.engine, &variant.args, &command.env);
    Some(view! {
        <div class="plate">
            <div class="command">
                <div class="command__bar">
                    <span>{labels.recommended}" · "{engine(variant)}</span>
                    {edition.on_site().then(|| view! {
                        <CopyButton text=command.text.clone() labels=copy_labels(words(edition.lang))/>
                    })}
                </div>
                <pre tabindex="0" role="group" aria-label=labels.serving_command><code>{shown}</code></pre>
                <div class="command__foot">{key}{dropped}</div>
            </div>
            <MoreOnCommand explained forms=command.forms copy=edition.on_site() lang=edition.lang/>
        </div>
    })
}
