//! From runs to a report.

use super::{
    Case, Conclusion, ConclusionRow, EngineUsed, MetricRow, OptionRow, Report, Reservation, RunReport, Standing,
    StepReport, StepVariant, Summary, TpotDirection, VariantFacts,
};
use crate::advise::{
    Advice, StepFacts, advise, best_first, decide, eligible, metric_change, objective_change, previous,
};
use crate::aggregate::{Figures, figures};
use crate::change::{Change, Verdict, Yardstick, change_pct};
use crate::check::{Comparison, Evidence, Finding, Subject, check_comparison, check_study};
use crate::command::{Command, added};
use crate::id::{ProfileId, VariantId};
use crate::metric::Metric;
use crate::metrics::{Latency, Stat};
use crate::noise::{NoiseEstimate, equivalents};
use crate::recompute::recompute;
use crate::round::derived;
use crate::study::{Basis, OptionBase, Step, StudyData, Variant};

/// The shape of [`Report`].
const SCHEMA: u32 = 1;
/// PRODUCT: where reported and recomputed differ by more than this, in percent, every place shows both.
const SHOW_BOTH_PCT: f64 = 2.0;
/// Latencies get no noise estimate from throughputs; below this a single pair of runs is not called worse in the card.
const LATENCY_WORSE_PCT: f64 = 5.0;

const TPOT: Metric = Metric::Latency(Latency::Tpot, Stat::Mean);
/// What the per-profile table compares.
const COMPARED: [(Metric, Basis); 9] = [
    (Metric::TotalTps, Basis::Recomputed),
    (Metric::TotalTps, Basis::Reported),
    (Metric::OutputTps, Basis::Recomputed),
    (TPOT, Basis::Recomputed),
    (TPOT, Basis::Reported),
    (Metric::Latency(Latency::Ttft, Stat::Mean), Basis::Reported),
    (Metric::Latency(Latency::Ttft, Stat::P99), Basis::Reported),
    (Metric::Latency(Latency::E2el, Stat::Mean), Basis::Reported),
    (Metric::Latency(Latency::E2el, Stat::P99), Basis::Reported),
];

/// Builds the report of a study. A function of its runs alone.
pub fn build(data: &StudyData) -> Report {
    let builder = Builder::new(data);
    let study = &data.study;
    let conclusion = builder.conclusion();
    let steps: Vec<StepReport> = study.steps.iter().map(|step| builder.step(step)).collect();
    let options = study.steps.iter().zip(&steps).map(|(step, report)| builder.option(step, report)).collect();
    let mut findings = builder.on_runs.clone();
    findings.extend(conclusion.rows.iter().flat_map(|row| row.findings.iter().cloned()));
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.evidence.severity()));
    Report {
        schema: SCHEMA,
        slug: study.slug.clone(),
        title: study.title.clone(),
        basis: study.basis,
        decimals: study.decimals,
        option_base: study.option_base,
        objective: study.objective,
        relevance_pct: study.relevance_pct,
        min_success_pct: study.min_success_pct,
        primary_profile: study.primary_profile.clone(),
        model: study.model.clone(),
        hardware: study.hardware.clone(),
        engines: builder.engines(),
        tools: builder.tools(),
        conclusion,
        noise: builder.noise.clone(),
        profiles: study.profiles.clone(),
        variants: study.variants.iter().map(|variant| builder.variant(variant)).collect(),
        steps,
        options,
        cases: builder.cases(),
        runs: builder.runs(),
        findings,
        notes: study.notes.clone(),
    }
}

struct Builder<'a> {
    data: &'a StudyData,
    advice: Advice,
    noise: Vec<NoiseEstimate>,
    on_runs: Vec<Finding>,
}

impl<'a> Builder<'a> {
    fn new(data: &'a StudyData) -> Self {
        Self {
            data,
            advice: advise(data),
            noise: data.study.profiles.iter().filter_map(|profile| equivalents(data, &profile.id)).collect(),
            on_runs: check_study(data),
        }
    }

    fn figures(&self, variant: &VariantId, profile: &ProfileId) -> Option<Figures> {
        figures(self.data, variant, profile)
    }

    fn noise_of(&self, profile: &ProfileId) -> Option<&NoiseEstimate> {
        self.noise.iter().find(|estimate| &estimate.profile == profile)
    }

    fn engines(&self) -> Vec<EngineUsed> {
        let mut engines: Vec<EngineUsed> = Vec::new();
        for variant in &self.data.study.variants {
            let engine = engine(variant);
            if !engines.contains(&engine) {
                engines.push(engine);
            }
        }
        engines
    }

    fn tools(&self) -> Vec<crate::run::Tool> {
        let mut tools: Vec<_> = self.data.runs.iter().map(|run| run.measurement.tool).collect();
        tools.sort();
        tools.dedup();
        tools
    }

    fn variant(&self, variant: &Variant) -> VariantFacts {
        let (added, removed) = self.argument_changes(variant);
        VariantFacts {
            id: variant.id.clone(),
            name: variant.name.clone(),
            engine: engine(variant),
            model: variant.model.clone(),
            args: variant.args.clone(),
            command: Command::serve(variant),
            added,
            removed,
        }
    }

    fn argument_changes(&self, variant: &Variant) -> (Vec<String>, Vec<String>) {
        let baseline = self.data.study.variant(&self.data.study.baseline);
        let baseline = baseline.map(|baseline| baseline.args.as_slice()).unwrap_or_default();
        (added(&variant.args, baseline), added(baseline, &variant.args))
    }

    fn conclusion(&self) -> Conclusion {
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
            command: recommended.map(Command::serve),
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
        let tpot_believed = !self.other_tpot(&baseline) && !self.other_tpot(&recommended);
        let tpot_change = believed(metric_change(self.data, TPOT, &baseline, &recommended, None, true), tpot_believed);
        Some(ConclusionRow {
            profile: profile.clone(),
            primary: *profile == study.primary_profile,
            change,
            tpot_change,
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
        let other_definition =
            metric == TPOT && basis == Basis::Reported && (self.other_tpot(baseline) || self.other_tpot(recommended));
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

    /// Whether the printed TPOT of any of these runs is not the decode time.
    fn other_tpot(&self, figures: &Figures) -> bool {
        self.on_runs.iter().any(|finding| {
            let ours = matches!(&finding.about, Subject::Run(run) if figures.runs.contains(run));
            ours && matches!(finding.evidence, Evidence::TpotIdentity { .. })
        })
    }

    fn comparison_findings(&self, profile: &ProfileId, baseline: &Figures, candidate: &Figures) -> Vec<Finding> {
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
    fn comparable(&self, profile: &ProfileId, baseline: &Figures, candidate: &Figures) -> bool {
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
        if rows.iter().any(|row| has(row, "single-run")) {
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

    fn step(&self, step: &Step) -> StepReport {
        let study = &self.data.study;
        let baseline = self.figures(&study.baseline, &step.profile);
        let noise = self.noise_of(&step.profile);
        let variants: Vec<StepVariant> = step
            .variants
            .iter()
            .map(|id| {
                let figures = self.figures(id, &step.profile);
                let change = baseline.as_ref().zip(figures.as_ref()).filter(|(base, _)| base.variant != *id).map(
                    |(base, figures)| {
                        objective_change(self.data, base, figures, noise, self.comparable(&step.profile, base, figures))
                    },
                );
                let disqualified = figures.as_ref().is_some_and(|figures| !eligible(figures, study.min_success_pct));
                StepVariant { id: id.clone(), disqualified, figures, change }
            })
            .collect();
        let ranked = self.ranked(&variants, false);
        let best = ranked.first().copied();
        let worst = ranked.last().copied().filter(|_| ranked.len() > 1);
        let shown = self.ranked(&variants, true).first().copied();
        let base = self.option_base(step);
        let change = base.as_ref().zip(best.or(shown)).map(|(base, shown)| {
            objective_change(self.data, base, shown, noise, self.comparable(&step.profile, base, shown))
        });
        let runner_up = variants
            .iter()
            .filter(|variant| variant.id != study.baseline && !variant.disqualified)
            .filter_map(|variant| Some((variant.figures.as_ref()?, variant.change?)))
            .min_by(|(a, _), (b, _)| self.compare(a, b))
            .map(|(figures, change)| (figures.variant.clone(), change));
        let facts = StepFacts { best, shown, change, runner_up, recommended: self.advice.recommended.as_ref() };
        let (decision, reason) = decide(self.data, &facts);
        StepReport {
            id: step.id.clone(),
            name: step.name.clone(),
            profile: step.profile.clone(),
            best: best.map(|figures| figures.variant.clone()),
            worst: worst.map(|figures| figures.variant.clone()),
            summary: best.zip(worst).and_then(|(best, worst)| self.summary(best, worst)),
            decision,
            reason,
            variants,
        }
    }

    /// Measured variants of a step, the best first; disqualified ones only where asked for.
    fn ranked<'b>(&self, variants: &'b [StepVariant], disqualified_too: bool) -> Vec<&'b Figures> {
        let objective = |figures: &Figures| figures.on(self.data.study.basis, self.data.study.objective);
        let mut ranked: Vec<&Figures> = variants
            .iter()
            .filter(|variant| disqualified_too || !variant.disqualified)
            .filter_map(|variant| variant.figures.as_ref())
            .filter(|figures| objective(figures).is_some())
            .collect();
        ranked.sort_by(|a, b| self.compare(a, b));
        ranked
    }

    fn compare(&self, a: &Figures, b: &Figures) -> std::cmp::Ordering {
        let study = &self.data.study;
        let value = |figures: &Figures| figures.on(study.basis, study.objective).unwrap_or(f64::NAN);
        best_first(study.objective.direction(), value(a), value(b))
    }

    fn summary(&self, best: &Figures, worst: &Figures) -> Option<Summary> {
        let basis = self.data.study.basis;
        let (high, low) = best.on(basis, Metric::TotalTps).zip(worst.on(basis, Metric::TotalTps))?;
        let tpot = best.on(basis, TPOT).zip(worst.on(basis, TPOT));
        let doubted = self.other_tpot(best) || self.other_tpot(worst);
        Some(Summary {
            tps_difference: derived(high - low),
            tps_pct: change_pct(Some(low), Some(high))?,
            tpot_difference_ms: tpot.map(|(best, worst)| derived((worst - best).abs())),
            tpot_pct: tpot.and_then(|(best, worst)| change_pct(Some(worst), Some(best))).map(f64::abs),
            tpot_direction: tpot.map(|(best, worst)| match best < worst {
                true => TpotDirection::Reduction,
                false => TpotDirection::Increase,
            }),
            tpot_recomputed_ms: best.recomputed.get(TPOT).zip(worst.recomputed.get(TPOT)).filter(|_| doubted),
        })
    }

    /// What a step's row is compared with: the baseline, or the best of the step before.
    fn option_base(&self, step: &Step) -> Option<Figures> {
        let study = &self.data.study;
        let baseline = || self.figures(&study.baseline, &step.profile);
        match study.option_base {
            OptionBase::Baseline => baseline(),
            OptionBase::Previous => match previous(self.data, &step.id) {
                None => baseline(),
                Some(previous) => {
                    let measured = previous.variants.iter().filter_map(|id| self.figures(id, &step.profile));
                    let eligible = measured.filter(|figures| eligible(figures, study.min_success_pct));
                    eligible.min_by(|a, b| self.compare(a, b)).or_else(baseline)
                }
            },
        }
    }

    fn option(&self, step: &Step, report: &StepReport) -> OptionRow {
        let basis = self.data.study.basis;
        let shown = self.ranked(&report.variants, true).first().copied();
        let base = self.option_base(step);
        let change = base.as_ref().zip(shown).map(|(base, shown)| {
            let comparable = self.comparable(&step.profile, base, shown);
            metric_change(self.data, Metric::TotalTps, base, shown, self.noise_of(&step.profile), comparable)
        });
        OptionRow {
            step: step.id.clone(),
            variant: shown.map(|figures| figures.variant.clone()),
            total_token_throughput: shown.and_then(|figures| figures.on(basis, Metric::TotalTps)),
            tpot_mean_ms: shown.and_then(|figures| figures.on(basis, TPOT)),
            base_total_token_throughput: base.as_ref().and_then(|figures| figures.on(basis, Metric::TotalTps)),
            base_tpot_mean_ms: base.as_ref().and_then(|figures| figures.on(basis, TPOT)),
            base: base.map(|figures| figures.variant),
            change,
            success_rate_pct: shown.and_then(|figures| figures.recomputed.success_rate_pct),
            decision: report.decision,
            reason: report.reason.clone(),
        }
    }

    /// Profiles with runs that no step shows.
    fn cases(&self) -> Vec<Case> {
        let study = &self.data.study;
        let in_step = |run: &crate::run::Run| {
            study.steps.iter().any(|step| step.profile == run.profile && step.variants.contains(&run.variant))
        };
        let case = |profile: &crate::study::Profile| {
            let mut runs: Vec<_> =
                self.data.runs.iter().filter(|run| run.profile == profile.id && !in_step(run)).collect();
            runs.sort_by_key(|run| run.variant != study.baseline);
            let runs: Vec<_> = runs.into_iter().map(|run| run.id.clone()).collect();
            (!runs.is_empty()).then(|| Case { profile: profile.id.clone(), runs })
        };
        study.profiles.iter().filter_map(case).collect()
    }

    fn runs(&self) -> Vec<RunReport> {
        let study = &self.data.study;
        (1..)
            .zip(&self.data.runs)
            .map(|(number, run)| {
                let gpus = study.variant(&run.variant).and_then(|variant| study.gpus(variant));
                let planned = study.profile(&run.profile).and_then(|profile| profile.requests);
                let about = Subject::Run(run.id.clone());
                RunReport {
                    id: run.id.clone(),
                    number,
                    variant: run.variant.clone(),
                    profile: run.profile.clone(),
                    file: run.file.clone(),
                    digest: run.digest.clone(),
                    start: run.start.clone(),
                    started_at: run.started_at,
                    tool: run.measurement.tool,
                    tpot_definition: run.measurement.tpot_definition,
                    recomputed: recompute(&run.measurement.metrics, planned, gpus),
                    metrics: run.measurement.metrics.clone(),
                    findings: self.on_runs.iter().filter(|finding| finding.about == about).cloned().collect(),
                    excerpt: run.measurement.excerpt.clone(),
                }
            })
            .collect()
    }
}

fn engine(variant: &Variant) -> EngineUsed {
    EngineUsed { engine: variant.engine.clone(), version: variant.engine_version.clone() }
}

fn load_limited(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| matches!(finding.evidence, Evidence::LoadLimited { .. }))
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
