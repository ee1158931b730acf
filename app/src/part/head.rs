//! What a page says about itself in `<head>`.

use leptos::{prelude::*, tachys::reactive_graph::OwnedView};
use leptos_meta::{Link, Meta, Title};
use render::card;

use crate::{lang::Lang, visit::Visit};

/// What a link to a page shows of it.
pub struct Picture {
    /// Its address on this server.
    pub path: String,
    /// What it shows, in a sentence.
    pub alt: String,
}

/// Title, description, and where this page and its translation live. Every page has exactly one.
#[component]
pub fn Head(
    /// The page's own title, without the product's name.
    #[prop(into)]
    title: String,
    /// One sentence for search results and link previews.
    #[prop(into)]
    description: String,
    /// For previews of links; none where the page has no picture.
    #[prop(optional_no_strip)]
    picture: Option<Picture>,
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
    let og = visit.route.is_some().then(|| {
        let kind = if picture.is_some() { "article" } else { "website" };
        let size = if picture.is_some() { "summary_large_image" } else { "summary" };
        view! {
            <Meta property="og:site_name" content="Touchstone"/>
            <Meta property="og:type" content=kind/>
            <Meta property="og:url" content=absolute(visit.lang)/>
            <Meta property="og:title" content=title.clone()/>
            <Meta property="og:description" content=description.clone()/>
            <Meta property="og:locale" content=locale(visit.lang)/>
            <Meta property="og:locale:alternate" content=locale(other(visit.lang))/>
            <Meta name="twitter:card" content=size/>
        }
    });
    let picture = picture.map(|Picture { path, alt }| {
        let url = format!("{}{path}", visit.origin);
        view! {
            <Meta property="og:image" content=url.clone()/>
            <Meta property="og:image:type" content="image/png"/>
            <Meta property="og:image:width" content=card::WIDTH.to_string()/>
            <Meta property="og:image:height" content=card::HEIGHT.to_string()/>
            <Meta property="og:image:alt" content=alt.clone()/>
            <Meta name="twitter:image" content=url/>
            <Meta name="twitter:image:alt" content=alt/>
        }
    });
    // Tags are handed over when they are drawn, and what a page fetched is drawn after the owner of its contexts was
    // left: without this they would be dropped.
    OwnedView::new(view! {
        <Title text=escaped(&format!("{title} — Touchstone"))/>
        <Meta name="description" content=description/>
        {translations}
        {og}
        {picture}
    })
}

/// As Open Graph names languages.
const fn locale(lang: Lang) -> &'static str {
    match lang {
        Lang::Ja => "ja_JP",
        Lang::En => "en_US",
    }
}

const fn other(lang: Lang) -> Lang {
    match lang {
        Lang::Ja => Lang::En,
        Lang::En => Lang::Ja,
    }
}

/// `leptos_meta` puts a title into the document as it is, and `</title>` would end it.
fn escaped(title: &str) -> String {
    title.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
