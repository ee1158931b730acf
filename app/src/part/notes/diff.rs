//! Two texts line by line, as a table: sign and colour say what was added and removed.

use domain::text::notes::{lines_left_out, note_labels};
use leptos::prelude::*;
use render::DiffLine;

use crate::lang::Lang;

/// What changed from one text to another.
#[component]
pub fn Diff(
    /// Lines.
    lines: Vec<DiffLine>,
    /// What is compared.
    caption: String,
    /// The language of the texts.
    of: Lang,
    /// The language of the page.
    lang: Lang,
) -> impl IntoView {
    let words = note_labels(lang);
    if lines.is_empty() {
        return view! { <p class="muted">{words.identical}</p> }.into_any();
    }
    let rows = lines.into_iter().map(|line| row(line, of, lang)).collect_view();
    let label = caption.clone();
    view! {
        <div class="scroll" tabindex="0" role="group" aria-label=label>
            <table class="diff">
                <caption class="vh">{caption}</caption>
                <thead class="vh">
                    <tr>
                        <th scope="col">{words.line_old}</th>
                        <th scope="col">{words.line_new}</th>
                        <th scope="col">{words.line_text}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn row(line: DiffLine, of: Lang, lang: Lang) -> AnyView {
    let words = note_labels(lang);
    let number = |at: Option<usize>| at.map(|at| at.to_string()).unwrap_or_default();
    let (class, old, new, sign, said, text) = match line {
        DiffLine::LeftOut(count) => {
            return view! {
                <tr class="diff__gap"><td colspan="3">{lines_left_out(lang, count)}</td></tr>
            }
            .into_any();
        }
        DiffLine::Same { old, new, text } => (None, Some(old), Some(new), " ", None, text),
        DiffLine::Removed { old, text } => (Some("diff__old"), Some(old), None, "−", Some(words.line_removed), text),
        DiffLine::Added { new, text } => (Some("diff__new"), None, Some(new), "+", Some(words.line_added), text),
    };
    let said = said.map(|said| view! { <span class="vh">{said}" "</span> });
    view! {
        <tr class=class>
            <td class="diff__no">{number(old)}</td>
            <td class="diff__no">{number(new)}</td>
            <td class="diff__text"><span class="diff__sign" aria-hidden="true">{sign}</span>{said}<span lang=of.code()>{text}</span></td>
        </tr>
    }
    .into_any()
}
