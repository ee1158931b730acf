//! The command that measures what a profile asks for, with each of the tools whose options are known. Where the server is,
//! which model it serves and where results go are words of the caller's: a shell's variables, or placeholders.

use serde::{Deserialize, Serialize};

use crate::study::Profile;
use crate::units::RequestRate;

/// A benchmark tool whose command can be written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BenchTool {
    /// `vllm bench serve`.
    #[default]
    VllmBenchServe,
    /// `python3 -m sglang.bench_serving`.
    SglangBenchServing,
    /// `guidellm benchmark`.
    Guidellm,
    /// `aiperf profile`.
    Aiperf,
}

/// Words that only the caller knows, as they stand in the command.
#[derive(Debug, Clone, Copy)]
pub struct BenchWords<'a> {
    /// `http://host:port`.
    pub url: &'a str,
    /// The model, whose tokenizer counts.
    pub model: &'a str,
    /// The model as the server calls it.
    pub served: &'a str,
    /// The data set's file.
    pub dataset: &'a str,
}

impl BenchTool {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::VllmBenchServe, Self::SglangBenchServing, Self::Guidellm, Self::Aiperf];

    /// The command, a group of words a line: the program, then each flag with its value.
    #[must_use]
    pub fn command(self, profile: &Profile, words: BenchWords<'_>) -> Vec<Vec<String>> {
        let mut asked = Asked { profile, words, lines: Vec::new() };
        match self {
            Self::VllmBenchServe => asked.vllm(),
            Self::SglangBenchServing => asked.sglang(),
            Self::Guidellm => asked.guidellm(),
            Self::Aiperf => asked.aiperf(),
        }
        asked.lines
    }
}

/// Whether the prompts of a profile are made up by the tool, and no file is read.
#[must_use]
pub fn is_random(profile: &Profile) -> bool {
    profile.dataset.as_deref().is_none_or(|dataset| dataset.to_lowercase().contains("random"))
}

struct Asked<'a> {
    profile: &'a Profile,
    words: BenchWords<'a>,
    lines: Vec<Vec<String>>,
}

impl Asked<'_> {
    fn line(&mut self, words: &[&str]) {
        self.lines.push(words.iter().map(|word| (*word).to_owned()).collect());
    }

    fn some(&mut self, flag: &str, value: Option<impl ToString>) {
        if let Some(value) = value {
            self.line(&[flag, &value.to_string()]);
        }
    }

    fn vllm(&mut self) {
        let words = self.words;
        self.line(&["vllm", "bench", "serve"]);
        self.line(&["--backend", "openai-chat"]);
        self.line(&["--endpoint", "/v1/chat/completions"]);
        self.line(&["--base-url", words.url]);
        self.line(&["--model", words.model]);
        self.line(&["--served-model-name", words.served]);
        self.serving();
        self.line(&["--percentile-metrics", "ttft,tpot,itl,e2el"]);
        self.line(&["--metric-percentiles", "50,90,95,99"]);
    }

    fn sglang(&mut self) {
        let words = self.words;
        self.line(&["python3", "-m", "sglang.bench_serving"]);
        self.line(&["--backend", "sglang-oai-chat"]);
        self.line(&["--base-url", words.url]);
        self.line(&["--model", words.served]);
        self.line(&["--tokenizer", words.model]);
        self.serving();
    }

    /// What both of them take.
    fn serving(&mut self) {
        let profile = self.profile;
        if is_random(profile) {
            self.line(&["--dataset-name", "random"]);
            self.some("--random-input-len", profile.input_tokens);
            self.some("--random-output-len", profile.output_tokens);
        } else {
            let name = profile.dataset.as_deref().unwrap_or_default().to_lowercase();
            self.line(&["--dataset-name", if name.contains("sharegpt") { "sharegpt" } else { "custom" }]);
            self.line(&["--dataset-path", self.words.dataset]);
        }
        self.some("--num-prompts", profile.requests);
        self.some("--seed", profile.seed);
        self.some("--request-rate", profile.request_rate.map(of_rate));
        self.some("--max-concurrency", profile.max_concurrency);
    }

    fn guidellm(&mut self) {
        let (profile, words) = (self.profile, self.words);
        self.line(&["guidellm", "benchmark"]);
        self.line(&["--target", words.url]);
        self.line(&["--model", words.served]);
        self.line(&["--processor", words.model]);
        let lengths = [("prompt_tokens", profile.input_tokens), ("output_tokens", profile.output_tokens)];
        let lengths: Vec<String> = lengths.iter().filter_map(|(key, n)| Some(format!("{key}={}", (*n)?))).collect();
        if !is_random(profile) {
            self.line(&["--data", words.dataset]);
        } else if !lengths.is_empty() {
            self.line(&["--data", &lengths.join(",")]);
        }
        match (profile.request_rate, profile.max_concurrency) {
            (Some(RequestRate::PerSec(rate)), _) => {
                self.line(&["--rate-type", "constant"]);
                self.some("--rate", Some(rate.get()));
            }
            (Some(RequestRate::Unlimited) | None, Some(n)) => {
                self.line(&["--rate-type", "concurrent"]);
                self.some("--rate", Some(n));
            }
            (Some(RequestRate::Unlimited) | None, None) => self.line(&["--rate-type", "throughput"]),
        }
        self.some("--max-requests", profile.requests);
        self.some("--random-seed", profile.seed);
    }

    fn aiperf(&mut self) {
        let (profile, words) = (self.profile, self.words);
        self.line(&["aiperf", "profile"]);
        self.line(&["--url", words.url]);
        self.line(&["--model", words.served]);
        self.line(&["--tokenizer", words.model]);
        self.line(&["--endpoint-type", "chat"]);
        self.line(&["--streaming"]);
        if is_random(profile) {
            self.some("--synthetic-input-tokens-mean", profile.input_tokens);
            self.some("--output-tokens-mean", profile.output_tokens);
        } else {
            self.line(&["--input-file", words.dataset]);
        }
        if let Some(RequestRate::PerSec(rate)) = profile.request_rate {
            self.some("--request-rate", Some(rate.get()));
        }
        self.some("--concurrency", profile.max_concurrency);
        self.some("--request-count", profile.requests);
        self.some("--random-seed", profile.seed);
    }
}

fn of_rate(rate: RequestRate) -> String {
    match rate {
        RequestRate::Unlimited => "inf".to_owned(),
        RequestRate::PerSec(rate) => rate.get().to_string(),
    }
}
