//! What the engines' flags and variables are called and what they do: one line each in both languages.
//!
//! The names are those of vLLM 0.10 to 0.33 (`engine/arg_utils.py`, `entrypoints/common/cli_args.py`), SGLang 0.5.6 to
//! 0.5.23 (`srt/server_args.py`, `srt/arg_groups/fields`) and TensorRT-LLM 1.2 (`commands/serve.py`); the explanations are
//! our own. Tables, one entry a line, four columns separated by tabs: names, kind, English, Japanese.
//!
//! - Names: the one that others are compared by comes first, then aliases. `~` marks a spelling that newer versions dropped
//!   or discourage, `!` one that means the opposite.
//! - Kind: `switch`, `value`, `list` (several words, or the flag several times), `json`. A `-` after it: the flag is gone or
//!   without effect in newer versions.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::Engine;
use crate::text::Lang;

const VLLM: &str = include_str!("../text/flags/vllm.tsv");
const SGLANG: &str = include_str!("../text/flags/sglang.tsv");
const TRTLLM: &str = include_str!("../text/flags/trtllm.tsv");
const VARIABLES: &str = include_str!("../text/flags/env.tsv");

/// What follows a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Nothing.
    Switch,
    /// One word.
    Value,
    /// Words up to the next flag.
    List,
    /// A JSON object; the order of its keys does not matter.
    Json,
}

/// A flag or a variable.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry {
    /// The spelling that others are compared by.
    pub name: &'static str,
    /// What follows it.
    pub kind: Kind,
    /// Gone or without effect in newer versions.
    pub retired: bool,
    en: &'static str,
    ja: &'static str,
}

impl Entry {
    /// What it does, in one line.
    #[must_use]
    pub fn text(&self, lang: Lang) -> &'static str {
        match lang {
            Lang::Ja => self.ja,
            Lang::En => self.en,
        }
    }
}

/// A flag that was found under one of its spellings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// What it is.
    pub entry: &'static Entry,
    /// The spelling switches it off.
    pub off: bool,
    /// Newer versions want another spelling.
    pub old_spelling: bool,
}

struct Table {
    entries: Vec<Entry>,
    /// Spelling → entry, off, old.
    names: HashMap<&'static str, (usize, bool, bool)>,
}

static TABLES: LazyLock<[Table; 4]> = LazyLock::new(|| [VLLM, SGLANG, TRTLLM, VARIABLES].map(read));

fn read(text: &'static str) -> Table {
    let mut table = Table { entries: Vec::new(), names: HashMap::new() };
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let mut columns = line.split('\t');
        let mut column = || columns.next().unwrap_or_default();
        let (names, kind, en, ja) = (column(), column(), column(), column());
        let retired = kind.ends_with('-');
        let kind = match kind.trim_end_matches('-') {
            "switch" => Kind::Switch,
            "list" => Kind::List,
            "json" => Kind::Json,
            // "value"; a test reads every line.
            _ => Kind::Value,
        };
        let at = table.entries.len();
        for spelling in names.split(' ') {
            let name = spelling.trim_start_matches(['~', '!']);
            let marks = &spelling[..spelling.len() - name.len()];
            table.names.insert(name, (at, marks.contains('!'), marks.contains('~')));
        }
        let name = names.split(' ').next().unwrap_or_default();
        table.entries.push(Entry { name, kind, retired, en, ja });
    }
    table
}

impl Table {
    fn find(&'static self, name: &str) -> Option<Found> {
        let &(at, off, old_spelling) = self.names.get(name)?;
        Some(Found { entry: &self.entries[at], off, old_spelling })
    }
}

fn table(engine: Engine) -> &'static Table {
    match engine {
        Engine::Vllm => &TABLES[0],
        Engine::Sglang => &TABLES[1],
        Engine::TrtLlm => &TABLES[2],
    }
}

/// The flag that an engine knows by this name, dashes for underscores. `--no-x` is `--x` switched off; `--x.key` is a key
/// of the JSON flag `--x`.
#[must_use]
pub fn flag(engine: Engine, name: &str) -> Option<Found> {
    let table = table(engine);
    if let Some(found) = table.find(name) {
        return Some(found);
    }
    if let Some(positive) = name.strip_prefix("--no-") {
        let found = table.find(&format!("--{positive}")).filter(|found| found.entry.kind == Kind::Switch)?;
        return Some(Found { off: !found.off, ..found });
    }
    let level = name.strip_prefix("-O").is_some_and(|level| level.len() == 1 && level.as_bytes()[0].is_ascii_digit());
    if engine == Engine::Vllm && level {
        return table.find("-O");
    }
    let (base, _) = name.split_once('.')?;
    table.find(base).filter(|found| found.entry.kind == Kind::Json)
}

/// The variable of this name.
#[must_use]
pub fn variable(name: &str) -> Option<&'static Entry> {
    TABLES[3].find(name).map(|found| found.entry)
}

/// Every flag of an engine, in the table's order.
#[must_use]
pub fn all(engine: Engine) -> &'static [Entry] {
    &table(engine).entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_tables_is_well_formed() {
        for (file, text) in [("vllm", VLLM), ("sglang", SGLANG), ("trtllm", TRTLLM), ("env", VARIABLES)] {
            let mut seen = HashMap::new();
            for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
                let number = at + 1;
                let columns: Vec<_> = line.split('\t').collect();
                assert_eq!(columns.len(), 4, "{file}:{number}: {line}");
                assert!(columns.iter().all(|column| !column.is_empty() && column.trim() == *column), "{file}:{number}");
                let kinds = ["switch", "value", "list", "json"];
                assert!(kinds.contains(&columns[1].trim_end_matches('-')), "{file}:{number}: {}", columns[1]);
                for spelling in columns[0].split(' ') {
                    let name = spelling.trim_start_matches(['~', '!']);
                    assert_eq!(name.starts_with('-'), file != "env", "{file}:{number}: {name}");
                    assert!(
                        !name.starts_with("--") || !name.contains('_'),
                        "{file}:{number}: {name} is written with dashes"
                    );
                    assert_eq!(seen.insert(name, number), None, "{file}:{number}: {name} is there twice");
                }
                assert!(!columns[0].starts_with(['~', '!']), "{file}:{number}: the first name is the current one");
                // A line beside an argument: short, a sentence in English, a phrase in Japanese.
                assert!(columns[2].is_ascii() && columns[2].ends_with('.'), "{file}:{number}: {}", columns[2]);
                assert!(columns[2].len() <= 160, "{file}:{number}: {} bytes", columns[2].len());
                assert!(!columns[3].is_ascii(), "{file}:{number}: {}", columns[3]);
                assert!(columns[3].chars().count() <= 80, "{file}:{number}: {}", columns[3]);
                assert!(
                    !columns[3].contains([',', '(', ';']) && !columns[3].ends_with(['.', '。']),
                    "{file}:{number}: Japanese punctuation: {}",
                    columns[3]
                );
            }
        }
    }

    #[test]
    fn the_tables_are_as_complete_as_promised() {
        for (engine, least) in [(Engine::Vllm, 220), (Engine::Sglang, 220), (Engine::TrtLlm, 30)] {
            assert!(all(engine).len() >= least, "{}: {}", engine.name(), all(engine).len());
        }
    }

    #[test]
    fn a_flag_is_found_under_all_of_its_spellings() {
        let name = |engine, name| flag(engine, name).map(|found| (found.entry.name, found.off, found.old_spelling));
        assert_eq!(name(Engine::Vllm, "-tp"), Some(("--tensor-parallel-size", false, false)));
        assert_eq!(name(Engine::Sglang, "--tp-size"), Some(("--tensor-parallel-size", false, false)));
        assert_eq!(name(Engine::TrtLlm, "--tp-size"), Some(("--tensor-parallel-size", false, false)));
        assert_eq!(name(Engine::Vllm, "--no-enable-prefix-caching"), Some(("--enable-prefix-caching", true, false)));
        assert_eq!(name(Engine::Vllm, "--disable-log-requests"), Some(("--enable-log-requests", true, true)));
        assert_eq!(name(Engine::Vllm, "--no-disable-log-requests"), Some(("--enable-log-requests", false, true)));
        assert_eq!(name(Engine::Vllm, "--compilation-config.mode"), Some(("--compilation-config", false, false)));
        assert_eq!(name(Engine::Vllm, "-O3"), Some(("--optimization-level", false, false)));
        assert_eq!(name(Engine::Sglang, "-O3"), None);
        assert_eq!(name(Engine::Vllm, "--no-max-model-len"), None, "only a switch can be switched off");
        assert_eq!(name(Engine::Vllm, "--no-such-flag"), None);
    }
}
