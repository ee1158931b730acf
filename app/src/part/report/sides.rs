//! Baseline against recommended, profile by profile, figure by figure.

use domain::{
    advise::goodput::GoodputSource,
    metric::Metric,
    report::{ConclusionRow, GoalRow, MetricRow},
    study::Basis,
    text::{self, number, phrase},
};
use leptos::prelude::*;

use super::edition::Edition;
use crate::part::{
    change::{ChangeMark, is_hit},
    figure::Figure,
};

/// The table, and what to know about it in the margin.
#[component]
pub fn Sides(
    /// The report.
    edition: Edition,
) -> impl IntoView {
    let (labels, page) = (edition.labels(), edition.page());
    let rows = &edition.report.conclusion.rows;
    let printed_tpot = rows.iter().flat_map(|row| &row.metrics).any(|row| row.other_definition);
    let unproven = rows.iter().flat_map(|row| &row.metrics).any(|row| row.change.unproven().is_some());
    // A baseline that stays is not compared with itself.
    let conclusion = &edition.report.conclusion;
    let alone = conclusion.recommended.as_ref().is_none_or(|recommended| *recommended == conclusion.baseline);
    let caption = if alone { labels.baseline } else { page.sides_caption };
    let groups = rows.iter().map(|row| view! { <Group edition=edition.clone() row=row.clone() alone/> }).collect_view();
    view! {
        <div class="scroll" tabindex="0" role="region" aria-label=caption>
            <table class="t cmp">
                <caption>{caption}</caption>
                <thead>
                    <tr>
                        <th scope="col">{labels.metric}</th>
                        <th scope="col" class="n">{labels.baseline}</th>
                        {(!alone).then(|| view! {
                            <th scope="col" class="n">{labels.recommended}</th>
                            <th scope="col" class="n chg">{labels.change}</th>
                        })}
                    </tr>
                </thead>
                {groups}
            </table>
        </div>
        <aside class="margin" aria-label=page.sign_title>
            <div class="note">
                <b>{page.sign_title}</b>
                <p>{page.sign}" "{phrase::relevance(edition.lang, edition.report.relevance_pct)}</p>
            </div>
            {unproven.then(|| view! { <div class="note"><b>{page.unproven_title}</b><p>{page.unproven}</p></div> })}
            {printed_tpot.then(|| view! {
                <div class="note note--caution" id="printed-tpot"><b>{page.printed_tpot_title}</b><p>{page.printed_tpot}</p></div>
            })}
        </aside>
    }
}

#[component]
fn Group(edition: Edition, row: ConclusionRow, alone: bool) -> impl IntoView {
    let both = |metric: Metric| row.metrics.iter().filter(|other| other.metric == metric).count() > 1;
    let rows = row
        .metrics
        .iter()
        .map(|metric| view! { <Line edition=edition.clone() row=metric.clone() both=both(metric.metric) alone/> })
        .collect_view();
    let derived = row
        .derived
        .iter()
        .map(|derived| view! { <Derived edition=edition.clone() row=derived.clone() alone/> })
        .collect_view();
    let runs: Vec<_> = row.baseline.runs.iter().chain(&row.recommended.runs).cloned().collect();
    let primary = row.primary.then(|| view! { {edition.page().primary_profile}" · " });
    view! {
        <tbody id=format!("profile-{}", row.profile)>
            <tr class="grp">
                <th colspan=if alone { "2" } else { "4" } scope="rowgroup">
                    {edition.profile(&row.profile)}
                    <span>
                        {primary}{edition.profile_line(&row.profile)}" · "
                        {edition.run_links(&runs)}
                    </span>
                </th>
            </tr>
            {rows}
            {derived}
        </tbody>
    }
}

/// One metric. Where it is there as printed and as recomputed, its name says which it is.
#[component]
fn Line(edition: Edition, row: MetricRow, both: bool, alone: bool) -> impl IntoView {
    let lang = edition.lang;
    let form = (both || row.basis == Basis::Recomputed).then(|| {
        view! { <span class="form">{phrase::separator(lang)}{text::basis(lang, row.basis)}</span> }
    });
    let mark = row.other_definition.then(|| view! { <a class="ref" href="#printed-tpot">"*"</a> });
    view! {
        <tr class:hit=is_hit(&row.change)>
            <th scope="row">
                {text::metric(lang, row.metric)}{form}{mark}
                <span class="unit">{number::unit(row.metric)}</span>
            </th>
            <td class="n"><Figure metric=row.metric value=row.baseline lang/></td>
            {(!alone).then(|| view! {
                <td class="n"><Figure metric=row.metric value=row.recommended lang/></td>
                <td class="chg"><ChangeMark change=row.change decimals=edition.report.decimals lang/></td>
            })}
        </tr>
    }
}

/// Goodput, money or energy.
#[component]
fn Derived(edition: Edition, row: GoalRow, alone: bool) -> impl IntoView {
    let (lang, report, labels) = (edition.lang, &edition.report, edition.labels());
    let said = |source: GoodputSource| {
        view! { <span class="form">{phrase::separator(lang)}{text::goodput_source(lang, source)}</span> }
    };
    // Where both sides come from the same source, the row's name says it once.
    let common = row.source();
    let figure = |value: Option<f64>, source: Option<GoodputSource>, other: Option<f64>| match value {
        Some(value) => {
            let other = other.map(|other| {
                let beside = text::beside(lang, report.basis, Metric::Goodput, other);
                view! { <span class="form">{phrase::separator(lang)}{beside}</span> }
            });
            let source = source.filter(|_| common.is_none()).map(said);
            view! { <span class="num">{text::goal_figure(report, row.goal, value)}</span>{source}{other} }.into_any()
        }
        None => view! { <span class="absent">{labels.not_measured}</span> }.into_any(),
    };
    let source = common.filter(|source| *source != GoodputSource::Tool).map(said);
    view! {
        <tr class:hit=is_hit(&row.change)>
            <th scope="row">
                {text::goal(lang, row.goal)}{source}
                <span class="unit">{text::goal_unit(report, row.goal)}</span>
            </th>
            <td class="n">{figure(row.baseline, row.baseline_source, row.other_baseline)}</td>
            {(!alone).then(|| view! {
                <td class="n">{figure(row.recommended, row.recommended_source, row.other_recommended)}</td>
                <td class="chg"><ChangeMark change=row.change decimals=report.decimals lang/></td>
            })}
        </tr>
    }
}
