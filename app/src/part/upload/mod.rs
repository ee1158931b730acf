//! Parts of the upload page: the first form, the review of what was seen, and what became of it.

mod field;
mod place;
mod review;
mod saved;
mod seen;
mod start;

pub use review::Review;
pub use saved::SavedUpload;
pub use start::Start;
