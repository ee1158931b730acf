//! What makes choosing files comfortable: dropping, pasting anywhere, a list of what is chosen, progress, cancel.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::asleep;

/// Its words.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UploadHelpLabels {
    /// In front of the files' names.
    pub chosen: String,
    /// While bytes are on their way.
    pub sending: String,
    /// While the server reads them.
    pub reading: String,
    /// On the button.
    pub cancel: String,
    /// Afterwards.
    pub cancelled: String,
    /// When the connection was lost.
    pub connection: String,
}

/// What the progress shows.
#[derive(Clone, Copy, PartialEq)]
#[cfg_attr(not(feature = "hydrate"), expect(dead_code, reason = "only a browser sends"))]
enum Stage {
    Idle,
    Sending(f64, f64),
    Reading,
    Cancelled,
    Lost,
}

/// Helps the form `#upload` that it stands in, which works without it. It sends the same form and goes where the answer
/// leads; an answer that is no preview is a page with a `#problem`, which is shown here, so that nothing chosen is lost.
#[island]
pub fn UploadHelp(labels: UploadHelpLabels) -> impl IntoView {
    let stage = RwSignal::new(Stage::Idle);
    let chosen = RwSignal::new(String::new());
    #[cfg(feature = "hydrate")]
    Effect::new(move |_| browser::help(stage, chosen));
    let UploadHelpLabels { chosen: word, sending, reading, cancel, cancelled, connection } = labels;
    let busy = move || matches!(stage.get(), Stage::Sending(..) | Stage::Reading);
    // The words of a stage are announced once; bytes and percent change too often to be read aloud.
    let words = Memo::new(move |_| match stage.get() {
        Stage::Idle => String::new(),
        Stage::Sending(..) => sending.clone(),
        Stage::Reading => reading.clone(),
        Stage::Cancelled => cancelled.clone(),
        Stage::Lost => connection.clone(),
    });
    let figures = move || match stage.get() {
        Stage::Sending(sent, all) => {
            format!("{} / {} ({}%)", megabytes(sent), megabytes(all), (sent / all.max(1.0) * 100.0) as u32)
        }
        Stage::Idle | Stage::Reading | Stage::Cancelled | Stage::Lost => String::new(),
    };
    let share = move || match stage.get() {
        Stage::Sending(sent, all) => Some((sent / all.max(1.0)).to_string()),
        Stage::Idle | Stage::Reading | Stage::Cancelled | Stage::Lost => None,
    };
    view! {
        <div class="progress" class:asleep=asleep()>
            <p class="small" class:vh=move || chosen.get().is_empty() role="status">
                <b>{word}</b>" "{move || chosen.get()}
            </p>
            <div class="progress__bar" class:progress__bar--off=move || !busy()>
                <progress value=share max="1" aria-labelledby="progress-words"></progress>
                <span class="small muted">{figures}</span>
                <button class="btn" type="button" on:click=move |_| stop()>{cancel}</button>
            </div>
            <p class="small" id="progress-words" role="status">{words}</p>
        </div>
    }
}

fn megabytes(bytes: f64) -> String {
    let tenths = (bytes / 1e5).round() as u64;
    format!("{}.{} MB", tenths / 10, tenths % 10)
}

#[cfg(feature = "hydrate")]
fn stop() {
    browser::stop();
}

#[cfg(not(feature = "hydrate"))]
fn stop() {}

#[cfg(feature = "hydrate")]
mod browser {
    use std::cell::RefCell;

    use leptos::{ev, prelude::*};
    use wasm_bindgen::{JsCast as _, JsValue, closure::Closure};
    use web_sys::{
        DataTransfer, Document, Event, FileList, FormData, HtmlElement, HtmlFormElement, HtmlInputElement,
        HtmlTextAreaElement, ProgressEvent, XmlHttpRequest, XmlHttpRequestResponseType,
    };

    use super::Stage;

    thread_local! {
        /// The request that is under way.
        static REQUEST: RefCell<Option<XmlHttpRequest>> = const { RefCell::new(None) };
    }

    fn by_id<T: wasm_bindgen::JsCast>(id: &str) -> Option<T> {
        document().get_element_by_id(id)?.dyn_into::<T>().ok()
    }

    fn input() -> Option<HtmlInputElement> {
        by_id("file")
    }

    /// Listens to the form. All of it lives as long as the page, so nobody ever takes a listener away.
    pub fn help(stage: RwSignal<Stage>, chosen: RwSignal<String>) {
        let (Some(form), Some(input)) = (by_id::<HtmlFormElement>("upload"), input()) else { return };
        let list = move || chosen.set(names());
        list();
        listen(&input, "change", move |_| list());
        listen(&form, "reset", move |_| {
            // The fields are empty only after this event.
            set_timeout(list, std::time::Duration::ZERO);
        });
        listen(&form, "submit", move |event| {
            if send(stage).is_some() {
                event.prevent_default();
            }
        });
        let _over = window_event_listener(ev::dragover, |event| {
            if has_files(event.data_transfer().as_ref()) {
                event.prevent_default();
                mark(true);
            }
        });
        let _leave = window_event_listener(ev::dragleave, |event| {
            if event.related_target().is_none() {
                mark(false);
            }
        });
        let _drop = window_event_listener(ev::drop, move |event| {
            mark(false);
            if let Some(data) = event.data_transfer().filter(|data| has_files(Some(data))) {
                event.prevent_default();
                add(data.files());
                list();
            }
        });
        let _paste = window_event_listener(ev::paste, move |event| {
            let Some(data) = event.dyn_ref::<web_sys::ClipboardEvent>().and_then(|event| event.clipboard_data()) else {
                return;
            };
            let in_field = event.target().is_some_and(|target| {
                target.has_type::<HtmlInputElement>() || target.has_type::<HtmlTextAreaElement>()
            });
            if has_files(Some(&data)) {
                add(data.files());
                list();
            } else if !in_field
                && let (Ok(text), Some(field)) = (data.get_data("text"), by_id::<HtmlTextAreaElement>("text"))
            {
                field.set_value(&text);
                if let Some(paste) = by_id::<HtmlElement>("paste") {
                    paste.set_attribute("open", "").ok();
                }
                field.focus().ok();
            }
        });
    }

    fn listen(target: &web_sys::EventTarget, name: &str, heard: impl Fn(Event) + 'static) {
        let heard = Closure::<dyn Fn(Event)>::new(heard);
        target.add_event_listener_with_callback(name, heard.as_ref().unchecked_ref()).ok();
        heard.forget();
    }

    fn has_files(data: Option<&DataTransfer>) -> bool {
        data.is_some_and(|data| data.types().includes(&JsValue::from_str("Files"), 0))
    }

    fn mark(over: bool) {
        if let Some(zone) = by_id::<HtmlElement>("drop") {
            zone.class_list().toggle_with_force("drop--over", over).ok();
        }
    }

    fn files() -> Vec<web_sys::File> {
        let all = input().and_then(|input| input.files());
        all.map(|all| (0..all.length()).filter_map(|at| all.item(at)).collect()).unwrap_or_default()
    }

    fn names() -> String {
        files().iter().map(web_sys::File::name).collect::<Vec<_>>().join(", ")
    }

    /// Adds to what is chosen: who drops one file after the other wants them all.
    fn add(more: Option<FileList>) -> Option<()> {
        let all = DataTransfer::new().ok()?;
        let more = more.map(|more| (0..more.length()).filter_map(move |at| more.item(at)));
        for file in files().into_iter().chain(more.into_iter().flatten()) {
            all.items().add_with_file(&file).ok()?;
        }
        input()?.set_files(all.files().as_ref());
        Some(())
    }

    pub fn stop() {
        REQUEST.with_borrow(|request| request.as_ref().map(XmlHttpRequest::abort));
    }

    /// Sends the form with its progress; none where the browser cannot, then it is sent as without a script.
    fn send(stage: RwSignal<Stage>) -> Option<()> {
        let form: HtmlFormElement = by_id("upload")?;
        let body = FormData::new_with_form(&form).ok()?;
        let request = XmlHttpRequest::new().ok()?;
        request.open_with_async("POST", &form.action(), true).ok()?;
        request.set_response_type(XmlHttpRequestResponseType::Document);
        let up = request.upload().ok()?;
        listen(&up, "progress", move |event| {
            if let Some(event) = event.dyn_ref::<ProgressEvent>() {
                stage.set(Stage::Sending(event.loaded(), event.total()));
            }
        });
        listen(&up, "load", move |_| stage.set(Stage::Reading));
        listen(&request, "error", move |_| stage.set(Stage::Lost));
        listen(&request, "abort", move |_| stage.set(Stage::Cancelled));
        let answered = request.clone();
        listen(&request, "load", move |_| {
            stage.set(Stage::Idle);
            let page = answered.response().ok().and_then(|page| page.dyn_into::<Document>().ok());
            match page.and_then(|page| page.get_element_by_id("problem")) {
                Some(problem) => show(&problem),
                None if answered.status().is_ok_and(|status| status >= 400) => stage.set(Stage::Lost),
                None => {
                    window().location().assign(&answered.response_url()).ok();
                }
            }
        });
        stage.set(Stage::Sending(0.0, 1.0));
        request.send_with_opt_form_data(Some(&body)).ok()?;
        REQUEST.set(Some(request));
        Some(())
    }

    /// Puts the problem of another page of ours into this one.
    fn show(problem: &web_sys::Element) {
        if let Some(place) = by_id::<HtmlElement>("problem-place") {
            place.set_inner_html(&problem.outer_html());
            if let Some(shown) = by_id::<HtmlElement>("problem") {
                shown.focus().ok();
            }
        }
    }
}
