//! What other sites show: charts as SVG files of their own, and the conclusion card as a small page for a frame.
//!
//! Invariant: no script, no request, nothing of the site around it. Both follow the reader's theme, or keep to the one that
//! was asked for.

mod chart;
mod page;
mod style;

pub use chart::{Chart, WIDTH as CHART_WIDTH};
pub use page::{Page, card_page};

/// In which theme something is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Theme {
    /// The reader's.
    #[default]
    Auto,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// By the word in addresses.
    #[must_use]
    pub fn named(name: &str) -> Self {
        match name {
            "light" => Self::Light,
            "dark" => Self::Dark,
            _ => Self::Auto,
        }
    }
}
