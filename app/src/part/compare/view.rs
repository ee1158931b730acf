//! A comparison as one reader sees it.

use std::sync::Arc;

use domain::{
    compare::{Column, Comparison, RunIn, Selection},
    text::{compare::column_name, phrase},
};
use leptos::prelude::*;

use crate::{
    lang::Lang,
    part::{report::Medium, rich::Sentence},
    routes::{Route, compare_href},
};

/// Cheap to clone: every part gets one.
#[derive(Clone)]
pub struct View {
    /// The facts.
    pub facts: Arc<Comparison>,
    /// The language.
    pub lang: Lang,
    /// Where it is read: only on the site do its links lead to other views, reports and runs.
    pub medium: Medium,
}

impl View {
    /// Whether all of the site is around it.
    #[must_use]
    pub fn on_site(&self) -> bool {
        self.medium == Medium::Site
    }

    /// The address of another view, where there are others.
    #[must_use]
    pub fn href(&self, selection: &Selection) -> Option<String> {
        self.on_site().then(|| compare_href(self.lang, selection))
    }

    /// Columns with their places.
    pub fn columns(&self) -> impl Iterator<Item = (usize, &Column)> {
        self.facts.columns.iter().enumerate()
    }

    /// A side by its number and name: `2 Performance mode`.
    #[must_use]
    pub fn numbered(&self, at: usize, column: &Column) -> AnyView {
        view! {
            <span class="vs__no">{at + 1}</span>" "<Sentence rich=column_name(self.lang, column)/>
        }
        .into_any()
    }

    /// The runs of a side: links to their pages, or to their raw outputs, or their numbers alone.
    #[must_use]
    pub fn runs(&self, column: &Column) -> AnyView {
        let href = |run: &RunIn| match &self.medium {
            Medium::Site => Some(Route::Run(run.id.to_string()).href(self.lang)),
            Medium::Sheet { raw } => raw.as_ref().map(|raw| format!("{raw}/{}", run.digest)),
        };
        let runs = column.runs.iter().enumerate().map(|(at, run)| {
            let separator = (at > 0).then(|| phrase::separator(self.lang));
            let number = format!("{:02}", run.number);
            match href(run) {
                Some(href) => {
                    let name = phrase::run(self.lang, run.number);
                    view! { {separator}<a href=href aria-label=name>{number}</a> }.into_any()
                }
                None => view! { {separator}{number} }.into_any(),
            }
        });
        let word = phrase::runs_word(self.lang, column.runs.len());
        view! { <span class="run-links">{word}{runs.collect_view()}</span> }.into_any()
    }

    /// The report that a side is of; only on the site.
    #[must_use]
    pub fn study_href(&self, column: &Column) -> Option<String> {
        self.on_site().then(|| Route::Study(column.study.to_string()).href(self.lang))
    }
}
