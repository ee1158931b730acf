//! The small document of facts that is kept with a version.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::difference::Setting;
use crate::check::{Finding, Subject};
use crate::metric::Metric;
use crate::metrics::{Latency, Stat};
use crate::report::{ConclusionRow, Report, RunReport};
use crate::study::{Basis, Localized, Profile};
use crate::text::{Lang, phrase};

/// The shape of [`Outline`]. It grows when an old outline could be misread, not when a field is added.
const SCHEMA: u32 = 1;

/// Figures by which a run is said to be read differently.
const OF_RUN: [Metric; 8] = [
    Metric::TotalTps,
    Metric::OutputTps,
    Metric::RequestThroughput,
    Metric::Latency(Latency::Ttft, Stat::Mean),
    Metric::Latency(Latency::Ttft, Stat::P99),
    Metric::Latency(Latency::Tpot, Stat::Mean),
    Metric::Latency(Latency::Tpot, Stat::P99),
    Metric::Latency(Latency::E2el, Stat::Mean),
];

/// Figures of a side of the conclusion.
const OF_ROW: [Metric; 2] = [Metric::TotalTps, Metric::Latency(Latency::Tpot, Stat::Mean)];

/// What a version says, in facts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Outline {
    /// Of this shape.
    pub schema: u32,
    /// The study's title.
    pub title: Localized,
    /// Decimals of percentages.
    pub decimals: u8,
    /// What the study asks for, by [`Setting::key`], as text.
    pub settings: BTreeMap<String, String>,
    /// The variant that others are compared with.
    pub baseline: String,
    /// The variant that is advised.
    pub recommended: Option<String>,
    /// How firmly, as in JSON.
    pub standing: String,
    /// Baseline against recommended, one row a profile.
    pub rows: Vec<RowOutline>,
    /// Workloads.
    pub profiles: Vec<ProfileOutline>,
    /// Configurations.
    pub variants: Vec<VariantOutline>,
    /// What was tried.
    pub steps: Vec<StepOutline>,
    /// Measurements.
    pub runs: Vec<RunOutline>,
    /// What was found.
    pub findings: Vec<FindingOutline>,
    /// Notes by their targets, as [`crate::note::Target`] writes them.
    pub notes: BTreeMap<String, Localized>,
    /// Other studies of the same question that stood beside it.
    pub rivals: Vec<Named>,
}

/// An id with the name that it had then.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Named {
    /// The id.
    pub id: String,
    /// For people; empty where nobody gave a name.
    #[serde(skip_serializing_if = "Localized::is_empty")]
    pub name: Localized,
}

/// Figures by their metrics' keys. A figure that was not measured is there without a value; one that is not there was not
/// kept.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Figures {
    /// As printed.
    pub reported: BTreeMap<String, Option<f64>>,
    /// As it follows.
    pub recomputed: BTreeMap<String, Option<f64>>,
}

/// A row of the conclusion.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RowOutline {
    /// The profile.
    pub profile: String,
    /// Change of total TPS from the printed figures, percent.
    pub reported_pct: Option<f64>,
    /// The same from the recomputed figures.
    pub recomputed_pct: Option<f64>,
    /// What it means, as in JSON.
    pub verdict: String,
    /// The baseline's figures.
    pub baseline: Figures,
    /// The recommended variant's.
    pub recommended: Figures,
}

/// A workload.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProfileOutline {
    /// Which one.
    #[serde(flatten)]
    pub named: Named,
    /// What it asks for, by the keys of `study.toml`, as text; empty where it says nothing.
    pub asks: BTreeMap<String, String>,
}

/// A configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct VariantOutline {
    /// Which one.
    #[serde(flatten)]
    pub named: Named,
    /// The engine and its version.
    pub engine: String,
    /// What serves it.
    pub argv: Vec<String>,
    /// Variables set for it.
    pub env: BTreeMap<String, String>,
}

/// A step.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StepOutline {
    /// Which one.
    #[serde(flatten)]
    pub named: Named,
    /// What became of it, as in JSON.
    pub decision: String,
    /// The variant that the decision is about.
    pub variant: Option<String>,
}

/// A run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunOutline {
    /// Its id.
    pub id: String,
    /// Its number in the study, from 1.
    pub number: usize,
    /// SHA-256 of the raw output.
    pub digest: String,
    /// What was under test.
    pub variant: String,
    /// The workload.
    pub profile: String,
    /// What was read.
    pub figures: Figures,
}

/// A finding.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FindingOutline {
    /// Which kind.
    pub id: String,
    /// How much it weighs, as in JSON.
    pub severity: String,
    /// The run that it is about.
    pub run: Option<String>,
    /// The profile of the comparison that it is about.
    pub profile: Option<String>,
    /// The variant of that comparison.
    pub variant: Option<String>,
    /// What the kind was called then: a later program may not know it any more.
    pub name: Localized,
}

impl Outline {
    /// What a report says.
    #[must_use]
    pub fn of(report: &Report) -> Self {
        let conclusion = &report.conclusion;
        let steps = report.steps.iter().map(|step| {
            let option = report.options.iter().find(|row| row.step == step.id);
            StepOutline {
                named: Named { id: step.id.to_string(), name: step.name.clone() },
                decision: step.decision.key().to_owned(),
                variant: option.and_then(|row| row.variant.as_ref()).map(ToString::to_string),
            }
        });
        let variants = report.variants.iter().map(|variant| VariantOutline {
            named: Named { id: variant.id.to_string(), name: variant.name.clone().unwrap_or_default() },
            engine: [Some(&variant.engine.engine), variant.engine.version.as_ref()]
                .into_iter()
                .flatten()
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join(" "),
            argv: variant.command.argv.clone(),
            env: variant.command.env.clone(),
        });
        Self {
            schema: SCHEMA,
            title: report.title.clone(),
            decimals: report.decimals,
            settings: Setting::ALL.into_iter().map(|one| (one.key().to_owned(), setting(report, one))).collect(),
            baseline: conclusion.baseline.to_string(),
            recommended: conclusion.recommended.as_ref().map(ToString::to_string),
            standing: text_of(&conclusion.standing),
            rows: conclusion.rows.iter().map(row).collect(),
            profiles: report.profiles.iter().map(profile).collect(),
            variants: variants.collect(),
            steps: steps.collect(),
            runs: report.runs.iter().map(run).collect(),
            findings: report.findings.iter().map(finding).collect(),
            notes: notes(report),
            rivals: report
                .rivals
                .iter()
                .map(|rival| Named { id: rival.slug.to_string(), name: rival.title.clone() })
                .collect(),
        }
    }
}

/// A setting as `study.toml` has it; empty where the study says nothing.
fn setting(report: &Report, which: Setting) -> String {
    match which {
        Setting::Objective => text_of(&report.objective),
        Setting::PrimaryProfile => report.primary_profile.to_string(),
        Setting::Basis => text_of(&report.basis),
        Setting::OptionBase => text_of(&report.option_base),
        Setting::RelevancePct => report.relevance_pct.to_string(),
        Setting::MinSuccessPct => report.min_success_pct.to_string(),
        Setting::Price => {
            report.price.map(|price| format!("{} {}", price.gpu_hour, text_of(&price.currency))).unwrap_or_default()
        }
        Setting::Model => report.model.id.clone(),
        Setting::Gpu => report.hardware.gpu.clone(),
        Setting::Gpus => report.hardware.count.map(|count| count.to_string()).unwrap_or_default(),
        Setting::Decimals => report.decimals.to_string(),
    }
}

/// A value as text: what JSON has between quotation marks, and anything else as JSON; nothing for nothing.
fn text_of(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(text)) => text,
        Ok(Value::Null) | Err(_) => String::new(),
        Ok(Value::Object(map)) if map.is_empty() => String::new(),
        Ok(other) => other.to_string(),
    }
}

fn profile(of: &Profile) -> ProfileOutline {
    let named = Named { id: of.id.to_string(), name: of.name.clone() };
    let Ok(Value::Object(map)) = serde_json::to_value(of) else {
        return ProfileOutline { named, ..Default::default() };
    };
    let asks = map.into_iter().filter(|(key, _)| !matches!(key.as_str(), "id" | "name"));
    ProfileOutline { named, asks: asks.map(|(key, value)| (key, text_of(&value))).collect() }
}

fn row(of: &ConclusionRow) -> RowOutline {
    let side = |of: &crate::aggregate::Figures| Figures {
        reported: OF_ROW.iter().map(|one| (one.to_string(), one.of(&of.metrics))).collect(),
        recomputed: OF_ROW.iter().map(|one| (one.to_string(), of.recomputed.get(*one))).collect(),
    };
    RowOutline {
        profile: of.profile.to_string(),
        reported_pct: of.change.reported_pct,
        recomputed_pct: of.change.recomputed_pct,
        verdict: of.change.verdict.key().to_owned(),
        baseline: side(&of.baseline),
        recommended: side(&of.recommended),
    }
}

fn run(of: &RunReport) -> RunOutline {
    RunOutline {
        id: of.id.to_string(),
        number: of.number,
        digest: of.digest.to_string(),
        variant: of.variant.to_string(),
        profile: of.profile.to_string(),
        figures: Figures {
            reported: OF_RUN.iter().map(|one| (one.to_string(), one.of(&of.metrics))).collect(),
            recomputed: OF_RUN.iter().map(|one| (one.to_string(), of.recomputed.get(*one))).collect(),
        },
    }
}

fn finding(of: &Finding) -> FindingOutline {
    let (run, profile, variant) = match &of.about {
        Subject::Run(run) => (Some(run.to_string()), None, None),
        Subject::Comparison(profile, variant) => (None, Some(profile.to_string()), Some(variant.to_string())),
        Subject::Study => (None, None, None),
    };
    FindingOutline {
        id: of.evidence.id().to_owned(),
        severity: text_of(&of.evidence.severity()),
        run,
        profile,
        variant,
        name: Localized {
            ja: Some(phrase::finding(Lang::Ja, &of.evidence).to_owned()),
            en: Some(phrase::finding(Lang::En, &of.evidence).to_owned()),
        },
    }
}

fn notes(report: &Report) -> BTreeMap<String, Localized> {
    let steps = report.steps.iter().map(|step| (format!("step:{}", step.id), &step.notes));
    let variants = report.variants.iter().map(|variant| (format!("variant:{}", variant.id), &variant.notes));
    let runs = report.runs.iter().map(|run| (format!("run:{}", run.id), &run.notes));
    let all = std::iter::once(("study".to_owned(), &report.notes)).chain(steps).chain(variants).chain(runs);
    all.filter(|(_, notes)| !notes.is_empty()).map(|(on, notes)| (on, notes.clone())).collect()
}

impl Figures {
    /// One basis.
    #[must_use]
    pub fn on(&self, basis: Basis) -> &BTreeMap<String, Option<f64>> {
        match basis {
            Basis::Reported => &self.reported,
            Basis::Recomputed => &self.recomputed,
        }
    }
}
