//! Framed words: decisions, severities, roles of a variant.

use domain::{advise::Decision, check::Severity, text};
use leptos::prelude::*;

use super::icon::{Icon, IconMark};
use crate::lang::Lang;

/// What became of a step.
#[component]
pub fn DecisionTag(
    /// The decision.
    decision: Decision,
    /// In which language.
    lang: Lang,
) -> impl IntoView {
    let (icon, class) = match decision {
        Decision::Baseline => (Icon::Same, "tag tag--flat"),
        Decision::Adopted => (Icon::Better, "tag tag--adopted"),
        Decision::Rejected => (Icon::Rejected, "tag tag--rejected"),
        Decision::NoRelevantGain => (Icon::Same, "tag tag--dashed"),
        Decision::NotComparable => (Icon::NotComparable, "tag tag--dashed"),
    };
    view! { <span class=class><IconMark icon/>{text::decision(lang, decision)}</span> }
}

/// A severity, in these words: its own name, or a count.
#[component]
pub fn SeverityTag(
    /// Which one.
    severity: Severity,
    /// What stands in the frame.
    #[prop(into)]
    words: String,
) -> impl IntoView {
    let (icon, class) = match severity {
        Severity::Disqualifying => (Icon::Disqualified, "tag tag--disqualified"),
        Severity::Warning => (Icon::Warning, "tag tag--warning"),
        Severity::Info => (Icon::Info, "tag tag--flat"),
    };
    view! { <span class=class><IconMark icon/>{words}</span> }
}

/// A run or variant that cannot win.
#[component]
pub fn DisqualifiedTag(
    /// In which language.
    lang: Lang,
) -> impl IntoView {
    view! { <SeverityTag severity=Severity::Disqualifying words=text::labels(lang).disqualified/> }
}

/// Baseline or recommended.
#[component]
pub fn RoleTag(
    /// Whether it is what the report advises.
    recommended: bool,
    /// In which language.
    lang: Lang,
) -> impl IntoView {
    let labels = text::labels(lang);
    if recommended {
        view! { <span class="tag tag--recommended">{labels.recommended}</span> }
    } else {
        view! { <span class="tag tag--flat">{labels.baseline}</span> }
    }
}
