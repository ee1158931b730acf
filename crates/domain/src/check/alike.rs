//! Variants that nothing tells apart.

use super::{Evidence, Finding, Subject};
use crate::command::{Flag, flags};
use crate::id::VariantId;
use crate::machine;
use crate::report::launchable;
use crate::study::{StudyData, Variant};

/// Variants that are started by one command: the same engine, weights, environment, GPUs and arguments, whatever their
/// order and spelling. What lies between their figures is no effect of any setting.
pub(super) fn same_command(data: &StudyData) -> Vec<Finding> {
    let mut groups: Vec<(Vec<Flag>, Vec<&Variant>)> = Vec::new();
    // Nobody has said how a variant is started of which only the name came.
    let described = |variant: &&Variant| launchable(&variant.engine, &variant.model);
    for variant in data.study.variants.iter().filter(described) {
        let ours = unordered(variant);
        let known = groups.iter_mut().find(|(args, others)| *args == ours && alike(data, others[0], variant));
        match known {
            Some((_, others)) => others.push(variant),
            None => groups.push((ours, vec![variant])),
        }
    }
    let several = groups.into_iter().filter(|(_, variants)| variants.len() > 1);
    several
        .map(|(_, variants)| {
            let variants: Vec<VariantId> = variants.into_iter().map(|variant| variant.id.clone()).collect();
            Finding { about: Subject::Study, evidence: Evidence::SameCommand { variants } }
        })
        .collect()
}

/// A flag that is given twice may mean both, or the last: those keep their order.
fn unordered(variant: &Variant) -> Vec<Flag> {
    let mut flags = flags(&variant.args);
    flags.sort_by(|a, b| a.name.cmp(&b.name));
    flags
}

fn alike(data: &StudyData, a: &Variant, b: &Variant) -> bool {
    let told = |variant: &Variant| {
        let Variant { engine, engine_version, model, env, gpus, .. } = variant.clone();
        (engine.to_ascii_lowercase(), engine_version, model, env, gpus)
    };
    let hardware = |variant: &Variant| {
        let runs = data.runs.iter().filter(|run| run.variant == variant.id);
        runs.map(|run| machine::hardware(&data.study, run)).collect::<Vec<_>>()
    };
    let (ours, theirs) = (hardware(a), hardware(b));
    let differ = ours.iter().any(|(gpu, gpus)| {
        theirs.iter().any(|(other, others)| {
            machine::differ(gpu, other) || (gpus.is_some() && others.is_some() && gpus != others)
        })
    });
    told(a) == told(b) && !differ
}
