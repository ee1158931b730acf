//! The command line as people and scripts use it: the binary itself, its output, its exit codes, what it leaves behind.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where it stopped")]

mod check;
mod desk;
mod exported;
mod published;
mod share;
mod stored;
