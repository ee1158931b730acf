//! The architecture's rules that a machine can hold: README's invariants as far as they show in manifests, dependency
//! trees and source text. The others are held by tests.

use std::{fs, path::Path};

use anyhow::{Result, bail};
use serde_json::Value;

use crate::run::{cargo, read, root};

/// Which of our own crates each may use. A new crate or arrow is a decision, made here.
const ARROWS: [(&str, &[&str]); 8] = [
    ("touchstone-domain", &[]),
    ("touchstone-render", &["touchstone-domain"]),
    ("touchstone-store", &["touchstone-domain"]),
    ("touchstone-agent", &["touchstone-domain"]),
    ("touchstone-standin", &[]),
    ("app", &["touchstone-domain", "touchstone-render", "touchstone-store"]),
    ("touchstone", &["app", "touchstone-agent", "touchstone-domain", "touchstone-render", "touchstone-store"]),
    ("xtask", &[]),
];

/// Crates that only one of ours may name, and why.
const HOMES: [(&str, &str, &str); 4] = [
    ("sqlx", "touchstone-store", "SQL is in the store only"),
    ("plotters", "touchstone-render", "charts are drawn in render only"),
    ("pulldown-cmark", "touchstone-render", "Markdown becomes HTML in render only"),
    ("leptos_axum", "app", "pages meet the server in app (and in the server itself)"),
];

/// What the page's wasm must never link.
const NOT_IN_BROWSER: &[&str] = &[
    "plotters",
    "pulldown-cmark",
    "sqlx",
    "tokio",
    "axum",
    "leptos_axum",
    "leptos_meta",
    "touchstone-render",
    "touchstone-store",
];

/// What the domain must never link: clocks, files, network, databases, documents.
const NOT_IN_DOMAIN: &[&str] =
    &["tokio", "time", "sqlx", "http", "hyper", "reqwest", "axum", "leptos", "web-sys", "uuid"];

/// chrono may read and print instants there, but not ask for the time.
const CLOCKS: [&str; 3] = ["clock", "now", "oldtime"];

/// What the domain must not say either; the standard library has a clock and files, too.
const NOT_SAID_IN_DOMAIN: &[&str] = &[
    "Utc::now",
    "SystemTime",
    "std::time::Instant",
    "std::fs",
    "std::net",
    "std::env",
    "std::process",
    "std::thread",
    "std::io::std",
];

/// Checks all of them; an error lists every breach.
pub fn check() -> Result<()> {
    let metadata = read(cargo().args(["metadata", "--locked", "--no-deps", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_str(&metadata)?;
    let mut breaches = Vec::new();
    manifests(&metadata, &mut breaches);
    tree(
        "app",
        &["--target", "wasm32-unknown-unknown", "--features", "hydrate,islands"],
        NOT_IN_BROWSER,
        &mut breaches,
    )?;
    tree("touchstone-domain", &["--target", "all"], NOT_IN_DOMAIN, &mut breaches)?;
    sources(&mut breaches)?;
    if breaches.is_empty() {
        eprintln!("   kept");
        return Ok(());
    }
    bail!("the architecture's rules are broken:\n  - {}", breaches.join("\n  - "))
}

fn manifests(metadata: &Value, breaches: &mut Vec<String>) {
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let name = package["name"].as_str().unwrap_or_default();
        let Some((_, allowed)) = ARROWS.iter().find(|(crate_, _)| *crate_ == name) else {
            breaches.push(format!("{name} is new: say in xtask's rules.rs what it may use"));
            continue;
        };
        let used = package["dependencies"].as_array().into_iter().flatten().filter(|d| d["kind"].is_null());
        for dependency in used.filter_map(|d| d["name"].as_str()) {
            if ARROWS.iter().any(|(crate_, _)| *crate_ == dependency) && !allowed.contains(&dependency) {
                breaches.push(format!("{name} may not use {dependency}"));
            }
            if let Some((_, home, why)) = HOMES.iter().find(|(crate_, home, _)| *crate_ == dependency && *home != name)
                && !(*home == "app" && name == "touchstone")
            {
                breaches.push(format!("{name} uses {dependency}, which belongs into {home}: {why}"));
            }
        }
    }
}

fn tree(package: &str, how: &[&str], unwanted: &[&str], breaches: &mut Vec<String>) -> Result<()> {
    let linked = read(
        cargo()
            .args([
                "tree",
                "--locked",
                "--package",
                package,
                "--edges",
                "normal,no-proc-macro",
                "--prefix",
                "none",
                "--format",
                "{p}|{f}",
            ])
            .args(how),
    )?;
    for line in linked.lines() {
        let (crate_, features) = line.split_once('|').unwrap_or((line, ""));
        let name = crate_.split(' ').next().unwrap_or_default();
        if unwanted.contains(&name) {
            breaches.push(format!("{package} links {name} ({})", how.join(" ")));
        }
        if name == "chrono" && features.split(',').any(|feature| CLOCKS.contains(&feature)) {
            breaches.push(format!("{package} links chrono with a clock ({features})"));
        }
    }
    breaches.dedup();
    Ok(())
}

fn sources(breaches: &mut Vec<String>) -> Result<()> {
    let root = root();
    for folder in ["app/src", "server/src", "crates"] {
        walk(&root.join(folder), &mut |path| {
            let shown = path.strip_prefix(&root).unwrap_or(path).to_string_lossy().replace('\\', "/");
            if shown.contains("/tests/") || shown.ends_with("/tests.rs") || shown.starts_with("crates/xtask/") {
                return Ok(());
            }
            for (number, line) in code_of(&fs::read_to_string(path)?) {
                for breach in line_breaches(&shown, line) {
                    breaches.push(format!("{shown}:{number}: {breach}"));
                }
            }
            Ok(())
        })?;
    }
    Ok(())
}

fn line_breaches(file: &str, line: &str) -> Vec<String> {
    let mut found = Vec::new();
    if file.starts_with("crates/domain/src/") {
        for word in NOT_SAID_IN_DOMAIN.iter().filter(|word| line.contains(**word)) {
            found.push(format!("the domain knows no clock, file, network or process, but says {word}"));
        }
    }
    if !file.starts_with("crates/store/") && is_sql(line) {
        found.push("SQL outside the store".into());
    }
    if !file.starts_with("crates/domain/src/text/") && file != "app/src/words.rs" && line.chars().any(is_kana) {
        found.push("a Japanese sentence outside domain/src/text and app/src/words.rs".into());
    }
    found
}

/// Lines of code with their numbers: no comments, and nothing from the tests at the end of a file.
fn code_of(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .take_while(|(_, line)| line.trim() != "#[cfg(test)]")
        .map(|(index, line)| (index + 1, line.split_once("//").map_or(line, |(code, _)| code)))
}

fn is_sql(line: &str) -> bool {
    ["SELECT ", "INSERT INTO ", "DELETE FROM ", "CREATE TABLE "].iter().any(|words| line.contains(words))
}

const fn is_kana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{30ff}') && !matches!(c, '・' | 'ー')
}

fn walk(folder: &Path, visit: &mut impl FnMut(&Path) -> Result<()>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, visit)?;
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            visit(&path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_breach_is_seen_where_it_is_one() {
        for (file, line, broken) in [
            ("crates/domain/src/run.rs", "use std::time::SystemTime;", true),
            ("crates/store/src/study.rs", "let now = std::time::SystemTime::now();", false),
            ("server/src/cmd/import.rs", "const ALL: &str = \"SELECT id FROM study\";", true),
            ("crates/store/src/study.rs", "const ALL: &str = \"SELECT id FROM study\";", false),
            ("app/src/page/home.rs", "<p>\"検証の一覧\"</p>", true),
            ("app/src/part/top_bar.rs", "<small lang=\"ja\">\"試金石\"</small>", false),
            ("crates/domain/src/text/ja.rs", "\"改善しました\"", false),
        ] {
            assert_eq!(!line_breaches(file, line).is_empty(), broken, "{file}: {line}");
        }
    }

    #[test]
    fn comments_and_tests_are_not_code() {
        let text = "a // SELECT x\n/// 日本語の説明\nb\n#[cfg(test)]\nmod tests { SELECT x }\n";
        let code: Vec<_> = code_of(text).map(|(number, line)| (number, line.trim())).collect();
        assert_eq!(code, [(1, "a"), (2, ""), (3, "b")]);
    }
}
