//! Touchstone's nouns and rules: parse, recompute, judge, advise, report.
//!
//! Invariant: nothing here knows a clock, a network, a file, a database, HTTP or a DOM. Time, ids and bytes come in as
//! arguments, so every figure is a function of the raw outputs, and the same code runs in the browser and on a server.

pub mod advise;
pub mod agent;
pub mod aggregate;
pub mod change;
pub mod check;
pub mod command;
pub mod compare;
pub mod digest;
pub mod id;
pub mod job;
pub mod machine;
pub mod mask;
pub mod metric;
pub mod metrics;
pub mod noise;
pub mod note;
pub mod parse;
pub mod plan;
pub mod recompute;
pub mod redact;
pub mod report;
pub mod requests;
pub mod round;
pub mod run;
pub mod share;
pub mod stats;
pub mod study;
pub mod text;
pub mod units;
pub mod upload;
pub mod version;
