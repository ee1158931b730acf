//! `touchstone report`: the report of a stored study, to a file or standard output.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, anyhow, bail};
use clap::ValueEnum;
use domain::id::StudySlug;
use domain::report::{self, markdown::markdown};
use domain::study::{LIMITS_SENT, Limits, Study};
use store::{Store, StoreError, StoredStudy};

use super::output::{Language, print};
use crate::data::DataArgs;

/// Options of `report`.
#[derive(clap::Args)]
pub struct Args {
    /// The study's slug
    study: String,
    /// Language of the text; JSON holds both
    #[arg(long, value_enum, default_value = "en")]
    lang: Language,
    /// Shape of the report
    #[arg(long, value_enum, default_value = "md")]
    format: Format,
    /// Limit in place of the study's, such as chat:ttft_p99_ms=2000; may be given several times
    #[arg(long, value_name = "PROFILE:METRIC=VALUE")]
    slo: Vec<String>,
    /// File to write instead of standard output
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    data: DataArgs,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// Markdown, for people
    Md,
    /// The report model, for programs
    Json,
}

/// Builds the report from what is stored now. Never makes a database.
pub async fn run(args: Args) -> anyhow::Result<ExitCode> {
    let store = args.data.open_existing().await?;
    let stored = study(&store, &StudySlug::new(args.study)).await?;
    let mut report = match limits(&stored.data.study, &args.slo)? {
        Some(limits) => report::build_under(&stored.data, limits),
        None => report::build(&stored.data),
    };
    let others = store.same_question(&stored.data.study).await?;
    report.rivals = report::beside(&stored.data, &report, &others);
    let text = match args.format {
        Format::Md => markdown(&report, args.lang.into()),
        Format::Json => serde_json::to_string_pretty(&report).context("the report cannot be written as JSON")? + "\n",
    };
    match args.output {
        Some(file) => fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?,
        None => print(&text)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The limits of the command line; none where it has none.
fn limits(study: &Study, given: &[String]) -> anyhow::Result<Option<Limits>> {
    let fields = given.iter().map(|slo| {
        let (place, value) =
            slo.split_once('=').with_context(|| format!("--slo {slo}: PROFILE:METRIC=VALUE is expected"))?;
        Ok((format!("{LIMITS_SENT}:{place}"), value.to_owned()))
    });
    let fields: Vec<(String, String)> = fields.collect::<anyhow::Result<_>>()?;
    let Some(asked) = Limits::read(study, &fields) else { return Ok(None) };
    if let Some(refused) = asked.refused.first() {
        let profiles: Vec<&str> = study.profiles.iter().map(|profile| profile.id.as_str()).collect();
        let place = refused.field.strip_prefix(LIMITS_SENT).unwrap_or_default().trim_start_matches(':');
        bail!(
            "--slo {place}={}: a profile ({}), a metric such as ttft_p99_ms and a number above 0 are expected",
            refused.text,
            profiles.join(", ")
        );
    }
    Ok(Some(asked.limits))
}

async fn study(store: &Store, slug: &StudySlug) -> anyhow::Result<StoredStudy> {
    match store.study(slug).await {
        Err(error @ StoreError::NotFound { .. }) => {
            let mut slugs: Vec<_> = store.heads().await?.into_iter().map(|head| head.slug.to_string()).collect();
            if slugs.is_empty() {
                bail!("{error}; nothing is: `touchstone import DIR` stores a study folder");
            }
            slugs.sort();
            Err(anyhow!("{error}; stored are: {}", slugs.join(", ")))
        }
        other => Ok(other?),
    }
}
