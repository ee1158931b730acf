//! The document around every page: head, top bar, footer.

use http::{HeaderValue, header};
use leptos::{nonce::use_nonce, prelude::*};
use leptos_axum::ResponseOptions;
use leptos_meta::{MetaTags, provide_meta_context};

use crate::{
    part::{Footer, TopBar},
    routes::Pages,
    visit::{Site, Theme, Visit},
    words::words,
};

/// The whole document. Wants [`Site`], [`Visit`] and [`LeptosOptions`] in context.
#[component]
pub fn Shell() -> impl IntoView {
    provide_meta_context();
    allow_own_scripts_only();
    let site = expect_context::<Site>();
    let visit = expect_context::<Visit>();
    let options = expect_context::<LeptosOptions>();
    let words = words(visit.lang);
    let theme = (visit.theme != Theme::Auto).then(|| visit.theme.code());

    view! {
        <!DOCTYPE html>
        <html lang=visit.lang.code() data-theme=theme>
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <meta name="color-scheme" content="light dark"/>
                <link rel="icon" type="image/svg+xml" href=format!("{}/favicon.svg", site.assets)/>
                <link rel="stylesheet" href=format!("{}/site.css", site.assets)/>
                <HydrationScripts options islands=true root=site.assets.to_string()/>
                <MetaTags/>
            </head>
            <body>
                <a class="skip" href="#main">{words.skip}</a>
                <TopBar/>
                <main class="page" id="main" tabindex="-1">
                    <Pages/>
                </main>
                <Footer/>
            </body>
        </html>
    }
}

/// The page's own scripts carry a nonce; nothing else may run, load or frame.
fn allow_own_scripts_only() {
    let nonce = use_nonce().expect("the server's build has leptos' nonce feature");
    let policy = format!(
        "default-src 'self'; script-src 'self' 'nonce-{nonce}' 'wasm-unsafe-eval'; style-src 'self'; \
         img-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; \
         form-action 'self'"
    );
    let policy = HeaderValue::from_str(&policy).expect("a nonce is base64");
    expect_context::<ResponseOptions>().insert_header(header::CONTENT_SECURITY_POLICY, policy);
}
