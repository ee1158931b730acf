//! Secrets out of an envelope: out of every text in it, whatever its key.

use domain::mask::{Found, mask_args, mask_env, mask_text};
use domain::upload::{Envelope, Short};
use serde_json::Value;

use super::answer::MaskedPlace;

/// Lists whose entries are masked by the name beside them: a flag before its value, a variable before its own.
const LISTS: [&str; 2] = ["variant.args", "variant.env"];

/// Masks all that an envelope says, and says where.
pub fn mask_envelope(envelope: &mut Envelope) -> Vec<MaskedPlace> {
    let mut places = Vec::new();
    if let Short::Full(variant) = &mut envelope.variant {
        places.extend(mask_args(&mut variant.args).into_iter().map(|found| place("variant.args", found, true)));
        places.extend(mask_env(&mut variant.env).into_iter().map(|found| place("variant.env", found, true)));
    }
    // Over the keys as they are sent, so that one that is added later cannot be forgotten here.
    let Ok(mut sent) = serde_json::to_value(&*envelope) else { return places };
    let before = places.len();
    mask_texts(&mut sent, "", &mut places);
    if places.len() > before
        && let Ok(masked) = serde_json::from_value(sent)
    {
        *envelope = masked;
    }
    places
}

fn mask_texts(value: &mut Value, path: &str, places: &mut Vec<MaskedPlace>) {
    if LISTS.contains(&path) || path == "files" {
        return;
    }
    match value {
        Value::String(text) => {
            let (safe, found) = mask_text(text);
            if !found.is_empty() {
                *text = safe;
                places.extend(found.into_iter().map(|found| place(path, found, false)));
            }
        }
        Value::Object(object) => {
            for (key, value) in object {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                mask_texts(value, &path, places);
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|value| mask_texts(value, path, places)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn place(path: &str, found: Found, listed: bool) -> MaskedPlace {
    MaskedPlace {
        file: "envelope".to_owned(),
        line: listed.then_some(found.line),
        path: Some(path.to_owned()),
        what: found.what.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_in_any_text_of_an_envelope_is_masked_and_its_place_said() {
        let secret = "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH";
        let said = |text: &str| format!("{text} {secret}");
        let sent = serde_json::json!({
            "study": { "slug": "s", "title": { "ja": said("題"), "en": said("title") }, "model": { "id": said("m") } },
            "step": { "id": "t", "name": said("step") },
            "variant": { "id": said("v"), "name": said("name"), "engine": "vLLM", "args": ["--api-key", "hunter22"] },
            "profile": { "id": "p", "name": said("load"), "dataset": said("set") },
            "hardware": { "gpu": said("H100") },
            "start": said("start"),
        });
        let mut envelope: Envelope = serde_json::from_value(sent).unwrap();
        let places = mask_envelope(&mut envelope);
        let kept = serde_json::to_string(&envelope).unwrap();
        assert!(!kept.contains(secret) && !kept.contains("hunter22"), "{kept}");
        assert!(kept.contains("title hf_***") && kept.contains("題 hf_***"), "{kept}");
        let paths: Vec<_> = places.iter().filter_map(|place| place.path.as_deref()).collect();
        for path in [
            "study.title.ja",
            "study.title.en",
            "study.model.id",
            "step.name",
            "variant.id",
            "variant.name",
            "variant.args",
            "profile.name",
            "profile.dataset",
            "hardware.gpu",
            "start",
        ] {
            assert!(paths.contains(&path), "{path}: {paths:?}");
        }
        assert_eq!(mask_envelope(&mut envelope), [], "masking twice is masking once");
    }
}
