//! One file a command: its options and what it does.

pub mod check;
pub mod demo;
pub mod export;
pub mod import;
mod output;
pub mod publish;
pub mod reparse;
pub mod report;
pub mod serve;
pub mod share;
pub mod token;
pub mod upload;
