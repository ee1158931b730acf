//! `cargo xtask …`: the only build path. Needs nothing but cargo; what else a command needs it names, and installs
//! where it may.

mod demo;
mod licences;
mod load;
mod pg;
mod rules;
mod run;
mod setup;
mod site;
mod test;
mod watch;

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::site::Mode;

const HELP: &str = "\
cargo xtask demo               set up, build in release, serve with the two reference studies (more words go to
                               `touchstone demo`, such as --addr 127.0.0.1:3001)
cargo xtask test               set up, build, run every test there is
cargo xtask build [--release]  the site and the `touchstone` binary with the site inside
cargo xtask watch              build and serve the demo, again after every change
cargo xtask e2e                only the end-to-end tests
cargo xtask pg COMMAND…        run a command with a private PostgreSQL (TOUCHSTONE_TEST_DATABASE_URL); with
                               --durable before it, one that waits for the disk
cargo xtask load [BINARY]      uploads to a live server (the release): runs a second over HTTP, errors, doubled runs
cargo xtask lint               formatting, clippy for server and browser, the architecture's rules
cargo xtask rules              only those rules
cargo xtask fmt                format the code
cargo xtask licences           write THIRD-PARTY.md
cargo xtask setup              only install what `test` needs
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match dispatch(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(words: &[&str]) -> Result<()> {
    match words {
        ["demo", rest @ ..] => demo::demo(rest),
        ["build"] => demo::build(Mode::Debug),
        ["build", "--release"] => demo::build(Mode::Release),
        ["watch", rest @ ..] => watch::watch(rest),
        ["test"] => test::test(),
        ["lint"] => test::lint(),
        ["rules"] => rules::check(),
        ["e2e"] => test::end_to_end(),
        ["load"] => load::load(None),
        ["load", binary] => load::load(Some(binary)),
        ["pg", rest @ ..] => test::with_postgres(rest),
        ["fmt"] => run::run(run::cargo().args(["fmt", "--all"])),
        ["licences"] => licences::write(),
        ["setup"] => setup::for_tests(),
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        _ => bail!("there is no such command\n\n{HELP}"),
    }
}
