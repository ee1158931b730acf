//! Every test there is, cheapest first. Everything is built once, in debug, and all tests run on that.

use std::{fs, time::Instant};

use anyhow::Result;

use crate::{
    demo::build_site,
    licences,
    pg::{self, Durable},
    rules,
    run::{cargo, program, root, run, say, succeeds},
    setup,
    site::Mode,
};

/// README's second command.
pub fn test() -> Result<()> {
    let begun = Instant::now();
    setup::for_tests()?;
    lint()?;
    unit_and_integration()?;
    end_to_end()?;
    say(format!("everything passed, in {} s", begun.elapsed().as_secs()));
    Ok(())
}

/// Formatting, the architecture's rules, clippy with warnings as errors for server and browser.
pub fn lint() -> Result<()> {
    say("formatting");
    run(cargo().args(["fmt", "--all", "--check"]))?;
    say("the architecture's rules");
    rules::check()?;
    licences::check()?;
    build_site(Mode::Debug)?;
    say("clippy, server");
    run(cargo().args(["clippy", "--locked", "--workspace", "--all-targets", "--", "--deny", "warnings"]))?;
    say("clippy, browser");
    run(cargo()
        .args(["clippy", "--locked", "--package", "app", "--lib", "--target", "wasm32-unknown-unknown"])
        .args(["--target-dir", "target/front", "--profile", "wasm-dev", "--features", "hydrate,islands"])
        .args(["--", "--deny", "warnings"]))?;
    say("the domain builds for the browser");
    run(cargo()
        .args(["check", "--locked", "--package", "touchstone-domain", "--target", "wasm32-unknown-unknown"])
        .args(["--target-dir", "target/front", "--profile", "wasm-dev"]))
}

/// With a real PostgreSQL beside SQLite.
fn unit_and_integration() -> Result<()> {
    // First, so that the count of the tests proper closes this part of the output.
    say("documentation's examples");
    run(cargo().args(["test", "--locked", "--workspace", "--doc", "--quiet"]))?;
    let server = pg::Server::start(Durable::No)?;
    say("unit and integration tests");
    let nextest = succeeds(cargo().args(["nextest", "--version"]));
    let mut command = cargo();
    if nextest {
        command.args(["nextest", "run", "--locked", "--workspace", "--no-fail-fast"]);
    } else {
        command.args(["test", "--locked", "--workspace", "--no-fail-fast", "--bins", "--lib", "--tests"]);
    }
    // A snapshot that differs fails; only a person accepts it.
    command.env(pg::URL_VARIABLE, &server.url).env(pg::REQUIRE_VARIABLE, "1");
    run(command.env("INSTA_UPDATE", "no"))
}

/// The real binary in a real Chromium.
pub fn end_to_end() -> Result<()> {
    say("the binary for the end-to-end tests");
    run(cargo().args(["build", "--locked", "--workspace", "--bins"]))?;
    let data = root().join("target/end2end");
    if data.exists() {
        fs::remove_dir_all(&data)?;
    }
    say("end-to-end tests");
    let mut npx = program("npx");
    npx.current_dir(root().join("end2end")).env("TOUCHSTONE_E2E_PORT", pg::free_port()?.to_string());
    run(npx.args(["--no-install", "playwright", "test"]))
}

/// Runs any command with a private PostgreSQL's address in its environment.
pub fn with_postgres(words: &[&str]) -> Result<()> {
    let (durable, words) = match words {
        ["--durable", words @ ..] => (Durable::Yes, words),
        words => (Durable::No, words),
    };
    let Some((name, rest)) = words.split_first() else { anyhow::bail!("expected a command to run") };
    let server = pg::Server::start(durable)?;
    run(program(name).args(rest).env(pg::URL_VARIABLE, &server.url))
}
