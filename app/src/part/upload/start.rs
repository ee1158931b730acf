//! The first form: a plain multipart form, which an island makes more comfortable.

use domain::text::upload::{UploadLabels, notice, upload_labels};
use http::StatusCode;
use leptos::prelude::*;
use leptos_axum::ResponseOptions;

use crate::{
    island::{UploadHelp, UploadHelpLabels},
    lang::Lang,
    routes::Route,
    upload::UploadDesk,
};

/// The form, and what was wrong with it when it was sent.
#[component]
pub fn Start(
    /// What the server says.
    desk: UploadDesk,
    /// In which language.
    lang: Lang,
) -> impl IntoView {
    let own = upload_labels(lang);
    let problem = desk.notice.map(|(of, status)| {
        if let Ok(status) = StatusCode::from_u16(status) {
            expect_context::<ResponseOptions>().set_status(status);
        }
        view! {
            <section class="problem" id="problem" role="alert" tabindex="-1">
                <h2>{own.problem}</h2>
                <p>{notice(lang, &of)}</p>
            </section>
        }
    });
    // Before the files, so that a token which opens nothing is refused before they are sent.
    let token = desk.token.then(|| {
        view! {
            <div class="entry upload__token">
                <label for="token">{own.token}</label>
                <input class="field" id="token" name="token" type="password" autocomplete="off" spellcheck="false" required="" aria-describedby="token-hint"/>
                <p class="hint" id="token-hint">{own.token_hint}</p>
            </div>
        }
    });
    view! {
        <div id="problem-place">{problem}</div>
        <form class="upload" id="upload" method="post" enctype="multipart/form-data" action=Route::Upload.href(lang)>
            {token}
            <section class="drop" id="drop" aria-labelledby="drop-title">
                <h2 id="drop-title">
                    <span class="if-script">{own.drop}</span>
                    <span class="if-no-script">{own.choose}</span>
                </h2>
                <p id="formats">{own.formats}</p>
                <div class="tools">
                    <label class="btn btn--main drop__choose" for="file">{own.choose}</label>
                    <input class="drop__input" id="file" name="file" type="file" multiple="" aria-describedby="formats"/>
                </div>
            </section>
            <details class="more upload__paste" id="paste">
                <summary>{own.paste}</summary>
                <div class="entry">
                    <label for="text">{own.pasted}</label>
                    <textarea class="field paste" id="text" name="text" rows="8" spellcheck="false" placeholder="============ Serving Benchmark Result ============"></textarea>
                </div>
                <div class="entry entry--short">
                    <label for="name">{own.pasted_name}" "<span class="muted">{own.optional}</span></label>
                    <input class="field" id="name" name="name" placeholder="pasted.txt" maxlength="200" autocomplete="off"/>
                </div>
            </details>
            <UploadHelp labels=help_labels(own)/>
            <div class="tools upload__send">
                <button class="btn btn--main" type="submit">{own.show_preview}</button>
                <button class="btn" type="reset">{own.clear}</button>
            </div>
            <p class="small muted upload__promise">{own.nothing_yet}</p>
        </form>
    }
}

fn help_labels(own: &UploadLabels) -> UploadHelpLabels {
    UploadHelpLabels {
        chosen: own.chosen.to_owned(),
        sending: own.sending.to_owned(),
        reading: own.reading.to_owned(),
        cancel: own.cancel.to_owned(),
        cancelled: own.cancelled.to_owned(),
        connection: own.connection.to_owned(),
    }
}
