//! A reader's own limits in place of the study's: read from the fields of a form, put into the study before it is judged.

use std::collections::BTreeMap;

use super::{Study, StudyData};
use crate::id::ProfileId;
use crate::metric::Metric;

/// The field that says that limits were sent, even if all of them are empty.
pub const LIMITS_SENT: &str = "slo";
/// In front of a limit's profile and metric: `slo:chat:ttft_p99_ms`.
const PREFIX: &str = "slo:";

/// Limits of every profile. A profile that is not there has none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Limits(BTreeMap<ProfileId, BTreeMap<Metric, f64>>);

/// What a reader asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedLimits {
    /// What can be held against runs.
    pub limits: Limits,
    /// Every limit that a field was sent for, empty ones too, so that a form can offer it again.
    pub fields: Vec<(ProfileId, Metric)>,
    /// What cannot: no profile, no metric, or no number above 0.
    pub refused: Vec<RefusedLimit>,
}

/// A field that is no limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedLimit {
    /// The field's name.
    pub field: String,
    /// What was in it.
    pub text: String,
}

impl Limits {
    /// The study's own.
    pub fn of(study: &Study) -> Self {
        let with_limits = study.profiles.iter().filter(|profile| !profile.slo.is_empty());
        Self(with_limits.map(|profile| (profile.id.clone(), profile.slo.clone())).collect())
    }

    /// The name of the field of one limit.
    pub fn field(profile: &ProfileId, metric: Metric) -> String {
        format!("{PREFIX}{profile}:{metric}")
    }

    /// Reads the fields of a form; none where it holds no limits at all. An empty field is no limit.
    pub fn read(study: &Study, fields: &[(String, String)]) -> Option<AskedLimits> {
        let is_sent = |(name, _): &(String, String)| name == LIMITS_SENT || name.starts_with(PREFIX);
        if !fields.iter().any(is_sent) {
            return None;
        }
        let mut asked = AskedLimits { limits: Self::default(), fields: Vec::new(), refused: Vec::new() };
        for (name, text) in fields {
            let Some(place) = name.strip_prefix(PREFIX) else { continue };
            let known = field(study, place);
            asked.fields.extend(known.clone());
            if text.trim().is_empty() {
                continue;
            }
            match known.zip(number(text)) {
                Some(((profile, metric), value)) => {
                    asked.limits.0.entry(profile).or_default().insert(metric, value);
                }
                None => asked.refused.push(RefusedLimit { field: name.clone(), text: text.clone() }),
            }
        }
        Some(asked)
    }

    /// Puts the limits into a study, in place of its own.
    pub fn put_into(mut self, data: &mut StudyData) {
        for profile in &mut data.study.profiles {
            profile.slo = self.0.remove(&profile.id).unwrap_or_default();
        }
    }
}

/// A profile's id may hold colons, a metric's name never does.
fn field(study: &Study, place: &str) -> Option<(ProfileId, Metric)> {
    let (profile, metric) = place.rsplit_once(':')?;
    let profile = study.profile(&ProfileId::new(profile))?.id.clone();
    Some((profile, metric.parse().ok()?))
}

/// A number above 0, as people write it.
fn number(text: &str) -> Option<f64> {
    let value: f64 = text.trim().replace(',', "").parse().ok()?;
    (value.is_finite() && value > 0.0).then_some(value)
}
