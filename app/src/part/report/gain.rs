//! The gain table: one ruler for all profiles, reported beside recomputed, and what it means.

use domain::{change::Verdict, report::ConclusionRow, text};
use leptos::prelude::*;
use render::chart;

use super::edition::Edition;
use crate::part::{
    icon::{Icon, IconMark},
    rich::Sentence,
    verdict::VerdictMark,
};

/// One row a profile. Blocks on phones, so every cell says what it is and keeps its role.
#[component]
pub fn GainTable(
    /// The report.
    edition: Edition,
) -> impl IntoView {
    let scale = chart::gain_scale(&edition.report, edition.lang);
    let labels = edition.labels();
    let rows = edition
        .report
        .conclusion
        .rows
        .iter()
        .map(|row| {
            let svg = scale.rows.iter().find(|(profile, _)| *profile == row.profile);
            let svg = svg.map(|(_, svg)| svg.clone()).unwrap_or_default();
            view! { <GainRow edition=edition.clone() row=row.clone() svg/> }
        })
        .collect_view();
    view! {
        <table class="gain" role="table">
            <caption class="vh">{edition.page().gain_caption}</caption>
            <thead role="rowgroup">
                <tr role="row">
                    <th scope="col" role="columnheader">{labels.profile}</th>
                    <th scope="col" role="columnheader" class="n">{labels.reported}</th>
                    <th scope="col" role="columnheader" class="n">{labels.recomputed}</th>
                    <th scope="col" role="columnheader" class="scale" inner_html=scale.header></th>
                    <th scope="col" role="columnheader">{edition.page().verdict_on_tps}</th>
                </tr>
            </thead>
            <tbody role="rowgroup">{rows}</tbody>
        </table>
    }
}

#[component]
fn GainRow(edition: Edition, row: ConclusionRow, svg: String) -> impl IntoView {
    let (labels, lang) = (edition.labels(), edition.lang);
    let shown = |pct: Option<f64>| pct.map_or_else(|| labels.not_measured.to_owned(), |pct| edition.pct(pct));
    let note = text::row_remark(lang, &edition.report, &row).map(|rich| view! { <span><Sentence rich/></span> });
    // With the same weight as the gain that they were paid for.
    let worse = text::row_latencies(&row).into_iter().map(|(metric, pct)| {
        view! {
            <span class="v v--worse">
                <IconMark icon=Icon::Worse/>
                {text::metric(lang, metric)}" "{edition.pct(pct)}
                <span class="vh">", "{text::verdict(lang, Verdict::Worse)}</span>
            </span>
        }
    });
    let worse = worse.collect_view();
    let primary = row.primary.then(|| view! { <span class="gain__primary">{edition.page().primary_profile}</span> });
    let off = row.change.verdict == Verdict::NotComparable;
    view! {
        <tr role="row" class:off=off>
            <th scope="row" role="rowheader">
                <a href=format!("#profile-{}", row.profile)>{edition.profile(&row.profile)}</a>
                <span>{primary}{edition.profile_line(&row.profile)}</span>
            </th>
            <td role="cell" class="n" data-label=labels.reported>{shown(row.change.reported_pct)}</td>
            <td role="cell" class="n n--main" data-label=labels.recomputed>{shown(row.change.recomputed_pct)}</td>
            <td role="cell" class="scale" inner_html=svg></td>
            <td role="cell" class="why">
                <VerdictMark verdict=row.change.verdict unproven=row.change.unproven() lang/>
                {note}
                {worse}
            </td>
        </tr>
    }
}
