//! A place to run the binary in, and what it answers.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

pub const STUDY: &str = "qwen3-14b-h100";
pub const OTHER: &str = "qwen3.5-9b-h100";

/// A data directory of its own, and a copy of the reference studies to spoil.
pub struct Desk {
    dir: TempDir,
}

impl Desk {
    pub fn new() -> Self {
        let desk = Self { dir: tempfile::tempdir().unwrap() };
        for slug in [STUDY, OTHER] {
            copy(&demo(slug), &desk.path(slug));
        }
        desk
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn run(&self, args: &[&str]) -> Answer {
        Answer::of(self.command(args).output().unwrap())
    }

    /// Nothing of the caller's own set-up may reach the tests, and theirs must not reach his data.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_touchstone"));
        command.args(args).current_dir(self.dir.path()).stdin(Stdio::null());
        for variable in ["TOUCHSTONE_DATA_DIR", "TOUCHSTONE_DATABASE_URL", "TOUCHSTONE_LOG", "TOUCHSTONE_LOG_FORMAT"] {
            command.env_remove(variable);
        }
        command
    }

    pub fn replace(&self, file: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.path(file)).unwrap();
        assert!(text.contains(from), "{file} has no {from}");
        fs::write(self.path(file), text.replacen(from, to, 1)).unwrap();
    }

    /// Everything stored, as a reader of reports sees it.
    pub fn stored(&self) -> Vec<String> {
        [STUDY, OTHER].map(|slug| self.run(&["report", slug, "--format", "json"]).stdout).into()
    }
}

pub struct Answer {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Answer {
    pub fn of(output: Output) -> Self {
        Self {
            code: output.status.code().expect("it was not killed"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    #[track_caller]
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        self
    }
}

pub fn demo(slug: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("demo").join(slug)
}

pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::write(to, fs::read(entry.path()).unwrap()).unwrap();
        }
    }
}
