//! `share`.

use super::desk::{Desk, OTHER, STUDY};

#[test]
fn a_link_is_printed_once_listed_without_its_secret_and_revoked() {
    let desk = Desk::new();
    let missing = desk.run(&["share", "create", STUDY]).expect(1);
    assert!(missing.stderr.contains("there is no database"), "{}", missing.stderr);
    desk.run(&["import", STUDY, OTHER]).expect(0);
    let asked =
        ["share", "create", STUDY, "--expires", "7d", "--label", "客先A", "--url", "https://bench.example.com/"];
    let made = desk.run(&asked).expect(0);
    let secret = made.stdout.strip_prefix("https://bench.example.com/s/").unwrap().trim_end().to_owned();
    assert_eq!(secret.len(), 64, "{secret}");
    assert!(made.stderr.contains("only time"), "{}", made.stderr);
    let plain = desk.run(&["share", "create", OTHER, "--plain", "--public", "--expires", "never"]).expect(0);
    assert!(plain.stdout.starts_with("http://127.0.0.1:3000/s/"));

    let list = desk.run(&["share", "list"]).expect(0).stdout;
    assert_eq!(list.lines().count(), 2);
    assert!(!list.contains(&secret[..12]), "{list}");
    let own = desk.run(&["share", "list", STUDY]).expect(0).stdout;
    let fields: Vec<&str> = own.trim_end().split('\t').collect();
    assert_eq!(fields[1..4], [STUDY, "Report as it moves on", "redacted"]);
    assert!(fields[4].starts_with("works, until "), "{own}");
    assert_eq!(fields[5..], ["0 views", "客先A"]);
    assert!(desk.run(&["share", "list", OTHER]).expect(0).stdout.contains("\tplain, public\tworks, never expires\t"));

    let id = fields[0].trim_end_matches('…');
    assert_eq!(desk.run(&["share", "revoke", id]).expect(0).stdout, format!("{id}…: revoked\n"));
    assert!(desk.run(&["share", "list", STUDY]).expect(0).stdout.contains("\trevoked, "));

    // A version, once there is one.
    let early = desk.run(&["share", "create", STUDY, "--version", "1"]).expect(1).stderr;
    assert!(early.contains("no such version"), "{early}");
    desk.run(&["publish", STUDY]).expect(0);
    desk.run(&["share", "create", STUDY, "--version", "1"]).expect(0);
    assert!(desk.run(&["share", "list", STUDY]).expect(0).stdout.contains("\tVersion 1\tredacted\t"));
}

#[test]
fn what_cannot_be_shared_is_said() {
    let desk = Desk::new();
    desk.run(&["import", STUDY]).expect(0);
    let long = "x".repeat(101);
    for (args, says) in [
        (&["create", "nothing"][..], "nothing"),
        (&["create", STUDY, "--label", &long], "at most 100"),
        (&["list", "nothing"], "nothing"),
        (&["revoke", "nothing"], "nothing"),
        (&["revoke", ""], "is not stored"),
    ] {
        let refused = desk.run(&[&["share"], args].concat()).expect(1);
        assert!(refused.stderr.contains(says), "{args:?}: {}", refused.stderr);
    }
    assert_eq!(desk.run(&["share", "list"]).expect(0).stdout, "");
    for args in [["--expires", "0d"], ["--expires", "soon"], ["--version", "x"]] {
        desk.run(&["share", "create", STUDY, args[0], args[1]]).expect(2);
    }
}
