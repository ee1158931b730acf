//! A printed command, read by a real shell.

use std::collections::BTreeMap;
use std::process::Command as Process;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use touchstone_domain::command::Command;
use touchstone_domain::study::Variant;

fn variant(engine: &str, args: Vec<String>) -> Variant {
    Variant {
        id: "v".into(),
        name: None,
        engine: engine.to_owned(),
        engine_version: None,
        model: "Qwen/Qwen3 14B's".to_owned(),
        args,
        env: BTreeMap::from([("NAME".to_owned(), "a b$(x)".to_owned())]),
        gpus: None,
    }
}

/// What bash passes on: every program is a function that prints its name, its arguments and one variable, NUL between.
fn bash(command: &str) -> Vec<String> {
    let programs = ["vllm", "python3", "trtllm-serve"];
    let echo = programs.map(|name| format!("{name}() {{ printf '%s\\0' {name} \"$@\" \"$NAME\"; }}\n")).concat();
    let output = Process::new("bash").arg("-c").arg(format!("{echo}{command}")).output().expect("bash is installed");
    assert!(output.status.success(), "{command}\n{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("what went in as text comes out as text");
    text.split_terminator('\0').map(str::to_owned).collect()
}

#[test]
fn bash_reads_every_command_back_as_its_argument_list() {
    let nasty = [
        r#"--speculative-config={"method":"mtp","num_speculative_tokens":4}"#,
        "--chat-template={% if x %}'it''s'{% endif %}",
        "--name=日本語 名前",
        "--pattern=*.safetensors",
        "--price=$HOME `id` !!",
        "--two\nlines",
        "--back\\slash",
        "~",
        "",
        "#not-a-comment",
        "--tab\tand\"quotes\"",
    ];
    let mut lists: Vec<Vec<String>> = vec![nasty.iter().map(|arg| (*arg).to_owned()).collect()];
    // A printable word, or any text without the NUL that no program can be given.
    let word = prop_oneof!["--[a-z-]{1,12}(=[ -~]{0,16})?", "[^\0]{0,16}"];
    let words = proptest::collection::vec(word, 0..8);
    let mut runner = TestRunner::deterministic();
    lists.extend((0..60).map(|_| words.new_tree(&mut runner).expect("words can be generated").current()));
    for args in lists {
        for engine in ["vLLM", "SGLang", "TensorRT-LLM"] {
            let command = Command::serve(&variant(engine, args.clone()));
            let mut expected = command.argv.clone();
            expected.push("a b$(x)".to_owned());
            assert_eq!(bash(&command.text), expected, "{}", command.text);
        }
    }
}
