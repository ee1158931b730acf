//! What both languages look up before they speak: names, shown figures, the rows a sentence is about.

use super::number::signed_pct;
use super::rich::{clean, code};
use super::{Lang, MENTIONED_PCT, SHOW_BOTH_POINTS};
use crate::change::{Change, NoiseSource, Verdict};
use crate::check::Evidence;
use crate::id::{ProfileId, RunId, StepId, VariantId};
use crate::metric::Metric;
use crate::metrics::Stat;
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

    /// How often both sides of the conclusion were measured; none where they were not.
    pub(super) fn repeats(&self) -> Option<Repeats> {
        let sides = || self.report.conclusion.rows.iter().flat_map(|row| [&row.baseline, &row.recommended]);
        let least = sides().map(|side| side.n).min()?;
        let starts = sides().map(|side| side.starts).min()?;
        Some(match (least, starts) {
            (0 | 1, _) => Repeats::None,
            (_, 0 | 1) => Repeats::OneStart,
            (_, _) => Repeats::Starts,
        })
    }

    /// Everything that got worse, in the order of the rows: throughput, then tails, then means.
    pub(super) fn worsenings(&self) -> Vec<Worsening<'a>> {
        self.report.conclusion.rows.iter().flat_map(worsenings_of).collect()
    }

    /// Profiles whose noise was measured over server starts, with their bands.
    pub(super) fn measured_bands(&self) -> impl Iterator<Item = (&'a ProfileId, f64)> {
        self.report.conclusion.rows.iter().filter_map(|row| {
            let measured = row.change.noise.is_some_and(|noise| noise.source == NoiseSource::Starts);
            Some((&row.profile, row.change.band().filter(|_| measured)?))
        })
    }
}

/// How often something was measured.
pub(super) enum Repeats {
    /// Once.
    None,
    /// Several times, in one server start.
    OneStart,
    /// Over several server starts.
    Starts,
}

/// Something that got worse under a profile.
pub(super) enum Worsening<'a> {
    /// Total TPS.
    Throughput { profile: &'a ProfileId, pct: f64 },
    /// A latency, in milliseconds.
    Latency { profile: &'a ProfileId, metric: Metric, from: f64, to: f64, pct: f64 },
}

fn worsenings_of(row: &ConclusionRow) -> Vec<Worsening<'_>> {
    let profile = &row.profile;
    let loss = (row.change.verdict == Verdict::Worse).then(|| row.change.pct()).flatten();
    let tails = row.findings.iter().filter_map(|finding| match finding.evidence {
        Evidence::TailRegression { latency, stat, baseline_ms: from, candidate_ms: to, change_pct: pct } => {
            Some(Worsening::Latency { profile, metric: Metric::Latency(latency, stat), from, to, pct })
        }
        _ => None,
    });
    let means = row.metrics.iter().filter_map(|row| {
        let mean = matches!(row.metric, Metric::Latency(_, Stat::Mean));
        let (from, to) = row.baseline.zip(row.recommended)?;
        let pct = row.change.pct().filter(|pct| *pct >= MENTIONED_PCT)?;
        let worse = mean && row.change.verdict == Verdict::Worse;
        worse.then_some(Worsening::Latency { profile, metric: row.metric, from, to, pct })
    });
    loss.map(|pct| Worsening::Throughput { profile, pct }).into_iter().chain(tails).chain(means).collect()
}

/// What has to be said beside a row of the conclusion.
pub(super) enum RowNote {
    /// Both sides keep up with this rate, requests per second.
    LoadLimited { offered: f64 },
    /// The reported change is off by so many points; below 0 it is too low.
    ReportedOff { points: f64 },
    /// The 95 % interval, percent.
    Interval { low: f64, high: f64 },
    /// Noise unknown.
    MeasuredOnce,
}

/// The weightiest note of a row, if any.
pub(super) fn row_note(row: &ConclusionRow) -> Option<RowNote> {
    let load = row.findings.iter().find_map(|finding| match finding.evidence {
        Evidence::LoadLimited { offered, .. } => Some(RowNote::LoadLimited { offered }),
        _ => None,
    });
    let points =
        row.change.reported_pct.zip(row.change.recomputed_pct).map(|(reported, recomputed)| reported - recomputed);
    let off = points.filter(|points| points.abs() > SHOW_BOTH_POINTS).map(|points| RowNote::ReportedOff { points });
    let noise = || match (row.change.verdict, row.change.band(), row.change.pct()) {
        (Verdict::WithinNoise, Some(band), Some(pct)) => Some(RowNote::Interval { low: pct - band, high: pct + band }),
        (Verdict::Better | Verdict::Worse, None, _) => Some(RowNote::MeasuredOnce),
        _ => None,
    };
    load.or(off).or_else(noise)
}
