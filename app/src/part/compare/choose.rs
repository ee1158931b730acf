//! The form that chooses: a form sent by GET, so its answer is an address, and no script is needed.

use std::collections::BTreeSet;

use domain::{
    compare::{Selection, Subject},
    study::{Localized, StudyData},
    text::compare::compare_labels,
};
use leptos::prelude::*;

use crate::{lang::Lang, routes::Route};

/// A study that was measured, with all that can be chosen of it.
#[derive(Clone, Debug)]
pub struct Offered {
    title: Localized,
    profiles: Vec<(Localized, Vec<Choice>)>,
}

#[derive(Clone, Debug)]
struct Choice {
    subject: Subject,
    /// Its name, where people gave one; else its id stands for it.
    name: Result<Localized, String>,
    baseline: bool,
}

impl Offered {
    /// What a study offers, profile by profile; none where it has no run.
    #[must_use]
    pub fn of(data: &StudyData) -> Option<Self> {
        let study = &data.study;
        let measured: BTreeSet<_> = data.runs.iter().map(|run| (&run.variant, &run.profile)).collect();
        let profiles = study.profiles.iter().map(|profile| {
            let variants = study.variants.iter().filter(|variant| measured.contains(&(&variant.id, &profile.id)));
            let choices = variants.map(|variant| Choice {
                subject: Subject::of_variant(&study.slug, &variant.id, &profile.id),
                name: variant.name.clone().ok_or_else(|| variant.id.to_string()),
                baseline: variant.id == study.baseline,
            });
            (profile.name.clone(), choices.collect::<Vec<_>>())
        });
        let profiles: Vec<_> = profiles.filter(|(_, choices)| !choices.is_empty()).collect();
        (!profiles.is_empty()).then(|| Self { title: study.title.clone(), profiles })
    }

    fn has(&self, subjects: &[Subject]) -> bool {
        let mut choices = self.profiles.iter().flat_map(|(_, choices)| choices);
        choices.any(|choice| subjects.contains(&choice.subject))
    }
}

/// Every variant under every profile that it was measured under; what is chosen already is ticked.
#[component]
pub fn Choose(
    /// All studies.
    offered: Vec<Offered>,
    /// What is chosen already.
    selection: Selection,
    /// In which language.
    lang: Lang,
) -> impl IntoView {
    let words = compare_labels(lang);
    if offered.is_empty() {
        return view! { <p class="empty">{words.nothing_stored}</p> }.into_any();
    }
    let runs = selection.subjects.iter().filter(|subject| matches!(subject, Subject::Run(_)));
    let runs: Vec<_> = runs
        .map(|subject| {
            let choice = Choice { subject: subject.clone(), name: Err(subject.to_string()), baseline: false };
            item(&choice, &selection, lang)
        })
        .collect();
    let runs = (!runs.is_empty()).then(|| view! { <ul>{runs}</ul> });
    let only = offered.len() == 1;
    let studies = offered.iter().map(|study| {
        let open = only || selection.is_empty() || study.has(&selection.subjects);
        let profiles = study.profiles.iter().map(|(name, choices)| {
            let items = choices.iter().map(|choice| item(choice, &selection, lang)).collect_view();
            view! {
                <fieldset>
                    <legend>{name.get(lang).to_owned()}</legend>
                    <ul>{items}</ul>
                </fieldset>
            }
        });
        let profiles = profiles.collect_view();
        view! {
            <details open=open>
                <summary><h3>{study.title.get(lang).to_owned()}</h3></summary>
                <div class="limits__profiles">{profiles}</div>
            </details>
        }
    });
    let all_params = selection.all_params.then(|| view! { <input type="hidden" name="params" value="all"/> });
    let studies = studies.collect_view();
    view! {
        <form class="limits choose" method="get" action=Route::Compare.href(lang) aria-labelledby="choose">
            <h2 id="choose">{words.choose}</h2>
            <p class="small muted">{words.choose_hint}</p>
            {all_params}
            {runs}
            {studies}
            <p><button class="btn btn--main" type="submit">{words.show}</button></p>
        </form>
    }
    .into_any()
}

fn item(choice: &Choice, selection: &Selection, lang: Lang) -> AnyView {
    let words = compare_labels(lang);
    let value = choice.subject.to_string();
    let ticked = selection.subjects.contains(&choice.subject);
    let is_base = selection.base() == Some(&choice.subject);
    let name = match &choice.name {
        Ok(name) => name.get(lang).to_owned().into_any(),
        Err(id) => view! { <code>{id.clone()}</code> }.into_any(),
    };
    let spoken = match &choice.name {
        Ok(name) => name.get(lang).to_owned(),
        Err(id) => id.clone(),
    };
    let role = choice.baseline.then(|| {
        view! { " "<span class="small muted">{domain::text::labels(lang).baseline}</span> }
    });
    view! {
        <li>
            <label><input type="checkbox" name="of" value=value.clone() checked=ticked/><span>{name}{role}</span></label>
            <label>
                <input type="radio" name="base" value=value checked=is_base/>
                <span>{words.as_base}<span class="vh">": "{spoken}</span></span>
            </label>
        </li>
    }
    .into_any()
}
