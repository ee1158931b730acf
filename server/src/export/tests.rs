//! The document that describes the JSON, held against what is written.

use std::path::Path;

use domain::id::{RunId, StudySlug, VariantId};
use domain::study::{Hardware, StudyData, load};
use serde_json::Value;

use super::*;

/// The schema, with every object closed: a key that it does not describe is a mistake here.
fn closed() -> Value {
    let mut schema: Value = serde_json::from_str(include_str!("../../../docs/report.schema.json")).unwrap();
    close(&mut schema);
    schema
}

fn close(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            map.values_mut().for_each(close);
            if map.get("properties").is_some_and(Value::is_object) && map.contains_key("required") {
                map.entry("additionalProperties").or_insert(false.into());
            }
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn seed(slug: &str, change: impl Fn(String) -> String) -> StudyData {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("demo").join(slug);
    let manifest = change(std::fs::read_to_string(dir.join("study.toml")).unwrap());
    load(&manifest, |file| std::fs::read(dir.join(file)).map_err(|error| error.to_string())).unwrap().data
}

/// Each with something that the reference studies do not have.
fn studies() -> Vec<(&'static str, StudyData)> {
    const SEED: &str = "qwen3-14b-h100";
    let plain = |slug| seed(slug, |manifest| manifest);
    let head = |more: &'static str| move |manifest: String| manifest.replace("decimals = 1\n", more);
    let mut empty = plain(SEED);
    empty.runs.clear();
    let mut bare = plain(SEED);
    bare.study.steps.clear();
    bare.study.hardware = Hardware { gpu: "unknown".to_owned(), count: None };
    bare.study.baseline = VariantId::new("not-yet");
    let mut repeated = plain(SEED);
    let first = repeated.runs[0].clone();
    for (at, start) in ["a", "a", "b", "b"].into_iter().enumerate() {
        let mut run = first.clone();
        run.id = RunId::new(format!("repeat-{at}"));
        run.start = Some(start.to_owned());
        run.started_at = Some(1_796_000_000_000 + at as i64);
        run.measurement.metrics.total_output_tokens = Some(200_000 + 100 * at as u64);
        repeated.runs.push(run);
    }
    let weighted = seed(
        SEED,
        head(
            "decimals = 1\nprice = { gpu_hour = 450, currency = \"JPY\" }\n\
             objective = { metric = \"total_token_throughput\", weights = { sharegpt = 2, long-prompt = 1 } }\n\
             notes = { ja = \"注\" }\n",
        ),
    );
    let limited = seed(SEED, |manifest| {
        let slo = "requests = 1000\nslo = { ttft_p99_ms = 15000, goodput = 3, tpot_p95_ms = 50 }\n";
        manifest.replacen("requests = 1000\n", slo, 1)
    });
    vec![
        (SEED, plain(SEED)),
        ("qwen3.5-9b-h100", plain("qwen3.5-9b-h100")),
        ("no runs", empty),
        ("no steps, GPU or baseline", bare),
        ("repeats", repeated),
        ("weights, price, notes", weighted),
        ("limits", limited),
    ]
}

#[test]
fn the_schema_describes_every_report() {
    let validator = jsonschema::validator_for(&closed()).unwrap();
    for (name, data) in studies() {
        let mut rival = data.clone();
        rival.study.slug = StudySlug::new("rival");
        let mut report = report::build(&data);
        report.rivals = report::beside(&data, &report, &[rival]);
        let written: Value = serde_json::from_str(&json(&report).unwrap()).unwrap();
        let errors: Vec<String> =
            validator.iter_errors(&written).map(|error| format!("{}: {error:.300}", error.instance_path)).collect();
        assert_eq!(errors, Vec::<String>::new(), "{name}");
    }
}

#[test]
fn the_schema_is_no_sieve() {
    let validator = jsonschema::validator_for(&closed()).unwrap();
    let report: Value = serde_json::from_str(&json(&report::build(&studies().remove(0).1)).unwrap()).unwrap();
    type Spoil = fn(&mut Value);
    let spoilt: [(&str, Spoil); 5] = [
        ("a key that is not described", |report| report["colour"] = "red".into()),
        ("a figure as a text", |report| report["runs"][0]["metrics"]["duration_s"] = "63.53".into()),
        ("a verdict that is none", |report| report["conclusion"]["rows"][0]["change"]["verdict"] = "good".into()),
        ("a key that is missing", |report| drop(report["conclusion"].as_object_mut().unwrap().remove("rows"))),
        ("a digest that is none", |report| report["runs"][0]["digest"] = "abc".into()),
    ];
    assert!(validator.is_valid(&report));
    for (name, spoil) in spoilt {
        let mut report = report.clone();
        spoil(&mut report);
        assert!(!validator.is_valid(&report), "{name}");
    }
}
