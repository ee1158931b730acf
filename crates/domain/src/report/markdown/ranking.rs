//! The ranking: what became of every variant, the limits, the best of each profile, the fronts, other studies.

use super::Page;

use crate::advise::cost::Tokens;
use crate::advise::fronts::BestOn;
use crate::advise::slo::SloCheck;
use crate::advise::{Goal, Ranked};
use crate::change::{Change, Verdict};
use crate::report::Rival;
use crate::text::number::count;
use crate::text::{self, code_markdown, escape_markdown, ranking_labels};

impl Page<'_> {
    pub(super) fn ranking(&mut self) {
        let report = self.report;
        if report.ranking.is_empty() {
            return;
        }
        self.heading(2, ranking_labels(self.lang).ranking);
        self.line(format!("{}\n", text::ranked_by(self.lang, report).markdown()));
        if report.limits_of_reader {
            self.line(format!("**{}**\n", ranking_labels(self.lang).yours));
        }
        self.variants();
        if report.has_limits() {
            self.limits();
        }
        self.best_per_profile();
        if !report.pareto.is_empty() {
            self.heading(3, ranking_labels(self.lang).pareto);
            let fronts: Vec<_> = report.pareto.iter().map(|front| text::front(self.lang, report, front)).collect();
            self.bullets(&fronts);
        }
    }

    fn variants(&mut self) {
        let (report, words, own) = (self.report, self.words, ranking_labels(self.lang));
        let goal = report.objective.goal;
        let unit = if report.objective.is_weighted() { own.weighted } else { text::goal_unit(report, goal) };
        let value = format!("{}{}", text::goal(self.lang, goal), self.bracketed(unit));
        // What ranks stands in its own column already.
        let ranks = |of: Goal| of == goal && !report.objective.is_weighted();
        let has_cost = !ranks(Goal::Cost(Tokens::Total))
            && report.ranking.iter().any(|ranked| ranked.cost_per_million_tokens.is_some());
        let cost = Goal::Cost(Tokens::Total);
        let cost_head = format!("{}{}", text::goal(self.lang, cost), self.bracketed(text::goal_unit(report, cost)));
        let has_energy =
            !ranks(Goal::TokensPerJoule) && report.ranking.iter().any(|ranked| ranked.tokens_per_joule.is_some());
        let energy = text::goal(self.lang, Goal::TokensPerJoule);
        let recomputed = report.ranking.iter().any(|r| r.change.is_some_and(|change| change.recomputed_pct.is_some()));
        let form = if recomputed { self.bracketed(words.recomputed) } else { String::new() };
        let change = format!("{}{form}", words.change);
        let mut head = vec![own.place, words.variant, &value, &change, words.verdict];
        head.extend(has_cost.then_some(cost_head.as_str()));
        head.extend(has_energy.then_some(energy.as_str()));
        head.extend([own.arguments, own.outcome]);
        let last = head.len() - 2;
        let numbers: Vec<usize> = [0, 2, 3].into_iter().chain(5..=last).collect();
        let rows: Vec<Vec<String>> = report
            .ranking
            .iter()
            .map(|ranked| {
                let mut row = self.place(ranked);
                let or_dash = |goal, value: Option<f64>| {
                    value.map_or_else(|| "–".to_owned(), |value| text::goal_figure(report, goal, value))
                };
                if has_cost {
                    row.push(or_dash(cost, ranked.cost_per_million_tokens));
                }
                if has_energy {
                    row.push(or_dash(Goal::TokensPerJoule, ranked.tokens_per_joule));
                }
                row.push(count(ranked.arguments as u64));
                row.push(text::outcome(self.lang, report, ranked.why_not.as_ref()).markdown());
                row
            })
            .collect();
        self.table(&head, &numbers, &rows);
    }

    fn place(&self, ranked: &Ranked) -> Vec<String> {
        let report = self.report;
        let figure = |value: f64| match report.objective.is_weighted() {
            true => text::objective_value(self.lang, report, value),
            false => text::goal_figure(report, report.objective.goal, value),
        };
        let other = ranked.other_value.map(|other| {
            let basis = text::basis(self.lang, report.basis.other());
            self.bracketed(&format!("{basis} {}", figure(other)))
        });
        let value = ranked.value.map_or_else(|| self.absent(), figure) + &other.unwrap_or_default();
        vec![
            ranked.place.map_or_else(|| "–".to_owned(), |place| place.to_string()),
            self.variant_name(&ranked.variant),
            value,
            self.change_in_both_forms(ranked.change),
            ranked.change.map_or_else(|| "–".to_owned(), |change| self.verdict(&change).to_owned()),
        ]
    }

    /// The change that counts, and the reported one beside it where the two lie apart.
    fn change_in_both_forms(&self, change: Option<Change>) -> String {
        let reported = change.and_then(|change| text::reported_apart(self.lang, self.report, &change));
        self.pct(change.and_then(|change| change.pct())) + &reported.map_or_else(String::new, |r| self.bracketed(&r))
    }

    /// Variants by limits.
    fn limits(&mut self) {
        let report = self.report;
        let Some(first) = report.ranking.first() else { return };
        self.heading(3, ranking_labels(self.lang).slos);
        let limit = |check: &SloCheck| {
            let profile = self.profile_name(&check.profile);
            format!("{profile}{}{}", self.words.colon, text::limit(self.lang, check.metric, check.limit))
        };
        let heads: Vec<String> = first.slo.iter().map(limit).collect();
        let head: Vec<&str> = std::iter::once(self.words.variant).chain(heads.iter().map(String::as_str)).collect();
        let rows: Vec<Vec<String>> = report
            .ranking
            .iter()
            .map(|ranked| {
                let checks = ranked.slo.iter().map(|check| text::slo_check(self.lang, check));
                std::iter::once(self.variant_name(&ranked.variant)).chain(checks).collect()
            })
            .collect();
        self.table(&head, &[], &rows);
    }

    fn best_per_profile(&mut self) {
        let report = self.report;
        if report.best_per_profile.is_empty() {
            return;
        }
        let (words, own) = (self.words, ranking_labels(self.lang));
        self.heading(3, own.best_per_profile);
        let goal = report.objective.goal;
        let value = format!("{}{}", text::goal(self.lang, goal), self.bracketed(text::goal_unit(report, goal)));
        let head = [words.profile, own.best, &value, words.recommended, own.lead, words.verdict];
        let rows: Vec<Vec<String>> = report.best_per_profile.iter().map(|best| self.best_on(best)).collect();
        self.table(&head, &[2, 3, 4], &rows);
    }

    fn best_on(&self, best: &BestOn) -> Vec<String> {
        let report = self.report;
        let figure = |value: Option<f64>| {
            value.map_or_else(|| "–".to_owned(), |value| text::goal_figure(report, report.objective.goal, value))
        };
        let verdict = match (best.load_limited, best.lead) {
            (true, _) => text::verdict(self.lang, Verdict::NotComparable),
            (false, Some(lead)) => self.verdict(&lead),
            (false, None) => "–",
        };
        vec![
            self.profile_name(&best.profile),
            best.variant.as_ref().map_or_else(|| "–".to_owned(), |id| self.variant_name(id)),
            figure(best.value),
            best.recommended.map_or_else(|| self.absent(), |value| figure(Some(value))),
            self.pct(best.lead.and_then(|lead| lead.pct())),
            verdict.to_owned(),
        ]
    }

    pub(super) fn rivals(&mut self) {
        let report = self.report;
        if report.rivals.is_empty() {
            return;
        }
        self.heading(2, ranking_labels(self.lang).rivals);
        for rival in &report.rivals {
            self.rival(rival);
        }
    }

    fn rival(&mut self, rival: &Rival) {
        let (report, own) = (self.report, ranking_labels(self.lang));
        self.heading(3, rival.title.get(self.lang));
        self.line(format!(
            "{}{}\n",
            text::rival(self.lang, report, rival).markdown(),
            self.bracketed(&code_markdown(rival.slug.as_str()))
        ));
        if !rival.differences.is_empty() {
            let all: Vec<_> = rival.differences.iter().map(|of| text::difference(self.lang, report, of)).collect();
            self.bullets(&all);
        }
        if let Some(advice) = rival.advice.as_ref().filter(|_| !rival.agrees) {
            self.fence("bash", &advice.command.text);
        }
        let change = |change: Option<Change>| match change {
            Some(change) => format!("{}{}", self.pct(change.pct()), self.bracketed(self.verdict(&change))),
            None => self.absent(),
        };
        let head = [self.words.profile, own.our_change, own.their_change];
        let rows: Vec<Vec<String>> = rival
            .profiles
            .iter()
            .map(|shared| {
                let (ours, theirs) =
                    (self.profile_name(&shared.ours), escape_markdown(shared.their_name.get(self.lang)));
                let name = if ours == theirs { ours } else { format!("{ours} / {theirs}") };
                vec![name, change(shared.our_change), change(shared.their_change)]
            })
            .collect();
        self.table(&head, &[1, 2], &rows);
    }
}
