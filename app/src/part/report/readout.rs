//! The instrument panel of a variant: six figures, the change beneath the one that counts.

use domain::{
    aggregate::Figures,
    change::Change,
    metric::Metric,
    metrics::{Latency, Stat},
    study::Basis,
    text::{self, number, phrase},
};
use leptos::prelude::*;

use super::edition::Edition;
use crate::part::{
    change::ChangeMark,
    figure::{Absent, Figure},
};

/// Throughput as recomputed and as reported, TPOT, TTFT, a tail, and how long it took.
#[component]
pub fn Readout(
    /// The report.
    edition: Edition,
    /// What was measured.
    figures: Figures,
    /// Against the baseline.
    change: Option<Change>,
    /// A run that cannot win shows no verdict.
    disqualified: bool,
) -> impl IntoView {
    let (lang, labels, decimals) = (edition.lang, edition.labels(), edition.report.decimals);
    let recomputed = change.map(|change| match disqualified {
        false => view! { <span class="d"><ChangeMark change decimals lang/></span> }.into_any(),
        true => {
            let pct = change.recomputed_pct.map(|pct| edition.pct(pct));
            view! { <span class="d muted">{pct}</span> }.into_any()
        }
    });
    let reported = change.and_then(|change| change.reported_pct).map(|pct| {
        view! { <span class="d muted">{edition.pct(pct)}</span> }
    });
    let tpot = Metric::Latency(Latency::Tpot, Stat::Mean);
    let tpot_basis = match figures.recomputed.get(tpot) {
        Some(_) => Basis::Recomputed,
        None => Basis::Reported,
    };
    let e2el = Metric::Latency(Latency::E2el, Stat::P99);
    let tail = if e2el.of(&figures.metrics).is_some() { e2el } else { Metric::Latency(Latency::Ttft, Stat::P99) };
    let ttft = Metric::Latency(Latency::Ttft, Stat::Mean);
    let named = |metric: Metric, basis: Basis| {
        format!("{}{}{}", text::metric(lang, metric), phrase::separator(lang), text::basis(lang, basis))
    };
    let duration = match figures.metrics.duration {
        Some(duration) => view! { {number::grouped(duration.get(), 2)}<small>"\u{a0}s"</small> }.into_any(),
        None => view! { <Absent word=labels.not_measured/> }.into_any(),
    };
    view! {
        <dl class="readout">
            <div>
                <dt>{named(Metric::TotalTps, Basis::Recomputed)}</dt>
                <dd>
                    <b><Figure metric=Metric::TotalTps value=figures.recomputed.get(Metric::TotalTps) lang/></b>
                    {recomputed}
                </dd>
            </div>
            <div>
                <dt>{named(Metric::TotalTps, Basis::Reported)}</dt>
                <dd>
                    <Figure metric=Metric::TotalTps value=Metric::TotalTps.of(&figures.metrics) lang/>
                    {reported}
                </dd>
            </div>
            <div>
                <dt>{named(tpot, tpot_basis)}</dt>
                <dd><Figure metric=tpot value=figures.on(Basis::Recomputed, tpot) with_unit=true lang/></dd>
            </div>
            <div>
                <dt>{text::metric(lang, ttft)}</dt>
                <dd><Figure metric=ttft value=ttft.of(&figures.metrics) with_unit=true lang/></dd>
            </div>
            <div>
                <dt>{text::metric(lang, tail)}</dt>
                <dd><Figure metric=tail value=tail.of(&figures.metrics) with_unit=true lang/></dd>
            </div>
            <div>
                <dt>{labels.duration}</dt>
                <dd>{duration}</dd>
            </div>
        </dl>
    }
}
