//! Auto, light or dark.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::asleep;

/// The switch's words.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ThemeLabels {
    /// Names the group.
    pub group: String,
    /// As the system says.
    pub auto: String,
    /// Light.
    pub light: String,
    /// Dark.
    pub dark: String,
}

/// A form that works as it is: the server keeps the choice in a cookie and sends the reader `back`. Awake, it changes
/// the page at once and keeps the same cookie itself.
#[island]
pub fn ThemeSwitch(now: String, back: String, labels: ThemeLabels) -> impl IntoView {
    let chosen = RwSignal::new(now);
    let options = [("auto", labels.auto), ("light", labels.light), ("dark", labels.dark)].map(|(code, label)| {
        view! {
            <button
                type="submit"
                name="to"
                value=code
                aria-pressed=move || if chosen.get() == code { "true" } else { "false" }
                on:click=move |event| {
                    if apply(code) {
                        event.prevent_default();
                        chosen.set(code.to_owned());
                    }
                }
            >
                {label}
            </button>
        }
    });
    view! {
        <form class="theme" class:asleep=asleep() method="post" action="/theme">
            <input type="hidden" name="back" value=back/>
            <div class="seg" role="group" aria-label=labels.group>{options}</div>
        </form>
    }
}

/// Shows and keeps the choice; false when the browser refuses, then the form is sent as without JavaScript.
#[cfg(feature = "hydrate")]
fn apply(code: &str) -> bool {
    use wasm_bindgen::JsCast as _;

    let Some(root) = document().document_element() else { return false };
    let Ok(document) = document().dyn_into::<web_sys::HtmlDocument>() else { return false };
    let cookie = format!("theme={code}; Path=/; Max-Age=31536000; SameSite=Lax");
    let shown = match code {
        "auto" => root.remove_attribute("data-theme"),
        code => root.set_attribute("data-theme", code),
    };
    shown.is_ok() && document.set_cookie(&cookie).is_ok()
}

#[cfg(not(feature = "hydrate"))]
fn apply(_: &str) -> bool {
    false
}
