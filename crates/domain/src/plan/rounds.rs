//! Which runs are still wanted: every variant under every profile, again and again in other server starts, until the
//! interval is tight.
//!
//! Jobs are ordered by their repeat first, so variants take turns (A B A B): what drifts on a machine then touches all of
//! them alike.

use std::collections::BTreeMap;

use super::read::gpu_needed;
use super::{JobKey, JobSpec, Known, KnownState, Needs, Plan};
use crate::aggregate::figures;
use crate::id::{ProfileId, StepId, VariantId};
use crate::job::FailureClass;
use crate::run::Run;
use crate::stats::Level;
use crate::study::{Basis, StudyData, Variant};

/// What is known so far, and what is wanted next.
pub(super) struct Board<'a> {
    pub plan: &'a Plan,
    /// The study as far as it is planned, with the runs so far.
    pub data: StudyData,
    pub wanted: Vec<JobSpec>,
    tallies: BTreeMap<(VariantId, ProfileId), Tally>,
}

/// The jobs of a variant under a profile.
#[derive(Default)]
struct Tally {
    done: u32,
    open: bool,
    given_up: Option<GivenUp>,
}

/// Why a variant is not measured any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GivenUp {
    Failed(FailureClass),
    Cancelled,
}

enum Pair {
    Settled,
    Open,
    Wants(u32),
}

impl<'a> Board<'a> {
    pub fn new(plan: &'a Plan, runs: &[Run], jobs: &[Known]) -> Self {
        let mut tallies: BTreeMap<(VariantId, ProfileId), Tally> = BTreeMap::new();
        for Known { key: JobKey { variant, profile, repeat: _ }, state, minutes: _ } in jobs {
            let tally = tallies.entry((variant.clone(), profile.clone())).or_default();
            match state {
                KnownState::Open => tally.open = true,
                KnownState::Done => tally.done += 1,
                KnownState::Failed(class) => tally.given_up = Some(GivenUp::Failed(*class)),
                KnownState::Cancelled => tally.given_up = tally.given_up.or(Some(GivenUp::Cancelled)),
            }
        }
        let data = StudyData { study: plan.study.clone(), runs: runs.to_vec() };
        Self { plan, data, wanted: Vec::new(), tallies }
    }

    /// Asks for what is missing of these variants under these profiles; `true` once nothing is.
    pub fn measure(
        &mut self,
        stage: usize,
        step: Option<&StepId>,
        variants: &[VariantId],
        profiles: &[ProfileId],
    ) -> bool {
        let mut settled = true;
        for (row, variant) in variants.iter().enumerate() {
            for (column, profile) in profiles.iter().enumerate() {
                match self.pair(variant, profile) {
                    Pair::Settled => continue,
                    Pair::Open => {}
                    Pair::Wants(repeat) => {
                        let place = Ordinal { stage, repeat, row, column };
                        let key = JobKey { variant: variant.clone(), profile: profile.clone(), repeat };
                        self.wanted.extend(self.spec(key, place, step));
                    }
                }
                settled = false;
            }
        }
        settled
    }

    /// Why a variant has no figures, where its jobs say so.
    pub fn given_up(&self, variant: &VariantId) -> Option<GivenUp> {
        self.tallies.iter().filter(|((known, _), _)| known == variant).find_map(|(_, tally)| tally.given_up)
    }

    fn pair(&self, variant: &VariantId, profile: &ProfileId) -> Pair {
        let policy = self.plan.repeats;
        let none = Tally::default();
        let tally = self.tallies.get(&(variant.clone(), profile.clone())).unwrap_or(&none);
        if tally.open {
            return Pair::Open;
        }
        // A server that cannot start under one profile cannot under another.
        let never_starts = matches!(self.given_up(variant), Some(GivenUp::Failed(class)) if class.is_of_start());
        if tally.given_up.is_some() || never_starts || tally.done >= policy.max {
            return Pair::Settled;
        }
        let (starts, width_pct) = self.scatter(variant, profile);
        let enough =
            starts >= policy.max || (starts >= policy.min && width_pct.is_none_or(|width| width <= policy.width_pct));
        if enough { Pair::Settled } else { Pair::Wants(tally.done + 1) }
    }

    /// Starts so far, and half the 95 % interval over them in percent of the mean; none where more starts would not give
    /// one.
    fn scatter(&self, variant: &VariantId, profile: &ProfileId) -> (u32, Option<f64>) {
        let Some(figures) = figures(&self.data, variant, profile) else { return (0, None) };
        let (reported, recomputed) = figures.starts_of(self.data.study.objective.goal.scatters_as());
        let values = match self.data.study.basis {
            Basis::Recomputed if !recomputed.is_empty() => recomputed,
            Basis::Recomputed | Basis::Reported => reported,
        };
        let level = Level::of(&values);
        let starts = u32::try_from(figures.starts).unwrap_or(u32::MAX);
        let one_start = level.filter(|level| level.n == 1).map(|_| f64::INFINITY);
        (starts, level.and_then(|level| level.pct(level.half_width)).or(one_start))
    }

    fn spec(&self, key: JobKey, place: Ordinal, step: Option<&StepId>) -> Option<JobSpec> {
        let study = &self.data.study;
        let (variant, profile) = (study.variant(&key.variant)?, study.profile(&key.profile)?);
        let in_step = || {
            let of = |profile: bool| {
                study
                    .steps
                    .iter()
                    .find(|step| step.variants.contains(&key.variant) && (!profile || step.profile == key.profile))
            };
            of(true).or_else(|| of(false)).map(|step| step.id.clone())
        };
        Some(JobSpec {
            ordinal: place.number(),
            step: step.cloned().or_else(in_step),
            variant: variant.clone(),
            profile: profile.clone(),
            method: self.plan.method.clone(),
            needs: needs(self.plan, variant),
            key,
        })
    }
}

fn needs(plan: &Plan, variant: &Variant) -> Needs {
    let declared = plan.study.gpus(variant).unwrap_or(1);
    Needs {
        gpu: gpu_needed(&plan.study),
        // Never fewer than the arguments split the model over.
        gpus: crate::machine::needed_gpus(variant).map_or(declared, |needed| declared.max(needed)),
        engine: variant.engine.clone(),
        engine_version: variant.engine_version.clone(),
    }
}

/// A job's place among those of its plan.
struct Ordinal {
    stage: usize,
    repeat: u32,
    row: usize,
    column: usize,
}

impl Ordinal {
    /// Stage before repeat before variant before profile. A plan has fewer than 4,096 stages and 1,024 variants and
    /// profiles, and at most 50 repeats.
    fn number(&self) -> i64 {
        let all =
            ((self.stage as u64 * 64 + u64::from(self.repeat)) * 1024 + self.row as u64) * 1024 + self.column as u64;
        i64::try_from(all).unwrap_or(i64::MAX)
    }
}
