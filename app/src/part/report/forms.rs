//! Under a command: what its arguments do, and the same command in a container. Closed until asked for, without a script.

use domain::{
    command::Forms,
    text::{self, Explained, command_labels},
};
use leptos::prelude::*;

use crate::{
    island::CopyButton,
    lang::Lang,
    words::{copy_labels, words},
};

/// Arguments and variables, each with its line. What the catalogue does not have is marked.
#[component]
pub fn ArgumentList(
    /// In the command's order.
    explained: Vec<Explained>,
) -> impl IntoView {
    let items = explained.into_iter().map(|Explained { name, text, known }| {
        view! {
            <dt><code>{name}</code></dt>
            <dd class:unknown=!known>{text}</dd>
        }
    });
    view! { <dl class="args">{items.collect_view()}</dl> }
}

/// One line of summaries; the one that is open takes the width below.
#[component]
pub fn MoreOnCommand(
    /// What its arguments do.
    explained: Vec<Explained>,
    /// The container forms, where there are some.
    #[prop(optional_no_strip)]
    forms: Option<Forms>,
    /// Whether there are scripts that copy.
    copy: bool,
    /// In which language.
    lang: Lang,
) -> impl IntoView {
    let labels = command_labels(lang);
    let arguments = (!explained.is_empty()).then(|| {
        view! {
            <details name="command-more">
                <summary>{labels.arguments}</summary>
                <ArgumentList explained/>
            </details>
        }
    });
    let forms = forms.map(|forms| {
        let notes = text::container_notes(lang, &forms);
        let notes = notes.into_iter().map(|note| view! { <li>{note}</li> }).collect_view();
        let all = [
            (labels.docker, forms.docker, None),
            (labels.compose, forms.compose, Some("compose.yaml")),
            (labels.kubernetes, forms.kubernetes, Some("serve.yaml")),
        ];
        let all = all.map(|(name, text, file)| view! { <Form name text file copy lang/> }).collect_view();
        view! { {all}<ul class="forms__notes">{notes}</ul> }
    });
    view! { <div class="forms">{arguments}{forms}</div> }
}

/// A form to copy; a file says under which name it can be saved.
#[component]
fn Form(name: &'static str, text: String, file: Option<&'static str>, copy: bool, lang: Lang) -> impl IntoView {
    let save = file.map(|file| view! { <span>{command_labels(lang).save_as}" "<code>{file}</code></span> });
    let copy = copy.then(|| view! { <CopyButton text=text.clone() labels=copy_labels(words(lang))/> });
    view! {
        <details name="command-more">
            <summary>{name}</summary>
            <div class="command__bar">
                {save}
                {copy}
            </div>
            <pre tabindex="0" role="group" aria-label=name><code>{text}</code></pre>
        </details>
    }
}
