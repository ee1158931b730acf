//! From runs to a report.

mod conclusion;
mod steps;

use super::{Case, EngineUsed, Report, RunReport, StepReport, VariantFacts};
use crate::advise::{Advice, advise};
use crate::aggregate::{Figures, figures};
use crate::check::{Evidence, Finding, Subject, check_study};
use crate::command::{Command, diff};
use crate::id::{ProfileId, VariantId};
use crate::metric::Metric;
use crate::metrics::{Latency, Stat};
use crate::noise::{NoiseEstimate, equivalents};
use crate::recompute::recompute;
use crate::study::{StudyData, Variant};

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
