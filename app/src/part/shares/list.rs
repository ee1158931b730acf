//! The page of share links.

use domain::{
    id::StudySlug,
    redact::Taken,
    share::Scope,
    study::Localized,
    text::{
        self,
        shares::{notice, share_labels, taken},
    },
};
use http::StatusCode;
use leptos::prelude::*;
use leptos_axum::ResponseOptions;
use store::Share;

use super::{make::MakeForm, table::Links};
use crate::{
    island::CopyButton,
    lang::Lang,
    part::Head,
    routes::Route,
    shares::SharesDesk,
    words::{copy_labels, words},
};

/// What the page shows.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The study.
    pub slug: StudySlug,
    /// Its title.
    pub title: Localized,
    /// Newest first.
    pub shares: Vec<Share>,
    /// What a link can open.
    pub scopes: Vec<Scope>,
    /// The one that the form offers first.
    pub chosen: Scope,
    /// What outsiders do not read.
    pub taken: Vec<Taken>,
    /// Whether a link was just revoked.
    pub revoked: bool,
    /// Scheme and host as the reader sees them.
    pub origin: String,
    /// Milliseconds since 1970 UTC.
    pub now_ms: i64,
}

/// The page's content.
#[component]
pub fn ShareList(
    /// What it shows.
    shown: Shown,
    /// What the server says of the form.
    desk: SharesDesk,
    /// In which language.
    lang: Lang,
) -> impl IntoView {
    let words = share_labels(lang);
    let study = shown.slug.to_string();
    let title = shown.title.get(lang).to_owned();
    let problem = desk.notice.as_ref().map(|(of, status)| {
        if let Ok(status) = StatusCode::from_u16(*status) {
            expect_context::<ResponseOptions>().set_status(status);
        }
        view! {
            <section class="problem" id="problem" role="alert" tabindex="-1">
                <h2>{words.problem}</h2>
                <p>{notice(lang, of)}</p>
            </section>
        }
    });
    let made = desk.made.clone().map(|path| made(format!("{}{path}", shown.origin), lang));
    let revoked = shown.revoked.then(|| view! { <p class="hits" role="status">{words.revoked_now}</p> });
    let links = if shown.shares.is_empty() {
        view! { <p class="empty">{words.none_yet}</p> }.into_any()
    } else {
        let (shares, now_ms, token) = (shown.shares, shown.now_ms, desk.token);
        view! { <Links shares slug=study.clone() now_ms token lang/> }.into_any()
    };
    view! {
        <Head title=format!("{} — {title}", words.shares) description=words.intro/>
        <nav class="crumbs" aria-label=text::page_labels(lang).breadcrumb>
            <a href=Route::Home.href(lang)>{text::labels(lang).studies}</a>
            <span aria-hidden="true">"/"</span>
            <a href=Route::Study(study.clone()).href(lang)>{study.clone()}</a>
            <span aria-hidden="true">"/"</span>
            <span aria-current="page">{words.shares}</span>
        </nav>
        <div class="title"><div><h1>{words.shares}</h1><p>{title}</p></div></div>
        <p class="small muted shares__intro">{words.intro}</p>
        {problem}
        {made}
        {revoked}
        {links}
        <MakeForm slug=study scopes=shown.scopes chosen=shown.chosen desk lang/>
        {hidden(shown.taken, lang)}
    }
}

/// The new link: a text that can be selected, and a button.
fn made(link: String, lang: Lang) -> impl IntoView {
    let of = share_labels(lang);
    view! {
        <section class="shares__made" role="status">
            <p><b>{of.made}</b>" "{of.made_hint}</p>
            <div class="shares__link">
                <a class="mono" href=link.clone() aria-label=of.the_link>{link.clone()}</a>
                <CopyButton text=link labels=copy_labels(words(lang))/>
            </div>
        </section>
    }
}

fn hidden(all: Vec<Taken>, lang: Lang) -> impl IntoView {
    let words = share_labels(lang);
    let hint = if all.is_empty() { words.taken_none } else { words.taken_hint };
    let items = all.iter().map(|one| view! { <li><code>{one.placeholder.clone()}</code>" "{taken(lang, one)}</li> });
    let list = (!all.is_empty()).then(|| view! { <ul class="shares__taken">{items.collect_view()}</ul> });
    view! {
        <section class="shares__part" aria-labelledby="taken-title">
            <h2 id="taken-title">{words.taken_title}</h2>
            <p class="small muted shares__intro">{hint}</p>
            {list}
        </section>
    }
}
