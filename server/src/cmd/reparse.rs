//! `touchstone reparse`: newer readers over raw outputs that are stored.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::process::ExitCode;

use anyhow::Context as _;
use domain::digest::Digest;
use domain::id::{RunId, StudySlug};
use domain::parse::{self, ParseError, Parsed};
use domain::run::Measurement;
use store::{Reparsed, Store};

use super::import::now_ms;
use super::output::print;
use crate::data::DataArgs;

/// Options of `reparse`.
#[derive(clap::Args)]
#[command(after_help = "\
Reads every raw output of a study again, as this version reads it, and stores what differs, a study whole or not at all. A \
raw output that cannot be read, or of which fewer results can be, keeps the runs that were read from it before; it is \
named, and the exit code is 1.")]
pub struct Args {
    /// Studies; all of them when none is named
    #[arg(value_name = "STUDY")]
    studies: Vec<String>,
    /// Say what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    data: DataArgs,
}

/// Goes through study after study.
pub async fn run(args: Args) -> anyhow::Result<ExitCode> {
    let store = args.data.open_existing().await?;
    let studies: Vec<StudySlug> = if args.studies.is_empty() {
        let mut slugs: Vec<_> = store.heads().await?.into_iter().map(|head| head.slug).collect();
        slugs.sort();
        slugs
    } else {
        args.studies.iter().map(StudySlug::new).collect()
    };
    let mut failed = false;
    for slug in studies {
        match study(&store, &slug, args.dry_run).await {
            Ok(Outcome { text, unread }) => {
                print(&text)?;
                failed |= unread;
            }
            Err(error) => {
                eprintln!("{slug}: {error:#}");
                failed = true;
            }
        }
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

struct Outcome {
    text: String,
    /// A raw output could not be read.
    unread: bool,
}

async fn study(store: &Store, slug: &StudySlug, dry_run: bool) -> anyhow::Result<Outcome> {
    let stored = store.study(slug).await?;
    let files: BTreeMap<&Digest, &str> = stored.data.runs.iter().map(|run| (&run.digest, run.file.as_str())).collect();
    let mut read = BTreeMap::<Digest, Vec<Measurement>>::new();
    let mut unread = false;
    for (digest, file) in &files {
        match raw(store, digest).await {
            Ok(Parsed { runs, rejected, .. }) => {
                for error in &rejected {
                    eprintln!("{slug}: {file} ({}): a result cannot be read: {error}", digest.short());
                }
                // A run is known by its place among what is read: where fewer results are read than before, nobody knows
                // which are missing.
                let known = stored.data.runs.iter().filter(|run| run.digest == **digest).map(|run| run.index).max();
                let fewer = known.is_some_and(|last| runs.len() <= last as usize);
                if fewer && !rejected.is_empty() {
                    eprintln!("{slug}: {file} ({}) stays as it is", digest.short());
                    unread = true;
                } else {
                    read.insert((*digest).clone(), runs);
                }
            }
            Err(error) => {
                eprintln!("{slug}: {file} ({}) cannot be read, its runs stay as they are: {error:#}", digest.short());
                unread = true;
            }
        }
    }
    let reparsed = store.reparse(slug, &read, dry_run, now_ms()).await?;
    // A run that was added has the file of those beside it.
    let after = if dry_run { stored.data } else { store.study(slug).await?.data };
    let names: BTreeMap<&RunId, String> =
        after.runs.iter().map(|run| (&run.id, format!("{}, result {}", run.file, run.index + 1))).collect();
    Ok(Outcome { text: told(slug, &reparsed, &names, dry_run), unread })
}

async fn raw(store: &Store, digest: &Digest) -> anyhow::Result<Parsed> {
    let mut packed = store.raw_packed(digest, &env::temp_dir()).await?;
    let parsed = tokio::task::spawn_blocking(move || match packed.reader() {
        Ok(mut reader) => parse::read(&mut reader),
        Err(error) => Err(ParseError::Source { reason: error.to_string() }),
    });
    Ok(parsed.await.context("reading ended early")??)
}

fn told(slug: &StudySlug, reparsed: &Reparsed, names: &BTreeMap<&RunId, String>, dry_run: bool) -> String {
    let Reparsed { added, changed, gone, unchanged } = reparsed;
    let would = if dry_run { "would be: " } else { "" };
    let counts = (added.len(), changed.len(), gone.len());
    let mut text =
        format!("{slug}: {would}{} added, {} changed, {} gone, {unchanged} unchanged\n", counts.0, counts.1, counts.2);
    let kinds = [("added", added), ("changed", changed), ("gone", gone)];
    let ids: BTreeSet<(&str, &RunId)> = kinds.iter().flat_map(|(kind, ids)| ids.iter().map(|id| (*kind, id))).collect();
    for (kind, id) in ids {
        let name = names.get(id).map(|name| format!(" ({name})")).unwrap_or_default();
        text += &format!("  {kind} {id}{name}\n");
    }
    text
}
