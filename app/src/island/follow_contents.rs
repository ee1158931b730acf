//! Marks the section that is being read in the list of contents.

use leptos::prelude::*;

/// Draws nothing. In the browser it keeps `aria-current` on the link of the section at the top of the window; without
/// JavaScript the list is a plain list.
#[island]
pub fn FollowContents() -> impl IntoView {
    #[cfg(feature = "hydrate")]
    Effect::new(|_| follow());
}

/// How far from the top of the window, in pixels, a section begins to count: below the bar that stays there.
#[cfg(feature = "hydrate")]
const READING_LINE: f64 = 140.0;

#[cfg(feature = "hydrate")]
fn follow() {
    use std::{cell::Cell, rc::Rc};

    mark();
    let waiting = Rc::new(Cell::new(false));
    // The list lives as long as the page, so nobody ever takes the listener away.
    let _listener = window_event_listener(leptos::ev::scroll, move |_| {
        if !waiting.replace(true) {
            let waiting = Rc::clone(&waiting);
            request_animation_frame(move || {
                waiting.set(false);
                mark();
            });
        }
    });
}

#[cfg(feature = "hydrate")]
fn mark() {
    use wasm_bindgen::JsCast as _;

    let Ok(links) = document().query_selector_all(".toc a") else { return };
    let links = (0..links.length()).filter_map(|at| links.get(at)?.dyn_into::<web_sys::Element>().ok());
    let mut current: Option<web_sys::Element> = None;
    for link in links {
        let id = link.get_attribute("href").unwrap_or_default();
        let section = document().get_element_by_id(id.trim_start_matches('#'));
        let reached = section.is_some_and(|section| section.get_bounding_client_rect().top() < READING_LINE);
        if reached || current.is_none() {
            if let Some(before) = current.replace(link) {
                before.remove_attribute("aria-current").ok();
            }
        } else {
            link.remove_attribute("aria-current").ok();
        }
    }
    if let Some(link) = current {
        link.set_attribute("aria-current", "location").ok();
    }
}
