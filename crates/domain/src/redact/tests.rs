use super::known::Pen;
use super::scan::Place;
use std::collections::BTreeSet;

/// Texts of one study, redacted together.
fn redacted(texts: &[&str]) -> Vec<String> {
    let mut pen = Pen::new(BTreeSet::from(["qwen3-14b".to_owned()]));
    let mut texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    texts.iter_mut().for_each(|text| pen.text(text, Place::Text));
    pen.write();
    texts.iter_mut().for_each(|text| pen.text(text, Place::Text));
    texts
}

/// All that differ, so that one look shows what a rule does.
fn check<'a>(cases: impl IntoIterator<Item = (&'a str, &'a str)>) {
    let wrong = cases.into_iter().map(|(text, expected)| (text, one(text), expected));
    let wrong: Vec<_> = wrong.filter(|(_, got, expected)| got != expected).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn one(text: &str) -> String {
    redacted(&[text]).remove(0)
}

#[test]
fn secrets_are_found_by_their_shape_and_by_what_stands_before_them() {
    check([
        // Machines.
        ("http://gpu-node-17:8000/v1", "http://[host-1]:8000/v1"),
        ("at http://bench.corp.acme.example:8000/v1/models.", "at http://[host-1]:8000/v1/models."),
        ("サーバーはhttp://gpu-node-17:8000/v1です", "サーバーはhttp://[host-1]:8000/v1です"),
        ("https://tanaka@git.acme.co.jp/llm/serving", "https://[user-1]@[host-1]/[path-1]"),
        ("gpu01.dc2.acme.internal で計測", "[host-1] で計測"),
        ("計測機gpu01.dc2.acme.internalの結果", "計測機[host-1]の結果"),
        ("--host gpu-node-17 --port 8000", "--host [host-1] --port 8000"),
        ("--dist-init-addr=head07:5000", "--dist-init-addr=[host-1]:5000"),
        ("MASTER_ADDR=gpu-node-17 torchrun", "MASTER_ADDR=[host-1] torchrun"),
        ("{\"hostname\": \"gpu-node-17\", \"n\": 5}", "{\"hostname\": \"[host-1]\", \"n\": 5}"),
        ("curl gpu-node-17:8000", "curl [host-1]:8000"),
        ("ssh tanaka@gpu-node-17", "ssh [user-1]@[host-1]"),
        ("scp tanaka@gpu17:/data/x .", "scp [user-1]@[host-1]:[path-1] ."),
        ("tanaka@gpu-node-17:~$ vllm serve", "[user-1]@[host-1]:~$ vllm serve"),
        ("ssh -p 22 -A gpu-node-17 nvidia-smi", "ssh -p 22 -A [host-1] nvidia-smi"),
        ("ssh gpu-node-17", "ssh [host-1]"),
        ("`ssh gpu-node-17`で入る", "`ssh [host-1]`で入る"),
        ("まず`ssh suzuki-kenji@bench.acme.internal`で", "まず`ssh [mail-1]`で"),
        ("`ssh suzuki-kenji@10.20.30.41`", "`ssh [user-1]@[ip-1]`"),
        ("$ /usr/bin/ssh root-k@gpu17 uptime", "$ /usr/bin/ssh [user-1]@[host-1] uptime"),
        ("suzuki-kenji@10.20.30.41で計測", "[user-1]@[ip-1]で計測"),
        ("registry.acme.com/llm/vllm:0.11", "[host-1]/[path-1]"),
        ("from acme.co.jp.", "from [host-1]."),
        ("runs/gpu01.acme.internal.json", "runs/[host-1].json"),
        ("node-b23.acme-lab.internal-1", "[host-1]-1"),
        ("grafana.acme.systems と bench.acme.dev:8443", "[host-1] と [host-2]:8443"),
        ("ログは/bench/acme-lab/run1にあります", "ログは[path-1]にあります"),
        ("1件/sと合計トークン/秒", "1件/sと合計トークン/秒"),
        // Addresses.
        ("10.20.30.40", "[ip-1]"),
        ("http://10.20.30.40:8000/v1", "http://[ip-1]:8000/v1"),
        ("社内の10.20.30.40から", "社内の[ip-1]から"),
        ("203.0.113.7/24", "[ip-1]/24"),
        ("[2001:db8::17]:8000", "[[ip-1]]:8000"),
        ("http://[2001:db8::17]:8000/v1", "http://[[ip-1]]:8000/v1"),
        ("fe80::1ff:fe23:4567:890a%eth0", "[ip-1]%eth0"),
        // People.
        ("ask yuki.tanaka@acme.co.jp", "ask [mail-1]"),
        ("連絡先：tanaka@acme.exampleまで", "連絡先：[mail-1]まで"),
        ("in /home/tanaka/bench by tanaka", "in [path-1] by [user-1]"),
        ("/Users/jsmith/x と JSmith", "[path-1] と [user-1]"),
        ("C:\\Users\\tanaka\\bench\\out.json", "[path-1]"),
        ("\"C:\\\\Users\\\\tanaka\\\\bench\"", "\"[path-1]\""),
        ("~tanaka/bench", "[path-1]"),
        // Files.
        ("--model /mnt/models/acme/qwen3-secret-ft --port 1", "--model [path-1] --port 1"),
        ("--model /mnt/models/acme/qwen3-14b --port 1", "--model [path-1]/qwen3-14b --port 1"),
        ("--model=/mnt/models/acme-72b-awq", "--model=[path-1]-72b-awq"),
        ("-v /nfs/llm/models:/models", "-v [path-1]:/models"),
        ("モデルは/mnt/models/acme/secret-ftにあります", "モデルは[path-1]にあります"),
        ("「/mnt/データ/秘密の重み」を使う", "「[path-1]」を使う"),
        ("s3://acme-models/ft/v3", "[path-1]"),
        ("gs://acme/x, then", "[path-1], then"),
        ("~/models/acme/ft", "[path-1]"),
        ("$HOME/models/acme", "[path-1]"),
        ("file:///mnt/acme/x.json", "[path-1]"),
        // Keys.
        ("the password is battery-staple-7.", "the password is ***."),
        ("パスワードは「battery-staple-7」です", "パスワードは「***」です"),
        ("--api-key hunter22", "--api-key ***"),
        ("https://u1:hunter22@github.com/x", "https://[user-1]:***@github.com/x"),
    ]);
}

#[test]
fn what_is_no_secret_stays() {
    let texts = [
        "vllm serve Qwen/Qwen3-14B --host 0.0.0.0 --port 8000 --max-num-seqs=512",
        "http://localhost:8000/v1/chat/completions http://127.0.0.1:30000 http://[::1]:8000",
        "https://huggingface.co/datasets/anon8231489123/ShareGPT_Vicuna_unfiltered/resolve/main/x.json",
        "see https://docs.vllm.ai/en/latest/cli and git@github.com:vllm-project/vllm.git",
        "{\"method\":\"mtp\",\"num_speculative_tokens\":4}",
        "vllm 0.26.0.1, TensorRT 10.0.1.6, NCCL 2.21.5.1, version 1.2.3.4, torch==2.1.0.1, バージョン10.1.2.3",
        "vLLM v0.11.0 / SGLang v0.5.5.post1 on NVIDIA H100 SXM5 80GB",
        "req/s and/or tok/s, TTFT/TPOT, 入力/出力, 速度/TTFT/TPOT, 50%/s",
        "--endpoint /v1/chat/completions --backend openai-chat",
        "token throughput 1234.56, tokens 32768, max token 8192, first token 99.9th, token=8-bit",
        "constant@4 concurrent@8 vllm/vllm-openai@sha256:0a1b2c3d",
        "sglang.bench_serving benchmark_serving.py torch.compile ttft_p99.us requirements.txt",
        "12:30:45 2026-11-30T12:30:45 a::b std::collections dead::beef",
        "max-num-batched-tokens:8192 batch-size:256 concurrency:1024",
        "/dev/shm /usr/local/cuda-12.4/bin /root/.cache/huggingface ~/.cache/huggingface",
        "<b>x</b> **bold** | a | b | $0.9 1,000",
        "host: the machine; server: vLLM; node 2 of 4",
        "[host-1] [ip-12]:8000 [path-1]-14b [path-2]/Qwen3-14B *** [model-3]",
    ];
    check(texts.map(|text| (text, text)));
}

#[test]
fn what_is_known_from_one_place_is_taken_everywhere() {
    let texts = redacted(&[
        "--base-url http://gpu-node-17.corp.acme.example:8000",
        "GPU-Node-17 was busy; gpu-node-170 and gpu-node-1 are others; results-gpu-node-17.json",
        "/home/mori/x",
        "森 (mori) の計測、moriさん、memorize, mori2, --mori-flag",
        "--model /mnt/acme/models/qwen-kestrel-14b-fp8",
        "--served-model-name qwen-kestrel-14b-fp8",
        "--api-key Zq8vR3kLw0Xy",
        "the key was Zq8vR3kLw0Xy",
        "[host-7] was here before",
    ]);
    assert_eq!(
        texts,
        [
            "--base-url http://[host-8]:8000",
            "[host-8] was busy; gpu-node-170 and gpu-node-1 are others; results-[host-8].json",
            "[path-1]",
            "森 ([user-1]) の計測、[user-1]さん、memorize, mori2, --mori-flag",
            "--model [path-2]-14b-fp8",
            "--served-model-name [model-1]-14b-fp8",
            "--api-key ***",
            "the key was ***",
            "[host-7] was here before",
        ]
    );
}

#[test]
fn the_same_secret_gets_the_same_sign_and_redacting_again_changes_nothing() {
    let texts = ["10.0.0.1 10.0.0.2 10.0.0.1", "10.0.0.2 /mnt/a/b /mnt/a/c /mnt/a/b http://gpu1:80/x"];
    let once = redacted(&texts);
    assert_eq!(once, ["[ip-1] [ip-2] [ip-1]", "[ip-2] [path-1] [path-2] [path-1] http://[host-1]:80/[path-3]"]);
    let again: Vec<&str> = once.iter().map(String::as_str).collect();
    assert_eq!(redacted(&again), once);
}

#[test]
fn a_note_is_redacted_as_its_readers_see_it_and_engines_keep_their_names() {
    let folder = "[[variants]]\nid = \"base\"\nengine = \"vLLM\"\nargs = []\nenv = { USER = \"tanaka-k\" }\n";
    let manifest = format!(
        "schema = 1\nslug = \"s\"\nbaseline = \"base\"\nprimary_profile = \"chat\"\n[title]\nen = \"t\"\n[notes]\nen = \
         '''gpu\\-esc\\-17.acme.internal, 10\\.9\\.8\\.7, q\\_mail@acme\\.example, &#49;0.9.8.6, a \\* b; vllm@10.2.3.4 by \
         tanaka-k'''\n[model]\nid = \"Qwen/Qwen3-14B\"\n[hardware]\ngpu = \"H100\"\n[[profiles]]\nid = \"chat\"\nname = {{ en \
         = \"c\" }}\n{folder}"
    );
    let (study, _) = crate::study::parse_manifest(&manifest).expect("it is a study");
    let redacted = super::redact(&crate::study::StudyData { study, runs: Vec::new() }).data.study;
    let note = redacted.notes.en.expect("it stays");
    assert_eq!(note, "[host-1], [ip-1], [mail-1], [ip-2], a \\* b; [user-1]@[ip-3] by [user-2]");
    assert_eq!(redacted.variants[0].engine, "vLLM");
    assert_eq!(redacted.variants[0].env["USER"], "[user-2]");
}
