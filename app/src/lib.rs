//! Touchstone's pages.
//!
//! Islands mode: everything is drawn by the server; only what lives in [`island`] also runs in the browser. So all
//! other modules are compiled for the server alone (`ssr`), may read the store and draw charts directly, and cost the
//! page's wasm nothing. Every page therefore works without JavaScript.

#![recursion_limit = "256"]

pub mod island;

#[cfg(feature = "ssr")]
pub mod error;
#[cfg(feature = "ssr")]
pub mod lang;
#[cfg(feature = "ssr")]
pub mod notes;
#[cfg(feature = "ssr")]
pub mod page;
#[cfg(feature = "ssr")]
pub mod part;
#[cfg(feature = "ssr")]
pub mod query;
#[cfg(feature = "ssr")]
pub mod routes;
#[cfg(feature = "ssr")]
pub mod shares;
#[cfg(feature = "ssr")]
pub mod shell;
#[cfg(feature = "ssr")]
pub mod standalone;
#[cfg(feature = "ssr")]
pub mod upload;
#[cfg(feature = "ssr")]
pub mod versions;
#[cfg(feature = "ssr")]
pub mod visit;
#[cfg(feature = "ssr")]
pub mod words;

/// The browser's entry point: wakes the islands of a page that the server drew.
#[cfg(feature = "hydrate")]
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    leptos::mount::hydrate_islands();
}
