//! Under which circumstances was measured: notes, environment, method.

use domain::{
    note::Target,
    study::Profile,
    text::{self, command_labels, number, phrase},
    upload::UNKNOWN,
};
use leptos::prelude::*;

use super::{edition::Edition, forms::ArgumentList};
use crate::part::{NoteBeside, figure::Absent, rich::Sentence};

/// The authors' notes; safe HTML from their Markdown.
#[component]
pub fn Notes(
    /// The report.
    edition: Edition,
) -> impl IntoView {
    let (report, lang) = (&edition.report, edition.lang);
    let apart = report.notes_apart();
    let none = report.notes.is_empty().then(|| {
        view! { <p class="muted">{edition.labels().no_notes}</p> }
    });
    let none = none.filter(|_| apart.is_empty());
    let apart = apart.into_iter().map(|(on, notes)| {
        let name = text::notes::target_in(lang, report, &on);
        view! {
            <section class="said__apart">
                <h3><Sentence rich=name/></h3>
                <NoteBeside edition=edition.clone() on notes=notes.clone() level=3/>
            </section>
        }
    });
    let apart = apart.collect_view();
    view! {
        <div>
            {none}
            <NoteBeside edition=edition.clone() on=Target::Study notes=report.notes.clone() level=2 invite=true/>
            {apart}
        </div>
    }
}

/// Model, machine and software. What nobody recorded says so.
#[component]
pub fn Environment(
    /// The report.
    edition: Edition,
) -> impl IntoView {
    let (report, labels, page) = (&edition.report, edition.labels(), edition.page());
    let mut models: Vec<&str> = vec![&report.model.id];
    for variant in &report.variants {
        if !models.contains(&variant.model.as_str()) {
            models.push(&variant.model);
        }
    }
    let models = models.into_iter().map(|model| match model {
        UNKNOWN => view! { <dd><Absent word=labels.not_recorded/></dd> }.into_any(),
        model => view! { <dd><code>{model.to_owned()}</code></dd> }.into_any(),
    });
    let models = models.collect_view();
    let engines = report.engines.iter().map(|used| {
        let version = match &used.version {
            Some(version) => version.clone().into_any(),
            None => view! { <Absent word=labels.not_recorded/> }.into_any(),
        };
        let engine = phrase::engine(edition.lang, &used.engine).to_owned();
        view! { <dd>{engine}" "{version}</dd> }
    });
    let tools = report.tools.iter().map(|tool| view! { <dd>{text::tool(edition.lang, *tool)}</dd> });
    let unrecorded = [page.driver, page.clocks, page.cache].map(|name| {
        view! { <dt>{name}</dt><dd><Absent word=labels.not_recorded/></dd> }
    });
    view! {
        <dl class="facts">
            <dt>{labels.model}</dt>
            {models}
            <dt>{labels.gpu}</dt>
            <dd>{phrase::hardware(edition.lang, &report.hardware)}</dd>
            <dt>{labels.engines}</dt>
            {engines.collect_view()}
            <dt>{labels.tool}</dt>
            {tools.collect_view()}
            {unrecorded}
        </dl>
        <div class="margin"><p class="note">{page.unrecorded}</p></div>
        {all_arguments(&edition)}
    }
}

/// What the arguments of all variants do, engine by engine.
fn all_arguments(edition: &Edition) -> impl IntoView + use<> {
    let engines = text::explain_all(edition.lang, &edition.report);
    (!engines.is_empty()).then(|| {
        let engines = engines.into_iter().map(|(engine, explained)| {
            view! { <h3>{engine}</h3><ArgumentList explained/> }
        });
        let engines = engines.collect_view();
        view! {
            <details class="more more--arguments">
                <summary>{command_labels(edition.lang).all_arguments}</summary>
                {engines}
            </details>
        }
    })
}

/// How the figures come about, and what each profile asks for.
#[component]
pub fn Method(
    /// The report.
    edition: Edition,
) -> impl IntoView {
    let (report, lang, labels, page) = (&edition.report, edition.lang, edition.labels(), edition.page());
    let sentences = text::method(lang, report).into_iter().map(|rich| view! { <p><Sentence rich/></p> }).collect_view();
    let limited = report.profiles.iter().any(|profile| profile.max_concurrency.is_some());
    let rows = report
        .profiles
        .iter()
        .map(|profile| view! { <ProfileRow edition=edition.clone() profile=profile.clone() limited/> })
        .collect_view();
    let commands = report
        .profiles
        .iter()
        .filter_map(|profile| {
            let command = profile.command.clone()?;
            Some(view! {
                <details class="more">
                    <summary>{labels.benchmark_command}" · "{edition.name(&profile.name)}</summary>
                    <pre class="block" tabindex="0" role="group" aria-label=labels.benchmark_command>{command}</pre>
                </details>
            })
        })
        .collect_view();
    view! {
        <div>
            <div class="prose">{sentences}</div>
            <div class="scroll method__profiles" tabindex="0" role="region" aria-label=page.profile_parameters>
                <table class="t">
                    <caption>{page.profile_parameters}</caption>
                    <thead>
                        <tr>
                            <th scope="col">{labels.profile}</th>
                            <th scope="col">{labels.dataset}</th>
                            <th scope="col" class="n">{labels.input_tokens}</th>
                            <th scope="col" class="n">{labels.output_tokens}</th>
                            <th scope="col" class="n">{labels.seed}</th>
                            <th scope="col" class="n">{labels.request_rate}</th>
                            {limited.then(|| view! { <th scope="col" class="n">{labels.max_concurrency}</th> })}
                            <th scope="col" class="n">{labels.requests}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            {commands}
        </div>
    }
}

#[component]
fn ProfileRow(edition: Edition, profile: Profile, limited: bool) -> impl IntoView {
    let absent = edition.labels().not_recorded;
    let cell = |value: Option<String>| {
        let shown = match value {
            Some(text) => text.into_any(),
            None => {
                view! { <span class="muted" aria-hidden="true">"—"</span><span class="vh">{absent}</span> }.into_any()
            }
        };
        view! { <td class="n">{shown}</td> }
    };
    let dataset = profile.dataset.clone().unwrap_or_else(|| "—".to_owned());
    view! {
        <tr>
            <th scope="row">{edition.name(&profile.name)}</th>
            <td title=profile.dataset_path.clone()>{dataset}</td>
            {cell(profile.input_tokens.map(number::count))}
            {cell(profile.output_tokens.map(number::count))}
            {cell(profile.seed.map(|seed| seed.to_string()))}
            {cell(profile.request_rate.map(|rate| phrase::request_rate(edition.lang, rate)))}
            {limited.then(|| cell(profile.max_concurrency.map(number::count)))}
            {cell(profile.requests.map(number::count))}
        </tr>
    }
}
