//! Two studies of the same question can disagree. What another study recommends, and in what it differs from this one.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{EngineUsed, Report, Standing, build};
use crate::advise::Objective;
use crate::change::{Change, Verdict};
use crate::command::{Command, flags};
use crate::id::{ProfileId, StudySlug, VariantId};
use crate::metric::Metric;
use crate::study::{Hardware, Localized, Profile, Study, StudyData, Variant};

/// Another study of the same question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rival {
    /// Its name in URLs.
    pub slug: StudySlug,
    /// Its title.
    pub title: Localized,
    /// What it recommends; none where nothing is eligible there.
    pub advice: Option<RivalAdvice>,
    /// Whether both recommend the same engine, weights, arguments and environment.
    pub agrees: bool,
    /// In what the two differ: what is recommended first, then how it was measured.
    pub differences: Vec<Difference>,
    /// Profiles of the same workload in both.
    pub profiles: Vec<SharedProfile>,
}

/// What another study recommends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RivalAdvice {
    /// The variant, by its id there.
    pub variant: VariantId,
    /// Its name there, where people gave one.
    pub name: Option<Localized>,
    /// The engine.
    #[serde(flatten)]
    pub engine: EngineUsed,
    /// What serves it.
    pub command: Command,
    /// How firmly.
    pub standing: Standing,
}

/// One thing in which two studies of a question differ.
#[expect(missing_docs, reason = "`ours` is this study's, `theirs` the other's; absent is none")]
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "id", rename_all = "kebab-case")]
pub enum Difference {
    /// One of them recommends nothing.
    Advice { ours: bool, theirs: bool },
    /// The engine of the recommended variants.
    Engine { ours: String, theirs: String },
    /// Their weights.
    Weights { ours: String, theirs: String },
    /// One of their arguments; a switch without a value has an empty text.
    Argument { name: String, ours: Option<String>, theirs: Option<String> },
    /// One variable of their environment.
    Environment { name: String, ours: Option<String>, theirs: Option<String> },
    /// A profile that the recommended variant gains on in one study and loses on in the other.
    Gain { profile: ProfileId, ours: Change, theirs: Change },
    /// The version of the same engine.
    EngineVersion { ours: Option<String>, theirs: Option<String> },
    /// The machine.
    Hardware { ours: Hardware, theirs: Hardware },
    /// What is to be improved.
    Objective { ours: Objective, theirs: Objective },
    /// The limits of a workload that both have.
    Limits { profile: ProfileId, ours: BTreeMap<Metric, f64>, theirs: BTreeMap<Metric, f64> },
    /// What gains are measured against.
    Baseline { ours: Command, theirs: Command },
}

/// The same workload in both studies, with the change of total TPS that each study's recommended variant brings there.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SharedProfile {
    /// Here.
    pub ours: ProfileId,
    /// There.
    pub theirs: ProfileId,
    /// Its name there.
    pub their_name: Localized,
    /// Here, where both sides were measured.
    pub our_change: Option<Change>,
    /// There, where both sides were measured.
    pub their_change: Option<Change>,
}

/// Whether two studies ask the same: one model, an engine in common, and a workload in common.
pub fn same_question(a: &Study, b: &Study) -> bool {
    let same = |a: &str, b: &str| a.trim().eq_ignore_ascii_case(b.trim());
    let engines = || a.variants.iter().flat_map(|ours| b.variants.iter().map(move |theirs| (ours, theirs)));
    a.slug != b.slug
        && same(&a.model.id, &b.model.id)
        && engines().any(|(ours, theirs)| same(&ours.engine, &theirs.engine))
        && !shared(a, b).is_empty()
}

/// Sets other studies beside a report on `data`; those that ask something else are passed over. Built only from what is
/// given: finding candidates is the caller's.
pub fn beside(data: &StudyData, report: &Report, others: &[StudyData]) -> Vec<Rival> {
    let same = others.iter().filter(|other| same_question(&data.study, &other.study));
    same.map(|other| rival(&data.study, report, &other.study, &build(other))).collect()
}

fn rival(study: &Study, report: &Report, other: &Study, theirs: &Report) -> Rival {
    let variant = |study: &Study, report: &Report| {
        report.conclusion.recommended.as_ref().and_then(|id| study.variant(id)).cloned()
    };
    let (our_variant, their_variant) = (variant(study, report), variant(other, theirs));
    let mut differences = match (&our_variant, &their_variant) {
        (Some(ours), Some(theirs)) => in_advice(ours, theirs),
        (None, None) => Vec::new(),
        (ours, theirs) => vec![Difference::Advice { ours: ours.is_some(), theirs: theirs.is_some() }],
    };
    let agrees = differences.is_empty();
    let change = |report: &Report, profile: &ProfileId| {
        report.conclusion.rows.iter().find(|row| &row.profile == profile).map(|row| row.change)
    };
    let profiles: Vec<SharedProfile> = shared(study, other)
        .into_iter()
        .map(|(ours, their)| SharedProfile {
            ours: ours.id.clone(),
            theirs: their.id.clone(),
            their_name: their.name.clone(),
            our_change: change(report, &ours.id),
            their_change: change(theirs, &their.id),
        })
        .collect();
    differences.extend(profiles.iter().filter_map(opposed));
    differences.extend(in_conditions(study, other, our_variant.as_ref(), their_variant.as_ref()));
    let facts = their_variant.as_ref().and_then(|variant| theirs.variant(&variant.id));
    Rival {
        slug: other.slug.clone(),
        title: other.title.clone(),
        advice: facts.map(|facts| RivalAdvice {
            variant: facts.id.clone(),
            name: facts.name.clone(),
            engine: facts.engine.clone(),
            command: facts.command.clone(),
            standing: theirs.conclusion.standing,
        }),
        agrees,
        differences,
        profiles,
    }
}

/// In what two recommended variants differ.
fn in_advice(ours: &Variant, theirs: &Variant) -> Vec<Difference> {
    let mut found = Vec::new();
    if !ours.engine.eq_ignore_ascii_case(&theirs.engine) {
        found.push(Difference::Engine { ours: ours.engine.clone(), theirs: theirs.engine.clone() });
    }
    if !ours.model.eq_ignore_ascii_case(&theirs.model) {
        found.push(Difference::Weights { ours: ours.model.clone(), theirs: theirs.model.clone() });
    }
    let (our_flags, their_flags) = (flags(&ours.args), flags(&theirs.args));
    let values = |all: &[crate::command::Flag], name: &str| -> Option<String> {
        let values: Vec<String> =
            all.iter().filter(|flag| flag.name == name).map(|flag| flag.value.clone().unwrap_or_default()).collect();
        (!values.is_empty()).then(|| values.join(", "))
    };
    let mut names: Vec<&String> = our_flags.iter().chain(&their_flags).map(|flag| &flag.name).collect();
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(*name));
    found.extend(names.into_iter().filter_map(|name| {
        let (ours, theirs) = (values(&our_flags, name), values(&their_flags, name));
        (ours != theirs).then(|| Difference::Argument { name: name.clone(), ours, theirs })
    }));
    let names: BTreeSet<&String> = ours.env.keys().chain(theirs.env.keys()).collect();
    found.extend(names.into_iter().filter_map(|name| {
        let (ours, theirs) = (ours.env.get(name).cloned(), theirs.env.get(name).cloned());
        (ours != theirs).then(|| Difference::Environment { name: name.clone(), ours, theirs })
    }));
    found
}

/// A workload on which one gains and the other loses.
fn opposed(profile: &SharedProfile) -> Option<Difference> {
    let (ours, theirs) = profile.our_change.zip(profile.their_change)?;
    let opposed =
        matches!((ours.verdict, theirs.verdict), (Verdict::Better, Verdict::Worse) | (Verdict::Worse, Verdict::Better));
    opposed.then(|| Difference::Gain { profile: profile.ours.clone(), ours, theirs })
}

/// In what the two were measured differently.
fn in_conditions(a: &Study, b: &Study, ours: Option<&Variant>, theirs: Option<&Variant>) -> Vec<Difference> {
    let mut found = Vec::new();
    if let Some((ours, theirs)) = ours.zip(theirs)
        && ours.engine.eq_ignore_ascii_case(&theirs.engine)
        && ours.engine_version != theirs.engine_version
    {
        let (ours, theirs) = (ours.engine_version.clone(), theirs.engine_version.clone());
        found.push(Difference::EngineVersion { ours, theirs });
    }
    if a.hardware != b.hardware {
        found.push(Difference::Hardware { ours: a.hardware.clone(), theirs: b.hardware.clone() });
    }
    if a.objective != b.objective {
        found.push(Difference::Objective { ours: a.objective.clone(), theirs: b.objective.clone() });
    }
    found.extend(shared(a, b).into_iter().filter(|(ours, theirs)| ours.slo != theirs.slo).map(|(ours, theirs)| {
        Difference::Limits { profile: ours.id.clone(), ours: ours.slo.clone(), theirs: theirs.slo.clone() }
    }));
    let baseline = |study: &Study| study.variant(&study.baseline).map(Command::serve);
    if let Some((ours, theirs)) = baseline(a).zip(baseline(b)).filter(|(ours, theirs)| ours.argv != theirs.argv) {
        found.push(Difference::Baseline { ours, theirs });
    }
    found
}

/// Profiles of the same workload, each once.
fn shared<'a>(a: &'a Study, b: &'a Study) -> Vec<(&'a Profile, &'a Profile)> {
    let twin = |ours: &'a Profile| b.profiles.iter().find(|theirs| same_workload(ours, theirs)).map(|t| (ours, t));
    a.profiles.iter().filter_map(twin).collect()
}

/// Whether two profiles ask for the same: the data, the lengths, and the load. What neither names says nothing; a
/// profile that names neither data nor lengths is like no other.
pub(crate) fn same_workload(a: &Profile, b: &Profile) -> bool {
    let dataset = |profile: &Profile| profile.dataset.as_deref().map(|name| name.trim().to_ascii_lowercase());
    let named = a.dataset.is_some() || a.input_tokens.is_some();
    named
        && dataset(a) == dataset(b)
        && (a.input_tokens, a.output_tokens) == (b.input_tokens, b.output_tokens)
        && (a.request_rate, a.max_concurrency) == (b.request_rate, b.max_concurrency)
}
