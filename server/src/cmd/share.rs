//! `touchstone share`: links that show a report to people without an account.

use std::process::ExitCode;

use anyhow::{Context as _, bail};
use app::lang::Lang;
use clap::Subcommand;
use domain::id::StudySlug;
use domain::share::{DAY_MS, LIFE, MAX_LABEL, Scope, label};
use domain::text::phrase;
use domain::text::shares::{scope, state};
use store::{NewShare, Share};

use super::import::now_ms;
use super::output::print;
use super::report::study;
use crate::data::DataArgs;
use crate::web::shares::{secret, view};

/// Options of `share`.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Make a link and print it; it cannot be printed again
    Create {
        /// The study's slug
        study: String,
        /// A published version instead of the report as it moves on
        #[arg(long, value_name = "N")]
        version: Option<u32>,
        /// How long it opens something, in days, like 30d, or "never"
        #[arg(long, value_parser = life, value_name = "DAYS")]
        expires: Option<Life>,
        /// Show host names, addresses, user names and paths too, and the raw outputs
        #[arg(long)]
        plain: bool,
        /// Let search engines list it
        #[arg(long)]
        public: bool,
        /// Whom it is for: shown in the list alone
        #[arg(long, default_value = "", hide_default_value = true)]
        label: String,
        /// Address of the server as readers use it
        #[arg(long, default_value = "http://127.0.0.1:3000", value_name = "URL")]
        url: String,
        #[command(flatten)]
        data: DataArgs,
    },
    /// List links: first digits, study, what they open, state, views
    List {
        /// Of one study
        study: Option<String>,
        #[command(flatten)]
        data: DataArgs,
    },
    /// Revoke a link, at once and for good
    Revoke {
        /// Its first digits, as `list` prints them
        link: String,
        #[command(flatten)]
        data: DataArgs,
    },
}

/// Days; none is for ever.
#[derive(Clone, Copy)]
struct Life(Option<i64>);

/// Makes, lists or revokes. Never makes a database.
pub async fn run(args: Args) -> anyhow::Result<ExitCode> {
    match args.action {
        Action::Create { study: slug, version, expires, plain, public, label: text, url, data } => {
            let label = label(&text);
            if label.chars().count() > MAX_LABEL {
                bail!("the label has {} characters; at most {MAX_LABEL} can be kept", label.chars().count());
            }
            let store = data.open_existing().await?;
            let slug = StudySlug::new(slug);
            study(&store, &slug).await?;
            let scope = version.map_or(Scope::Study, Scope::Version);
            if !matches!(view::is_there(&store, &slug, &scope).await, Ok(true)) {
                bail!("{slug} has no such version; `touchstone versions {slug}` lists them");
            }
            let now = now_ms();
            let Life(days) = expires.unwrap_or(Life(Some(i64::from(LIFE))));
            let (secret, hash) = secret::make()?;
            let share = NewShare {
                hash,
                study: slug,
                scope,
                redacted: !plain,
                indexed: public,
                label,
                author: None,
                created_at: now,
                expires_at: days.map(|days| now + days * DAY_MS),
            };
            store.create_share(&share).await.context("the link was not kept")?;
            print(&format!("{}/s/{secret}\n", url.trim_end_matches('/')))?;
            eprintln!("This is the only time that the link is shown.");
        }
        Action::List { study: of, data } => {
            let store = data.open_existing().await?;
            let shares = match of {
                Some(slug) => store.shares(&study(&store, &StudySlug::new(slug)).await?.data.study.slug).await?,
                None => store.all_shares().await?,
            };
            let now = now_ms();
            let lines: Vec<String> = shares.iter().map(|share| line(share, now)).collect();
            print(&lines.concat())?;
        }
        Action::Revoke { link, data } => {
            let revoked = data.open_existing().await?.revoke_share(None, link.trim_end_matches('…'), now_ms()).await?;
            print(&format!("{}…: revoked\n", revoked.id()))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn line(share: &Share, now_ms: i64) -> String {
    let made = &share.made;
    let shows = if made.redacted { "redacted" } else { "plain" };
    let public = if made.indexed { ", public" } else { "" };
    let until = made
        .expires_at
        .map_or_else(|| "never expires".to_owned(), |at| format!("until {}", phrase::instant(Lang::En, at)));
    format!(
        "{}…\t{}\t{}\t{shows}{public}\t{}, {until}\t{} views\t{}\n",
        share.id(),
        made.study,
        scope(Lang::En, &made.scope),
        state(Lang::En, share.state(now_ms)),
        share.views,
        made.label
    )
}

fn life(text: &str) -> Result<Life, String> {
    if text == "never" {
        return Ok(Life(None));
    }
    let days = text.strip_suffix('d').unwrap_or(text).parse::<i64>().ok();
    let days = days.filter(|days| (1..=36_500).contains(days));
    days.map(|days| Life(Some(days))).ok_or_else(|| "expected a number of days, like 30d, or \"never\"".to_owned())
}
