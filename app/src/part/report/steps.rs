//! What was tried, step by step: facts in the column, judgement in the margin.

use std::collections::BTreeSet;

use domain::{
    advise::Goal,
    id::{RunId, VariantId},
    metric::Metric,
    note::Target,
    report::{StepReport, StepVariant},
    text,
};
use leptos::prelude::*;

use super::{
    edition::Edition,
    raw::{RawBlock, RawElsewhere},
    readout::Readout,
};
use crate::part::{
    NoteBeside,
    chips::Chips,
    rich::Sentence,
    tag::{DecisionTag, DisqualifiedTag, RoleTag},
};

/// Every step. A raw block stands where its run appears first.
#[component]
pub fn Steps(
    /// The report.
    edition: Edition,
    /// The section's number.
    number: usize,
) -> impl IntoView {
    let (mut shown, mut noted) = (BTreeSet::new(), BTreeSet::new());
    let steps = (1..)
        .zip(&edition.report.steps)
        .map(|(at, step)| {
            let fresh = step
                .variants
                .iter()
                .filter_map(|variant| variant.figures.as_ref())
                .flat_map(|figures| figures.runs.clone())
                .filter(|run| shown.insert(run.clone()))
                .collect();
            let noted = step.variants.iter().map(|variant| variant.id.clone()).filter(|id| noted.insert(id.clone()));
            let place = Place { number: format!("{number}.{at}"), fresh, noted: noted.collect() };
            view! { <StepBlock edition=edition.clone() step=step.clone() place/> }
        })
        .collect_view();
    view! {
        <p class="small muted wide">{edition.page().steps_intro}</p>
        {steps}
    }
}

/// What a step shows that no step before it has shown.
#[derive(Clone)]
struct Place {
    /// Of its heading.
    number: String,
    /// Runs.
    fresh: BTreeSet<RunId>,
    /// Variants, whose notes stand here.
    noted: BTreeSet<VariantId>,
}

#[component]
fn StepBlock(edition: Edition, step: StepReport, place: Place) -> impl IntoView {
    let lang = edition.lang;
    let summary = text::summary(lang, &edition.report, &step).map(|rich| view! { <p class="sum"><Sentence rich/></p> });
    let reason = text::reason(lang, &edition.report, &step.reason);
    let best = step.best.clone().filter(|_| step.variants.len() > 1);
    let variants = step
        .variants
        .iter()
        .map(|variant| {
            let best = best.as_ref() == Some(&variant.id);
            view! { <VariantBlock edition=edition.clone() variant=variant.clone() best place=place.clone()/> }
        })
        .collect_view();
    let profile = (step.profile != edition.report.primary_profile).then(|| {
        view! { <span class="small muted">{edition.profile(&step.profile)}</span> }
    });
    view! {
        <article class="step">
            <h3 id=format!("step-{}", step.id)>
                <span class="no">{place.number.clone()}</span>
                {edition.name(&step.name)}
                <DecisionTag decision=step.decision lang/>
                {profile}
            </h3>
            <div class="step__facts">
                <NoteBeside edition=edition.clone() on=Target::Step(step.id.clone()) notes=step.notes.clone() level=3/>
                {variants}
                {summary}
            </div>
            <div class="margin">
                <div class="note">
                    <b>{edition.labels().decision}{text::phrase::colon(lang)}{text::decision(lang, step.decision)}</b>
                    <p><Sentence rich=reason/></p>
                </div>
            </div>
        </article>
    }
}

#[component]
fn VariantBlock(edition: Edition, variant: StepVariant, best: bool, place: Place) -> impl IntoView {
    let (report, lang, page) = (&edition.report, edition.lang, edition.page());
    let facts = report.variant(&variant.id).cloned();
    let name = text::variant_name(lang, report, &variant.id);
    let is_baseline = variant.id == report.conclusion.baseline;
    let recommended = !is_baseline && edition.is_recommended(&variant.id);
    let runs = variant.figures.as_ref().map(|figures| {
        view! { <span class="muted small">{edition.run_links(&figures.runs)}</span> }
    });
    let note = facts.as_ref().filter(|facts| place.noted.contains(&facts.id)).map(|facts| {
        let on = Target::Variant(facts.id.clone());
        view! { <NoteBeside edition=edition.clone() on notes=facts.notes.clone() level=4/> }
    });
    let chips = facts.map(|facts| {
        view! { <Chips variant=facts baseline=edition.baseline().cloned() lang/> }
    });
    let readout = match &variant.figures {
        Some(figures) => view! {
            <Readout
                edition=edition.clone()
                figures=figures.clone()
                change=variant.change.filter(|_| report.objective.goal == Goal::Metric(Metric::TotalTps))
                disqualified=variant.disqualified
            />
        }
        .into_any(),
        None => view! { <p class="small muted">{page.not_run}</p> }.into_any(),
    };
    // Failures have a mark of their own.
    let barred = variant.barred.as_ref().filter(|_| !variant.disqualified).map(|why| {
        view! { <p class="small"><Sentence rich=text::outcome(lang, report, Some(why))/></p> }
    });
    let raw = variant.figures.iter().flat_map(|figures| edition.runs(&figures.runs)).map(|run| {
        if place.fresh.contains(&run.id) {
            let on = Target::Run(run.id.clone());
            view! {
                <NoteBeside edition=edition.clone() on notes=run.notes.clone() level=4/>
                <RawBlock edition=edition.clone() run=run.clone()/>
            }
            .into_any()
        } else {
            view! { <RawElsewhere edition=edition.clone() number=run.number/> }.into_any()
        }
    });
    view! {
        <div class="variant">
            <h4>
                <Sentence rich=name/>
                {(is_baseline || recommended).then(|| view! { <RoleTag recommended lang/> })}
                {variant.disqualified.then(|| view! { <DisqualifiedTag lang/> })}
                {best.then(|| view! { <span class="muted small">{page.best_of_step}</span> })}
                {runs}
            </h4>
            {chips}
            {note}
            {readout}
            {barred}
            {raw.collect_view()}
        </div>
    }
}
