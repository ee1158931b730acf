//! What a variant was started with, against the baseline.

use domain::command::diff::{Args, differs};
use domain::command::flags;
use domain::report::VariantFacts;
use domain::text::{labels, page_labels};
use leptos::prelude::*;

use crate::lang::Lang;

/// An argument as it was written, and whether the baseline has it too.
pub struct Argument {
    /// One word, or a flag and its value.
    pub text: String,
    /// Not in the baseline.
    pub new: bool,
}

/// The arguments of a variant, one entry a flag, in the order and number of the lines of its printed command.
#[must_use]
pub fn arguments(variant: &VariantFacts, baseline: Option<&VariantFacts>) -> Vec<Argument> {
    let differs = baseline.map(|baseline| differs(args(variant), args(baseline)));
    let mut words = variant.args.iter();
    let argument = flags(&variant.args).into_iter().enumerate().filter_map(|(at, flag)| {
        let mut text = words.next()?.clone();
        if flag.value.is_some() && !text.contains('=') {
            text.push(' ');
            text.push_str(words.next()?);
        }
        let new = differs.as_ref().is_some_and(|differs| differs.get(at) == Some(&true));
        Some(Argument { text, new })
    });
    argument.collect()
}

fn args(of: &VariantFacts) -> Args<'_> {
    Args { engine: &of.engine.engine, args: &of.args }
}

/// Chips: engine and weights where they differ from the baseline's, then every argument; what was dropped is struck.
/// With `only_differences`, the arguments that both have are left out.
#[component]
pub fn Chips(
    /// The variant.
    variant: VariantFacts,
    /// What it is held against; none for the baseline itself.
    baseline: Option<VariantFacts>,
    /// For cards.
    #[prop(optional)]
    only_differences: bool,
    /// In which language.
    lang: Lang,
) -> impl IntoView {
    let baseline = baseline.filter(|baseline| baseline.id != variant.id);
    let mut new = Vec::new();
    if let Some(baseline) = &baseline {
        if variant.engine != baseline.engine {
            new.push(engine(&variant));
        }
        if variant.model != baseline.model {
            new.push(variant.model.clone());
        }
    }
    let arguments = arguments(&variant, baseline.as_ref());
    let empty = new.is_empty() && arguments.is_empty() && variant.removed.is_empty();
    let new = new.into_iter().map(|text| chip("chip chip--new", text));
    let arguments = arguments
        .into_iter()
        .filter(|argument| argument.new || !only_differences)
        .map(|argument| chip(if argument.new { "chip chip--new" } else { "chip" }, argument.text));
    let gone = baseline
        .is_some()
        .then_some(variant.removed)
        .into_iter()
        .flatten()
        .map(|text| view! { <li class="chip chip--gone"><del>{text}</del></li> }.into_any());
    let chips = new.chain(arguments).chain(gone).collect_view();
    let label = if only_differences { page_labels(lang).differences } else { labels(lang).arguments };
    if empty {
        let none = (!only_differences).then(|| view! { <p class="small muted">{labels(lang).no_arguments}</p> });
        return none.into_any();
    }
    view! { <ul class="chips" aria-label=label>{chips}</ul> }.into_any()
}

fn chip(class: &'static str, text: String) -> AnyView {
    view! { <li class=class>{text}</li> }.into_any()
}

/// `vLLM v0.17.1`, or the name alone.
#[must_use]
pub fn engine(variant: &VariantFacts) -> String {
    match &variant.engine.version {
        Some(version) => format!("{} {version}", variant.engine.engine),
        None => variant.engine.engine.clone(),
    }
}

#[cfg(test)]
mod tests {
    use domain::{command::Command, report::EngineUsed, study::Variant};

    use super::*;

    fn variant(args: &[&str]) -> VariantFacts {
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        let variant = Variant {
            id: "v".into(),
            name: None,
            engine: "vLLM".to_owned(),
            engine_version: None,
            model: "m".to_owned(),
            args: args.clone(),
            env: Default::default(),
            gpus: None,
            notes: domain::study::Localized::default(),
        };
        VariantFacts {
            id: variant.id.clone(),
            name: None,
            engine: EngineUsed { engine: variant.engine.clone(), version: None },
            model: variant.model.clone(),
            args,
            command: Command::serve(&variant),
            added: Vec::new(),
            removed: Vec::new(),
            notes: domain::study::Localized::default(),
        }
    }

    #[test]
    fn each_argument_is_one_line_of_the_command_and_spelling_makes_no_difference() {
        let baseline = variant(&["--a_b=1", "--same"]);
        let other = variant(&["--a-b", "1", "--same", "--new", "2", "stray", "--json={\"x\": 1}", "--t", "-0.5"]);
        let found: Vec<_> = arguments(&other, Some(&baseline)).into_iter().map(|a| (a.text, a.new)).collect();
        let expected = [
            ("--a-b 1", false),
            ("--same", false),
            ("--new 2", true),
            ("stray", true),
            ("--json={\"x\": 1}", true),
            ("--t -0.5", true),
        ];
        assert_eq!(found, expected.map(|(text, new)| (text.to_owned(), new)));
        assert_eq!(other.command.text.lines().count(), 1 + found.len());
        assert!(arguments(&other, None).iter().all(|argument| !argument.new), "nothing differs from no baseline");
    }
}
