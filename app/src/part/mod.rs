//! Parts of pages: one component a file, plain props, never fetching.

mod change;
mod chips;
pub mod compare;
mod error_notice;
mod figure;
mod footer;
mod head;
mod icon;
mod lines;
mod note;
pub mod notes;
pub mod report;
pub mod rich;
pub mod run;
pub mod shares;
pub mod snippet;
mod study_card;
pub mod tag;
mod time;
mod top_bar;
pub mod upload;
mod verdict;
pub mod versions;

pub use error_notice::ErrorNotice;
pub use footer::Footer;
pub use head::{Head, Picture};
pub use icon::{Icon, IconMark, IconSheet};
pub use lines::in_textarea;
pub use note::{NoteBeside, NoteText};
pub use study_card::StudyCard;
pub use time::Time;
pub use top_bar::{Mark, TopBar};
