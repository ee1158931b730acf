//! `touchstone upload`: raw outputs to a server.

mod described;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use clap::ValueEnum;
use domain::upload::{Envelope, file_name};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Map, Value, json};
use tempfile::NamedTempFile;

use super::output::print;
use crate::client::{Answer, Client, Failure, Problem, Source, Watch};
use crate::folder::in_words;

/// A file was not taken, though the upload got through.
const REJECTED: u8 = 3;
/// What a broken connection makes us send again, at most, besides the file that it broke in.
const BATCH_BYTES: u64 = 16 * 1024 * 1024;
/// Files of one request. A request costs some milliseconds, a file that is sent again as much.
const BATCH_FILES: usize = 10;

/// Options of `upload`.
#[derive(clap::Args)]
#[command(after_help = "\
The study, the step, the variant and the profile are made when they are not there. What the outputs do not say of engine, \
model and GPU stays unknown until --engine, --arg, --model and --gpu say it: without an engine the report has no command for \
the variant. What is there already stays as it is. Secrets in the files, arguments and environment are masked before they are stored, and \
each is listed. Sending the same files again changes nothing: after a failure, run the same command again. It asks the \
server what is stored and sends the rest.

What no option says can be given with --envelope: the JSON of POST /api/v1/uploads without files, where a profile has its \
data set, lengths and limits, and names come in two languages. Options go before what is in it.

Exit code: 0 when all is stored (or was already), 1 when nothing more could be sent (the server cannot be reached, or \
refuses the upload), 2 when the command line is wrong, 3 when the server rejects a file.")]
#[command(group(clap::ArgGroup::new("described").args(["engine", "envelope"]).multiple(true)))]
pub struct Args {
    /// Raw outputs of benchmark tools; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// The study's slug
    #[arg(long, value_name = "SLUG", required_unless_present = "envelope")]
    study: Option<String>,
    /// Title of a new study, where it is not its slug
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// The variant that was under test
    #[arg(long, value_name = "ID", required_unless_present = "envelope")]
    variant: Option<String>,
    /// The profile that it was under
    #[arg(long, value_name = "ID", required_unless_present = "envelope")]
    profile: Option<String>,
    /// The step that the variant belongs to
    #[arg(long, value_name = "ID")]
    step: Option<String>,
    /// Engine of the variant, like vLLM
    #[arg(long, value_name = "NAME")]
    engine: Option<String>,
    /// Version of the engine
    #[arg(long, value_name = "VERSION", requires = "described")]
    engine_version: Option<String>,
    /// Model, as the engine loads it
    #[arg(long, value_name = "ID")]
    model: Option<String>,
    /// An argument of the engine; once for each, in order, like --arg=--max-num-seqs --arg=512
    #[arg(long = "arg", value_name = "ARG", requires = "described", allow_hyphen_values = true)]
    args: Vec<String>,
    /// A variable in the engine's environment
    #[arg(long, value_name = "NAME=VALUE", requires = "described", value_parser = variable)]
    env: Vec<(String, String)>,
    /// The GPU, as its tool names it
    #[arg(long, value_name = "NAME")]
    gpu: Option<String>,
    /// How many GPUs the variant ran on
    #[arg(long, value_name = "N")]
    gpus: Option<u32>,
    /// Id of the server start that the runs belong to
    #[arg(long, value_name = "ID")]
    start: Option<String>,
    /// When the runs started, like 2026-11-28T09:30:00+09:00
    #[arg(long, value_name = "TIME")]
    started_at: Option<String>,
    /// When they finished
    #[arg(long, value_name = "TIME")]
    finished_at: Option<String>,
    /// The command that started the server, as run
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    serve_command: Option<String>,
    /// The command that ran the benchmark, as run
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    bench_command: Option<String>,
    /// JSON that says all this and more about the files; options go before it
    #[arg(long, value_name = "FILE")]
    envelope: Option<PathBuf>,
    /// The server
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:3000", env = "TOUCHSTONE_SERVER")]
    server: String,
    /// A token of the server that may upload; better given in the environment, where other users do not see it
    #[arg(long, value_name = "TOKEN", env = "TOUCHSTONE_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// File with certificates (PEM) to trust instead of the public ones
    #[arg(long, value_name = "FILE", env = "TOUCHSTONE_CA_CERT")]
    ca_cert: Option<PathBuf>,
    /// How often to try again when the network or the server fails
    #[arg(long, value_name = "N", default_value_t = 6)]
    retries: u32,
    /// Shape of the answer
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// The server's answer, or its problem document
    Json,
}

/// Sends the files, some at a time, and says what became of them.
pub async fn run(args: Args) -> anyhow::Result<ExitCode> {
    // One request after the other: nothing else waits for this thread.
    tokio::task::spawn_blocking(move || send(args)).await?
}

fn send(args: Args) -> anyhow::Result<ExitCode> {
    let token = args.token.as_deref().map(str::trim).filter(|token| !token.is_empty()).context(
        "a token is needed: `touchstone token create` on the server makes one; give it as TOUCHSTONE_TOKEN or --token",
    )?;
    let envelope = described::envelope(&args)?;
    let (files, _spooled) = sources(&args.files)?;
    let client =
        Client::new(&args.server, token, args.ca_cert.as_deref(), args.retries).map_err(|error| anyhow!(error))?;
    if args.server.starts_with("http://") && !is_local(&args.server) {
        eprintln!("touchstone: warning: {} is not encrypted; the token can be read on the way", args.server);
    }
    let mut progress = Progress::new(&files);
    let Delivered { answer, there, failure } = deliver(&client, &envelope, &files, &mut progress)?;
    progress.bar.finish_and_clear();
    if there > 0 {
        // On standard error, beside whatever shape the answer has.
        eprintln!("already stored: {there} {}", if there == 1 { "file" } else { "files" });
    }
    if let Some(failure) = failure {
        return failed(&args, &answer, failure);
    }
    match args.format {
        Format::Text => told(&args.server, &answer)?,
        Format::Json => print(&(serde_json::to_string_pretty(&answer)? + "\n"))?,
    }
    Ok(if answer.rejections.is_empty() && answer.rejected == 0 { ExitCode::SUCCESS } else { ExitCode::from(REJECTED) })
}

/// What became of the files.
pub struct Delivered {
    /// To all that got through, now or before.
    pub answer: Answer,
    /// Files that the server had before they were sent.
    pub there: usize,
    /// Why it ended before the last file.
    pub failure: Option<Failure>,
}

/// Sends the files batch by batch, except for the batches that the server has.
pub fn deliver(
    client: &Client,
    envelope: &Envelope,
    files: &[Source],
    progress: &mut Progress,
) -> anyhow::Result<Delivered> {
    let mut delivered = Delivered { answer: Answer::default(), there: 0, failure: None };
    for batch in batches(files) {
        let stored = client.stored(envelope, batch, progress);
        progress.looked();
        if let Some(stored) = stored {
            progress.skip(batch.iter().map(|file| file.size).sum());
            delivered.there += batch.len();
            delivered.answer.add(stored);
            continue;
        }
        match client.upload(envelope, batch, progress) {
            Ok(next) => delivered.answer.add(next),
            // Nothing of this batch can be read; that of others may be.
            Err(Failure::Refused(problem)) if problem.more.contains_key("rejections") => {
                let next = serde_json::from_value(Value::Object(problem.more)).context("the answer cannot be read")?;
                delivered.answer.add(next);
            }
            Err(failure) => {
                delivered.failure = Some(failure);
                break;
            }
        }
        progress.done();
    }
    Ok(delivered)
}

fn failed(args: &Args, stored: &Answer, failure: Failure) -> anyhow::Result<ExitCode> {
    if stored.accepted > 0 {
        let runs = runs(stored.accepted);
        eprintln!("touchstone: {runs} of earlier files are stored; the same command again sends the rest");
    }
    match failure {
        Failure::Unreached(reason) => {
            if args.format == Format::Json {
                let problem = json!({ "title": "the upload did not get through", "detail": reason });
                print(&(serde_json::to_string_pretty(&problem)? + "\n"))?;
            }
            bail!(reason)
        }
        Failure::Refused(problem) => {
            if args.format == Format::Json {
                print(&(serde_json::to_string_pretty(&problem)? + "\n"))?;
            }
            bail!("{}", sentence(&problem))
        }
    }
}

/// A problem document in one line.
fn sentence(problem: &Problem) -> String {
    let mut text = format!("the server refuses the upload ({}): ", problem.status);
    text += if problem.detail.is_empty() { &problem.title } else { &problem.detail };
    for (key, before) in [("file", "file"), ("line", "line"), ("path", "at"), ("expected", "expected")] {
        match problem.more.get(key) {
            Some(Value::String(value)) => text += &format!("; {before} {value}"),
            Some(Value::Number(value)) => text += &format!("; {before} {value}"),
            _ => {}
        }
    }
    match problem.status {
        401 => text += "; see `touchstone token list` on the server",
        413 => text += "; send fewer or smaller files at once",
        _ => {}
    }
    text
}

/// What became of the files, for people: what needs their eyes on standard error.
fn told(server: &str, answer: &Answer) -> anyhow::Result<()> {
    let said = |of: &Map<String, Value>, key: &str| match of.get(key) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    let place = |of: &Map<String, Value>| {
        let line = said(of, "line");
        let line = if line.is_empty() { line } else { format!(", line {line}") };
        format!("{}{line}", said(of, "file"))
    };
    for masked in &answer.masked {
        eprintln!("{}: masked: {}", place(masked), said(masked, "what"));
    }
    for warning in &answer.warnings {
        let place = place(warning);
        let place = if place.is_empty() { answer.study.clone() } else { place };
        eprintln!("{place}: warning: {}", said(warning, "message"));
    }
    for rejection in &answer.rejections {
        eprintln!("{}: rejected: {}", place(rejection), said(rejection, "reason"));
    }
    let mut text = String::new();
    let server = server.trim_end_matches('/');
    for run in &answer.runs {
        text += &format!(
            "{}: {} / {}: {server}{}\n",
            said(run, "file"),
            said(run, "variant"),
            said(run, "profile"),
            said(run, "url")
        );
    }
    text += &format!("{}: {} stored, {} rejected\n", answer.study, runs(answer.accepted), answer.rejected);
    print(&text)
}

fn runs(count: u64) -> String {
    if count == 1 { "1 run".to_owned() } else { format!("{count} runs") }
}

/// The files under names that tell them apart. Standard input is kept in a file, to be sent again.
fn sources(files: &[String]) -> anyhow::Result<(Vec<Source>, Vec<NamedTempFile>)> {
    let mut spooled = Vec::new();
    let mut sources = Vec::with_capacity(files.len());
    let mut names = BTreeSet::new();
    for file in files {
        let (path, base) = if file == "-" {
            let mut copy = NamedTempFile::new().context("standard input cannot be kept")?;
            io::copy(&mut io::stdin().lock(), &mut copy).context("standard input cannot be read")?;
            let path = copy.path().to_owned();
            spooled.push(copy);
            (path, "standard-input.txt".to_owned())
        } else {
            let path = PathBuf::from(file);
            let base = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            (path, base)
        };
        let size = size(&path).map_err(|reason| anyhow!("{file}: {reason}"))?;
        // Two folders' `result.json` keep their folders.
        let name = if names.contains(&base) { file.trim_start_matches("./").to_owned() } else { base };
        file_name("file", &name).map_err(|refusal| anyhow!("{file}: {refusal}"))?;
        if !names.insert(name.clone()) {
            bail!("{file}: it is named twice");
        }
        sources.push(Source { name, path, size });
    }
    Ok((sources, spooled))
}

fn size(path: &Path) -> Result<u64, String> {
    let facts = fs::metadata(path).map_err(|error| in_words(&error))?;
    match facts {
        facts if facts.is_dir() => Err("it is a folder; `touchstone import` loads study folders".to_owned()),
        facts if !facts.is_file() => Err("it is not a regular file".to_owned()),
        facts => Ok(facts.len()),
    }
}

/// Files that go together, in their order.
fn batches(mut files: &[Source]) -> Vec<&[Source]> {
    let mut batches = Vec::new();
    while !files.is_empty() {
        let mut bytes = 0;
        let fit = files.iter().take(BATCH_FILES).take_while(|file| {
            bytes += file.size;
            bytes <= BATCH_BYTES
        });
        let (batch, rest) = files.split_at(fit.count().max(1));
        batches.push(batch);
        files = rest;
    }
    batches
}

fn is_local(server: &str) -> bool {
    let host = server.trim_start_matches("http://");
    let host = host.split(['/', '?']).next().unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    matches!(name, "localhost" | "[::1]") || name.starts_with("127.")
}

fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("expected NAME=VALUE".to_owned()),
    }
}

/// A bar on a terminal; nothing where there is none.
pub struct Progress {
    bar: ProgressBar,
    /// Of the batches that are through.
    before: u64,
    /// Of the batch on its way.
    now: u64,
}

const CHECKING: &str = "checking";
const SENDING: &str = "sending";

impl Progress {
    /// Nothing is there yet.
    pub fn new(files: &[Source]) -> Self {
        let bar = ProgressBar::new(files.iter().map(|file| file.size).sum());
        let style =
            ProgressStyle::with_template("{msg} {wide_bar} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left");
        bar.set_style(style.expect("the template is of this page").progress_chars("##-"));
        Self { bar, before: 0, now: 0 }
    }

    /// The batch was compared with what the server has.
    fn looked(&mut self) {
        self.now = 0;
        self.bar.set_position(self.before);
        self.bar.set_message(SENDING);
    }

    /// The server has the batch.
    fn skip(&mut self, bytes: u64) {
        self.before += bytes;
        self.bar.set_position(self.before);
    }

    fn done(&mut self) {
        self.before += self.now;
        self.now = 0;
    }
}

impl Watch for Progress {
    fn checked(&mut self, bytes: u64) {
        self.bar.set_message(CHECKING);
        self.sent(bytes);
    }

    fn sent(&mut self, bytes: u64) {
        self.now += bytes;
        self.bar.set_position(self.before + self.now);
    }

    fn again(&mut self, reason: &str, wait: Duration) {
        self.now = 0;
        self.bar.set_position(self.before);
        self.bar.suspend(|| eprintln!("touchstone: {reason}; trying again in {:.1} s", wait.as_secs_f64()));
    }
}
