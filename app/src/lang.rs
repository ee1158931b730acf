//! The two languages: `domain`'s, under a short name.

pub use domain::text::Lang;
