//! `reproduce.sh`: read by the shells there are, and run with programs that only write down how they were called.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use insta::assert_snapshot;

use crate::made::{Made, run};
use crate::studies;
use touchstone_domain::report::reproduce::reproduce;
use touchstone_domain::report::{self, Report};
use touchstone_domain::study::{Localized, StudyData};
use touchstone_domain::text::Lang;

/// Writes its arguments, a line each and `--` after them, at once: a server and its client write at the same time. A
/// server then waits to be stopped.
const RECORDER: &str = "#!/bin/sh
printf '%s\\n' \"${0##*/}\" \"$@\" -- >>\"$RECORD\"
if [ \"${1:-}\" = serve ] || [ \"${2:-}\" = sglang.launch_server ]; then exec sleep 600; fi
echo measured
";

struct Bench(std::path::PathBuf);

impl Bench {
    fn new(name: &str) -> Self {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("reproduce-{name}"));
        fs::remove_dir_all(&dir).ok();
        fs::create_dir_all(dir.join("bin")).expect("the build's folder can be written");
        for program in ["vllm", "python3", "curl", "guidellm", "evil"] {
            let text = if program == "curl" { "#!/bin/sh\nexit 0\n" } else { RECORDER };
            let path = dir.join("bin").join(program);
            fs::write(&path, text).expect("a program can be written");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("and made one");
        }
        Self(dir)
    }

    fn run(&self, script: &str, set: &[(&str, &str)]) -> Output {
        let path = self.0.join("reproduce.sh");
        fs::write(&path, script).expect("the script can be written");
        Command::new("sh")
            .arg(&path)
            .current_dir(&self.0)
            .env("PATH", format!("{}:/usr/bin:/bin", self.0.join("bin").display()))
            .env("RECORD", self.0.join("record"))
            .envs(set.iter().copied())
            .output()
            .expect("there is a shell")
    }

    /// How programs were called, each with its arguments.
    fn calls(&self) -> Vec<Vec<String>> {
        let text = fs::read_to_string(self.0.join("record")).unwrap_or_default();
        let mut calls = vec![Vec::new()];
        for line in text.lines() {
            match line {
                "--" => calls.push(Vec::new()),
                word => calls.last_mut().expect("there is one").push(word.to_owned()),
            }
        }
        calls.pop();
        calls
    }
}

#[track_caller]
fn assert_reads(script: &str) {
    for shell in ["sh", "bash"] {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{:x}.sh", script.len()));
        fs::write(&dir, script).expect("the build's folder can be written");
        let read = Command::new(shell).arg("-n").arg(&dir).output().expect("there is a shell");
        assert!(read.status.success(), "{shell}: {}\n{script}", String::from_utf8_lossy(&read.stderr));
    }
}

fn seed(slug: &str) -> Report {
    report::build(&studies::study(slug).data)
}

#[test]
fn scripts_read_like_this() {
    for slug in [studies::QWEN3, studies::QWEN35] {
        for lang in Lang::ALL {
            let script = reproduce(&seed(slug), lang);
            assert_reads(&script);
            assert!(!script.contains("TODO"));
            assert_snapshot!(format!("{slug}-{lang}"), script);
        }
    }
}

#[test]
fn variants_take_turns_with_the_commands_of_the_report() {
    let report = seed(studies::QWEN3);
    let bench = Bench::new("turns");
    let done = bench.run(&reproduce(&report, Lang::En), &[("REPEATS", "2"), ("PORT", "8123")]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let calls = bench.calls();
    let served: Vec<&Vec<String>> = calls
        .iter()
        .filter(|call| call.iter().any(|word| word == "serve" || word == "sglang.launch_server"))
        .filter(|call| !call.iter().any(|word| word == "bench"))
        .collect();
    let argv = |id| report.variant(id).expect("it is in the report").command.argv.clone();
    let with_address = |argv: Vec<String>| {
        let more = ["--host", "127.0.0.1", "--port", "8123"].map(str::to_owned);
        argv.into_iter().chain(more).collect::<Vec<_>>()
    };
    let baseline = with_address(argv(&report.conclusion.baseline));
    let recommended = with_address(argv(report.conclusion.recommended.as_ref().expect("there is one")));
    assert_eq!(served, [&baseline, &recommended, &baseline, &recommended], "each repeat starts both anew");
    let benched: Vec<_> = calls.iter().filter(|call| call.get(1).is_some_and(|word| word == "bench")).collect();
    assert_eq!(benched.len(), 4 * report.profiles.len());
    let recorded = shlex(&report.profiles[0].command.clone().expect("the seed has it"));
    assert_eq!(benched[0][..recorded.len()], recorded);
    assert_eq!(benched[0][recorded.len()..], ["--host", "127.0.0.1", "--port", "8123"]);
    let results = fs::read_dir(bench.0.join("results")).expect("there are results");
    let results =
        results.filter(|file| file.as_ref().is_ok_and(|file| file.path().extension().is_some_and(|e| e == "txt")));
    assert_eq!(results.count(), benched.len());
}

fn shlex(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn made() -> StudyData {
    Made::of(&[run("base", "chat", 1000.0), run("b", "chat", 1100.0)]).data()
}

#[test]
fn whatever_stands_in_names_and_arguments_is_a_word_and_no_command() {
    let odd = [
        "$(evil)",
        "`evil`",
        "';evil;'",
        "\"; evil; \"",
        "a\nevil\n#",
        "'\nevil",
        "\\",
        "}; evil; {",
        "a|b<script>",
        "=HYPERLINK(1)",
    ];
    for (at, text) in odd.into_iter().enumerate() {
        let mut data = made();
        data.study.title = Localized::same(text);
        for variant in &mut data.study.variants {
            variant.name = Some(Localized::same(text));
            variant.args.push(text.to_owned());
            variant.model = text.to_owned();
            variant.env.insert("ODD".to_owned(), text.to_owned());
        }
        for profile in &mut data.study.profiles {
            profile.name = Localized::same(text);
            profile.dataset_path = Some(text.to_owned());
            profile.dataset = Some(text.to_owned());
        }
        data.study.profiles[0].command = Some(format!("vllm bench serve --metadata {text}"));
        let report = report::build(&data);
        for lang in Lang::ALL {
            assert_reads(&reproduce(&report, lang));
        }
        let bench = Bench::new(&format!("odd-{at}"));
        bench.run(&reproduce(&report, Lang::En), &[("REPEATS", "1")]);
        let ran = bench.calls();
        assert!(!ran.iter().any(|call| call[0] == "evil"), "{text}: {ran:?}");
    }
}

#[test]
fn what_is_not_known_is_said_and_not_made_up() {
    let mut data = made();
    let profile = &mut data.study.profiles[0];
    profile.dataset = Some("random".to_owned());
    profile.command = None;
    let script = reproduce(&report::build(&data), Lang::En);
    for said in ["the seed", "lengths of prompts", "the number of requests", "the request rate"] {
        assert!(script.contains(&format!("# Not recorded: {said}")), "{said}: {script}");
    }
    // A file that nobody named is asked for before anything starts.
    let mut data = made();
    data.study.profiles[0].dataset = Some("ShareGPT".to_owned());
    let bench = Bench::new("dataset");
    let refused = bench.run(&reproduce(&report::build(&data), Lang::En), &[]);
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("DATASET_1"));
    assert_eq!(bench.calls(), Vec::<Vec<String>>::new());
}

#[test]
fn a_study_without_a_command_gives_a_script_that_says_so() {
    let mut data = made();
    for variant in &mut data.study.variants {
        variant.engine = "unknown".to_owned();
    }
    for profile in &mut data.study.profiles {
        profile.command = Some("vllm bench serve".to_owned());
    }
    let bench = Bench::new("nothing");
    let done = bench.run(&reproduce(&report::build(&data), Lang::Ja), &[]);
    assert_eq!(done.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&done.stderr).contains("計測できるものがありません"));
}

#[test]
fn a_server_that_ends_is_not_waited_for() {
    let bench = Bench::new("died");
    let path = bench.0.join("bin/curl");
    fs::write(&path, "#!/bin/sh\nexit 7\n").expect("a program can be written");
    fs::write(bench.0.join("bin/vllm"), "#!/bin/sh\nexit 3\n").expect("a program can be written");
    let done = bench.run(&reproduce(&seed(studies::QWEN3), Lang::En), &[("PATIENCE", "30")]);
    assert_eq!(done.status.code(), Some(1));
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(said.contains("the server ended before it was ready; see ./results/1-vllm-r1.log"), "{said}");
}
