//! The ranking: what became of every variant and why, the limits, the best of each profile, the fronts.

use domain::{
    advise::{Goal, Ranked, cost::Tokens, fronts::BestOn, slo::SloState},
    change::Verdict,
    text::{self, number::count, phrase, ranking_labels},
};
use leptos::prelude::*;

use super::{edition::Edition, limits::LimitsForm};
use crate::part::{
    change::ChangeMark,
    icon::{Icon, IconMark},
    rich::{Sentence, Sentences},
    verdict::VerdictMark,
};

/// The section.
#[component]
pub fn Ranking(
    /// The report.
    edition: Edition,
) -> impl IntoView {
    let (report, lang, words) = (&edition.report, edition.lang, ranking_labels(edition.lang));
    let limits = if report.has_limits() {
        view! { <LimitTable edition=edition.clone()/> }.into_any()
    } else {
        view! { <p class="small muted">{words.none_asked}</p> }.into_any()
    };
    let fronts: Vec<_> = report.pareto.iter().map(|front| text::front(lang, report, front)).collect();
    let fronts = (!fronts.is_empty()).then(|| {
        view! { <h3 class="wide">{words.pareto}</h3><div class="wide points"><Sentences all=fronts/></div> }
    });
    view! {
        <p class="small muted wide"><Sentence rich=text::ranked_by(lang, report)/></p>
        <Variants edition=edition.clone()/>
        <h3 class="wide">{words.slos}</h3>
        {limits}
        {edition.on_site().then(|| view! { <LimitsForm edition=edition.clone()/> })}
        <h3 class="wide">{words.best_per_profile}</h3>
        <Best edition=edition.clone()/>
        {fronts}
    }
}

/// One row a variant, the best figure first.
#[component]
fn Variants(edition: Edition) -> impl IntoView {
    let (report, lang) = (&edition.report, edition.lang);
    let (labels, words) = (edition.labels(), ranking_labels(lang));
    let goal = report.objective.goal;
    let unit = if report.objective.is_weighted() { words.weighted } else { text::goal_unit(report, goal) };
    let cost = Goal::Cost(Tokens::Total);
    // What ranks stands in its own column already.
    let ranks = |of: Goal| of == goal && !report.objective.is_weighted();
    let has_cost = !ranks(cost) && report.ranking.iter().any(|ranked| ranked.cost_per_million_tokens.is_some());
    let has_energy =
        !ranks(Goal::TokensPerJoule) && report.ranking.iter().any(|ranked| ranked.tokens_per_joule.is_some());
    let names = Names {
        value: text::goal(lang, goal),
        cost: has_cost.then(|| text::goal(lang, cost)),
        energy: has_energy.then(|| text::goal(lang, Goal::TokensPerJoule)),
    };
    let head = |name: String, unit: &'static str| {
        view! { <th scope="col" role="columnheader" class="n">{name}<span class="unit">{unit}</span></th> }
    };
    let rows = report
        .ranking
        .iter()
        .map(|ranked| view! { <Row edition=edition.clone() ranked=ranked.clone() names=names.clone()/> })
        .collect_view();
    view! {
        <div class="wide">
            <table class="t stack options" role="table">
                <caption class="vh">{words.ranking}</caption>
                <thead role="rowgroup">
                    <tr role="row">
                        <th scope="col" role="columnheader">{labels.variant}</th>
                        {head(names.value.clone(), unit)}
                        <th scope="col" role="columnheader">{labels.change}</th>
                        {names.cost.clone().map(|name| head(name, text::goal_unit(report, cost)))}
                        {names.energy.clone().map(|name| head(name, "tok/J"))}
                        <th scope="col" role="columnheader" class="n">{words.arguments}</th>
                        <th scope="col" role="columnheader">{words.outcome}</th>
                    </tr>
                </thead>
                <tbody role="rowgroup">{rows}</tbody>
            </table>
        </div>
    }
}

/// Names of columns, which phones show in front of each cell.
#[derive(Clone)]
struct Names {
    value: String,
    cost: Option<String>,
    energy: Option<String>,
}

#[component]
fn Row(edition: Edition, ranked: Ranked, names: Names) -> impl IntoView {
    let (report, lang) = (&edition.report, edition.lang);
    let (labels, words) = (edition.labels(), ranking_labels(lang));
    let shown = |value: f64| match report.objective.is_weighted() {
        true => text::objective_value(lang, report, value),
        false => text::goal_figure(report, report.objective.goal, value),
    };
    let value = match ranked.value {
        Some(value) => view! { <span class="num">{shown(value)}</span> }.into_any(),
        None => view! { <span class="absent">{labels.not_measured}</span> }.into_any(),
    };
    let other = ranked.other_value.map(|other| {
        let form = text::basis(lang, report.basis.other());
        view! { <span class="beside">{form}" "{shown(other)}</span> }
    });
    let reported = ranked.change.and_then(|change| text::reported_apart(lang, report, &change));
    let change = match ranked.change {
        Some(change) => view! { <ChangeMark change decimals=report.decimals lang/> }.into_any(),
        None => "–".into_any(),
    };
    let money = |goal: Goal, value: Option<f64>, name: Option<String>| {
        name.map(|name| {
            let figure = value.map_or_else(|| "–".to_owned(), |value| text::goal_figure(report, goal, value));
            view! { <td role="cell" class="n" data-label=name>{figure}</td> }
        })
    };
    let place = ranked.place.map(|place| format!("{place}. "));
    view! {
        <tr role="row" class:off=ranked.place.is_none()>
            <th scope="row" role="rowheader">{place}<Sentence rich=text::variant_name(lang, report, &ranked.variant)/></th>
            <td role="cell" class="n" data-label=names.value>{value}{other}</td>
            <td role="cell" data-label=labels.change>
                {change}
                {reported.map(|reported| view! { <span class="beside">{reported}</span> })}
            </td>
            {money(Goal::Cost(Tokens::Total), ranked.cost_per_million_tokens, names.cost)}
            {money(Goal::TokensPerJoule, ranked.tokens_per_joule, names.energy)}
            <td role="cell" class="n" data-label=words.arguments>{count(ranked.arguments as u64)}</td>
            <td role="cell" class="options__reason">
                <Sentence rich=text::outcome(lang, report, ranked.why_not.as_ref())/>
            </td>
        </tr>
    }
}

/// Variants by limits.
#[component]
fn LimitTable(edition: Edition) -> impl IntoView {
    let (report, lang) = (&edition.report, edition.lang);
    let checks = report.ranking.first().map(|ranked| ranked.slo.as_slice()).unwrap_or_default();
    let heads: Vec<String> = checks
        .iter()
        .map(|check| {
            let limit = text::limit(lang, check.metric, check.limit);
            format!("{}{}{limit}", edition.profile(&check.profile), phrase::colon(lang))
        })
        .collect();
    let rows = report.ranking.iter().map(|ranked| {
        let cells = ranked.slo.iter().zip(&heads).map(|(check, head)| {
            let (icon, class) = match check.state {
                SloState::Met => (Icon::Better, "v v--better"),
                SloState::WeaklyMeasured | SloState::NotMeasured => (Icon::Unknown, "v"),
                SloState::NotMet => (Icon::Worse, "v v--worse"),
            };
            let said = text::slo_check(lang, check);
            view! { <td role="cell" data-label=head.clone()><span class=class><IconMark icon/>{said}</span></td> }
        });
        view! {
            <tr role="row">
                <th scope="row" role="rowheader"><Sentence rich=text::variant_name(lang, report, &ranked.variant)/></th>
                {cells.collect_view()}
            </tr>
        }
    });
    let head = heads.iter().map(|head| view! { <th scope="col" role="columnheader">{head.clone()}</th> });
    view! {
        <div class="wide">
            <table class="t stack" role="table">
                <caption class="vh">{ranking_labels(lang).slos}</caption>
                <thead role="rowgroup">
                    <tr role="row">
                        <th scope="col" role="columnheader">{edition.labels().variant}</th>
                        {head.collect_view()}
                    </tr>
                </thead>
                <tbody role="rowgroup">{rows.collect_view()}</tbody>
            </table>
        </div>
    }
}

/// The best variant of each profile beside the recommended one.
#[component]
fn Best(edition: Edition) -> impl IntoView {
    let (report, lang) = (&edition.report, edition.lang);
    let (labels, words) = (edition.labels(), ranking_labels(lang));
    let rows = report.best_per_profile.iter().map(|best| best_row(&edition, best)).collect_view();
    let goal = report.objective.goal;
    view! {
        <div class="wide">
            <table class="t stack" role="table">
                <caption class="vh">{words.best_per_profile}</caption>
                <thead role="rowgroup">
                    <tr role="row">
                        <th scope="col" role="columnheader">{labels.profile}</th>
                        <th scope="col" role="columnheader">{words.best}</th>
                        <th scope="col" role="columnheader" class="n">
                            {text::goal(lang, goal)}<span class="unit">{text::goal_unit(report, goal)}</span>
                        </th>
                        <th scope="col" role="columnheader" class="n">{labels.recommended}</th>
                        <th scope="col" role="columnheader">{words.lead}</th>
                    </tr>
                </thead>
                <tbody role="rowgroup">{rows}</tbody>
            </table>
        </div>
    }
}

fn best_row(edition: &Edition, best: &BestOn) -> impl IntoView + use<> {
    let (report, lang) = (&edition.report, edition.lang);
    let (labels, words) = (edition.labels(), ranking_labels(lang));
    let figure = |value: Option<f64>| {
        value.map_or_else(|| "–".to_owned(), |value| text::goal_figure(report, report.objective.goal, value))
    };
    let name = match &best.variant {
        Some(id) => view! { <Sentence rich=text::variant_name(lang, report, id)/> }.into_any(),
        None => "–".into_any(),
    };
    let lead = match (best.load_limited, best.lead) {
        (true, _) => view! { <VerdictMark verdict=Verdict::NotComparable lang/> }.into_any(),
        (false, Some(change)) => view! { <ChangeMark change decimals=report.decimals lang/> }.into_any(),
        (false, None) => "–".into_any(),
    };
    let recommended = match best.recommended {
        Some(value) => view! { <span class="num">{figure(Some(value))}</span> }.into_any(),
        None => view! { <span class="absent">{labels.not_measured}</span> }.into_any(),
    };
    view! {
        <tr role="row">
            <th scope="row" role="rowheader">{edition.profile(&best.profile)}</th>
            <td role="cell" data-label=words.best>{name}</td>
            <td role="cell" class="n" data-label=text::goal(lang, report.objective.goal)>{figure(best.value)}</td>
            <td role="cell" class="n" data-label=labels.recommended>{recommended}</td>
            <td role="cell" data-label=words.lead>{lead}</td>
        </tr>
    }
}
