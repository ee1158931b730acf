//! What a person types into one field: arguments as on a command line, or the whole command that was run.

use std::collections::BTreeMap;

use crate::command::is_env_name;

/// A command line, taken apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Typed {
    /// `NAME=value` in front.
    pub env: BTreeMap<String, String>,
    /// The engine, where the command launches a known one.
    pub engine: Option<&'static str>,
    /// The model, where the command names it.
    pub model: Option<String>,
    /// Everything after launcher and model.
    pub args: Vec<String>,
}

/// How engines are launched: words in front, the engine, and the flag that names the model, where it has one.
const LAUNCHERS: [(&[&str], &str, Option<&str>); 6] = [
    (&["vllm", "serve"], "vLLM", None),
    (&["python", "-m", "vllm.entrypoints.openai.api_server"], "vLLM", Some("--model")),
    (&["python", "-m", "sglang.launch_server"], "SGLang", Some("--model-path")),
    (&["sglang", "serve"], "SGLang", Some("--model-path")),
    (&["trtllm-serve", "serve"], "TensorRT-LLM", None),
    (&["trtllm-serve"], "TensorRT-LLM", None),
];

/// Reads what was typed as a POSIX shell would; none where a quotation mark has no partner.
pub fn typed(text: &str) -> Option<Typed> {
    // A form sends line breaks as CR LF; a broken line goes on after its backslash.
    let text = text.replace("\r\n", "\n").replace("\\\n", " ");
    let mut words = shlex::split(&text)?;
    let mut typed = Typed::default();
    while let Some((name, value)) = words.first().and_then(|word| word.split_once('=')).filter(|(n, _)| is_env_name(n))
    {
        typed.env.insert(name.to_owned(), value.to_owned());
        words.remove(0);
    }
    let launches = |head: &[&str]| {
        words.len() >= head.len()
            && head
                .iter()
                .zip(&words)
                .all(|(expected, word)| word == expected || (*expected == "python" && word == "python3"))
    };
    if let Some((head, engine, flag)) = LAUNCHERS.into_iter().find(|(head, ..)| launches(head)) {
        words.drain(..head.len());
        typed.engine = Some(engine);
        match flag {
            None if words.first().is_some_and(|word| !word.starts_with('-')) => typed.model = Some(words.remove(0)),
            None => {}
            Some(flag) => typed.model = take(&mut words, flag),
        }
    }
    typed.args = words;
    Some(typed)
}

/// Takes a flag and its value out, in either spelling.
fn take(words: &mut Vec<String>, flag: &str) -> Option<String> {
    if let Some(at) = words.iter().position(|word| word == flag) {
        let value = words.get(at + 1)?.clone();
        words.drain(at..=at + 1);
        return Some(value);
    }
    let at = words.iter().position(|word| word.strip_prefix(flag).is_some_and(|rest| rest.starts_with('=')))?;
    Some(words.remove(at)[flag.len() + 1..].to_owned())
}
