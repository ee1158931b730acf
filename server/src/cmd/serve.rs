//! `touchstone serve`

use std::{net::SocketAddr, process::ExitCode, sync::Arc};

use anyhow::Context as _;

use crate::{data::DataArgs, web};

/// Options of `serve`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    web: WebArgs,
}

/// Where the site is reached; `demo` has the same.
#[derive(clap::Args)]
pub struct WebArgs {
    /// Address to listen on
    #[arg(long, default_value = "127.0.0.1:3000", env = "TOUCHSTONE_ADDR")]
    pub addr: SocketAddr,
    /// Address that readers use, like https://bench.example.com, when it differs (behind a proxy)
    #[arg(long, value_name = "URL", value_parser = public_url, env = "TOUCHSTONE_PUBLIC_URL")]
    pub public_url: Option<Arc<str>>,
}

/// Serves until told to stop.
pub async fn run(args: Args) -> anyhow::Result<ExitCode> {
    web::require_site()?;
    let store = args.data.open().await?;
    let spool = args.data.spool().context("the directory for uploads cannot be made")?;
    web::serve(store, spool, args.web).await?;
    Ok(ExitCode::SUCCESS)
}

fn public_url(url: &str) -> Result<Arc<str>, String> {
    let url = url.trim_end_matches('/');
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")).unwrap_or_default();
    if rest.is_empty() || rest.contains(['/', '?', '#', '"', '<', '>', ' ']) {
        return Err("expected scheme and host only, like https://bench.example.com".into());
    }
    Ok(url.into())
}
