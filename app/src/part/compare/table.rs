//! The table: parameters, then results, then what those rest on. One column a side, which scroll in their own box.

use domain::{
    change::Change,
    compare::{Cell, MetricRow, WorkloadRow},
    metric::{Direction, Metric},
    text::{compare as words, labels, number, page_labels},
};
use leptos::prelude::*;

use super::{heads::Heads, parameters::Parameters, view::View};
use crate::part::{
    change::{ChangeMark, is_hit},
    figure::{Absent, Figure},
    icon::{Icon, IconMark},
};

/// The whole table.
#[component]
pub fn Table(
    /// What is seen.
    view: View,
) -> impl IntoView {
    let (lang, page) = (view.lang, page_labels(view.lang));
    let label = words::compare_labels(lang);
    let title = words::title(lang, &view.facts);
    let caption = title.clone();
    let (latency, throughput): (Vec<_>, Vec<_>) =
        view.facts.metrics.iter().partition(|row| matches!(row.figure.metric, Metric::Latency(..)));
    let rows = |rows: Vec<&MetricRow>| rows.into_iter().map(|row| metric(&view, row)).collect_view().into_any();
    let groups = [(page.throughput, rows(throughput)), (page.latency, rows(latency))].map(|(name, rows)| {
        view! { <tbody>{group(&view, name, None)}{rows}</tbody> }
    });
    let workload = view.facts.workload.iter().map(|row| workload(&view, row)).collect_view();
    let legend = view.facts.is_pair().then(|| view! { <p class="small muted">{page.sign}" "{label.legend}</p> });
    view! {
        <div class="compare">
            <div class="scroll" tabindex="0" role="region" aria-label=title>
                <table class="t vs">
                    <caption class="vh">{caption}</caption>
                    <thead><Heads view=view.clone()/></thead>
                    <Parameters view=view.clone()/>
                    {groups}
                    <tbody>{group(&view, label.measured_on, None)}{workload}</tbody>
                </table>
            </div>
            {legend}
        </div>
    }
}

/// The heading of rows that belong together, with what is to be said of them.
pub(super) fn group(view: &View, name: &'static str, more: Option<AnyView>) -> AnyView {
    let columns = (view.facts.columns.len() + 1).to_string();
    // The words stay in sight while the columns move under them.
    view! {
        <tr class="grp"><th colspan=columns scope="rowgroup"><div class="vs__grp">{name}{more}</div></th></tr>
    }
    .into_any()
}

fn metric(view: &View, row: &MetricRow) -> AnyView {
    let (lang, label) = (view.lang, words::compare_labels(view.lang));
    let way = match row.direction {
        Direction::HigherIsBetter => label.higher_better,
        Direction::LowerIsBetter => label.lower_better,
    };
    let arrow = match row.direction {
        Direction::HigherIsBetter => "↑",
        Direction::LowerIsBetter => "↓",
    };
    let cells = row.cells.iter().enumerate().map(|(at, cell)| metric_cell(view, row, at, cell)).collect_view();
    view! {
        <tr>
            <th scope="row">
                {words::figure(lang, row.figure, view.facts.in_both_forms(row.figure.metric))}
                <span class="unit">
                    {number::unit(row.figure.metric)}" "<span title=way aria-hidden="true">{arrow}</span>
                    <span class="vh">", "{way}</span>
                </span>
            </th>
            {cells}
        </tr>
    }
    .into_any()
}

fn metric_cell(view: &View, row: &MetricRow, at: usize, cell: &Cell) -> AnyView {
    let (lang, metric) = (view.lang, row.figure.metric);
    let is_base = at == view.facts.base;
    let half = cell.half_width.map(|half| {
        view! { <small>" ± "{number::figure(metric, half)}</small> }
    });
    let change = cell.change.map(|change| {
        let said = said(view, &change, cell);
        view! {
            <span><ChangeMark change decimals=view.facts.decimals lang/></span>{said}
        }
    });
    let hit = cell.change.as_ref().is_some_and(is_hit);
    view! {
        <td class="n" class:vs__base=is_base class:vs__hit=hit>
            <span><Figure metric value=cell.value lang/>{half}</span>
            {change}
        </td>
    }
    .into_any()
}

/// Why a change says nothing, or how far it may be off.
fn said(view: &View, change: &Change, cell: &Cell) -> Option<AnyView> {
    let decimals = usize::from(view.facts.decimals);
    let why = cell.apart.map(|apart| words::apart(view.lang, apart).to_owned());
    let interval = || {
        let (pct, band) = change.pct().zip(change.band())?;
        Some(words::interval(view.lang, pct - band, pct + band, decimals))
    };
    why.or_else(interval).map(|said| view! { <small>{said}</small> }.into_any())
}

fn workload(view: &View, row: &WorkloadRow) -> AnyView {
    let (lang, label) = (view.lang, words::compare_labels(view.lang));
    let (name, unit) = words::workload(lang, row.figure);
    let cells = row.cells.iter().enumerate().map(|(at, cell)| {
        let value = match cell.value {
            Some(value) => words::workload_value(row.figure, value).into_any(),
            None => view! { <Absent word=labels(lang).not_measured/> }.into_any(),
        };
        let differs = cell.differs.then(|| {
            view! { <span><span class="v v--worse"><IconMark icon=Icon::Worse/>{label.differs}</span></span> }
        });
        view! {
            <td class="n" class:vs__base={at == view.facts.base} class:vs__hit=cell.differs>
                <span>{value}</span>{differs}
            </td>
        }
    });
    let cells = cells.collect_view();
    view! { <tr><th scope="row">{name}<span class="unit">{unit}</span></th>{cells}</tr> }.into_any()
}
