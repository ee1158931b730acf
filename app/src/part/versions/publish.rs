//! The form that publishes.

use domain::{
    text::{
        upload::upload_labels,
        versions::{notice, version_labels},
    },
    version::MAX_REMARK,
};
use http::StatusCode;
use leptos::prelude::*;
use leptos_axum::ResponseOptions;

use crate::{lang::Lang, versions::VersionsDesk};

/// A remark, a token where one is asked for, and what went wrong before.
#[component]
pub fn PublishForm(
    /// Where it is sent.
    action: String,
    /// What the server says.
    desk: VersionsDesk,
    /// In which language.
    lang: Lang,
) -> impl IntoView {
    let words = version_labels(lang);
    let problem = desk.notice.map(|(of, status)| {
        if let Ok(status) = StatusCode::from_u16(status) {
            expect_context::<ResponseOptions>().set_status(status);
        }
        view! {
            <section class="problem" id="problem" role="alert" tabindex="-1">
                <h3>{words.problem}</h3>
                <p>{notice(lang, &of)}</p>
            </section>
        }
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
    let remark = desk.sent.map(|sent| sent.remark).unwrap_or_default();
    view! {
        <section class="versions__part" aria-labelledby="publish-title">
            <h2 id="publish-title">{words.publish_title}</h2>
            {problem}
            <p class="small muted versions__intro">{words.publish_hint}</p>
            <form class="versions__form" method="post" action=action>
                <div class="entry">
                    <label for="remark">{words.remark_label}</label>
                    <input class="field" id="remark" name="remark" type="text" autocomplete="off" maxlength=MAX_REMARK.to_string() value=remark aria-describedby="remark-hint"/>
                    <p class="hint" id="remark-hint">{words.remark_hint}</p>
                </div>
                {token}
                <button class="btn btn--main" type="submit">{words.publish}</button>
            </form>
        </section>
    }
}
