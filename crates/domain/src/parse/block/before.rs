//! What a text says before a block: the client's own settings (`Namespace(…)`, `Traffic request rate: …`) and the
//! headings that the block stands under.
//!
//! Invariant: only what was said once, or always alike, since the block before counts.

use std::collections::BTreeMap;

use crate::run::Measurement;
use crate::units::{ReqPerSec, RequestRate};

/// Settings that are taken from a `Namespace(…)`, by their Python names.
const WANTED: [&str; 11] = [
    "model",
    "backend",
    "dataset_name",
    "num_prompts",
    "no_oversample",
    "request_rate",
    "max_concurrency",
    "random_input_len",
    "random_output_len",
    "burstiness",
    "tag",
];
/// Data sets of SGLang that make their own number of requests and never look at `num_prompts`.
const OWN_COUNT: [&str; 3] = ["generated-shared-prefix", "mooncake", "longbench_v2"];
/// A `Namespace(…)` is some 5 KB; a line far beyond it is no such thing.
const MAX_LINE: usize = 64 * 1024;
/// A heading is short, and so is a label.
const LABEL_CHARS: usize = 120;

/// Whether a line is a client's own settings, with which a run begins.
pub(super) fn is_settings(line: &str) -> bool {
    line.len() <= MAX_LINE && line.contains("Namespace(") && line.contains("num_prompts=")
}

/// Collects what stands outside of blocks.
#[derive(Default)]
pub(super) struct Before {
    settings: Settings,
    headings: Vec<(usize, String)>,
    fenced: bool,
}

/// Each setting, or nothing where two lines disagree.
#[derive(Default)]
struct Settings(BTreeMap<&'static str, Option<String>>);

impl Settings {
    fn say(&mut self, name: &'static str, value: &str) {
        let entry = self.0.entry(name).or_insert_with(|| Some(value.to_owned()));
        if entry.as_deref() != Some(value) {
            *entry = None;
        }
    }

    /// A setting that was said; `None` in Python is not set.
    fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_deref().filter(|value| !value.is_empty() && *value != "None")
    }
}

impl Before {
    /// Looks at a line outside of blocks.
    pub(super) fn line(&mut self, line: &str) {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            self.fenced = !self.fenced;
        } else if let Some((level, title)) = heading(trimmed).filter(|_| !self.fenced) {
            self.headings.retain(|(above, _)| *above < level);
            self.headings.push((level, title));
        } else if let Some(value) = trimmed.strip_prefix("Traffic request rate:") {
            self.settings.say("request_rate", value.trim());
        } else if let Some(value) = trimmed.strip_prefix("Maximum request concurrency:") {
            self.settings.say("max_concurrency", value.trim());
        } else if let Some(at) = line.find("Namespace(").filter(|_| line.len() <= MAX_LINE) {
            let pairs = arguments(&line[at + "Namespace(".len()..]);
            // A server in the same log has a Namespace too, without a number of prompts.
            if pairs.iter().any(|(name, _)| *name == "num_prompts") {
                pairs.into_iter().for_each(|(name, value)| self.settings.say(name, &value));
            }
        }
    }

    /// What was said for the block that starts here. Headings hold on, settings belong to one block.
    pub(super) fn take(&mut self) -> Said {
        let last: Vec<&str> = self.headings.iter().rev().take(2).rev().map(|(_, title)| title.as_str()).collect();
        Said {
            settings: std::mem::take(&mut self.settings),
            label: (!last.is_empty()).then(|| last.join(" / ").chars().take(LABEL_CHARS).collect()),
        }
    }
}

/// `## vLLM`: its level and text.
fn heading(line: &str) -> Option<(usize, String)> {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    let text = title.strip_prefix(' ')?.trim();
    ((1..=6).contains(&level) && !text.is_empty()).then(|| (level, text.chars().take(LABEL_CHARS).collect()))
}

/// The wanted arguments of a Python call, up to its closing bracket. Commas inside of texts and brackets separate nothing.
fn arguments(text: &str) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    let (mut depth, mut quote, mut escaped, mut start) = (0_usize, None, false, 0);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '[' | '{' | '(') => depth += 1,
            (None, ']' | '}') => depth = depth.saturating_sub(1),
            (None, ')') if depth > 0 => depth -= 1,
            (None, ')' | ',') if depth == 0 => {
                found.extend(argument(&text[start..at]));
                start = at + 1;
                if c == ')' {
                    break;
                }
            }
            (None, _) => {}
        }
    }
    found
}

fn argument(text: &str) -> Option<(&'static str, String)> {
    let (name, value) = text.trim().split_once('=')?;
    let name = WANTED.into_iter().find(|wanted| *wanted == name)?;
    Some((name, value.trim_matches(['\'', '"']).chars().take(LABEL_CHARS).collect()))
}

/// What was said before one block.
pub(super) struct Said {
    settings: Settings,
    label: Option<String>,
}

impl Said {
    /// Fills in what the block itself does not say.
    pub(super) fn complete(self, measurement: &mut Measurement) {
        let said = |name: &str| self.settings.get(name);
        let context = &mut measurement.context;
        context.model = said("model").map(str::to_owned);
        context.dataset = said("dataset_name").map(str::to_owned);
        if context.dataset.as_deref().is_some_and(|name| name.starts_with("random")) {
            context.input_tokens = said("random_input_len").and_then(|len| len.parse().ok());
            context.output_tokens = said("random_output_len").and_then(|len| len.parse().ok());
        }
        context.label = said("tag").map(str::to_owned).or(self.label);
        for name in ["backend", "burstiness"] {
            if let Some(value) = said(name) {
                context.parameters.entry(name.to_owned()).or_insert_with(|| value.to_owned());
            }
        }
        let metrics = &mut measurement.metrics;
        metrics.request_rate = metrics.request_rate.or_else(|| said("request_rate").and_then(rate));
        metrics.max_concurrency =
            metrics.max_concurrency.or_else(|| said("max_concurrency").and_then(|limit| limit.parse().ok()));
        let counted = said("no_oversample") != Some("True")
            && !measurement.context.dataset.as_deref().is_some_and(|name| OWN_COUNT.contains(&name));
        if metrics.planned_requests.is_none() && counted {
            metrics.planned_requests = said("num_prompts").and_then(|count| count.parse().ok());
        }
        if metrics.failed_requests.is_none() {
            let counts = metrics.planned_requests.zip(metrics.successful_requests);
            metrics.failed_requests = counts.and_then(|(planned, ok)| planned.checked_sub(ok));
        }
    }
}

fn rate(text: &str) -> Option<RequestRate> {
    match text.parse::<f64>().ok()? {
        f64::INFINITY => Some(RequestRate::Unlimited),
        rate => ReqPerSec::new(rate).filter(|rate| rate.get() > 0.0).map(RequestRate::PerSec),
    }
}
