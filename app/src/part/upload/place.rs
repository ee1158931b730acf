//! Where an upload goes: the study that all files share, and variant, profile, step and server start of each file.

use domain::{
    study::{Study, Variant},
    text::{
        labels, phrase,
        upload::{upload_labels, wrong},
    },
};
use leptos::prelude::*;
use store::StudyHead;

use super::field::{Faults, Kind, entry, pick};
use crate::{
    lang::Lang,
    upload::{FileFields, NEW, StudyFields},
};

/// The study and the machine.
#[component]
pub fn StudyPlace(
    /// What stands in the fields.
    fields: StudyFields,
    /// All studies.
    heads: Vec<StudyHead>,
    /// The one that is chosen.
    study: Option<Study>,
    /// What is wrong.
    faults: Faults,
    /// In which language.
    lang: Lang,
) -> impl IntoView {
    let (words, own) = (labels(lang), upload_labels(lang));
    let known = heads.iter().map(|head| (head.slug.to_string(), head.title.get(lang).to_owned()));
    let options = known.chain([(NEW.to_owned(), own.new_study.to_owned())]).collect();
    let hint = fields.guessed.then_some(own.guessed_file);
    let machine = study.as_ref().map(|study| {
        view! {
            <dl class="kv kv--left pick__known">
                <dt>{words.model}</dt><dd><code>{study.model.id.clone()}</code></dd>
                <dt>{words.gpu}</dt><dd>{phrase::hardware(lang, &study.hardware)}</dd>
            </dl>
        }
    });
    let f = &faults;
    let short = Kind { hint: Some(own.slug_hint), ..Kind::default() };
    let optional = Kind { aside: Some(own.optional), ..Kind::default() };
    let several = heads.is_empty();
    view! {
        <div class="pick">
            {pick("study".to_owned(), words.study, &fields.study, options, hint, f, lang)}
            <input type="hidden" name="study-was" value=fields.study.clone()/>
            {(!several).then(|| view! {
                <button class="btn pick__look" type="submit" name="do" value="look">{own.use_study}</button>
            })}
            {machine}
            <div class="pick__new">
                {entry("slug".to_owned(), own.slug, fields.slug, short, f, lang)}
                {entry("title".to_owned(), own.study_title, fields.title, optional, f, lang)}
                {entry("model".to_owned(), words.model, fields.model, Kind::default(), f, lang)}
                {entry("gpu".to_owned(), words.gpu, fields.gpu, optional, f, lang)}
                {entry("gpus".to_owned(), own.gpus, fields.gpus, Kind { digits: true, ..optional }, f, lang)}
            </div>
        </div>
    }
}

/// One file's fields.
#[component]
pub fn FilePlace(
    /// What stands in the fields.
    fields: FileFields,
    /// The file's name.
    file: String,
    /// The study that is chosen.
    study: Option<Study>,
    /// What is wrong.
    faults: Faults,
    /// In which language.
    lang: Lang,
) -> impl IntoView {
    let (words, own) = (labels(lang), upload_labels(lang));
    let at = fields.at;
    let id = |name: &str| format!("{name}-{at}");
    let f = &faults;
    let plain = Kind::default();
    let digits = Kind { digits: true, ..plain };
    let optional = Kind { aside: Some(own.optional), ..plain };
    let none = (fields.variant.is_empty()).then(|| (String::new(), own.choose_variant.to_owned()));
    let known = study.iter().flat_map(|study| &study.variants);
    let known = known.map(|variant| (variant.id.to_string(), variant_words(variant, lang)));
    let variants = none.into_iter().chain(known).chain([(NEW.to_owned(), own.new_variant.to_owned())]).collect();
    let none = (fields.profile.is_empty()).then(|| (String::new(), own.choose_profile.to_owned()));
    let known = study.iter().flat_map(|study| &study.profiles);
    let known = known.map(|profile| {
        let line = phrase::profile(lang, profile, None);
        let name = profile.name.get(lang).to_owned();
        (profile.id.to_string(), if line.is_empty() { name } else { format!("{name} ({line})") })
    });
    let profiles = none.into_iter().chain(known).chain([(NEW.to_owned(), own.new_profile.to_owned())]).collect();
    let by_name = fields.variant_guessed.then_some(own.guessed_name);
    let by_load = fields.profile_guessed.then_some(own.guessed_load);
    let arguments = Kind { hint: Some(own.arguments_hint), aside: Some(own.optional), lines: true, ..plain };
    let rate = Kind { hint: Some(own.rate_hint), ..plain };
    let step = Kind { list: Some("steps"), ..optional };
    let of_study = Kind { aside: Some(own.as_study), ..plain };
    let start = Kind { hint: Some(own.start_hint), ..optional };
    view! {
        <fieldset class="place">
            <legend>{own.goes}<span class="vh">{phrase::colon(lang)}{file}</span></legend>
            <div class="place__grid">
                <div class="pick">
                    {pick(id("variant"), words.variant, &fields.variant, variants, by_name, f, lang)}
                    <div class="pick__new">
                        {entry(id("vid"), own.id, fields.vid, plain, f, lang)}
                        {entry(id("engine"), words.engine, fields.engine, Kind { list: Some("engines"), ..plain }, f, lang)}
                        {entry(id("version"), own.version, fields.version, optional, f, lang)}
                        {entry(id("model"), words.model, fields.model, of_study, f, lang)}
                        {entry(id("vgpus"), own.gpus, fields.vgpus, Kind { digits: true, ..optional }, f, lang)}
                        {entry(id("args"), words.arguments, fields.args, arguments, f, lang)}
                    </div>
                </div>
                <div class="pick">
                    {pick(id("profile"), words.profile, &fields.profile, profiles, by_load, f, lang)}
                    <div class="pick__new">
                        {entry(id("pid"), own.id, fields.pid, plain, f, lang)}
                        {entry(id("dataset"), words.dataset, fields.dataset, plain, f, lang)}
                        {entry(id("input"), words.input_tokens, fields.input, digits, f, lang)}
                        {entry(id("output"), words.output_tokens, fields.output, digits, f, lang)}
                        {entry(id("rate"), words.request_rate, fields.rate, rate, f, lang)}
                        {entry(id("concurrency"), words.max_concurrency, fields.concurrency, digits, f, lang)}
                        {entry(id("requests"), words.requests, fields.requests, digits, f, lang)}
                    </div>
                </div>
                {entry(id("step"), words.step, fields.step, step, f, lang)}
                {entry(id("start"), own.start, fields.start, start, f, lang)}
            </div>
            <label class="check"><input type="checkbox" name=id("skip") value="1" checked=fields.skip/>{own.skip}</label>
        </fieldset>
    }
}

/// Suggestions for all files.
#[component]
pub fn Suggestions(
    /// The study that is chosen.
    study: Option<Study>,
    /// In which language.
    lang: Lang,
) -> impl IntoView {
    let steps = study.into_iter().flat_map(|study| study.steps).map(|step| {
        view! { <option value=step.id.to_string()>{step.name.get(lang).to_owned()}</option> }
    });
    view! {
        <datalist id="steps">{steps.collect_view()}</datalist>
        <datalist id="engines">
            {["vLLM", "SGLang", "TensorRT-LLM", "LMDeploy"].map(|engine| view! { <option value=engine></option> })}
        </datalist>
    }
}

/// What is wrong in the form, with ways to the fields.
#[component]
pub fn FaultList(
    /// In the order of the form: the field's id, what it is called, what is wrong.
    faults: Vec<(Option<String>, String, domain::text::upload::Wrong)>,
    /// In which language.
    lang: Lang,
) -> impl IntoView {
    let own = upload_labels(lang);
    let n = faults.len();
    let items = faults.into_iter().map(|(field, name, of)| {
        let name = field.map(|field| view! { <a href=format!("#{field}")>{name}</a>{phrase::colon(lang)} });
        view! { <li>{name}{wrong(lang, &of)}</li> }
    });
    view! {
        <section class="problem" id="problem" role="alert" tabindex="-1">
            <h2>{own.problem}</h2>
            <p>{domain::text::upload::faults(lang, n)}</p>
            <ul>{items.collect_view()}</ul>
        </section>
    }
}

fn variant_words(variant: &Variant, lang: Lang) -> String {
    match &variant.name {
        Some(name) if !name.is_empty() => format!("{} ({})", name.get(lang), variant.id),
        Some(_) | None => variant.id.to_string(),
    }
}
