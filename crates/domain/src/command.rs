//! Commands: an argument list that a shell reads back exactly.

use serde::{Deserialize, Serialize};

use crate::study::Variant;

/// The command that serves a variant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// For a POSIX shell, one argument a line.
    pub text: String,
    /// The program and its arguments.
    pub argv: Vec<String>,
}

/// How an engine is launched. Found by its name, in any case; an engine that is not known keeps its own name as program.
fn launcher(engine: &str, model: &str) -> Vec<String> {
    let engine = engine.to_ascii_lowercase();
    let words: &[&str] = match engine.as_str() {
        "vllm" => &["vllm", "serve", model],
        "sglang" => &["python3", "-m", "sglang.launch_server", "--model-path", model],
        "tensorrt-llm" | "trt-llm" | "tensorrt_llm" => &["trtllm-serve", model],
        other => &[other, model],
    };
    words.iter().map(|word| (*word).to_owned()).collect()
}

impl Command {
    /// The serve command of a variant: launcher, model, arguments in their order.
    pub fn serve(variant: &Variant) -> Self {
        let head = launcher(&variant.engine, &variant.model);
        // A name that is none would be read as a command; the readers refuse it, and it never gets this far as text.
        let env = variant
            .env
            .iter()
            .filter(|(key, _)| is_env_name(key))
            .map(|(key, value)| format!("{key}={} ", quote(value)))
            .collect::<String>();
        let first = format!("{env}{}", head.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" "));
        let lines: Vec<String> = std::iter::once(first).chain(pairs(&variant.args)).collect();
        let argv = head.into_iter().chain(variant.args.iter().cloned()).collect();
        Self { text: lines.join(" \\\n    "), argv }
    }
}

/// One line an argument; a value that follows its flag as a word of its own stays on the flag's line.
fn pairs(args: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut open = false;
    for arg in args {
        let flag = is_flag(arg);
        match lines.last_mut().filter(|_| open && !flag) {
            Some(line) => {
                line.push(' ');
                line.push_str(&quote(arg));
                open = false;
            }
            None => {
                lines.push(quote(arg));
                open = flag && !arg.contains('=');
            }
        }
    }
    lines
}

/// A word for a POSIX shell. Plain words stay as they are, so that commands read as people type them (`shlex` would quote
/// every `=`). NUL cannot be passed to a program and is dropped.
pub fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    let word = word.replace('\0', "");
    shlex::try_quote(&word).expect("only NUL cannot be quoted, and there is none").into_owned()
}

/// Whether `name` can stand before `=` in a POSIX shell's assignment.
pub fn is_env_name(name: &str) -> bool {
    let mut chars = name.chars();
    let first = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    first && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// A flag for comparison: `--a_b=1`, `--a-b 1` and `--a-b=1` are the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// With dashes for underscores; a word without a flag before it stands as a name of its own.
    pub name: String,
    /// None for a switch.
    pub value: Option<String>,
}

/// The flags of an argument list, in order.
pub fn flags(args: &[String]) -> Vec<Flag> {
    let mut flags: Vec<Flag> = Vec::new();
    let mut open = false;
    for arg in args {
        if is_flag(arg) {
            let (name, value) = arg.split_once('=').map_or((arg.as_str(), None), |(name, value)| (name, Some(value)));
            let name = if name.starts_with("--") { name.replace('_', "-") } else { name.to_owned() };
            flags.push(Flag { name, value: value.map(str::to_owned) });
            open = value.is_none();
        } else if let Some(flag) = flags.last_mut().filter(|_| open) {
            flag.value = Some(arg.clone());
            open = false;
        } else {
            flags.push(Flag { name: arg.clone(), value: None });
        }
    }
    flags
}

/// A dash starts a flag, unless it starts a number.
fn is_flag(arg: &str) -> bool {
    arg.starts_with('-') && arg.parse::<f64>().is_err()
}

/// The flags of `args` that `other` does not have, each with its value.
pub fn added(args: &[String], other: &[String]) -> Vec<String> {
    let theirs = flags(other);
    let ours = flags(args).into_iter().filter(|flag| !theirs.contains(flag));
    ours.map(|flag| flag.value.map_or(flag.name.clone(), |value| format!("{}={value}", flag.name))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn variant(engine: &str, args: &[String]) -> Variant {
        Variant {
            id: "v".into(),
            name: None,
            engine: engine.to_owned(),
            engine_version: None,
            model: "Qwen/Qwen3-14B".to_owned(),
            args: args.to_vec(),
            env: BTreeMap::new(),
            gpus: None,
        }
    }

    #[test]
    fn each_engine_has_its_launcher() {
        let text = |engine| Command::serve(&variant(engine, &[])).text;
        assert_eq!(text("vLLM"), "vllm serve Qwen/Qwen3-14B");
        assert_eq!(text("SGLang"), "python3 -m sglang.launch_server --model-path Qwen/Qwen3-14B");
        assert_eq!(text("TensorRT-LLM"), "trtllm-serve Qwen/Qwen3-14B");
    }

    #[test]
    fn the_same_flag_is_recognised_in_every_spelling() {
        let args = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(flags(&args(&["--a_b=1", "-x"])), flags(&args(&["--a-b", "1", "-x"])));
        assert_eq!(added(&args(&["--a-b", "1", "--c=2"]), &args(&["--a_b=1"])), ["--c=2"]);
        let negative = Flag { name: "--t".to_owned(), value: Some("-0.5".to_owned()) };
        assert_eq!(flags(&args(&["--t", "-0.5"])), [negative]);
    }

    proptest! {
        /// `shlex` stands in for a shell here; the end-to-end suite asks a real one.
        #[test]
        fn a_printed_command_reads_back_as_its_argument_list(args in proptest::collection::vec("[^\0]{0,12}", 0..6)) {
            let command = Command::serve(&variant("vLLM", &args));
            let joined = command.text.replace(" \\\n    ", " ");
            prop_assert_eq!(shlex::split(&joined), Some(command.argv));
        }
    }
}
