//! Share links: their list, the form that makes one, and what it hides.

mod list;
mod make;
mod table;

pub use list::{ShareList, Shown};
