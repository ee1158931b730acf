//! The sections of a report page.

mod cases;
mod charts;
mod command;
mod conclusion;
mod downloads;
mod edition;
mod findings;
mod forms;
mod gain;
mod limits;
mod options;
mod provenance;
mod ranking;
mod raw;
mod readout;
mod rivals;
mod sections;
mod setting;
mod sides;
mod steps;
mod title;
mod toolbar;

pub use downloads::Prints;
pub use edition::{Edition, Medium};
pub use forms::MoreOnCommand;
pub use title::ReportTitle;
pub use toolbar::Toolbar;

use domain::{report::Report, text::phrase, upload::UNKNOWN};
use leptos::prelude::*;

use crate::{lang::Lang, part::chips::engine};
use sections::{Contents, Part, Section};

/// A whole report: the conclusion, the list of contents, and every section that it has something for.
#[component]
pub fn ReportBody(
    /// The report.
    edition: Edition,
) -> impl IntoView {
    let sections = (1..)
        .zip(Part::of(&edition.report))
        .map(|(number, part)| {
            let edition = edition.clone();
            let title = part.title(&edition);
            view! { <Section part number title>{content(part, number, edition)}</Section> }
        })
        .collect_view();
    view! {
        <div class="report">
            <conclusion::ConclusionCard edition=edition.clone()/>
            <Contents edition=edition.clone()/>
            <div class="report__body">{sections}</div>
        </div>
    }
}

fn content(part: Part, number: usize, edition: Edition) -> AnyView {
    match part {
        Part::Profiles => view! { <sides::Sides edition/> }.into_any(),
        Part::Figures => view! { <charts::ProfilesChart edition/> }.into_any(),
        Part::Ranking => view! { <ranking::Ranking edition/> }.into_any(),
        Part::Rivals => view! { <rivals::Rivals edition/> }.into_any(),
        Part::Notes => view! { <setting::Notes edition/> }.into_any(),
        Part::Environment => view! { <setting::Environment edition/> }.into_any(),
        Part::Method => view! { <setting::Method edition/> }.into_any(),
        Part::Steps => view! { <steps::Steps edition number/> }.into_any(),
        Part::Options => view! { <options::Options edition/> }.into_any(),
        Part::Cases => view! { <cases::Cases edition/> }.into_any(),
        Part::Findings => view! { <findings::Findings edition/> }.into_any(),
        Part::Provenance => view! { <provenance::Provenance edition/> }.into_any(),
    }
}

/// The engine that a report advises, or, where it advises none, those it tried.
#[must_use]
pub fn engines_under_advice(lang: Lang, report: &Report) -> String {
    let advised = report.conclusion.recommended.as_ref().and_then(|id| report.variant(id));
    match advised {
        Some(variant) if variant.engine.engine == UNKNOWN => phrase::engine(lang, UNKNOWN).to_owned(),
        Some(variant) => engine(variant),
        None => {
            let mut names: Vec<&str> = Vec::new();
            for used in &report.engines {
                let name = phrase::engine(lang, &used.engine);
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            names.join(", ")
        }
    }
}
