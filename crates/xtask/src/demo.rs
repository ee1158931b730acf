//! Build the binary with the site inside; serve the demo.

use std::os::unix::process::CommandExt as _;

use anyhow::{Context as _, Result};

use crate::{
    run::{cargo, program, root, run, say},
    setup,
    site::{self, Mode},
};

/// The site, then the server that carries it.
pub fn build(mode: Mode) -> Result<()> {
    build_site(mode)?;
    say("server");
    let mut command = cargo();
    command.args(["build", "--package", "touchstone", "--bin", "touchstone"]);
    match mode {
        Mode::Debug => {}
        Mode::Release => {
            command.arg("--release");
        }
    }
    run(&mut command)
}

/// The site alone.
pub fn build_site(mode: Mode) -> Result<()> {
    setup::wasm_target()?;
    site::build(mode)
}

/// README's first command.
pub fn demo(more: &[&str]) -> Result<()> {
    build(Mode::Release)?;
    say("the demo; Ctrl-C stops it");
    // The demo takes this process's place, so that Ctrl-C and signals reach it alone.
    let error = program(&root().join("target/release/touchstone").to_string_lossy()).arg("demo").args(more).exec();
    Err(error).context("cannot start the demo")
}
