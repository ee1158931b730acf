//! Whether a step tries what its name says.

use std::collections::BTreeSet;

use super::{Evidence, Finding, Subject};
use crate::command::{Flag, flags};
use crate::study::{OptionBase, Step, StudyData, Variant};

/// Words of a flag that names of steps leave out: `--max-num-batched-tokens` is "Max Batched Tokens".
const FILLERS: [&str; 5] = ["enable", "disable", "max", "num", "no"];

/// Variants that differ from the baseline in an option that their step's name leaves out, while another step's name has
/// it: the figure belongs to the combination. Silent where steps build on one another, since a step then carries what was
/// adopted before it, and where a name names no flag at all.
pub(super) fn unnamed_options(data: &StudyData) -> Vec<Finding> {
    let study = &data.study;
    let Some(baseline) = study.variant(&study.baseline).filter(|_| study.option_base == OptionBase::Baseline) else {
        return Vec::new();
    };
    let base = flags(&baseline.args);
    let titles: Vec<(&Step, BTreeSet<String>)> = study.steps.iter().map(|step| (step, words(step))).collect();
    let in_step = |step: &Step, title: &BTreeSet<String>, variant: &Variant| {
        let changed: Vec<Flag> = flags(&variant.args).into_iter().filter(|flag| !base.contains(flag)).collect();
        let (named, others): (Vec<&Flag>, Vec<&Flag>) = changed.iter().partition(|flag| names(title, flag));
        let of_others = |flag: &&Flag| titles.iter().any(|(_, other)| names(other, flag));
        let flags: Vec<String> = others.into_iter().filter(of_others).map(|flag| flag.name.clone()).collect();
        (!named.is_empty() && !flags.is_empty()).then(|| Finding {
            about: Subject::Comparison(step.profile.clone(), variant.id.clone()),
            evidence: Evidence::UnnamedOption { step: step.id.clone(), flags },
        })
    };
    let tried = titles.iter().flat_map(|(step, title)| {
        let variants = step.variants.iter().filter_map(|id| study.variant(id));
        variants.map(move |variant| (*step, title, variant))
    });
    tried.filter_map(|(step, title, variant)| in_step(step, title, variant)).collect()
}

/// What a step is called: the words of its id and of its English name.
fn words(step: &Step) -> BTreeSet<String> {
    let all = format!("{} {}", step.id.as_str(), step.name.get(crate::text::Lang::En));
    split(&all).collect()
}

/// Whether a name has every word of a flag that says something.
fn names(title: &BTreeSet<String>, flag: &Flag) -> bool {
    let mut telling = split(&flag.name).filter(|word| !FILLERS.contains(&word.as_str())).peekable();
    telling.peek().is_some() && telling.all(|word| title.contains(&word))
}

fn split(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}
