//! A study as a folder again: `study.toml` and raw outputs that an import into an empty store reads as the same study.
//!
//! Invariant: whatever a raw output was called, its path stays inside the folder.

use std::collections::{BTreeMap, BTreeSet};

use super::{MANIFEST, RunEntry, StudyData, parse_manifest, write_manifest};
use crate::digest::Digest;
use crate::run::Run;

/// A file name that every system and every archive program takes, with room for a number in front.
const MAX_NAME: usize = 100;
/// Where raw outputs lie in a folder.
const RUNS: &str = "runs/";

/// What a raw output holds, as this version reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holding {
    /// Results that can be read.
    pub results: usize,
    /// Whether others cannot.
    pub rejected: bool,
}

/// A study folder that is to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// `study.toml`.
    pub manifest: String,
    /// Raw outputs, in the order in which the manifest names them first.
    pub files: Vec<ExportedFile>,
}

/// A raw output in the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedFile {
    /// Relative, with `/`, inside the folder.
    pub path: String,
    /// What it holds.
    pub digest: Digest,
}

/// Plans the folder of a study. `received` is the `study.toml` that it came with; where that still says all there is, it is
/// given back as it was, comments and all. `holding` says what a raw output holds, where it can be read.
pub fn export(data: &StudyData, received: &str, holding: impl Fn(&Digest) -> Option<Holding>) -> Exported {
    let whole = |group: &Group<'_>| {
        let held = holding(&group.first.digest);
        let all = group.places.iter().copied().eq(0..u32::try_from(group.places.len()).unwrap_or(u32::MAX));
        all && held == Some(Holding { results: group.places.len(), rejected: false })
    };
    let groups = groups(&data.runs);
    if let Some(files) = unchanged(data, received, &groups, &whole) {
        return Exported { manifest: received.to_owned(), files };
    }
    let mut paths = Paths::default();
    let entries: Vec<RunEntry> = groups
        .iter()
        .map(|group| {
            let run = group.first;
            let file = paths.of(run);
            RunEntry {
                variant: run.variant.clone(),
                profile: run.profile.clone(),
                name: (file != run.file).then(|| run.file.clone()),
                file,
                results: (!whole(group)).then(|| group.places.clone()),
                start: run.start.clone(),
                started_at: run.started_at,
                notes: run.notes.clone(),
                line: 0,
            }
        })
        .collect();
    Exported { manifest: write_manifest(&data.study, &entries), files: paths.files }
}

/// Consecutive runs that one entry can name.
struct Group<'a> {
    first: &'a Run,
    /// In the raw output, from 0, ascending.
    places: Vec<u32>,
}

fn groups(runs: &[Run]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for run in runs {
        match groups.last_mut() {
            Some(group) if same_entry(group.first, run) && group.places.last() < Some(&run.index) => {
                group.places.push(run.index);
            }
            Some(_) | None => groups.push(Group { first: run, places: vec![run.index] }),
        }
    }
    groups
}

fn same_entry(one: &Run, other: &Run) -> bool {
    let Run { id: _, variant, profile, file, digest, index: _, start, started_at, measurement: _, notes } = one;
    *variant == other.variant
        && *profile == other.profile
        && *file == other.file
        && *digest == other.digest
        && *start == other.start
        && *started_at == other.started_at
        && *notes == other.notes
}

/// The files of the folder as it was received; none where the study has become another since.
fn unchanged(
    data: &StudyData,
    received: &str,
    groups: &[Group<'_>],
    whole: &impl Fn(&Group<'_>) -> bool,
) -> Option<Vec<ExportedFile>> {
    let (study, entries) = parse_manifest(received).ok()?;
    let named = |(entry, group): (&RunEntry, &Group<'_>)| {
        let RunEntry { variant, profile, file, name, results, start, started_at, notes, line: _ } = entry;
        let run = group.first;
        *variant == run.variant
            && *profile == run.profile
            && *name.as_ref().unwrap_or(file) == run.file
            && results.as_ref().map_or_else(|| whole(group), |results| *results == group.places)
            && *start == run.start
            && *started_at == run.started_at
            && *notes == run.notes
    };
    let same = study == data.study && entries.len() == groups.len() && entries.iter().zip(groups).all(named);
    if !same {
        return None;
    }
    let mut files: BTreeMap<&str, &Digest> = BTreeMap::new();
    let mut order = Vec::new();
    for (entry, group) in entries.iter().zip(groups) {
        match files.insert(&entry.file, &group.first.digest) {
            None => order.push(ExportedFile { path: entry.file.clone(), digest: group.first.digest.clone() }),
            Some(before) if *before == group.first.digest => {}
            // A reparse or an upload has put another file under this name.
            Some(_) => return None,
        }
    }
    Some(order)
}

/// Paths that were given out.
#[derive(Default)]
struct Paths {
    files: Vec<ExportedFile>,
    known: BTreeMap<(String, Digest), String>,
    /// In lower case: some systems hold `A` and `a` for one name.
    taken: BTreeSet<String>,
}

impl Paths {
    fn of(&mut self, run: &Run) -> String {
        let key = (run.file.clone(), run.digest.clone());
        if let Some(path) = self.known.get(&key) {
            return path.clone();
        }
        let path = match is_plain(&run.file) && !self.taken.contains(&run.file.to_lowercase()) {
            true => run.file.clone(),
            false => self.free(&run.file),
        };
        self.taken.insert(path.to_lowercase());
        self.files.push(ExportedFile { path: path.clone(), digest: run.digest.clone() });
        self.known.insert(key, path.clone());
        path
    }

    fn free(&self, file: &str) -> String {
        let name = safe_name(file);
        let mut paths = (self.files.len() + 1..).map(|number| format!("{RUNS}{number:02}-{name}"));
        paths.find(|path| !self.taken.contains(&path.to_lowercase())).expect("numbers do not end")
    }
}

/// Whether a name can be a path of the folder as it is: one file under `runs/`.
fn is_plain(file: &str) -> bool {
    file.strip_prefix(RUNS).is_some_and(|name| !name.is_empty() && safe_name(name) == name)
}

/// A name that is one file on every system: the last part of a path, without what some system gives a meaning to.
pub(crate) fn safe_name(file: &str) -> String {
    let last = file.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or_default();
    let kept: String = last.chars().map(|c| if c.is_alphanumeric() || "._+@=".contains(c) { c } else { '-' }).collect();
    let mut name = kept.trim_start_matches(['.', '-']).trim_end_matches('.').to_owned();
    while name.len() > MAX_NAME {
        // The end says what kind of file it is.
        name.remove(0);
    }
    let name = name.trim_start_matches(['.', '-']);
    if name.is_empty() || name.eq_ignore_ascii_case(MANIFEST) { "output.txt".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::{is_plain, safe_name};

    #[test]
    fn a_name_is_one_file_inside_the_folder() {
        for (file, safe) in [
            ("result.json", "result.json"),
            ("../../etc/passwd", "passwd"),
            ("C:\\bench\\out 1.txt", "out-1.txt"),
            ("..", "output.txt"),
            (".hidden", "hidden"),
            ("結果 (1).json", "結果--1-.json"),
            ("a:b|c?.txt", "a-b-c-.txt"),
            ("study.toml", "output.txt"),
            ("runs/", "runs"),
            ("", "output.txt"),
            ("x.", "x"),
        ] {
            assert_eq!(safe_name(file), safe, "{file}");
        }
        assert!(safe_name(&"長".repeat(200)).len() <= 100);
        assert!(is_plain("runs/01-vllm-sharegpt-baseline.txt"));
        assert!(!is_plain("runs/../x") && !is_plain("runs/a/b") && !is_plain("a.txt") && !is_plain("runs/.x"));
    }
}
