//! The limits of a reader: a form whose address is the view, and the mark of a view that is not the study's.

use std::collections::BTreeSet;

use domain::{
    metric::Metric,
    metrics::{Latency, Stat},
    study::{LIMITS_SENT, Limits, Profile},
    text::{self, number::short, phrase, ranking_labels},
};
use leptos::prelude::*;

use super::edition::Edition;
use crate::{
    part::icon::{Icon, IconMark},
    routes::Route,
};

/// What a form offers for every profile; limits that the study or the reader has beyond these are offered too.
const OFFERED: [Metric; 4] = [
    Metric::Latency(Latency::Ttft, Stat::P99),
    Metric::Latency(Latency::Tpot, Stat::Mean),
    Metric::Latency(Latency::Tpot, Stat::P99),
    Metric::Latency(Latency::E2el, Stat::P99),
];

/// Says in the conclusion that it follows the reader's limits, and leads back.
#[component]
pub fn OwnLimits(
    /// The report.
    edition: Edition,
) -> impl IntoView {
    let words = ranking_labels(edition.lang);
    let limits = edition.report.profiles.iter().flat_map(|profile| {
        let name = edition.profile(&profile.id);
        profile.slo.iter().map(move |(metric, limit)| (name.clone(), *metric, *limit))
    });
    let limits = limits.map(|(name, metric, limit)| {
        view! { <li>{name}{phrase::colon(edition.lang)}{text::limit(edition.lang, metric, limit)}</li> }
    });
    view! {
        <div class="own-limits" role="note">
            <p><IconMark icon=Icon::Unknown/><b>{words.yours}</b></p>
            <ul>{limits.collect_view()}</ul>
            {edition.on_site().then(|| view! { <p><a href=home(&edition)>{words.reset}</a></p> })}
        </div>
    }
}

/// The report as the study has it.
fn home(edition: &Edition) -> String {
    Route::Study(edition.report.slug.to_string()).href(edition.lang)
}

/// The form. It works as it is: the address it leads to is the view.
#[component]
pub fn LimitsForm(
    /// The report.
    edition: Edition,
) -> impl IntoView {
    let (lang, words) = (edition.lang, ranking_labels(edition.lang));
    let open = edition.asked.is_some();
    let profiles = edition.report.profiles.iter().map(|profile| {
        let fields = offered(&edition, profile).into_iter().map(|metric| field(&edition, profile, metric));
        view! {
            <fieldset>
                <legend>{edition.name(&profile.name)}</legend>
                {fields.collect_view()}
            </fieldset>
        }
    });
    let refused = edition.asked.as_ref().filter(|asked| !asked.refused.is_empty()).map(|asked| {
        let fields = asked.refused.iter().map(|refused| {
            let name = refused.field.trim_start_matches(LIMITS_SENT).trim_start_matches(':').to_owned();
            view! { <li><code>{name}"="{refused.text.clone()}</code></li> }
        });
        view! { <div role="alert"><p>{words.refused}</p><ul>{fields.collect_view()}</ul></div> }
    });
    let reset = open.then(|| view! { <a href=home(&edition)>{words.reset}</a> });
    view! {
        <details class="more limits wide" open=open>
            <summary>{words.try_limits}</summary>
            // The fragment of the action stays in the address that the browser goes to.
            <form method="get" action=format!("{}#conclusion", home(&edition))>
                <input type="hidden" name=LIMITS_SENT value="1"/>
                <p class="small muted">{words.form_hint}</p>
                {refused}
                <div class="limits__profiles">{profiles.collect_view()}</div>
                <p class="limits__send">
                    <button class="btn" type="submit" lang=lang.code()>{words.apply}</button>
                    {reset}
                </p>
            </form>
        </details>
    }
}

fn offered(edition: &Edition, profile: &Profile) -> BTreeSet<Metric> {
    let asked = edition.asked.iter().flat_map(|asked| &asked.fields);
    let asked = asked.filter(|(id, _)| *id == profile.id).map(|(_, metric)| *metric);
    OFFERED.into_iter().chain(profile.slo.keys().copied()).chain(asked).collect()
}

fn field(edition: &Edition, profile: &Profile, metric: Metric) -> impl IntoView + use<> {
    let name = Limits::field(&profile.id, metric);
    // Digits as a number field takes them: no thousands commas.
    let value = profile.slo.get(&metric).map(|limit| short(*limit, 6).replace(',', ""));
    view! {
        <label>
            <span>{text::metric(edition.lang, metric)}<span class="unit">{metric.unit()}</span></span>
            <input class="field" type="number" min="0" step="any" inputmode="decimal" name=name value=value/>
        </label>
    }
}
