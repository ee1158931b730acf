//! `touchstone check`: files alone, without stored data.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use serde_json::Value;

use super::desk::{Answer, Desk, OTHER, STUDY, demo};

#[test]
fn check_reads_recomputes_and_judges_without_a_database() {
    let desk = Desk::new();
    let file = format!("{STUDY}/runs/04-sglang-fp8.txt");
    let answer = desk.run(&["check", &file]).expect(0);
    assert!(answer.stdout.starts_with(&file) && answer.stdout.contains("10,426.27"), "{}", answer.stdout);

    let answer = desk.run(&["check", &file, "--format", "json"]).expect(0);
    let list: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(list.as_array().unwrap().len(), 1, "one file is a list, too");
    assert_eq!(list[0]["file"], file.as_str());
    assert_eq!(list[0]["error"], Value::Null);
    let run = &list[0]["runs"][0];
    assert_eq!(run["metrics"]["successful_requests"], 1000);
    assert_eq!(run["metrics"]["ttft_ms"]["p99"], 13187.08);
    assert!(run["recomputed"]["total_token_throughput"].as_f64().unwrap() > 10_400.0);
    assert!(run["findings"].as_array().unwrap().iter().all(|finding| finding["id"].is_string()));
    assert!(!desk.path("data").exists());
}

#[test]
fn check_says_by_its_exit_code_what_it_found() {
    let desk = Desk::new();
    let good = format!("{STUDY}/runs/04-sglang-fp8.txt");
    desk.replace(
        &format!("{OTHER}/runs/03-prefix-caching.txt"),
        "Successful requests:",
        "Failed requests: 900\nSuccessful requests:",
    );
    let poor = format!("{OTHER}/runs/03-prefix-caching.txt");
    fs::write(desk.path("empty.txt"), "").unwrap();
    for (files, code) in [
        (vec![good.as_str()], 0),
        (vec![&good, &poor], 2),
        (vec![&poor, "empty.txt"], 1),
        (vec!["nowhere.txt", &good], 1),
        (vec![STUDY], 1),
    ] {
        for format in ["text", "json"] {
            let answer = desk.run(&[&["check", "--format", format], &files[..]].concat()).expect(code);
            for file in &files {
                assert!(answer.stdout.contains(file), "{file}: {}", answer.stdout);
            }
        }
    }
}

#[test]
fn check_reads_standard_input() {
    let desk = Desk::new();
    let mut child = desk.command(&["check", "-", "--format", "json"]);
    let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let block = fs::read(demo(STUDY).join("runs/04-sglang-fp8.txt")).unwrap();
    child.stdin.take().unwrap().write_all(&block).unwrap();
    let answer = Answer::of(child.wait_with_output().unwrap()).expect(0);
    let list: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(list[0]["runs"].as_array().unwrap().len(), 1);
}

#[test]
fn check_reads_what_is_compressed_and_says_what_to_do_with_a_folder() {
    let desk = Desk::new();
    let text = fs::read(desk.path(&format!("{STUDY}/runs/04-sglang-fp8.txt"))).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&text).unwrap();
    let gzip = gzip.finish().unwrap();
    fs::write(desk.path("a.txt.gz"), &gzip).unwrap();
    fs::write(desk.path("a.txt.zst"), zstd::encode_all(&*text, 3).unwrap()).unwrap();
    for file in ["a.txt.gz", "a.txt.zst"] {
        assert!(desk.run(&["check", file]).expect(0).stdout.contains("10,426.27"), "{file}");
    }
    fs::write(desk.path("cut.txt.gz"), &gzip[..gzip.len() / 2]).unwrap();
    fs::write(desk.path("none.txt.gz"), "plain").unwrap();
    for file in ["cut.txt.gz", "none.txt.gz"] {
        let answer = desk.run(&["check", file]).expect(1);
        assert!(answer.stdout.contains(file), "{}", answer.stdout);
    }
    let answer = desk.run(&["check", STUDY]).expect(1);
    assert!(answer.stdout.contains("it is a folder; name the files in it"), "{}", answer.stdout);
}
