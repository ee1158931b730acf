//! A study in a list: what it is about, what came out, how sure that is.

use domain::{
    change::Verdict,
    check::Severity,
    report::{ConclusionRow, Standing, kinds_of},
    text::{self, phrase},
};
use leptos::prelude::*;

use super::{
    change::ChangeMark,
    chips::Chips,
    report::{Edition, engines_under_advice},
    tag::SeverityTag,
    time::Time,
    verdict::VerdictMark,
};
use crate::routes::Route;

/// One card. Its heading links to the report.
#[component]
pub fn StudyCard(
    /// The study's report.
    edition: Edition,
    /// Last change, milliseconds since 1970 UTC.
    updated_at: i64,
) -> impl IntoView {
    let (report, lang, page) = (&edition.report, edition.lang, edition.page());
    let href = Route::Study(report.slug.to_string()).href(lang);
    let line = text::conclusion(lang, report).headline.plain();
    let advised = report.conclusion.recommended.as_ref().and_then(|id| report.variant(id)).cloned();
    let model = advised.as_ref().map_or_else(|| report.model.id.clone(), |variant| variant.model.clone());
    let chips = advised.filter(|variant| variant.id != report.conclusion.baseline).map(|variant| {
        view! { <Chips variant baseline=edition.baseline().cloned() only_differences=true lang/> }
    });
    let tags = [Severity::Disqualifying, Severity::Warning, Severity::Info]
        .into_iter()
        .map(|severity| (severity, kinds_of(report, severity).len()))
        .filter(|(severity, n)| *n > 0 && *severity != Severity::Info)
        .map(|(severity, n)| view! { <SeverityTag severity words=phrase::findings(lang, severity, n)/> })
        .collect_view();
    let repeats =
        phrase::repeats(lang, report).map(|(n, meaning)| view! { <span>{n}{phrase::separator(lang)}{meaning}</span> });
    view! {
        <article class="study-card">
            <div class="study-card__main">
                <h2><a href=href>{edition.name(&report.title)}</a></h2>
                <ul class="meta">
                    <li>{phrase::model(lang, &model).to_owned()}</li>
                    <li>{phrase::hardware(lang, &report.hardware)}</li>
                    <li>{engines_under_advice(lang, report)}</li>
                </ul>
                <p class="study-card__line">{line}</p>
                {chips}
            </div>
            <div class="study-card__side">
                <Gains edition=edition.clone()/>
            </div>
            <div class="study-card__foot">
                {tags}
                {repeats}
                <span>{phrase::runs(lang, report.runs.len())}</span>
                <span class="end">{page.updated}" "<Time ms=updated_at lang/></span>
            </div>
        </article>
    }
}

/// The primary profile's gain in large, the others below it.
#[component]
fn Gains(edition: Edition) -> impl IntoView {
    let (report, lang) = (&edition.report, edition.lang);
    let rows = &report.conclusion.rows;
    let standing = report.conclusion.standing;
    let primary = match standing {
        Standing::Recommended | Standing::WithReservations => report.primary_row(),
        Standing::KeepBaseline | Standing::Nothing => None,
    };
    let Some(primary) = primary else {
        return view! { <p class="study-card__standing">{text::standing(lang, standing)}</p> }.into_any();
    };
    let others = rows.iter().filter(|row| !row.primary).map(|row| other(&edition, row)).collect_view();
    let others = (rows.len() > 1).then(|| view! { <dl class="kv">{others}</dl> });
    view! {
        <p class="small muted">{edition.labels().total_tps}" · "{edition.profile(&primary.profile)}</p>
        <p class="big"><ChangeMark change=primary.change decimals=report.decimals lang/></p>
        {others}
    }
    .into_any()
}

/// A figure where there is something to compare, else the word for why not.
fn other(edition: &Edition, row: &ConclusionRow) -> AnyView {
    let lang = edition.lang;
    let verdict = row.change.verdict;
    let shown = match (verdict, row.change.pct()) {
        (Verdict::NotComparable | Verdict::Unknown, _) | (_, None) => view! { <VerdictMark verdict lang/> }.into_any(),
        (Verdict::Better | Verdict::Worse | Verdict::Neutral | Verdict::WithinNoise, Some(pct)) => view! {
            {edition.pct(pct)}" "
            <span class="kv__mark"><VerdictMark verdict unproven=row.change.unproven() lang/></span>
        }
        .into_any(),
    };
    view! { <dt>{edition.profile(&row.profile)}</dt><dd>{shown}</dd> }.into_any()
}
