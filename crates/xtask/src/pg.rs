//! A private PostgreSQL for one test run: own data, own port, own password, gone afterwards.

use std::{
    fs,
    hash::{BuildHasher as _, DefaultHasher, Hash as _, Hasher as _, RandomState},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail};

use crate::run::{on_path, program, read, root, run, say, succeeds};

/// Where tests find it.
pub const URL_VARIABLE: &str = "TOUCHSTONE_TEST_DATABASE_URL";
/// Where it is set, tests fail rather than be left out when they find no server.
pub const REQUIRE_VARIABLE: &str = "TOUCHSTONE_TEST_REQUIRE_POSTGRES";

/// A start takes a second; this is for a machine that is busy compiling.
const START_WITHIN: Duration = Duration::from_secs(60);

/// No way in but the port, and few words.
const SETTINGS: [&str; 2] = ["unix_socket_directories=", "log_min_messages=fatal"];
/// Data that nobody keeps need not reach the disk.
const NOT_DURABLE: [&str; 3] = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"];

/// Whether what was committed must be on the disk, as where somebody keeps it: to measure how long that takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durable {
    Yes,
    No,
}

/// A running server; dropping it stops it and removes its data.
pub struct Server {
    place: Place,
    process: Child,
    /// For [`URL_VARIABLE`].
    pub url: String,
}

/// Programs, data, and the user who may run them.
struct Place {
    binaries: PathBuf,
    data: PathBuf,
    /// PostgreSQL refuses to run as root; then Debian's own user runs it, in that user's home.
    as_postgres: bool,
}

/// The newest PostgreSQL's programs: Debian keeps them off the path.
pub fn binaries() -> Option<PathBuf> {
    let versions =
        fs::read_dir("/usr/lib/postgresql").into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let number = |path: &Path| path.file_name()?.to_str()?.parse::<u32>().ok();
    let newest = versions.filter(|path| path.join("bin/initdb").exists()).max_by_key(|path| number(path));
    newest.map(|path| path.join("bin")).or_else(|| {
        let folder = read(program("pg_config").arg("--bindir")).ok().filter(|_| on_path("pg_config"))?;
        let folder = PathBuf::from(folder.trim());
        folder.join("initdb").exists().then_some(folder)
    })
}

impl Server {
    /// Starts one, after clearing away what an interrupted run left behind.
    pub fn start(durable: Durable) -> Result<Self> {
        say("a private PostgreSQL for the tests");
        let place = Place::find()?;
        place.clear();
        let password = format!("{:016x}", RandomState::new().build_hasher().finish());
        place.init(&password)?;
        let port = free_port()?;
        let process = place.serve(port, durable)?;
        let url = format!("postgres://postgres:{password}@127.0.0.1:{port}/postgres");
        let mut server = Self { place, process, url };
        server.wait_until_ready(port)?;
        eprintln!("   listening on 127.0.0.1:{port}");
        Ok(server)
    }

    fn wait_until_ready(&mut self, port: u16) -> Result<()> {
        let begun = Instant::now();
        while begun.elapsed() < START_WITHIN {
            let mut ready = Command::new(self.place.binaries.join("pg_isready"));
            if succeeds(ready.args(["--quiet", "--host", "127.0.0.1", "--port", &port.to_string()])) {
                return Ok(());
            }
            if let Some(status) = self.process.try_wait()? {
                bail!("PostgreSQL stopped at once ({status}); its last words are above");
            }
            sleep(Duration::from_millis(100));
        }
        bail!("PostgreSQL did not answer within {} s", START_WITHIN.as_secs())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.place.clear();
        // It has stopped, or it cannot be stopped from here; either way there is nothing more to do.
        self.process.wait().ok();
    }
}

impl Place {
    fn find() -> Result<Self> {
        let binaries = binaries().context("PostgreSQL is missing; `cargo xtask setup` installs it")?;
        let as_postgres = read(program("id").arg("-u"))?.trim() == "0";
        let data = if as_postgres {
            // Two clones of this repository must not meet.
            let mut hash = DefaultHasher::new();
            root().hash(&mut hash);
            let home = read(program("getent").args(["passwd", "postgres"]))
                .context("PostgreSQL does not run as root, and the user `postgres` of Debian's package is not there")?;
            let home = home.split(':').nth(5).context("the user `postgres` has no home")?;
            Path::new(home).join(format!("touchstone-test-{:016x}", hash.finish()))
        } else {
            root().join("target/pg")
        };
        Ok(Self { binaries, data, as_postgres })
    }

    fn program(&self, name: &str) -> Command {
        let path = self.binaries.join(name);
        let mut command = if self.as_postgres {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(path);
            command
        } else {
            Command::new(path)
        };
        // A folder that the other user may be in, too.
        command.current_dir("/");
        command
    }

    fn init(&self, password: &str) -> Result<()> {
        let words = root().join("target").join("pg-password");
        fs::create_dir_all(root().join("target"))?;
        fs::write(&words, password)?;
        // Read from standard input: the other user need not reach into this folder.
        let result = run(self
            .program("initdb")
            .args(["--no-sync", "--encoding=UTF8", "--locale=C.UTF-8", "--username=postgres", "--auth=scram-sha-256"])
            .arg("--pwfile=/dev/stdin")
            .arg("--pgdata")
            .arg(&self.data)
            .stdin(fs::File::open(&words)?)
            .stdout(Stdio::null()));
        fs::remove_file(words)?;
        result
    }

    fn serve(&self, port: u16, durable: Durable) -> Result<Child> {
        let mut command = self.program("postgres");
        command.arg("-D").arg(&self.data).args(["-h", "127.0.0.1", "-p", &port.to_string()]);
        let not_durable = NOT_DURABLE.into_iter().filter(|_| durable == Durable::No);
        for setting in SETTINGS.into_iter().chain(not_durable) {
            command.args(["-c", setting]);
        }
        command.stdin(Stdio::null()).spawn().context("cannot start PostgreSQL")
    }

    /// Stops what runs on this data and removes it.
    fn clear(&self) {
        if self.data.join("postmaster.pid").exists() {
            succeeds(
                self.program("pg_ctl").args(["stop", "--silent", "--wait", "--mode=fast", "--pgdata"]).arg(&self.data),
            );
        }
        if self.data.exists()
            && let Err(error) = fs::remove_dir_all(&self.data)
        {
            eprintln!("   cannot remove {}: {error}", self.data.display());
        }
    }
}

/// A port that nobody listens on now.
pub fn free_port() -> Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}
