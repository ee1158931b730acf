//! Charts as inline SVG, Markdown as safe HTML, reports as workbooks, and pictures and pages for other sites. Heavy but
//! pure: facts and a language in, text or bytes out. Native only.
//!
//! Invariant: what comes out obeys the strictest content security policy. No scripts, no style attributes. On our pages
//! looks are classes, and the style sheet (`style/60-charts.css`) has the themes; what other sites show carries that same
//! sheet, or presentation attributes, with it.

mod badge;
pub mod card;
pub mod chart;
mod diff;
pub mod embed;
mod icon;
mod markdown;
mod svg;
mod tokens;
mod workbook;

pub use badge::{badge, badge_not_found};
pub use diff::{DiffLine, diff};
pub use markdown::{Outline, markdown, markdown_under, outline};
pub use workbook::{WorkbookError, workbook};
