//! A printed command, read by a real shell and by YAML's rules, is its argument list and its environment.

mod shell;
mod yaml;

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use touchstone_domain::study::Variant;

/// What the issue asks for.
const LISTS: usize = 1000;
/// Names of variables; some are words that YAML reads as something else.
const NAMES: [&str; 6] = ["CUDA_VISIBLE_DEVICES", "HF_TOKEN", "NO", "y", "_", "VLLM_X1"];
/// `-` is what the shell's own functions print for a variable that is not set.
const UNSET: &str = "\u{1}unset";

/// Words that have broken somebody's quoting before.
const NASTY: [&str; 46] = [
    r#"--speculative-config={"method":"mtp","num_speculative_tokens":4}"#,
    r#"{"a": "it's \"quoted\" \\ $HOME"}"#,
    "--chat-template={% if x %}'it''s'{% endif %}",
    "--name=日本語 名前",
    "試金石",
    "--pattern=*.safetensors",
    "[a-z]?",
    "--price=$HOME `id` !! $(id) ${HOME}",
    "$(HOSTNAME)",
    "$$(HOSTNAME)",
    "$",
    "$$",
    "${A:-b}",
    "--two\nlines",
    "\n",
    "trailing\n",
    "carriage\r\nreturn",
    "--back\\slash",
    "\\",
    "\\\n",
    "~",
    "~root",
    "",
    " ",
    "#not-a-comment",
    "a #b",
    "--tab\tand\"quotes\"",
    "!",
    "!!",
    "'",
    "\"",
    "-",
    "--",
    "---",
    "...",
    "yes",
    "No",
    "null",
    "1e3",
    "0x10",
    "012",
    "12:30:00",
    "2001-01-01",
    "key: value",
    "&anchor *alias",
    "\u{85}\u{2028}\u{feff}\u{7f}\u{1b}\u{ffff}😀",
];

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => proptest::sample::select(NASTY.as_slice()).prop_map(str::to_owned),
        2 => "--[a-z-]{1,12}(=[ -~]{0,16})?",
        2 => "[^\0]{0,16}",
        2 => "[ \t\n'\"$`\\\\!*?~#&|;<>(){}\\[\\]:,%@=-]{0,10}",
        1 => ("[^\0]{0,8}", any::<f64>()).prop_map(|(key, value)| serde_json::json!({ key: [value, null] }).to_string()),
    ]
}

/// `LISTS` variants of the known engines, the same in every run.
fn variants() -> Vec<Variant> {
    let model = prop_oneof![
        "Qwen/Qwen3-14B",
        "/models/[ -~]{1,12}",
        word().prop_filter("a model has a name", |w| !w.is_empty())
    ];
    let env = proptest::collection::btree_map(proptest::sample::select(NAMES.as_slice()), word(), 0..4);
    let one = (model, proptest::collection::vec(word(), 0..8), env);
    let mut runner = TestRunner::deterministic();
    let mut variant = |engine: &str| {
        let (model, args, env) = one.new_tree(&mut runner).expect("variants can be generated").current();
        let env = env.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Variant { model, args, env, ..bare(engine) }
    };
    (0..LISTS).map(|at| variant(["vLLM", "SGLang", "TensorRT-LLM"][at % 3])).collect()
}

fn bare(engine: &str) -> Variant {
    Variant {
        id: "v".into(),
        name: None,
        engine: engine.to_owned(),
        engine_version: Some("1.2.3".to_owned()),
        model: "Qwen/Qwen3-14B".to_owned(),
        args: Vec::new(),
        env: BTreeMap::new(),
        gpus: None,
        notes: touchstone_domain::study::Localized::default(),
    }
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}
