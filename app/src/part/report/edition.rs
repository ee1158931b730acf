//! A report as one reader sees it: the facts, and the language they are told in.

use std::{collections::BTreeMap, sync::Arc};

use domain::{
    id::{ProfileId, RunId, VariantId},
    metrics::Stat,
    report::{Report, RunReport, VariantFacts},
    study::{AskedLimits, Localized, Profile},
    text::{Labels, PageLabels, labels, number::signed_pct, page_labels, phrase},
    units::RequestRate,
};
use leptos::prelude::*;

use crate::{
    lang::Lang,
    routes::{Route, raw_href},
};

/// Where a report is read, which decides where its links lead and whether scripts wake.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Medium {
    /// On a page of the site, with all of the site around it.
    #[default]
    Site,
    /// By itself: in a file, or by people who may see this report and nothing else.
    Sheet {
        /// Where raw outputs can be had, without the slash before their digest; nowhere, where there is none.
        raw: Option<Arc<str>>,
    },
}

/// Cheap to clone: every section gets one.
#[derive(Clone)]
pub struct Edition {
    /// The facts.
    pub report: Arc<Report>,
    /// The language.
    pub lang: Lang,
    /// The limits that this reader asked for.
    pub asked: Option<Arc<AskedLimits>>,
    /// Where it is read.
    pub medium: Medium,
}

impl Edition {
    /// A report on a page of the site.
    #[must_use]
    pub fn new(report: Arc<Report>, lang: Lang) -> Self {
        Self { report, lang, asked: None, medium: Medium::Site }
    }

    /// Whether all of the site is around it.
    #[must_use]
    pub fn on_site(&self) -> bool {
        self.medium == Medium::Site
    }

    /// Where more is said about a run: on its page, or, where there are no other pages, in the list of all runs.
    #[must_use]
    pub fn run_href(&self, run: &RunReport) -> String {
        match self.medium {
            Medium::Site => Route::Run(run.id.to_string()).href(self.lang),
            Medium::Sheet { .. } => format!("#{}", run_anchor(run)),
        }
    }

    /// Where the raw output of a run is downloaded; none where it is not to be had.
    #[must_use]
    pub fn raw_href(&self, run: &RunReport) -> Option<String> {
        match &self.medium {
            Medium::Site => Some(raw_href(&run.digest)),
            Medium::Sheet { raw } => raw.as_ref().map(|raw| format!("{raw}/{}", run.digest)),
        }
    }

    /// Words of reports.
    #[must_use]
    pub fn labels(&self) -> &'static Labels {
        labels(self.lang)
    }

    /// Words of pages.
    #[must_use]
    pub fn page(&self) -> &'static PageLabels {
        page_labels(self.lang)
    }

    /// A signed percentage in the study's decimals.
    #[must_use]
    pub fn pct(&self, pct: f64) -> String {
        signed_pct(pct, self.report.decimals.into())
    }

    /// A name that people gave, as a heading shows it.
    #[must_use]
    pub fn name(&self, name: &Localized) -> String {
        heading(name.get(self.lang), self.lang)
    }

    /// A profile's name.
    #[must_use]
    pub fn profile(&self, id: &ProfileId) -> String {
        self.report.profile(id).map_or_else(|| id.to_string(), |profile| self.name(&profile.name))
    }

    /// What a profile asks for. Where it names no limit of concurrency itself, the one that bound all of its runs.
    #[must_use]
    pub fn profile_line(&self, id: &ProfileId) -> String {
        let Some(profile) = self.report.profile(id) else { return String::new() };
        let limits = || self.report.runs.iter().filter(|run| &run.profile == id).map(|run| bound(profile, run));
        let limit = limits().next().flatten().filter(|limit| limits().all(|other| other == Some(*limit)));
        phrase::profile(self.lang, profile, limit)
    }

    /// The baseline's facts.
    #[must_use]
    pub fn baseline(&self) -> Option<&VariantFacts> {
        self.report.variant(&self.report.conclusion.baseline)
    }

    /// Whether the report advises this variant.
    #[must_use]
    pub fn is_recommended(&self, id: &VariantId) -> bool {
        self.report.conclusion.recommended.as_ref() == Some(id)
    }

    /// The runs with these ids, in their order.
    #[must_use]
    pub fn runs(&self, ids: &[RunId]) -> Vec<&RunReport> {
        ids.iter().filter_map(|id| self.report.run(id)).collect()
    }

    /// Links to the pages of runs, each once: `runs 01, 12`.
    #[must_use]
    pub fn run_links(&self, ids: &[RunId]) -> AnyView {
        let runs: BTreeMap<usize, &RunReport> = self.runs(ids).into_iter().map(|run| (run.number, run)).collect();
        let word = phrase::runs_word(self.lang, runs.len());
        let links = runs.into_values().enumerate().map(|(at, run)| {
            let separator = (at > 0).then(|| phrase::separator(self.lang));
            let href = self.run_href(run);
            let name = phrase::run(self.lang, run.number);
            view! { {separator}<a href=href aria-label=name>{format!("{:02}", run.number)}</a> }
        });
        view! { <span class="run-links">{word}{links.collect_view()}</span> }.into_any()
    }
}

/// The anchor of a run in the list of all runs.
pub fn run_anchor(run: &RunReport) -> String {
    format!("run-{:02}", run.number)
}

/// The client's limit of a run, where the load asked for would have put more requests in flight (Little's law); tools
/// also print a limit that nothing ever reached.
fn bound(profile: &Profile, run: &RunReport) -> Option<u64> {
    let limit = run.metrics.max_concurrency?;
    let wanted = match profile.request_rate {
        Some(RequestRate::PerSec(rate)) => rate.get() * run.metrics.e2el.get(&Stat::Mean)?.secs(),
        Some(RequestRate::Unlimited) | None => f64::INFINITY,
    };
    (wanted > limit as f64).then_some(limit)
}

/// Japanese headings break between phrases: the space before a particle must not.
fn heading(name: &str, lang: Lang) -> String {
    let mut out = String::with_capacity(name.len());
    let mut rest = name.chars().peekable();
    while let Some(c) = rest.next() {
        let particle = rest.peek().is_some_and(|next| ('\u{3041}'..='\u{309f}').contains(next));
        out.push(if lang == Lang::Ja && c == ' ' && particle { '\u{a0}' } else { c });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_particle_stays_on_the_line_of_its_noun() {
        assert_eq!(heading("Qwen3 のための H100 設定", Lang::Ja), "Qwen3\u{a0}のための H100 設定");
        assert_eq!(heading("Qwen3 on H100", Lang::En), "Qwen3 on H100");
    }
}
