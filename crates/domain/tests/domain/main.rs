//! What the domain promises, one file a boundary.

mod block;
mod check;
mod command;
mod expected;
mod report;
mod studies;
mod study;
