//! A study as a folder again, on a disk or in one archive. Raw outputs are written piece by piece, so a study may hold
//! gigabytes.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use domain::digest::Digest;
use domain::id::StudySlug;
use domain::parse;
use domain::study::{Exported, ExportedFile, Holding, MANIFEST, export};
use flate2::{Compression, GzBuilder};
use store::{Packed, Store};

/// A study folder that can be written.
pub struct Plan {
    /// `study.toml`, and which raw output lies where.
    pub folder: Exported,
    /// Last change of the study, milliseconds since 1970 UTC.
    pub updated_at: i64,
    /// Raw outputs from which this version reads something else than is stored, by their names: importing the folder
    /// would give another report.
    pub read_otherwise: Vec<String>,
}

/// Reads what is stored and plans its folder. `spool` is where long raw outputs wait; `seen` is told of each that was
/// looked at.
pub async fn plan(store: &Store, slug: &StudySlug, spool: &Path, mut seen: impl FnMut()) -> anyhow::Result<Plan> {
    let (stored, received) = store.study_as_received(slug).await?;
    let mut holdings: BTreeMap<Digest, Option<Holding>> = BTreeMap::new();
    let mut read_otherwise = Vec::new();
    for run in &stored.data.runs {
        if holdings.contains_key(&run.digest) {
            continue;
        }
        let mut packed = store.raw_packed(&run.digest, spool).await?;
        let parsed = tokio::task::spawn_blocking(move || parse::read(&mut packed.reader()?).map_err(io::Error::other));
        let parsed = parsed.await?.ok();
        let of_file = stored.data.runs.iter().filter(|other| other.digest == run.digest);
        let read = |index: u32| parsed.as_ref().and_then(|parsed| parsed.runs.get(index as usize));
        if of_file.into_iter().any(|run| read(run.index) != Some(&run.measurement)) {
            read_otherwise.push(run.file.clone());
        }
        let holding =
            parsed.map(|parsed| Holding { results: parsed.runs.len(), rejected: !parsed.rejected.is_empty() });
        holdings.insert(run.digest.clone(), holding);
        seen();
    }
    let folder = export(&stored.data, &received, |digest| holdings.get(digest).copied().flatten());
    Ok(Plan { folder, updated_at: stored.updated_at, read_otherwise })
}

/// Writes a folder: beside its place first, then to its place. A folder that is there must be empty, or with `force` keeps
/// what the study has no file for.
pub async fn write(
    store: &Store,
    plan: &Plan,
    to: &Path,
    force: bool,
    spool: &Path,
    mut written: impl FnMut(),
) -> anyhow::Result<()> {
    let place = Place::of(to, force)?;
    let made = tempfile::Builder::new()
        .prefix(".touchstone-export-")
        .tempdir_in(&place.parent)
        .with_context(|| format!("cannot write in {}", place.parent.display()))?;
    for ExportedFile { path, digest } in &plan.folder.files {
        let packed = store.raw_packed(digest, spool).await?;
        let file = made.path().join(path);
        let writing = tokio::task::spawn_blocking(move || unpack(packed, &file));
        writing.await?.with_context(|| format!("{path} cannot be written"))?;
        written();
    }
    fs::write(made.path().join(MANIFEST), &plan.folder.manifest).context("study.toml cannot be written")?;
    place.take(made.path(), &plan.folder)?;
    Ok(())
}

fn unpack(packed: Packed, to: &Path) -> io::Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = File::create_new(to)?;
    io::copy(&mut packed.into_reader()?, &mut file)?;
    file.sync_all()
}

/// Where a folder goes.
struct Place {
    parent: PathBuf,
    to: PathBuf,
    /// Whether there is something that stays.
    filled: bool,
}

impl Place {
    fn of(to: &Path, force: bool) -> anyhow::Result<Self> {
        let shown = to.display();
        let filled = match fs::read_dir(to) {
            Ok(mut entries) => entries.next().is_some(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let parent = to.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
                fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
                return Ok(Self { parent: parent.canonicalize()?, to: to.to_owned(), filled: false });
            }
            Err(error) => return Err(error).with_context(|| format!("{shown} is no folder that can be written")),
        };
        if filled && !force {
            bail!("{shown} is not empty; name another folder, or replace the study's files in it with --force");
        }
        // A link to a folder is that folder.
        let to = to.canonicalize()?;
        let parent = if filled { to.clone() } else { to.parent().unwrap_or(&to).to_owned() };
        Ok(Self { parent, to, filled })
    }

    /// Moves what was written to its place.
    fn take(&self, made: &Path, folder: &Exported) -> anyhow::Result<()> {
        let failed = || format!("cannot write {}", self.to.display());
        if !self.filled {
            if self.to.exists() {
                // It is empty: what was put into it meanwhile makes this fail, and stays.
                fs::remove_dir(&self.to).with_context(failed)?;
            }
            return fs::rename(made, &self.to).with_context(failed);
        }
        // The description comes last: until then the folder is the old one.
        for path in folder.files.iter().map(|file| file.path.as_str()).chain([MANIFEST]) {
            let mut at = self.to.clone();
            for part in Path::new(path).parent().into_iter().flat_map(Path::components) {
                at.push(part);
                match fs::symlink_metadata(&at) {
                    Ok(facts) if facts.is_dir() => {}
                    Ok(_) => bail!("{} is in the way: it is no folder", at.display()),
                    Err(_) => fs::create_dir(&at).with_context(failed)?,
                }
            }
            fs::rename(made.join(path), self.to.join(path)).with_context(|| format!("cannot replace {path}"))?;
        }
        Ok(())
    }
}

/// Writes the folder as one archive (`tar`, compressed with gzip), inside a folder of the study's name. Blocks; `fetch` gives
/// raw outputs. Same study, same bytes.
pub fn archive(
    plan: &Plan,
    slug: &StudySlug,
    mut fetch: impl FnMut(&Digest) -> anyhow::Result<Packed>,
    to: impl Write,
) -> anyhow::Result<()> {
    let gzip = GzBuilder::new().mtime(0).write(to, Compression::default());
    let mut tar = tar::Builder::new(gzip);
    let header = |size: u64| {
        let mut header = tar::Header::new_gnu();
        header.set_size(size);
        header.set_mode(0o644);
        header.set_mtime(u64::try_from(plan.updated_at / 1000).unwrap_or_default());
        header
    };
    let manifest = plan.folder.manifest.as_bytes();
    tar.append_data(&mut header(manifest.len() as u64), format!("{slug}/{MANIFEST}"), manifest)?;
    for ExportedFile { path, digest } in &plan.folder.files {
        let packed = fetch(digest)?;
        let size = packed.size;
        tar.append_data(&mut header(size), format!("{slug}/{path}"), packed.into_reader()?.take(size))?;
    }
    tar.into_inner()?.finish()?;
    Ok(())
}
