//! What a plan will cost, before it starts.
//!
//! What is not known is said: a profile at unlimited rate takes as long as the server needs, and nobody knows that before
//! the first run.

use serde::{Deserialize, Serialize};

use super::search::deciding;
use super::{Knob, Plan};
use crate::advise::cost::Currency;
use crate::id::ProfileId;
use crate::machine::needed_gpus;
use crate::run::Run;
use crate::study::Variant;
use crate::units::RequestRate;

/// Measured on an H200 (`h200-study`): a server of an 8B model was healthy after 47 to 127 s.
const START_MINUTES: f64 = 2.0;

/// At least, and at most.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Span<T> {
    /// At least: intervals are tight at once, nothing is adopted.
    pub least: T,
    /// At most.
    pub most: T,
}

/// What a plan will cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Runs to measure.
    pub jobs: Span<u64>,
    /// Servers to start.
    pub starts: Span<u64>,
    /// Minutes of one machine; none where the length of a profile's runs is not known.
    pub minutes: Option<Span<f64>>,
    /// Money, where the study has a price and the minutes are known.
    pub money: Option<(Span<f64>, Currency)>,
    /// Profiles of which nobody knows how long a run takes.
    pub unknown: Vec<ProfileId>,
}

/// How long a run under a profile takes, without the start of its server: as the plan says, else as measured before, else
/// requests / rate.
pub(super) fn minutes_of(plan: &Plan, runs: &[Run], profile: &ProfileId) -> Option<f64> {
    let given = plan.durations.runs.get(profile).copied();
    given.or_else(|| measured(runs, profile)).or_else(|| {
        let profile = plan.study.profile(profile)?;
        match profile.request_rate? {
            RequestRate::PerSec(rate) => Some(profile.requests? as f64 / rate.get() / 60.0),
            RequestRate::Unlimited => None,
        }
    })
}

fn measured(runs: &[Run], profile: &ProfileId) -> Option<f64> {
    let of_profile = runs.iter().filter(|run| run.profile == *profile);
    let seconds: Vec<f64> = of_profile.filter_map(|run| run.measurement.metrics.duration).map(|s| s.get()).collect();
    (!seconds.is_empty()).then(|| seconds.iter().sum::<f64>() / seconds.len() as f64 / 60.0)
}

/// Variants of one kind, under some of the profiles.
struct Group {
    variants: Span<u64>,
    gpus: u32,
    profiles: Vec<ProfileId>,
}

/// Estimates a plan. `runs` of the same study say how long profiles take.
#[must_use]
pub fn estimate(plan: &Plan, runs: &[Run]) -> Estimate {
    let groups = groups(plan);
    let mut unknown = Vec::new();
    for profile in &plan.study.profiles {
        if minutes_of(plan, runs, &profile.id).is_none() {
            unknown.push(profile.id.clone());
        }
    }
    let repeats = Span { least: u64::from(plan.repeats.min), most: u64::from(plan.repeats.max) };
    let start = plan.durations.start_minutes.unwrap_or(START_MINUTES);
    let mut jobs = Span { least: 0, most: 0 };
    let mut starts = Span { least: 0, most: 0 };
    let mut minutes = Span { least: 0.0, most: 0.0 };
    let mut gpu_minutes = minutes;
    for group in &groups {
        let run: f64 = group.profiles.iter().filter_map(|profile| minutes_of(plan, runs, profile)).sum();
        let of = |variants: u64, repeats: u64| {
            let servers = variants * repeats;
            (servers * group.profiles.len() as u64, servers, servers as f64 * (start + run))
        };
        let (least, most) = (of(group.variants.least, repeats.least), of(group.variants.most, repeats.most));
        jobs = Span { least: jobs.least + least.0, most: jobs.most + most.0 };
        starts = Span { least: starts.least + least.1, most: starts.most + most.1 };
        minutes = Span { least: minutes.least + least.2, most: minutes.most + most.2 };
        let gpus = f64::from(group.gpus);
        gpu_minutes = Span { least: gpu_minutes.least + gpus * least.2, most: gpu_minutes.most + gpus * most.2 };
    }
    let (jobs, minutes, gpu_minutes) = within(plan, jobs, minutes, gpu_minutes);
    let known = unknown.is_empty();
    let money = plan.study.price.filter(|_| known).map(|price| {
        let cost = |minutes: f64| minutes / 60.0 * price.gpu_hour;
        (Span { least: cost(gpu_minutes.least), most: cost(gpu_minutes.most) }, price.currency)
    });
    Estimate { jobs, starts, minutes: known.then_some(minutes), money, unknown }
}

/// The budget cuts off what lies beyond it.
fn within(
    plan: &Plan,
    jobs: Span<u64>,
    minutes: Span<f64>,
    gpu_minutes: Span<f64>,
) -> (Span<u64>, Span<f64>, Span<f64>) {
    let most_jobs = plan.budget.jobs.map_or(u64::MAX, u64::from);
    let most_minutes = plan.budget.minutes.unwrap_or(f64::INFINITY);
    let share = |of: f64| if of > most_minutes { most_minutes / of } else { 1.0 };
    (
        Span { least: jobs.least.min(most_jobs), most: jobs.most.min(most_jobs) },
        Span { least: minutes.least.min(most_minutes), most: minutes.most.min(most_minutes) },
        Span { least: gpu_minutes.least * share(minutes.least), most: gpu_minutes.most * share(minutes.most) },
    )
}

fn groups(plan: &Plan) -> Vec<Group> {
    let study = &plan.study;
    let all = || study.profiles.iter().map(|profile| profile.id.clone()).collect::<Vec<_>>();
    let gpus = |variant: &Variant| {
        let declared = study.gpus(variant).unwrap_or(1);
        needed_gpus(variant).map_or(declared, |needed| declared.max(needed))
    };
    let Some(knobs) = &plan.search else {
        let one =
            |variant: &Variant| Group { variants: Span { least: 1, most: 1 }, gpus: gpus(variant), profiles: all() };
        return study.variants.iter().map(one).collect();
    };
    let Some(baseline) = study.variant(&study.baseline) else { return Vec::new() };
    let deciding = deciding(study);
    let others: Vec<_> = all().into_iter().filter(|profile| !deciding.contains(profile)).collect();
    let base = gpus(baseline);
    let exactly = |n: u64| Span { least: n, most: n };
    let mut groups = vec![Group { variants: exactly(1), gpus: base, profiles: deciding.clone() }];
    let engines: Vec<&str> = std::iter::once(baseline.engine.as_str())
        .chain(
            knobs.iter().flat_map(|knob| &knob.values).filter_map(|value| Some(value.engine.as_ref()?.engine.as_str())),
        )
        .collect();
    for knob in knobs {
        let always = knob.is_engine() || engines.iter().all(|engine| knob.fits(engine));
        for value in &knob.values {
            groups.push(Group {
                variants: Span { least: u64::from(always), most: 1 },
                gpus: value.gpus.unwrap_or(base),
                profiles: deciding.clone(),
            });
        }
    }
    let most = most_combinations(knobs);
    groups.push(Group { variants: Span { least: 0, most }, gpus: base, profiles: deciding });
    // Nothing adopted: the baseline alone under the other profiles; else the recommended one, too.
    if !others.is_empty() {
        groups.push(Group { variants: Span { least: 1, most: 2 }, gpus: base, profiles: others });
    }
    groups
}

/// The first adopted value stands alone; each other one makes a combination.
fn most_combinations(knobs: &[Knob]) -> u64 {
    (knobs.iter().filter(|knob| !knob.is_engine()).count() as u64).saturating_sub(1)
}
