//! What the files are about: the options over the envelope of a file, where there is one.
//!
//! Invariant: what is sent was read by the API's own types, so a typo is refused here by the name that the server would give.

use std::fs;
use std::path::Path;

use anyhow::{anyhow, bail};
use domain::upload::Envelope;
use serde_json::{Map, Value, json};

use super::Args;
use crate::folder::in_words;

/// The envelope that is sent with every batch.
pub fn envelope(args: &Args) -> anyhow::Result<Envelope> {
    let mut sent = match &args.envelope {
        Some(file) => read(file)?,
        None => Map::new(),
    };
    id(&mut sent, "study", "slug", args.study.as_ref());
    id(&mut sent, "step", "id", args.step.as_ref());
    id(&mut sent, "variant", "id", args.variant.as_ref());
    id(&mut sent, "profile", "id", args.profile.as_ref());
    let described = args.engine.is_some() || sent.get("variant").is_some_and(Value::is_object);
    // A file that only names its variant describes no engine that arguments could belong to.
    if !described && (args.engine_version.is_some() || !args.args.is_empty() || !args.env.is_empty()) {
        bail!("--engine-version, --arg and --env belong to an engine; give it with --engine");
    }
    add(&mut sent, "study", "slug", "title", args.title.as_ref().map(|title| json!(title)));
    let model = args.model.as_ref();
    if described {
        let variant = [
            ("engine", args.engine.as_ref().map(|engine| json!(engine))),
            ("engine_version", args.engine_version.as_ref().map(|version| json!(version))),
            ("model", model.map(|model| json!(model))),
            ("args", (!args.args.is_empty()).then(|| json!(args.args))),
            ("gpus", args.gpus.map(|gpus| json!(gpus))),
        ];
        for (key, value) in variant {
            add(&mut sent, "variant", "id", key, value);
        }
        if !args.env.is_empty() {
            let stated = sent.get("variant").and_then(|variant| variant.get("env")).and_then(Value::as_object);
            let mut env = stated.cloned().unwrap_or_default();
            env.extend(args.env.iter().map(|(name, value)| (name.clone(), json!(value))));
            add(&mut sent, "variant", "id", "env", Some(env.into()));
        }
    } else {
        // Without an engine there is no description of a variant that the model could be a part of.
        add(&mut sent, "study", "slug", "model", model.map(|model| json!({ "id": model })));
    }
    put(&mut sent, "hardware", "gpu", args.gpu.as_ref().map(|gpu| json!(gpu)));
    put(&mut sent, "hardware", "count", args.gpus.map(|gpus| json!(gpus)));
    put(&mut sent, "commands", "serve", args.serve_command.as_ref().map(|command| json!(command)));
    put(&mut sent, "commands", "bench", args.bench_command.as_ref().map(|command| json!(command)));
    for (key, value) in [("start", &args.start), ("started_at", &args.started_at), ("finished_at", &args.finished_at)] {
        if let Some(value) = value {
            sent.insert(key.to_owned(), json!(value));
        }
    }
    let from = args.envelope.as_deref();
    let envelope: Envelope =
        serde_path_to_error::deserialize(Value::Object(sent)).map_err(|error| wrong(from, &error.to_string()))?;
    if !envelope.files.is_empty() {
        return Err(wrong(from, "files: the files are named on the command line; leave them out"));
    }
    envelope.check().map_err(|refusal| match &refusal.expected {
        Some(expected) => wrong(from, &format!("{refusal}; expected {expected}")),
        None => wrong(from, &refusal.to_string()),
    })?;
    Ok(envelope)
}

fn read(file: &Path) -> anyhow::Result<Map<String, Value>> {
    let text = fs::read(file).map_err(|error| anyhow!("{}: {}", file.display(), in_words(&error)))?;
    match serde_json::from_slice(&text) {
        Ok(Value::Object(sent)) => Ok(sent),
        Ok(_) => Err(wrong(Some(file), "it is no JSON object")),
        Err(error) => Err(wrong(Some(file), &format!("the JSON cannot be read: {error}"))),
    }
}

fn wrong(file: Option<&Path>, reason: &str) -> anyhow::Error {
    match file {
        Some(file) => anyhow!("{}: {reason}", file.display()),
        None => anyhow!("{reason}"),
    }
}

/// Names a part, described or not.
fn id(sent: &mut Map<String, Value>, part: &str, key: &str, id: Option<&String>) {
    let Some(id) = id else { return };
    match sent.get_mut(part) {
        Some(Value::Object(described)) => {
            described.insert(key.to_owned(), json!(id));
        }
        _ => {
            sent.insert(part.to_owned(), json!(id));
        }
    }
}

/// Says something more of a part that may have been only named.
fn add(sent: &mut Map<String, Value>, part: &str, id: &str, key: &str, value: Option<Value>) {
    let Some(value) = value else { return };
    if let Some(Value::String(name)) = sent.get(part) {
        let described = json!({ id: name });
        sent.insert(part.to_owned(), described);
    }
    put(sent, part, key, Some(value));
}

fn put(sent: &mut Map<String, Value>, part: &str, key: &str, value: Option<Value>) {
    let Some(value) = value else { return };
    let part = sent.entry(part).or_insert_with(|| json!({}));
    // What is no object is refused by its name when the envelope is read.
    if let Value::Object(part) = part {
        part.insert(key.to_owned(), value);
    }
}
