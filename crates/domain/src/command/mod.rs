//! Commands: an argument list and an environment that every form gives back exactly — a shell line, `docker run`, Compose
//! and Kubernetes — and what two argument lists have in common however they were spelled.
//!
//! Invariant: reading a printed form with its own parser gives `argv` and `env`. A container form may add one argument:
//! the address to listen on, where the engine would be reachable from inside its container only.

pub mod bench;
pub mod catalogue;
mod compose;
mod container;
pub mod diff;
mod docker;
mod engine;
mod flags;
mod kubernetes;
mod quote;
mod yaml;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use container::Tag;
pub use engine::Engine;
pub use flags::{Flag, flags};
pub use quote::{is_env_name, quote};

use crate::study::Variant;

/// The command that serves a variant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// For a POSIX shell, one argument a line.
    pub text: String,
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// Variables set for it.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// The same in a container, where it was asked for and the engine's images are known.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub forms: Option<Forms>,
}

/// A command in a container.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forms {
    /// For a POSIX shell, one argument a line.
    pub docker: String,
    /// A Compose file.
    pub compose: String,
    /// A Deployment and its Service.
    pub kubernetes: String,
    /// Which image they name.
    pub image: String,
    /// Whether the image is of the version that was measured.
    pub image_tag: Tag,
    /// Whether an address to listen on was added, so that the server can be reached from outside its container.
    pub host_added: bool,
}

impl Command {
    /// The serve command of a variant: launcher, model, arguments in their order.
    pub fn serve(variant: &Variant) -> Self {
        let head = engine::launcher(&variant.engine, &variant.model);
        let (env, lines) = printed(variant, &head);
        let argv = head.into_iter().chain(variant.args.iter().cloned()).collect();
        Self { text: lines.join(NEXT_LINE), argv, env, forms: None }
    }

    /// The lines of [`Command::text`] before they are joined: environment, program and model, then one a flag, as many as
    /// [`flags`] has entries. A quoted line break stays inside its line.
    pub fn lines(variant: &Variant) -> Vec<String> {
        printed(variant, &engine::launcher(&variant.engine, &variant.model)).1
    }

    /// The serve command with its container forms, on `gpus` GPUs; `None` where nobody recorded how many.
    pub fn with_forms(variant: &Variant, gpus: Option<u32>) -> Self {
        Self { forms: Forms::of(variant, gpus), ..Self::serve(variant) }
    }
}

/// What is set for the program, and the lines of its command.
fn printed(variant: &Variant, head: &[String]) -> (BTreeMap<String, String>, Vec<String>) {
    // A name that is none would be read as a command; the readers refuse it, and it never gets this far as text.
    let env: BTreeMap<_, _> = variant.env.clone().into_iter().filter(|(key, _)| is_env_name(key)).collect();
    let set = env.iter().map(|(key, value)| format!("{key}={} ", quote(value))).collect::<String>();
    let first = std::iter::once(quote::quote_program(&head[0])).chain(head[1..].iter().map(|word| quote(word)));
    let first = format!("{set}{}", first.collect::<Vec<_>>().join(" "));
    (env, std::iter::once(first).chain(flags::lines(&variant.args)).collect())
}

impl Forms {
    fn of(variant: &Variant, gpus: Option<u32>) -> Option<Self> {
        let engine = Engine::named(&variant.engine)?;
        let plan = container::plan(engine, variant, gpus);
        Some(Self {
            docker: docker::run(&plan),
            compose: compose::file(&plan),
            kubernetes: kubernetes::manifest(&plan),
            image_tag: plan.tag,
            host_added: plan.host_added,
            image: plan.image,
        })
    }
}

/// Between the lines of a printed command.
pub const NEXT_LINE: &str = " \\\n    ";

#[cfg(test)]
mod tests {
    use super::*;

    fn variant(engine: &str) -> Variant {
        Variant {
            id: "v".into(),
            name: None,
            engine: engine.to_owned(),
            engine_version: None,
            model: "Qwen/Qwen3-14B".to_owned(),
            args: Vec::new(),
            env: BTreeMap::new(),
            gpus: None,
            notes: crate::study::Localized::default(),
        }
    }

    #[test]
    fn each_engine_has_its_launcher() {
        let text = |engine| Command::serve(&variant(engine)).text;
        assert_eq!(text("vLLM"), "vllm serve Qwen/Qwen3-14B");
        assert_eq!(text("SGLang"), "python3 -m sglang.launch_server --model-path Qwen/Qwen3-14B");
        assert_eq!(text("TensorRT-LLM"), "trtllm-serve Qwen/Qwen3-14B");
        assert_eq!(text("my-engine"), "my-engine Qwen/Qwen3-14B");
    }

    #[test]
    fn an_engine_without_a_known_image_has_no_container_form() {
        assert_eq!(Command::with_forms(&variant("my-engine"), Some(1)).forms, None);
    }
}
