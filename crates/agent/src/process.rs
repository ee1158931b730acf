//! Programs in groups of their own, which end with all that they started.
//!
//! Every process inherits a variable that names its group, so even one that left the group, or whose agent was killed, is
//! found again and ended; no other process is ever touched.

use std::fs::{self, File};
use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use domain::job::Exit;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// Names the group of a process: `AGENT/NUMBER`.
const MARK: &str = "TOUCHSTONE_GROUP";
/// Between looks at a process.
const LOOK: Duration = Duration::from_millis(20);
/// A killed process is gone within this, unless the kernel holds it.
const KILLED: Duration = Duration::from_secs(10);

/// A program and all that it starts.
pub(crate) struct Group {
    child: Child,
    leader: Option<Pid>,
    mark: String,
    grace: Duration,
    ended: Option<Exit>,
}

/// What is started.
pub(crate) struct Start<'a> {
    pub argv: &'a [String],
    pub env: Vec<(String, String)>,
    pub stdout: File,
    pub stderr: File,
    /// Unlike any other's.
    pub mark: String,
    pub grace: Duration,
}

impl Group {
    pub fn start(start: Start<'_>) -> io::Result<Self> {
        let Start { argv, env, stdout, stderr, mark, grace } = start;
        let (program, args) = argv.split_first().ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        let mut command = Command::new(program);
        command.args(args).envs(env).env(MARK, &mark).process_group(0);
        let child = command.stdin(Stdio::null()).stdout(stdout).stderr(stderr).spawn()?;
        let leader = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        Ok(Self { child, leader, mark, grace, ended: None })
    }

    /// How the program ended, where it has.
    pub fn ended(&mut self) -> Option<Exit> {
        if self.ended.is_none() {
            // A child that cannot be waited for is none any more.
            self.ended = self.child.try_wait().map_or(Some(Exit::Code(-1)), |status| status.map(exit));
        }
        self.ended
    }

    /// Ends it and all that it started: first asked, then made.
    pub fn stop(&mut self) {
        if self.ended().is_none() {
            self.signal(Signal::TERM);
            self.wait(self.grace);
        }
        // The rest of the group, whether or not its leader is still there.
        self.signal(Signal::KILL);
        self.wait(KILLED);
        sweep(&self.mark);
    }

    fn wait(&mut self, patience: Duration) {
        let end = Instant::now() + patience;
        while self.ended().is_none() && Instant::now() < end {
            std::thread::sleep(LOOK);
        }
    }

    fn signal(&self, signal: Signal) {
        if let Some(leader) = self.leader {
            // Who is gone needs no signal.
            kill_process_group(leader, signal).ok();
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.stop();
    }
}

fn exit(status: ExitStatus) -> Exit {
    status.code().map(Exit::Code).or_else(|| status.signal().map(Exit::Signal)).unwrap_or(Exit::Code(-1))
}

/// Ends every process whose group's name starts so, and waits until none is left.
pub(crate) fn sweep(mark: &str) {
    let end = Instant::now() + KILLED;
    loop {
        let left = marked(mark);
        if left.is_empty() || Instant::now() > end {
            return;
        }
        for pid in left {
            kill_process(pid, Signal::KILL).ok();
        }
        std::thread::sleep(LOOK);
    }
}

/// Processes of groups whose name starts so. Of those that ended, the environment is empty.
pub(crate) fn marked(mark: &str) -> Vec<Pid> {
    let wanted = format!("{MARK}={mark}");
    let Ok(all) = fs::read_dir("/proc") else { return Vec::new() };
    let of = |entry: io::Result<fs::DirEntry>| {
        let entry = entry.ok()?;
        let pid = entry.file_name().to_str()?.parse().ok().and_then(Pid::from_raw)?;
        let environ = fs::read(entry.path().join("environ")).ok()?;
        environ.split(|byte| *byte == 0).any(|word| word.starts_with(wanted.as_bytes())).then_some(pid)
    };
    all.filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(script: &str, mark: &str) -> Group {
        let null = || File::options().write(true).open("/dev/null").unwrap();
        let argv = ["sh", "-c", script].map(str::to_owned);
        let grace = Duration::from_millis(200);
        Group::start(Start { argv: &argv, env: vec![], stdout: null(), stderr: null(), mark: mark.into(), grace })
            .unwrap()
    }

    fn wait_for(many: usize, mark: &str) {
        let end = Instant::now() + Duration::from_secs(20);
        while marked(mark).len() != many {
            assert!(Instant::now() < end, "{} of {many} processes", marked(mark).len());
            std::thread::sleep(LOOK);
        }
    }

    #[test]
    fn whatever_a_program_started_ends_with_it() {
        // One child ignores the signal, another leaves the group and the session.
        let mark = format!("test-{}/1", std::process::id());
        let mut group = start("trap '' TERM; sleep 600 & setsid sleep 600 & wait", &mark);
        wait_for(3, &mark);
        assert_eq!(group.ended(), None);
        group.stop();
        assert_eq!(marked(&mark).len(), 0);
        assert_eq!(group.ended(), Some(Exit::Signal(9)));
    }

    #[test]
    fn what_a_killed_agent_left_behind_is_found_again() {
        let mark = format!("test-{}/2", std::process::id());
        let group = start("sleep 600 & sleep 600", &mark);
        wait_for(3, &mark);
        std::mem::forget(group);
        sweep(&mark);
        assert_eq!(marked(&mark).len(), 0);
    }

    #[test]
    fn how_a_program_ended_is_told() {
        let mark = format!("test-{}/3", std::process::id());
        for (script, expected) in [("exit 3", Exit::Code(3)), ("kill -9 $$", Exit::Signal(9))] {
            let mut group = start(script, &mark);
            group.wait(Duration::from_secs(20));
            assert_eq!(group.ended(), Some(expected), "{script}");
        }
    }
}
