//! From runs to a report.

mod conclusion;
mod reservations;
mod steps;

use super::{Case, EngineUsed, Report, RunReport, StepReport, VariantFacts};
use crate::advise::fronts::{BestOn, best_per_profile, fronts};
use crate::advise::{Advice, Measured, advise_on, estimates};
use crate::aggregate::Figures;
use crate::check::{Finding, Subject, check_study, heaviest_first};
use crate::command::{Command, diff};
use crate::id::{ProfileId, VariantId};
use crate::metric::Metric;
use crate::metrics::{Latency, Stat};
use crate::noise::NoiseEstimate;
use crate::recompute::recompute_under;
use crate::study::{Limits, StudyData, Variant};

/// The shape of [`Report`].
const SCHEMA: u32 = 1;
const TPOT: Metric = Metric::Latency(Latency::Tpot, Stat::Mean);

/// Builds the report of a study. A function of its runs alone.
pub fn build(data: &StudyData) -> Report {
    let builder = Builder::new(data);
    let study = &data.study;
    let conclusion = builder.conclusion();
    let steps: Vec<StepReport> = study.steps.iter().map(|step| builder.step(step)).collect();
    let options = study.steps.iter().zip(&steps).map(|(step, report)| builder.option(step, report)).collect();
    let mut findings = builder.on_runs.clone();
    findings.extend(conclusion.rows.iter().flat_map(|row| row.findings.iter().cloned()));
    for finding in study.steps.iter().flat_map(|step| builder.not_comparable(step)) {
        if !findings.contains(&finding) {
            findings.push(finding);
        }
    }
    heaviest_first(&mut findings);
    Report {
        schema: SCHEMA,
        slug: study.slug.clone(),
        title: study.title.clone(),
        basis: study.basis,
        decimals: study.decimals,
        option_base: study.option_base,
        objective: study.objective.clone(),
        price: study.price,
        limits_of_reader: false,
        relevance_pct: study.relevance_pct,
        min_success_pct: study.min_success_pct,
        primary_profile: study.primary_profile.clone(),
        model: study.model.clone(),
        hardware: study.hardware.clone(),
        engines: builder.engines(),
        tools: builder.tools(),
        conclusion,
        ranking: builder.advice.ranking.clone(),
        best_per_profile: builder.best.clone(),
        pareto: fronts(data, &builder.measured, builder.advice.recommended.as_ref()),
        rivals: Vec::new(),
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

/// Builds the report under a reader's own limits. Limits that are the study's own change nothing.
pub fn build_under(data: &StudyData, limits: Limits) -> Report {
    let own = limits != Limits::of(&data.study);
    let mut data = data.clone();
    limits.put_into(&mut data);
    Report { limits_of_reader: own, ..build(&data) }
}

struct Builder<'a> {
    data: &'a StudyData,
    measured: Measured,
    advice: Advice,
    best: Vec<BestOn>,
    noise: Vec<NoiseEstimate>,
    on_runs: Vec<Finding>,
}

impl<'a> Builder<'a> {
    fn new(data: &'a StudyData) -> Self {
        let measured = Measured::of(data);
        let noise = estimates(data);
        let advice = advise_on(data, &measured, &noise);
        let best = best_per_profile(data, &measured, advice.recommended.as_ref(), &noise);
        Self { data, measured, advice, best, noise, on_runs: check_study(data) }
    }

    fn figures(&self, variant: &VariantId, profile: &ProfileId) -> Option<Figures> {
        self.measured.get(variant, profile).cloned()
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
            notes: variant.notes.clone(),
        }
    }

    fn argument_changes(&self, variant: &Variant) -> (Vec<String>, Vec<String>) {
        let baseline = self.data.study.variant(&self.data.study.baseline);
        let none = diff::Args { engine: &variant.engine, args: &[] };
        let (ours, baseline) = (diff::Args::from(variant), baseline.map_or(none, diff::Args::from));
        (diff::added(ours, baseline), diff::added(baseline, ours))
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
                let (_, gpus) = crate::machine::hardware(study, run);
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
                    recomputed: recompute_under(&run.measurement, study.profile(&run.profile), gpus),
                    metrics: run.measurement.metrics.clone(),
                    findings: self.on_runs.iter().filter(|finding| finding.about == about).cloned().collect(),
                    excerpt: run.measurement.excerpt.clone(),
                    notes: run.notes.clone(),
                }
            })
            .collect()
    }
}

fn engine(variant: &Variant) -> EngineUsed {
    EngineUsed { engine: variant.engine.clone(), version: variant.engine_version.clone() }
}
