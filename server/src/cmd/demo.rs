//! `touchstone demo`: the site with the two reference studies, which travel inside the binary.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, anyhow};
use domain::study::{MANIFEST, StudyFolder, load};
use rust_embed::Embed;

use super::import::now_ms;
use super::serve::WebArgs;
use crate::{data::DataArgs, web};

#[derive(Embed)]
#[folder = "demo"]
#[include = "*/study.toml"]
#[include = "*/runs/*"]
struct Studies;

/// Options of `demo`.
#[derive(clap::Args)]
pub struct Args {
    // Not those of `serve`, nor their variables in the environment: trying the demo must never put its studies among
    // somebody's own.
    /// Directory with the demo's database; made when missing, never the one that `serve` uses by itself
    #[arg(long, value_name = "DIR", default_value = "./demo-data")]
    data_dir: PathBuf,
    /// PostgreSQL database instead of a directory, like postgres://user@host/name
    #[arg(long, value_name = "URL")]
    database_url: Option<String>,
    #[command(flatten)]
    web: WebArgs,
}

/// Loads the reference studies (again, when they are there already: that changes nothing) and serves.
pub async fn run(args: Args) -> anyhow::Result<ExitCode> {
    web::require_site()?;
    let data = DataArgs { data_dir: args.data_dir, database_url: args.database_url };
    let store = data.open().await?;
    for folder in studies()? {
        store.import(&folder, now_ms()).await?;
    }
    let spool = data.spool().context("the directory for uploads cannot be made")?;
    web::serve(store, spool, args.web).await?;
    Ok(ExitCode::SUCCESS)
}

fn studies() -> anyhow::Result<Vec<StudyFolder>> {
    let slugs: BTreeSet<String> =
        Studies::iter().filter_map(|path| path.split_once('/').map(|(slug, _)| slug.to_owned())).collect();
    slugs.iter().map(|slug| study(slug).with_context(|| format!("the embedded study {slug} cannot be read"))).collect()
}

fn study(slug: &str) -> anyhow::Result<StudyFolder> {
    let file = |name: &str| Studies::get(&format!("{slug}/{name}")).map(|file| file.data.into_owned());
    let manifest = file(MANIFEST).ok_or_else(|| anyhow!("{MANIFEST} is missing"))?;
    let read = |name: &str| file(name).ok_or_else(|| "there is no such file".to_owned());
    Ok(load(&String::from_utf8(manifest)?, read)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_reference_studies_travel_inside() {
        let found: Vec<_> = studies()
            .unwrap()
            .iter()
            .map(|folder| (folder.data.study.slug.to_string(), folder.data.runs.len()))
            .collect();
        assert_eq!(found, [("qwen3-14b-h100".to_owned(), 15), ("qwen3.5-9b-h100".to_owned(), 22)]);
    }
}
