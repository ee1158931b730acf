//! One file a page: fetch, then hand plain data to parts.

mod home;
mod run;
mod study;

pub use home::Home;
pub use run::Run;
pub use study::Study;
