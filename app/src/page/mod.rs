//! One file a page: fetch, then hand plain data to parts.

mod compare;
mod embed;
mod home;
mod note_history;
mod notes;
mod preview;
mod run;
mod shares;
mod study;
mod upload;
mod versions;

pub use compare::Compare;
pub use embed::Embed;
pub use home::Home;
pub use note_history::NoteHistory;
pub use notes::Notes;
pub use preview::Preview;
pub use run::Run;
pub use shares::Shares;
pub use study::Study;
pub use upload::Upload;
pub use versions::{Done, Versions};
