//! `touchstone report`: the report of a stored study, to a file or standard output.

use std::fs;
use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, anyhow, bail};
use clap::ValueEnum;
use domain::id::StudySlug;
use domain::report::table::Kind;
use domain::study::{LIMITS_SENT, Limits, Study};
use domain::text::Lang;
use store::{Audience, Store, StoreError, StoredStudy};

use super::output::{Language, print_bytes};
use crate::data::DataArgs;
use crate::export::{self, Form, version};
use crate::pdf::Printer;

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
    /// Table of the report that CSV holds
    #[arg(long, value_enum, default_value = "runs")]
    table: Table,
    /// Limit in place of the study's, such as chat:ttft_p99_ms=2000; may be given several times
    #[arg(long, value_name = "PROFILE:METRIC=VALUE")]
    slo: Vec<String>,
    /// Published version, as it was frozen, instead of the report as it is now
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    version: Option<u32>,
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
    /// Everything in one file, for people who have nothing but a browser
    Html,
    /// The same, printed; needs a Chromium on this machine
    Pdf,
    /// One of its tables, for spreadsheets
    Csv,
    /// All of its tables, for spreadsheets
    Xlsx,
    /// The report model, for programs
    Json,
    /// A shell script that measures again what the report compares
    Sh,
}

#[derive(Clone, Copy, ValueEnum)]
enum Table {
    /// Baseline beside recommended
    Conclusion,
    /// The option table
    Options,
    /// A row a run
    Runs,
    /// A row a finding
    Findings,
}

impl From<Table> for Kind {
    fn from(table: Table) -> Self {
        match table {
            Table::Conclusion => Self::Conclusion,
            Table::Options => Self::Options,
            Table::Runs => Self::Runs,
            Table::Findings => Self::Findings,
        }
    }
}

/// Builds the report from what is stored now, or gives a version as it was frozen. Never makes a database.
pub async fn run(args: Args) -> anyhow::Result<ExitCode> {
    if args.version.is_some() && !args.slo.is_empty() {
        bail!("a published version stays as it is, so --slo cannot be applied to it; leave out --version or --slo");
    }
    let store = args.data.open_existing().await?;
    let slug = StudySlug::new(args.study);
    let stored = study(&store, &slug).await?;
    let (form, prints) = match args.format {
        Format::Md => (Form::Markdown, false),
        Format::Html => (Form::Html, false),
        Format::Pdf => (Form::Html, true),
        Format::Csv => (Form::Csv(args.table.into()), false),
        Format::Xlsx => (Form::Xlsx, false),
        Format::Json => (Form::Json, false),
        Format::Sh => (Form::Reproduce, false),
    };
    if args.output.is_none() && (prints || form == Form::Xlsx) && io::stdout().is_terminal() {
        bail!("this format is no text; name a file with --output FILE");
    }
    let mut bytes = match args.version {
        Some(number) => frozen(&store, &slug, number, form, args.lang.into()).await?,
        None => {
            let limits = limits(&stored.data.study, &args.slo)?;
            export::write(export::live(&store, stored, limits).await?, form, args.lang.into())?
        }
    };
    if prints {
        let help = "`--format html` writes a file that any browser prints";
        bytes = Printer::find().print(bytes).await.map_err(|error| anyhow!("{error}. {help}"))?;
    }
    match args.output {
        Some(file) => fs::write(&file, bytes).with_context(|| format!("cannot write {}", file.display()))?,
        None => print_bytes(&bytes)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// A file of a version, or which versions there are.
async fn frozen(store: &Store, slug: &StudySlug, number: u32, form: Form, lang: Lang) -> anyhow::Result<Vec<u8>> {
    let (of, name) = (version::lang_of(form, lang), version::file_name(form));
    match store.version_file(slug, number, Audience::All, of, name).await {
        Ok((_, bytes)) => Ok(bytes),
        Err(StoreError::NotFound { .. }) => {
            let mut numbers: Vec<_> = store.versions(slug).await?.iter().map(|one| one.number.to_string()).collect();
            numbers.reverse();
            if numbers.is_empty() {
                bail!("{slug} has no versions; `touchstone publish {slug}` makes one");
            }
            bail!("{slug} has no version {number}; published are: {}", numbers.join(", "))
        }
        Err(error) => Err(error.into()),
    }
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

/// A stored study, or what can be named instead.
pub(super) async fn study(store: &Store, slug: &StudySlug) -> anyhow::Result<StoredStudy> {
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
