//! `export`, and the forms of `report`.

use std::fs;
use std::os::unix::fs::symlink;

use super::desk::{Desk, OTHER, STUDY, copy};

fn imported() -> Desk {
    let desk = Desk::new();
    desk.run(&["import", STUDY, OTHER]).expect(0);
    desk
}

#[test]
fn an_exported_study_is_imported_as_the_same_report() {
    let desk = imported();
    for slug in [STUDY, OTHER] {
        let out = format!("out/{slug}");
        let said = desk.run(&["export", slug, &out]).expect(0).stdout;
        assert!(
            said.starts_with(&format!("{slug}: study.toml and ")) && said.ends_with(&format!("in {out}\n")),
            "{said}"
        );
        desk.run(&["import", &out, "--data-dir", "empty"]).expect(0);
        for args in [["md", "ja"], ["md", "en"], ["json", "en"]] {
            let report = |dir: &str| {
                let args = ["report", slug, "--format", args[0], "--lang", args[1], "--data-dir", dir];
                desk.run(&args).expect(0).stdout
            };
            assert!(report("data") == report("empty"), "{slug}: {args:?}");
        }
    }
    let left: Vec<_> = fs::read_dir(desk.path("out")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "nothing else stays: {left:?}");
}

#[test]
fn a_folder_with_something_in_it_is_left_alone_unless_forced() {
    let desk = imported();
    fs::create_dir(desk.path("empty-dir")).unwrap();
    desk.run(&["export", STUDY, "empty-dir"]).expect(0);
    assert!(desk.path("empty-dir/study.toml").exists());
    copy(&desk.path(OTHER), &desk.path("full"));
    fs::write(desk.path("full/mine.txt"), "mine").unwrap();
    let refused = desk.run(&["export", STUDY, "full"]).expect(1).stderr;
    assert!(refused.contains("full is not empty") && refused.contains("--force"), "{refused}");
    assert!(fs::read_to_string(desk.path("full/study.toml")).unwrap().contains(OTHER));
    desk.run(&["export", STUDY, "full", "--force"]).expect(0);
    assert!(fs::read_to_string(desk.path("full/study.toml")).unwrap().contains(STUDY));
    assert_eq!(fs::read_to_string(desk.path("full/mine.txt")).unwrap(), "mine");
    let hidden = |dir: &str| {
        let entries = fs::read_dir(desk.path(dir)).unwrap().map(|entry| entry.unwrap().file_name());
        entries.filter(|name| name.to_string_lossy().starts_with('.')).count()
    };
    assert_eq!((hidden("full"), hidden(".")), (0, 0));
    // A link that leads elsewhere is not followed.
    fs::create_dir_all(desk.path("elsewhere")).unwrap();
    fs::create_dir_all(desk.path("trap")).unwrap();
    symlink(desk.path("elsewhere"), desk.path("trap/runs")).unwrap();
    let refused = desk.run(&["export", STUDY, "trap", "--force"]).expect(1).stderr;
    assert!(refused.contains("in the way"), "{refused}");
    assert_eq!(fs::read_dir(desk.path("elsewhere")).unwrap().count(), 0);
    fs::write(desk.path("file"), "").unwrap();
    desk.run(&["export", STUDY, "file"]).expect(1);
    let unknown = desk.run(&["export", "none", "nowhere"]).expect(1).stderr;
    assert!(unknown.contains("stored are: "), "{unknown}");
    assert!(!desk.path("nowhere").exists());
}

#[test]
fn a_report_is_written_in_each_form() {
    let desk = imported();
    let write = |more: &[&str]| {
        let args = [&["report", STUDY, "--lang", "ja", "--output", "file"], more].concat();
        desk.run(&args).expect(0);
        fs::read(desk.path("file")).unwrap()
    };
    let html = String::from_utf8(write(&["--format", "html"])).unwrap();
    assert!(html.starts_with("<!DOCTYPE html>") && html.contains("書き出したレポートです"));
    assert!(write(&["--format", "xlsx"]).starts_with(b"PK"));
    let csv = String::from_utf8(write(&["--format", "csv"])).unwrap();
    assert!(csv.starts_with("\u{feff}番号,プロファイル,"), "{csv}");
    let options = String::from_utf8(write(&["--format", "csv", "--table", "options"])).unwrap();
    assert!(options.starts_with("\u{feff}最適化項目,構成,"), "{options}");
    assert!(write(&["--format", "sh"]).starts_with(b"#!/bin/sh\n"));
    // What goes to a pipe is the same.
    assert_eq!(desk.run(&["report", STUDY, "--lang", "ja", "--format", "html"]).expect(0).stdout, html);
}

#[test]
fn without_a_browser_pdf_is_refused_with_a_way_out() {
    let desk = imported();
    let mut command = desk.command(&["report", STUDY, "--format", "pdf", "--output", "file.pdf"]);
    let refused = command.env("TOUCHSTONE_CHROMIUM", "/nowhere/chromium").output().unwrap();
    assert_eq!(refused.status.code(), Some(1));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("no Chromium on this machine") && said.contains("--format html"), "{said}");
    assert!(!desk.path("file.pdf").exists());
}
