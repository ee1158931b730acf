//! What the domain promises, one file a boundary.

mod abuse;
mod block;
mod check;
mod command;
mod corpus;
mod expected;
mod fuzz;
mod guess;
mod mask;
mod partial;
mod report;
mod same_run;
mod studies;
mod study;
mod upload;
