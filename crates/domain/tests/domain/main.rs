//! What the domain promises, one file a boundary.

mod abuse;
mod advise;
mod beside;
mod block;
mod check;
mod command;
mod consistency;
mod contradictions;
mod corpus;
mod expected;
mod findings;
mod fuzz;
mod guess;
mod judged;
mod languages;
mod made;
mod mask;
mod partial;
mod report;
mod same_run;
mod statistics;
mod studies;
mod study;
mod upload;
mod wording;
