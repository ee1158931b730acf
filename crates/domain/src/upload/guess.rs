//! Where a raw output probably belongs: guesses from what it says and from its file's name. A person sees every one of
//! them and may correct it; nothing is stored by a guess alone.
//!
//! Invariant: what two results of one file say differently is not known of the file.

use serde::{Deserialize, Serialize};

use crate::id::{ProfileId, VariantId};
use crate::recompute::{attempted, recompute};
use crate::run::{Measurement, Tool};
use crate::study::{Profile, Study, Variant};
use crate::units::RequestRate;

/// Tools send prompts some tokens longer than asked (templates, special tokens); ShareGPT-like sets lie far outside.
const LENGTH_TOLERANCE: f64 = 0.10;
/// Suffixes that say how a file is written, not what it is about.
const SUFFIXES: [&str; 12] =
    [".gz", ".zst", ".txt", ".log", ".jsonl", ".json", ".csv", ".html", ".yaml", ".yml", ".md", ".out"];
/// Words that number repeats; they do not name a variant.
const REPEATS: [&str; 7] = ["run", "rep", "repeat", "trial", "try", "start", "attempt"];

/// What all results of a file agree on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Said {
    /// The engine under test.
    pub engine: Option<String>,
    /// Its version.
    pub engine_version: Option<String>,
    /// The model, as the tool names it.
    pub model: Option<String>,
    /// The data set.
    pub dataset: Option<String>,
    /// Input tokens per request that were asked for.
    pub input_tokens: Option<u64>,
    /// Output tokens per request that were asked for.
    pub output_tokens: Option<u64>,
    /// The load asked for.
    pub request_rate: Option<RequestRate>,
    /// The client's limit on requests in flight.
    pub max_concurrency: Option<u64>,
    /// Requests that were to be sent, or were.
    pub requests: Option<u64>,
    /// Requests that succeeded.
    pub successful: Option<u64>,
    /// The GPU.
    pub gpu: Option<String>,
    /// How many.
    pub gpus: Option<u32>,
    /// Input tokens per request, measured; of the first result.
    pub measured_input: Option<f64>,
    /// Output tokens per request, measured; of the first result.
    pub measured_output: Option<f64>,
}

impl Said {
    /// What the results of one file agree on.
    pub fn of(runs: &[Measurement]) -> Self {
        let text = |of: fn(&Measurement) -> Option<&String>| agreed(runs, |run| of(run).cloned());
        let first = runs.first().map(|run| recompute(&run.metrics, None, None)).unwrap_or_default();
        Self {
            engine: text(|run| run.context.engine.as_ref()),
            engine_version: text(|run| run.context.engine_version.as_ref()),
            model: text(|run| run.context.model.as_ref()),
            dataset: text(|run| run.context.dataset.as_ref()),
            input_tokens: agreed(runs, |run| run.context.input_tokens),
            output_tokens: agreed(runs, |run| run.context.output_tokens),
            request_rate: agreed(runs, |run| run.metrics.request_rate),
            max_concurrency: agreed(runs, |run| run.metrics.max_concurrency),
            requests: agreed(runs, |run| attempted(&run.metrics, None)),
            successful: agreed(runs, |run| run.metrics.successful_requests),
            gpu: text(|run| run.context.gpu.as_ref()),
            gpus: agreed(runs, |run| run.context.gpus),
            measured_input: first.input_tokens_per_request,
            measured_output: first.output_tokens_per_request,
        }
    }
}

fn agreed<T: PartialEq>(runs: &[Measurement], of: impl Fn(&Measurement) -> Option<T>) -> Option<T> {
    let mut all = runs.iter().map(of);
    let first = all.next()??;
    all.all(|other| other.as_ref() == Some(&first)).then_some(first)
}

/// The variant of a study that a file's name names, unless the file says that it was another engine or model. The
/// longest name wins: `fp8-fa3` before `fp8`. What else the name says must be said of the load, the engine or the model:
/// `fp8-fa4` is not `fp8`.
pub fn variant<'a>(said: &Said, file: &str, study: &'a Study) -> Option<&'a VariantId> {
    let name = words(file);
    let profiles = study.profiles.iter().flat_map(|profile| words(profile.id.as_str()));
    let beside: Vec<String> = profiles.chain(words(base(&study.model.id))).collect();
    let fits = |variant: &&Variant| {
        let engine = said.engine.as_deref().is_none_or(|engine| engine.eq_ignore_ascii_case(&variant.engine));
        let model = said.model.as_deref().is_none_or(|model| same_model(model, &variant.model));
        engine && model
    };
    let named = study.variants.iter().filter(fits).filter_map(|variant| {
        let id = words(variant.id.as_str());
        let at = name.windows(id.len().max(1)).position(|part| part == id)?;
        let mut rest = name[..at].iter().chain(&name[at + id.len()..]);
        let told = |word: &String| beside.contains(word) || words(&variant.engine).contains(word);
        rest.all(told).then_some((id.len(), &variant.id))
    });
    // The first of equals: a study lists its variants in the order in which they were tried.
    named.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, id)| id)
}

/// The profile of a study that what a file says fits best, and contradicts in nothing.
pub fn profile<'a>(said: &Said, file: &str, study: &'a Study) -> Option<&'a ProfileId> {
    let name = words(file);
    let scored = study.profiles.iter().filter_map(|profile| {
        let named = contains(&name, &words(profile.id.as_str()));
        let agreements = agreements(said, profile)? + usize::from(named) * 2;
        Some((agreements, profile.id == study.primary_profile, &profile.id))
    });
    let best = scored.filter(|(agreements, ..)| *agreements > 0);
    best.reduce(|best, next| if (next.0, next.1) > (best.0, best.1) { next } else { best }).map(|(.., id)| id)
}

/// How many of a profile's parameters a file confirms; none where it contradicts one.
fn agreements(said: &Said, profile: &Profile) -> Option<usize> {
    let same = |ours: Option<bool>| match ours {
        None => Some(0),
        Some(true) => Some(1),
        Some(false) => None,
    };
    let length = |asked: Option<u64>, said: Option<u64>, measured: Option<f64>| {
        let asked = asked?;
        match (said, measured) {
            (Some(said), _) => Some(said == asked),
            (None, Some(measured)) => Some((measured / asked as f64 - 1.0).abs() <= LENGTH_TOLERANCE),
            (None, None) => None,
        }
    };
    // A tool that does not print how many it sent says so by its successes only when all of them succeeded.
    let requests = match said.requests {
        Some(said) => profile.requests.map(|asked| asked == said),
        None => profile.requests.filter(|asked| said.successful == Some(*asked)).map(|_| true),
    };
    let dataset = profile.dataset.as_deref().zip(said.dataset.as_deref());
    Some(
        same(length(profile.input_tokens, said.input_tokens, said.measured_input))?
            + same(length(profile.output_tokens, said.output_tokens, said.measured_output))?
            + same(profile.request_rate.zip(said.request_rate).map(|(asked, said)| asked == said))?
            + same(profile.max_concurrency.zip(said.max_concurrency).map(|(asked, said)| asked == said))?
            + same(requests)?
            + same(dataset.map(|(asked, said)| asked.eq_ignore_ascii_case(said)))?,
    )
}

/// `meta/Llama-3` and `/models/llama-3` are one model under two paths.
fn same_model(one: &str, other: &str) -> bool {
    base(one).eq_ignore_ascii_case(base(other))
}

fn base(model: &str) -> &str {
    model.trim_end_matches('/').rsplit('/').next().unwrap_or(model)
}

/// The engine under test: what the file says, or else what its name or its tool suggests.
pub fn engine(said: &Said, tool: Tool, file: &str) -> Option<String> {
    const NAMED: [(&str, &str); 5] = [
        ("vllm", "vLLM"),
        ("sglang", "SGLang"),
        ("tensorrt", "TensorRT-LLM"),
        ("trtllm", "TensorRT-LLM"),
        ("trt", "TensorRT-LLM"),
    ];
    let words = words(file);
    let named = NAMED.iter().find(|(word, _)| words.iter().any(|of| of == word)).map(|(_, engine)| *engine);
    let suggested = match tool {
        Tool::VllmServe | Tool::VllmThroughput | Tool::VllmLatency => Some("vLLM"),
        Tool::SglangServing => Some("SGLang"),
        Tool::TrtLlmBench => Some("TensorRT-LLM"),
        Tool::LmDeploy => Some("LMDeploy"),
        Tool::ServingBenchmarkBlock
        | Tool::GuideLlm
        | Tool::GpuStack
        | Tool::AiPerf
        | Tool::GenAiPerf
        | Tool::InferenceMax
        | Tool::LlmPerf
        | Tool::EvalScope
        | Tool::InferenceBenchmarker
        | Tool::InferencePerf
        | Tool::LlmDReport
        | Tool::MlPerf
        | Tool::GenAiBench => None,
    };
    said.engine.clone().or_else(|| named.or(suggested).map(str::to_owned))
}

/// Whether a study's slug names the model that a file is about.
pub fn names_model(slug: &str, said: &Said) -> Option<bool> {
    let model = words(base(said.model.as_deref()?));
    Some(contains(&words(slug), &model))
}

/// An id for a new variant: the file's name without numbering and suffixes.
pub fn variant_id(file: &str) -> String {
    let id = words(file).join("-");
    cut(if id.is_empty() { "variant".to_owned() } else { id })
}

/// An id for a new profile: what the file says of the load, in short.
pub fn profile_id(said: &Said) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(said.dataset.as_deref().map(slug).filter(|dataset| !dataset.is_empty()));
    parts.extend(said.input_tokens.map(|tokens| format!("in{tokens}")));
    parts.extend(said.output_tokens.map(|tokens| format!("out{tokens}")));
    match said.request_rate {
        Some(RequestRate::PerSec(rate)) => parts.push(slug(&format!("r{}", rate.get()))),
        Some(RequestRate::Unlimited) | None => {}
    }
    parts.extend(said.max_concurrency.map(|limit| format!("c{limit}")));
    cut(if parts.is_empty() { "default".to_owned() } else { parts.join("-") })
}

/// A slug for a new study: its model, and the GPU where it is known.
pub fn study_slug(said: &Said) -> Option<String> {
    let model = slug(base(said.model.as_deref()?));
    let gpu = said.gpu.as_deref().map(slug).filter(|gpu| !gpu.is_empty());
    Some(cut([Some(model), gpu].into_iter().flatten().collect::<Vec<_>>().join("-"))).filter(|slug| !slug.is_empty())
}

/// A text as a slug: lower-case letters and digits, everything else a hyphen.
pub fn slug(text: &str) -> String {
    let plain: String = text
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '.' { c.to_ascii_lowercase() } else { '-' })
        .collect();
    let parts: Vec<&str> = plain.split('-').filter(|part| !part.is_empty()).collect();
    parts.join("-").trim_matches(['-', '.']).to_owned()
}

/// Ids have at most 100 characters; a slug is ASCII.
fn cut(mut id: String) -> String {
    id.truncate(100);
    id.trim_end_matches(['-', '.']).to_owned()
}

/// The words of a file's name that say what was under test.
fn words(file: &str) -> Vec<String> {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file).to_ascii_lowercase();
    let mut stem = name.as_str();
    while let Some(bare) = SUFFIXES.iter().find_map(|suffix| stem.strip_suffix(suffix)).filter(|bare| !bare.is_empty())
    {
        stem = bare;
    }
    // "result (1).json" is what a browser calls a second download.
    let stem = match stem.rsplit_once(" (") {
        Some((bare, count)) if count.strip_suffix(')').is_some_and(is_number) => bare,
        _ => stem,
    };
    let slug = slug(&undotted(stem));
    let mut words: Vec<&str> = slug.split('-').filter(|word| !word.is_empty()).collect();
    if words.len() > 1 && words.first().is_some_and(|word| is_number(word)) {
        words.remove(0);
    }
    match words.as_slice() {
        [_, .., word, number] if REPEATS.contains(word) && is_number(number) => words.truncate(words.len() - 2),
        [_, .., word] if is_repeat(word) => words.truncate(words.len() - 1),
        _ => {}
    }
    words.into_iter().map(str::to_owned).collect()
}

/// A dot inside a number is part of it (`qwen3.5`); any other one divides words.
fn undotted(stem: &str) -> String {
    let bytes = stem.as_bytes();
    let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let inside = |at: usize| digit(at.checked_sub(1)) && digit(at.checked_add(1));
    stem.char_indices().map(|(at, c)| if c == '.' && !inside(at) { '-' } else { c }).collect()
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// `run2`, `rep03`, `r1`.
fn is_repeat(word: &str) -> bool {
    let number = REPEATS.iter().find_map(|repeat| word.strip_prefix(repeat)).or_else(|| word.strip_prefix('r'));
    number.is_some_and(is_number)
}

fn contains(name: &[String], id: &[String]) -> bool {
    !id.is_empty() && name.windows(id.len()).any(|part| part == id)
}
