//! One field of the second form: label, hint, and what is wrong with it.

use std::collections::BTreeMap;

use domain::text::upload::{Wrong, wrong};
use leptos::prelude::*;

use crate::{lang::Lang, part::in_textarea, upload::Fault};

/// What is wrong, by field.
#[derive(Clone, Default)]
pub struct Faults(BTreeMap<String, Wrong>);

impl Faults {
    /// The first fault of each field.
    pub fn of(faults: &[Fault]) -> Self {
        let named = faults.iter().rev().filter_map(|fault| Some((fault.field.clone()?, fault.wrong.clone())));
        Self(named.collect())
    }

    /// Attributes and text for one field: whether it is wrong, what describes it, what is wrong.
    fn on(&self, id: &str, hint: bool, lang: Lang) -> (Option<&'static str>, Option<String>, Option<AnyView>) {
        let text = self.0.get(id).map(|of| wrong(lang, of));
        let ids = [hint.then(|| format!("{id}-hint")), text.is_some().then(|| format!("{id}-wrong"))];
        let described = ids.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let text = text.map(|text| view! { <p class="wrong" id=format!("{id}-wrong")>{text}</p> }.into_any());
        (text.is_some().then_some("true"), (!described.is_empty()).then_some(described), text)
    }
}

/// How a field looks and behaves.
#[derive(Clone, Copy, Default)]
pub struct Kind {
    /// Below the field.
    pub hint: Option<&'static str>,
    /// Beside the label.
    pub aside: Option<&'static str>,
    /// Id of a list of suggestions.
    pub list: Option<&'static str>,
    /// Digits on small keyboards.
    pub digits: bool,
    /// Several lines, in mono.
    pub lines: bool,
}

/// A text field.
pub fn entry(id: String, label: &'static str, value: String, kind: Kind, faults: &Faults, lang: Lang) -> AnyView {
    let (invalid, described, text) = faults.on(&id, kind.hint.is_some(), lang);
    let hint = kind.hint.map(|hint| view! { <p class="hint" id=format!("{id}-hint")>{hint}</p> });
    let aside = kind.aside.map(|aside| view! { " "<span class="muted">{aside}</span> });
    let control = if kind.lines {
        view! {
            <textarea class="field paste" id=id.clone() name=id.clone() rows="3" spellcheck="false" aria-invalid=invalid aria-describedby=described inner_html=in_textarea(&value)></textarea>
        }
        .into_any()
    } else {
        let mode = kind.digits.then_some("numeric");
        view! {
            <input class="field" id=id.clone() name=id.clone() value=value list=kind.list inputmode=mode autocomplete="off" spellcheck="false" aria-invalid=invalid aria-describedby=described/>
        }
        .into_any()
    };
    let class = if kind.lines { "entry entry--wide" } else { "entry" };
    view! { <div class=class><label for=id.clone()>{label}{aside}</label>{control}{hint}{text}</div> }.into_any()
}

/// A list to choose from; `options` are value and words.
pub fn pick(
    id: String,
    label: &'static str,
    chosen: &str,
    options: Vec<(String, String)>,
    hint: Option<&'static str>,
    faults: &Faults,
    lang: Lang,
) -> AnyView {
    let (invalid, described, text) = faults.on(&id, hint.is_some(), lang);
    let hint = hint.map(|hint| view! { <p class="hint" id=format!("{id}-hint")>{hint}</p> });
    let options = options
        .into_iter()
        .map(|(value, words)| {
            let selected = value == chosen;
            view! { <option value=value selected=selected>{words}</option> }
        })
        .collect_view();
    view! {
        <div class="entry">
            <label for=id.clone()>{label}</label>
            <select class="field" id=id.clone() name=id aria-invalid=invalid aria-describedby=described>{options}</select>
            {hint}
            {text}
        </div>
    }
    .into_any()
}
