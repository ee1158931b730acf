//! The bar at the top of every page: brand, navigation, language and theme switches.

use domain::text::{compare::compare_labels, upload::upload_labels};
use leptos::prelude::*;

use crate::{
    island::{ThemeLabels, ThemeSwitch},
    lang::Lang,
    routes::Route,
    visit::Visit,
    words::words,
};

/// Brand, navigation and switches. The language switch is a plain link to the same page in the other language.
#[component]
pub fn TopBar() -> impl IntoView {
    let visit = expect_context::<Visit>();
    let lang = visit.lang;
    let w = words(lang);
    let theme_labels = ThemeLabels {
        group: w.theme.to_owned(),
        auto: w.theme_auto.to_owned(),
        light: w.theme_light.to_owned(),
        dark: w.theme_dark.to_owned(),
    };
    let home = matches!(visit.route, Some(Route::Home));
    let compare = matches!(visit.route, Some(Route::Compare));
    let upload = matches!(visit.route, Some(Route::Upload | Route::Preview(_)));
    let languages = Lang::ALL.map(|other| {
        view! {
            <a
                href=visit.in_lang(other)
                hreflang=other.code()
                lang=other.code()
                aria-current=(other == lang).then_some("true")
            >
                {words(other).lang_name}
            </a>
        }
    });

    view! {
        <header class="topbar">
            <div class="topbar__in">
                <a class="brand" href=Route::Home.href(lang)>
                    <Mark/>
                    "Touchstone "
                    <small lang="ja">"試金石"</small>
                </a>
                <nav class="nav" aria-label=w.main_nav>
                    <a href=Route::Home.href(lang) aria-current=home.then_some("page")>{w.studies}</a>
                    <a href=Route::Compare.href(lang) aria-current=compare.then_some("page")>{compare_labels(lang).compare}</a>
                    <a href=Route::Upload.href(lang) aria-current=upload.then_some("page")>{upload_labels(lang).nav}</a>
                </nav>
                <div class="switches">
                    <div class="seg" role="group" aria-label=w.language>{languages}</div>
                    <ThemeSwitch now=visit.theme.code().to_owned() back=visit.here() labels=theme_labels/>
                </div>
            </div>
        </header>
    }
}

/// The stone with its gold streak.
#[component]
pub fn Mark() -> impl IntoView {
    view! {
        <svg viewBox="0 0 24 24" aria-hidden="true">
            <path class="mark__stone" d="M4 2h13l5 5v13l-2 2H6l-4-4V4Z"/>
            <path class="mark__streak" d="M6.5 15.8 16.6 7l1.6 1.2-9.6 9.5Z"/>
        </svg>
    }
}
