//! What a report is about, above everything else.

use domain::text::phrase;
use leptos::prelude::*;

use super::{edition::Edition, engines_under_advice};
use crate::part::Time;

/// Title, model, machine, engines, size and age; what is put inside stands beside them.
#[component]
pub fn ReportTitle(
    /// The report.
    edition: Edition,
    /// Last change of the study, milliseconds since 1970 UTC.
    updated_at: i64,
    /// What can be done with it.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let (report, lang) = (&edition.report, edition.lang);
    let sizes = [
        phrase::runs(lang, report.runs.len()),
        phrase::profiles(lang, report.profiles.len()),
        phrase::steps(lang, report.steps.len()),
    ]
    .join(phrase::separator(lang));
    view! {
        <div class="title">
            <div>
                <h1>{edition.name(&report.title)}</h1>
                <ul class="meta">
                    <li><code>{phrase::model(lang, &report.model.id).to_owned()}</code></li>
                    <li>{phrase::hardware(lang, &report.hardware)}</li>
                    <li>{engines_under_advice(lang, report)}</li>
                    <li>{sizes}</li>
                    <li>{edition.page().updated}" "<Time ms=updated_at lang/></li>
                </ul>
            </div>
            {children.map(|children| children())}
        </div>
    }
}
