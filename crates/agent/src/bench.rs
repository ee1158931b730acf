//! The benchmark: run beside its server, ended with it, and read before it counts.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use domain::job::{Exit, FailureClass, classify};
use domain::parse;
use domain::plan::JobSpec;

use crate::engine::{Engine, Failed, not_started};
use crate::log;
use crate::process::{Group, Start};

const LOOK: Duration = Duration::from_millis(50);

/// What a benchmark left.
#[derive(Debug)]
pub(crate) struct Output {
    /// The raw output.
    pub file: PathBuf,
    /// What it is called.
    pub name: String,
    pub run_s: f64,
}

/// Runs a benchmark; `out` is its directory.
pub(crate) fn run(
    spec: &JobSpec,
    argv: &[String],
    engine: &mut Engine,
    out: &Path,
    mark: String,
    goes_on: &dyn Fn() -> bool,
) -> Result<Output, Failed> {
    let (said, errors) = (log_of(out), errors_of(out));
    let disk = |error: std::io::Error| not_started(argv, &error);
    let stdout = File::create(&said).map_err(disk)?;
    let stderr = File::create(&errors).map_err(disk)?;
    let grace = Duration::from_secs(5);
    let begun = Instant::now();
    let mut group = Group::start(Start { argv, env: Vec::new(), stdout, stderr, mark, grace }).map_err(|error| {
        let failed = not_started(argv, &error);
        // The engine is there; the tool that measures it is not.
        let class = if failed.class == FailureClass::MissingEngine { FailureClass::BenchFailed } else { failed.class };
        Failed { class, ..failed }
    })?;
    let patience = Duration::from_secs(u64::from(spec.method.run_timeout_s));
    let exit = loop {
        if let Some(exit) = group.ended() {
            break exit;
        }
        engine.check()?;
        if !goes_on() {
            return Err(Failed::of(FailureClass::Cancelled, "stopped while the benchmark ran"));
        }
        if begun.elapsed() >= patience {
            break Exit::TimedOut;
        }
        std::thread::sleep(LOOK);
    };
    group.stop();
    let run_s = begun.elapsed().as_secs_f64();
    if exit != Exit::Code(0) {
        // A benchmark fails when its server does; the server's end says more.
        engine.check()?;
        return Err(failed(exit, &said, &errors, spec));
    }
    // Where a server falls, the benchmark may count its failures and be content.
    engine.still_serves()?;
    let (file, name) = result(spec, out);
    readable(&file, &said, &errors)?;
    Ok(Output { file, name, run_s })
}

/// Where the benchmark's standard output goes.
pub(crate) fn log_of(out: &Path) -> PathBuf {
    out.with_extension("stdout")
}

/// Where its standard error goes, with the progress bar.
pub(crate) fn errors_of(out: &Path) -> PathBuf {
    out.with_extension("stderr")
}

fn failed(exit: Exit, said: &Path, errors: &Path, spec: &JobSpec) -> Failed {
    let mut lines = log::end(said);
    lines.extend(log::end(errors));
    let otherwise = if exit == Exit::TimedOut { FailureClass::Hang } else { FailureClass::BenchFailed };
    let class = match classify(exit, lines.iter().map(String::as_str), otherwise) {
        // The tool's own, or its words about the server: the server itself was there all the time.
        FailureClass::MissingEngine | FailureClass::PortInUse => FailureClass::BenchFailed,
        class => class,
    };
    let mut log = log::last(lines, log::TOLD);
    log.push(match exit {
        Exit::Code(code) => format!("the benchmark ended with status {code}"),
        Exit::Signal(signal) => format!("the benchmark was ended by signal {signal}"),
        Exit::TimedOut | Exit::NotStarted(_) => {
            format!("the benchmark had not ended after {} s", spec.method.run_timeout_s)
        }
    });
    Failed { class, log }
}

/// The file that the command writes; else the only one that it wrote; else what it printed.
fn result(spec: &JobSpec, out: &Path) -> (PathBuf, String) {
    let named = spec.result().map(|name| out.join(name)).filter(|path| path.is_file());
    let only = || {
        let files: Vec<PathBuf> = fs::read_dir(out)
            .ok()?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.is_file())
            .collect();
        match files.as_slice() {
            [only] => Some(only.clone()),
            _ => None,
        }
    };
    let file = named.or_else(only).unwrap_or_else(|| log_of(out));
    let extension = file.extension().map(|extension| extension.to_string_lossy().into_owned()).unwrap_or_default();
    let extension = if extension == "stdout" { "txt".to_owned() } else { extension };
    let name = format!("{}-{}-{}.{extension}", spec.key.variant, spec.key.profile, spec.key.repeat);
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._+-".contains(c) { c } else { '-' };
    (file, name.chars().map(plain).collect())
}

/// Whether a server will find a run in it.
fn readable(file: &Path, said: &Path, errors: &Path) -> Result<(), Failed> {
    let bytes = fs::read(file).map_err(|error| Failed::of(FailureClass::BenchFailed, error.to_string()))?;
    let why = match parse::parse(&bytes) {
        Ok(parsed) if !parsed.runs.is_empty() => return Ok(()),
        Ok(_) => "the output holds no result".to_owned(),
        Err(error) => format!("the output cannot be read: {error}"),
    };
    let mut lines = log::end(said);
    lines.extend(log::end(errors));
    let mut log = log::last(lines, log::TOLD);
    log.push(why);
    Err(Failed { class: FailureClass::BenchFailed, log })
}
