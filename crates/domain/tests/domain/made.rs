//! Studies made for a test: a `study.toml` and printed blocks, read as any other folder is.

use touchstone_domain::study::{StudyData, load};

/// Tokens of a prompt, and of an answer: variants of a study are measured with the same requests.
const TOKENS: u64 = 500;

/// One run as its tool prints it. All figures agree with one another.
#[derive(Clone, Copy)]
pub struct Block {
    pub variant: &'static str,
    pub profile: &'static str,
    pub requests: u64,
    pub failed: u64,
    /// Input and output tokens per second, half of each.
    pub tps: f64,
    pub ttft_p99_ms: f64,
    pub tpot_ms: f64,
    /// More lines of the block.
    pub more: &'static str,
}

/// A run of 1,000 requests, all of which succeed.
pub fn run(variant: &'static str, profile: &'static str, tps: f64) -> Block {
    Block { variant, profile, requests: 1000, failed: 0, tps, ttft_p99_ms: 1000.0, tpot_ms: 20.0, more: "" }
}

impl Block {
    fn text(&self) -> String {
        let tokens = self.requests * TOKENS;
        let seconds = (2 * tokens) as f64 / self.tps;
        let rate = self.requests as f64 / seconds;
        let ttft = self.ttft_p99_ms * 0.4;
        let e2el = ttft + self.tpot_ms * (TOKENS - 1) as f64;
        let latency = |name: &str, mean: f64, p99: f64| {
            format!("Mean {name} (ms): {mean:.2}\nMedian {name} (ms): {mean:.2}\nP99 {name} (ms): {p99:.2}\n")
        };
        format!(
            "============ Serving Benchmark Result ============\nSuccessful requests: {}\nFailed requests: {}\n\
             Benchmark duration (s): {seconds:.9}\nTotal input tokens: {tokens}\nTotal generated tokens: {tokens}\n\
             Request throughput (req/s): {rate:.6}\nOutput token throughput (tok/s): {:.2}\n\
             Total Token throughput (tok/s): {:.2}\n{}{}{}{}==================================================\n",
            self.requests,
            self.failed,
            self.tps / 2.0,
            self.tps,
            latency("TTFT", ttft, self.ttft_p99_ms),
            latency("TPOT", self.tpot_ms, self.tpot_ms * 1.5),
            latency("E2EL", e2el, e2el * 1.5),
            self.more,
        )
    }
}

/// A study of one model on one GPU, with the profiles `chat` (primary) and `batch`, and the variants `base`, `a`, `b` and
/// `c` with none to three arguments. `head` goes into the study, `chat` and `batch` into the profiles.
pub struct Made {
    pub head: &'static str,
    pub chat: &'static str,
    pub batch: &'static str,
    pub runs: Vec<Block>,
}

impl Made {
    /// A study without extras.
    pub fn of(runs: &[Block]) -> Self {
        Self { head: "", chat: "", batch: "", runs: runs.to_vec() }
    }

    /// The folder's `study.toml`.
    pub fn manifest(&self) -> String {
        let variants: String =
            [("base", ""), ("a", "\"--x=1\""), ("b", "\"--x=1\", \"--y\""), ("c", "\"--x=1\", \"--y\", \"--z=2\"")]
                .iter()
                .map(|(id, args)| {
                    format!(
                        "[[variants]]\nid = \"{id}\"\nengine = \"vLLM\"\nengine_version = \"0.17.1\"\nargs = [{args}]\n"
                    )
                })
                .collect();
        let runs: String = self
            .runs
            .iter()
            .enumerate()
            .map(|(at, run)| {
                format!(
                    "[[runs]]\nvariant = \"{}\"\nprofile = \"{}\"\nfile = \"runs/{at}.txt\"\n",
                    run.variant, run.profile
                )
            })
            .collect();
        format!(
            "schema = 1\nslug = \"made\"\nbaseline = \"base\"\nprimary_profile = \"chat\"\ntitle = \"Made\"\n{}\n\
             model = {{ id = \"Qwen/Qwen3-14B\" }}\nhardware = {{ gpu = \"H100\", count = 1 }}\n\
             [[profiles]]\nid = \"chat\"\ndataset = \"sharegpt\"\n{}\n\
             [[profiles]]\nid = \"batch\"\ndataset = \"random\"\ninput_tokens = 512\n{}\n{variants}\
             [[steps]]\nid = \"one\"\nprofile = \"chat\"\nvariants = [\"base\", \"a\", \"b\", \"c\"]\n{runs}",
            self.head, self.chat, self.batch
        )
    }

    /// The study, read.
    pub fn data(&self) -> StudyData {
        let manifest = self.manifest();
        let read = |file: &str| {
            let at =
                file.strip_prefix("runs/").and_then(|name| name.strip_suffix(".txt")).and_then(|at| at.parse().ok());
            let run: Option<&Block> = at.and_then(|at: usize| self.runs.get(at));
            Ok(run.expect("the manifest names its runs by number").text().into_bytes())
        };
        load(&manifest, read).unwrap_or_else(|error| panic!("{error}\n{manifest}")).data
    }
}
