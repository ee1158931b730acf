//! One file a page: fetch, then hand plain data to parts.

mod home;
mod preview;
mod run;
mod study;
mod upload;

pub use home::Home;
pub use preview::Preview;
pub use run::Run;
pub use study::Study;
pub use upload::Upload;
