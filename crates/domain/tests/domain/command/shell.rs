//! The shell forms, read by a real bash: a thousand commands in one process.

use std::io::Write as _;
use std::process::{Command as Process, Stdio};

use touchstone_domain::command::{Command, Forms};

use super::{NAMES, UNSET, bare, variants, words};

/// What bash passed to a program: its arguments, and the values of [`NAMES`].
#[derive(Debug, PartialEq)]
struct Call {
    argv: Vec<String>,
    env: Vec<String>,
}

/// Runs commands in which every program is a function that prints how many arguments it got, the arguments and the
/// variables, NUL after each.
fn bash(commands: &[String]) -> Vec<Call> {
    // As in a terminal, `!` is looked for in what is pasted; the variables of this process are out of the way.
    let mut script = format!(
        "unset {}\nset -o history -o histexpand\n",
        NAMES.iter().filter(|n| **n != "_").copied().collect::<Vec<_>>().join(" ")
    );
    let values = NAMES.map(|name| format!("\"${{{name}-{UNSET}}}\"")).join(" ");
    for program in ["vllm", "python3", "trtllm-serve", "docker"] {
        script += &format!("{program}() {{ printf '%s\\0' $(($# + 1)) {program} \"$@\" {values}; }}\n");
    }
    // What no function can be called reaches this one.
    script += &format!("command_not_found_handle() {{ printf '%s\\0' $# \"$@\" {values}; }}\n");
    for command in commands {
        script += command;
        script.push('\n');
    }
    let mut process = Process::new("bash");
    let process = process.args(["--norc", "--noprofile"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut process = process.stderr(Stdio::piped()).spawn().expect("bash is installed");
    let mut stdin = process.stdin.take().expect("it is piped");
    let writer = std::thread::spawn(move || stdin.write_all(script.as_bytes()));
    let output = process.wait_with_output().expect("bash ends");
    writer.join().expect("the writer does not panic").expect("bash reads all of it");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("what went in as text comes out as text");
    let mut parts = text.split_terminator('\0').map(str::to_owned);
    let mut calls = Vec::new();
    while let Some(count) = parts.next() {
        let count: usize = count.parse().expect("a call starts with its number of words");
        let argv = parts.by_ref().take(count).collect();
        calls.push(Call { argv, env: parts.by_ref().take(NAMES.len()).collect() });
    }
    calls
}

/// The environment that a call sees; `_` is the shell's own.
fn seen(call: &Call) -> Vec<(&'static str, &str)> {
    let all = NAMES.iter().copied().zip(call.env.iter().map(String::as_str));
    all.filter(|(name, value)| *name != "_" && *value != UNSET).collect()
}

#[test]
fn bash_reads_every_command_back_as_its_argument_list_and_environment() {
    let variants = variants();
    let commands: Vec<Command> = variants.iter().map(Command::serve).collect();
    let calls = bash(&commands.iter().map(|command| command.text.clone()).collect::<Vec<_>>());
    assert_eq!(calls.len(), commands.len());
    for ((variant, command), call) in variants.iter().zip(&commands).zip(&calls) {
        assert_eq!(call.argv, command.argv, "{}", command.text);
        assert!(command.argv.ends_with(&variant.args));
        let env = variant.env.iter().filter(|(name, _)| *name != "_");
        let env: Vec<_> = NAMES.iter().filter_map(|name| env.clone().find(|(key, _)| key == name)).collect();
        let env: Vec<_> = env.into_iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(seen(call), env, "{}", command.text);
        assert_eq!(command.env, variant.env);
    }
}

#[test]
fn bash_reads_every_docker_run_back_as_its_argument_list_and_environment() {
    let variants = variants();
    let forms = |variant| Command::with_forms(variant, Some(2)).forms.expect("the engine is known");
    let forms: Vec<Forms> = variants.iter().map(forms).collect();
    let calls = bash(&forms.iter().map(|forms| forms.docker.clone()).collect::<Vec<_>>());
    assert_eq!(calls.len(), forms.len());
    for ((variant, forms), call) in variants.iter().zip(&forms).zip(&calls) {
        let (mut argv, env) = run(&call.argv, &forms.image);
        if forms.host_added {
            assert_eq!(argv.pop().as_deref(), Some("--host=0.0.0.0"));
        }
        assert_eq!(argv, Command::serve(variant).argv, "{}", forms.docker);
        let expected: Vec<_> = variant.env.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(env, expected, "{}", forms.docker);
    }
}

/// What `docker run` starts: its own options up to the image, by Docker's rules, then the command.
fn run(argv: &[String], image: &str) -> (Vec<String>, Vec<String>) {
    let (mut entrypoint, mut env) = (Vec::new(), Vec::new());
    let mut words = argv.iter();
    assert_eq!([words.next(), words.next()].map(|word| word.map(String::as_str)), [Some("docker"), Some("run")]);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--rm" | "--ipc=host" => {}
            "--gpus" | "--publish" | "--volume" | "--mount" => assert!(words.next().is_some()),
            "--env" => env.push(words.next().expect("a value").clone()),
            "--entrypoint" => entrypoint.push(words.next().expect("a value").clone()),
            word => {
                assert_eq!(word, image);
                break;
            }
        }
    }
    (entrypoint.into_iter().chain(words.cloned()).collect(), env)
}

#[test]
fn a_program_with_a_strange_name_stays_a_program() {
    let commands = ["a=b", "if", "my-engine", "my engine"].map(|engine| Command::serve(&bare(engine)).text);
    let programs: Vec<_> = bash(&commands).into_iter().map(|mut call| call.argv.swap_remove(0)).collect();
    assert_eq!(programs, ["a=b", "if", "my-engine", "my engine"]);
}

#[test]
fn docker_run_is_written_as_people_write_it() {
    let mut variant = bare("vLLM");
    variant.engine_version = Some("v0.17.1".to_owned());
    variant.args = words("--max-model-len 32768 --enable-prefix-caching -tp=2");
    variant.env.insert("VLLM_LOGGING_LEVEL".to_owned(), "DEBUG".to_owned());
    let forms = Command::with_forms(&variant, Some(2)).forms.expect("vLLM is known");
    insta::assert_snapshot!(forms.docker, @r#"
    docker run --rm \
        --gpus 2 \
        --ipc=host \
        --publish 8000:8000 \
        --volume "$HOME/.cache/huggingface:/root/.cache/huggingface" \
        --env VLLM_LOGGING_LEVEL=DEBUG \
        --entrypoint vllm \
        vllm/vllm-openai:v0.17.1 \
        serve Qwen/Qwen3-14B \
        --max-model-len 32768 \
        --enable-prefix-caching \
        -tp=2
    "#);
}

#[test]
fn a_container_is_reachable_and_sees_the_gpus_it_needs() {
    let forms = |engine: &str, args: &str, gpus| {
        let variant = touchstone_domain::study::Variant { args: words(args), ..bare(engine) };
        Command::with_forms(&variant, gpus).forms.expect("the engine is known")
    };
    let sglang = forms("SGLang", "--tp 2 --port=9000", None);
    assert!(sglang.host_added && sglang.docker.ends_with("    --host=0.0.0.0"), "{}", sglang.docker);
    assert!(sglang.docker.contains("--publish 9000:9000") && sglang.docker.contains("--gpus all"), "{}", sglang.docker);
    assert!(sglang.compose.contains("count: all") && sglang.compose.contains("\"9000:9000\""), "{}", sglang.compose);
    assert!(sglang.kubernetes.contains("nvidia.com/gpu: 2\n"), "{}", sglang.kubernetes);
    let open = forms("TensorRT-LLM", "--host 0.0.0.0", Some(8));
    assert!(!open.host_added && open.docker.contains("--publish 8000:8000") && open.docker.contains("--gpus 8"));
    assert!(open.kubernetes.contains("nvidia.com/gpu: 8\n"));
    assert!(!forms("vLLM", "--port 0", None).host_added, "vLLM listens on all addresses");
    assert!(forms("vLLM", "--host localhost", None).host_added);
    assert!(forms("vLLM", "-tp 2 -pp 2 -dp 2", None).kubernetes.contains("nvidia.com/gpu: 8\n"));
    assert!(forms("SGLang", "--tp 8 --dp 8 --enable-dp-attention", None).kubernetes.contains("nvidia.com/gpu: 8\n"));
}

#[test]
fn numbers_of_gpus_count_those_of_the_machine() {
    let mut variant = bare("vLLM");
    variant.env.insert("CUDA_VISIBLE_DEVICES".to_owned(), "2,3".to_owned());
    let docker = Command::with_forms(&variant, Some(2)).forms.expect("vLLM is known").docker;
    assert!(docker.contains("--gpus all"), "GPU 2 is not there in a container that sees two: {docker}");
}
