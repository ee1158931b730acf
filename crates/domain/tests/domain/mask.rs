//! Masking: no secret survives, nothing else is touched, however the input is cut.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where it stopped")]

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::{fs, iter};

use proptest::prelude::*;
use touchstone_domain::mask::{Found, Masker, MaskingReader, mask, mask_args, mask_env, mask_text};
use touchstone_domain::parse;

/// Drawn for these tests; none of them opens anything. Put together here, so that no scanner takes them for real ones.
fn planted() -> Vec<(String, &'static str)> {
    let drawn = "Zq8vR3kLw0Xy7TnB5cJm2HsD4fGa9PeU";
    let base = |prefix: &str| format!("{prefix}{drawn}");
    let jwt = format!("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.{drawn}");
    vec![
        (format!("using key {}", base("sk-")), "sk-***"),
        (format!("key={}", base("sk-proj-")), "sk-***"),
        (format!("('{}')", base("sk-ant-api03-")), "('sk-***')"),
        ("LiteLLM key: sk-test-1234567890".into(), "sk-***"),
        (format!("logged in with {}", base("hf_")), "hf_***"),
        (format!("remote {}", base("ghp_")), "ghp_***"),
        (format!("remote {}", base("github_pat_11AAAA_")), "github_pat_***"),
        (format!("ci {}", base("ghs_")), "ghs_***"),
        ("aws AKIAIOSFODNN7EXAMPLF".into(), "aws AKIA***"),
        (format!("slack {}", base("xoxb-1234567890-")), "xoxb-***"),
        (format!("session {jwt} ok"), "session eyJ*** ok"),
        (format!("curl -H 'Authorization: Bearer {drawn}' http://h/v1"), "Bearer ***' http://h/v1"),
        (format!("authorization: Basic {drawn}=="), "authorization: Basic ***"),
        (format!("{{\"Authorization\": \"Bearer {drawn}\"}}"), "{\"Authorization\": \"Bearer ***\"}"),
        (format!("{{\"headers\": \"{{\\\"Authorization\\\": \\\"Bearer {drawn}\\\"}}\"}}"), "\\\"Bearer ***\\\"}\"}"),
        (format!("sent bearer {drawn}, got 401"), "sent bearer ***, got 401"),
        ("vllm serve M --api-key hunter22 --port 8000".into(), "--api-key *** --port 8000"),
        ("vllm serve M --api-key=hunter22 --port 8000".into(), "--api-key=*** --port 8000"),
        ("serve M --hf-token 'hunter 22' -O3".into(), "--hf-token '***' -O3"),
        ("[\"--api-key\", \"hunter22\", \"--port\", \"80\"]".into(), "[\"--api-key\", \"***\", \"--port\", \"80\"]"),
        ("args:\n- --api-key\n- hunter22\n- --port".into(), "- --api-key\n- ***\n- --port"),
        ("vllm serve M --api-key \\\n  hunter22 \\\n  --port 80".into(), "--api-key \\\n  *** \\\n  --port 80"),
        ("{\"api_key\": \"hunter22\", \"n\": 5}".into(), "{\"api_key\": \"***\", \"n\": 5}"),
        ("{\"server_info\":{\"api_key\":\"hunt\\\"er22\",\"tp\":1}}".into(), "{\"api_key\":\"***\",\"tp\":1}}"),
        ("{\"token\" : \"a1b2c3d4e5f6\"}".into(), "{\"token\" : \"***\"}"),
        ("{\n  \"password\":\n  \"hunter22\"\n}".into(), "\"password\":\n  \"***\"\n}"),
        ("{\"client_secret\": \"hunter22\\\\\", \"x\": 1}".into(), "{\"client_secret\": \"***\", \"x\": 1}"),
        ("{\"password\": 12345678, \"x\": 1}".into(), "{\"password\": \"***\", \"x\": 1}"),
        ("{\"args\": \"{\\\"api_key\\\": \\\"hunter22\\\", \\\"n\\\": 5}\"}".into(), "\\\"***\\\", \\\"n\\\": 5}\"}"),
        ("{\"api_keys\": [\"hunter22\", \"hunter23\"], \"n\": 5}".into(), "[\"***\"], \"n\": 5}"),
        ("env:\n  api_key: hunter 22,x\n  seed: 5".into(), "  api_key: ***\n  seed: 5"),
        ("api_key: 'hunter22' # ours".into(), "api_key: '***' # ours"),
        ("Namespace(host='::', api_key='hunter22', seed=0)".into(), "api_key='***', seed=0)"),
        ("Namespace(api_key=['hunter22'], seed=0)".into(), "api_key=['***'], seed=0)"),
        ("HF_TOKEN=hunter22 OPENAI_API_KEY=hunter23 vllm bench".into(), "HF_TOKEN=*** OPENAI_API_KEY=*** vllm bench"),
        ("export AWS_SECRET_ACCESS_KEY=\"hunter/22\"".into(), "AWS_SECRET_ACCESS_KEY=\"***\""),
        ("os.environ[\"HF_TOKEN\"] = \"hunter22\"".into(), "[\"HF_TOKEN\"] = \"***\""),
        ("base https://bench:hunter22@host:8000/v1".into(), "https://bench:***@host:8000/v1"),
        (format!("postgres://u:{drawn}@db/x?sslmode=off"), "postgres://u:***@db/x?sslmode=off"),
        ("GET /v1?api_key=hunter22&n=5 HTTP/1.1".into(), "api_key=***&n=5"),
        (format!("touchstone {}", base("tst_")), "tst_***"),
        (
            format!("-----BEGIN RSA PRIVATE KEY-----\n{drawn}\n{drawn}\n-----END RSA PRIVATE KEY-----\nnext"),
            "KEY-----***\n\n\n-----END RSA PRIVATE KEY-----\nnext",
        ),
        (
            format!("{{\"pem\": \"-----BEGIN PRIVATE KEY-----\\n{drawn}\\n-----END PRIVATE KEY-----\\n\", \"n\": 5}}"),
            "KEY-----***-----END PRIVATE KEY-----\\n\", \"n\": 5}",
        ),
        ("&quot;api_key&quot;: &quot;hunter22&quot;, &quot;n&quot;: 5".into(), "&quot;***&quot;, &quot;n&quot;: 5"),
        (format!("{{\"log\": \"first line\\n{}\\nlast\"}}", base("hf_")), "hf_***\\nlast"),
        (
            "a,\"{\"\"api_key\"\": \"\"hunter22\"\", \"\"n\"\": 5}\",1".into(),
            "{\"\"api_key\"\": \"\"***\"\", \"\"n\"\": 5}\",1",
        ),
        ("x-api-key: hunter22".into(), "x-api-key: ***"),
        ("api_key=SecretStr('hunter22')".into(), "SecretStr('***')"),
        ("env:\n- name: HF_TOKEN\n  value: hunter22\n- name: A".into(), "HF_TOKEN\n  value: ***\n- name: A"),
        ("{\"name\": \"HF_TOKEN\", \"value\": \"hunter22\"}".into(), "{\"name\": \"HF_TOKEN\", \"value\": \"***\"}"),
        ("PGPASSWORD=hunter22 psql".into(), "PGPASSWORD=*** psql"),
        ("curl -u bench:hunter22 http://h/v1".into(), "curl -u bench:*** http://h/v1"),
        ("curl -s --user 'bench:hunter 22' \\\n  http://h".into(), "--user 'bench:***' \\\n  http://h"),
        ("curl -X POST -ubench:hunter22 http://h".into(), "-ubench:*** http://h"),
        ("[\"curl\", \"-u\", \"bench:hunter22\", \"-s\"]".into(), "\"-u\", \"bench:***\", \"-s\"]"),
        ("{\"cmd\": \"curl --user=\\\"bench:hunter22\\\" h\"}".into(), "--user=\\\"bench:***\\\" h\"}"),
        ("Cookie: session=hunter22; theme=hunter23\nHost: h".into(), "Cookie: ***\nHost: h"),
        ("curl -H 'Cookie: s=hunter22; t=hunter23' http://h".into(), "-H 'Cookie: ***' http://h"),
        ("< set-cookie: s=hunter22; Path=/; HttpOnly\n< x: y".into(), "< set-cookie: ***\n< x: y"),
        ("{\"Cookie\": \"s=hunter22; t=hunter23\", \"n\": 5}".into(), "{\"Cookie\": \"***\", \"n\": 5}"),
        ("{\"log\": \"Cookie: s=hunter22\\nHost: h\"}".into(), "\"Cookie: ***\\nHost: h\"}"),
        ("curl --cookie 's=hunter22' http://h".into(), "--cookie '***' http://h"),
        ("api_key: |\n  hunter22\n\n  hunter23\nseed: 5".into(), "api_key: |\n  ***\n\n  ***\nseed: 5"),
        ("env:\n  hf_token: >-\n    hunter22\n  seed: 5".into(), "  hf_token: >-\n    ***\n  seed: 5"),
        ("- name: HF_TOKEN\n  value: |\n    hunter22\n  x: 5".into(), "  value: |\n    ***\n  x: 5"),
        ("- api_key: |2\n     hunter22\n- seed: 5".into(), "- api_key: |2\n     ***\n- seed: 5"),
    ]
}

const SECRETS: [&str; 4] = ["Zq8vR3kLw0Xy7TnB5cJm2HsD4fGa9PeU", "hunter", "1234567890", "a1b2c3d4e5f6"];

#[test]
fn no_planted_secret_survives_and_what_stands_around_it_does() {
    for (text, kept) in planted() {
        let (masked, found) = mask_text(&text);
        assert!(masked.contains(kept.trim_start_matches("{\"api_key")), "{text}\n{masked}\n{kept}");
        assert!(!SECRETS.iter().any(|secret| masked.contains(secret)), "{text}\n{masked}");
        assert!(!masked.contains("IOSFODNN7"), "{masked}");
        assert!(!found.is_empty(), "{text}");
        assert_eq!(masked.lines().count(), text.lines().count(), "{masked}");
        assert_eq!(mask_text(&masked), (masked.clone(), vec![]), "masking twice is masking once: {masked}");
        if serde_json::from_str::<serde_json::Value>(&text).is_ok() {
            assert!(serde_json::from_str::<serde_json::Value>(&masked).is_ok(), "{masked}");
        }
    }
}

#[test]
fn all_of_them_in_one_file_are_masked_and_found_on_their_lines() {
    let mut text = String::new();
    let mut lines = Vec::new();
    for (secret, _) in planted() {
        text.push_str("Successful requests: 1000\n");
        lines.push(1 + text.matches('\n').count());
        text.push_str(&secret);
        text.push('\n');
    }
    let (masked, found) = mask_text(&text);
    assert!(lines.len() >= 30);
    assert!(!SECRETS.iter().any(|secret| masked.contains(secret)), "{masked}");
    assert_eq!(masked.lines().count(), text.lines().count());
    let close = |line: &usize| found.iter().any(|found| (*line..line + 4).contains(&found.line));
    assert_eq!(lines.iter().find(|line| !close(line)), None, "{found:?}");
}

#[test]
fn what_only_sounds_like_a_secret_stays() {
    for text in [
        "task-sk-learn/bert-base-v2 on sk-learn",
        "pip install hf_transfer hf_xet; HF_HUB_ENABLE_HF_TRANSFER=1",
        r#"{"total_tokens": 5, "max_tokens": 8192, "tokenizer": "Qwen/Qwen3-14B", "tokenizer_mode": "auto"}"#,
        r#"{"api_key": null, "token": null, "password": "", "eos_token": "<|im_end|>", "bos_token": "abcdefghij1234"}"#,
        r#"{"time_per_output_token_ms": 47.123456789, "first_token_iteration": 1796051002.5758564}"#,
        r#"{"token": " international", "logprob": -0.1}"#,
        "Mean time per output token:   12345678.90",
        "Output token throughput (tok/s):         4132.84",
        "usage: vllm serve [--api-key API_KEY] [--hf-token HF_TOKEN] [--tokenizer TOKENIZER]",
        "vllm serve M --api-key $OPENAI_API_KEY --hf-token ${HF_TOKEN} --tokenizer T --max-num-batched-tokens 8192",
        "api_key: EMPTY",
        "Namespace(api_key=None, token=None, password='')",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "http://127.0.0.1:8000/v1/chat/completions, ssh://git@host/x, mail a@b.example",
        "401: bearer authentication failed; basic configuration",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "tst_short, eyJ.eyJ, AKIA, sk-, hf_, xoxb-, Bearer , Authorization: , ://@, password=",
        "docker run -u 1000:1000 image; sudo -u bench:bench ls",
        "curl --user-agent bench:1 -u $WHO:$PASSWORD http://h -upload",
        r#"{"cookies": {"n": 1}, "credentials": {"n": 1}, "cookie": null}"#,
        "Cookie: none\ncookie jar: on",
        "token: |\n  international",
        "model,token,throughput\nqwen,5,4132.84",
    ] {
        assert_eq!(mask_text(text), (text.to_owned(), vec![]), "{text}");
    }
}

#[test]
fn figures_beside_a_secret_in_a_table_stay() {
    let (masked, _) = mask_text("name,command,tps\na,serve --api-key=hunter22,4132.84\nb,serve,1.5");
    assert_eq!(masked, "name,command,tps\na,serve --api-key=***,4132.84\nb,serve,1.5");
}

#[test]
fn arguments_and_environments_are_masked_by_flag_and_by_name() {
    let mut args =
        ["--api-key", "hunter22", "--port", "8000", "--hf-token=hunter22", "--token", "--x"].map(String::from);
    let found = mask_args(&mut args);
    assert_eq!(args, ["--api-key", "***", "--port", "8000", "--hf-token=***", "--token", "--x"]);
    assert_eq!(found.iter().map(|found| found.line).collect::<Vec<_>>(), [2, 5]);
    let mut env: BTreeMap<_, _> = [("HF_TOKEN", "hunter22"), ("VLLM_USE_V1", "1"), ("URL", "http://u:hunter22@h/")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
    assert_eq!(mask_env(&mut env).len(), 2);
    assert_eq!(env.values().collect::<Vec<_>>(), ["***", "http://u:***@h/", "1"]);
    assert!(mask_env(&mut env).is_empty() && mask_args(&mut args).is_empty());
}

#[test]
fn utf_16_comes_back_unchanged_but_for_its_secrets() {
    let wide =
        |text: &str| -> Vec<u8> { iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect() };
    let plain = wide("試金石 😀 figures 1.5\r\n");
    assert_eq!(mask(&plain).bytes, plain);
    let masked = mask(&wide("試金石 😀\napi_key='hunter22', 5"));
    assert_eq!(masked.bytes, wide("試金石 😀\napi_key='***', 5"));
    assert_eq!(masked.found, [Found { line: 2, what: "API key" }]);
    let mut odd = plain.clone();
    odd.push(7);
    assert_eq!(mask(&odd).bytes, odd);
}

#[test]
fn a_secret_longer_than_any_window_is_passed_over_whole() {
    let long = "x1".repeat(300_000);
    for (before, after) in [("{\"api_key\": \"", "\", \"n\": 5}"), ("sk-", " rest"), ("Bearer ", "\nrest")] {
        let masked = mask_text(&format!("{before}{long}{after}")).0;
        assert!(masked.len() < 64 && masked.ends_with(after), "{}", masked.len());
    }
}

/// The fixtures that were written with a key in them.
const WITH_KEY: [&str; 2] = ["sglang/v0.5.23-own-separated-trace.jsonl", "sglang/v0.5.5-own-server-info.jsonl"];

/// Each would take hours if an anchor were judged by more than a bounded look around it.
#[test]
fn hostile_inputs_take_no_longer_than_others() {
    for piece in [
        "Bearer/",
        "sk-",
        "eyJ.eyJ",
        "://",
        "@://",
        "token",
        "token_",
        "api_key:",
        "\"api_key\"\n\n",
        "--api-key ",
        "\\\"secret",
        "-----BEGIN PRIVATE KEY-----",
        "password=[",
        "basic a",
        "x.token-",
        "curl -u ",
        "curl --user x:",
        "cookie=",
        "cookie: a=b;",
        "api_key: |\n ",
    ] {
        let text = piece.repeat(1_000_000 / piece.len());
        let (masked, _) = mask_text(&text);
        assert_eq!(masked.matches('\n').count(), text.matches('\n').count(), "{piece}");
    }
}

#[test]
fn outputs_without_secrets_are_kept_byte_for_byte() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut checked = 0;
    for dir in [root.join("tests/fixtures"), root.join("../../server/demo")] {
        for file in files(&dir).into_iter().filter(|file| !WITH_KEY.iter().any(|key| file.ends_with(key))) {
            let bytes = fs::read(&file).unwrap();
            let masked = mask(&bytes);
            assert_eq!(masked.found, [], "{}", file.display());
            assert!(masked.bytes == bytes, "{}", file.display());
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked} files");
}

#[test]
fn a_masked_output_gives_the_same_figures() {
    for file in WITH_KEY {
        let bytes = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(file)).unwrap();
        let masked = mask(&bytes);
        assert!(masked.found.iter().all(|found| *found == Found { line: 1, what: "API key" }), "{:?}", masked.found);
        assert!(!String::from_utf8_lossy(&masked.bytes).contains("\"sk-own"), "{file}");
        assert_eq!(parse::parse(&masked.bytes), parse::parse(&bytes), "{file}");
    }
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

proptest! {
    #[test]
    fn however_the_input_is_cut_the_same_comes_out(cuts in prop::collection::vec(1_usize..900, 1..40), pad in 0_usize..1200) {
        let filler = "x,".repeat(pad);
        let text: String = planted().iter().map(|(secret, _)| format!("{secret}\n{filler}\n")).collect();
        let whole = mask(text.as_bytes());
        let (mut masker, mut out, mut rest) = (Masker::new(), Vec::new(), text.as_bytes());
        for cut in cuts.iter().cycle() {
            let (piece, after) = rest.split_at((*cut).min(rest.len()));
            masker.push(piece, &mut out);
            rest = after;
            if rest.is_empty() { break; }
        }
        masker.finish(&mut out);
        prop_assert_eq!(masker.into_found(), whole.found.clone());
        prop_assert!(out == whole.bytes);
        let mut reader = MaskingReader::new(text.as_bytes());
        let mut read = Vec::new();
        reader.read_to_end(&mut read).unwrap();
        prop_assert!(read == whole.bytes);
    }

    #[test]
    fn anything_at_all_can_be_masked(text in "\\PC*", words in prop::collection::vec(0_usize..12, 0..20)) {
        const WORDS: [&str; 12] = ["api_key", "\"", "\\", ":", "=", "Bearer ", "sk-", "://", "@", "\n", "[", "--token "];
        let text: String = words.iter().map(|word| WORDS[*word]).collect::<String>() + &text;
        let (masked, _) = mask_text(&text);
        prop_assert_eq!(masked.matches('\n').count(), text.matches('\n').count());
    }

    #[test]
    fn any_bytes_can_be_masked(bytes in prop::collection::vec(any::<u8>(), 0..3000)) {
        let masked = mask(&bytes);
        prop_assert!(!masked.found.is_empty() || masked.bytes == bytes);
    }
}
