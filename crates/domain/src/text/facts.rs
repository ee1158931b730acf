//! What both languages look up before they speak: names, shown figures, the rows a sentence is about.

use super::number::signed_pct;
use super::rich::{clean, code};
use super::{HEADLINE_PCT, Lang, MENTIONED_PCT, Naming, SHOW_BOTH_POINTS};
use crate::advise::{Goal, Incomparable, Ranked, WhyNot};
use crate::aggregate::Figures;
use crate::change::{Change, NoiseSource, Repeats, Verdict};
use crate::check::{Evidence, Finding, Subject};
use crate::id::{ProfileId, RunId, StepId, VariantId};
use crate::metric::Metric;
use crate::metrics::{Latency, Stat};
use crate::report::{ConclusionRow, Report, Reservation};
use crate::stats::Spread;
use crate::study::Basis;

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

    /// The objective's figure on the basis that was not asked for, with its name.
    pub(super) fn beside(&self, other: f64) -> String {
        let basis = super::basis(self.lang, self.report.basis.other());
        let figure = match self.report.objective.is_weighted() {
            true => super::ranking::objective_value(self.lang, self.report, other),
            false => super::ranking::goal_figure(self.report, self.report.objective.goal, other),
        };
        format!("{basis} {figure}")
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
        let mut rows: Vec<_> = self
            .report
            .conclusion
            .rows
            .iter()
            .filter(|row| !row.primary && row.objective_change.verdict == verdict)
            .collect();
        let size = |row: &ConclusionRow| row.objective_change.pct().unwrap_or(0.0).abs();
        rows.sort_by(|a, b| size(b).total_cmp(&size(a)));
        rows
    }

    /// Whether these are all rows but the primary one.
    pub(super) fn all_others(&self, rows: &[&ConclusionRow]) -> bool {
        rows.len() == self.report.conclusion.rows.iter().filter(|row| !row.primary).count()
    }

    /// How often the weakest of these gains was measured, where noise is unknown; said once, with the primary profile's.
    pub(super) fn unproven_among(&self, rows: &[&ConclusionRow], primary: &Change) -> Option<Repeats> {
        let weakest = rows.iter().filter_map(|row| row.objective_change.unproven()).min();
        weakest.filter(|_| primary.unproven().is_none())
    }

    /// Smallest and largest change of the objective by size, percent.
    pub(super) fn range(&self, rows: &[&ConclusionRow]) -> Option<(f64, f64)> {
        let pcts = rows.iter().filter_map(|row| row.objective_change.pct());
        let low = pcts.clone().min_by(|a, b| a.abs().total_cmp(&b.abs()))?;
        let high = pcts.max_by(|a, b| a.abs().total_cmp(&b.abs()))?;
        Some((low, high))
    }

    /// The engine and the weights of a side of the conclusion.
    pub(super) fn engine_and_model(&self, id: &VariantId) -> Option<(&'a str, &'a str)> {
        self.report.variant(id).map(|variant| (variant.engine.engine.as_str(), variant.model.as_str()))
    }

    /// What the figures are that rank: as reported where none of them can be recomputed.
    pub(super) fn ranking_basis(&self) -> Basis {
        let report = self.report;
        let decides = |id: &ProfileId| match report.objective.is_weighted() {
            true => report.objective.weights.contains_key(id),
            false => *id == report.primary_profile,
        };
        let recomputed = |metric: Metric| {
            let mut runs = report.runs.iter().filter(|run| decides(&run.profile));
            runs.any(|run| run.recomputed.get(metric).is_some())
        };
        match report.objective.goal {
            Goal::Metric(metric) if !recomputed(metric) => Basis::Reported,
            Goal::Metric(_) | Goal::Cost(_) | Goal::TokensPerJoule => report.basis,
        }
    }

    /// Whether a row's load sets its throughput.
    pub(super) fn load_limited(&self, row: &ConclusionRow) -> bool {
        row.findings.iter().any(|finding| matches!(finding.evidence, Evidence::LoadLimited { .. }))
    }

    /// Whether its two sides had prompts of different lengths.
    pub(super) fn workload_differs(&self, row: &ConclusionRow) -> bool {
        row.not_comparable == Some(Incomparable::Workload)
    }

    /// Whether its two sides ran on different hardware.
    pub(super) fn hardware_differs(&self, row: &ConclusionRow) -> bool {
        row.findings.iter().any(|finding| matches!(finding.evidence, Evidence::HardwareDiffers { .. }))
    }

    /// What was measured in one server start, where nothing else tells the noise of total TPS; the same is said once. A
    /// group that covers every profile names none.
    pub(super) fn unrepeated(&self) -> Vec<Unrepeated<'a>> {
        let mut groups: Vec<Unrepeated<'a>> = Vec::new();
        let rows = &self.report.conclusion.rows;
        for row in rows {
            let estimated = self.report.noise.iter().any(|estimate| estimate.profile == row.profile);
            if estimated || row.change.band().is_some() {
                continue;
            }
            let (ours, theirs) = (row.baseline.repeats(), row.recommended.repeats());
            let sides = match (row.baseline.variant == row.recommended.variant, ours == theirs) {
                (true, _) => vec![(Sides::Baseline, ours)],
                (false, true) => vec![(Sides::Both, ours)],
                (false, false) => vec![(Sides::Baseline, ours), (Sides::Recommended, theirs)],
            };
            for (sides, repeats) in sides.into_iter().filter(|(_, repeats)| !repeats.restarted()) {
                match groups.iter_mut().find(|group| group.sides == sides && group.repeats == repeats) {
                    Some(group) => group.profiles.push(&row.profile),
                    None => groups.push(Unrepeated { profiles: vec![&row.profile], sides, repeats }),
                }
            }
        }
        for group in groups.iter_mut().filter(|group| group.profiles.len() == rows.len()) {
            group.profiles.clear();
        }
        groups
    }

    /// For which traffic the recommended command is the wrong choice.
    pub(super) fn wrong_choice(&self) -> WrongChoice<'a> {
        let mut wrong = WrongChoice::default();
        for reservation in &self.report.conclusion.reservations {
            match reservation {
                Reservation::Loses { profile } => wrong.loses.push(profile),
                Reservation::LatencyWorse { profile, metric } => wrong.latency_worse.push((profile, *metric)),
                Reservation::LoadLimited { profile } => wrong.load_limited.push(profile),
                Reservation::HardwareDiffers { profile } => wrong.hardware_differs.push(profile),
                Reservation::WorkloadDiffers { profile } => wrong.workload_differs.push(profile),
                Reservation::ObjectiveWorse { profile } => wrong.objective_worse.push(profile),
                Reservation::PrecisionChanged => wrong.precision_changed = true,
                Reservation::Fails { profile } => wrong.fails.push(profile),
                Reservation::BetterElsewhere { profile, variant } => wrong.better.push((profile, variant)),
                Reservation::NotMeasuredOn { profile } => wrong.not_measured.push(profile),
                Reservation::SloWeaklyMeasured { profile, metric } => wrong.weak.push((profile, *metric)),
                Reservation::SingleRun
                | Reservation::BaselineNotMeasured
                | Reservation::WithinNoise { .. }
                | Reservation::WithinNoiseOverall
                | Reservation::Doubted { .. }
                | Reservation::ReportedDiffers { .. } => {}
            }
        }
        wrong
    }

    /// The lead of another variant over the recommended one under a profile, percent of the objective's figure.
    pub(super) fn lead(&self, profile: &ProfileId) -> Option<f64> {
        let best = self.report.best_per_profile.iter().find(|best| &best.profile == profile)?;
        best.lead?.pct()
    }

    /// The change of the objective over all profiles that decide together.
    pub(super) fn overall(&self) -> Option<&'a Change> {
        self.report.advised().filter(|_| self.report.objective.is_weighted())?.change.as_ref()
    }

    /// The limit that the baseline breaks, where it is not the recommended variant.
    pub(super) fn baseline_misses(&self) -> Option<(&'a ProfileId, Metric, f64, f64)> {
        match self.report.ranked(&self.report.conclusion.baseline)?.why_not.as_ref()? {
            WhyNot::MissesSlo { profile, metric, limit, value } => Some((profile, *metric, *limit, *value)),
            WhyNot::TooManyFailures { .. }
            | WhyNot::SloNotMeasured { .. }
            | WhyNot::NotMeasured { .. }
            | WhyNot::OtherDefinition { .. }
            | WhyNot::Worse { .. }
            | WhyNot::LoadLimited
            | WhyNot::HardwareDiffers
            | WhyNot::WorkloadDiffers
            | WhyNot::Surpassed { .. }
            | WhyNot::FewerArguments { .. } => None,
        }
    }

    /// Titles of studies of the same question that recommend something else.
    pub(super) fn disagreeing(&self) -> impl Iterator<Item = String> {
        let rivals = self.report.rivals.iter().filter(|rival| !rival.agrees && rival.advice.is_some());
        rivals.map(|rival| clean(rival.title.get(self.lang)))
    }

    /// Whether a variant other than the recommended one can be compared with the baseline by the objective.
    pub(super) fn anything_compared(&self) -> bool {
        let told = |ranked: &Ranked| {
            let verdict = ranked.change.map(|change| change.verdict);
            !matches!(verdict, None | Some(Verdict::NotComparable | Verdict::Unknown))
        };
        self.report.ranking.iter().any(told)
    }

    /// Where figures that decide are in doubt: variant, profile, and what was found on their runs.
    pub(super) fn doubts(&self) -> Vec<(&'a VariantId, &'a ProfileId, Vec<&'a Evidence>)> {
        let mut all: Vec<(&VariantId, &ProfileId, Vec<&Evidence>)> = Vec::new();
        for reservation in &self.report.conclusion.reservations {
            let Reservation::Doubted { variant, profile, run, finding: id } = reservation else { continue };
            let about = Subject::Run(run.clone());
            let raised = |finding: &&Finding| finding.about == about && finding.evidence.id() == *id;
            let Some(finding) = self.report.findings.iter().find(raised) else { continue };
            match all.iter_mut().find(|known| (known.0, known.1) == (variant, profile)) {
                Some((.., found)) => found.push(&finding.evidence),
                None => all.push((variant, profile, vec![&finding.evidence])),
            }
        }
        all
    }

    /// What was found, in a sentence or two.
    pub(super) fn evidence(&self, of: &Evidence) -> String {
        let by = Naming { number: &|run| self.number(run), decimals: usize::from(self.report.decimals) };
        match self.lang {
            Lang::Ja => super::ja::evidence(of, &by),
            Lang::En => super::en::evidence(of, &by),
        }
    }

    /// Whether limits alone keep every variant out.
    pub(super) fn limits_rule_all_out(&self) -> bool {
        let limits =
            |ranked: &Ranked| matches!(ranked.why_not, Some(WhyNot::MissesSlo { .. } | WhyNot::SloNotMeasured { .. }));
        self.report.ranking.iter().any(limits)
    }

    /// Whether the recommended variant serves other weights than the baseline.
    pub(super) fn precision_changed(&self) -> bool {
        self.report.conclusion.reservations.contains(&Reservation::PrecisionChanged)
    }

    /// The latency that got worse the most, where it did by as much as deserves the headline.
    pub(super) fn worst_latency(&self) -> Option<(&'a ProfileId, Metric, f64)> {
        let latencies = self.worsenings().into_iter().filter_map(|worsening| match worsening {
            Worsening::Latency { metric, .. } if Some(metric) == self.report.objective.metric() => None,
            Worsening::Latency { profile, metric, pct, .. } => Some((profile, metric, pct)),
            Worsening::Throughput { .. } => None,
        });
        latencies.filter(|(.., pct)| *pct >= HEADLINE_PCT).max_by(|a, b| a.2.total_cmp(&b.2))
    }

    /// Everything that got worse, in the order of the rows: throughput, then tails, then means.
    pub(super) fn worsenings(&self) -> Vec<Worsening<'a>> {
        self.report.conclusion.rows.iter().flat_map(worsenings_of).collect()
    }

    /// Rows with the scatter of total TPS over the repeats of a side; the side's figures first.
    pub(super) fn spreads(&self) -> impl Iterator<Item = (&'a ProfileId, &'a Figures, &'a Spread)> {
        self.report.conclusion.rows.iter().flat_map(|row| {
            let sides = [(&row.baseline, &row.baseline_spread), (&row.recommended, &row.recommended_spread)];
            // A study that keeps its baseline has it on both sides.
            let sides = sides.into_iter().take(if row.baseline.variant == row.recommended.variant { 1 } else { 2 });
            sides.filter_map(|(side, spread)| Some((&row.profile, side, spread.as_ref()?)))
        })
    }

    /// Profiles whose noise was measured over server starts, with their bands.
    pub(super) fn measured_bands(&self) -> impl Iterator<Item = (&'a ProfileId, f64)> {
        self.report.conclusion.rows.iter().filter_map(|row| {
            let measured = row.change.noise.is_some_and(|noise| noise.source == NoiseSource::Starts);
            Some((&row.profile, row.change.band().filter(|_| measured)?))
        })
    }
}

/// Where the recommended command is the wrong choice.
#[derive(Default)]
pub(super) struct WrongChoice<'a> {
    /// Profiles whose throughput falls.
    pub(super) loses: Vec<&'a ProfileId>,
    /// Profiles with the latency that gets worse the most.
    pub(super) latency_worse: Vec<(&'a ProfileId, Metric)>,
    /// Profiles whose load sets the throughput.
    pub(super) load_limited: Vec<&'a ProfileId>,
    /// Profiles on which the objective, which is no throughput, gets worse.
    pub(super) objective_worse: Vec<&'a ProfileId>,
    /// Profiles whose sides had prompts of different lengths.
    pub(super) workload_differs: Vec<&'a ProfileId>,
    /// Profiles whose sides ran on different hardware.
    pub(super) hardware_differs: Vec<&'a ProfileId>,
    /// Whether the weights are others.
    pub(super) precision_changed: bool,
    /// Profiles under which too many requests fail.
    pub(super) fails: Vec<&'a ProfileId>,
    /// Profiles with the variant that is better there.
    pub(super) better: Vec<(&'a ProfileId, &'a VariantId)>,
    /// Profiles that others were measured under.
    pub(super) not_measured: Vec<&'a ProfileId>,
    /// Limits that are kept by too few requests.
    pub(super) weak: Vec<(&'a ProfileId, Metric)>,
}

/// Measured in one server start: the noise across restarts is unknown.
pub(super) struct Unrepeated<'a> {
    /// Under which profiles; none where it is all of them.
    pub(super) profiles: Vec<&'a ProfileId>,
    /// Of which side.
    pub(super) sides: Sides,
    /// How often.
    pub(super) repeats: Repeats,
}

/// Sides of the conclusion.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sides {
    /// Both alike.
    Both,
    /// The baseline.
    Baseline,
    /// The recommended variant.
    Recommended,
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
    let mut named = std::collections::BTreeSet::new();
    let means = row.metrics.iter().filter_map(|row| {
        let mean = matches!(row.metric, Metric::Latency(_, Stat::Mean));
        let (from, to) = row.baseline.zip(row.recommended)?;
        let pct = row.change.pct().filter(|pct| *pct >= MENTIONED_PCT)?;
        // A figure in both forms is one figure that got worse: the recomputed form, which comes first.
        let worse = mean && row.change.verdict == Verdict::Worse && named.insert(row.metric);
        worse.then_some(Worsening::Latency { profile, metric: row.metric, from, to, pct })
    });
    loss.map(|pct| Worsening::Throughput { profile, pct }).into_iter().chain(tails).chain(means).collect()
}

/// What has to be said beside a row of the conclusion.
pub(super) enum RowNote {
    /// Both sides keep up with this rate, requests per second.
    LoadLimited { offered: f64 },
    /// The two sides ran on different hardware.
    HardwareDiffers,
    /// The two sides had prompts of different lengths.
    WorkloadDiffers,
    /// The reported change is off by so many points; below 0 it is too low.
    ReportedOff { points: f64 },
    /// The 95 % interval, percent.
    Interval { low: f64, high: f64 },
    /// Noise unknown, after so many runs of the weaker side.
    NoiseUnknown(Repeats),
}

/// The weightiest note of a row, if any.
pub(super) fn row_note(row: &ConclusionRow) -> Option<RowNote> {
    let load = row.findings.iter().find_map(|finding| match finding.evidence {
        Evidence::LoadLimited { offered, .. } => Some(RowNote::LoadLimited { offered }),
        _ => None,
    });
    let hardware = row.findings.iter().find_map(|finding| match finding.evidence {
        Evidence::HardwareDiffers { .. } => Some(RowNote::HardwareDiffers),
        _ => None,
    });
    let points =
        row.change.reported_pct.zip(row.change.recomputed_pct).map(|(reported, recomputed)| reported - recomputed);
    let off = points.filter(|points| points.abs() > SHOW_BOTH_POINTS).map(|points| RowNote::ReportedOff { points });
    let noise = || match (row.change.verdict, row.change.band(), row.change.pct()) {
        (Verdict::WithinNoise, Some(band), Some(pct)) => Some(RowNote::Interval { low: pct - band, high: pct + band }),
        _ => row.change.unproven().map(RowNote::NoiseUnknown),
    };
    let workload = (row.not_comparable == Some(Incomparable::Workload)).then_some(RowNote::WorkloadDiffers);
    workload.or(load).or(hardware).or(off).or_else(noise)
}

/// What stands beside the gain of a row, whatever its other note: the latency that got worse the most, and TPOT.
pub(super) fn row_latencies(row: &ConclusionRow) -> Vec<(Metric, f64)> {
    let latencies = worsenings_of(row).into_iter().filter_map(|worsening| match worsening {
        Worsening::Latency { metric, pct, .. } => Some((metric, pct)),
        Worsening::Throughput { .. } => None,
    });
    let mut latencies: Vec<_> = latencies.collect();
    latencies.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let tpot = Metric::Latency(Latency::Tpot, Stat::Mean);
    latencies.iter().enumerate().filter(|(at, (metric, _))| *at == 0 || *metric == tpot).map(|(_, one)| *one).collect()
}
