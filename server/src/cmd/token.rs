//! `touchstone token`: access for programs.

use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::{Subcommand, ValueEnum};
use domain::digest::Digest;
use store::{Scope, Token};

use super::import::now_ms;
use super::output::print;
use crate::data::DataArgs;

/// So that a leaked token is recognised for what it is.
const PREFIX: &str = "tst_";
/// Enough to tell tokens apart by eye: 32 bits of 256 stay known.
const SHOWN: usize = PREFIX.len() + 8;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Options of `token`.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Make a token and print it; it cannot be printed again
    Create {
        /// Whose it is: one for each agent
        #[arg(long)]
        name: String,
        /// What it allows
        #[arg(long, value_enum, default_value = "upload")]
        scope: ScopeArg,
        /// How long it opens, in days, like 90d; for ever when left out
        #[arg(long, value_parser = days, value_name = "DAYS")]
        expires: Option<i64>,
        #[command(flatten)]
        data: DataArgs,
    },
    /// List tokens: name, first characters, scope, state
    List {
        #[command(flatten)]
        data: DataArgs,
    },
    /// Revoke a token, at once and for good
    Revoke {
        /// Its name, or its first characters as `list` prints them
        token: String,
        #[command(flatten)]
        data: DataArgs,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum ScopeArg {
    /// Read studies, runs and raw outputs
    Read,
    /// Send uploads
    Upload,
    /// Take jobs and upload what they give
    Agent,
    /// Everything
    Admin,
}

impl From<ScopeArg> for Scope {
    fn from(scope: ScopeArg) -> Self {
        match scope {
            ScopeArg::Read => Self::Read,
            ScopeArg::Upload => Self::Upload,
            ScopeArg::Agent => Self::Agent,
            ScopeArg::Admin => Self::Admin,
        }
    }
}

/// Makes, lists or revokes.
pub async fn run(args: Args) -> anyhow::Result<ExitCode> {
    match args.action {
        Action::Create { name, scope, expires, data } => {
            let (secret, token) = make(&name, scope.into(), expires, now_ms())?;
            data.open().await?.create_token(&token).await?;
            print(&format!("{secret}\n"))?;
            eprintln!("This is the only time that the token \"{name}\" is shown.");
        }
        Action::List { data } => {
            let now = now_ms();
            let tokens = data.open_existing().await?.tokens().await?;
            let lines: Vec<String> = tokens.iter().map(|token| line(token, now)).collect();
            print(&lines.concat())?;
        }
        Action::Revoke { token, data } => {
            let revoked = data.open_existing().await?.revoke_token(&token, now_ms()).await?;
            print(&format!("{}: revoked\n", revoked.name))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A new token and what is kept of it.
pub fn make(name: &str, scope: Scope, days: Option<i64>, now_ms: i64) -> anyhow::Result<(String, Token)> {
    if name.trim().is_empty() || name.chars().count() > 100 || name.chars().any(char::is_control) {
        bail!("a token's name is one line of at most 100 characters");
    }
    let mut random = [0; 32];
    getrandom::fill(&mut random).context("the system gives no random bits")?;
    let digits: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    let secret = format!("{PREFIX}{digits}");
    let token = Token {
        hash: Digest::of(secret.as_bytes()),
        name: name.to_owned(),
        prefix: secret[..SHOWN].to_owned(),
        scope,
        created_at: now_ms,
        expires_at: days.map(|days| now_ms + days * DAY_MS),
        revoked_at: None,
        last_used_at: None,
    };
    Ok((secret, token))
}

fn line(token: &Token, now_ms: i64) -> String {
    let days = |ms: i64| match ms / DAY_MS {
        0 => "today".to_owned(),
        1 => "1 day ago".to_owned(),
        days => format!("{days} days ago"),
    };
    let state = match (token.revoked_at, token.expires_at) {
        (Some(at), _) => format!("revoked {}", days(now_ms - at)),
        (None, Some(at)) if at <= now_ms => format!("expired {}", days(now_ms - at)),
        (None, Some(at)) => format!("valid, {} days left", (at - now_ms) / DAY_MS),
        (None, None) => "valid".to_owned(),
    };
    let used = token.last_used_at.map_or_else(|| "never used".to_owned(), |at| format!("used {}", days(now_ms - at)));
    format!("{}\t{}…\t{}\t{state}\t{used}\n", token.name, token.prefix, token.scope.key())
}

fn days(text: &str) -> Result<i64, String> {
    let days = text.strip_suffix('d').unwrap_or(text).parse::<i64>().ok();
    days.filter(|days| (1..=36_500).contains(days)).ok_or_else(|| "expected a number of days, like 90d".to_owned())
}
