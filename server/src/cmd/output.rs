//! Answers of commands: their language, and standard output.

use std::io::{self, Write as _};

use anyhow::Context as _;
use clap::ValueEnum;
use domain::text::Lang;

/// `--lang`.
#[derive(Clone, Copy, ValueEnum)]
pub enum Language {
    /// 日本語
    Ja,
    /// English
    En,
}

impl From<Language> for Lang {
    fn from(language: Language) -> Self {
        match language {
            Language::Ja => Self::Ja,
            Language::En => Self::En,
        }
    }
}

/// Prints `text` as it is. A reader that has seen enough (`| head`) is no failure.
pub fn print(text: &str) -> anyhow::Result<()> {
    print_bytes(text.as_bytes())
}

/// The same for what may be no text.
pub fn print_bytes(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error).context("cannot write the answer"),
        Ok(()) | Err(_) => Ok(()),
    }
}
