//! What was measured, variant by profile, aggregated once for everything that ranks.

use std::collections::BTreeMap;

use crate::aggregate::{Figures, figures};
use crate::id::{ProfileId, VariantId};
use crate::study::StudyData;

/// The figures of every variant under every profile that it was run under.
#[derive(Debug, Clone)]
pub struct Measured(BTreeMap<VariantId, BTreeMap<ProfileId, Figures>>);

impl Measured {
    /// Aggregates the runs of a study.
    pub fn of(data: &StudyData) -> Self {
        let mut measured: BTreeMap<VariantId, BTreeMap<ProfileId, Figures>> = BTreeMap::new();
        for run in &data.runs {
            let profiles = measured.entry(run.variant.clone()).or_default();
            if !profiles.contains_key(&run.profile)
                && let Some(figures) = figures(data, &run.variant, &run.profile)
            {
                profiles.insert(run.profile.clone(), figures);
            }
        }
        Self(measured)
    }

    /// What a variant measured under a profile.
    pub fn get(&self, variant: &VariantId, profile: &ProfileId) -> Option<&Figures> {
        self.0.get(variant)?.get(profile)
    }
}
