//! Steps and the option table: what was tried, what it changed, what was decided.

use serde::Serialize;

use crate::advise::{Decision, Reason, WhyNot};
use crate::aggregate::Figures;
use crate::change::Change;
use crate::id::{ProfileId, StepId, VariantId};
use crate::study::Localized;

/// A step with what it found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepReport {
    /// Its id.
    pub id: StepId,
    /// Its name.
    pub name: Localized,
    /// The profile that decided.
    pub profile: ProfileId,
    /// What was tried, in order.
    pub variants: Vec<StepVariant>,
    /// The best eligible variant on the study's basis.
    pub best: Option<VariantId>,
    /// The lowest of the eligible variants, where there are two.
    pub worst: Option<VariantId>,
    /// Best against worst; absent for one variant, and where their throughputs do not compare.
    pub summary: Option<Summary>,
    /// What became of it.
    pub decision: Decision,
    /// Why.
    pub reason: Reason,
    /// Markdown of the study's authors.
    #[serde(skip_serializing_if = "Localized::is_empty")]
    pub notes: Localized,
}

/// A variant in a step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepVariant {
    /// Its id.
    pub id: VariantId,
    /// Whether too many of its requests failed.
    pub disqualified: bool,
    /// What it measured; absent where it was not run.
    pub figures: Option<Figures>,
    /// Change of the objective against the baseline.
    pub change: Option<Change>,
    /// The constraint that rules it out, where one does.
    pub barred: Option<WhyNot>,
}

/// Best against worst of a step, on the study's basis: best minus worst for total TPS, below 0 where another objective
/// prefers the slower one; for TPOT no sign, and the direction beside it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// tok/s.
    pub tps_difference: f64,
    /// Percent of the worst.
    pub tps_pct: f64,
    /// Both on the other basis, with their signs, where the differences lie further apart than 2 %.
    pub other_tps: Option<(f64, f64)>,
    /// ms.
    pub tpot_difference_ms: Option<f64>,
    /// Percent of the worst's.
    pub tpot_pct: Option<f64>,
    /// Which way TPOT went from worst to best.
    pub tpot_direction: Option<TpotDirection>,
    /// Mean TPOT of best and worst from their latencies, ms, where the printed ones are not to be believed.
    pub tpot_recomputed_ms: Option<(f64, f64)>,
}

impl Summary {
    /// Whether the latencies say the opposite of the printed TPOT.
    pub fn tpot_reverses(&self) -> bool {
        let (Some(way), Some((best_ms, worst_ms))) = (self.tpot_direction, self.tpot_recomputed_ms) else {
            return false;
        };
        match way {
            TpotDirection::Reduction => best_ms > worst_ms,
            TpotDirection::Increase => best_ms < worst_ms,
            TpotDirection::Equal => false,
        }
    }
}

/// Which way TPOT went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TpotDirection {
    /// Shorter: better.
    Reduction,
    /// Longer: worse.
    Increase,
    /// As long.
    Equal,
}

/// A row of the option table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OptionRow {
    /// The step.
    pub step: StepId,
    /// The variant that the decision is about: the recommended one where it is one of the step's, else the best that nothing
    /// rules out, else the best figure.
    pub variant: Option<VariantId>,
    /// What it is compared with.
    pub base: Option<VariantId>,
    /// Total TPS on the study's basis, tok/s.
    pub total_token_throughput: Option<f64>,
    /// Mean TPOT on the study's basis, ms.
    pub tpot_mean_ms: Option<f64>,
    /// Total TPS on the other basis, tok/s, where the two differ by more than 2 %.
    pub other_total_token_throughput: Option<f64>,
    /// Mean TPOT on the other basis, ms, where the two differ by more than 2 %.
    pub other_tpot_mean_ms: Option<f64>,
    /// Total TPS of the base, tok/s.
    pub base_total_token_throughput: Option<f64>,
    /// Mean TPOT of the base, ms.
    pub base_tpot_mean_ms: Option<f64>,
    /// Change of total TPS against the base.
    pub change: Option<Change>,
    /// Change of the objective against the base: what `reason` is about.
    pub objective_change: Option<Change>,
    /// Success rate, percent, where it is known.
    pub success_rate_pct: Option<f64>,
    /// What became of it.
    pub decision: Decision,
    /// Why.
    pub reason: Reason,
}

impl OptionRow {
    /// Whether the variant is what it would be compared with: then there is no change to show.
    pub fn is_base(&self) -> bool {
        self.variant.is_some() && self.variant == self.base
    }
}
