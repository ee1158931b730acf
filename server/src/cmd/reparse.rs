//! `touchstone reparse`: newer readers over raw outputs that are stored.

mod changes;
#[cfg(test)]
mod requests;

use std::collections::BTreeMap;
use std::env;
use std::fmt;
use std::process::ExitCode;

use anyhow::Context as _;
use domain::digest::Digest;
use domain::id::{RunId, StudySlug};
use domain::parse::{self, ParseError, Parsed};
use domain::run::{Measurement, Run, same_run};
use serde::Serialize;
use store::{Form, Reparsed, Store};

use self::changes::{Change, changes};
use super::import::now_ms;
use super::output::print;
use crate::data::DataArgs;

/// Runs of each kind that are shown to people; programs get all.
const SHOWN: usize = 10;

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum Format {
    /// For people
    Text,
    /// A list of studies, for programs
    Json,
}

/// Options of `reparse`.
#[derive(clap::Args)]
#[command(after_help = "\
Reads every raw output of a study again, as this version reads it, and stores what differs, a study whole or not at all. A \
raw output that cannot be read, or of which fewer results can be, keeps the runs that were read from it before; it is \
named, and the exit code is 1. What changed is listed figure by figure, for the first ten runs; --format json lists all of \
it.")]
pub struct Args {
    /// Studies; all of them when none is named
    #[arg(value_name = "STUDY")]
    studies: Vec<String>,
    /// Say what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Shape of what is said
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
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
    let mut outcomes = Vec::new();
    for slug in studies {
        match study(&store, &slug, args.dry_run).await {
            Ok(outcome) => {
                failed |= outcome.unread > 0;
                match args.format {
                    Format::Text => print(&outcome.told())?,
                    Format::Json => outcomes.push(outcome),
                }
            }
            Err(error) => {
                eprintln!("{slug}: {error:#}");
                failed = true;
            }
        }
    }
    if args.format == Format::Json {
        print(&(serde_json::to_string_pretty(&outcomes)? + "\n"))?;
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// What became of a study.
#[derive(Debug, Serialize)]
struct Outcome {
    study: StudySlug,
    /// Nothing was changed: it is what would be.
    dry_run: bool,
    added: Vec<Place>,
    changed: Vec<Changed>,
    gone: Vec<Place>,
    unchanged: usize,
    /// Raw outputs that could not be read.
    unread: usize,
}

/// A run, and where it was read.
#[derive(Debug, Serialize)]
struct Place {
    run: RunId,
    file: String,
    /// The place among the results of the file, from 1, as people count.
    result: u32,
}

#[derive(Debug, Serialize)]
struct Changed {
    #[serde(flatten)]
    place: Place,
    changes: Vec<Change>,
}

async fn study(store: &Store, slug: &StudySlug, dry_run: bool) -> anyhow::Result<Outcome> {
    let stored = store.study(slug).await?;
    let files: BTreeMap<&Digest, &str> = stored.data.runs.iter().map(|run| (&run.digest, run.file.as_str())).collect();
    let mut read = BTreeMap::<Digest, Vec<Measurement>>::new();
    let mut unread = 0;
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
                    unread += 1;
                } else {
                    read.insert((*digest).clone(), runs);
                }
            }
            Err(error) => {
                eprintln!("{slug}: {file} ({}) cannot be read, its runs stay as they are: {error:#}", digest.short());
                unread += 1;
            }
        }
    }
    complete(store, slug, &stored.data.runs, &mut read).await?;
    let Reparsed { added, changed, gone, unchanged } = store.reparse(slug, &read, dry_run, now_ms()).await?;
    // A run that is gone was there before; one that was added is there now, unless nothing was changed.
    let after = if dry_run { Vec::new() } else { store.study(slug).await?.data.runs };
    let known: BTreeMap<&RunId, &Run> = after.iter().chain(&stored.data.runs).map(|run| (&run.id, run)).collect();
    let places = |ids: Vec<RunId>| ids.into_iter().map(|id| place(&known, id)).collect();
    let changed = changed.into_iter().map(|id| {
        let now = known.get(&id).and_then(|run| read.get(&run.digest)?.get(run.index as usize));
        let was = stored.data.runs.iter().find(|run| run.id == id);
        let changes = was.zip(now).map(|(was, now)| changes(&was.measurement, now)).unwrap_or_default();
        Changed { place: place(&known, id), changes }
    });
    let changed = changed.collect();
    Ok(Outcome { study: slug.clone(), dry_run, added: places(added), changed, gone: places(gone), unchanged, unread })
}

/// A run that a dry run would add is known by its id alone.
fn place(known: &BTreeMap<&RunId, &Run>, run: RunId) -> Place {
    let (file, result) = known.get(&run).map(|run| (run.file.clone(), run.index + 1)).unwrap_or_default();
    Place { run, file, result }
}

/// A run whose raw output does not list its requests has those of another form of it, as when it was sent.
async fn complete(
    store: &Store,
    slug: &StudySlug,
    stored: &[Run],
    read: &mut BTreeMap<Digest, Vec<Measurement>>,
) -> anyhow::Result<()> {
    let mut others = BTreeMap::<Digest, Option<Vec<Measurement>>>::new();
    for Form { run, digest, index, file } in store.forms(slug).await? {
        let Some(run) = stored.iter().find(|stored| stored.id == run) else { continue };
        let now = read.get_mut(&run.digest).and_then(|runs| runs.get_mut(run.index as usize));
        let Some(now) = now.filter(|now| now.requests.is_none()) else { continue };
        if !others.contains_key(&digest) {
            let parsed = raw(store, &digest).await;
            if let Err(error) = &parsed {
                eprintln!(
                    "{slug}: {file} ({}) cannot be read, its requests stay as they are: {error:#}",
                    digest.short()
                );
            }
            others.insert(digest.clone(), parsed.ok().map(|parsed| parsed.runs));
        }
        now.requests = match others.get(&digest).and_then(Option::as_ref) {
            Some(runs) => {
                let other = runs.get(index as usize).filter(|other| same_run(now, other));
                other.and_then(|other| other.requests.clone())
            }
            None => run.measurement.requests.clone(),
        };
    }
    Ok(())
}

async fn raw(store: &Store, digest: &Digest) -> anyhow::Result<Parsed> {
    let mut packed = store.raw_packed(digest, &env::temp_dir()).await?;
    let parsed = tokio::task::spawn_blocking(move || match packed.reader() {
        Ok(mut reader) => parse::read(&mut reader),
        Err(error) => Err(ParseError::Source { reason: error.to_string() }),
    });
    Ok(parsed.await.context("reading ended early")??)
}

impl Outcome {
    fn told(&self) -> String {
        let Self { study, dry_run, added, changed, gone, unchanged, .. } = self;
        let would = if *dry_run { "would be: " } else { "" };
        let counts = (added.len(), changed.len(), gone.len());
        let mut text = format!(
            "{study}: {would}{} added, {} changed, {} gone, {unchanged} unchanged\n",
            counts.0, counts.1, counts.2
        );
        let more = |count: usize, kind: &str| match count.saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!("  … and {more} more {kind}\n"),
        };
        for (kind, places) in [("added", added), ("gone", gone)] {
            text.extend(places.iter().take(SHOWN).map(|place| format!("  {kind} {place}\n")));
            text += &more(places.len(), kind);
        }
        for Changed { place, changes } in changed.iter().take(SHOWN) {
            text += &format!("  changed {place}\n");
            text.extend(changes.iter().map(|change| format!("    {change}\n")));
        }
        text + &more(changed.len(), "changed")
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { run, file, result } = self;
        write!(f, "{run}")?;
        if *result > 0 { write!(f, " ({file}, result {result})") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use domain::metrics::Stat;
    use domain::units::{Ms, TokPerSec};
    use store::{Location, Packed, Upload, UploadedFile};

    use super::*;

    fn block(seed: usize) -> String {
        format!(
            "============ Serving Benchmark Result ============\nSuccessful requests: 1000\n\
             Benchmark duration (s): {}.25\nTotal input tokens: 200000\nTotal generated tokens: 100000\n\
             Total Token throughput (tok/s): 1500.50\nMean TTFT (ms): 31.25\nP99 TTFT (ms): 90.00\n\
             ==================================================\n",
            200 + seed
        )
    }

    #[tokio::test]
    async fn what_an_older_reader_saw_differently_is_listed_figure_by_figure() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&Location::DataDir(dir.path().to_owned())).await.unwrap();
        let envelope = serde_json::json!({ "study": "s", "variant": "v", "profile": "p" });
        let envelope = serde_json::from_value(envelope).unwrap();
        let upload = Upload { id: "u".into(), envelope, token: None, document: "{}".into(), started_at: None };
        let text: String = (0..12).map(block).collect();
        let mut runs = parse::parse(text.as_bytes()).unwrap().runs;
        for run in &mut runs {
            run.metrics.total_token_throughput = TokPerSec::new(1400.0);
            run.metrics.ttft.remove(&Stat::P99);
            run.metrics.ttft.insert(Stat::Min, Ms::new(1.5).unwrap());
            run.metrics.failed_requests = Some(3);
        }
        let raw = Packed::pack(&mut text.as_bytes(), dir.path()).unwrap();
        let file = UploadedFile { name: "old.log".into(), raw, runs, answers: None };
        store.upload(&Arc::new(upload), file, now_ms()).await.unwrap();

        let slug = StudySlug::new("s");
        let dry = study(&store, &slug, true).await.unwrap();
        let told = dry.told();
        assert!(told.starts_with("s: would be: 0 added, 12 changed, 0 gone, 0 unchanged\n"), "{told}");
        let first = "(old.log, result 1)\n    failed_requests 3 → nothing\n    \
                     total_token_throughput 1400.0 → 1500.5 tok/s\n    ttft_ms.min 1.5 → nothing ms\n    \
                     ttft_ms.p99 nothing → 90.0 ms\n";
        assert!(told.contains(first), "{told}");
        assert_eq!(told.matches("  changed ").count(), SHOWN);
        assert!(told.ends_with("  … and 2 more changed\n"), "{told}");
        let json = serde_json::to_value(&dry).unwrap();
        assert_eq!(json["changed"].as_array().unwrap().len(), 12);
        let figure = &json["changed"][0]["changes"][1];
        let expected = serde_json::json!({
            "figure": "total_token_throughput", "unit": "tok/s", "was": 1400.0, "now": 1500.5,
        });
        assert_eq!((figure, &json["changed"][0]["file"]), (&expected, &serde_json::json!("old.log")));

        let done = study(&store, &slug, false).await.unwrap();
        assert_eq!((done.changed.len(), &done.changed[0].changes), (12, &dry.changed[0].changes));
        let again = study(&store, &slug, false).await.unwrap().told();
        assert_eq!(again, "s: 0 added, 0 changed, 0 gone, 12 unchanged\n");
    }
}
