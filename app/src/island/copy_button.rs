//! A button that copies a text.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::asleep;

/// The button's words.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CopyLabels {
    /// On the button.
    pub copy: String,
    /// On the button, and announced, once it has copied.
    pub copied: String,
    /// Announced when the browser refused.
    pub failed: String,
}

#[derive(Clone, Copy, PartialEq)]
#[cfg_attr(not(feature = "hydrate"), expect(dead_code, reason = "only a browser copies"))]
enum State {
    Ready,
    Copied,
    Failed,
}

/// How long the answer stays on the button: time to read two words, short enough to copy again.
#[cfg(feature = "hydrate")]
const ANSWER_STAYS: std::time::Duration = std::time::Duration::from_millis(2500);

/// Copies `text`. Invisible until it works; without JavaScript it takes no room and the text beside it is selectable.
#[island]
pub fn CopyButton(text: String, labels: CopyLabels) -> impl IntoView {
    let state = RwSignal::new(State::Ready);
    let CopyLabels { copy, copied, failed } = labels;
    let label = {
        let copied = copied.clone();
        move || match state.get() {
            State::Ready | State::Failed => copy.clone(),
            State::Copied => copied.clone(),
        }
    };
    let announcement = move || match state.get() {
        State::Ready => String::new(),
        State::Copied => copied.clone(),
        State::Failed => failed.clone(),
    };

    view! {
        <span class="copy" class:asleep=asleep()>
            <button type="button" class="btn copy__button" on:click=move |_| copy_text(&text, state)>
                {label}
            </button>
            <span class="copy__answer" class:vh=move || state.get() != State::Failed role="status">{announcement}</span>
        </span>
    }
}

#[cfg(feature = "hydrate")]
fn copy_text(text: &str, state: RwSignal<State>) {
    let text = text.to_owned();
    leptos::task::spawn_local(async move {
        let done = by_clipboard(&text).await || by_selection(&text).is_some();
        state.set(if done { State::Copied } else { State::Failed });
        if done {
            set_timeout(move || state.set(State::Ready), ANSWER_STAYS);
        }
    });
}

#[cfg(not(feature = "hydrate"))]
fn copy_text(_: &str, _: RwSignal<State>) {}

/// The modern way, there only on HTTPS and localhost.
#[cfg(feature = "hydrate")]
async fn by_clipboard(text: &str) -> bool {
    let window = window();
    if !window.is_secure_context() {
        return false;
    }
    wasm_bindgen_futures::JsFuture::from(window.navigator().clipboard().write_text(text)).await.is_ok()
}

/// The old way, for servers reached by plain HTTP: select the text in a hidden field and tell the browser to copy.
#[cfg(feature = "hydrate")]
fn by_selection(text: &str) -> Option<()> {
    use wasm_bindgen::JsCast as _;

    let document = document().dyn_into::<web_sys::HtmlDocument>().ok()?;
    let before = document.active_element().and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok());
    let field = document.create_element("textarea").ok()?.dyn_into::<web_sys::HtmlTextAreaElement>().ok()?;
    field.set_value(text);
    field.set_class_name("vh");
    field.set_read_only(true);
    document.body()?.append_child(&field).ok()?;
    field.select();
    let copied = document.exec_command("copy").unwrap_or(false);
    field.remove();
    if let Some(before) = before {
        // Focus goes back to the button; a browser that refuses leaves it on the page, which harms nobody.
        before.focus().ok();
    }
    copied.then_some(())
}
