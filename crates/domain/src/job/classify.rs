//! Why a program failed, from how it ended and what it said last.

use super::FailureClass;

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// With this status.
    Code(i32),
    /// By this signal.
    Signal(i32),
    /// It still ran when its time was over.
    TimedOut,
    /// It could not be started: the error's number, where there is one.
    NotStarted(Option<i32>),
}

/// `ENOENT` and `EACCES`: there is no such program, or none that may be run.
const NOT_FOUND: [i32; 2] = [2, 13];
/// `ENOSPC` and `EDQUOT`.
const NO_SPACE: [i32; 2] = [28, 122];
/// What a shell ends with where a program is not found or cannot be run.
const SHELL_NOT_FOUND: [i32; 2] = [126, 127];

/// What engines, drivers and systems say, in lower case. The first that is found last in the log counts.
const SIGNS: [(FailureClass, &[&str]); 4] = [
    (
        FailureClass::OutOfMemory,
        &[
            "out of memory",
            "outofmemoryerror",
            "cannot allocate memory",
            "cuda_error_out_of_memory",
            "cublas_status_alloc_failed",
            "no available memory for the cache blocks",
            "larger than the available kv cache memory",
            "is larger than the maximum number of tokens that can be stored in kv cache",
            "less than desired gpu memory utilization",
            "not enough memory",
        ],
    ),
    (FailureClass::PortInUse, &["address already in use", "address in use", "errno 98", "eaddrinuse"]),
    (FailureClass::DiskFull, &["no space left on device", "disk quota exceeded", "errno 28"]),
    (
        FailureClass::MissingEngine,
        &[
            "command not found",
            "no module named vllm",
            "no module named 'vllm'",
            "no module named sglang",
            "no module named 'sglang'",
            "no module named 'tensorrt_llm'",
        ],
    ),
];

/// Lines at the end of a log in which a cause is looked for.
const LOOKED_AT: usize = 400;
/// The kernel ends the process that takes the last of the memory.
const SIGKILL: i32 = 9;

/// Why a program failed that was to go on (a server) or to succeed (a benchmark); `otherwise` where nothing tells.
#[must_use]
pub fn classify<'a>(
    exit: Exit,
    log: impl DoubleEndedIterator<Item = &'a str>,
    otherwise: FailureClass,
) -> FailureClass {
    if let Exit::NotStarted(Some(errno)) = exit {
        if NO_SPACE.contains(&errno) {
            return FailureClass::DiskFull;
        }
        if NOT_FOUND.contains(&errno) {
            return FailureClass::MissingEngine;
        }
    }
    if let Exit::Code(code) = exit
        && SHELL_NOT_FOUND.contains(&code)
    {
        return FailureClass::MissingEngine;
    }
    let said = log.rev().take(LOOKED_AT).find_map(|line| {
        let line = line.to_lowercase();
        let in_it = |(_, signs): &&(FailureClass, &[&str])| signs.iter().any(|sign| line.contains(sign));
        SIGNS.iter().find(in_it).map(|(class, _)| *class)
    });
    match (said, exit) {
        (Some(class), _) => class,
        // Nobody else does that to a program in a group of its own.
        (None, Exit::Signal(SIGKILL)) => FailureClass::OutOfMemory,
        (None, Exit::Code(_) | Exit::Signal(_) | Exit::TimedOut | Exit::NotStarted(_)) => otherwise,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_told_by_what_was_said_last() {
        use FailureClass::{BenchFailed, Crash, DiskFull, Hang, MissingEngine, OutOfMemory, PortInUse, Unhealthy};
        let oom = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.";
        let port = "OSError: [Errno 98] Address already in use";
        let cases: [(Exit, &[&str], FailureClass, FailureClass); 12] = [
            (Exit::Code(1), &["INFO starting", oom, "Engine core failed to start"], Crash, OutOfMemory),
            (Exit::Code(1), &[port], Crash, PortInUse),
            (Exit::Code(1), &[oom, port], Crash, PortInUse),
            (Exit::Code(1), &["OSError: [Errno 28] No space left on device"], BenchFailed, DiskFull),
            (Exit::Code(127), &["sh: 1: vllm: not found"], Crash, MissingEngine),
            (Exit::NotStarted(Some(2)), &[], Crash, MissingEngine),
            (Exit::NotStarted(Some(28)), &[], Crash, DiskFull),
            (Exit::Code(1), &["/usr/bin/python3: No module named sglang"], Crash, MissingEngine),
            (Exit::Signal(9), &["INFO serving"], Crash, OutOfMemory),
            (Exit::Signal(11), &["INFO serving"], Crash, Crash),
            (Exit::TimedOut, &["INFO loading"], Unhealthy, Unhealthy),
            (Exit::TimedOut, &["50%"], Hang, Hang),
        ];
        for (exit, log, otherwise, expected) in cases {
            assert_eq!(classify(exit, log.iter().copied(), otherwise), expected, "{exit:?} {log:?}");
        }
    }
}
