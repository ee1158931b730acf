//! `study.toml`: what is wrong is said with its line; what is optional is read.

use std::fs;

use crate::studies;
use touchstone_domain::metric::Metric;
use touchstone_domain::metrics::{Latency, Stat};
use touchstone_domain::study::{Basis, MANIFEST, load, parse_manifest};
use touchstone_domain::text::Lang;
use touchstone_domain::units::RequestRate;

fn manifest() -> String {
    fs::read_to_string(studies::folder(studies::QWEN3).join(MANIFEST)).expect("the reference study has its description")
}

/// The line on which `text` stands last: of two descriptions of one thing, the second is the mistake.
fn line_of(manifest: &str, text: &str) -> usize {
    let at = manifest.lines().enumerate().filter(|(_, line)| line.contains(text)).last();
    1 + at.expect("the text is in the manifest").0
}

#[test]
fn every_mistake_is_named_with_its_line() {
    // What stands there, what is put in its place, and what the message must say.
    let cases = [
        ("schema = 1", "schema = 2", "schema 2 is not known"),
        ("schema = 1", "schema = 1\ncolour = \"red\"", "unknown field `colour`"),
        ("count = 1", "count = 1\nram = 80", "unknown field `ram`"),
        ("dataset = \"sharegpt\"", "dataset = \"sharegpt\"\nrequest_rates = 3", "unknown field `request_rates`"),
        ("engine = \"vLLM\"", "engine = \"vLLM\"\nargument = []", "unknown field `argument`"),
        ("name = { ja = \"エンジンの選択\"", "name = { fr = \"x\", ja = \"エンジンの選択\"", "unknown field `fr`"),
        ("basis = \"reported\"", "basis = \"printed\"", "unknown variant `printed`"),
        ("decimals = 1", "decimals = 9", "decimals must be 0 to 6, found 9"),
        ("decimals = 1", "decimals = \"1\"", "invalid type"),
        ("slug = \"qwen3-14b-h100\"", "slug = \"../etc\"", "slug \"../etc\" must be"),
        (
            "baseline = \"vllm\"",
            "baseline = \"vlm\"",
            "variant \"vlm\" is not described in this file; described are: fa3",
        ),
        ("primary_profile = \"sharegpt\"", "primary_profile = \"chat\"", "profile \"chat\" is not described"),
        ("variants = [\"fp8\"]", "variants = [\"fp9\"]", "variant \"fp9\" is not described"),
        ("variants = [\"fp8\"]", "variants = []", "step \"quantization\" has no variants"),
        ("count = 1", "count = 0", "hardware.count must be at least 1"),
        ("requests = 1000", "requests = -1", "invalid value"),
        ("file = \"runs/02-sglang-sharegpt.txt\"", "file = \"../../etc/passwd\"", "must be a relative path inside"),
        ("file = \"runs/02-sglang-sharegpt.txt\"", "file = \"/etc/passwd\"", "must be a relative path inside"),
        (
            "file = \"runs/02-sglang-sharegpt.txt\"",
            "file = \"runs/02-sglang-sharegpt.txt\"\nstarted_at = \"yesterday\"",
            "started_at \"yesterday\" is no RFC 3339 time",
        ),
        ("id = \"sglang\"", "id = \"vllm\"", "variant \"vllm\" is described twice"),
        ("args = []", "args = []\nenv = { \"X=1; touch /pwned; Y\" = \"1\" }", "is no name of an environment variable"),
        ("engine = \"vLLM\"", "engine = \" \"", "a name cannot be empty"),
        ("gpu = \"NVIDIA H100 SXM GPU\"", "gpu = \"a\\u0000b\"", "control character U+0000"),
        ("en = \"Optimizing Qwen3-14B Throughput on NVIDIA H100 GPUs\"", "en = \"\"", "a text cannot be empty"),
        ("requests = 1000", "requests = 0", "requests must be at least 1"),
        ("schema = 1", "schema = ", "string values must be quoted"),
        ("basis = \"reported\"", "objective = \"speed\"", "\"speed\" is no metric; known are"),
        ("basis = \"reported\"", "relevance_pct = 101.0", "relevance_pct must be 0 to 100"),
    ];
    for (found, put, expected) in cases {
        let broken = manifest().replacen(found, put, 1);
        let error = parse_manifest(&broken).expect_err(put);
        assert!(error.message.contains(expected), "{put}: {error}");
        let marker = put.lines().last().unwrap();
        let line = line_of(&broken, marker);
        // The syntax error is found at the end of its line, a list or step at its name.
        assert!(error.line.abs_diff(line) <= 3, "{put}: said line {}, is line {line}: {error}", error.line);
    }
    let broken = manifest().replacen("count = 1", "count = 1\nram = 80", 1);
    assert_eq!(
        parse_manifest(&broken).unwrap_err().line,
        line_of(&broken, "ram = 80"),
        "an unknown key has its own line"
    );
}

#[test]
fn optional_keys_are_read() {
    let text = manifest()
        .replacen(
            "basis = \"reported\"",
            "objective = \"ttft_p99_ms\"\nrelevance_pct = 1.0\nmin_success_pct = 95.0\nnotes = { ja = \"メモ\" }",
            1,
        )
        .replacen(
            "requests = 1000",
            "requests = 1000\nrequest_rate = \"inf\"\nmax_concurrency = 64\nslo = { ttft_p99_ms = 2000 }",
            1,
        )
        .replacen("args = []", "args = []\nname = \"stock\"\nenv = { VLLM_USE_V1 = \"1\" }\ngpus = 2", 1)
        .replacen("file = \"runs/01", "start = \"a\"\nstarted_at = \"2026-11-28T09:30:00+09:00\"\nfile = \"runs/01", 1);
    let (study, runs) = parse_manifest(&text).unwrap();
    let p99_ttft = Metric::Latency(Latency::Ttft, Stat::P99);
    assert_eq!((study.basis, study.objective.metric(), study.relevance_pct), (Basis::Recomputed, Some(p99_ttft), 1.0));
    assert_eq!((study.min_success_pct, study.notes.get(Lang::En)), (95.0, "メモ"));
    let profile = &study.profiles[0];
    assert_eq!((profile.request_rate, profile.max_concurrency), (Some(RequestRate::Unlimited), Some(64)));
    assert_eq!(profile.slo.get(&p99_ttft), Some(&2000.0));
    let variant = &study.variants[0];
    assert_eq!(
        (variant.gpus, variant.env.len(), variant.name.as_ref().map(|n| n.get(Lang::Ja))),
        (Some(2), 1, Some("stock"))
    );
    assert_eq!((runs[0].start.as_deref(), runs[0].started_at), (Some("a"), Some(1_795_825_800_000)));
}

#[test]
fn a_folder_that_lacks_a_file_or_holds_a_broken_one_says_which() {
    let text = manifest();
    let gone = "runs/05-sglang-fp8-fa3.txt";
    let read = |file: &str| fs::read(studies::folder(studies::QWEN3).join(file)).map_err(|error| error.to_string());
    let missing =
        load(&text, |file| if file == gone { Err("No such file".to_owned()) } else { read(file) }).unwrap_err();
    let line = line_of(&text, gone);
    assert_eq!(missing.to_string(), format!("study.toml, line {line}: file \"{gone}\" cannot be read: No such file"));
    let broken =
        load(&text, |file| if file == gone { Ok(b"Successful requests: 1".to_vec()) } else { read(file) }).unwrap_err();
    assert!(broken.to_string().starts_with(&format!("{gone}, line 1: no benchmark result found")), "{broken}");
    let twice = text
        .replacen("variant = \"sglang\"\nprofile", "variant = \"vllm\"\nprofile", 1)
        .replace("runs/02-sglang-sharegpt.txt", "runs/01-vllm-sharegpt-baseline.txt");
    let error = load(&twice, read).unwrap_err().to_string();
    assert!(error.contains("same content as another run"), "{error}");
}

#[test]
fn the_same_folder_gives_the_same_runs() {
    assert_eq!(studies::study(studies::QWEN35), studies::study(studies::QWEN35));
    let folder = studies::study(studies::QWEN35);
    assert_eq!((folder.data.runs.len(), folder.raw.len()), (22, 22));
    let ids: std::collections::BTreeSet<_> = folder.data.runs.iter().map(|run| &run.id).collect();
    assert_eq!(ids.len(), 22);
}

#[test]
fn secrets_of_a_folder_are_masked_before_anything_else_sees_them() {
    let text = manifest()
        .replacen("id = \"vllm\"\n", "id = \"vllm\"\nenv = { HF_TOKEN = \"hunter22\", VLLM_USE_V1 = \"1\" }\n", 1)
        .replacen("args = [", "args = [\"--api-key\", \"hunter22\", ", 1);
    assert_eq!(text.matches("hunter22").count(), 2);
    let read = |file: &str| {
        let bytes = fs::read(studies::folder(studies::QWEN3).join(file)).map_err(|error| error.to_string())?;
        Ok(if file.contains("01-") { [b"Namespace(api_key='hunter22')\n".as_slice(), &bytes].concat() } else { bytes })
    };
    let folder = load(&text, read).unwrap();
    let kept: Vec<String> = folder.raw.iter().map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned()).collect();
    assert!(!format!("{:?}{kept:?}", folder.data).contains("hunter22") && !folder.manifest.contains("hunter22"));
    assert_eq!(folder.data.study.variants[0].env.get("HF_TOKEN").map(String::as_str), Some("***"));
    let places: Vec<_> = folder.masked.iter().map(|place| (place.file.as_str(), place.line, place.about)).collect();
    assert_eq!(places.len(), 3, "{places:?}");
    assert_eq!(places[2], ("runs/01-vllm-sharegpt-baseline.txt", Some(1), "API key"));
    for (digest, bytes) in &folder.raw {
        assert_eq!(*digest, touchstone_domain::digest::Digest::of(bytes), "the digest is of what is kept");
    }
    assert_eq!(load(&text, read).unwrap(), folder);
    // TOML can hide a secret from a reader of text; then the folder is refused.
    let hidden = text.replacen("\"hunter22\", ", "\"\\u0068unter22\", ", 1).replacen("--api-key", "\\u002D-api-key", 1);
    let error = load(&hidden, read).unwrap_err().to_string();
    assert!(error.contains("hold a secret (API key)"), "{error}");
}
