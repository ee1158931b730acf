//! From what was asked for to what was measured.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Subject;
use crate::aggregate::{Figures, LoadPoint, figures, figures_of};
use crate::check::{Evidence, Finding, Subject as About, check_study};
use crate::id::StudySlug;
use crate::metric::Metric;
use crate::run::{Run, Tool, TpotDefinition};
use crate::study::{Profile, Study, StudyData, Variant};

/// A subject of which nothing can be shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// As it was asked for.
    pub subject: Subject,
    /// Why.
    pub why: WhyMissing,
}

/// Why nothing can be shown of a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhyMissing {
    /// No such study is stored.
    Study,
    /// The study has no such variant.
    Variant,
    /// The study has no such profile.
    Profile,
    /// No such run is stored.
    Run,
    /// The variant has no run under the profile, at the load at which its variants are compared.
    NotMeasured,
}

/// A subject with everything that is known of it.
pub(super) struct Resolved<'a> {
    pub(super) subject: &'a Subject,
    pub(super) data: &'a StudyData,
    pub(super) variant: &'a Variant,
    pub(super) profile: &'a Profile,
    pub(super) figures: Figures,
    pub(super) load: LoadPoint,
    pub(super) tools: Vec<Tool>,
    /// What its runs mean by TPOT, each once.
    pub(super) definitions: Vec<TpotDefinition>,
    /// What was found on its runs.
    pub(super) findings: Vec<Finding>,
}

impl<'a> Resolved<'a> {
    pub(super) fn study(&self) -> &'a Study {
        &self.data.study
    }

    /// Whether a figure was printed as 0 although nothing was measured.
    pub(super) fn printed_zero(&self, metric: Metric) -> bool {
        let Metric::Latency(of, stat) = metric else { return false };
        self.findings.iter().any(|finding| match &finding.evidence {
            Evidence::NotMeasuredZero { latency, stats } => *latency == of && stats.contains(&stat),
            _ => false,
        })
    }

    /// Whether its printed TPOT is not the decode time: by the tool's definition, or by the run's own latencies.
    pub(super) fn other_tpot(&self) -> bool {
        self.definitions.contains(&TpotDefinition::IncludesFirstToken)
            || self.findings.iter().any(|finding| matches!(finding.evidence, Evidence::TpotIdentity { .. }))
    }
}

/// Every subject in its order: found, or why not. Each study is judged once.
pub(super) fn resolve<'a>(subjects: &'a [Subject], studies: &'a [StudyData]) -> (Vec<Resolved<'a>>, Vec<Missing>) {
    let mut judged: BTreeMap<&StudySlug, Vec<Finding>> = BTreeMap::new();
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for subject in subjects {
        match find(subject, studies) {
            Ok(place) => {
                let all = judged.entry(&place.data.study.slug).or_insert_with(|| check_study(place.data));
                found.push(place.resolved(subject, all));
            }
            Err(why) => missing.push(Missing { subject: subject.clone(), why }),
        }
    }
    (found, missing)
}

struct Place<'a> {
    data: &'a StudyData,
    variant: &'a Variant,
    profile: &'a Profile,
    figures: Figures,
    runs: Vec<&'a Run>,
}

fn find<'a>(subject: &Subject, studies: &'a [StudyData]) -> Result<Place<'a>, WhyMissing> {
    let place = |data: &'a StudyData, variant, profile| {
        let variant = data.study.variant(variant).ok_or(WhyMissing::Variant)?;
        let profile = data.study.profile(profile).ok_or(WhyMissing::Profile)?;
        Ok((variant, profile))
    };
    let (data, variant, profile, figures) = match subject {
        Subject::Variant { study, variant, profile } => {
            let data = studies.iter().find(|data| data.study.slug == *study).ok_or(WhyMissing::Study)?;
            let (variant, profile) = place(data, variant, profile)?;
            (data, variant, profile, figures(data, &variant.id, &profile.id))
        }
        Subject::Run(id) => {
            let of = |data: &'a StudyData| Some((data, data.runs.iter().find(|run| run.id == *id)?));
            let (data, run) = studies.iter().find_map(of).ok_or(WhyMissing::Run)?;
            let (variant, profile) = place(data, &run.variant, &run.profile)?;
            (data, variant, profile, figures_of(data, run))
        }
    };
    let figures = figures.ok_or(WhyMissing::NotMeasured)?;
    let runs = data.runs.iter().filter(|run| figures.runs.contains(&run.id)).collect();
    Ok(Place { data, variant, profile, figures, runs })
}

impl<'a> Place<'a> {
    fn resolved(self, subject: &'a Subject, judged: &[Finding]) -> Resolved<'a> {
        let Self { data, variant, profile, figures, runs } = self;
        let (mut tools, mut definitions) = (Vec::new(), Vec::new());
        for run in &runs {
            if !tools.contains(&run.measurement.tool) {
                tools.push(run.measurement.tool);
            }
            if !definitions.contains(&run.measurement.tpot_definition) {
                definitions.push(run.measurement.tpot_definition);
            }
        }
        let ours = |finding: &&Finding| matches!(&finding.about, About::Run(run) if figures.runs.contains(run));
        let findings = judged.iter().filter(ours).cloned().collect();
        let nothing = LoadPoint { request_rate: None, max_concurrency: None };
        // Runs that make one figure were all at one load.
        let load = runs.first().map_or(nothing, |run| LoadPoint::of(&run.measurement));
        Resolved { subject, data, variant, profile, figures, load, tools, definitions, findings }
    }
}
