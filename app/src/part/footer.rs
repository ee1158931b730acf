//! The foot of every page.

use leptos::prelude::*;

use crate::{visit::Visit, words::words};

/// What this site is, and which version of the software made the page.
#[component]
pub fn Footer() -> impl IntoView {
    let visit = expect_context::<Visit>();
    view! {
        <footer class="footer">
            <div class="footer__in">
                <p>{words(visit.lang).footer}</p>
                <p class="footer__version">"Touchstone " {env!("CARGO_PKG_VERSION")}</p>
            </div>
        </footer>
    }
}
