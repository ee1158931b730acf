//! A study as a folder again: what is written is read back as the same study, whatever it holds.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::studies;
use touchstone_domain::advise::Objective;
use touchstone_domain::advise::cost::{Currency, Price};
use touchstone_domain::digest::Digest;
use touchstone_domain::id::{ProfileId, StepId, StudySlug, VariantId};
use touchstone_domain::metric::Metric;
use touchstone_domain::metrics::{Latency, Stat};
use touchstone_domain::parse;
use touchstone_domain::report::{self, markdown::markdown};
use touchstone_domain::run::run_id;
use touchstone_domain::study::{
    Basis, Exported, Hardware, Holding, Localized, Model, OptionBase, Profile, RunEntry, Step, Study, StudyData,
    StudyFolder, Variant, export, load, parse_manifest, write_manifest,
};
use touchstone_domain::text::Lang;
use touchstone_domain::units::{ReqPerSec, RequestRate};

/// Texts that break what is not quoted: quotation marks of every kind, line ends, TOML's own signs, Japanese, signs beyond
/// the first plane.
fn text() -> BoxedStrategy<String> {
    let odd = prop_oneof![
        Just("\"".to_owned()),
        Just("'''".to_owned()),
        Just("\"\"\"".to_owned()),
        Just("\\".to_owned()),
        Just("\n".to_owned()),
        Just("\r\n".to_owned()),
        Just("\t\u{1b}[0m\u{7f}".to_owned()),
        Just("# [table] = {".to_owned()),
        Just("試金石 🚀".to_owned()),
        "\\PC{0,6}",
    ];
    ("[a-z]", prop::collection::vec(odd, 0..5)).prop_map(|(first, rest)| first + &rest.concat()).boxed()
}

fn name() -> BoxedStrategy<String> {
    text().prop_map(|text| text.chars().filter(|c| !c.is_control()).collect()).boxed()
}

fn localized() -> BoxedStrategy<Localized> {
    (prop::option::of(text()), prop::option::of(text()))
        .prop_filter("a text is in one language at least", |(ja, en)| ja.is_some() || en.is_some())
        .prop_map(|(ja, en)| Localized { ja, en })
        .boxed()
}

fn rate() -> BoxedStrategy<RequestRate> {
    prop_oneof![
        Just(RequestRate::Unlimited),
        (1e-6..1e9).prop_map(|rate| RequestRate::PerSec(ReqPerSec::new(rate).expect("it is finite"))),
    ]
    .boxed()
}

fn profile(at: usize) -> BoxedStrategy<Profile> {
    let slo = prop::collection::btree_map(
        prop_oneof![
            Just(Metric::Goodput),
            Just(Metric::Latency(Latency::Ttft, Stat::P99)),
            Just(Metric::Latency(Latency::E2el, Stat::Percentile(999))),
        ],
        1e-6..1e9,
        0..3,
    );
    let counts = prop::array::uniform4(prop::option::of(1..=i64::MAX as u64));
    let texts = (name(), localized(), prop::array::uniform3(prop::option::of(text())));
    (texts, counts, prop::option::of(any::<i64>()), prop::option::of(rate()), slo)
        .prop_map(move |((id, name, [dataset, dataset_path, command]), counts, seed, request_rate, slo)| {
            let [input_tokens, output_tokens, max_concurrency, requests] = counts;
            Profile {
                id: ProfileId::new(format!("{id}{at}")),
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
            }
        })
        .boxed()
}

fn variant(at: usize) -> BoxedStrategy<Variant> {
    let env = prop::collection::btree_map("[A-Z_][A-Z0-9_]{0,8}", text(), 0..3);
    let args =
        prop::collection::vec(prop_oneof![text(), Just(String::new()), Just("--a={\"b\":[1]}".to_owned())], 0..4);
    let gpus = prop::option::of(1..=u32::MAX);
    let texts = (prop::option::of(localized()), prop::option::of(localized()));
    (name(), texts, name(), prop::option::of(name()), name(), args, env, gpus)
        .prop_map(move |(id, (name, notes), engine, engine_version, model, args, env, gpus)| Variant {
            id: VariantId::new(format!("{id}{at}")),
            name,
            engine,
            engine_version,
            model,
            args,
            env,
            gpus,
            notes: notes.unwrap_or_default(),
        })
        .boxed()
}

prop_compose! {
    fn study()(
        title in localized(),
        notes in prop::option::of(localized()),
        (basis, option_base) in (any::<bool>(), any::<bool>()),
        decimals in 0_u8..=6,
        (relevance_pct, min_success_pct) in (0.0..=100.0, 0.0..=100.0),
        price in prop::option::of(1e-6..1e9),
        weights in prop::option::of(1e-3..1e3),
        (model, gpu, count) in (name(), name(), prop::option::of(1..=u32::MAX)),
        profiles in (profile(0), profile(1)),
        variants in (variant(0), variant(1), variant(2)),
        (step_name, step_notes) in (localized(), prop::option::of(localized())),
        missing in any::<bool>(),
    ) -> Study {
        let profiles = vec![profiles.0, profiles.1];
        let variants = vec![variants.0, variants.1, variants.2];
        let weights = weights.map(|weight| (profiles[1].id.clone(), weight)).into_iter().collect();
        Study {
            slug: StudySlug::new("made"),
            title,
            basis: if basis { Basis::Reported } else { Basis::Recomputed },
            decimals,
            option_base: if option_base { OptionBase::Baseline } else { OptionBase::Previous },
            objective: Objective { weights, ..Objective::default() },
            price: price.map(|gpu_hour| Price { gpu_hour, currency: Currency::Jpy }),
            relevance_pct,
            min_success_pct,
            notes: notes.unwrap_or_default(),
            baseline: if missing { VariantId::new("not-yet") } else { variants[0].id.clone() },
            primary_profile: profiles[0].id.clone(),
            model: Model { id: model },
            hardware: Hardware { gpu, count },
            steps: vec![Step {
                id: StepId::new("step"),
                name: step_name,
                profile: profiles[1].id.clone(),
                variants: variants.iter().map(|variant| variant.id.clone()).collect(),
                notes: step_notes.unwrap_or_default(),
            }],
            profiles,
            variants,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_written_study_is_read_back_as_it_was(
        study in study(),
        (file, start) in (name(), prop::option::of(name())),
        started_at in prop::option::of(-62_135_596_800_000_i64..253_402_300_799_999),
        results in prop::option::of(prop::collection::btree_set(0_u32..9, 1..4)),
        notes in prop::option::of(localized()),
    ) {
        let entries = vec![RunEntry {
            variant: study.variants[1].id.clone(),
            profile: study.profiles[0].id.clone(),
            file: "runs/01.txt".to_owned(),
            name: Some(file),
            results: results.map(|results| results.into_iter().collect()),
            start,
            started_at,
            notes: notes.unwrap_or_default(),
            line: 0,
        }];
        let text = write_manifest(&study, &entries);
        let (read, read_entries) = parse_manifest(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(&read, &study, "{}", text);
        let lineless: Vec<RunEntry> = read_entries.into_iter().map(|entry| RunEntry { line: 0, ..entry }).collect();
        prop_assert_eq!(lineless, entries, "{}", text);
    }
}

/// Raw outputs by what they hold.
type Raw = BTreeMap<Digest, Vec<u8>>;

fn raw(folder: &StudyFolder) -> Raw {
    folder.raw.iter().cloned().collect()
}

fn exported(data: &StudyData, received: &str, raw: &Raw) -> Exported {
    export(data, received, |digest| {
        let parsed = parse::parse(raw.get(digest)?).ok()?;
        Some(Holding { results: parsed.runs.len(), rejected: !parsed.rejected.is_empty() })
    })
}

/// Reads an exported folder as an import does.
#[track_caller]
fn back(exported: &Exported, raw: &Raw) -> StudyData {
    let read = |path: &str| {
        let file = exported.files.iter().find(|file| file.path == path).ok_or("it is not in the folder")?;
        Ok(raw[&file.digest].clone())
    };
    load(&exported.manifest, read).unwrap_or_else(|error| panic!("{error}\n{}", exported.manifest)).data
}

#[track_caller]
fn assert_same(data: &StudyData, back: &StudyData) {
    assert_eq!(data, back);
    let (before, after) = (report::build(data), report::build(back));
    for lang in Lang::ALL {
        assert_eq!(markdown(&before, lang), markdown(&after, lang));
    }
    let json = |report| serde_json::to_string(report).expect("a report can be written");
    assert_eq!(json(&before), json(&after));
}

#[test]
fn a_folder_that_says_all_there_is_comes_back_as_it_was() {
    for slug in [studies::QWEN3, studies::QWEN35] {
        let folder = studies::study(slug);
        let exported = exported(&folder.data, &folder.manifest, &raw(&folder));
        assert_eq!(exported.manifest, folder.manifest, "{slug}: comments and all");
        assert_same(&folder.data, &back(&exported, &raw(&folder)));
    }
}

#[test]
fn a_study_without_its_description_gets_one() {
    for slug in [studies::QWEN3, studies::QWEN35] {
        let folder = studies::study(slug);
        let exported = exported(&folder.data, "", &raw(&folder));
        assert_ne!(exported.manifest, folder.manifest);
        assert!(!exported.manifest.contains("results ="), "every file is taken whole");
        assert_same(&folder.data, &back(&exported, &raw(&folder)));
    }
}

#[test]
fn names_that_lead_elsewhere_or_meet_one_another_stay_apart_and_are_kept() {
    let folder = studies::study(studies::QWEN3);
    let mut data = folder.data.clone();
    let names = [
        "../../x",
        "/etc/passwd",
        "result.json",
        "result.json",
        "runs/A.txt",
        "runs/a.txt",
        "study.toml",
        "\"'\u{3000}",
    ];
    for (run, name) in data.runs.iter_mut().zip(names) {
        run.file = name.to_owned();
    }
    let raw = raw(&folder);
    let exported = exported(&data, &folder.manifest, &raw);
    let mut paths: Vec<String> = exported.files.iter().map(|file| file.path.to_lowercase()).collect();
    assert!(paths.iter().all(|path| path.starts_with("runs/") && !path.contains("..")), "{paths:?}");
    paths.sort();
    paths.dedup();
    assert_eq!(paths.len(), exported.files.len());
    assert_same(&data, &back(&exported, &raw));
}

#[test]
fn of_a_file_with_several_results_those_that_are_stored_come_back() {
    let folder = studies::study(studies::QWEN3);
    let blocks: Vec<&[u8]> = folder.raw.iter().take(4).map(|(_, bytes)| bytes.as_slice()).collect();
    let broken = String::from_utf8_lossy(blocks[3]).replace("Mean TTFT (ms):", "Mean TTFT (ms): fast");
    let whole: Vec<u8> = blocks[..3].concat();
    let spoilt: Vec<u8> = [blocks[0], broken.as_bytes(), blocks[1], blocks[2]].concat();
    for (bytes, kept, results) in [
        (&whole, vec![0, 1, 2], false),
        (&whole, vec![0, 2], true),
        (&whole, vec![2, 0, 1], true),
        (&spoilt, vec![0, 1, 2], true),
        (&spoilt, vec![1], true),
    ] {
        let parsed = parse::parse(bytes).expect("blocks can be read");
        assert_eq!(parsed.runs.len(), 3);
        let digest = Digest::of(bytes);
        let mut data = folder.data.clone();
        let first = data.runs[0].clone();
        data.runs = kept
            .iter()
            .map(|index| {
                let mut run = first.clone();
                run.file = "log.txt".to_owned();
                run.digest = digest.clone();
                run.index = *index;
                run.id = run_id(&data.study.slug, &run.variant, &run.profile, &digest, *index);
                run.start = Some("s".to_owned());
                run.started_at = Some(1_796_000_000_123);
                run.measurement = parsed.runs[*index as usize].clone();
                run
            })
            .collect();
        let raw = Raw::from([(digest, bytes.clone())]);
        let exported = exported(&data, "", &raw);
        assert_eq!(exported.manifest.contains("results ="), results, "{kept:?}");
        assert_same(&data, &back(&exported, &raw));
    }
}

#[test]
fn a_study_without_runs_is_written_too() {
    let folder = studies::study(studies::QWEN3);
    let data = StudyData { runs: Vec::new(), ..folder.data };
    let exported = exported(&data, "", &Raw::new());
    assert_eq!(exported.files, []);
    assert_same(&data, &back(&exported, &Raw::new()));
}

#[test]
fn a_result_that_is_not_there_is_named_with_its_line() {
    let folder = studies::study(studies::QWEN3);
    for (results, said) in [
        ("[2]", "holds 1 results, and result 2 is named"),
        ("[0]", "results must be places in the file, from 1"),
        ("[2, 1]", "in ascending order"),
        ("[]", "results must be places"),
    ] {
        let file = "file = \"runs/02-sglang-sharegpt.txt\"";
        let manifest = folder.manifest.replace(file, &format!("{file}\nresults = {results}"));
        let read = |path: &str| std::fs::read(studies::folder(studies::QWEN3).join(path)).map_err(|e| e.to_string());
        let error = load(&manifest, read).expect_err(results).to_string();
        assert!(error.starts_with("study.toml, line ") && error.contains(said), "{error}");
    }
}
