//! What also runs in the browser: drawn by the server first, then woken by the page's wasm.
//!
//! An island takes its words as props, so that no text module is linked into the wasm, and must leave a page that works
//! when it never wakes. Its root carries the class `asleep` until it listens (see [`asleep`]): style and tests go by it.

mod copy_button;
mod follow_contents;
mod theme_switch;
mod upload_help;

pub use copy_button::{CopyButton, CopyLabels};
pub use follow_contents::FollowContents;
pub use theme_switch::{ThemeLabels, ThemeSwitch};
pub use upload_help::{UploadHelp, UploadHelpLabels};

use leptos::prelude::*;

/// True as the server draws it, false once the island lives in a browser: `class:asleep=asleep()`.
fn asleep() -> ReadSignal<bool> {
    let (asleep, set_asleep) = signal(true);
    // Effects run in browsers only.
    Effect::new(move |_| set_asleep.set(false));
    asleep
}
