//! The sections of a report page: which there are, how they are numbered, and the list of contents.

use domain::{report::Report, text::ranking_labels};
use leptos::prelude::*;

use super::edition::Edition;
use crate::island::FollowContents;

/// A section after the conclusion, in the order of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Baseline against recommended, figure by figure.
    Profiles,
    /// Charts.
    Figures,
    /// What became of every variant, under which limits.
    Ranking,
    /// Other studies of the question.
    Rivals,
    /// The authors' notes.
    Notes,
    /// Model, machine, software.
    Environment,
    /// How figures come about; profiles.
    Method,
    /// What was tried.
    Steps,
    /// One row a step.
    Options,
    /// Profiles that no step decided on.
    Cases,
    /// Everything that was found.
    Findings,
    /// Files and digests.
    Provenance,
}

impl Part {
    /// The sections that a report has something for.
    #[must_use]
    pub fn of(report: &Report) -> Vec<Self> {
        let compared = !report.conclusion.rows.is_empty();
        [
            compared.then_some(Self::Profiles),
            compared.then_some(Self::Figures),
            (!report.ranking.is_empty()).then_some(Self::Ranking),
            (!report.rivals.is_empty()).then_some(Self::Rivals),
            Some(Self::Notes),
            Some(Self::Environment),
            Some(Self::Method),
            (!report.steps.is_empty()).then_some(Self::Steps),
            (!report.options.is_empty()).then_some(Self::Options),
            (!report.cases.is_empty()).then_some(Self::Cases),
            Some(Self::Findings),
            Some(Self::Provenance),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// Its anchor.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Profiles => "profiles",
            Self::Figures => "figures",
            Self::Ranking => "ranking",
            Self::Rivals => "rivals",
            Self::Notes => "notes",
            Self::Environment => "environment",
            Self::Method => "method",
            Self::Steps => "steps",
            Self::Options => "options",
            Self::Cases => "cases",
            Self::Findings => "findings",
            Self::Provenance => "provenance",
        }
    }

    /// Its heading.
    #[must_use]
    pub fn title(self, edition: &Edition) -> &'static str {
        let (labels, page) = (edition.labels(), edition.page());
        match self {
            Self::Profiles => labels.profile_by_profile,
            Self::Figures => page.figures,
            Self::Ranking => ranking_labels(edition.lang).ranking,
            Self::Rivals => ranking_labels(edition.lang).rivals,
            Self::Notes => labels.notes,
            Self::Environment => labels.environment,
            Self::Method => labels.method,
            Self::Steps => labels.steps,
            Self::Options => labels.options,
            Self::Cases => labels.other_cases,
            Self::Findings => labels.findings,
            Self::Provenance => page.provenance,
        }
    }
}

/// A section with its number and heading.
#[component]
pub fn Section(
    /// Which one.
    part: Part,
    /// From 1.
    number: usize,
    /// Its heading.
    title: &'static str,
    /// What it holds.
    children: Children,
) -> impl IntoView {
    let heading = format!("h-{}", part.id());
    view! {
        <section class="sec" id=part.id() aria-labelledby=heading.clone()>
            <h2 id=heading.clone()><span class="no">{number}</span>{title}</h2>
            {children()}
        </section>
    }
}

/// The list of contents; stands after the conclusion, and beside everything on wide screens.
#[component]
pub fn Contents(
    /// The report.
    edition: Edition,
) -> impl IntoView {
    let labels = edition.labels();
    let items = Part::of(&edition.report)
        .into_iter()
        .map(|part| {
            let steps = (part == Part::Steps).then(|| {
                let steps = edition.report.steps.iter().map(|step| {
                    let href = format!("#step-{}", step.id);
                    view! { <li><a href=href>{edition.name(&step.name)}</a></li> }
                });
                view! { <ol>{steps.collect_view()}</ol> }
            });
            let href = format!("#{}", part.id());
            view! { <li><a href=href>{part.title(&edition)}</a>{steps}</li> }
        })
        .collect_view();
    view! {
        <nav class="toc" aria-label=edition.page().contents>
            <p class="toc__title" aria-hidden="true">{edition.page().contents}</p>
            <ol>
                <li><a href="#conclusion">{labels.conclusion}</a></li>
                {items}
            </ol>
            {edition.on_site().then(|| view! { <FollowContents/> })}
        </nav>
    }
}
