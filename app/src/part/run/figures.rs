//! All figures of a run: as printed, as recomputed, and what was found on each.

use std::collections::BTreeSet;

use domain::{
    check::{Evidence, Side},
    metric::Metric,
    metrics::{Latency, Stat},
    report::RunReport,
    text::{self, number, phrase},
};
use leptos::prelude::*;

use super::{
    Found,
    place::{Place, place},
};
use crate::part::{figure::Absent, report::Edition};

/// What stands in a cell.
enum Cell {
    /// A figure.
    Value(String),
    /// Not measured, or not printed.
    Absent,
    /// Printed as 0 where time must have passed: not measured, whatever the tool says.
    PrintedZero(String),
    /// The figure has no such form.
    NoForm,
}

struct Row {
    name: String,
    unit: &'static str,
    place: Option<Place>,
    reported: Cell,
    recomputed: Cell,
    deviation: Option<String>,
}

/// The table. Blocks on phones, so every cell says what it is and keeps its role.
#[component]
pub fn Figures(
    /// The report of its study.
    edition: Edition,
    /// The run.
    run: RunReport,
) -> impl IntoView {
    let (labels, page) = (edition.labels(), edition.page());
    let groups = [
        (page.load, load(&edition, &run)),
        (page.tokens, tokens(&edition, &run)),
        (page.throughput, throughput(&edition, &run)),
        (page.latency, latencies(&edition, &run)),
    ];
    let groups = groups.map(|(name, rows)| {
        let rows = rows.into_iter().map(|row| row_view(&edition, &run, row)).collect_view();
        view! {
            <tbody role="rowgroup">
                <tr class="grp" role="row"><th colspan="5" scope="rowgroup" role="rowheader">{name}</th></tr>
                {rows}
            </tbody>
        }
    });
    view! {
        <div class="wide">
            <table class="t stack figures" role="table">
                <caption class="vh">{page.run_figures}</caption>
                <thead role="rowgroup">
                    <tr role="row">
                        <th scope="col" role="columnheader">{labels.metric}</th>
                        <th scope="col" role="columnheader" class="n">{labels.reported}</th>
                        <th scope="col" role="columnheader" class="n">{labels.recomputed}</th>
                        <th scope="col" role="columnheader" class="n">{page.deviation}</th>
                        <th scope="col" role="columnheader">{labels.findings}</th>
                    </tr>
                </thead>
                {groups}
            </table>
        </div>
    }
}

fn row_view(edition: &Edition, run: &RunReport, row: Row) -> AnyView {
    let (labels, page) = (edition.labels(), edition.page());
    let cell = |cell: Cell| match cell {
        Cell::Value(text) => text.into_any(),
        Cell::Absent => view! { <Absent word=labels.not_measured/> }.into_any(),
        Cell::PrintedZero(text) => {
            view! { <span class="muted small">{text}" "</span><Absent word=labels.not_measured/> }.into_any()
        }
        Cell::NoForm => {
            view! { <span class="muted" aria-hidden="true">"—"</span><span class="vh">{page.no_form}</span> }.into_any()
        }
    };
    let here = |evidence| row.place.is_some() && place(evidence) == row.place;
    let found: Vec<_> = run.findings.iter().filter(|finding| here(&finding.evidence)).cloned().collect();
    let found = (!found.is_empty()).then(|| {
        let items = found.into_iter().map(|finding| view! { <Found edition=edition.clone() finding/> });
        view! { <ul class="found">{items.collect_view()}</ul> }
    });
    // On phones, cells that say nothing take no line.
    let blank = [&row.reported, &row.recomputed].map(|cell| matches!(cell, Cell::NoForm));
    let [no_reported, no_recomputed] = blank;
    let (no_deviation, no_findings) = (row.deviation.is_none(), found.is_none());
    view! {
        <tr role="row">
            <th scope="row" role="rowheader">{row.name}<span class="unit">{row.unit}</span></th>
            <td role="cell" class="n" class:blank=no_reported data-label=labels.reported>{cell(row.reported)}</td>
            <td role="cell" class="n" class:blank=no_recomputed data-label=labels.recomputed>{cell(row.recomputed)}</td>
            <td role="cell" class="n" class:blank=no_deviation data-label=page.deviation>{row.deviation}</td>
            <td role="cell" class:blank=no_findings>{found}</td>
        </tr>
    }
    .into_any()
}

fn printed(name: &str, unit: &'static str, place: Option<Place>, value: Option<String>) -> Row {
    let reported = value.map_or(Cell::Absent, Cell::Value);
    Row { name: name.to_owned(), unit, place, reported, recomputed: Cell::NoForm, deviation: None }
}

fn computed(name: &str, unit: &'static str, place: Option<Place>, value: Option<String>) -> Row {
    let recomputed = value.map_or(Cell::Absent, Cell::Value);
    Row { name: name.to_owned(), unit, place, reported: Cell::NoForm, recomputed, deviation: None }
}

fn metric(edition: &Edition, run: &RunReport, metric: Metric) -> Row {
    let (reported, recomputed) = (metric.of(&run.metrics), run.recomputed.get(metric));
    let shown = |value: Option<f64>| value.map(|value| number::figure(metric, value));
    let has_form = match metric {
        Metric::TotalTps | Metric::OutputTps | Metric::RequestThroughput => true,
        Metric::Latency(latency, stat) => (latency, stat) == (Latency::Tpot, Stat::Mean),
        Metric::Goodput => false,
    };
    let recomputed_cell = match shown(recomputed) {
        Some(text) => Cell::Value(text),
        None if has_form => Cell::Absent,
        None => Cell::NoForm,
    };
    let reported_cell = match shown(reported) {
        Some(text) if printed_zero(run, metric) => Cell::PrintedZero(text),
        Some(text) => Cell::Value(text),
        None => Cell::Absent,
    };
    Row {
        name: text::metric(edition.lang, metric),
        unit: number::unit(metric),
        place: Some(Place::Metric(metric)),
        reported: reported_cell,
        recomputed: recomputed_cell,
        deviation: recomputed.zip(reported).and_then(|(ours, theirs)| phrase::deviation(ours, theirs)),
    }
}

/// Whether a finding says that this figure's 0 was not measured.
fn printed_zero(run: &RunReport, metric: Metric) -> bool {
    run.findings.iter().any(|finding| match (&finding.evidence, metric) {
        (Evidence::NotMeasuredZero { latency, stats }, Metric::Latency(of, stat)) => {
            *latency == of && stats.contains(&stat)
        }
        _ => false,
    })
}

fn load(edition: &Edition, run: &RunReport) -> Vec<Row> {
    let (labels, page, metrics) = (edition.labels(), edition.page(), &run.metrics);
    let rate = metrics.request_rate.map(|rate| phrase::request_rate(edition.lang, rate));
    let duration = metrics.duration.map(|duration| number::grouped(duration.get(), 2));
    let success = run.recomputed.success_rate_pct.map(|pct| number::pct(pct, 2));
    vec![
        printed(page.planned, "", Some(Place::Planned), metrics.planned_requests.map(number::count)),
        printed(labels.successful, "", None, metrics.successful_requests.map(number::count)),
        printed(labels.failed, "", None, metrics.failed_requests.map(number::count)),
        computed(labels.success_rate, "", Some(Place::Success), success),
        printed(labels.request_rate, "", None, rate),
        printed(labels.max_concurrency, "", Some(Place::Concurrency), metrics.max_concurrency.map(number::count)),
        printed(labels.peak_concurrency, "", None, metrics.peak_concurrent_requests.map(number::count)),
        printed(labels.duration, "s", Some(Place::Duration), duration),
    ]
}

fn tokens(edition: &Edition, run: &RunReport) -> Vec<Row> {
    let page = edition.page();
    let per_request = |value: Option<f64>| value.map(phrase::per_request);
    let recomputed = &run.recomputed;
    let (input, output) = (Some(Place::PerRequest(Side::Input)), Some(Place::PerRequest(Side::Output)));
    vec![
        printed(page.total_input, "", None, run.metrics.total_input_tokens.map(number::count)),
        printed(page.total_output, "", None, run.metrics.total_output_tokens.map(number::count)),
        computed(page.input_per_request, "", input, per_request(recomputed.input_tokens_per_request)),
        computed(page.output_per_request, "", output, per_request(recomputed.output_tokens_per_request)),
    ]
}

fn throughput(edition: &Edition, run: &RunReport) -> Vec<Row> {
    let (labels, page) = (edition.labels(), edition.page());
    let rate = |value: Option<f64>| value.map(|value| number::grouped(value, 2));
    let mut rows: Vec<Row> =
        [Metric::TotalTps, Metric::OutputTps, Metric::RequestThroughput].map(|of| metric(edition, run, of)).into();
    let unit = number::unit(Metric::TotalTps);
    let (total, output) = (run.recomputed.total_token_throughput_per_gpu, run.recomputed.output_throughput_per_gpu);
    rows.push(computed(page.total_tps_per_gpu, unit, None, rate(total.map(|v| v.get()))));
    rows.push(computed(page.output_tps_per_gpu, unit, None, rate(output.map(|v| v.get()))));
    let peak = run.metrics.peak_output_throughput.map(|v| v.get());
    rows.push(printed(labels.peak_output, unit, Some(Place::Peak), rate(peak)));
    if run.metrics.goodput.is_some() || run.recomputed.goodput.is_some() {
        rows.push(metric(edition, run, Metric::Goodput));
    }
    rows
}

/// The statistics that every tool can print, and whatever else this one did.
fn latencies(edition: &Edition, run: &RunReport) -> Vec<Row> {
    Latency::ALL
        .into_iter()
        .flat_map(|latency| {
            let measured = run.metrics.latency(latency);
            let usual = [Stat::Mean, Stat::Median, Stat::P95, Stat::P99];
            let stats: BTreeSet<Stat> = match measured.is_empty() {
                true => BTreeSet::from([Stat::Mean]),
                false => measured.keys().copied().chain(usual).collect(),
            };
            stats.into_iter().map(move |stat| Metric::Latency(latency, stat))
        })
        .map(|of| metric(edition, run, of))
        .collect()
}
