//! The benchmark command of a profile: as recorded where it was, else from what the profile asks for, with the tool that
//! measured where that one is known.

use crate::command::bench::{BenchTool, BenchWords, is_random};
use crate::command::{is_env_name, quote};
use crate::mask::MASK;
use crate::report::Report;
use crate::run::{Tool, TpotDefinition};
use crate::study::Profile;
use crate::text::{self, Lang, ReproduceLabels};

/// What runs, and what has to be said about it.
pub(super) struct Bench {
    pub said: Vec<Said>,
    /// Words of a command, one or two a line; none where nothing can be run.
    pub lines: Option<Vec<String>>,
}

/// A fact about a command, for a comment.
pub(super) enum Said {
    Recorded,
    Generated,
    StandIn(Tool),
    NotRun(String),
    OwnAddress,
    Masked,
    NoLengths,
    NoRequests,
    NoRate,
    NoSeed,
}

impl Said {
    pub fn text(&self, lang: Lang, words: &ReproduceLabels) -> String {
        match self {
            Self::Recorded => words.recorded.to_owned(),
            Self::Generated => words.generated.to_owned(),
            Self::StandIn(tool) => format!("{}: {}", words.stand_in, text::tool(lang, *tool)),
            Self::NotRun(command) => format!("{}: {command}", words.not_run),
            Self::OwnAddress => words.own_address.to_owned(),
            Self::Masked => words.masked.to_owned(),
            Self::NoLengths => words.missing_lengths.to_owned(),
            Self::NoRequests => words.missing_requests.to_owned(),
            Self::NoRate => words.missing_rate.to_owned(),
            Self::NoSeed => words.missing_seed.to_owned(),
        }
    }
}

/// Where the server of the moment is.
const URL: &str = "\"http://$HOST:$port\"";

/// Whether a command has to be made for it that reads a file.
pub(super) fn needs_dataset(profile: &Profile) -> bool {
    profile.command.is_none() && !is_random(profile)
}

pub(super) fn of(report: &Report, profile: &Profile, number: usize) -> Bench {
    match &profile.command {
        Some(command) => recorded(report, command),
        None => generated(report, profile, number),
    }
}

/// The programs whose options for the server's address are known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Program {
    /// `vllm bench serve`, `sglang.bench_serving`: `--base-url`, or `--host` and `--port`.
    HostPort,
    /// GuideLLM: `--target`.
    Target,
    /// AIPerf: `--url`.
    Url,
}

impl Program {
    fn of(words: &[String]) -> Option<Self> {
        let has = |part: &str| words.iter().take(4).any(|word| word.contains(part));
        if has("guidellm") {
            Some(Self::Target)
        } else if has("aiperf") || has("genai-perf") {
            Some(Self::Url)
        } else if has("bench_serving") || has("benchmark_serving") || (has("vllm") && has("bench")) {
            Some(Self::HostPort)
        } else {
            None
        }
    }
}

fn recorded(report: &Report, command: &str) -> Bench {
    let Some(words) = one_command(command) else {
        return Bench { said: vec![Said::NotRun(command.to_owned())], lines: None };
    };
    let mut said = vec![Said::Recorded];
    if words.iter().any(|word| word.contains(MASK)) {
        said.push(Said::Masked);
    }
    let program = Program::of(&words);
    if program.is_none() {
        said.push(Said::OwnAddress);
    }
    let mut lines: Vec<String> = Vec::new();
    let mut addressed = program.is_none();
    let mut pending: Option<&str> = None;
    // A variable in front is for the program; `env` takes both.
    if words.first().is_some_and(|word| is_assignment(word)) {
        lines.push("env".to_owned());
    }
    for word in &words {
        if let Some(value) = pending.take() {
            lines.push(value.to_owned());
            continue;
        }
        let (flag, value) = word.split_once('=').map_or((word.as_str(), None), |(flag, value)| (flag, Some(value)));
        let set = program.and_then(|_| address(flag));
        match (set, value) {
            (Some(set), Some(_)) => {
                addressed = true;
                lines.push(format!("{flag}={set}"));
            }
            (Some(set), None) => {
                addressed = true;
                pending = Some(set);
                lines.push(flag.to_owned());
            }
            (None, Some(value)) if flag.starts_with('-') && is_model(report, value) => {
                lines.push(format!("{}=\"$model\"", quote(flag)));
            }
            (None, _) if is_model(report, word) => lines.push("\"$model\"".to_owned()),
            (None, _) => lines.push(quote(word)),
        }
    }
    if !addressed {
        lines.extend(match program {
            Some(Program::HostPort) => vec!["--host \"$HOST\"".to_owned(), "--port \"$port\"".to_owned()],
            Some(Program::Target) => vec![format!("--target {URL}")],
            Some(Program::Url) => vec![format!("--url {URL}")],
            None => Vec::new(),
        });
    }
    Bench { said, lines: Some(together(lines)) }
}

/// What stands behind a flag that says where the server is.
fn address(flag: &str) -> Option<&'static str> {
    match flag {
        "--host" => Some("\"$HOST\""),
        "--port" => Some("\"$port\""),
        "--base-url" | "--target" | "--url" => Some(URL),
        _ => None,
    }
}

fn is_model(report: &Report, word: &str) -> bool {
    word == report.model.id || report.variants.iter().any(|variant| variant.model == word)
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| is_env_name(name))
}

/// The words of a command line; none where a shell would do more with it than start one program.
fn one_command(command: &str) -> Option<Vec<String>> {
    let command = command.replace("\r\n", "\n").replace("\\\n", " ");
    let command = command.trim();
    // Inside quotation marks these are harmless, but then nothing tells which stand inside.
    let unquoted = |c: char| "|&;<>`\n".contains(c);
    if command.contains(unquoted) || command.contains("$(") {
        return None;
    }
    shlex::split(command).filter(|words| words.iter().any(|word| !is_assignment(word)))
}

/// A flag and its value on one line.
fn together(words: Vec<String>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut begun = false;
    for word in words {
        let is_flag = word.starts_with("--");
        match lines.last_mut() {
            // Program and subcommands.
            Some(line) if !begun && !is_flag => {
                line.push(' ');
                line.push_str(&word);
            }
            Some(line) if !is_flag && line.starts_with("--") && !line.contains([' ', '=']) => {
                line.push(' ');
                line.push_str(&word);
            }
            Some(_) | None => lines.push(word.clone()),
        }
        begun |= is_flag;
    }
    lines
}

fn generated(report: &Report, profile: &Profile, number: usize) -> Bench {
    let measured = report.runs.iter().find(|run| run.profile == profile.id);
    let tool = measured.map_or(Tool::VllmServe, |run| run.tool);
    // The block without the first token's time is what vLLM prints; GPUStack's counts it in.
    let is_vllm = match tool {
        Tool::VllmServe => true,
        Tool::ServingBenchmarkBlock => {
            measured.is_some_and(|run| run.tpot_definition == TpotDefinition::ExcludesFirstToken)
        }
        _ => false,
    };
    let mut said = vec![Said::Generated];
    if profile.requests.is_none() {
        said.push(Said::NoRequests);
    }
    if is_random(profile) && (profile.input_tokens.is_none() || profile.output_tokens.is_none()) {
        said.push(Said::NoLengths);
    }
    if profile.request_rate.is_none() && profile.max_concurrency.is_none() {
        said.push(Said::NoRate);
    }
    if profile.seed.is_none() {
        said.push(Said::NoSeed);
    }
    let dataset = format!("\"$DATASET_{number}\"");
    let words = BenchWords { url: URL, model: "\"$model\"", served: "\"$served\"", dataset: &dataset };
    let program = match tool {
        Tool::SglangServing => BenchTool::SglangBenchServing,
        Tool::GuideLlm => BenchTool::Guidellm,
        Tool::AiPerf | Tool::GenAiPerf => BenchTool::Aiperf,
        _ => {
            if !is_vllm {
                said.push(Said::StandIn(tool));
            }
            BenchTool::VllmBenchServe
        }
    };
    let mut lines: Vec<String> = program.command(profile, words).iter().map(|words| words.join(" ")).collect();
    if program == BenchTool::Guidellm {
        lines.push("--output-path \"$result.json\"".to_owned());
    }
    Bench { said, lines: Some(lines) }
}
