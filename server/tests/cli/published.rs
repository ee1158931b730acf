//! `publish`, `versions`, and `report --version`.

use std::fs;

use super::desk::{Desk, STUDY};

#[test]
fn a_version_is_published_and_written_as_it_was_frozen() {
    let desk = Desk::new();
    desk.run(&["import", STUDY]).expect(0);
    let none = desk.run(&["report", STUDY, "--version", "1"]).expect(1).stderr;
    assert!(none.contains("has no versions; `touchstone publish qwen3-14b-h100` makes one"), "{none}");
    let said = desk.run(&["publish", STUDY, "--remark", "to the customer"]).expect(0).stdout;
    assert!(said.starts_with("qwen3-14b-h100: version 1 is published\n"), "{said}");
    let sha256 = |lang: &str| {
        let line = said.lines().find(|line| line.contains(&format!("/{lang}/reports/qwen3-14b-h100/v1"))).unwrap();
        line.rsplit_once("sha256:").unwrap().1.to_owned()
    };
    let write = |args: &[&str]| {
        desk.run(&[&["report", STUDY, "--version", "1", "--output", "file"], args].concat()).expect(0);
        fs::read(desk.path("file")).unwrap()
    };
    let all = || {
        let mut all = Vec::new();
        for lang in ["ja", "en"] {
            for format in ["html", "md", "csv", "xlsx", "json", "sh"] {
                all.push(write(&["--lang", lang, "--format", format]));
            }
            all.push(write(&["--lang", lang, "--format", "csv", "--table", "options"]));
        }
        all
    };
    let before = all();
    for (at, lang) in [(0, "ja"), (7, "en")] {
        assert_eq!(domain::digest::Digest::of(&before[at]).as_str(), sha256(lang));
    }
    assert!(String::from_utf8(before[0].clone()).unwrap().contains("に公開した第1版です。"));

    let again = desk.run(&["publish", STUDY]).expect(0).stdout;
    assert!(again.contains("nothing has changed since version 1, so no other was made"), "{again}");
    desk.replace(&format!("{STUDY}/study.toml"), "decimals = 1", "decimals = 2");
    desk.run(&["import", STUDY]).expect(0);
    let second = desk.run(&["publish", STUDY]).expect(0).stdout;
    assert!(second.starts_with("qwen3-14b-h100: version 2 is published\n"), "{second}");
    assert!(all() == before, "version 1 stays as it is");
    let list = desk.run(&["versions", STUDY]).expect(0).stdout;
    assert!(
        list.starts_with("version 2, ") && list.contains(": to the customer\n") && list.contains(&sha256("en")),
        "{list}"
    );

    let missing = desk.run(&["report", STUDY, "--version", "3"]).expect(1).stderr;
    assert!(missing.contains("has no version 3; published are: 1, 2"), "{missing}");
    let refused = desk.run(&["report", STUDY, "--version", "1", "--slo", "sharegpt:ttft_p99_ms=1"]).expect(1).stderr;
    assert!(refused.contains("--slo cannot be applied to it"), "{refused}");
    desk.run(&["report", STUDY, "--version", "0"]).expect(2);
    let unknown = desk.run(&["publish", "none"]).expect(1).stderr;
    assert!(unknown.contains("stored are: "), "{unknown}");
    let long = desk.run(&["publish", STUDY, "--remark", &"x".repeat(501)]).expect(1).stderr;
    assert!(long.contains("501 characters; at most 500"), "{long}");
}
