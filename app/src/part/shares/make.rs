//! The form that makes a link.

use domain::{
    share::{LIVES, MAX_LABEL, Scope},
    text::{
        shares::{life, scope, share_labels},
        upload::upload_labels,
    },
};
use leptos::prelude::*;

use crate::{lang::Lang, routes::Route, shares::SharesDesk};

/// What it opens, for how long, and in which form; a preview before.
#[component]
pub fn MakeForm(
    /// The study's slug.
    slug: String,
    /// What a link can open.
    scopes: Vec<Scope>,
    /// What is chosen.
    chosen: Scope,
    /// What the server says.
    desk: SharesDesk,
    /// In which language.
    lang: Lang,
) -> impl IntoView {
    let words = share_labels(lang);
    let action = Route::Shares(slug).href(lang);
    let sent = desk.sent.unwrap_or_default();
    let scopes = scopes.into_iter().map(|of| {
        let selected = of == chosen;
        view! { <option value=of.key() selected=selected>{scope(lang, &of)}</option> }
    });
    let lives = LIVES.into_iter().map(|days| {
        let value = days.map_or_else(|| "never".to_owned(), |days| days.to_string());
        view! { <option value=value selected=days == sent.days>{life(lang, days)}</option> }
    });
    let token = desk.token.then(|| {
        view! {
            <div class="entry">
                <label for="token">{upload_labels(lang).token}</label>
                <input class="field" id="token" name="token" type="password" autocomplete="off" spellcheck="false" aria-describedby="token-hint"/>
                <p class="hint" id="token-hint">{words.token_hint}</p>
            </div>
        }
    });
    let preview = format!("{action}/preview");
    view! {
        <section class="shares__part" aria-labelledby="make-title">
            <h2 id="make-title">{words.make_title}</h2>
            <form class="shares__form" method="post" action=action>
                <div class="shares__fields">
                    <div class="entry">
                        <label for="scope">{words.opens}</label>
                        <select class="field" id="scope" name="scope">{scopes.collect_view()}</select>
                    </div>
                    <div class="entry">
                        <label for="expires">{words.expires}</label>
                        <select class="field" id="expires" name="expires">{lives.collect_view()}</select>
                    </div>
                </div>
                <div class="entry">
                    <label for="label">{words.label}</label>
                    <input class="field" id="label" name="label" type="text" autocomplete="off" maxlength=MAX_LABEL.to_string() value=sent.label aria-describedby="label-hint"/>
                    <p class="hint" id="label-hint">{words.label_hint}</p>
                </div>
                <label class="shares__check">
                    <input type="checkbox" name="redacted" value="on" checked=sent.redacted aria-describedby="redact-hint"/>
                    <span>{words.redact}</span>
                </label>
                <p class="hint" id="redact-hint">{words.redact_hint}</p>
                <label class="shares__check">
                    <input type="checkbox" name="public" value="on" checked=sent.public aria-describedby="public-hint"/>
                    <span>{words.public}</span>
                </label>
                <p class="hint" id="public-hint">{words.public_hint}</p>
                {token}
                <div class="tools">
                    <button class="btn" type="submit" formmethod="post" formaction=preview>{words.preview}</button>
                    <button class="btn btn--main" type="submit">{words.make}</button>
                </div>
            </form>
        </section>
    }
}
