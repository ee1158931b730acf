//! The option table: one row a step, with what became of it and why.

use domain::{
    change::{Change, Verdict},
    metric::Metric,
    metrics::{Latency, Stat},
    report::OptionRow,
    study::Basis,
    text::{self, number, phrase},
};
use leptos::prelude::*;

use super::edition::Edition;
use crate::part::{
    figure::Figure,
    rich::Sentence,
    tag::{DecisionTag, DisqualifiedTag},
};

/// Blocks on phones, so every cell says what it is and keeps its role.
#[component]
pub fn Options(
    /// The report.
    edition: Edition,
) -> impl IntoView {
    let (report, lang, labels) = (&edition.report, edition.lang, edition.labels());
    let [basis, reported, recomputed] =
        [report.basis, Basis::Reported, Basis::Recomputed].map(|basis| text::basis(lang, basis));
    let of = |word: &str, form: &str| format!("{word}{}{form}", phrase::separator(lang));
    let heads = Heads {
        tps: of(labels.total_tps, basis),
        tpot: of(labels.mean_tpot, basis),
        reported: of(labels.change, reported),
        recomputed: of(labels.change, recomputed),
    };
    // The same words in two lines.
    let head = |word: &'static str, form: &'static str, unit: &'static str| {
        view! {
            <th scope="col" role="columnheader" class="n">
                {word}<span class="unit">{unit}</span><br/>{form}
            </th>
        }
    };
    let caption = phrase::options_caption(lang, report.basis, report.option_base);
    let rows = (1..)
        .zip(&report.options)
        .map(|(at, row)| view! { <Row edition=edition.clone() row=row.clone() number=at heads=heads.clone()/> })
        .collect_view();
    view! {
        <div class="wide">
            <table class="t stack options" role="table">
                <caption>{caption}</caption>
                <thead role="rowgroup">
                    <tr role="row">
                        <th scope="col" role="columnheader">{labels.option}</th>
                        {head(labels.total_tps, basis, "tok/s")}
                        {head(labels.change, reported, "")}
                        {head(labels.change, recomputed, "")}
                        {head(labels.mean_tpot, basis, "ms")}
                        <th scope="col" role="columnheader" class="n">{labels.success_rate}</th>
                        <th scope="col" role="columnheader">{labels.decision}</th>
                        <th scope="col" role="columnheader">{labels.reason}</th>
                    </tr>
                </thead>
                <tbody role="rowgroup">{rows}</tbody>
            </table>
        </div>
    }
}

/// Names of columns, which phones show in front of each cell.
#[derive(Clone)]
struct Heads {
    tps: String,
    tpot: String,
    reported: String,
    recomputed: String,
}

#[component]
fn Row(edition: Edition, row: OptionRow, number: usize, heads: Heads) -> impl IntoView {
    let (report, lang, labels) = (&edition.report, edition.lang, edition.labels());
    let tpot = Metric::Latency(Latency::Tpot, Stat::Mean);
    // A difference that cannot be compared says so; a variant has none against itself.
    let compared = |of: fn(&Change) -> Option<f64>| {
        if row.is_base() {
            return view! { <span class="absent">{labels.baseline}</span> }.into_any();
        }
        let apart = row.change.filter(|change| change.verdict == Verdict::NotComparable);
        let apart = apart.map(|change| view! { <span class="beside">{text::verdict(lang, change.verdict)}</span> });
        let pct = row.change.as_ref().and_then(of);
        let pct = pct.map_or_else(|| labels.not_measured.to_owned(), |pct| edition.pct(pct));
        view! { {pct}{apart} }.into_any()
    };
    let variant = row.variant.as_ref().map(|id| {
        view! { <span class="options__variant"><Sentence rich=text::variant_name(lang, report, id)/></span> }
    });
    // The other form, where the two lie apart.
    let other = |metric: Metric, value: Option<f64>| {
        value.map(|value| view! { <span class="beside">{text::beside(lang, report.basis, metric, value)}</span> })
    };
    // The reported figure, where there is no other.
    let stands_in = |metric: Metric, value: Option<f64>| {
        let said = value.and_then(|_| text::stands_in(lang, report, &row, metric));
        said.map(|basis| view! { <span class="beside">{basis}</span> })
    };
    let failed = row.success_rate_pct.is_some_and(|rate| rate < report.min_success_pct);
    let success = match row.success_rate_pct {
        Some(rate) => number::pct(rate, 1),
        None => labels.not_measured.to_owned(),
    };
    view! {
        <tr role="row">
            <th scope="row" role="rowheader">
                <a href=format!("#step-{}", row.step)>{number}". "{text::step_name(lang, report, &row.step)}</a>
                {variant}
            </th>
            <td role="cell" class="n" data-label=heads.tps>
                <Figure metric=Metric::TotalTps value=row.total_token_throughput lang/>
                {other(Metric::TotalTps, row.other_total_token_throughput)}
                {stands_in(Metric::TotalTps, row.total_token_throughput)}
            </td>
            <td role="cell" class="n" data-label=heads.reported>{compared(|change| change.reported_pct)}</td>
            <td role="cell" class="n" data-label=heads.recomputed>
                {compared(|change| change.recomputed_pct)}
            </td>
            <td role="cell" class="n" data-label=heads.tpot>
                <Figure metric=tpot value=row.tpot_mean_ms lang/>
                {other(tpot, row.other_tpot_mean_ms)}
                {stands_in(tpot, row.tpot_mean_ms)}
            </td>
            <td role="cell" class="n" class:bad=failed data-label=labels.success_rate>{success}</td>
            <td role="cell" data-label=labels.decision>
                <DecisionTag decision=row.decision lang/>
                {failed.then(|| view! { " "<DisqualifiedTag lang/> })}
            </td>
            <td role="cell" class="options__reason"><Sentence rich=text::reason(lang, report, &row.reason)/></td>
        </tr>
    }
}
