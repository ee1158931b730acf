//! What both languages look up before they speak: names, shown figures, the rows a sentence is about.

use super::Lang;
use super::number::signed_pct;
use super::rich::{clean, code};
use crate::change::{Change, Verdict};
use crate::id::{ProfileId, RunId, StepId, VariantId};
use crate::report::{ConclusionRow, Report};

/// A report seen in one language.
#[derive(Clone, Copy)]
pub(super) struct Facts<'a> {
    pub(super) report: &'a Report,
    pub(super) lang: Lang,
}

impl<'a> Facts<'a> {
    pub(super) fn profile(&self, id: &ProfileId) -> String {
        clean(self.report.profile(id).map_or(id.as_str(), |profile| profile.name.get(self.lang)))
    }

    pub(super) fn step(&self, id: &StepId) -> String {
        clean(self.report.step(id).map_or(id.as_str(), |step| step.name.get(self.lang)))
    }

    /// A variant as a sentence names it: by its name, or else by its id.
    pub(super) fn variant(&self, id: &VariantId) -> String {
        match self.report.variant(id).and_then(|variant| variant.name.as_ref()) {
            Some(name) => clean(name.get(self.lang)),
            None => code(id.as_str()),
        }
    }

    /// A variant among others: by its engine where that alone tells them apart.
    pub(super) fn variant_among(&self, id: &VariantId, others: &[&VariantId]) -> String {
        let engine = |id: &VariantId| self.report.variant(id).map(|variant| variant.engine.engine.as_str());
        let ours = engine(id);
        match ours {
            Some(engine_name) if others.iter().all(|other| *other == id || engine(other) != ours) => clean(engine_name),
            Some(_) | None => self.variant(id),
        }
    }

    /// `run 04`, by number; the words around it are the language's.
    pub(super) fn number(&self, id: &RunId) -> String {
        self.report.run(id).map_or_else(|| clean(id.as_str()), |run| format!("{:02}", run.number))
    }

    pub(super) fn pct(&self, pct: f64) -> String {
        signed_pct(pct, usize::from(self.report.decimals))
    }

    pub(super) fn unsigned(&self, pct: f64) -> String {
        super::number::pct(pct.abs(), usize::from(self.report.decimals))
    }

    /// The change that counts, in the study's decimals.
    pub(super) fn change(&self, change: &Change) -> Option<String> {
        change.pct().map(|pct| self.pct(pct))
    }

    /// Reported and recomputed, where both exist.
    pub(super) fn both(&self, change: &Change) -> Option<(String, String)> {
        change.reported_pct.zip(change.recomputed_pct).map(|(a, b)| (self.pct(a), self.pct(b)))
    }

    pub(super) fn row(&self, profile: &ProfileId) -> Option<&'a ConclusionRow> {
        self.report.conclusion.rows.iter().find(|row| &row.profile == profile)
    }

    /// Rows other than the primary one with this verdict, the largest change first.
    pub(super) fn others(&self, verdict: Verdict) -> Vec<&'a ConclusionRow> {
        let mut rows: Vec<_> =
            self.report.conclusion.rows.iter().filter(|row| !row.primary && row.change.verdict == verdict).collect();
        rows.sort_by(|a, b| b.change.pct().unwrap_or(0.0).abs().total_cmp(&a.change.pct().unwrap_or(0.0).abs()));
        rows
    }

    /// Smallest and largest of some changes.
    pub(super) fn range(&self, rows: &[&ConclusionRow]) -> Option<(String, String)> {
        let pcts = rows.iter().filter_map(|row| row.change.pct());
        let low = pcts.clone().reduce(f64::min)?;
        let high = pcts.reduce(f64::max)?;
        Some((self.pct(low), self.pct(high)))
    }

    /// The engine and the weights of a side of the conclusion.
    pub(super) fn engine_and_model(&self, id: &VariantId) -> Option<(&'a str, &'a str)> {
        self.report.variant(id).map(|variant| (variant.engine.engine.as_str(), variant.model.as_str()))
    }
}
