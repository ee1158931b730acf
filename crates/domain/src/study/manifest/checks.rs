//! What holds across a `study.toml`: names that point somewhere, ids that are unique, figures in their range.

use std::collections::{BTreeMap, BTreeSet};

use toml::Spanned;

use super::raw::RawStudy;
use super::{Lines, ManifestError};
use crate::advise::{Goal, Objective};
use crate::id::{StudySlug, is_slug};
use crate::metric::Metric;

pub(super) fn slug(lines: &Lines<'_>, slug: &Spanned<String>) -> Result<StudySlug, ManifestError> {
    if is_slug(slug.get_ref()) {
        return Ok(StudySlug::new(slug.get_ref()));
    }
    let message =
        format!("slug \"{}\" must be lower-case letters, digits, \".\", \"-\" and \"_\", at most 100", slug.get_ref());
    Err(lines.error(slug, message))
}

pub(crate) fn percent(
    lines: &Lines<'_>,
    value: Option<&Spanned<f64>>,
    key: &str,
    default: f64,
) -> Result<f64, ManifestError> {
    match value {
        None => Ok(default),
        Some(value) if (0.0..=100.0).contains(value.get_ref()) => Ok(*value.get_ref()),
        Some(value) => Err(lines.error(value, format!("{key} must be 0 to 100 percent, found {}", value.get_ref()))),
    }
}

pub(crate) fn unique<'a>(
    lines: &Lines<'_>,
    noun: &str,
    ids: impl Iterator<Item = &'a Spanned<String>>,
) -> Result<BTreeSet<&'a str>, ManifestError> {
    let mut seen = BTreeSet::new();
    for id in ids {
        if id.get_ref().is_empty() {
            return Err(lines.error(id, format!("{noun} id is empty")));
        }
        printable(lines, noun, id)?;
        if !seen.insert(id.get_ref().as_str()) {
            return Err(lines.error(id, format!("{noun} \"{}\" is described twice", id.get_ref())));
        }
    }
    Ok(seen)
}

/// Ids stand in tables and addresses, where a control character breaks something.
pub(crate) fn printable(lines: &Lines<'_>, noun: &str, id: &Spanned<String>) -> Result<(), ManifestError> {
    match id.get_ref().chars().find(|c| c.is_control()) {
        Some(c) => Err(lines.error(id, format!("{noun} id holds the control character U+{:04X}", u32::from(c)))),
        None => Ok(()),
    }
}

pub(crate) fn known(
    lines: &Lines<'_>,
    noun: &str,
    id: &Spanned<String>,
    ids: &BTreeSet<&str>,
) -> Result<(), ManifestError> {
    if ids.contains(id.get_ref().as_str()) {
        return Ok(());
    }
    let list = ids.iter().copied().collect::<Vec<_>>().join(", ");
    let message = format!("{noun} \"{}\" is not described in this file; described are: {list}", id.get_ref());
    Err(lines.error(id, message))
}

/// Relative, with `/`, and never upwards: a study folder from somewhere else must not read other files.
pub(super) fn stays_inside(path: &str) -> bool {
    let bad_part = |part: &str| part.is_empty() || part == "." || part == "..";
    !path.contains(['\\', '\0', ':']) && !path.split('/').any(bad_part)
}

/// Every weight is above 0 and points to a profile that is described; money needs a price.
pub(super) fn objective(
    lines: &Lines<'_>,
    objective: Option<&Spanned<Objective>>,
    profiles: &BTreeSet<&str>,
    priced: bool,
) -> Result<(), ManifestError> {
    let Some(objective) = objective else { return Ok(()) };
    if let (Goal::Cost(_), false) = (objective.get_ref().goal, priced) {
        let message =
            format!("the objective {} needs price = {{ gpu_hour = …, currency = \"JPY\" }}", objective.get_ref().goal);
        return Err(lines.error(objective, message));
    }
    for (profile, weight) in &objective.get_ref().weights {
        if !profiles.contains(profile.as_str()) {
            let list = profiles.iter().copied().collect::<Vec<_>>().join(", ");
            let message =
                format!("objective weighs profile \"{profile}\", which is not described; described are: {list}");
            return Err(lines.error(objective, message));
        }
        if !(weight.is_finite() && *weight > 0.0) {
            let message = format!("the weight of profile \"{profile}\" must be a number above 0, found {weight}");
            return Err(lines.error(objective, message));
        }
    }
    Ok(())
}

/// Money, GPUs, requests, limits: whatever stands there is above 0.
pub(super) fn above_zero(lines: &Lines<'_>, study: &RawStudy) -> Result<(), ManifestError> {
    for profile in &study.profiles {
        for (key, value) in [("requests", &profile.requests), ("max_concurrency", &profile.max_concurrency)] {
            if let Some(value) = value.as_ref().filter(|value| *value.get_ref() == 0) {
                let message = format!("{key} must be at least 1; leave it out where it is not known");
                return Err(lines.error(value, message));
            }
        }
        limits(lines, &profile.slo)?;
    }
    if let Some(count) = study.hardware.count.as_ref().filter(|count| *count.get_ref() == 0) {
        return Err(lines.error(count, "hardware.count must be at least 1; leave it out where it is not known"));
    }
    for gpus in study.variants.iter().filter_map(|variant| variant.gpus.as_ref()) {
        if *gpus.get_ref() == 0 {
            return Err(lines.error(gpus, "gpus must be at least 1; leave it out where it is not known"));
        }
    }
    match &study.price {
        Some(price) if !(price.get_ref().gpu_hour.is_finite() && price.get_ref().gpu_hour > 0.0) => {
            let message = format!("price.gpu_hour must be a number above 0, found {}", price.get_ref().gpu_hour);
            Err(lines.error(price, message))
        }
        Some(_) | None => Ok(()),
    }
}

fn limits(lines: &Lines<'_>, slo: &BTreeMap<Metric, Spanned<f64>>) -> Result<(), ManifestError> {
    for (metric, limit) in slo {
        if !(limit.get_ref().is_finite() && *limit.get_ref() > 0.0) {
            let message = format!("{metric} must be a number above 0, found {}", limit.get_ref());
            return Err(lines.error(limit, message));
        }
    }
    Ok(())
}
