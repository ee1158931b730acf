//! What the profile asks for, and what the run did.

use domain::{
    metric::Metric,
    recompute::attempted,
    report::RunReport,
    text::{number, phrase},
};
use leptos::prelude::*;

use crate::part::{figure::Absent, report::Edition};

/// One row a parameter.
#[component]
pub fn Asked(
    /// The report of its study.
    edition: Edition,
    /// The run.
    run: RunReport,
) -> impl IntoView {
    let (lang, labels, page) = (edition.lang, edition.labels(), edition.page());
    let profile = edition.report.profile(&run.profile)?.clone();
    let (metrics, recomputed) = (&run.metrics, &run.recomputed);
    let length = |name: &'static str, asked: Option<u64>, measured: Option<f64>| {
        let deviation = asked.zip(measured).and_then(|(asked, measured)| phrase::deviation(asked as f64, measured));
        row(&edition, name, asked.map(number::count), Some(measured.map(phrase::per_request)), deviation)
    };
    let achieved = recomputed.get(Metric::RequestThroughput);
    let rows = [
        row(&edition, labels.dataset, profile.dataset.clone(), None, None),
        length(page.input_per_request, profile.input_tokens, recomputed.input_tokens_per_request),
        length(page.output_per_request, profile.output_tokens, recomputed.output_tokens_per_request),
        row(
            &edition,
            labels.request_rate,
            profile.request_rate.map(|rate| phrase::request_rate(lang, rate)),
            Some(achieved.map(|rate| number::with_unit(Metric::RequestThroughput, rate))),
            None,
        ),
        row(
            &edition,
            labels.max_concurrency,
            profile.max_concurrency.map(number::count),
            Some(metrics.max_concurrency.or(metrics.peak_concurrent_requests).map(number::count)),
            None,
        ),
        row(
            &edition,
            labels.requests,
            profile.requests.map(number::count),
            Some(attempted(metrics, None).or(metrics.successful_requests).map(number::count)),
            None,
        ),
        row(&edition, labels.seed, profile.seed.map(|seed| seed.to_string()), None, None),
    ];
    let command = profile.command.clone().map(|command| {
        view! {
            <details class="more">
                <summary>{labels.benchmark_command}</summary>
                <pre class="block" tabindex="0" role="group" aria-label=labels.benchmark_command>{command}</pre>
            </details>
        }
    });
    let name = format!("{}{}{}", labels.profile, phrase::colon(lang), edition.name(&profile.name));
    Some(view! {
        <div>
            <div class="scroll" tabindex="0" role="region" aria-label=name.clone()>
                <table class="t">
                    <caption>{name.clone()}</caption>
                    <thead>
                        <tr>
                            <th scope="col">{labels.profile}</th>
                            <th scope="col" class="n">{page.asked}</th>
                            <th scope="col" class="n">{page.measured}</th>
                            <th scope="col" class="n">{page.deviation}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            {command}
        </div>
    })
}

/// `measured`: none where it cannot be measured, `Some(None)` where it could be, but was not.
fn row(
    edition: &Edition,
    name: &'static str,
    asked: Option<String>,
    measured: Option<Option<String>>,
    deviation: Option<String>,
) -> AnyView {
    let (labels, page) = (edition.labels(), edition.page());
    let asked = asked.map_or_else(|| view! { <Absent word=labels.not_recorded/> }.into_any(), IntoAny::into_any);
    let measured = match measured {
        None => {
            view! { <span class="muted" aria-hidden="true">"—"</span><span class="vh">{page.no_form}</span> }.into_any()
        }
        Some(None) => view! { <Absent word=labels.not_recorded/> }.into_any(),
        Some(Some(text)) => text.into_any(),
    };
    view! {
        <tr>
            <th scope="row">{name}</th>
            <td class="n">{asked}</td>
            <td class="n">{measured}</td>
            <td class="n">{deviation}</td>
        </tr>
    }
    .into_any()
}
