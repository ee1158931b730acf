//! The conclusion card: baseline against recommended, profile by profile.

use super::{Builder, TPOT, load_limited};
use crate::advise::{eligible, metric_change};
use crate::aggregate::Figures;
use crate::change::{Change, Verdict, Yardstick, change_pct};
use crate::check::{Comparison, Evidence, Finding, Subject, check_comparison};
use crate::command::Command;
use crate::id::ProfileId;
use crate::metric::Metric;
use crate::metrics::{Latency, Stat};
use crate::noise::NoiseEstimate;
use crate::report::{Conclusion, ConclusionRow, MetricRow, Reservation, Standing, launchable};
use crate::run::TpotDefinition;
use crate::study::{Basis, Variant};

/// PRODUCT: where reported and recomputed differ by more than this, in percent, every place shows both.
const SHOW_BOTH_PCT: f64 = 2.0;
/// Latencies get no noise estimate from throughputs; below this a single pair of runs is not called worse in the card.
const LATENCY_WORSE_PCT: f64 = 5.0;

/// What the per-profile table compares.
const COMPARED: [(Metric, Basis); 10] = [
    (Metric::TotalTps, Basis::Recomputed),
    (Metric::TotalTps, Basis::Reported),
    (Metric::OutputTps, Basis::Recomputed),
    (TPOT, Basis::Recomputed),
    (TPOT, Basis::Reported),
    (Metric::Latency(Latency::Tpot, Stat::P99), Basis::Reported),
    (Metric::Latency(Latency::Ttft, Stat::Mean), Basis::Reported),
    (Metric::Latency(Latency::Ttft, Stat::P99), Basis::Reported),
    (Metric::Latency(Latency::E2el, Stat::Mean), Basis::Reported),
    (Metric::Latency(Latency::E2el, Stat::P99), Basis::Reported),
];

impl Builder<'_> {
    pub(super) fn conclusion(&self) -> Conclusion {
        let study = &self.data.study;
        let recommended = self.advice.recommended.as_ref().and_then(|id| study.variant(id));
        let rows: Vec<ConclusionRow> = recommended.map(|recommended| self.rows(recommended)).unwrap_or_default();
        let reservations = self.reservations(&rows);
        let standing = match recommended {
            None => Standing::Nothing,
            Some(recommended) if recommended.id == study.baseline => Standing::KeepBaseline,
            Some(_) if reservations.is_empty() => Standing::Recommended,
            Some(_) => Standing::WithReservations,
        };
        let (added, removed) = recommended.map(|recommended| self.argument_changes(recommended)).unwrap_or_default();
        Conclusion {
            baseline: study.baseline.clone(),
            recommended: self.advice.recommended.clone(),
            standing,
            reservations,
            command: recommended.filter(|v| launchable(&v.engine, &v.model)).map(Command::serve),
            added,
            removed,
            rows,
            highest: self.advice.highest.clone(),
        }
    }

    /// One row a profile that both sides were run under, the primary one first.
    fn rows(&self, recommended: &Variant) -> Vec<ConclusionRow> {
        let study = &self.data.study;
        let primary_first = study.profiles.iter().filter(|p| p.id == study.primary_profile);
        let others = study.profiles.iter().filter(|p| p.id != study.primary_profile);
        primary_first.chain(others).filter_map(|profile| self.row(&profile.id, recommended)).collect()
    }

    fn row(&self, profile: &ProfileId, candidate: &Variant) -> Option<ConclusionRow> {
        let study = &self.data.study;
        let baseline = self.figures(&study.baseline, profile)?;
        let recommended = self.figures(&candidate.id, profile)?;
        let findings = self.comparison_findings(profile, &baseline, &recommended);
        let comparable = self.comparable(profile, &baseline, &recommended);
        let noise = self.noise_of(profile);
        let change = metric_change(self.data, Metric::TotalTps, &baseline, &recommended, noise, comparable);
        let metrics = COMPARED
            .into_iter()
            .map(|(metric, basis)| self.metric_row(metric, basis, &baseline, &recommended, noise, comparable))
            .filter(|row| row.baseline.is_some() || row.recommended.is_some())
            .collect();
        let objective = self.data.study.objective;
        let throughput = !matches!(objective, Metric::Latency(..));
        let objective_change =
            metric_change(self.data, objective, &baseline, &recommended, noise, comparable || !throughput);
        let tpot_believed = !self.other_tpot(&baseline) && !self.other_tpot(&recommended);
        let tpot_change = believed(metric_change(self.data, TPOT, &baseline, &recommended, None, true), tpot_believed);
        Some(ConclusionRow {
            profile: profile.clone(),
            primary: *profile == study.primary_profile,
            change,
            tpot_change,
            objective_change,
            metrics,
            findings,
            baseline,
            recommended,
        })
    }

    fn metric_row(
        &self,
        metric: Metric,
        basis: Basis,
        baseline: &Figures,
        recommended: &Figures,
        noise: Option<&NoiseEstimate>,
        comparable: bool,
    ) -> MetricRow {
        let of = |figures: &Figures| match basis {
            Basis::Reported => metric.of(&figures.metrics),
            Basis::Recomputed => figures.recomputed.get(metric),
        };
        let throughput = !matches!(metric, Metric::Latency(..));
        let is_tpot = matches!(metric, Metric::Latency(Latency::Tpot, _));
        let other_definition =
            is_tpot && basis == Basis::Reported && (self.other_tpot(baseline) || self.other_tpot(recommended));
        let (from, to) = (of(baseline), of(recommended));
        let pct = change_pct(from, to);
        let by = Yardstick {
            relevance_pct: self.data.study.relevance_pct,
            noise: crate::noise::band(metric, baseline, recommended, noise.filter(|_| throughput)),
            comparable: comparable || !throughput,
        };
        let change = match basis {
            Basis::Reported => Change::judge(metric, pct, None, &by),
            Basis::Recomputed => Change::judge(metric, None, pct, &by),
        };
        let change = if other_definition { Change { verdict: Verdict::Unknown, ..change } } else { change };
        MetricRow { metric, basis, other_definition, baseline: from, recommended: to, change }
    }

    /// Whether the printed TPOT of any of these runs is not the decode time: by the tool's definition, or by its figures.
    pub(super) fn other_tpot(&self, figures: &Figures) -> bool {
        let defined = self.data.runs.iter().any(|run| {
            figures.runs.contains(&run.id) && run.measurement.tpot_definition == TpotDefinition::IncludesFirstToken
        });
        defined
            || self.on_runs.iter().any(|finding| {
                let ours = matches!(&finding.about, Subject::Run(run) if figures.runs.contains(run));
                ours && matches!(finding.evidence, Evidence::TpotIdentity { .. })
            })
    }

    pub(super) fn comparison_findings(
        &self,
        profile: &ProfileId,
        baseline: &Figures,
        candidate: &Figures,
    ) -> Vec<Finding> {
        let study = &self.data.study;
        let sides = || {
            Some(Comparison {
                profile: study.profile(profile)?,
                baseline: (study.variant(&baseline.variant)?, baseline),
                candidate: (study.variant(&candidate.variant)?, candidate),
                tpot_believed: !self.other_tpot(baseline) && !self.other_tpot(candidate),
            })
        };
        if baseline.variant == candidate.variant {
            return Vec::new();
        }
        sides().map(|comparison| check_comparison(&comparison)).unwrap_or_default()
    }

    /// Whether a throughput of the two sides can be compared: the load does not set it, and the requests that succeeded
    /// are the workload.
    pub(super) fn comparable(&self, profile: &ProfileId, baseline: &Figures, candidate: &Figures) -> bool {
        let whole = |figures: &Figures| eligible(figures, self.data.study.min_success_pct);
        let findings = self.comparison_findings(profile, baseline, candidate);
        whole(baseline) && whole(candidate) && !load_limited(&findings)
    }

    fn reservations(&self, rows: &[ConclusionRow]) -> Vec<Reservation> {
        let mut found = Vec::new();
        let differ = self.advice.recommended.as_ref() != Some(&self.data.study.baseline);
        if !differ {
            return found;
        }
        let has = |row: &ConclusionRow, id: &str| row.findings.iter().any(|finding| finding.evidence.id() == id);
        let primary = rows.iter().find(|row| row.primary);
        if primary.is_none() {
            found.push(Reservation::BaselineNotMeasured);
        }
        if rows.iter().any(|row| has(row, "single-run")) || primary.is_some_and(|row| row.change.noise.is_none()) {
            found.push(Reservation::SingleRun);
        }
        if rows.iter().any(|row| has(row, "precision-changed")) {
            found.push(Reservation::PrecisionChanged);
        }
        for row in rows {
            match row.change.verdict {
                Verdict::WithinNoise => found.push(Reservation::WithinNoise { profile: row.profile.clone() }),
                Verdict::Worse => found.push(Reservation::Loses { profile: row.profile.clone() }),
                Verdict::NotComparable => found.push(Reservation::LoadLimited { profile: row.profile.clone() }),
                Verdict::Better | Verdict::Neutral | Verdict::Unknown => {}
            }
            if let Some(metric) = worst_latency(row) {
                found.push(Reservation::LatencyWorse { profile: row.profile.clone(), metric });
            }
        }
        let apart =
            |row: &&ConclusionRow| row.change.reported_pct.zip(row.change.recomputed_pct).map(|(a, b)| (a - b).abs());
        let furthest = rows.iter().max_by(|a, b| apart(a).unwrap_or(0.0).total_cmp(&apart(b).unwrap_or(0.0)));
        if let Some(row) = furthest.filter(|row| apart(row).is_some_and(|points| points > SHOW_BOTH_PCT)) {
            found.push(Reservation::ReportedDiffers { profile: row.profile.clone() });
        }
        found
    }
}

/// A change whose printed form is not to be believed keeps a verdict only from its recomputed form.
fn believed(change: Change, believed: bool) -> Change {
    if believed || change.recomputed_pct.is_some() { change } else { Change { verdict: Verdict::Unknown, ..change } }
}

/// The latency of a row that got worse the most, where it is more than scatter.
fn worst_latency(row: &ConclusionRow) -> Option<Metric> {
    let p99_tpot = Metric::Latency(Latency::Tpot, Stat::P99);
    let tail = row.findings.iter().find_map(|finding| match finding.evidence {
        Evidence::TailRegression { latency: Latency::Tpot, change_pct, .. } => Some((p99_tpot, change_pct)),
        _ => None,
    });
    row.metrics
        .iter()
        .filter(|metric| metric.change.verdict == Verdict::Worse && matches!(metric.metric, Metric::Latency(..)))
        .filter_map(|metric| Some((metric.metric, metric.change.pct()?)))
        .chain(tail)
        .filter(|(_, pct)| *pct >= LATENCY_WORSE_PCT)
        .max_by(|(_, a), (_, b)| a.total_cmp(b))
        .map(|(metric, _)| metric)
}
