//! Commands that touch stored data.

use std::fs;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::desk::{Answer, Desk, OTHER, STUDY, copy};

#[test]
fn a_folder_that_cannot_be_read_gives_one_error_with_its_place_and_changes_nothing() {
    type Spoil = fn(&Desk);
    let cases: [(&str, Spoil, &str); 14] = [
        (
            "a malformed block",
            |desk| {
                desk.replace(
                    &format!("{STUDY}/runs/04-sglang-fp8.txt"),
                    "Mean TTFT (ms):                          7320.60",
                    "Mean TTFT (ms): fast",
                )
            },
            "runs/04-sglang-fp8.txt, line 12: Mean TTFT (ms) is \"fast\"; expected a number",
        ),
        (
            "a block that is cut off",
            |desk| {
                let file = desk.path(STUDY).join("runs/04-sglang-fp8.txt");
                let text = fs::read_to_string(&file).unwrap();
                fs::write(&file, text.lines().take(2).collect::<Vec<_>>().join("\n")).unwrap();
            },
            "runs/04-sglang-fp8.txt, line 1: the block that starts here has no \"Benchmark duration (s)\" line",
        ),
        (
            "a file without a result",
            |desk| fs::write(desk.path(STUDY).join("runs/04-sglang-fp8.txt"), "connection refused\n").unwrap(),
            "runs/04-sglang-fp8.txt, line 1: no benchmark result found",
        ),
        (
            "an empty file",
            |desk| fs::write(desk.path(STUDY).join("runs/04-sglang-fp8.txt"), "").unwrap(),
            "runs/04-sglang-fp8.txt, line 1: the file is empty",
        ),
        (
            "an unknown key",
            |desk| desk.replace(&format!("{STUDY}/study.toml"), "decimals = 1", "decimal = 1"),
            "study.toml, line 6: unknown field `decimal`",
        ),
        (
            "an unknown key deep inside",
            |desk| desk.replace(&format!("{STUDY}/study.toml"), "requests = 1000\n", "request = 1000\n"),
            "study.toml, line 28: unknown field `request`",
        ),
        (
            "a limit that is no number",
            |desk| {
                desk.replace(
                    &format!("{STUDY}/study.toml"),
                    "requests = 1000\n",
                    "requests = 1000\nslo = { ttft_p99_ms = nan }\n",
                )
            },
            "study.toml, line 29: ttft_p99_ms must be a number above 0, found NaN",
        ),
        (
            "a character that a database cannot hold",
            |desk| desk.replace(&format!("{STUDY}/study.toml"), "id = \"vllm\"", "id = \"v\\u0000llm\""),
            "variant id holds the control character U+0000",
        ),
        (
            "broken TOML",
            |desk| desk.replace(&format!("{STUDY}/study.toml"), "basis = \"reported\"", "basis = \"reported"),
            "study.toml, line 5: ",
        ),
        (
            "a missing run file",
            |desk| fs::remove_file(desk.path(STUDY).join("runs/04-sglang-fp8.txt")).unwrap(),
            ": file \"runs/04-sglang-fp8.txt\" cannot be read: there is no such file",
        ),
        (
            "a path out of the folder",
            |desk| {
                desk.replace(
                    &format!("{STUDY}/study.toml"),
                    "runs/04-sglang-fp8.txt",
                    "../other/runs/04-sglang-fp8.txt",
                )
            },
            "must be a relative path inside the study folder",
        ),
        (
            "a description that is not text",
            |desk| fs::write(desk.path(STUDY).join("study.toml"), b"schema = 1\nslug = \"\xff\"\n").unwrap(),
            "study.toml, line 2: this is not UTF-8 text",
        ),
        (
            "no description",
            |desk| fs::remove_file(desk.path(STUDY).join("study.toml")).unwrap(),
            "study.toml is missing; a study folder holds one",
        ),
        (
            "a run file as long as a disk",
            |desk| {
                let file = fs::File::create(desk.path(STUDY).join("runs/04-sglang-fp8.txt")).unwrap();
                file.set_len(1 << 40).unwrap();
            },
            "cannot be read: it is longer than 2048 MiB",
        ),
    ];
    let good = Desk::new();
    good.run(&["import", STUDY, OTHER]).expect(0);
    let before = good.stored();
    for (case, spoil, said) in cases {
        // On top of a good import, and on nothing.
        let desk = Desk::new();
        copy(&good.path("data"), &desk.path("data"));
        spoil(&desk);
        for data in ["data", "new"] {
            let answer = desk.run(&["import", STUDY, "--data-dir", data]).expect(1);
            let lines: Vec<_> = answer.stderr.lines().collect();
            assert_eq!(lines.len(), 1, "{case}: {}", answer.stderr);
            assert!(lines[0].starts_with(&format!("{STUDY}: ")) && lines[0].contains(said), "{case}: {}", lines[0]);
            assert_eq!(answer.stdout, "", "{case}");
        }
        assert_eq!(desk.stored(), before, "{case}");
        assert!(!desk.path("new").exists(), "{case}: nothing to store, nothing made");
    }
}

#[cfg(unix)]
#[test]
fn a_link_or_a_pipe_in_a_study_folder_is_not_followed() {
    let desk = Desk::new();
    let file = desk.path(STUDY).join("runs/04-sglang-fp8.txt");
    // A file outside is named by a link, and the link to a sibling inside is fine.
    fs::rename(&file, desk.path("secret.txt")).unwrap();
    std::os::unix::fs::symlink(desk.path("secret.txt"), &file).unwrap();
    let answer = desk.run(&["import", STUDY]).expect(1);
    assert!(answer.stderr.contains("it is a link to a place outside the study folder"), "{}", answer.stderr);

    fs::remove_file(&file).unwrap();
    fs::rename(desk.path("secret.txt"), desk.path(STUDY).join("kept.txt")).unwrap();
    std::os::unix::fs::symlink("../kept.txt", &file).unwrap();
    desk.run(&["import", STUDY]).expect(0);

    fs::remove_file(&file).unwrap();
    assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
    let answer = desk.run(&["import", STUDY]).expect(1);
    assert!(answer.stderr.contains("it is not a regular file"), "{}", answer.stderr);
}

#[test]
fn importing_says_what_it_did_and_the_same_again_does_nothing() {
    let desk = Desk::new();
    let answer = desk.run(&["import", STUDY, OTHER]).expect(0);
    assert_eq!(answer.stdout, format!("{STUDY}: new, 15 runs added\n{OTHER}: new, 22 runs added\n"));
    let before = desk.stored();
    let answer = desk.run(&["import", STUDY, OTHER]).expect(0);
    assert_eq!(answer.stdout, format!("{STUDY}: unchanged, 15 runs\n{OTHER}: unchanged, 22 runs\n"));
    assert_eq!(desk.stored(), before);

    desk.replace(&format!("{STUDY}/runs/04-sglang-fp8.txt"), "40.21", "40.22");
    let answer = desk.run(&["import", STUDY]).expect(0);
    assert_eq!(answer.stdout, format!("{STUDY}: updated, 1 run added, 14 kept, 1 removed\n"));
}

#[test]
fn a_bad_folder_does_not_keep_the_others_out() {
    let desk = Desk::new();
    fs::remove_file(desk.path(STUDY).join("study.toml")).unwrap();
    let answer = desk.run(&["import", "nowhere", STUDY, OTHER, &format!("{OTHER}/study.toml"), OTHER]).expect(1);
    assert_eq!(answer.stdout, format!("{OTHER}: new, 22 runs added\n"));
    let errors: Vec<_> = answer.stderr.lines().collect();
    assert_eq!(errors.len(), 4, "{}", answer.stderr);
    assert_eq!(errors[0], "nowhere: there is no such folder");
    assert!(errors[2].contains("this is a file; expected a study folder"), "{}", errors[2]);
    assert!(errors[3].contains("is in qwen3.5-9b-h100 as well"), "{}", errors[3]);
}

#[test]
fn eight_imports_at_once_give_one_study() {
    let desk = Desk::new();
    let children: Vec<_> = (0..8)
        .map(|_| {
            let mut command = desk.command(&["import", OTHER]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let mut lines: Vec<_> =
        children.into_iter().map(|child| Answer::of(child.wait_with_output().unwrap()).expect(0).stdout).collect();
    lines.sort();
    assert_eq!(lines[0], format!("{OTHER}: new, 22 runs added\n"));
    assert!(lines[1..].iter().all(|line| *line == format!("{OTHER}: unchanged, 22 runs\n")), "{lines:?}");
}

#[test]
fn reports_come_in_both_languages_and_as_json() {
    let desk = Desk::new();
    desk.run(&["import", STUDY, OTHER]).expect(0);
    let ja = desk.run(&["report", STUDY, "--lang", "ja", "--format", "md"]).expect(0).stdout;
    assert!(ja.contains("python3 -m sglang.launch_server") && ja.contains("Qwen/Qwen3-14B-FP8"), "{ja}");
    assert!(ja.contains("推奨設定"), "{ja}");
    let en = desk.run(&["report", STUDY, "--lang", "en", "--format", "md", "--output", "report.md"]).expect(0);
    assert_eq!(en.stdout, "");
    let en = fs::read_to_string(desk.path("report.md")).unwrap();
    assert!(en.contains("Qwen/Qwen3-14B-FP8") && !en.contains("推奨設定"), "{en}");

    let json = desk.run(&["report", OTHER, "--lang", "en", "--format", "json"]).expect(0).stdout;
    let json: Value = serde_json::from_str(&json).unwrap();
    let argv: Vec<_> =
        json["conclusion"]["command"]["argv"].as_array().unwrap().iter().map(|a| a.as_str().unwrap()).collect();
    assert_eq!(argv[..3], ["vllm", "serve", "Qwen/Qwen3.5-9B"]);
    let command = &json["conclusion"]["command"];
    assert_eq!(command["env"], serde_json::json!({}));
    for (form, start) in
        [("docker", "docker run "), ("compose", "services:\n"), ("kubernetes", "apiVersion: apps/v1\n")]
    {
        assert!(command[form].as_str().is_some_and(|text| text.starts_with(start)), "{form}: {}", command[form]);
    }
    assert_eq!(json["steps"].as_array().unwrap().len(), json["options"].as_array().unwrap().len());
}

#[test]
fn limits_of_the_command_line_take_the_place_of_the_studys() {
    let desk = Desk::new();
    desk.run(&["import", STUDY]).expect(0);
    let report = |slo: &[&str]| desk.run(&[&["report", STUDY, "--format", "json"], slo].concat());
    let json = |slo: &[&str]| -> Value { serde_json::from_str(&report(slo).expect(0).stdout).unwrap() };
    let (own, theirs) = (json(&[]), json(&["--slo", "sharegpt:tpot_mean_ms=240"]));
    assert_eq!((&own["conclusion"]["recommended"], &own["limits_of_reader"]), (&"fp8".into(), &false.into()));
    assert_eq!((&theirs["conclusion"]["recommended"], &theirs["limits_of_reader"]), (&"sglang".into(), &true.into()));
    assert_eq!(theirs["ranking"][0]["why_not"]["id"], "misses-slo");
    for (slo, expected) in [
        ("sharegpt:tpot_mean_ms", "PROFILE:METRIC=VALUE is expected"),
        ("chat:tpot_mean_ms=240", "a profile (sharegpt, very-long-prompt"),
        ("sharegpt:tpot_mean_ms=fast", "a number above 0"),
    ] {
        let answer = report(&["--slo", slo]).expect(1);
        assert!(answer.stderr.contains(expected), "{slo}: {}", answer.stderr);
    }
}

#[test]
fn a_report_on_what_is_not_there_says_what_is() {
    let desk = Desk::new();
    let answer = desk.run(&["report", STUDY, "--lang", "ja"]).expect(1);
    assert!(answer.stderr.contains("there is no database at ./data/touchstone.db"), "{}", answer.stderr);
    assert!(!desk.path("data").exists(), "a reader makes no database");

    desk.run(&["import", STUDY, OTHER]).expect(0);
    let answer = desk.run(&["report", "qwen", "--lang", "ja"]).expect(1);
    assert_eq!(answer.stderr, format!("touchstone: study \"qwen\" is not stored; stored are: {STUDY}, {OTHER}\n"));
    let answer = desk.run(&["report", STUDY, "--database-url", "mysql://x"]).expect(1);
    assert!(answer.stderr.contains("expected postgres://"), "{}", answer.stderr);
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let desk = Desk::new();
    desk.run(&["import", STUDY]).expect(0);
    let mut child = desk.command(&["report", STUDY, "--format", "json"]);
    let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let answer = Answer::of(child.wait_with_output().unwrap()).expect(0);
    assert_eq!(answer.stderr, "");
}

#[test]
fn secrets_of_a_folder_are_masked_said_and_nowhere_in_the_store() {
    let desk = Desk::new();
    let file = format!("{STUDY}/runs/01-vllm-sharegpt-baseline.txt");
    let text = fs::read_to_string(desk.path(&file)).unwrap();
    fs::write(desk.path(&file), format!("Namespace(api_key='hunter22')\n{text}")).unwrap();
    desk.replace(&format!("{STUDY}/study.toml"), "args = [", "args = [\"--hf-token\", \"hunter23\", ");
    let first = desk.run(&["import", STUDY]).expect(0);
    assert!(first.stdout.starts_with(&format!("{STUDY}: new, 15 runs added")), "{}", first.stdout);
    let said = format!("{STUDY}: runs/01-vllm-sharegpt-baseline.txt, line 1: masked: API key\n");
    assert!(first.stderr.contains(&said), "{}", first.stderr);
    assert!(first.stderr.contains("study.toml, line ") && first.stderr.contains(": masked: access token"));
    assert!(!first.stderr.contains("hunter"));
    let again = desk.run(&["import", STUDY]).expect(0);
    assert!(again.stdout.starts_with(&format!("{STUDY}: unchanged")), "{}", again.stdout);
    for entry in
        fs::read_dir(desk.path("data")).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file())
    {
        let bytes = fs::read(&entry).unwrap();
        assert!(!bytes.windows(6).any(|window| window == b"hunter"), "{}", entry.display());
    }
    assert!(desk.run(&["report", STUDY, "--format", "json"]).expect(0).stdout.contains("--hf-token"));
}

#[test]
fn reading_again_what_is_stored_changes_nothing_while_the_readers_are_the_same() {
    let desk = Desk::new();
    desk.run(&["import", STUDY, OTHER]).expect(0);
    let before = desk.stored();
    for more in [&["reparse", "--dry-run"][..], &["reparse"]] {
        let answer = desk.run(more).expect(0);
        for (slug, runs) in [(STUDY, 15), (OTHER, 22)] {
            assert!(answer.stdout.contains(&format!("{slug}: ")), "{}", answer.stdout);
            assert!(
                answer.stdout.contains(&format!("0 added, 0 changed, 0 gone, {runs} unchanged")),
                "{}",
                answer.stdout
            );
        }
    }
    assert_eq!(desk.stored(), before);
    let none = desk.run(&["reparse", "none", STUDY]).expect(1);
    assert!(none.stderr.contains("none: ") && none.stdout.contains("15 unchanged"), "{}{}", none.stdout, none.stderr);
}

#[test]
fn a_token_is_printed_once_listed_without_its_secret_and_revoked() {
    let desk = Desk::new();
    let made = desk.run(&["token", "create", "--name", "gpu-1", "--expires", "90d"]).expect(0);
    let secret = made.stdout.trim();
    assert!(secret.starts_with("tst_") && secret.len() == 4 + 64, "{secret}");
    assert!(made.stderr.contains("the only time"), "{}", made.stderr);
    let again = desk.run(&["token", "create", "--name", "gpu-1"]).expect(1);
    assert!(again.stderr.contains("a token with the name \"gpu-1\" already"), "{}", again.stderr);
    let list = desk.run(&["token", "list"]).expect(0).stdout;
    assert!(list.starts_with(&format!("gpu-1\t{}…\tupload\tvalid, ", &secret[..12])), "{list}");
    assert!(!list.contains(secret), "{list}");
    assert_eq!(desk.run(&["token", "revoke", "gpu-1"]).expect(0).stdout, "gpu-1: revoked\n");
    assert!(desk.run(&["token", "list"]).expect(0).stdout.contains("\trevoked today\t"));
    let unknown = desk.run(&["token", "revoke", "gpu-2"]).expect(1);
    assert!(unknown.stderr.contains("token \"gpu-2\" is not stored"), "{}", unknown.stderr);
}
