//! What is needed and how it gets here.
//!
//! First everything that is missing is found; only when all of it can be had is anything installed. So on a machine
//! without root or `apt-get` the list of what to do comes out, and nothing half happens.

use std::{fs, path::Path};

use anyhow::{Context as _, Result, bail};

use crate::run::{on_path, program, read, root, run, say, succeeds};

const WASM: &str = "wasm32-unknown-unknown";

/// Node versions that Playwright runs on.
const NODE_AT_LEAST: u32 = 18;

/// A Debian package that the tests use.
struct Package {
    name: &'static str,
    /// What for, and what else will do.
    why: &'static str,
    there: fn() -> bool,
}

const PACKAGES: [Package; 3] = [
    Package {
        name: "chromium",
        why: "the browser of the end-to-end tests (another Chromium: put its path into CHROMIUM)",
        there: || {
            std::env::var_os("CHROMIUM")
                .map_or_else(|| Path::new("/usr/bin/chromium").exists(), |p| Path::new(&p).exists())
        },
    },
    Package {
        name: "fonts-noto-cjk",
        why: "Japanese letters in that browser (any Japanese font will do)",
        there: || read(program("fc-list").args([":lang=ja", "family"])).is_ok_and(|fonts| !fonts.trim().is_empty()),
    },
    Package {
        name: "postgresql",
        why: "the second database; the tests start a private server of their own and stop it",
        there: || crate::pg::binaries().is_some(),
    },
];

/// The compiler's half for the browser; rustup adds it to the toolchain that this repository names.
pub fn wasm_target() -> Result<()> {
    if wasm_there()? {
        return Ok(());
    }
    say(format!("rustup installs the target {WASM}"));
    run(program("rustup").args(["target", "add", WASM])).context(wasm_advice())
}

/// Everything that `cargo xtask test` needs beyond cargo.
pub fn for_tests() -> Result<()> {
    say("what the tests need");
    let missing: Vec<&Package> = PACKAGES.iter().filter(|package| !(package.there)()).collect();
    let mut obstacles = Vec::new();
    let apt = if missing.is_empty() { None } else { apt_get() };
    for package in &missing {
        if apt.is_none() {
            obstacles.push(format!(
                "Debian package {0}: {1}\n      get it: apt-get install {0}   (as root)",
                package.name, package.why
            ));
        }
    }
    obstacles.extend(node_obstacle());
    if !wasm_there()? && !on_path("rustup") {
        obstacles.push(wasm_advice());
    }
    if !obstacles.is_empty() {
        bail!(
            "these are missing and cannot be installed from here, so nothing was done:\n  - {}",
            obstacles.join("\n  - ")
        );
    }

    if let Some(apt) = apt {
        install(&apt, &missing)?;
    }
    wasm_target()?;
    npm_packages()?;
    eprintln!("   all there");
    Ok(())
}

/// How packages can be installed here: the words before `install`.
fn apt_get() -> Option<Vec<&'static str>> {
    if !on_path("apt-get") {
        return None;
    }
    let root = read(program("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    if root {
        return Some(vec!["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]);
    }
    // A password can be asked for only where somebody sits.
    let may_ask = std::io::IsTerminal::is_terminal(&std::io::stdin());
    let sudo = on_path("sudo") && (may_ask || succeeds(program("sudo").args(["-n", "true"])));
    sudo.then(|| vec!["sudo", "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"])
}

fn install(apt: &[&str], packages: &[&Package]) -> Result<()> {
    for package in packages {
        eprintln!("   installs the Debian package {}: {}", package.name, package.why);
    }
    let apt_get = || {
        let mut command = program(apt[0]);
        command.args(&apt[1..]);
        command
    };
    run(apt_get().arg("update"))?;
    let names = packages.iter().map(|package| package.name);
    run(apt_get().args(["install", "--yes", "--no-install-recommends"]).args(names))
}

fn wasm_there() -> Result<bool> {
    let sysroot = read(program("rustc").args(["--print", "sysroot"]))?;
    Ok(Path::new(sysroot.trim()).join("lib/rustlib").join(WASM).exists())
}

fn wasm_advice() -> String {
    format!("the compiler's target {WASM}\n      get it: rustup target add {WASM}")
}

fn node_obstacle() -> Option<String> {
    let version = if on_path("node") && on_path("npm") { read(program("node").arg("--version")).ok() } else { None };
    let major = version.as_deref().and_then(|v| v.trim().strip_prefix('v')?.split('.').next()?.parse::<u32>().ok());
    if major.is_some_and(|major| major >= NODE_AT_LEAST) {
        return None;
    }
    let found = version.map_or_else(|| "not found".into(), |v| format!("found {}", v.trim()));
    Some(format!(
        "Node {NODE_AT_LEAST} or newer with npm ({found})\n      get it: your system's package, or nodejs.org"
    ))
}

/// Playwright and axe, exactly as `package-lock.json` says; left alone when they are already those.
fn npm_packages() -> Result<()> {
    let folder = root().join("end2end");
    let lock = fs::read_to_string(folder.join("package-lock.json")).context("end2end/package-lock.json")?;
    let stamp = folder.join("node_modules/.touchstone-lock");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    eprintln!("   npm installs Playwright and axe into end2end/node_modules (no browser)");
    run(program("npm").current_dir(&folder).env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1").args([
        "ci",
        "--no-audit",
        "--no-fund",
    ]))?;
    fs::write(stamp, lock)?;
    Ok(())
}
