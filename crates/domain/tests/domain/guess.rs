//! Where raw outputs probably belong: guesses for the upload page.

use crate::studies;
use touchstone_domain::parse::parse;
use touchstone_domain::run::Tool;
use touchstone_domain::text::{Lang, unreadable};
use touchstone_domain::upload::guess::{self, Said};
use touchstone_domain::upload::{Typed, typed};

#[test]
fn a_file_name_gives_an_id_without_numbering_suffixes_and_repeats() {
    for (file, id) in [
        ("18-throughput-optimized.txt", "throughput-optimized"),
        ("runs/03_Prefix_Caching.run-2.json.gz", "prefix-caching"),
        ("fp8-fa3-rep03.jsonl", "fp8-fa3"),
        ("result (1).json", "result"),
        ("max-num-seqs-512.txt", "max-num-seqs-512"),
        ("C:\\bench\\base.log", "base"),
        ("2.txt", "2"),
        ("検証.txt", "variant"),
        (".txt", "txt"),
        ("", "variant"),
    ] {
        assert_eq!(guess::variant_id(file), id, "{file}");
    }
    assert_eq!(guess::variant_id(&"x".repeat(300)).len(), 100);
}

#[test]
fn every_seed_run_is_guessed_into_its_own_place_or_into_none() {
    for slug in [studies::QWEN35, studies::QWEN3] {
        let data = studies::study(slug).data;
        let (mut variants, mut profiles) = (0, 0);
        for run in &data.runs {
            let said = Said::of(std::slice::from_ref(&run.measurement));
            let profile = guess::profile(&said, &run.file, &data.study);
            assert!(profile.is_none_or(|guessed| *guessed == run.profile), "{}: {profile:?}", run.file);
            let variant = guess::variant(&said, &run.file, &data.study);
            assert!(variant.is_none_or(|guessed| *guessed == run.variant), "{}: {variant:?}", run.file);
            variants += usize::from(variant.is_some());
            profiles += usize::from(profile.is_some());
        }
        println!("{slug}: {variants} variants, {profiles} profiles of {}", data.runs.len());
        assert!(profiles * 2 > data.runs.len(), "{slug}: {profiles}");
    }
}

#[test]
fn what_results_of_a_file_say_differently_is_not_known() {
    let bytes = std::fs::read("tests/fixtures/guidellm/v0.2.1-sweep.csv").unwrap();
    let runs = parse(&bytes).unwrap().runs;
    assert!(runs.len() > 1);
    let said = Said::of(&runs);
    assert_eq!(said.request_rate, None, "a sweep has many");
    assert_eq!(Said::of(&[]), Said::default());
    assert_eq!(guess::profile_id(&Said::default()), "default");
    let said =
        Said { input_tokens: Some(1024), output_tokens: Some(128), max_concurrency: Some(64), ..Said::default() };
    assert_eq!(guess::profile_id(&said), "in1024-out128-c64");
    let said = Said { model: Some("/models/Qwen/Qwen3.5-9B/".to_owned()), gpu: Some("NVIDIA H100".to_owned()), ..said };
    assert_eq!(guess::study_slug(&said).as_deref(), Some("qwen3.5-9b-nvidia-h100"));
    assert_eq!(guess::names_model("qwen3.5-9b-h100", &said), Some(true));
    assert_eq!(guess::names_model("qwen3-14b-h100", &said), Some(false));
    assert_eq!(guess::engine(&said, Tool::GuideLlm, "02-sglang-x.txt").as_deref(), Some("SGLang"));
    assert_eq!(guess::engine(&said, Tool::GuideLlm, "x.txt"), None);
}

#[test]
fn a_command_is_taken_apart_as_a_shell_would() {
    let words = |args: &[&str]| args.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>();
    let check = |text: &str, engine: Option<&'static str>, model: Option<&str>, args: &[&str]| {
        let env = Default::default();
        let expected = Typed { env, engine, model: model.map(str::to_owned), args: words(args) };
        assert_eq!(typed(text), Some(expected), "{text}");
    };
    check("", None, None, &[]);
    check("--a 1 --json '{\"x\": 1}'", None, None, &["--a", "1", "--json", "{\"x\": 1}"]);
    check("vllm serve m/x \\\n  --a=1", Some("vLLM"), Some("m/x"), &["--a=1"]);
    check(
        "python3 -m sglang.launch_server --tp 2 --model-path m --x",
        Some("SGLang"),
        Some("m"),
        &["--tp", "2", "--x"],
    );
    check("python -m vllm.entrypoints.openai.api_server --model=m", Some("vLLM"), Some("m"), &[]);
    check("trtllm-serve m --tp_size 2", Some("TensorRT-LLM"), Some("m"), &["--tp_size", "2"]);
    check("vllm serve --config c.yaml", Some("vLLM"), None, &["--config", "c.yaml"]);
    assert_eq!(
        typed("A=1 B='two words' --x").unwrap().env.into_iter().collect::<Vec<_>>(),
        [("A".to_owned(), "1".to_owned()), ("B".to_owned(), "two words".to_owned())]
    );
    assert_eq!(typed("--x 'open"), None);
}

#[test]
fn every_error_says_what_helps_in_both_languages() {
    let bad: [&[u8]; 7] = [
        b"",
        b"\x7fELF\0",
        b"nothing here",
        b"{\"a\": [1, 2",
        b"{\"strange\": 1}",
        b"============ Serving Benchmark Result ============\nSuccessful requests: xxx\n====\n",
        b"============ Serving Benchmark Result ============\nSuccessful requests: 1000\n",
    ];
    for bytes in bad {
        let error = parse(bytes).unwrap_err();
        let (en, ja) = (unreadable(Lang::En, &error), unreadable(Lang::Ja, &error));
        assert!(en.found.ends_with('.') || en.found.contains(':'), "{en:?}");
        assert!(en.advice.ends_with('.') && ja.advice.ends_with('。'), "{en:?} {ja:?}");
        assert_ne!(en, ja);
    }
}
