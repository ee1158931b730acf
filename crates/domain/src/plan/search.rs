//! The greedy search of the reference reports: the engine first, then one knob at a time, then combinations of what was
//! adopted. Every stage is a step of the study, so the report's ablation log tells what the search did.

use serde::{Deserialize, Serialize};

use super::judge::{Judged, Outcome, judge, ranked};
use super::rounds::Board;
use super::{EngineChange, Knob, KnobValue};
use crate::command::diff::same_configuration;
use crate::command::flags;
use crate::id::{ProfileId, StepId, VariantId};
use crate::study::{Localized, Step, Study, Variant};
use crate::text::plan::{combinations, engine_choice};

/// A step of a search as it was taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Traced {
    /// Its id in the study, where it is a step there.
    pub step: StepId,
    /// For people.
    pub name: Localized,
    /// What the values were tried on.
    pub base: VariantId,
    /// How far it is.
    pub state: TracedStep,
    /// What was tried, in order.
    pub tried: Vec<Tried>,
}

/// How far a step of a search is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "id", rename_all = "kebab-case")]
pub enum TracedStep {
    /// Jobs are open or wanted.
    Measuring,
    /// It is decided.
    Decided {
        /// What is kept; none: what it was tried on.
        adopted: Option<VariantId>,
    },
    /// The engine that was chosen has no such knob.
    Unfit {
        /// The engine.
        engine: String,
    },
    /// What it was tried on is set like that already.
    NothingNew,
}

/// A variant that was tried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// The variant.
    pub variant: VariantId,
    /// What became of it; none while it is measured.
    pub outcome: Option<Outcome>,
}

/// The step in which adopted values are put together.
const COMBINATIONS: &str = "combinations";
/// The step in which engines are compared, where several knobs choose one.
const ENGINE: &str = "engine";

/// Replays a search over what was measured so far, and asks for what is missing. `true` once it is at its end.
pub(super) fn replay(board: &mut Board<'_>, knobs: &[Knob]) -> (Vec<Traced>, bool) {
    let mut search = Search { profiles: deciding(&board.plan.study), board, trace: Vec::new(), stage: 0 };
    let done = search.run(knobs).is_some();
    (search.trace, done)
}

/// The profiles whose figures decide, or whose limits must be kept.
pub(super) fn deciding(study: &Study) -> Vec<ProfileId> {
    let decides = |id: &ProfileId| match study.objective.is_weighted() {
        true => study.objective.weights.contains_key(id),
        false => *id == study.primary_profile,
    };
    let profiles = study.profiles.iter().filter(|profile| decides(&profile.id) || !profile.slo.is_empty());
    profiles.map(|profile| profile.id.clone()).collect()
}

struct Search<'s, 'a> {
    board: &'s mut Board<'a>,
    /// Those that decide.
    profiles: Vec<ProfileId>,
    trace: Vec<Traced>,
    stage: usize,
}

impl Search<'_, '_> {
    /// None while something is still to be measured.
    fn run(&mut self, knobs: &[Knob]) -> Option<()> {
        let baseline = self.board.plan.study.baseline.clone();
        let (engines, others): (Vec<&Knob>, Vec<&Knob>) = knobs.iter().partition(|knob| knob.is_engine());
        let base = self.engine(&engines, &baseline)?;
        let mut adopted: Vec<&KnobValue> = Vec::new();
        for knob in others {
            adopted.extend(self.knob(knob, &base)?);
        }
        let last = self.combine(&base, &adopted)?;
        // Where the recommended command is the wrong choice shows under the profiles that do not decide.
        let all: Vec<ProfileId> = self.board.plan.study.profiles.iter().map(|profile| profile.id.clone()).collect();
        let mut both = vec![baseline];
        both.extend((!both.contains(&last)).then_some(last));
        self.stage += 1;
        self.board.measure(self.stage, None, &both, &all).then_some(())
    }

    fn engine(&mut self, knobs: &[&Knob], baseline: &VariantId) -> Option<VariantId> {
        let values: Vec<&KnobValue> = knobs.iter().flat_map(|knob| &knob.values).collect();
        if values.is_empty() {
            let settled = self.board.measure(self.stage, None, std::slice::from_ref(baseline), &self.profiles);
            return settled.then(|| baseline.clone());
        }
        let (id, name) = match knobs {
            [only] => (only.id.clone(), only.name.clone()),
            _ => (StepId::new(ENGINE), engine_choice()),
        };
        let tried = self.put(baseline, &values);
        let adopted = self.step(id, name, baseline, &tried, true)?;
        Some(adopted.unwrap_or_else(|| baseline.clone()))
    }

    /// The value of a knob that is adopted.
    fn knob<'k>(&mut self, knob: &'k Knob, base: &VariantId) -> Option<Option<&'k KnobValue>> {
        let engine = self.variant(base).engine;
        let skip = |state: TracedStep| Traced {
            step: knob.id.clone(),
            name: knob.name.clone(),
            base: base.clone(),
            state,
            tried: Vec::new(),
        };
        if !knob.fits(&engine) {
            self.trace.push(skip(TracedStep::Unfit { engine }));
            return Some(None);
        }
        let values: Vec<&KnobValue> = knob.values.iter().collect();
        let tried = self.put(base, &values);
        if tried.is_empty() {
            self.trace.push(skip(TracedStep::NothingNew));
            return Some(None);
        }
        let adopted = self.step(knob.id.clone(), knob.name.clone(), base, &tried, false)?;
        Some(adopted.and_then(|id| knob.values.iter().find(|value| value.id == id)))
    }

    /// Puts the adopted values together, the best first, and keeps each that makes what came before better.
    fn combine(&mut self, base: &VariantId, adopted: &[&KnobValue]) -> Option<VariantId> {
        let ids: Vec<VariantId> = adopted.iter().map(|value| value.id.clone()).collect();
        let mut order = ranked(self.board, base, &ids).into_iter();
        let Some(mut current) = order.next() else { return Some(base.clone()) };
        for next in order {
            let Some(value) = adopted.iter().find(|value| value.id == next) else { continue };
            let from = self.variant(&current);
            let combined = apply(value, &from, VariantId::new(format!("{current}+{next}")));
            if same_configuration(&combined, &from) {
                continue;
            }
            let tried = [combined.id.clone()];
            self.board.data.study.variants.push(combined);
            if let Some(better) = self.step(StepId::new(COMBINATIONS), combinations(), &current, &tried, false)? {
                current = better;
            }
        }
        Some(current)
    }

    /// The variants that values make of a base; those that change nothing in it are left out.
    fn put(&mut self, base: &VariantId, values: &[&KnobValue]) -> Vec<VariantId> {
        let from = self.variant(base);
        let made = values.iter().map(|value| apply(value, &from, value.id.clone()));
        let new: Vec<Variant> = made.filter(|variant| !same_configuration(variant, &from)).collect();
        let ids = new.iter().map(|variant| variant.id.clone()).collect();
        self.board.data.study.variants.extend(new);
        ids
    }

    /// Measures and judges. Candidates join the step of the same id, where there is one. `None` while jobs are open.
    fn step(
        &mut self,
        id: StepId,
        name: Localized,
        base: &VariantId,
        tried: &[VariantId],
        with_base: bool,
    ) -> Option<Option<VariantId>> {
        let shown = base_first(base, tried, with_base);
        let steps = &mut self.board.data.study.steps;
        match steps.iter_mut().find(|step| step.id == id) {
            Some(step) => step.variants.extend(shown.iter().cloned()),
            None => steps.push(Step {
                id: id.clone(),
                name: name.clone(),
                profile: self.board.plan.study.primary_profile.clone(),
                variants: shown,
                notes: Localized::default(),
            }),
        }
        self.stage += 1;
        // The base is measured already, but for the first step, whose variants take turns with it.
        let measured = base_first(base, tried, true);
        let settled = self.board.measure(self.stage, Some(&id), &measured, &self.profiles);
        let Judged { adopted, outcomes } = match settled {
            true => judge(self.board, base, tried),
            false => Judged { adopted: None, outcomes: Vec::new() },
        };
        let mut outcomes = outcomes.into_iter();
        let tried = tried.iter().map(|id| Tried { variant: id.clone(), outcome: outcomes.next() }).collect();
        let state = match settled {
            true => TracedStep::Decided { adopted: adopted.clone() },
            false => TracedStep::Measuring,
        };
        self.trace.push(Traced { step: id, name, base: base.clone(), state, tried });
        settled.then_some(adopted)
    }

    fn variant(&self, id: &VariantId) -> Variant {
        self.board
            .data
            .study
            .variant(id)
            .expect("a search only looks up variants that it has put into the study")
            .clone()
    }
}

fn base_first(base: &VariantId, tried: &[VariantId], with_base: bool) -> Vec<VariantId> {
    with_base.then(|| base.clone()).into_iter().chain(tried.iter().cloned()).collect()
}

/// What a value makes of a variant.
pub(super) fn apply(value: &KnobValue, base: &Variant, id: VariantId) -> Variant {
    let model = value.model.clone().unwrap_or_else(|| base.model.clone());
    let gpus = value.gpus.or(base.gpus);
    let name = value.name.clone().filter(|_| id == value.id);
    let shared = Variant { id, name, model, gpus, notes: Localized::default(), ..base.clone() };
    match &value.engine {
        Some(EngineChange { engine, version }) => Variant {
            engine: engine.clone(),
            engine_version: version.clone(),
            args: value.args.clone(),
            env: value.env.clone(),
            ..shared
        },
        None => {
            let mut env = base.env.clone();
            env.extend(value.env.clone());
            Variant { args: set(&base.args, &value.args), env, ..shared }
        }
    }
}

/// An argument list with these flags in place of what it had for them.
fn set(args: &[String], new: &[String]) -> Vec<String> {
    let name = |word: &String| flags(std::slice::from_ref(word)).into_iter().next().map(|flag| flag.name);
    let is_flag = |word: &String| word.starts_with('-') && word.parse::<f64>().is_err();
    let replaced: Vec<_> = new.iter().filter(|word| is_flag(word)).filter_map(name).collect();
    let mut kept = Vec::new();
    let mut dropping = false;
    for word in args {
        if is_flag(word) {
            dropping = name(word).is_some_and(|name| replaced.contains(&name));
        }
        if !dropping {
            kept.push(word.clone());
        }
    }
    kept.extend(new.iter().cloned());
    kept
}

#[cfg(test)]
mod tests {
    use super::set;

    #[test]
    fn a_flag_takes_the_place_of_its_value_before_however_it_was_spelled() {
        let words = |text: &str| text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect::<Vec<_>>();
        for (args, new, both) in [
            ("--a 1 --b", "--c=2", "--a 1 --b --c=2"),
            ("--max_num_seqs 8 --b", "--max-num-seqs 16", "--b --max-num-seqs 16"),
            ("--a=1 --list x y --b", "--list z", "--a=1 --b --list z"),
            ("--t -0.5 --b", "--t 1", "--b --t 1"),
            ("", "--a", "--a"),
        ] {
            assert_eq!(set(&words(args), &words(new)), words(both), "{args} with {new}");
        }
    }
}
