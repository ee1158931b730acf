//! Charts as inline SVG, and Markdown as safe HTML. Heavy but pure: facts and a language in, text out. Native only.
//!
//! Invariant: what comes out obeys the strictest content security policy. No scripts, no style attributes, no colours;
//! looks are classes, and the style sheet (`style/60-charts.css`) has the themes.

pub mod chart;
mod markdown;
mod svg;

pub use markdown::markdown;
