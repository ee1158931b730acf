//! The site: wasm, its JavaScript, style sheet and public files, compressed, named by their content.
//!
//! Everything ends in `target/site/<debug|release>`; the server embeds that folder when it is compiled. `build-id`, a
//! digest of all files, becomes part of their address.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, ensure};
use sha2::{Digest as _, Sha256};
use wasm_bindgen_cli_support::Bindgen;

use crate::run::{cargo, root, run, say};

/// How to build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Fast to build.
    Debug,
    /// Small and fast to run.
    Release,
}

impl Mode {
    /// Where this mode's site lies.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Release => "release",
        }
    }

    fn wasm_profile(self) -> &'static str {
        match self {
            Self::Debug => "wasm-dev",
            Self::Release => "wasm-release",
        }
    }

    /// Brotli and gzip levels: the best that there is for what is served for years, a fast one while developing.
    fn levels(self) -> (u32, u32) {
        match self {
            Self::Debug => (3, 3),
            Self::Release => (11, 9),
        }
    }
}

/// Builds the site.
pub fn build(mode: Mode) -> Result<()> {
    say("site: the page's wasm");
    let wasm = compile(mode)?;
    let site = root().join("target/site").join(mode.folder());
    let made = bind(&wasm, mode)?;

    let mut files = public()?;
    files.push(("site.css".into(), style()?));
    for name in ["site.js", "site.wasm"] {
        let path = made.join(name);
        files.push((format!("pkg/{name}"), fs::read(&path).with_context(|| path.display().to_string())?));
    }
    files.sort();
    write(&site, &files, mode)
}

/// The library for the browser. Its own target folder keeps the two builds from waiting for each other's lock.
fn compile(mode: Mode) -> Result<PathBuf> {
    let profile = mode.wasm_profile();
    run(cargo()
        .args(["rustc", "--package", "app", "--lib", "--crate-type=cdylib", "--target", "wasm32-unknown-unknown"])
        .args(["--target-dir", "target/front", "--profile", profile, "--features", "hydrate,islands"]))?;
    Ok(root().join("target/front/wasm32-unknown-unknown").join(profile).join("app.wasm"))
}

/// Makes the JavaScript that loads the wasm, unless this very wasm was bound before.
fn bind(wasm: &Path, mode: Mode) -> Result<PathBuf> {
    let out = root().join("target/front/bound").join(mode.folder());
    let bytes = fs::read(wasm).with_context(|| wasm.display().to_string())?;
    let stamp = digest([bytes.as_slice()]);
    let stamp_file = out.join("stamp");
    if fs::read_to_string(&stamp_file).is_ok_and(|bound| bound == stamp) {
        return Ok(out);
    }
    fs::create_dir_all(&out)?;
    Bindgen::new()
        .input_path(wasm)
        .out_name("site")
        .web(true)?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(&out)
        .context("wasm-bindgen")?;
    ensure!(!out.join("snippets").exists(), "the wasm wants JavaScript snippets, which the site does not carry");
    fs::rename(out.join("site_bg.wasm"), out.join("site.wasm"))?;
    fs::write(stamp_file, stamp)?;
    Ok(out)
}

/// `style/*.css` in the order of their names, which therefore begin with a number where order matters.
fn style() -> Result<Vec<u8>> {
    let mut sheet = Vec::new();
    for path in sorted(&root().join("style"))? {
        if path.extension().is_some_and(|kind| kind == "css") {
            sheet.extend(fs::read(&path)?);
            sheet.push(b'\n');
        }
    }
    Ok(sheet)
}

fn public() -> Result<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::new();
    for path in sorted(&root().join("public"))? {
        if path.is_file() {
            let name = path.file_name().expect("a file of a folder has a name").to_string_lossy().into_owned();
            files.push((name, fs::read(&path)?));
        }
    }
    Ok(files)
}

fn sorted(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

/// Replaces the folder, unless it holds these files already: then the server need not be compiled again.
fn write(site: &Path, files: &[(String, Vec<u8>)], mode: Mode) -> Result<()> {
    let id = &digest(files.iter().flat_map(|(name, bytes)| [name.as_bytes(), bytes]))[..12];
    let id_file = site.join("build-id");
    if fs::read_to_string(&id_file).is_ok_and(|built| built == id) {
        return Ok(());
    }
    if site.exists() {
        fs::remove_dir_all(site)?;
    }
    let (brotli, gzip) = mode.levels();
    for (name, bytes) in files {
        let path = site.join(name);
        fs::create_dir_all(path.parent().expect("it lies in the site's folder"))?;
        fs::write(&path, bytes)?;
        let br = compress_brotli(bytes, brotli)?;
        let gz = compress_gzip(bytes, gzip)?;
        eprintln!("   {name}: {} bytes, gzip {}, brotli {}", bytes.len(), gz.len(), br.len());
        fs::write(site.join(format!("{name}.br")), br)?;
        fs::write(site.join(format!("{name}.gz")), gz)?;
    }
    // Last: a folder without it is not yet complete.
    fs::write(id_file, id)?;
    Ok(())
}

fn compress_brotli(bytes: &[u8], level: u32) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut writer = brotli::CompressorWriter::new(&mut out, 1 << 16, level, 22);
    writer.write_all(bytes)?;
    drop(writer);
    Ok(out)
}

fn compress_gzip(bytes: &[u8], level: u32) -> Result<Vec<u8>> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(level));
    writer.write_all(bytes)?;
    Ok(writer.finish()?)
}

fn digest<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hash = Sha256::new();
    for piece in pieces {
        // The length keeps apart what would read the same when put together.
        hash.update((piece.len() as u64).to_le_bytes());
        hash.update(piece);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
