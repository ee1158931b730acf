//! A planned study beside the one that is stored: what is missing is added, what is there stays.

use thiserror::Error;

use crate::command::diff::same_configuration;
use crate::study::{Profile, Step, Study, Variant};

/// Why a plan cannot add to a study: under one id both have another thing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the study has another {noun} \"{id}\" already: give this one another id")]
pub struct JoinError {
    /// `variant`, `profile`.
    pub noun: &'static str,
    /// Its id.
    pub id: String,
}

/// The stored study with what the planned one has in addition; none where that is nothing.
///
/// # Errors
///
/// Where a variant or profile of the same id is another one.
pub fn join(stored: &Study, planned: &Study) -> Result<Option<Study>, JoinError> {
    let mut joined = stored.clone();
    for profile in &planned.profiles {
        match stored.profile(&profile.id) {
            None => joined.profiles.push(profile.clone()),
            Some(known) if same_workload(known, profile) => {}
            Some(_) => return Err(JoinError { noun: "profile", id: profile.id.to_string() }),
        }
    }
    for variant in &planned.variants {
        match stored.variant(&variant.id) {
            None => joined.variants.push(variant.clone()),
            Some(known) if same_configuration(&measured_as(known, variant), variant) => {}
            Some(_) => return Err(JoinError { noun: "variant", id: variant.id.to_string() }),
        }
    }
    for step in &planned.steps {
        match joined.steps.iter_mut().find(|known| known.id == step.id) {
            None => joined.steps.push(step.clone()),
            Some(known) => add(known, step),
        }
    }
    Ok((joined != *stored).then_some(joined))
}

fn add(known: &mut Step, step: &Step) {
    let new: Vec<_> = step.variants.iter().filter(|id| !known.variants.contains(id)).cloned().collect();
    known.variants.extend(new);
}

/// A version that the plan leaves open was filled in by what ran.
fn measured_as(known: &Variant, planned: &Variant) -> Variant {
    let version = planned.engine_version.as_ref().and(known.engine_version.clone());
    Variant { engine_version: version, gpus: planned.gpus.and(known.gpus), ..known.clone() }
}

/// Names, commands and limits may have been edited since; what was sent may not.
fn same_workload(known: &Profile, planned: &Profile) -> bool {
    let sent = |profile: &Profile| {
        let Profile { dataset, input_tokens, output_tokens, seed, request_rate, max_concurrency, requests, .. } =
            profile.clone();
        (dataset, input_tokens, output_tokens, seed, request_rate, max_concurrency, requests)
    };
    sent(known) == sent(planned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::parse_manifest;

    #[test]
    fn what_is_missing_is_added_and_another_thing_of_the_same_name_is_refused() {
        let study = |args: &str, more: &str| {
            let text = format!(
                "schema = 1\nslug = \"s\"\ntitle = \"S\"\nbaseline = \"a\"\nprimary_profile = \"p\"\n\
                 model = {{ id = \"m\" }}\nhardware = {{ gpu = \"H200\" }}\n[[profiles]]\nid = \"p\"\nrequests = 5\n\
                 [[variants]]\nid = \"a\"\nengine = \"vLLM\"\nargs = [{args}]\n{more}"
            );
            parse_manifest(&text).expect("it is a study").0
        };
        let stored = study("\"--x\", \"1\"", "");
        assert_eq!(join(&stored, &study("\"--x=1\"", "")), Ok(None));
        let more =
            "[[variants]]\nid = \"b\"\nengine = \"vLLM\"\n[[steps]]\nid = \"t\"\nprofile = \"p\"\nvariants = [\"b\"]\n";
        let joined = join(&stored, &study("\"--x=1\"", more)).expect("nothing is in the way").expect("b is new");
        assert_eq!((joined.variants.len(), joined.steps.len()), (2, 1));
        assert_eq!(joined.variants[0], stored.variants[0], "what is there stays as it was written");
        assert_eq!(join(&joined, &study("\"--x=1\"", more)), Ok(None));
        let other = join(&stored, &study("\"--x=2\"", "")).expect_err("x is 1 there");
        assert_eq!(other, JoinError { noun: "variant", id: "a".to_owned() });
    }
}
