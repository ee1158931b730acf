//! Envelopes: what is refused and where, what an upload makes, and what stays as it was.

use serde_json::{Value, json};
use touchstone_domain::parse::parse;
use touchstone_domain::study::{Localized, Study, Variant};
use touchstone_domain::upload::{Envelope, Plan, Refusal, UNKNOWN, plan};

fn envelope(changes: Value) -> Envelope {
    let mut sent = json!({
        "study": "llama",
        "variant": { "engine": "vLLM", "model": "meta/Llama-3", "args": ["--max_num_seqs=512"] },
        "profile": "chat",
        "hardware": { "gpu": "H100", "count": 1 },
    });
    for (key, value) in changes.as_object().expect("changes are an object") {
        sent[key] = value.clone();
    }
    serde_json::from_value(sent).expect("the envelope has the right shape")
}

fn planned(changes: Value, stored: Option<&Study>) -> Result<Plan, Refusal> {
    let envelope = envelope(changes);
    envelope.check()?;
    Ok(plan(&envelope, stored, &[]))
}

#[test]
fn what_cannot_be_stored_or_shown_is_refused_with_its_path() {
    let long = "試".repeat(300);
    let cases = [
        (json!({ "study": "No Slug" }), "study: \"No Slug\" is no slug"),
        (json!({ "study": { "slug": "../x" } }), "study.slug: \"../x\" is no slug"),
        (json!({ "study": { "slug": "a", "title": { } } }), "study.title: it is empty"),
        (json!({ "study": { "slug": "a", "title": "" } }), "study.title: it is empty"),
        (json!({ "study": { "slug": "a", "title": { "ja": " \u{200b}\u{3000}" } } }), "study.title.ja: it is empty"),
        (json!({ "step": { "id": "t", "name": " " } }), "step.name: it is empty"),
        (json!({ "variant": "" }), "variant: it is empty"),
        (json!({ "profile": "\u{200b}" }), "profile: it is empty"),
        (json!({ "variant": "a\nb" }), "variant: it holds the control character U+000A"),
        (json!({ "variant": { "engine": "" } }), "variant.engine: it is empty"),
        (json!({ "variant": { "engine": "v", "name": long } }), "variant.name: it has 300 characters"),
        (
            json!({ "variant": { "engine": "v", "name": { "ja": "a\u{7}" } } }),
            "variant.name.ja: it holds the control character U+0007",
        ),
        (json!({ "variant": { "engine": "v", "gpus": 0 } }), "variant.gpus: it is 0"),
        (
            json!({ "variant": { "engine": "v", "args": ["ok", "a\0"] } }),
            "variant.args[1]: it holds the character U+0000",
        ),
        (json!({ "variant": { "engine": "v", "args": vec![""; 1001] } }), "variant.args: 1001 entries"),
        (
            json!({ "variant": { "engine": "v", "env": { "A=B": "" } } }),
            "variant.env.A=B: no shell takes this as the name of a variable",
        ),
        (
            json!({ "profile": { "id": "p", "slo": { "ttft_p99_ms": -1.0 } } }),
            "profile.slo.ttft_p99_ms: the limit is -1",
        ),
        (json!({ "hardware": { "count": 0 } }), "hardware.count: it is 0"),
        (json!({ "started_at": "yesterday" }), "started_at: \"yesterday\" is no time"),
        (
            json!({ "started_at": "2026-01-02T00:00:00Z", "finished_at": "2026-01-01T00:00:00Z" }),
            "finished_at: it is before started_at",
        ),
        (json!({ "files": [{ "name": "a" }] }), "files[0]: it has both or none of content and content_base64"),
        (json!({ "files": [{ "name": "", "content": "" }] }), "files[0].name: the file has no name"),
    ];
    for (changes, refusal) in cases {
        let refused = planned(changes.clone(), None).expect_err(refusal);
        assert_eq!(refused.to_string(), refusal, "{changes}");
        assert!(refused.expected.is_some(), "{refusal}");
    }
}

#[test]
fn what_only_has_a_name_is_made_from_what_its_outputs_say() {
    let block = "============ Serving Benchmark Result ============\nSuccessful requests: 10\n\
                 Benchmark duration (s): 2.0\n==================================================\n";
    let mut runs = parse(block.as_bytes()).expect("it is a block").runs;
    let sent: Envelope = serde_json::from_value(json!({ "study": "s", "variant": "v", "profile": "p" })).unwrap();
    let bare = plan(&sent, None, &runs);
    let variant = &bare.study.variants[0];
    assert_eq!((variant.id.as_str(), variant.engine.as_str(), variant.model.as_str()), ("v", UNKNOWN, UNKNOWN));
    assert_eq!(bare.study.hardware.gpu, UNKNOWN);
    let places: Vec<_> = bare.warnings.iter().map(|warning| warning.split(':').next().unwrap()).collect();
    assert_eq!(places, ["hardware.gpu", "variant.engine of \"v\"", "variant.model of \"v\""]);
    assert_eq!(plan(&sent, Some(&bare.study), &runs).warnings, bare.warnings);

    runs[0].context.engine = Some("vLLM".to_owned());
    runs[0].context.engine_version = Some("0.11.0".to_owned());
    runs[0].context.model = Some("m".to_owned());
    runs[0].context.gpu = Some("H200".to_owned());
    runs[0].context.gpus = Some(2);
    let told = plan(&sent, None, &runs);
    let variant = &told.study.variants[0];
    assert_eq!((variant.engine.as_str(), variant.engine_version.as_deref()), ("vLLM", Some("0.11.0")));
    assert_eq!((variant.model.as_str(), told.study.model.id.as_str()), ("m", "m"));
    assert_eq!((told.study.hardware.gpu.as_str(), told.study.hardware.count), ("H200", Some(2)));
    assert_eq!(told.warnings, [""; 0]);

    // What was stored without it learns it, and the second time there is nothing to learn.
    let learnt = plan(&sent, Some(&bare.study), &runs);
    assert!(learnt.new_facts && learnt.new_parts && !learnt.new_study);
    assert_eq!(learnt.study, told.study);
    let again = plan(&sent, Some(&learnt.study), &runs);
    assert!(!again.new_facts && !again.new_parts);

    // An output's name that could not be sent is not taken from it either.
    runs[0].context.engine = Some("a\nb".to_owned());
    assert_eq!(plan(&sent, None, &runs).study.variants[0].engine, UNKNOWN);
}

#[test]
fn a_description_that_comes_later_fills_what_was_not_known() {
    let sent = |variant: Value| -> Envelope {
        serde_json::from_value(
            json!({ "study": "s", "variant": variant, "profile": "p", "hardware": { "gpu": "H100" } }),
        )
        .unwrap()
    };
    let stored = plan(&sent(json!("v")), None, &[]).study;
    let described = json!({ "id": "v", "engine": "vLLM", "model": "m", "args": ["--x"] });
    let filled = plan(&sent(described), Some(&stored), &[]);
    assert!(filled.new_parts && !filled.new_study);
    assert_eq!((filled.study.variants.len(), filled.study.variants[0].engine.as_str()), (1, "vLLM"));
    assert_eq!(filled.study.variants[0].args, ["--x"]);
    // Then it stays.
    let other = plan(&sent(json!({ "id": "v", "engine": "SGLang" })), Some(&filled.study), &[]);
    assert_eq!(other.study, filled.study);
    assert!(other.warnings[0].contains("\"vLLM\" is stored and stays"), "{:?}", other.warnings);
}

#[test]
fn strange_but_harmless_names_are_taken_as_they_are() {
    let name = "| <script>alert(1)</script> 🚀 試金石";
    let plan = planned(json!({ "variant": { "id": name, "name": name, "engine": "v", "model": "m" } }), None);
    assert_eq!(plan.expect("nothing is wrong with it").variant.as_str(), name);
}

#[test]
fn the_first_upload_makes_a_study_and_the_second_changes_nothing() {
    let first = planned(json!({ "step": "seqs" }), None).expect("it is new");
    assert!(first.new_study && first.new_parts);
    assert_eq!(first.warnings, [""; 0]);
    let study = &first.study;
    assert_eq!((study.title.en.as_deref(), study.model.id.as_str()), (Some("llama"), "meta/Llama-3"));
    assert_eq!((study.hardware.gpu.as_str(), study.hardware.count), ("H100", Some(1)));
    assert_eq!((&study.baseline, &study.primary_profile), (&first.variant, &first.profile));
    assert_eq!(study.steps[0].variants, std::slice::from_ref(&first.variant));
    assert!(first.variant.as_str().starts_with("vllm-"), "{}", first.variant);

    let second = planned(json!({ "step": "seqs" }), Some(study)).expect("it is known");
    assert_eq!(second, Plan { new_study: false, new_parts: false, new_facts: false, ..first.clone() });
    // Another spelling of the same configuration is the same variant, and another one is none.
    let respelled =
        json!({ "variant": { "engine": "VLLM", "model": "meta/Llama-3", "args": ["--max-num-seqs", "512"] } });
    assert_eq!(planned(respelled, Some(study)).expect("it is known").variant, first.variant);
    // Under its id, a spelling that the fingerprint tells apart is no contradiction either.
    let alias = json!({ "variant": {
        "id": first.variant.as_str(), "engine": "vLLM", "model": "meta/Llama-3",
        "args": ["--max-num-seqs=8", "--max-num-seqs=512"],
    } });
    assert_eq!(planned(alias, Some(study)).expect("it is known").warnings, [""; 0]);
    let other = planned(json!({ "step": "seqs", "variant": { "engine": "vLLM" } }), Some(study)).expect("it is new");
    assert_ne!(other.variant, first.variant);
    assert_eq!(other.study.steps[0].variants, [first.variant.clone(), other.variant.clone()]);
    assert_eq!(other.study.baseline, first.variant);
}

#[test]
fn what_is_known_stays_and_the_answer_says_so() {
    let full = json!({
        "study": { "slug": "llama", "title": "Llama", "basis": "reported" },
        "variant": { "id": "base", "engine": "vLLM", "model": "m" },
        "profile": { "id": "chat", "requests": 100 },
    });
    let stored = planned(full, None).expect("it is new").study;
    let again = planned(
        json!({
            "study": { "slug": "llama", "title": { "en": "Other" }, "baseline": "x" },
            "variant": { "id": "base", "engine": "SGLang" },
            "profile": { "id": "chat", "requests": 200, "seed": 1 },
            "hardware": { "gpu": "H200" },
        }),
        Some(&stored),
    );
    let again = again.expect("it is known");
    assert_eq!(again.study, stored);
    assert_eq!(
        again.warnings,
        [
            "variant.engine of \"base\": \"vLLM\" is stored and stays; the upload says \"SGLang\"",
            "profile.seed of \"chat\": nothing is stored and stays; the upload says 1",
            "profile.requests of \"chat\": 100 is stored and stays; the upload says 200",
            "study.title: {\"ja\":\"Llama\",\"en\":\"Llama\"} is stored and stays; the upload says {\"en\":\"Other\"}",
            "study.baseline: \"base\" is stored and stays; the upload says \"x\"",
            "hardware.gpu: \"H100\" is stored and stays; the upload says \"H200\"",
        ]
    );
}

#[test]
fn a_fingerprint_tells_configurations_apart_and_spellings_not() {
    let variant = |args: &[&str]| Variant {
        id: "v".into(),
        name: None,
        engine: "vLLM".to_owned(),
        engine_version: Some("0.11".to_owned()),
        model: "m".to_owned(),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        env: [("A".to_owned(), "1".to_owned())].into(),
        gpus: None,
        notes: Localized::default(),
    };
    let base = variant(&["--a-b", "1", "-x"]);
    let same = [
        Variant { id: "other".into(), ..base.clone() },
        Variant { engine: "vllm".to_owned(), ..base.clone() },
        variant(&["--a_b=1", "-x"]),
    ];
    for same in same {
        assert_eq!(same.fingerprint(), base.fingerprint(), "{same:?}");
    }
    let different = [
        Variant { engine: "sglang".to_owned(), ..base.clone() },
        Variant { engine_version: None, ..base.clone() },
        Variant { model: "n".to_owned(), ..base.clone() },
        Variant { env: [].into(), ..base.clone() },
        Variant { gpus: Some(1), ..base.clone() },
        variant(&["--a-b", "2", "-x"]),
        variant(&["-x", "--a-b", "1"]),
    ];
    for different in different {
        assert_ne!(different.fingerprint(), base.fingerprint(), "{different:?}");
    }
}

#[test]
fn a_fingerprint_is_what_it_was_when_it_was_stored() {
    let variant = Variant {
        id: "v".into(),
        name: None,
        engine: "vLLM".to_owned(),
        engine_version: Some("v0.17.1".to_owned()),
        model: "Qwen/Qwen3.5-9B".to_owned(),
        args: ["-tp", "2", "--max_num_seqs=512", "--no-enable-prefix-caching", "stray"].map(str::to_owned).to_vec(),
        env: std::iter::once(("A".to_owned(), "b".to_owned())).collect(),
        gpus: Some(2),
        notes: Localized::default(),
    };
    assert_eq!(variant.fingerprint().to_string(), "394b9fba1199fa97e87dbe0b29a3ab3d4026aa901417aebd8323c8548997ba43");
}
