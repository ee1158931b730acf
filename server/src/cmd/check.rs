//! `touchstone check`: files on their own, offline: read, recomputed, judged.

use std::fs::File;
use std::io::{self, Read};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::ValueEnum;
use domain::check::{CheckedFile, check_stream};
use domain::text::checked_file;

use super::output::{Language, print};
use crate::folder::in_words;
use crate::spool::decompressed;

/// A file, or a result of one, could not be read.
const UNREADABLE: u8 = 1;
/// A run cannot be used for a recommendation.
const DISQUALIFIED: u8 = 2;

/// Options of `check`.
#[derive(clap::Args)]
#[command(after_help = "Exit code: 0 when all is usable, 1 when a file or a result in it cannot be read, 2 when all \
can be read but a run is disqualified.")]
pub struct Args {
    /// Raw outputs of benchmark tools; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// Shape of the answer
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Language of the text
    #[arg(long, value_enum, default_value = "en")]
    lang: Language,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// A list with one object a file
    Json,
}

/// Checks every file, whatever is found in the others.
pub async fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut checked: Vec<CheckedFile> = Vec::with_capacity(args.files.len());
    for file in &args.files {
        let file = check(file);
        // Each as soon as it is known: a long list is read for minutes.
        if matches!(args.format, Format::Text) {
            let between = if checked.is_empty() { "" } else { "\n" };
            print(&format!("{between}{}", checked_file(args.lang.into(), &file)))?;
        }
        checked.push(file);
    }
    match args.format {
        Format::Text => {}
        Format::Json => print(&(serde_json::to_string_pretty(&checked).context("cannot write JSON")? + "\n"))?,
    }
    Ok(if checked.iter().any(|file| file.error.is_some()) {
        ExitCode::from(UNREADABLE)
    } else if checked.iter().any(CheckedFile::disqualified) {
        ExitCode::from(DISQUALIFIED)
    } else {
        ExitCode::SUCCESS
    })
}

/// Reads as a stream: a report of hundreds of megabytes takes no more memory than a short one.
fn check(file: &str) -> CheckedFile {
    if file == "-" {
        return check_stream(file, &mut io::stdin().lock());
    }
    match open(file) {
        Ok(mut stream) => check_stream(file, &mut stream),
        Err(error) if error.kind() == io::ErrorKind::IsADirectory => CheckedFile::unreadable(
            file,
            "it is a folder; name the files in it, or load a study folder with `touchstone import`".to_owned(),
        ),
        Err(error) => CheckedFile::unreadable(file, in_words(&error)),
    }
}

/// Compressed files are read as `upload` reads them.
fn open(file: &str) -> io::Result<Box<dyn Read + Send>> {
    let stream = File::open(file)?;
    if stream.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    decompressed(file.to_owned(), Box::new(stream)).1
}
