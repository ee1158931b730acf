//! `touchstone publish` and `touchstone versions`: reports that stay as they are.

use std::process::ExitCode;

use anyhow::bail;
use app::lang::Lang;
use app::routes::version_href;
use domain::id::StudySlug;
use domain::mask::mask_text;
use domain::text::phrase;
use domain::version::{MAX_REMARK, remark};
use store::Version;

use super::import::now_ms;
use super::output::print;
use super::report::study;
use crate::data::DataArgs;
use crate::export::version::{Outcome, publish};

/// Options of `publish`.
#[derive(clap::Args)]
#[command(after_help = "\
Freezes the report as it is now, in both languages and every form, under the next number. It stays byte for byte, whatever \
is measured, read again or written later. Where nothing has changed since the newest version, no other is made.")]
pub struct Args {
    /// The study's slug
    study: String,
    /// A line for the list of versions
    #[arg(long, default_value = "", hide_default_value = true)]
    remark: String,
    #[command(flatten)]
    data: DataArgs,
}

/// Options of `versions`.
#[derive(clap::Args)]
pub struct ListArgs {
    /// The study's slug
    study: String,
    #[command(flatten)]
    data: DataArgs,
}

/// Publishes. Never makes a database.
pub async fn run(args: Args) -> anyhow::Result<ExitCode> {
    let (remark, _) = mask_text(&remark(&args.remark));
    let characters = remark.chars().count();
    if characters > MAX_REMARK {
        bail!("the remark has {characters} characters; at most {MAX_REMARK} can be kept");
    }
    let store = args.data.open_existing().await?;
    let slug = StudySlug::new(args.study);
    study(&store, &slug).await?;
    let (version, head) = match publish(&store, &slug, None, &remark, now_ms).await? {
        Outcome::New(version) => {
            let head = format!("{slug}: version {} is published", version.number);
            (version, head)
        }
        Outcome::Same(version) => {
            let head = format!("{slug}: nothing has changed since version {}, so no other was made", version.number);
            (version, head)
        }
    };
    print(&format!("{head}\n{}", addresses(&slug, &version)))?;
    Ok(ExitCode::SUCCESS)
}

/// Lists the versions of a study, newest first.
pub async fn list(args: ListArgs) -> anyhow::Result<ExitCode> {
    let store = args.data.open_existing().await?;
    let slug = StudySlug::new(args.study);
    study(&store, &slug).await?;
    let versions = store.versions(&slug).await?;
    if versions.is_empty() {
        eprintln!("{slug} has no versions; `touchstone publish {slug}` makes one");
    }
    for version in versions {
        let at = phrase::instant(Lang::En, version.published_at);
        let by = version.author.as_deref().map(|author| format!(" by {author}")).unwrap_or_default();
        let remark = if version.remark.is_empty() { String::new() } else { format!(": {}", version.remark) };
        print(&format!("version {}, {at}{by}{remark}\n{}", version.number, addresses(&slug, &version)))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Where the HTML of each language is, and its SHA-256.
fn addresses(slug: &StudySlug, version: &Version) -> String {
    let of = |lang: Lang| {
        let file = version.file(Some(lang), "report.html")?;
        Some(format!("  {}  sha256:{}\n", version_href(lang, slug.as_str(), version.number), file.sha256))
    };
    Lang::ALL.into_iter().filter_map(of).collect()
}
