//! `touchstone export`: a stored study as a folder that `import` reads again.

use std::env;
use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::process::ExitCode;

use domain::id::StudySlug;
use indicatif::{ProgressBar, ProgressStyle};

use super::output::print;
use super::report::study;
use crate::data::DataArgs;
use crate::export::folder;

/// Options of `export`.
#[derive(clap::Args)]
#[command(after_help = "\
Writes study.toml and the raw outputs that it names. Importing the folder into an empty store gives the same report. The \
folder is written beside its place and moved there when it is whole. With --force the study's files replace those of the \
same names in a folder that is there; other files stay.")]
pub struct Args {
    /// The study's slug
    study: String,
    /// Folder to write; made where it is missing
    dir: PathBuf,
    /// Write into a folder that is not empty
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    data: DataArgs,
}

/// Writes the folder. Never makes a database.
pub async fn run(args: Args) -> anyhow::Result<ExitCode> {
    let store = args.data.open_existing().await?;
    let slug = StudySlug::new(args.study);
    let stored = study(&store, &slug).await?;
    let spool = env::temp_dir();
    let digests: std::collections::BTreeSet<_> = stored.data.runs.iter().map(|run| &run.digest).collect();
    let bar = bar(2 * digests.len() as u64);
    let plan = folder::plan(&store, &slug, &spool, || bar.inc(1)).await?;
    folder::write(&store, &plan, &args.dir, args.force, &spool, || bar.inc(1)).await?;
    bar.finish_and_clear();
    for file in &plan.read_otherwise {
        eprintln!(
            "{slug}: this version reads {file} differently from what is stored; `touchstone reparse {slug}` first gives a \
             folder with the same report"
        );
    }
    let files = plan.folder.files.len();
    let files = if files == 1 { "1 raw output".to_owned() } else { format!("{files} raw outputs") };
    print(&format!("{slug}: study.toml and {files} in {}\n", args.dir.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// For people who watch; long raw outputs take a while.
fn bar(steps: u64) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{wide_bar} {pos} of {len}").expect("the template is right");
    ProgressBar::new(steps).with_style(style)
}
