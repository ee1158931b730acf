//! `touchstone`: the one binary. Reads the command line, sets up logging, hands over to a command.

mod client;
mod cmd;
mod data;
mod export;
mod folder;
mod ingest;
mod pdf;
mod spool;
mod web;

use std::io::IsTerminal as _;
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};
use tracing_subscriber::{EnvFilter, fmt, layer::SubscriberExt as _, util::SubscriberInitExt as _};

/// Self-hosted benchmark reports for LLM serving: stores raw output, recomputes it, compares it, recommends a command.
#[derive(Parser)]
#[command(name = "touchstone", version, max_term_width = 100)]
struct Cli {
    /// Shape of the log lines on standard error; their amount is set by TOUCHSTONE_LOG (like "info" or "debug")
    #[arg(long, global = true, value_enum, default_value = "text", env = "TOUCHSTONE_LOG_FORMAT")]
    log_format: LogFormat,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
#[expect(clippy::large_enum_variant, reason = "there is one in a process")]
enum Command {
    /// Serve the site
    Serve(cmd::serve::Args),
    /// Serve the site with the two reference studies loaded
    Demo(cmd::demo::Args),
    /// Load study folders
    Import(cmd::import::Args),
    /// Parse, recompute and judge files, offline and without a database
    Check(cmd::check::Args),
    /// Send raw outputs to a server
    Upload(cmd::upload::Args),
    /// Read stored raw outputs again, with the readers of this version
    Reparse(cmd::reparse::Args),
    /// Write the report of a study
    Report(cmd::report::Args),
    /// Freeze the report of a study as it is now, under a number of its own
    Publish(cmd::publish::Args),
    /// List the published versions of a study
    Versions(cmd::publish::ListArgs),
    /// Write a study as a folder that can be imported
    Export(cmd::export::Args),
    /// Make, list and revoke share links: reports for people without an account
    Share(cmd::share::Args),
    /// Make, list and revoke tokens: access for programs
    Token(cmd::token::Args),
}

#[derive(Clone, Copy, ValueEnum)]
enum LogFormat {
    /// For people
    Text,
    /// One object a line, for collectors
    Json,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    start_log(cli.log_format);
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("touchstone: cannot start: {error}");
            return ExitCode::FAILURE;
        }
    };
    let result = runtime.block_on(async {
        match cli.command {
            Command::Serve(args) => cmd::serve::run(args).await,
            Command::Demo(args) => cmd::demo::run(args).await,
            Command::Import(args) => cmd::import::run(args).await,
            Command::Check(args) => cmd::check::run(args).await,
            Command::Upload(args) => cmd::upload::run(args).await,
            Command::Reparse(args) => cmd::reparse::run(args).await,
            Command::Report(args) => cmd::report::run(args).await,
            Command::Publish(args) => cmd::publish::run(args).await,
            Command::Versions(args) => cmd::publish::list(args).await,
            Command::Export(args) => cmd::export::run(args).await,
            Command::Share(args) => cmd::share::run(args).await,
            Command::Token(args) => cmd::token::run(args).await,
        }
    });
    result.unwrap_or_else(|error| {
        eprintln!("touchstone: {error:#}");
        ExitCode::FAILURE
    })
}

fn start_log(format: LogFormat) {
    let filter = EnvFilter::try_from_env("TOUCHSTONE_LOG").unwrap_or_else(|_| EnvFilter::new("info,sqlx=warn"));
    let registry = tracing_subscriber::registry().with(filter);
    match format {
        // Colours are for a terminal; in a file and in a journal they are noise.
        LogFormat::Text => {
            let colours = std::io::stderr().is_terminal();
            registry.with(fmt::layer().with_writer(std::io::stderr).with_ansi(colours).with_target(false)).init();
        }
        LogFormat::Json => registry.with(fmt::layer().json().with_writer(std::io::stderr)).init(),
    }
}
