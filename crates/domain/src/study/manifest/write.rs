//! `study.toml`, written: what [`super::parse`] reads back as the same study and the same entries.

use std::fmt::Write as _;

use chrono::{DateTime, SecondsFormat};
use serde::Serialize;

use super::{RunEntry, SCHEMA};
use crate::study::{Hardware, Localized, Model, Profile, Step, Study, Variant};

/// Writes a description. Every field of a study is taken apart by name, so that a new one cannot be left out here.
pub fn write(study: &Study, entries: &[RunEntry]) -> String {
    let mut out = Writer::default();
    out.study(study);
    for profile in &study.profiles {
        out.profile(profile);
    }
    for variant in &study.variants {
        out.variant(variant, &study.model.id);
    }
    for step in &study.steps {
        out.step(step);
    }
    for entry in entries {
        out.run(entry);
    }
    out.0
}

#[derive(Default)]
struct Writer(String);

impl Writer {
    fn study(&mut self, study: &Study) {
        let Study {
            slug,
            title,
            basis,
            decimals,
            option_base,
            objective,
            price,
            relevance_pct,
            min_success_pct,
            notes,
            baseline,
            primary_profile,
            model: Model { id: model },
            hardware: Hardware { gpu, count },
            profiles: _,
            variants: _,
            steps: _,
        } = study;
        self.key("schema", SCHEMA);
        self.key("slug", slug);
        self.key("basis", basis);
        self.key("decimals", decimals);
        self.key("option_base", option_base);
        self.key("objective", objective);
        self.some("price", price.as_ref());
        self.key("relevance_pct", relevance_pct);
        self.key("min_success_pct", min_success_pct);
        self.key("baseline", baseline);
        self.key("primary_profile", primary_profile);
        if study.variant(baseline).is_none() || study.profile(primary_profile).is_none() {
            self.key("partial", true);
        }
        self.texts("title", title);
        self.texts("notes", notes);
        self.table("[model]");
        self.key("id", model);
        self.table("[hardware]");
        self.key("gpu", gpu);
        self.some("count", count.as_ref());
    }

    fn profile(&mut self, profile: &Profile) {
        let Profile {
            id,
            name,
            dataset,
            dataset_path,
            input_tokens,
            output_tokens,
            seed,
            request_rate,
            max_concurrency,
            requests,
            command,
            slo,
        } = profile;
        self.table("[[profiles]]");
        self.key("id", id);
        self.name(id.as_str(), name);
        self.some("dataset", dataset.as_ref());
        self.some("dataset_path", dataset_path.as_ref());
        self.some("input_tokens", input_tokens.as_ref());
        self.some("output_tokens", output_tokens.as_ref());
        self.some("seed", seed.as_ref());
        self.some("request_rate", request_rate.as_ref());
        self.some("max_concurrency", max_concurrency.as_ref());
        self.some("requests", requests.as_ref());
        self.some("command", command.as_ref());
        self.some("slo", Some(slo).filter(|slo| !slo.is_empty()));
    }

    fn variant(&mut self, variant: &Variant, of_study: &str) {
        let Variant { id, name, engine, engine_version, model, args, env, gpus, notes } = variant;
        self.table("[[variants]]");
        self.key("id", id);
        self.some("name", name.as_ref());
        self.key("engine", engine);
        self.some("engine_version", engine_version.as_ref());
        self.some("model", Some(model).filter(|model| *model != of_study));
        self.key("args", args);
        self.some("env", Some(env).filter(|env| !env.is_empty()));
        self.some("gpus", gpus.as_ref());
        self.texts("variants.notes", notes);
    }

    fn step(&mut self, step: &Step) {
        let Step { id, name, profile, variants, notes } = step;
        self.table("[[steps]]");
        self.key("id", id);
        self.name(id.as_str(), name);
        self.key("profile", profile);
        self.key("variants", variants);
        self.texts("steps.notes", notes);
    }

    fn run(&mut self, entry: &RunEntry) {
        let RunEntry { variant, profile, file, name, results, start, started_at, notes, line: _ } = entry;
        self.table("[[runs]]");
        self.key("variant", variant);
        self.key("profile", profile);
        self.key("file", file);
        self.some("name", name.as_ref());
        // People count from 1.
        let results = results.as_ref().map(|results| results.iter().map(|place| place + 1).collect::<Vec<u32>>());
        self.some("results", results.as_ref());
        self.some("start", start.as_ref());
        let started_at = started_at.and_then(DateTime::from_timestamp_millis);
        self.some("started_at", started_at.map(|at| at.to_rfc3339_opts(SecondsFormat::Millis, true)).as_ref());
        self.texts("runs.notes", notes);
    }

    /// A name that is the id in both languages is what a missing one means.
    fn name(&mut self, id: &str, name: &Localized) {
        self.some("name", Some(name).filter(|name| **name != Localized::same(id) && !name.is_empty()));
    }

    /// A table of its own: notes are long, and stand there line by line.
    fn texts(&mut self, key: &str, text: &Localized) {
        let Localized { ja, en } = text;
        if text.is_empty() {
            return;
        }
        self.table(&format!("[{key}]"));
        self.some("ja", ja.as_ref());
        self.some("en", en.as_ref());
    }

    fn table(&mut self, header: &str) {
        let _ = writeln!(self.0, "\n{header}");
    }

    fn some(&mut self, key: &str, value: Option<&impl Serialize>) {
        if let Some(value) = value {
            self.key(key, value);
        }
    }

    fn key(&mut self, key: &str, value: impl Serialize) {
        let mut text = String::new();
        value
            .serialize(toml::ser::ValueSerializer::new(&mut text))
            .expect("texts, numbers, lists and tables with text keys can be written as TOML");
        let _ = writeln!(self.0, "{key} = {text}");
    }
}
