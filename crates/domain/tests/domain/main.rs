//! What the domain promises, one file a boundary.

mod abuse;
mod advise;
mod block;
mod check;
mod command;
mod corpus;
mod expected;
mod made;
mod mask;
mod report;
mod same_run;
mod studies;
mod study;
mod upload;
