//! Commands of a job: words with placeholders that are filled once it is known where the server listens.
//!
//! Invariant: placeholders are filled in one pass, so what a name or a path holds is never read as another one.

use std::borrow::Cow;

use super::{JobSpec, Method};
use crate::command::bench::{BenchTool, BenchWords, is_random};
use crate::command::{Command, Engine, flags};
use crate::study::{Profile, Variant};
use crate::units::RequestRate;

/// Where an agent runs a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The address that the server listens on.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// A directory for results, whole.
    pub out: String,
}

/// The file that the known tools are told to write.
const RESULT: &str = "result.json";

/// Fills `{name}` wherever `value` knows the name. Other braces stay as they are: arguments may be JSON.
pub fn fill<'a>(text: &'a str, value: impl Fn(&str) -> Option<String>) -> Cow<'a, str> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let known = name(from).and_then(|name| Some((name.len() + 2, value(name)?)));
        let (length, filled) = known.unwrap_or_else(|| (1, "{".to_owned()));
        out.push_str(&filled);
        rest = &from[length..];
    }
    if out.is_empty() {
        return Cow::Borrowed(text);
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The name at the start of `{name}…`.
fn name(text: &str) -> Option<&str> {
    let (name, _) = text.strip_prefix('{')?.split_once('}')?;
    let plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    plain.then_some(name)
}

/// Everything in a text that looks like a placeholder.
pub(super) fn names(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('{').filter_map(|(at, _)| name(&text[at..]))
}

/// What stands behind a placeholder that a plan and an agent know.
pub(super) enum Known {
    /// Only the agent knows it.
    Place,
    /// This.
    Value(String),
    /// The profile does not say.
    Missing,
}

/// Placeholders of a command, for messages.
pub(super) const PLACEHOLDERS: [&str; 13] = [
    "host",
    "port",
    "base_url",
    "out",
    "model",
    "served_model",
    "dataset",
    "requests",
    "input_tokens",
    "output_tokens",
    "seed",
    "request_rate",
    "max_concurrency",
];

/// What a placeholder stands for; none where there is no such placeholder.
pub(super) fn known(name: &str, variant: &Variant, profile: &Profile) -> Option<Known> {
    let some = |value: Option<String>| value.map_or(Known::Missing, Known::Value);
    let number = |value: Option<u64>| some(value.map(|value| value.to_string()));
    Some(match name {
        "host" | "port" | "base_url" | "out" => Known::Place,
        "model" => Known::Value(variant.model.clone()),
        "served_model" => Known::Value(served(variant)),
        "dataset" => some(profile.dataset_path.clone()),
        "requests" => number(profile.requests),
        "input_tokens" => number(profile.input_tokens),
        "output_tokens" => number(profile.output_tokens),
        "seed" => some(profile.seed.map(|seed| seed.to_string())),
        "request_rate" => some(profile.request_rate.map(|rate| match rate {
            RequestRate::Unlimited => "inf".to_owned(),
            RequestRate::PerSec(rate) => rate.get().to_string(),
        })),
        "max_concurrency" => number(profile.max_concurrency),
        _ => return None,
    })
}

/// What the server calls its model.
fn served(variant: &Variant) -> String {
    let flag = flags(&variant.args).into_iter().rev().find(|flag| flag.name == "--served-model-name");
    flag.and_then(|flag| flag.value).unwrap_or_else(|| variant.model.clone())
}

/// The words of the benchmark command of a profile, placeholders and all; none where its own command has no words.
pub(super) fn template(method: &Method, profile: &Profile) -> Option<Vec<String>> {
    if let Some(command) = &profile.command {
        return shlex::split(command.trim()).filter(|words| !words.is_empty());
    }
    let words = BenchWords { url: "{base_url}", model: "{model}", served: "{served_model}", dataset: "{dataset}" };
    let result = match method.tool {
        BenchTool::VllmBenchServe => vec!["--save-result", "--result-dir", "{out}", "--result-filename", RESULT],
        BenchTool::SglangBenchServing => vec!["--output-file", "{out}/result.json"],
        BenchTool::Guidellm => vec!["--output-path", "{out}/result.json"],
        BenchTool::Aiperf => vec!["--artifact-dir", "{out}"],
    };
    let command = method.tool.command(profile, words).into_iter().flatten();
    let result = result.into_iter().map(str::to_owned);
    Some(command.chain(result).chain(method.tool_args.iter().cloned()).collect())
}

/// Whether the command reads a file that the profile has to name.
pub(super) fn needs_dataset(profile: &Profile) -> bool {
    profile.command.is_none() && !is_random(profile)
}

impl Place {
    fn value(&self, name: &str) -> Option<String> {
        match name {
            "host" => Some(self.host.clone()),
            "port" => Some(self.port.to_string()),
            "base_url" => Some(self.url()),
            "out" => Some(self.out.clone()),
            _ => None,
        }
    }

    /// Where the server is.
    pub fn url(&self) -> String {
        format!("http://{}:{}", self.host, self.port)
    }
}

impl JobSpec {
    /// The words that start the server.
    #[must_use]
    pub fn serve(&self, place: &Place) -> Vec<String> {
        let engine = Engine::named(&self.variant.engine);
        let argv = Command::serve(&self.variant).argv;
        let mut argv: Vec<String> = argv.iter().map(|word| fill(word, |name| place.value(name)).into_owned()).collect();
        let flags = flags(&self.variant.args);
        let has = |name: &str| flags.iter().any(|flag| flag.name == name);
        // An engine that is not known says itself where its address goes.
        if engine.is_some() {
            for (flag, value) in [("--host", place.host.clone()), ("--port", place.port.to_string())] {
                if !has(flag) {
                    argv.extend([flag.to_owned(), value]);
                }
            }
        }
        argv
    }

    /// The words of the benchmark.
    #[must_use]
    pub fn bench(&self, place: &Place) -> Vec<String> {
        let value = |name: &str| {
            place.value(name).or_else(|| match known(name, &self.variant, &self.profile)? {
                Known::Value(value) => Some(value),
                Known::Place | Known::Missing => None,
            })
        };
        let words = template(&self.method, &self.profile).unwrap_or_default();
        words.iter().map(|word| fill(word, value).into_owned()).collect()
    }

    /// The file in `{out}` that the benchmark writes, where it is known.
    #[must_use]
    pub fn result(&self) -> Option<&str> {
        match (&self.profile.command, self.method.tool) {
            (Some(_), _) => self.method.result.as_deref(),
            (None, BenchTool::VllmBenchServe | BenchTool::SglangBenchServing | BenchTool::Guidellm) => Some(RESULT),
            (None, BenchTool::Aiperf) => Some("profile_export_aiperf.json"),
        }
    }

    /// Where the server says that it is ready.
    #[must_use]
    pub fn health_path(&self) -> &'static str {
        if Engine::named(&self.variant.engine).is_some() { "/health" } else { "/v1/models" }
    }

    /// Where the server's prefix cache is cleared by POST, where the engine has such a place. vLLM has it only with
    /// `VLLM_SERVER_DEV_MODE=1`.
    #[must_use]
    pub fn reset_path(&self) -> Option<&'static str> {
        match Engine::named(&self.variant.engine) {
            Some(Engine::Vllm) | None => Some("/reset_prefix_cache"),
            Some(Engine::Sglang) => Some("/flush_cache"),
            Some(Engine::TrtLlm) => None,
        }
    }

    /// What the server calls its model.
    #[must_use]
    pub fn served_model(&self) -> String {
        served(&self.variant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_names_are_placeholders_and_what_they_hold_is_not_read_again() {
        let value = |name: &str| (name == "port").then(|| "{port}".to_owned());
        assert_eq!(fill("--port={port}", value), "--port={port}");
        assert_eq!(
            fill("{\"a\": {port}, \"b\": {x}}", |n| (n == "port").then(|| "1".to_owned())),
            "{\"a\": 1, \"b\": {x}}"
        );
        assert_eq!(fill("{", value), "{");
        assert_eq!(fill("{{port}}", |n| (n == "port").then(|| "1".to_owned())), "{1}");
        assert_eq!(names("{a}{B}{}{c_d} {\"e\"}").collect::<Vec<_>>(), ["a", "c_d"]);
    }
}
