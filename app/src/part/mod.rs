//! Parts of pages: one component a file, plain props, never fetching.

mod change;
mod chips;
mod error_notice;
mod figure;
mod footer;
mod head;
mod icon;
pub mod report;
pub mod rich;
pub mod run;
mod study_card;
pub mod tag;
mod time;
mod top_bar;
pub mod upload;
mod verdict;

pub use error_notice::ErrorNotice;
pub use footer::Footer;
pub use head::Head;
pub use icon::{Icon, IconMark, IconSheet};
pub use study_card::StudyCard;
pub use time::Time;
pub use top_bar::{Mark, TopBar};
