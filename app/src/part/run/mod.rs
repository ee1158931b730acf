//! The sections of a run's page.

mod asked;
mod figures;
mod origin;
mod place;

use domain::{
    check::{Finding, Subject},
    note::Target,
    report::RunReport,
    text::{self, explain, phrase},
    upload::UNKNOWN,
};
use leptos::prelude::*;

use super::{
    NoteBeside,
    chips::{Chips, engine},
    report::{Edition, MoreOnCommand},
    rich::Sentence,
    tag::SeverityTag,
};
use crate::{
    island::CopyButton,
    words::{copy_labels, words},
};
use asked::Asked;
use figures::Figures;
use origin::{Excerpt, Origin};
use place::place;

/// Everything about one run: its figures with what was found on each, the workload, the command, the file.
#[component]
pub fn RunBody(
    /// The report of its study.
    edition: Edition,
    /// The run.
    run: RunReport,
) -> impl IntoView {
    let (labels, page) = (edition.labels(), edition.page());
    let (e, r) = (|| edition.clone(), || run.clone());
    [
        block("findings", page.run_findings, view! { <General edition=e() run=r()/> }.into_any()),
        block("notes", labels.notes, view! { <Notes edition=e() run=r()/> }.into_any()),
        block("figures", page.run_figures, view! { <Figures edition=e() run=r()/> }.into_any()),
        block("asked", page.asked_and_measured, view! { <Asked edition=e() run=r()/> }.into_any()),
        block("variant", page.under_test, view! { <UnderTest edition=e() run=r()/> }.into_any()),
        block("provenance", page.provenance, view! { <Origin edition=e() run=r()/> }.into_any()),
        block("raw", labels.raw_result, view! { <Excerpt edition=e() run=r()/> }.into_any()),
    ]
}

fn block(id: &'static str, title: &'static str, content: AnyView) -> AnyView {
    let heading = format!("h-{id}");
    view! {
        <section class="sec" id=id aria-labelledby=heading.clone()>
            <h2 id=heading.clone()>{title}</h2>
            {content}
        </section>
    }
    .into_any()
}

/// What people wrote on the run, and on what it measured.
#[component]
fn Notes(edition: Edition, run: RunReport) -> impl IntoView {
    let of_variant = edition.report.variant(&run.variant).filter(|variant| !variant.notes.is_empty()).map(|variant| {
        let on = Target::Variant(variant.id.clone());
        let name =
            text::notes::note_on(edition.lang, &text::variant_name(edition.lang, &edition.report, &variant.id).plain());
        view! {
            <section class="said__apart">
                <h3>{name}</h3>
                <NoteBeside edition=edition.clone() on notes=variant.notes.clone() level=3/>
            </section>
        }
    });
    view! {
        <div>
            <NoteBeside edition=edition.clone() on=Target::Run(run.id.clone()) notes=run.notes.clone() level=2 invite=true/>
            {of_variant}
        </div>
    }
}

/// What was found that belongs to no single figure; the rest stands beside its figure.
#[component]
fn General(edition: Edition, run: RunReport) -> impl IntoView {
    let lang = edition.lang;
    let compared = edition.report.conclusion.rows.iter().filter(|row| {
        row.profile == run.profile && (row.baseline.runs.contains(&run.id) || row.recommended.runs.contains(&run.id))
    });
    let general: Vec<&Finding> = run
        .findings
        .iter()
        .chain(compared.flat_map(|row| &row.findings))
        .filter(|finding| place(&finding.evidence).is_none())
        .collect();
    if run.findings.is_empty() && general.is_empty() {
        return view! { <p class="muted">{edition.page().run_clean}</p> }.into_any();
    }
    let beside = run.findings.iter().filter(|finding| place(&finding.evidence).is_some()).count();
    let beside = (beside > 0).then(|| {
        view! { <p class="small muted"><a href="#figures">{phrase::beside_figures(lang, beside)}</a></p> }
    });
    let items = general.into_iter().map(|finding| view! { <Found edition=edition.clone() finding=finding.clone()/> });
    let items = items.collect_view();
    view! { <div class="found-all"><ul class="found">{items}</ul>{beside}</div> }.into_any()
}

/// A finding in one line: severity, sentence, and the way to its kind in the report.
#[component]
pub fn Found(
    /// The report.
    edition: Edition,
    /// The finding.
    finding: Finding,
) -> impl IntoView {
    let lang = edition.lang;
    let severity = finding.evidence.severity();
    let about = match &finding.about {
        Subject::Comparison(..) => Some(view! {
            {edition.labels().baseline}" → "{edition.labels().recommended}{phrase::colon(lang)}
        }),
        Subject::Run(_) | Subject::Study => None,
    };
    view! {
        <li>
            <SeverityTag severity words=text::severity(lang, severity)/>
            <span>
                {about}
                <Sentence rich=text::evidence(lang, &edition.report, &finding.evidence)/>
                " "<code class="small muted">{finding.evidence.id()}</code>
            </span>
        </li>
    }
}

/// The variant, what distinguishes it from the baseline, and its command.
#[component]
fn UnderTest(edition: Edition, run: RunReport) -> impl IntoView {
    let (lang, labels) = (edition.lang, edition.labels());
    let variant = edition.report.variant(&run.variant)?.clone();
    let explained = explain(lang, &variant.engine.engine, &variant.args, &variant.command.env);
    let command = variant.has_command().then(|| variant.command.text.clone());
    let command = match command {
        None => view! { <p class="muted">{labels.command_unknown}</p> }.into_any(),
        Some(command) => view! {
            <div class="plate plate--alone">
                <div class="command">
                    <div class="command__bar">
                        <span>{labels.serving_command}</span>
                        <CopyButton text=command.clone() labels=copy_labels(words(lang))/>
                    </div>
                    <pre tabindex="0" role="group" aria-label=labels.serving_command><code>{command}</code></pre>
                </div>
                <MoreOnCommand explained forms=None copy=true lang/>
            </div>
        }
        .into_any(),
    };
    let baseline = edition.baseline().cloned();
    Some(view! {
        <dl class="facts">
            <dt>{labels.engine}</dt>
            <dd>{if variant.engine.engine == UNKNOWN { phrase::engine(lang, UNKNOWN).to_owned() } else { engine(&variant) }}</dd>
            <dt>{labels.model}</dt>
            <dd><code>{phrase::model(lang, &variant.model).to_owned()}</code></dd>
            <dt>{labels.arguments}</dt>
            <dd><Chips variant baseline lang/></dd>
        </dl>
        {command}
    })
}
