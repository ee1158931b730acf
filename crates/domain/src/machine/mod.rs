//! What a machine can do at most with a model: the roof under which every honest figure lies.
//!
//! Everything here errs towards the machine: the fastest form of a GPU whose form is not named, the smallest size that a
//! model's name allows, nothing but its weights to read and its matrices to multiply. What lies above such a roof is wrong;
//! what lies below may still be.

mod gpu;
mod model;

pub use gpu::{Gpu, differ};
pub use model::Weights;
pub(crate) use model::bits_of;
pub(crate) use model::told;

use crate::command::flags;
use crate::run::Run;
use crate::study::{Study, Variant};

/// A known GPU, how many of them, and a model whose size is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Machine {
    /// The GPU.
    pub gpu: &'static Gpu,
    /// How many; a machine with an unknown number has no roof.
    pub gpus: u32,
    /// What has to be read and multiplied for every token.
    pub weights: Weights,
    /// The most tokens that one pass gives a request; more than one with speculative decoding, none where that is not known.
    pub tokens_per_pass: Option<u64>,
}

impl Machine {
    /// The machine that a run of a study ran on; none where GPU, number of GPUs or model size is not known.
    pub fn of(study: &Study, run: &Run) -> Option<Self> {
        let variant = study.variant(&run.variant)?;
        let context = &run.measurement.context;
        let models = [Some(&variant.model), context.model.as_ref(), Some(&study.model.id)];
        let (gpu, gpus) = hardware(study, run);
        Self::new(gpu, gpus, models.into_iter().flatten().map(String::as_str), &variant.args)
    }

    /// The same from names: the first model whose name tells a size counts.
    pub fn new<'a>(
        gpu: &str,
        gpus: Option<u32>,
        mut models: impl Iterator<Item = &'a str>,
        args: &[String],
    ) -> Option<Self> {
        Some(Self {
            gpu: Gpu::find(gpu)?,
            gpus: gpus.filter(|gpus| *gpus > 0)?,
            weights: models.find_map(|model| Weights::of(model, args))?,
            tokens_per_pass: tokens_per_pass(args),
        })
    }

    /// How often a second the weights can be read from memory: no engine makes more passes than this.
    pub fn passes_per_sec(&self) -> f64 {
        self.gpu.bandwidth_gb_s * f64::from(self.gpus) / self.weights.read_gb()
    }

    /// Tokens a second for which the matrices can be multiplied, prompts and answers alike: two operations a weight.
    pub fn tokens_per_sec(&self) -> f64 {
        let tera_per_token = 2.0 * self.weights.multiplied_billions() / 1000.0;
        self.gpu.dense_tflops(self.weights.bits) * f64::from(self.gpus) / tera_per_token
    }
}

/// The GPU and the number of GPUs of a run: what the study says of it, and where it says nothing what the tool says; never
/// fewer than the server's arguments split the model over.
pub fn hardware<'a>(study: &'a Study, run: &'a Run) -> (&'a str, Option<u32>) {
    let context = &run.measurement.context;
    let variant = study.variant(&run.variant);
    let declared = variant.and_then(|variant| study.gpus(variant)).or(context.gpus);
    let needed = variant.and_then(needed_gpus);
    let gpus = declared.map(|declared| needed.map_or(declared, |needed| declared.max(needed)));
    (context.gpu.as_deref().unwrap_or(&study.hardware.gpu), gpus)
}

const TENSOR_PARALLEL: [&str; 4] = ["--tensor-parallel-size", "-tp", "--tp-size", "--tp"];
const PIPELINE_PARALLEL: [&str; 4] = ["--pipeline-parallel-size", "-pp", "--pp-size", "--pp"];

/// GPUs that a variant's arguments ask for: tensor times pipeline parallelism of vLLM, SGLang and TensorRT-LLM. Replicas are
/// left out, since SGLang's may share GPUs.
pub fn needed_gpus(variant: &Variant) -> Option<u32> {
    let flags = flags(&variant.args);
    let size = |names: &[&str]| {
        let flag = flags.iter().rev().find(|flag| names.contains(&flag.name.as_str()))?;
        flag.value.as_deref()?.parse::<u32>().ok()
    };
    let (tensor, pipeline) = (size(&TENSOR_PARALLEL), size(&PIPELINE_PARALLEL));
    tensor.or(pipeline)?;
    tensor.unwrap_or(1).checked_mul(pipeline.unwrap_or(1)).filter(|gpus| *gpus > 0)
}

/// One without speculative decoding; with it one more than are guessed; unknown where the guess is not a plain number.
fn tokens_per_pass(args: &[String]) -> Option<u64> {
    let speculative: Vec<_> = flags(args).into_iter().filter(|flag| flag.name.contains("speculative")).collect();
    if speculative.is_empty() {
        return Some(1);
    }
    let number = |text: &str| -> String {
        text.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect()
    };
    let guessed = speculative.iter().find_map(|flag| {
        let value = flag.value.as_deref()?;
        let of_key = || value.split_once("num_speculative_tokens").map(|(_, rest)| number(rest));
        let of_flag = || (flag.name == "--speculative-num-draft-tokens").then(|| value.to_owned());
        of_key().or_else(of_flag)?.parse::<u64>().ok()
    })?;
    guessed.checked_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn a_roof_needs_gpu_count_and_size() {
        let machine = |gpu, gpus, model: &str| Machine::new(gpu, gpus, std::iter::once(model), &[]);
        assert!(machine("NVIDIA H200", None, "Qwen/Qwen3-8B").is_none(), "unknown is not 1");
        assert!(machine("Some NPU", Some(1), "Qwen/Qwen3-8B").is_none());
        assert!(machine("NVIDIA H200", Some(1), "my-model").is_none());
        let h200 = machine("NVIDIA H200", Some(1), "Qwen/Qwen3-8B").expect("all of it is known");
        // 8 billion weights, at least 6.4 of them read (12.8 GB) and multiplied (12.8 GFLOP) for every token.
        assert!((h200.passes_per_sec() - 375.0).abs() < 1e-9, "{}", h200.passes_per_sec());
        assert!((h200.tokens_per_sec() - 77_312.5).abs() < 0.1, "{}", h200.tokens_per_sec());
        let four = machine("NVIDIA H200", Some(4), "Qwen/Qwen3-8B").expect("all of it is known");
        assert!((four.tokens_per_sec() / h200.tokens_per_sec() - 4.0).abs() < 1e-9);
    }

    #[test]
    fn speculation_gives_more_than_one_token_a_pass() {
        assert_eq!(tokens_per_pass(&args(&["--max-num-seqs=8"])), Some(1));
        let vllm = "--speculative-config={\"method\":\"mtp\",\"num_speculative_tokens\":4}";
        assert_eq!(tokens_per_pass(&args(&[vllm])), Some(5));
        let sglang = ["--speculative-algorithm=EAGLE", "--speculative-num-draft-tokens", "8"];
        assert_eq!(tokens_per_pass(&args(&sglang)), Some(9));
        assert_eq!(tokens_per_pass(&args(&["--speculative-algorithm=EAGLE"])), None);
    }
}
