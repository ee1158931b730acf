//! Charts of a report as inline SVG, drawn on the server: they show without script, follow the theme by their classes and
//! say in words what they show. Each is drawn for two widths, so that its text keeps its size on a phone.

mod bars;
mod canvas;
mod facts;
mod gain;
pub(crate) mod measure;
mod scale;

use domain::id::ProfileId;

pub use bars::{profiles, profiles_legend};
pub use gain::gain_scale;

/// For which room a chart is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Width {
    /// 720 units: a column of a report.
    Wide,
    /// 340 units: a phone.
    Narrow,
}

impl Width {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Wide, Self::Narrow];

    /// Units across; one unit is a CSS pixel at natural size.
    #[must_use]
    pub const fn units(self) -> f64 {
        match self {
            Self::Wide => 720.0,
            Self::Narrow => 340.0,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Wide => "wide",
            Self::Narrow => "narrow",
        }
    }
}

/// A sign of a chart and what it means. Legends are HTML, where text wraps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Legend {
    /// A small SVG, hidden from screen readers: the chart's sentence names things itself.
    pub swatch: String,
    /// Its meaning.
    pub text: &'static str,
}

/// The scale of the conclusion's table: one ruler for all profiles, and a strip a row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GainScale {
    /// The ruler, 320 × 28 units; empty where there are no rows.
    pub header: String,
    /// A strip of 320 × 44 units for each row of the conclusion, in their order.
    pub rows: Vec<(ProfileId, String)>,
}
