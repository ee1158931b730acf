//! The figure of a report: baseline and recommended per profile, with its numbers as a table.

use domain::{
    change::Verdict,
    metric::Metric,
    study::Basis,
    text::{self, number},
};
use leptos::prelude::*;
use render::chart::{self, Width};

use super::edition::Edition;
use crate::part::{change::ChangeMark, figure::Figure};

/// The chart in two drawings, one for narrow screens, and "Show the data".
#[component]
pub fn ProfilesChart(
    /// The report.
    edition: Edition,
) -> impl IntoView {
    let (report, lang, labels, page) = (&edition.report, edition.lang, edition.labels(), edition.page());
    let wide = chart::profiles(report, lang, Width::Wide)?;
    let narrow = chart::profiles(report, lang, Width::Narrow)?;
    let legend = chart::profiles_legend(report, lang)
        .into_iter()
        .map(|entry| view! { <li><span class="legend__swatch" inner_html=entry.swatch></span>{entry.text}</li> })
        .collect_view();
    let rows = report
        .conclusion
        .rows
        .iter()
        .map(|row| {
            let tps = |figures: &domain::aggregate::Figures| figures.on(Basis::Recomputed, Metric::TotalTps);
            view! {
                <tr>
                    <th scope="row">{edition.profile(&row.profile)}</th>
                    <td class="n"><Figure metric=Metric::TotalTps value=tps(&row.baseline) lang/></td>
                    <td class="n"><Figure metric=Metric::TotalTps value=tps(&row.recommended) lang/></td>
                    <td class="chg"><ChangeMark change=row.change decimals=report.decimals lang/></td>
                </tr>
            }
        })
        .collect_view();
    let hatched = report.conclusion.rows.iter().any(|row| row.change.verdict == Verdict::NotComparable);
    let title = format!("{} ({})", text::metric(lang, Metric::TotalTps), number::unit(Metric::TotalTps));
    Some(view! {
        <figure class="fig">
            <div class="fig__plot">
                <ul class="legend" aria-hidden="true">{legend}</ul>
                <div inner_html=wide></div>
                <div inner_html=narrow></div>
            </div>
            <figcaption>
                <b>{title.clone()}</b>
                <p>{page.chart_caption}</p>
                {hatched.then(|| view! { <p>{page.chart_hatched}</p> })}
            </figcaption>
            <details class="more fig__data">
                <summary>{page.show_data}</summary>
                <div class="scroll" tabindex="0" role="region" aria-label=title.clone()>
                    <table class="t cmp">
                        <caption class="vh">{title.clone()}", "{text::basis(lang, Basis::Recomputed)}</caption>
                        <thead>
                            <tr>
                                <th scope="col">{labels.profile}</th>
                                <th scope="col" class="n">{labels.baseline}</th>
                                <th scope="col" class="n">{labels.recommended}</th>
                                <th scope="col" class="n chg">{labels.change}</th>
                            </tr>
                        </thead>
                        <tbody>{rows}</tbody>
                    </table>
                </div>
            </details>
        </figure>
    })
}
