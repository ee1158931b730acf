//! `THIRD-PARTY.md`: every crate that ends in the binary or the page, with its licence; and no licence that Touchstone
//! could not be given away under.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::PathBuf,
};

use anyhow::{Result, bail};

use crate::run::{cargo, read, root, say};

/// Licences that ask for no more than a notice. An expression passes when one of its choices is made of these only.
const FINE: [&str; 15] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-1-Clause",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Writes the file.
pub fn write() -> Result<()> {
    say("THIRD-PARTY.md");
    fs::write(file(), text()?)?;
    Ok(())
}

/// Fails when the file does not fit the dependencies any more.
pub fn check() -> Result<()> {
    if fs::read_to_string(file()).unwrap_or_default() != text()? {
        bail!("THIRD-PARTY.md is out of date; `cargo xtask licences` writes it anew");
    }
    Ok(())
}

fn file() -> PathBuf {
    root().join("THIRD-PARTY.md")
}

fn text() -> Result<String> {
    let mut by_licence: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let server: &[&str] = &["--package", "touchstone", "--target", "x86_64-unknown-linux-gnu"];
    let page = &["--package", "app", "--target", "wasm32-unknown-unknown", "--features", "hydrate,islands"];
    for how in [server, page] {
        let tree = read(
            cargo()
                .args(["tree", "--locked", "--edges", "normal,no-proc-macro", "--prefix", "none", "--no-dedupe"])
                .args(["--format", "{p}|{l}"])
                .args(how),
        )?;
        for line in tree.lines() {
            // Our own crates show their path.
            let Some((package, licence)) = line.split_once('|').filter(|(package, _)| !package.contains("(/")) else {
                continue;
            };
            let name = package.split(' ').next().unwrap_or_default().to_owned();
            by_licence.entry(licence.replace('/', " OR ").replace("  ", " ")).or_default().insert(name);
        }
    }
    let refused: Vec<_> = by_licence.iter().filter(|(licence, _)| !is_fine(licence)).collect();
    if !refused.is_empty() {
        bail!("licences that nobody has looked at (xtask's licences.rs): {refused:?}");
    }

    let mut out = String::from(
        "# Third-party software\n\nCrates in the `touchstone` binary (Linux) and in its pages, by licence. Written by \
         `cargo xtask licences`; a test\nfails when it is out of date. Each crate's own text lies in its package.\n",
    );
    for (licence, names) in by_licence {
        out.push_str(&format!("\n## {licence}\n\n"));
        out.push_str(&wrapped(names.iter().map(String::as_str)));
    }
    Ok(out)
}

/// Names with commas, in lines of a width that is read easily and compared well.
fn wrapped<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let (mut out, mut width) = (String::new(), 0);
    let mut names = names.peekable();
    while let Some(name) = names.next() {
        out.push_str(name);
        width += name.len() + 2;
        out.push_str(match names.peek() {
            None => "\n",
            Some(next) if width + next.len() > 100 => {
                width = 0;
                ",\n"
            }
            Some(_) => ", ",
        });
    }
    out
}

/// A reading of SPDX expressions that is enough for crates: choices of conjunctions, brackets around either.
fn is_fine(expression: &str) -> bool {
    let expression = expression.trim();
    if FINE.contains(&expression) {
        return true;
    }
    if let Some(parts) = split(expression, " OR ") {
        return parts.iter().any(|part| is_fine(part));
    }
    if let Some(parts) = split(expression, " AND ") {
        return parts.iter().all(|part| is_fine(part));
    }
    expression.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).is_some_and(is_fine)
}

/// Splits at a word outside brackets; `None` when it does not occur there.
fn split<'a>(expression: &'a str, word: &str) -> Option<Vec<&'a str>> {
    let mut parts = Vec::new();
    let (mut depth, mut from) = (0_i32, 0);
    for (at, c) in expression.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ if depth == 0 && expression[at..].starts_with(word) => {
                parts.push(&expression[from..at]);
                from = at + word.len();
            }
            _ => {}
        }
    }
    parts.push(&expression[from..]);
    (parts.len() > 1).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_passes_when_one_choice_asks_for_no_more_than_a_notice() {
        for (expression, fine) in [
            ("MIT", true),
            ("MIT OR Apache-2.0", true),
            ("GPL-3.0-only", false),
            ("GPL-3.0-only OR MIT", true),
            ("MIT AND GPL-3.0-only", false),
            ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
            ("(MIT OR GPL-2.0-only) AND GPL-2.0-only", false),
            ("Apache-2.0 WITH LLVM-exception OR MIT", true),
            ("", false),
        ] {
            assert_eq!(is_fine(expression), fine, "{expression}");
        }
    }
}
