//! What changed between two states of a report, group by group.

use domain::{
    text::versions::{from_to, group, sentence, version, version_labels},
    version::{Difference, Group},
};
use leptos::prelude::*;
use store::Version;

use crate::{
    lang::Lang,
    part::{notes::Diff, rich::Sentence},
};

/// Sentences of a group that stand open; the others open on demand.
const OPEN: usize = 40;

/// Two states set against each other.
#[derive(Clone, Debug)]
pub struct Changes {
    /// The version that is the older one.
    pub from: u32,
    /// The version that is held against it; the live report where there is none.
    pub to: Option<u32>,
    /// What changed.
    pub differences: Vec<Difference>,
}

/// The two lists to choose from. Choosing is a form whose address is the view.
#[component]
pub fn Choose(
    /// Newest first.
    versions: Vec<Version>,
    /// What is compared now.
    chosen: Option<(u32, Option<u32>)>,
    /// The page.
    action: String,
    /// In which language.
    lang: Lang,
) -> impl IntoView {
    let words = version_labels(lang);
    let newest = versions.first().map(|version| version.number).unwrap_or_default();
    let (from, to) = chosen.unwrap_or((newest, None));
    let options = |selected: Option<u32>| {
        let all = versions.iter().map(|one| one.number).map(move |number| {
            view! { <option value=number.to_string() selected=selected == Some(number)>{version(lang, number)}</option> }
        });
        all.collect_view()
    };
    view! {
        <form class="versions__form versions__choose" method="get" action=format!("{action}#difference")>
            <div class="entry">
                <label for="from">{words.from}</label>
                <select class="field" id="from" name="from">{options(Some(from))}</select>
            </div>
            <div class="entry">
                <label for="to">{words.to}</label>
                <select class="field" id="to" name="to">
                    <option value="live" selected=to.is_none()>{words.live}</option>
                    {options(to)}
                </select>
            </div>
            <button class="btn" type="submit">{words.compare}</button>
        </form>
    }
}

/// The differences in words.
#[component]
pub fn ChangesShown(
    /// What changed.
    changes: Changes,
    /// In which language.
    lang: Lang,
) -> impl IntoView {
    let words = version_labels(lang);
    let Changes { from, to, differences } = changes;
    let caption = from_to(lang, from, to);
    let none = differences.is_empty().then(|| view! { <p class="muted">{words.no_difference}</p> });
    let groups = Group::ALL.into_iter().filter_map(|of| {
        let all: Vec<Difference> = differences.iter().filter(|one| one.group() == of).cloned().collect();
        (!all.is_empty()).then(|| shown(of, all, lang))
    });
    let groups = groups.collect_view();
    view! {
        <section class="versions__part" id="difference" aria-labelledby="difference-title" tabindex="-1">
            <h2 id="difference-title">{words.compare_title}<span class="title__sizes">{caption}</span></h2>
            {none}
            {groups}
        </section>
    }
}

fn shown(of: Group, mut all: Vec<Difference>, lang: Lang) -> AnyView {
    let more = all.split_off(all.len().min(OPEN));
    let list = |all: Vec<Difference>| {
        let items = all.into_iter().map(|one| line(&one, lang)).collect_view();
        view! { <ul class="versions__changes">{items}</ul> }
    };
    let count = more.len();
    let more = (!more.is_empty()).then(|| {
        view! {
            <details>
                <summary>{domain::text::versions::more(lang, count)}</summary>
                {list(more)}
            </details>
        }
    });
    view! {
        <section>
            <h3>{group(lang, of)}</h3>
            {list(all)}
            {more}
        </section>
    }
    .into_any()
}

/// A sentence; a note also shows its lines.
fn line(one: &Difference, lang: Lang) -> AnyView {
    let words = version_labels(lang);
    let lines = match one {
        Difference::Note { lang: of, from, to, .. } => {
            let text = |text: &Option<String>| text.clone().unwrap_or_default();
            let lines = render::diff(&text(from), &text(to));
            Some(view! {
                <details>
                    <summary>{words.lines}</summary>
                    <Diff lines caption=words.lines.to_owned() of=*of lang/>
                </details>
            })
        }
        Difference::Recommended { .. }
        | Difference::Standing { .. }
        | Difference::Baseline { .. }
        | Difference::Gain { .. }
        | Difference::Compared { .. }
        | Difference::Figure { .. }
        | Difference::Decision { .. }
        | Difference::Part { .. }
        | Difference::Command { .. }
        | Difference::Workload { .. }
        | Difference::Title { .. }
        | Difference::Setting { .. }
        | Difference::Runs { .. }
        | Difference::Reading { .. }
        | Difference::Finding { .. }
        | Difference::Wording { .. }
        | Difference::Other { .. } => None,
    };
    view! { <li><Sentence rich=sentence(lang, one)/>{lines}</li> }.into_any()
}
