//! Everything that was found, heaviest first; one entry a kind, with its evidence run by run.

use domain::{
    check::{Finding, Severity, Subject},
    report::{Kind, kinds_of},
    text::{self, phrase},
};
use leptos::prelude::*;

use super::edition::Edition;
use crate::part::{rich::Sentence, tag::SeverityTag};

/// So many findings of a kind are shown at once; more are folded behind the first.
const SHOWN: usize = 3;

/// The section.
#[component]
pub fn Findings(
    /// The report.
    edition: Edition,
) -> impl IntoView {
    if edition.report.findings.is_empty() {
        return view! { <p class="muted">{edition.labels().no_findings}</p> }.into_any();
    }
    let kinds = [Severity::Disqualifying, Severity::Warning, Severity::Info]
        .into_iter()
        .flat_map(|severity| kinds_of(&edition.report, severity))
        .map(|kind| kind_view(&edition, severity_of(&kind), &kind))
        .collect_view();
    view! { <div class="findings wide">{kinds}</div> }.into_any()
}

fn severity_of(kind: &Kind<'_>) -> Severity {
    kind.findings.first().map_or(Severity::Info, |finding| finding.evidence.severity())
}

fn kind_view(edition: &Edition, severity: Severity, kind: &Kind<'_>) -> Option<AnyView> {
    let (lang, page) = (edition.lang, edition.page());
    let first = kind.findings.first()?;
    let sentence = |finding: &Finding| text::evidence(lang, &edition.report, &finding.evidence);
    let line = |finding: &Finding| view! { {about(edition, finding)}<Sentence rich=sentence(finding)/> };
    let shown = if kind.findings.len() <= SHOWN {
        kind.findings.iter().map(|finding| view! { <p>{line(finding)}</p> }).collect_view().into_any()
    } else {
        let all = kind.findings.iter().map(|finding| view! { <li>{line(finding)}</li> });
        view! {
            <p>{line(first)}</p>
            <details class="more">
                <summary>{page.more_evidence}{phrase::colon(lang)}{kind.findings.len()}</summary>
                <ul class="evidence">{all.collect_view()}</ul>
            </details>
        }
        .into_any()
    };
    let runs: Vec<_> = kind
        .findings
        .iter()
        .filter_map(|finding| match &finding.about {
            Subject::Run(run) => Some(run.clone()),
            Subject::Comparison(..) | Subject::Study => None,
        })
        .collect();
    let runs = (!runs.is_empty()).then(|| {
        view! { <p class="finding__runs">{edition.run_links(&runs)}</p> }
    });
    Some(
        view! {
            <article class="finding" id=format!("f-{}", kind.id)>
                <div><SeverityTag severity words=text::severity(lang, severity)/></div>
                <div>
                    <h3>{phrase::finding(lang, &first.evidence)}" "<code>{kind.id}</code></h3>
                    {shown}
                </div>
                {runs}
            </article>
        }
        .into_any(),
    )
}

/// What a finding is about, in front of its sentence.
fn about(edition: &Edition, finding: &Finding) -> Option<AnyView> {
    let lang = edition.lang;
    match &finding.about {
        Subject::Run(id) => {
            let run = edition.report.run(id)?;
            let href = edition.run_href(run);
            Some(view! { <a href=href>{phrase::run_title(lang, run.number)}</a>{phrase::colon(lang)} }.into_any())
        }
        Subject::Comparison(profile, _) => {
            Some(view! { <a href="#profiles">{edition.profile(profile)}</a>{phrase::colon(lang)} }.into_any())
        }
        Subject::Study => None,
    }
}
