//! Every link of a study: what it opens, until when, how often it was opened, and the way to end it.

use domain::{
    share::State,
    text::{
        number::count,
        phrase,
        shares::{scope, share_labels, state},
        upload::upload_labels,
    },
};
use leptos::prelude::*;
use store::Share;

use crate::{lang::Lang, part::Time, routes::Route};

/// The table.
#[component]
pub fn Links(
    /// Newest first.
    shares: Vec<Share>,
    /// The study's slug.
    slug: String,
    /// Milliseconds since 1970 UTC.
    now_ms: i64,
    /// Whether forms ask for a token.
    token: bool,
    /// In which language.
    lang: Lang,
) -> impl IntoView {
    let words = share_labels(lang);
    let action = format!("{}/revoke", Route::Shares(slug).href(lang));
    let rows = shares.into_iter().map(|share| row(share, &action, now_ms, token, lang)).collect_view();
    view! {
        <div class="scroll" tabindex="0" role="group" aria-label=words.shares>
            <table class="t shares__table">
                <thead>
                    <tr>
                        <th scope="col">{words.the_link}</th>
                        <th scope="col">{words.opens}</th>
                        <th scope="col">{words.shows}</th>
                        <th scope="col">{words.created}</th>
                        <th scope="col">{words.expires}</th>
                        <th scope="col">{words.views}</th>
                        <th scope="col">{words.state}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

fn row(share: Share, action: &str, now_ms: i64, token: bool, lang: Lang) -> AnyView {
    let words = share_labels(lang);
    let id = share.id().to_owned();
    let of = share.state(now_ms);
    let made = share.made;
    let label = (!made.label.is_empty()).then(|| view! { <span class="shares__label">{made.label.clone()}</span> });
    let shows = if made.redacted { words.redacted } else { words.plain };
    let public = made.indexed.then(|| format!("{}{}", phrase::separator(lang), words.public_short));
    let expires = match made.expires_at {
        Some(ms) => view! { <Time ms lang/> }.into_any(),
        None => words.never.into_any(),
    };
    let author = made.author.unwrap_or_else(|| words.this_machine.to_owned());
    let last = share.last_viewed_at.map(|ms| view! { <span class="shares__more"><Time ms lang/></span> });
    let revoke = (of == State::Open).then(|| revoke(&id, action, token, lang));
    view! {
        <tr>
            <th scope="row">{label}<code>{id}"…"</code></th>
            <td>{scope(lang, &made.scope)}</td>
            <td>{shows}{public}</td>
            <td><Time ms=made.created_at lang/><span class="shares__more">{author}</span></td>
            <td>{expires}</td>
            <td class="num">{count(share.views)}{last}</td>
            <td>{state(lang, of)}{revoke}</td>
        </tr>
    }
    .into_any()
}

/// Behind a word that has to be opened first: a link that is gone does not come back.
fn revoke(id: &str, action: &str, token: bool, lang: Lang) -> impl IntoView + use<> {
    let words = share_labels(lang);
    let field = format!("revoke-token-{id}");
    let token = token.then(|| {
        view! {
            <label for=field.clone()>{upload_labels(lang).token}</label>
            <input class="field" id=field name="token" type="password" autocomplete="off" spellcheck="false"/>
        }
    });
    view! {
        <details class="more">
            <summary>{words.revoke}</summary>
            <form class="shares__revoke" method="post" action=action.to_owned()>
                <p>{words.revoke_sure}</p>
                <input type="hidden" name="id" value=id.to_owned()/>
                {token}
                <button class="btn" type="submit">{words.revoke}</button>
            </form>
        </details>
    }
}
