//! What all container forms of a command share: image, words, port, GPUs, mounts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::diff::Settings;
use super::{Command, Engine};
use crate::study::Variant;

/// Where the images' user keeps models from Hugging Face.
pub(super) const HF_CACHE: &str = "/root/.cache/huggingface";
/// What all three engines answer when they can serve.
pub(super) const HEALTH: &str = "/health";
/// The addresses that nobody outside the container reaches.
const LOOPBACK: [&str; 3] = ["127.0.0.1", "localhost", "::1"];

/// Whether an image is of the version that was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tag {
    /// It is.
    Measured,
    /// The version is not known or was never released: the newest image.
    Latest,
    /// The same, but this engine's images have no such tag: to be filled in.
    Placeholder,
}

/// A container to be started.
pub(super) struct Plan {
    pub image: String,
    pub tag: Tag,
    pub host_added: bool,
    /// A DNS label.
    pub name: String,
    /// Replaces the image's entry point where it is not empty.
    pub entrypoint: Vec<String>,
    /// The words after it.
    pub words: Vec<String>,
    /// How many of `words` come before the arguments: program and model stay on one line.
    pub head: usize,
    pub env: BTreeMap<String, String>,
    pub port: u16,
    /// None: all that the machine has.
    pub gpus: Option<u32>,
    /// GPUs that the command's own parallelism asks for, for schedulers that must be given a number.
    pub needed_gpus: u32,
    /// A folder of the machine that holds the weights, under the same path inside.
    pub weights: Option<String>,
}

/// Plans the container of a variant.
pub(super) fn plan(engine: Engine, variant: &Variant, gpus: Option<u32>) -> Plan {
    let command = Command::serve(variant);
    let settings = Settings::of(&variant.engine, &variant.args);
    let mut argv = command.argv;
    let host = settings.last("--host");
    let host_added = host.map_or(engine.listens_on_loopback(), |host| LOOPBACK.contains(&host));
    if host_added {
        argv.push("--host=0.0.0.0".to_owned());
    }
    let words = argv.split_off(engine.entrypoint_words());
    let (image, tag) = image(engine, variant.engine_version.as_deref());
    // Numbers in the variable count the machine's GPUs; a container that sees fewer would count others.
    let all = command.env.contains_key("CUDA_VISIBLE_DEVICES");
    Plan {
        image,
        tag,
        host_added,
        name: label(engine, &variant.model),
        entrypoint: argv,
        head: engine.program().len() + 1 - engine.entrypoint_words(),
        words,
        port: port(&settings).unwrap_or(engine.default_port()),
        gpus: gpus.filter(|_| !all),
        needed_gpus: gpus.unwrap_or_else(|| parallel(&settings)),
        weights: variant.model.starts_with('/').then(|| variant.model.clone()),
        env: command.env,
    }
}

/// Where the command listens. Port 0 would be any free one, which nobody could publish.
fn port(settings: &Settings) -> Option<u16> {
    settings.last("--port")?.parse().ok().filter(|port| *port > 0)
}

/// Tensor × pipeline × data parallelism; each is 1 where it is not set, by the engines' own defaults. SGLang's attention
/// data parallelism divides the tensor parallel group and needs no more GPUs.
fn parallel(settings: &Settings) -> u32 {
    let of = |flag: &str| settings.last(flag).and_then(|size| size.parse::<u32>().ok()).unwrap_or(1).max(1);
    let shared = settings.get("--enable-dp-attention").is_some();
    let data = if shared { 1 } else { of("--data-parallel-size") };
    of("--tensor-parallel-size").saturating_mul(of("--pipeline-parallel-size")).saturating_mul(data)
}

/// Image and tag. vLLM's and SGLang's tags start with `v`, TensorRT-LLM's do not.
fn image(engine: Engine, version: Option<&str>) -> (String, Tag) {
    let released = version.map(|version| version.trim().trim_start_matches('v')).filter(|version| is_release(version));
    let (tag, kind) = match (engine, released) {
        (Engine::Vllm | Engine::Sglang, Some(version)) => (format!("v{version}"), Tag::Measured),
        (Engine::TrtLlm, Some(version)) => (version.to_owned(), Tag::Measured),
        (Engine::Vllm | Engine::Sglang, None) => ("latest".to_owned(), Tag::Latest),
        (Engine::TrtLlm, None) => ("VERSION".to_owned(), Tag::Placeholder),
    };
    (format!("{}:{tag}", engine.image()), kind)
}

/// `0.17.1`, `0.5.1.post2`, `1.2.0rc6`: builds from source (`0.11.1.dev3+gabc`) have no image.
fn is_release(version: &str) -> bool {
    let mut parts = version.split('.');
    let number =
        |part: Option<&str>| part.is_some_and(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    if !number(parts.next()) || !number(parts.next()) {
        return false;
    }
    let after = |part: &str, word: &str| part.strip_prefix(word).is_some_and(|n| number(Some(n)));
    let patch = |part: &str| {
        let (patch, candidate) = part.split_once("rc").unwrap_or((part, "0"));
        number(Some(patch)) && number(Some(candidate))
    };
    parts.next().is_none_or(patch) && parts.all(|part| after(part, "post") || after(part, "rc"))
}

/// A label of the domain name system (RFC 1035): engine and model, at most 63 characters.
fn label(engine: Engine, model: &str) -> String {
    let mut label = engine.slug().to_owned();
    for word in
        model.trim_end_matches('/').rsplit('/').next().unwrap_or_default().split(|c: char| !c.is_ascii_alphanumeric())
    {
        if !word.is_empty() && label.len() + 1 + word.len() <= 63 {
            label.push('-');
            label.push_str(&word.to_ascii_lowercase());
        }
    }
    label
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_release_has_an_image() {
        for version in ["0.17.1", "0.4.6.post5", "1.2.0rc6", "1.2.0.rc6", "0.9", "0.17.1rc2.post1"] {
            assert!(is_release(version), "{version}");
        }
        for version in ["", "latest", "0.11.1.dev3+gabc", "0.11.1+cu129", "1", "0.17.x", "0.17.1-rc", "main"] {
            assert!(!is_release(version), "{version}");
        }
    }

    #[test]
    fn an_image_is_tagged_as_its_publisher_tags_it() {
        let tag = |engine, version| image(engine, version).0;
        assert_eq!(tag(Engine::Vllm, Some("v0.17.1")), "vllm/vllm-openai:v0.17.1");
        assert_eq!(tag(Engine::Sglang, Some("0.5.9")), "lmsysorg/sglang:v0.5.9");
        assert_eq!(tag(Engine::TrtLlm, Some("v1.2.0rc6")), "nvcr.io/nvidia/tensorrt-llm/release:1.2.0rc6");
        assert_eq!(image(Engine::Vllm, None), ("vllm/vllm-openai:latest".to_owned(), Tag::Latest));
        assert_eq!(image(Engine::TrtLlm, Some("main")).1, Tag::Placeholder);
    }

    #[test]
    fn a_service_is_named_by_engine_and_model() {
        assert_eq!(label(Engine::Vllm, "Qwen/Qwen3.5-9B"), "vllm-qwen3-5-9b");
        assert_eq!(label(Engine::TrtLlm, "/モデル/"), "trtllm");
        assert!(label(Engine::Sglang, &"a-".repeat(99)).len() <= 63);
    }
}
