//! What a page says about itself in `<head>`.

use leptos::{prelude::*, tachys::reactive_graph::OwnedView};
use leptos_meta::{Link, Meta, Title};

use crate::{lang::Lang, visit::Visit};

/// Title, description, and where this page and its translation live. Every page has exactly one.
#[component]
pub fn Head(
    /// The page's own title, without the product's name.
    #[prop(into)]
    title: String,
    /// One sentence for search results and link previews.
    #[prop(into)]
    description: String,
) -> impl IntoView {
    let visit = expect_context::<Visit>();
    let absolute = |lang: Lang| format!("{}{}", visit.origin, visit.in_lang(lang));
    let translations = visit.route.is_some().then(|| {
        view! {
            <Link rel="canonical" href=absolute(visit.lang)/>
            <Link rel="alternate" hreflang="ja" href=absolute(Lang::Ja)/>
            <Link rel="alternate" hreflang="en" href=absolute(Lang::En)/>
            <Link rel="alternate" hreflang="x-default" href=absolute(Lang::En)/>
        }
    });
    // leptos_meta writes the title as it is, and a name may hold `</title><script>`.
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    // Tags are handed over when they are drawn, and what a page fetched is drawn after the owner of its contexts was
    // left: without this they would be dropped.
    OwnedView::new(view! {
        <Title text=format!("{title} — Touchstone")/>
        <Meta name="description" content=description/>
        {translations}
    })
}
