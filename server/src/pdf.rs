//! PDF: a report in one file, printed by a Chromium where this machine has one.
//!
//! The browser gets a file of ours without a script, no network, and so much time; it is ended with all that it started.
//! What it needs on the disk is taken away, however it ends.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, Signal, geteuid, kill_process_group};
use thiserror::Error;
use tokio::process::Command;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// Names of the browser, as distributions have them.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/// Names the program instead of what is found.
const VARIABLE: &str = "TOUCHSTONE_CHROMIUM";
/// A report of a hundred runs takes two seconds on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// A browser takes a core and some hundred megabytes, so they print one after another, and few wait.
const AT_ONCE: usize = 1;
const WAITING: usize = 4;

/// Why there is no PDF.
#[derive(Debug, Error)]
pub enum PdfError {
    /// No browser on this machine.
    #[error("there is no Chromium on this machine ({}); {VARIABLE} names one that lies elsewhere", NAMES.join(", "))]
    Missing,
    /// Enough others wait.
    #[error("several PDFs are being printed; try again in a moment")]
    Busy,
    /// It took too long.
    #[error("printing took longer than {} s", PATIENCE.as_secs())]
    Slow,
    /// It failed.
    #[error("Chromium could not print: {0}")]
    Failed(String),
}

/// The way to a browser. Clones share their turns.
#[derive(Debug, Clone)]
pub struct Printer {
    program: Option<PathBuf>,
    turns: Arc<Semaphore>,
    places: Arc<Semaphore>,
}

impl Printer {
    /// Looks for a browser, once.
    pub fn find() -> Self {
        let named = env::var_os(VARIABLE).filter(|named| !named.is_empty());
        Self::with(match named {
            Some(named) => Some(PathBuf::from(named)).filter(|program| is_program(program)),
            None => on_path(env::var_os("PATH")),
        })
    }

    /// With this browser, or none.
    pub fn with(program: Option<PathBuf>) -> Self {
        let (turns, places) = (Semaphore::new(AT_ONCE), Semaphore::new(AT_ONCE + WAITING));
        Self { program, turns: Arc::new(turns), places: Arc::new(places) }
    }

    /// Whether there is one.
    pub fn is_there(&self) -> bool {
        self.program.is_some()
    }

    /// Prints a report in one file.
    pub async fn print(&self, html: Vec<u8>) -> Result<Vec<u8>, PdfError> {
        let program = self.program.as_deref().ok_or(PdfError::Missing)?;
        let _place = self.places.try_acquire().map_err(|_| PdfError::Busy)?;
        let _turn = self.turns.acquire().await.map_err(|_| PdfError::Busy)?;
        print(program, html, PATIENCE).await
    }
}

fn on_path(path: Option<OsString>) -> Option<PathBuf> {
    let path = path?;
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    NAMES.into_iter().find_map(|name| folders.iter().map(|folder| folder.join(name)).find(|file| is_program(file)))
}

fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(file).is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
}

async fn print(program: &Path, html: Vec<u8>, patience: Duration) -> Result<Vec<u8>, PdfError> {
    let failed = |what: &str, error: std::io::Error| PdfError::Failed(format!("{what}: {error}"));
    let dir = tempfile::Builder::new().prefix("touchstone-pdf-").tempdir().map_err(|e| failed("no folder", e))?;
    let (source, target) = (dir.path().join("report.html"), dir.path().join("report.pdf"));
    tokio::fs::write(&source, html).await.map_err(|error| failed("the report cannot be written", error))?;
    let mut command = Command::new(program);
    command
        .args([
            "--headless",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--no-default-browser-check",
        ])
        .args([
            "--disable-extensions",
            "--disable-sync",
            "--disable-component-update",
            "--disable-background-networking",
        ])
        .args(["--disable-breakpad", "--disable-crash-reporter", "--no-pdf-header-footer"])
        // No name leads anywhere, and every connection goes to a port where nobody listens.
        .args([
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--proxy-server=127.0.0.1:9",
            "--proxy-bypass-list=<-loopback>",
        ])
        .arg(joined("--user-data-dir=", &dir.path().join("profile")))
        .arg(joined("--print-to-pdf=", &target));
    // Chromium's own sandbox does not work for root. What is shown is a file of ours without a script, and people's
    // words in it are escaped, so there is no code that it would hold.
    if geteuid().is_root() {
        command.arg("--no-sandbox");
    }
    let mut child = command
        .arg(joined("file://", &source))
        // Its settings and caches stay in the folder, too.
        .env("HOME", dir.path())
        .env("XDG_CONFIG_HOME", dir.path())
        .env("XDG_CACHE_HOME", dir.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| failed("it cannot be started", error))?;
    // The group is ended even where this is given up while it waits.
    let group = Group::of(&child);
    let ended = timeout(patience, child.wait()).await;
    drop(group);
    match ended {
        Err(_) => {
            // The browser is gone; its last writes must not meet the folder that is taken away.
            child.wait().await.ok();
            Err(PdfError::Slow)
        }
        Ok(Err(error)) => Err(failed("its end was not seen", error)),
        Ok(Ok(status)) => match tokio::fs::read(&target).await {
            Ok(pdf) if pdf.starts_with(b"%PDF-") => Ok(pdf),
            Ok(_) | Err(_) => Err(PdfError::Failed(format!("it ended with {status} and wrote no PDF"))),
        },
    }
}

fn joined(flag: &str, path: &Path) -> OsString {
    let mut joined = OsString::from(flag);
    joined.push(path);
    joined
}

/// A process and all that it started.
struct Group(Option<Pid>);

impl Group {
    fn of(child: &tokio::process::Child) -> Self {
        Self(child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(leader) = self.0 {
            // Nobody is left, then.
            kill_process_group(leader, Signal::KILL).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::time::Instant;

    use super::*;

    fn program(dir: &Path, name: &str, text: &str) -> PathBuf {
        let file = dir.join(name);
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        file
    }

    /// Writes what it is told to print to, and where it was told to keep its things.
    const PRINTS: &str = "#!/bin/sh
for arg; do case $arg in --print-to-pdf=*) printf '%%PDF-1.4' >\"${arg#*=}\";; esac; done
pwd -P >/dev/null; printf '%s\\n' \"$HOME\" >\"$0.home\"
";

    #[tokio::test]
    async fn a_browser_prints_and_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let chromium = program(dir.path(), "chromium", PRINTS);
        let pdf = Printer::with(Some(chromium)).print(b"<p>".to_vec()).await.unwrap();
        assert_eq!(pdf, b"%PDF-1.4");
        let home = fs::read_to_string(dir.path().join("chromium.home")).unwrap();
        assert!(home.contains("touchstone-pdf-") && !Path::new(home.trim()).exists(), "{home}");
    }

    #[tokio::test]
    async fn a_browser_that_hangs_is_ended_with_all_that_it_started() {
        let dir = tempfile::tempdir().unwrap();
        let text = "#!/bin/sh\nsleep 300 &\nprintf '%s' \"$!\" >\"$0.pid\"\nwait\n";
        let chromium = program(dir.path(), "chromium", text);
        let begun = Instant::now();
        let error = print(&chromium, Vec::new(), Duration::from_millis(500)).await.unwrap_err();
        assert!(matches!(error, PdfError::Slow), "{error}");
        assert!(begun.elapsed() < Duration::from_secs(30));
        let pid = fs::read_to_string(dir.path().join("chromium.pid")).unwrap();
        let gone = || {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            stat.is_empty() || stat.contains(") Z ")
        };
        for _ in 0..100 {
            if gone() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("process {pid} lives on");
    }

    #[tokio::test]
    async fn one_prints_few_wait_and_others_are_told_so() {
        let dir = tempfile::tempdir().unwrap();
        let text = PRINTS.replace("pwd -P >/dev/null;", "sleep 1;");
        let printer = Printer::with(Some(program(dir.path(), "chromium", &text)));
        let asked: Vec<_> = (0..AT_ONCE + WAITING + 3)
            .map(|_| {
                let printer = printer.clone();
                tokio::spawn(async move { printer.print(Vec::new()).await })
            })
            .collect();
        let mut all = Vec::new();
        for asked in asked {
            all.push(asked.await.unwrap());
        }
        let busy = all.iter().filter(|one| matches!(one, Err(PdfError::Busy))).count();
        assert_eq!((busy, all.iter().filter(|one| one.is_ok()).count()), (3, AT_ONCE + WAITING));
    }

    #[tokio::test]
    async fn what_is_no_browser_is_an_error_in_words() {
        let dir = tempfile::tempdir().unwrap();
        let none = Printer::with(None).print(Vec::new()).await.unwrap_err();
        assert!(none.to_string().contains("there is no Chromium"), "{none}");
        let useless = program(dir.path(), "useless", "#!/bin/sh\nexit 3\n");
        let error = Printer::with(Some(useless)).print(Vec::new()).await.unwrap_err();
        assert!(error.to_string().contains("exit status: 3"), "{error}");
    }

    #[test]
    fn a_browser_is_found_by_its_names_in_the_order_of_the_path() {
        let dir = tempfile::tempdir().unwrap();
        let path = |text: &str| Some(OsString::from(text));
        assert_eq!(on_path(None), None);
        assert_eq!(on_path(path(dir.path().to_str().unwrap())), None);
        fs::write(dir.path().join("chromium"), "no program").unwrap();
        let chrome = program(dir.path(), "google-chrome", "#!/bin/sh\n");
        assert_eq!(on_path(path(&format!("/nowhere:{}", dir.path().display()))), Some(chrome));
    }
}
