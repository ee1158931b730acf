//! Redaction of whole studies: nothing planted is left, no figure moves, the reference studies stay as they are.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where it stopped")]

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::Value;
use touchstone_domain::id::{ProfileId, StepId, VariantId};
use touchstone_domain::redact::{Kind, redact};
use touchstone_domain::report::build;
use touchstone_domain::study::{Localized, StudyData};

use crate::studies::{QWEN3, QWEN35, study};

#[test]
fn the_reference_studies_have_nothing_to_take_out() {
    for slug in [QWEN3, QWEN35] {
        let data = study(slug).data;
        let redacted = redact(&data);
        assert_eq!(redacted.taken, [], "{slug}");
        assert_eq!(redacted.data, data, "{slug}");
    }
}

#[test]
fn ids_stay_apart_and_what_they_join_stays_joined() {
    let mut data = study(QWEN3).data;
    let names = ["gpu01.acme.internal", "GPU01.acme.internal", "host-1"];
    for (at, name) in names.into_iter().enumerate() {
        rename(&mut data, at, name);
    }
    let redacted = redact(&data).data;
    let ids: Vec<&str> = redacted.study.variants.iter().map(|variant| variant.id.as_str()).take(3).collect();
    assert_eq!(ids, ["[host-1]-2", "[host-1]", "host-1"]);
    assert_eq!(redacted.study.baseline.as_str(), "[host-1]-2");
    for (run, before) in redacted.runs.iter().zip(&data.runs) {
        let place = |data: &StudyData, id: &VariantId| data.study.variants.iter().position(|v| v.id == *id).unwrap();
        assert_eq!(place(&redacted, &run.variant), place(&data, &before.variant));
    }
    alike(&data);
}

#[test]
fn what_is_taken_is_listed_without_being_said() {
    let mut data = study(QWEN3).data;
    data.study.notes =
        Localized::same("gpu01.acme.internal 10.1.2.3, 10.1.2.3; ask a.b@acme.internal; --api-key hunter22");
    let taken: Vec<(Kind, String, usize)> =
        redact(&data).taken.into_iter().map(|taken| (taken.kind, taken.placeholder, taken.count)).collect();
    assert_eq!(
        taken,
        [
            (Kind::Host, "[host-1]".to_owned(), 2),
            (Kind::Ip, "[ip-1]".to_owned(), 4),
            (Kind::Mail, "[mail-1]".to_owned(), 2),
            (Kind::Key, "***".to_owned(), 2),
        ]
    );
}

/// Gives a variant another id, wherever the study has it.
fn rename(data: &mut StudyData, at: usize, name: &str) {
    let old = data.study.variants[at].id.clone();
    let new = VariantId::new(name);
    let swap = |id: &mut VariantId| {
        if *id == old {
            *id = new.clone();
        }
    };
    data.study.variants.iter_mut().for_each(|variant| swap(&mut variant.id));
    data.study.steps.iter_mut().flat_map(|step| &mut step.variants).for_each(swap);
    data.runs.iter_mut().for_each(|run| swap(&mut run.variant));
    swap(&mut data.study.baseline);
}

/// The report before and after: every figure, every verdict, every place the same; texts differ only by signs.
fn alike(data: &StudyData) {
    let redacted = redact(data);
    let json = |data: &StudyData| serde_json::to_value(build(data)).unwrap();
    same("", &json(data), &json(&redacted.data));
    let (once, twice) = (format!("{:?}", redacted.data), format!("{:?}", redact(&redacted.data).data));
    let differs = once.bytes().zip(twice.bytes()).position(|(a, b)| a != b);
    let place = differs.map(|at| (once[..at].chars().rev().take(80).collect::<String>(), at));
    assert_eq!(place, None, "redacting twice is redacting once (what stands before, backwards)");
}

fn same(place: &str, a: &Value, b: &Value) {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "{place}");
            for (at, (a, b)) in a.iter().zip(b).enumerate() {
                same(&format!("{place}/{at}"), a, b);
            }
        }
        (Value::Object(a), Value::Object(b)) => {
            assert_eq!(a.len(), b.len(), "{place}");
            for (key, a) in a {
                match b.get(key) {
                    Some(b) => same(&format!("{place}/{key}"), a, b),
                    // A key that is somebody's id.
                    None => assert!(b.keys().any(|key| is_sign(key)), "{place}/{key}"),
                }
            }
        }
        (Value::String(a), Value::String(b)) => assert!(a == b || is_sign(b), "{place}: {a} {b}"),
        _ => assert_eq!(a, b, "{place}"),
    }
}

fn is_sign(text: &str) -> bool {
    text.contains("***")
        || text.contains("key")
        || Kind::ALL.iter().any(|kind| text.contains(&format!("[{}-", kind.key())))
}

/// Secrets of every kind, drawn.
fn secret() -> impl Strategy<Value = String> {
    prop_oneof![
        "gpu-node-[0-9]{2}\\.(dc1|dc2)\\.acme\\.internal",
        "http://llm[0-9]{2}:80[0-9]{2}/v1",
        "10\\.[0-9]\\.[1-9]\\.[1-9]",
        "fd00::[1-9]:[1-9]",
        "/home/(mori|tanaka|k\\.sato)/bench",
        "(mori|tanaka)@acme\\.example",
        "--api-key Zq8vR3kLw0Xy7[0-9]",
        "/mnt/models/acme/(falcon|kestrel)-(7b|14b|8x7b)(-fp8|-awq)?",
        "s3://acme-[a-z]{3}/ft",
        "C:\\\\Users\\\\(mori|sato)\\\\x",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn no_figure_changes_wherever_secrets_stand(secrets in proptest::collection::vec((secret(), 0..16_usize, any::<prop::sample::Index>()), 1..12)) {
        let mut data = study(QWEN3).data;
        let mut planted = BTreeSet::new();
        for (secret, place, which) in secrets {
            planted.insert(secret.clone());
            plant(&mut data, &secret, place, which);
        }
        alike(&data);
        let text = serde_json::to_string(&redact(&data).data).unwrap();
        for secret in planted {
            let secret = secret.strip_prefix("--api-key ").unwrap_or(&secret);
            let secret = secret.strip_prefix("http://").map_or(secret, |url| url.split(':').next().unwrap_or(url));
            prop_assert!(!text.contains(serde_json::to_string(secret).unwrap().trim_matches('"')), "{}", secret);
        }
    }
}

fn plant(data: &mut StudyData, secret: &str, place: usize, which: prop::sample::Index) {
    let study = &mut data.study;
    let sentence = format!("計測は{secret} で行った");
    let variants = study.variants.len();
    match place {
        0 => study.title.ja = Some(sentence),
        1 => study.notes.en = Some(format!("see {secret}, and ask.")),
        2 => study.variants[which.index(variants)].notes.ja = Some(sentence),
        3 => study.variants[which.index(variants)].args.push(format!("--custom={secret}")),
        4 => study.variants[which.index(variants)].args.extend(["--custom".to_owned(), secret.to_owned()]),
        5 => _ = study.variants[which.index(variants)].env.insert("CUSTOM".to_owned(), secret.to_owned()),
        6 => study.variants[which.index(variants)].name = Some(Localized::same(secret)),
        7 => study.profiles[0].command = Some(format!("vllm bench serve --custom {secret} --seed 1")),
        8 => study.profiles[0].dataset_path = Some(secret.to_owned()),
        9 => study.profiles[0].name = Localized::same(secret),
        10 => study.steps[0].notes.en = Some(sentence),
        11 => data.runs[0].start = Some(secret.to_owned()),
        12 => data.runs[0].measurement.context.label = Some(secret.to_owned()),
        13 => _ = data.runs[0].measurement.context.parameters.insert("custom".to_owned(), secret.to_owned()),
        14 => {
            let at = which.index(variants);
            if !study.variants.iter().any(|variant| variant.id.as_str() == secret) {
                rename(data, at, secret);
            }
        }
        _ => {
            let (old, new) = (study.profiles[0].id.clone(), ProfileId::new(secret));
            let swap = |id: &mut ProfileId| {
                if *id == old {
                    *id = new.clone();
                }
            };
            study.profiles.iter_mut().for_each(|profile| swap(&mut profile.id));
            study.steps.iter_mut().for_each(|step| swap(&mut step.profile));
            swap(&mut study.primary_profile);
            data.runs.iter_mut().for_each(|run| swap(&mut run.profile));
            let step = &mut data.study.steps[0];
            step.id = StepId::new(secret);
        }
    }
}
