//! `touchstone import`: study folders into the store, each whole or not at all.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use domain::id::StudySlug;
use domain::study::Located;
use store::{ImportKind, Imported, Store};

use super::output::print;
use crate::data::DataArgs;
use crate::folder::{self, Folder};

/// Options of `import`.
#[derive(clap::Args)]
#[command(after_help = "\
A study folder holds a study.toml and the raw outputs that it names. Each folder is stored whole or not at all. One that \
cannot be read is reported with file and line, the others are stored all the same, and the exit code is 1. The same \
folder again changes nothing; an edited one replaces what it brought before. Secrets are masked before anything is stored, each with \
a line on standard error.")]
pub struct Args {
    /// Study folders
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    #[command(flatten)]
    data: DataArgs,
}

/// Imports folder after folder. The store is opened (and made) only when there is something to put into it.
pub async fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut store = None;
    let mut seen = BTreeMap::<StudySlug, PathBuf>::new();
    let mut failed = false;
    for dir in &args.folders {
        let read = folder::read(dir).and_then(|folder| once(&mut seen, dir, folder));
        let Folder { folder, mut raw } = match read {
            Ok(folder) => folder,
            Err(error) => {
                eprintln!("{}: {error}", dir.display());
                failed = true;
                continue;
            }
        };
        let said = |file: &str, line: Option<usize>, what: &str| {
            let line = line.map(|line| format!(", line {line}")).unwrap_or_default();
            eprintln!("{}: {file}{line}: {what}", dir.display());
        };
        for Located { file, line, about } in &folder.masked {
            said(file, *line, &format!("masked: {about}"));
        }
        for Located { file, line, about } in &folder.warnings {
            said(file, *line, &format!("warning: {about}"));
        }
        let store: &Store = match &store {
            Some(store) => store,
            // Without a store no folder can be imported: the first refusal ends the command.
            None => store.insert(args.data.open().await?),
        };
        match store.import_packed(&folder, &mut raw, now_ms()).await {
            Ok(imported) => print(&line(&imported))?,
            Err(error) => {
                eprintln!("{}: {error}", dir.display());
                failed = true;
            }
        }
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Milliseconds since 1970 UTC.
pub fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Two folders of one study would replace one another: the last would silently win.
fn once(seen: &mut BTreeMap<StudySlug, PathBuf>, dir: &Path, folder: Folder) -> Result<Folder, String> {
    let slug = &folder.folder.data.study.slug;
    match seen.insert(slug.clone(), dir.to_owned()) {
        Some(first) => Err(format!("study \"{slug}\" is in {} as well; import one of them", first.display())),
        None => Ok(folder),
    }
}

fn line(imported: &Imported) -> String {
    let Imported { slug, kind, added, removed, kept } = imported;
    let runs = |count: usize| if count == 1 { "1 run".to_owned() } else { format!("{count} runs") };
    match kind {
        ImportKind::New => format!("{slug}: new, {} added\n", runs(*added)),
        ImportKind::Unchanged => format!("{slug}: unchanged, {}\n", runs(*kept)),
        ImportKind::Updated => format!("{slug}: updated, {} added, {kept} kept, {removed} removed\n", runs(*added)),
    }
}
