//! What was found on each side: its counts in sight, its sentences one click away.

use domain::{
    check::{Finding, Severity, Subject},
    text::{self, compare as words, phrase},
};
use leptos::prelude::*;

use super::view::View;
use crate::part::{rich::Sentence, tag::SeverityTag};

/// One block a side.
#[component]
pub fn Findings(
    /// What is seen.
    view: View,
) -> impl IntoView {
    let lang = view.lang;
    let all = view.columns().map(|(at, column)| {
        let findings = &column.findings;
        if findings.is_empty() {
            let nothing = words::compare_labels(lang).no_findings;
            return view! {
                <p class="small">{view.numbered(at, column)}{phrase::colon(lang)}<span class="muted">{nothing}</span></p>
            }
            .into_any();
        }
        let counts = [Severity::Disqualifying, Severity::Warning, Severity::Info].into_iter().filter_map(|severity| {
            let n = findings.iter().filter(|finding| finding.evidence.severity() == severity).count();
            (n > 0).then(|| view! { " "<SeverityTag severity words=phrase::findings(lang, severity, n)/> })
        });
        let counts = counts.collect_view();
        let items = findings.iter().map(|finding| item(&view, finding)).collect_view();
        view! {
            <details class="more">
                <summary>{view.numbered(at, column)}{counts}</summary>
                <ul class="found">{items}</ul>
            </details>
        }
        .into_any()
    });
    view! { <div class="wide">{all.collect_view()}</div> }
}

fn item(view: &View, finding: &Finding) -> AnyView {
    let (lang, severity) = (view.lang, finding.evidence.severity());
    let against = match &finding.about {
        Subject::Comparison(..) => {
            let base = words::compare_labels(lang).base;
            Some(view! { {base}" → "{text::labels(lang).variant}{phrase::colon(lang)} })
        }
        Subject::Run(_) | Subject::Study => None,
    };
    let rich = text::evidence_with(lang, &finding.evidence, &|id| view.facts.number(id));
    view! {
        <li>
            <SeverityTag severity words=text::severity(lang, severity)/>
            <span>{against}<Sentence rich/>" "<code class="small muted">{finding.evidence.id()}</code></span>
        </li>
    }
    .into_any()
}
