//! The two reference studies, read from the folders that the demo ships.

use std::fs;
use std::path::{Path, PathBuf};

use touchstone_domain::study::{MANIFEST, StudyData, StudyFolder, load};

/// Qwen3.5-9B: everything against one baseline, GuideLLM figures.
pub const QWEN35: &str = "qwen3.5-9b-h100";
/// Qwen3-14B: every step against the one before, `vllm bench serve` figures.
pub const QWEN3: &str = "qwen3-14b-h100";

/// Where a reference study lies.
pub fn folder(slug: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../server/demo").join(slug)
}

/// A reference study, read whole.
pub fn study(slug: &str) -> StudyFolder {
    let folder = folder(slug);
    let manifest = fs::read_to_string(folder.join(MANIFEST)).expect("the reference study has its description");
    load(&manifest, |file| fs::read(folder.join(file)).map_err(|error| error.to_string()))
        .expect("the reference study can be read")
}

/// What one run of a study made up for a test measured: like `vllm bench serve` prints it, as JSON.
#[derive(Clone)]
pub struct Bench {
    /// Requests that succeeded; all of them.
    pub requests: u64,
    /// Prompt tokens of a request.
    pub input: u64,
    /// Answer tokens of a request.
    pub output: u64,
    /// Seconds.
    pub duration: f64,
    /// Mean TTFT in milliseconds; median and P99 stand at 1 and 2 times that.
    pub ttft: f64,
    /// Mean TPOT and ITL in milliseconds, in the same way.
    pub tpot: f64,
    /// The client's limit.
    pub max_concurrency: Option<u64>,
}

impl Bench {
    /// Long enough to leave every check silent on an H200.
    pub const SOUND: Self = Self {
        requests: 500,
        input: 1024,
        output: 128,
        duration: 17.0,
        ttft: 7000.0,
        tpot: 75.0,
        max_concurrency: Some(500),
    };

    /// As the tool writes it.
    pub fn json(&self) -> String {
        let (input, output) = (self.requests * self.input, self.requests * self.output);
        let per_second = |count: u64| count as f64 / self.duration;
        let limit = self.max_concurrency.map_or("null".to_owned(), |limit| limit.to_string());
        let peak = self.max_concurrency.unwrap_or(self.requests);
        let e2el = self.ttft + self.tpot * (self.output - 1) as f64;
        let of = |name: &str, mean: f64| {
            format!("\"mean_{name}_ms\": {mean}, \"median_{name}_ms\": {mean}, \"p99_{name}_ms\": {}", mean * 2.0)
        };
        format!(
            "{{\"date\": \"20261130-151649\", \"endpoint_type\": \"openai\", \"backend\": \"openai\", \"model_id\": \"m\", \
             \"num_prompts\": {n}, \"request_rate\": \"inf\", \"burstiness\": 1.0, \"max_concurrency\": {limit}, \
             \"duration\": {duration}, \"completed\": {n}, \"failed\": 0, \"total_input_tokens\": {input}, \
             \"total_output_tokens\": {output}, \"request_throughput\": {rate}, \"output_throughput\": {out_rate}, \
             \"total_token_throughput\": {total}, \"max_output_tokens_per_s\": {top}, \"max_concurrent_requests\": {peak}, \
             {ttft}, {tpot}, {itl}, \"mean_e2el_ms\": {e2el}, \"median_e2el_ms\": {e2el}, \"p99_e2el_ms\": {e2el}}}",
            n = self.requests,
            duration = self.duration,
            rate = per_second(self.requests),
            out_rate = per_second(output),
            total = per_second(input + output),
            top = per_second(output) * 2.0,
            ttft = of("ttft", self.ttft),
            tpot = of("tpot", self.tpot),
            itl = of("itl", self.tpot),
        )
    }
}

/// A study made up for a test. `variants` are the lines of `[[variants]]` after the id, `runs` names a variant, further
/// keys, and what it measured. The first variant is the baseline; all are in one step, under one profile.
pub fn made_up(variants: &[(&str, &str)], runs: &[(&str, &str, Bench)]) -> StudyData {
    use std::fmt::Write as _;
    let ids: Vec<String> = variants.iter().map(|(id, _)| format!("\"{id}\"")).collect();
    let mut manifest = format!(
        "schema = 1\nslug = \"made-up\"\nbaseline = {}\nprimary_profile = \"p\"\ntitle = {{ en = \"Made up\" }}\n\
         [model]\nid = \"Qwen/Qwen3-8B\"\n[hardware]\ngpu = \"NVIDIA H200\"\ncount = 1\n\
         [[profiles]]\nid = \"p\"\ninput_tokens = 1024\noutput_tokens = 128\nrequests = {}\n\
         [[steps]]\nid = \"s\"\nprofile = \"p\"\nvariants = [{}]\n",
        ids[0],
        runs[0].2.requests,
        ids.join(", "),
    );
    for (id, keys) in variants {
        let _ = write!(manifest, "[[variants]]\nid = \"{id}\"\nengine = \"vLLM\"\n{keys}\n");
    }
    for (at, (variant, keys, _)) in runs.iter().enumerate() {
        let _ = write!(manifest, "[[runs]]\nvariant = \"{variant}\"\nprofile = \"p\"\nfile = \"{at}.json\"\n{keys}\n");
    }
    let read = |file: &str| {
        let at: usize = file.trim_end_matches(".json").parse().expect("files are numbered");
        Ok(runs[at].2.json().into_bytes())
    };
    load(&manifest, read).expect("a study made up for a test can be read").data
}
