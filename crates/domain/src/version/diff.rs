//! What changed from one outline to another: facts, in the order in which they matter.

use std::collections::{BTreeMap, BTreeSet};

use super::difference::{Difference, FigureMoved, Gain, NoteOn, PartKind, Place, Setting, SideOf};
use super::outline::{Figures, FindingOutline, Named, Outline, RowOutline, RunOutline, VariantOutline};
use crate::metric::Metric;
use crate::round::half_up;
use crate::study::Basis;
use crate::text::Lang;

/// Decimals of figures: what no reader sees is no difference.
const SHOWN: usize = 2;

/// What changed; empty where an outline shows nothing.
#[must_use]
pub fn diff(from: &Outline, to: &Outline) -> Vec<Difference> {
    let pair = Pair { from, to };
    let mut all = pair.conclusion();
    all.extend(pair.steps());
    all.extend(pair.study());
    all.extend(pair.runs());
    all.extend(pair.findings());
    all.extend(pair.notes());
    all
}

#[derive(Clone, Copy)]
struct Pair<'a> {
    from: &'a Outline,
    to: &'a Outline,
}

impl Pair<'_> {
    fn conclusion(self) -> Vec<Difference> {
        let Self { from, to } = self;
        let mut all = Vec::new();
        let same_advice = from.recommended == to.recommended;
        if !same_advice {
            let named = |id: &Option<String>| id.as_ref().map(|id| self.variant(id));
            all.push(Difference::Recommended { from: named(&from.recommended), to: named(&to.recommended) });
        }
        if from.standing != to.standing {
            all.push(Difference::Standing { from: from.standing.clone(), to: to.standing.clone() });
        }
        let same_baseline = from.baseline == to.baseline;
        if !same_baseline {
            all.push(Difference::Baseline { from: self.variant(&from.baseline), to: self.variant(&to.baseline) });
        }
        let old = |profile: &str| from.rows.iter().find(|row| row.profile == profile);
        for row in &to.rows {
            let profile = self.profile(&row.profile);
            let Some(old) = old(&row.profile) else {
                all.push(Difference::Compared { profile, now: true });
                continue;
            };
            all.extend(self.gain(&profile, old, row));
            let sides = [
                (SideOf::Baseline, same_baseline, &old.baseline, &row.baseline),
                (SideOf::Recommended, same_advice, &old.recommended, &row.recommended),
            ];
            for (side, _, old, new) in sides.into_iter().filter(|(_, same, _, _)| *same) {
                let moved = moved(old, new).into_iter();
                all.extend(moved.map(|moved| Difference::Figure { profile: profile.clone(), side, moved }));
            }
        }
        let gone = from.rows.iter().filter(|row| to.rows.iter().all(|other| other.profile != row.profile));
        all.extend(gone.map(|row| Difference::Compared { profile: self.profile(&row.profile), now: false }));
        all
    }

    fn gain(self, profile: &Named, old: &RowOutline, new: &RowOutline) -> Option<Difference> {
        let decimals = usize::from(self.to.decimals);
        let of = |row: &RowOutline| Gain {
            reported_pct: row.reported_pct,
            recomputed_pct: row.recomputed_pct,
            verdict: row.verdict.clone(),
        };
        let same = seen_alike(old.reported_pct, new.reported_pct, decimals)
            && seen_alike(old.recomputed_pct, new.recomputed_pct, decimals)
            && old.verdict == new.verdict;
        (!same).then(|| Difference::Gain { profile: profile.clone(), decimals, from: of(old), to: of(new) })
    }

    fn steps(self) -> Vec<Difference> {
        let named = |outline: &Outline| outline.steps.iter().map(|step| step.named.clone()).collect();
        let mut all = parts(PartKind::Step, named(self.from), named(self.to));
        for step in &self.to.steps {
            let old = self.from.steps.iter().find(|old| old.named.id == step.named.id);
            if let Some(old) = old.filter(|old| old.decision != step.decision) {
                let (from, to) = (old.decision.clone(), step.decision.clone());
                all.push(Difference::Decision { step: step.named.clone(), from, to });
            }
        }
        all
    }

    fn study(self) -> Vec<Difference> {
        let Self { from, to } = self;
        let mut all = Vec::new();
        for lang in Lang::ALL {
            let of = |outline: &Outline| outline.title.own(lang).unwrap_or_default().to_owned();
            if of(from) != of(to) {
                all.push(Difference::Title { lang, from: of(from), to: of(to) });
            }
        }
        for setting in Setting::ALL {
            // What one of them did not keep is unknown.
            let both = from.settings.get(setting.key()).zip(to.settings.get(setting.key()));
            if let Some((from, to)) = both.filter(|(from, to)| from != to) {
                all.push(Difference::Setting { setting, from: from.clone(), to: to.clone() });
            }
        }
        let profiles = |of: &Outline| of.profiles.iter().map(|one| one.named.clone()).collect();
        let variants = |of: &Outline| of.variants.iter().map(|one| one.named.clone()).collect();
        all.extend(parts(PartKind::Profile, profiles(from), profiles(to)));
        for profile in &to.profiles {
            let Some(old) = from.profiles.iter().find(|old| old.named.id == profile.named.id) else { continue };
            let asks = profile.asks.iter().filter_map(|(key, new)| {
                let old = old.asks.get(key).filter(|old| *old != new)?;
                Some((key.clone(), old.clone(), new.clone()))
            });
            let asks: Vec<_> = asks.collect();
            if !asks.is_empty() {
                all.push(Difference::Workload { profile: profile.named.clone(), asks });
            }
        }
        all.extend(parts(PartKind::Variant, variants(from), variants(to)));
        for variant in &to.variants {
            let old = from.variants.iter().find(|old| old.named.id == variant.named.id);
            all.extend(old.and_then(|old| command(old, variant)));
        }
        all.extend(parts(PartKind::Rival, from.rivals.clone(), to.rivals.clone()));
        all
    }

    fn runs(self) -> Vec<Difference> {
        let known = |of: &Outline| -> BTreeSet<String> { of.runs.iter().map(|run| run.id.clone()).collect() };
        let (old, new) = (known(self.from), known(self.to));
        let mut all = self.counted(self.to.runs.iter().filter(|run| !old.contains(&run.id)), true);
        all.extend(self.counted(self.from.runs.iter().filter(|run| !new.contains(&run.id)), false));
        let old: BTreeMap<&str, &RunOutline> = self.from.runs.iter().map(|run| (run.id.as_str(), run)).collect();
        for run in &self.to.runs {
            let Some(old) = old.get(run.id.as_str()) else { continue };
            let figures = moved(&old.figures, &run.figures);
            if !figures.is_empty() {
                all.push(Difference::Reading { run: run.number, figures });
            }
        }
        all
    }

    /// Runs of one variant under one profile together, in the order of their first.
    fn counted<'r>(self, runs: impl Iterator<Item = &'r RunOutline>, added: bool) -> Vec<Difference> {
        let mut all: Vec<(&str, &str, usize)> = Vec::new();
        for run in runs {
            match all.iter_mut().find(|(variant, profile, _)| *variant == run.variant && *profile == run.profile) {
                Some((_, _, count)) => *count += 1,
                None => all.push((&run.variant, &run.profile, 1)),
            }
        }
        let runs = all.into_iter().map(|(variant, profile, count)| Difference::Runs {
            variant: self.variant(variant),
            profile: self.profile(profile),
            count,
            added,
        });
        runs.collect()
    }

    fn findings(self) -> Vec<Difference> {
        let mut all = self.only(self.to, self.from, true);
        all.extend(self.only(self.from, self.to, false));
        all
    }

    /// Findings that one has and the other has not, kind by kind; a place may have several of a kind.
    fn only(self, of: &Outline, other: &Outline, appeared: bool) -> Vec<Difference> {
        let key = |one: &FindingOutline| (one.id.clone(), one.run.clone(), one.profile.clone(), one.variant.clone());
        let mut left: BTreeMap<_, usize> = BTreeMap::new();
        for finding in &other.findings {
            *left.entry(key(finding)).or_default() += 1;
        }
        let mut all: Vec<(&FindingOutline, Vec<Place>)> = Vec::new();
        for finding in &of.findings {
            if let Some(count) = left.get_mut(&key(finding)).filter(|count| **count > 0) {
                *count -= 1;
                continue;
            }
            let place = self.place(of, finding);
            match all.iter_mut().find(|(kind, _)| kind.id == finding.id && kind.severity == finding.severity) {
                Some((_, places)) if places.contains(&place) => {}
                Some((_, places)) => places.push(place),
                None => all.push((finding, vec![place])),
            }
        }
        let findings = all.into_iter().map(|(kind, places)| Difference::Finding {
            finding: Named { id: kind.id.clone(), name: kind.name.clone() },
            severity: kind.severity.clone(),
            places,
            appeared,
        });
        findings.collect()
    }

    fn place(self, of: &Outline, finding: &FindingOutline) -> Place {
        if let Some(run) = finding.run.as_ref().and_then(|id| of.runs.iter().find(|run| run.id == *id)) {
            return Place::Run(run.number);
        }
        match finding.profile.as_ref().zip(finding.variant.as_ref()) {
            Some((profile, variant)) => {
                Place::Comparison { profile: self.profile(profile), variant: self.variant(variant) }
            }
            None => Place::Study,
        }
    }

    fn notes(self) -> Vec<Difference> {
        let targets: BTreeSet<&String> = self.from.notes.keys().chain(self.to.notes.keys()).collect();
        let mut all = Vec::new();
        for target in targets {
            let Some(on) = self.note_on(target) else { continue };
            for lang in Lang::ALL {
                let of = |outline: &Outline| outline.notes.get(target)?.own(lang).map(str::to_owned);
                let (from, to) = (of(self.from), of(self.to));
                if from != to {
                    all.push(Difference::Note { on: on.clone(), lang, from, to });
                }
            }
        }
        all
    }

    /// What a target is called; none for a kind of target that this program does not know.
    fn note_on(self, target: &str) -> Option<NoteOn> {
        if target == "study" {
            return Some(NoteOn::Study);
        }
        let (kind, id) = target.split_once(':')?;
        let number = |of: &Outline| of.runs.iter().find(|run| run.id == id).map(|run| run.number);
        match kind {
            "step" => Some(NoteOn::Step(self.step(id))),
            "variant" => Some(NoteOn::Variant(self.variant(id))),
            "run" => number(self.to).or_else(|| number(self.from)).map(NoteOn::Run),
            _ => None,
        }
    }

    fn variant(self, id: &str) -> Named {
        self.named(id, |of| of.variants.iter().map(|one| &one.named).find(|one| one.id == id))
    }

    fn profile(self, id: &str) -> Named {
        self.named(id, |of| of.profiles.iter().map(|one| &one.named).find(|one| one.id == id))
    }

    fn step(self, id: &str) -> Named {
        self.named(id, |of| of.steps.iter().map(|one| &one.named).find(|one| one.id == id))
    }

    /// By the name that it has now, or else had.
    fn named<'o>(self, id: &str, find: impl Fn(&'o Outline) -> Option<&'o Named>) -> Named
    where
        Self: 'o,
    {
        let named = find(self.to).or_else(|| find(self.from)).cloned();
        named.unwrap_or_else(|| Named { id: id.to_owned(), ..Named::default() })
    }
}

fn parts(kind: PartKind, from: Vec<Named>, to: Vec<Named>) -> Vec<Difference> {
    let lacks = |all: &[Named], one: &Named| all.iter().all(|other| other.id != one.id);
    let added = to.iter().filter(|one| lacks(&from, one)).map(|one| (one, true));
    let gone = from.iter().filter(|one| lacks(&to, one)).map(|one| (one, false));
    added.chain(gone).map(|(what, added)| Difference::Part { kind, what: what.clone(), added }).collect()
}

fn command(old: &VariantOutline, new: &VariantOutline) -> Option<Difference> {
    let words = |of: &VariantOutline| -> Vec<String> {
        let env = of.env.iter().map(|(key, value)| format!("{key}={value}"));
        std::iter::once(of.engine.clone()).chain(env).chain(of.argv.iter().cloned()).collect()
    };
    let (old, new_words) = (words(old), words(new));
    (old != new_words).then(|| Difference::Command {
        variant: new.named.clone(),
        added: without(&new_words, &old),
        removed: without(&old, &new_words),
    })
}

/// Words that `of` has more often than `other`.
fn without(of: &[String], other: &[String]) -> Vec<String> {
    let mut left: Vec<&String> = other.iter().collect();
    let only = of.iter().filter(|word| match left.iter().position(|other| other == word) {
        Some(at) => {
            left.swap_remove(at);
            false
        }
        None => true,
    });
    only.cloned().collect()
}

/// Figures that both kept and that a reader sees as different.
fn moved(old: &Figures, new: &Figures) -> Vec<FigureMoved> {
    let mut all = Vec::new();
    for basis in [Basis::Reported, Basis::Recomputed] {
        for (key, to) in new.on(basis) {
            let (Some(from), Ok(metric)) = (old.on(basis).get(key), key.parse::<Metric>()) else { continue };
            if !seen_alike(*from, *to, SHOWN) {
                all.push(FigureMoved { metric, basis, from: *from, to: *to });
            }
        }
    }
    all
}

fn seen_alike(from: Option<f64>, to: Option<f64>, decimals: usize) -> bool {
    match (from, to) {
        (Some(from), Some(to)) => half_up(from, decimals).total_cmp(&half_up(to, decimals)).is_eq(),
        (from, to) => from.is_none() && to.is_none(),
    }
}
