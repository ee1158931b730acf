//! How large a model is, from its name: `Qwen/Qwen3-14B-FP8` has 14 billion weights of 8 bits, `Qwen3-30B-A3B` uses 3 a token.

use crate::command::flags;
use crate::round::derived;

/// The weights that every token needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Billions, as named; of a mixture of experts those that a token uses.
    pub billions: f64,
    /// Bits a weight: 16, 8 or 4.
    pub bits: u8,
}

/// The share of the named weights that is certainly read and multiplied for a token. Embeddings are looked up, not
/// multiplied: 0.13 of Llama 3 8B, 0.15 of Qwen3 8B, about 0.2 of Qwen3.5 9B.
const SHARE: f64 = 0.8;
/// The same below 7 billion, where a large vocabulary weighs more: 0.3 of Gemma 3 1B.
const SHARE_OF_SMALL: f64 = 0.65;
const SMALL_BILLIONS: f64 = 7.0;
/// Smaller ones are mostly vocabulary (0.63 of Gemma 3 270M).
const LEAST_BILLIONS: f64 = 1.0;
/// The largest models of today are mixtures of experts, and not all names say how many weights a token uses.
const MOST_DENSE_BILLIONS: f64 = 110.0;
/// Mixtures of experts whose names give all weights, or none.
const MIXTURES: [&str; 12] = [
    "moe",
    "gpt-oss",
    "mixtral",
    "grok",
    "jamba",
    "dbrx",
    "arctic",
    "minimax",
    "kimi",
    "deepseek-v",
    "glm-4.5",
    "llama-4",
];

/// Marks of weights of four bits.
const BITS_4: [&str; 13] =
    ["fp4", "int4", "w4a", "awq", "gptq", "gguf", "4bit", "4-bit", "nf4", "bnb", "q4", "q3", "q2"];
/// Marks of weights of eight bits.
const BITS_8: [&str; 6] = ["fp8", "int8", "w8a", "8bit", "8-bit", "q8"];

impl Weights {
    /// From a model's name, and from arguments that change its precision; none where the name tells no size.
    pub fn of(model: &str, args: &[String]) -> Option<Self> {
        let name = last_part(model).to_ascii_lowercase();
        let Sizes { active, all } = sizes(&name);
        let mixture = MIXTURES.iter().any(|family| name.contains(family));
        let dense = all.filter(|all| !mixture && *all <= MOST_DENSE_BILLIONS);
        let billions = active.or(dense).filter(|billions| *billions >= LEAST_BILLIONS)?;
        Some(Self { billions, bits: bits(&name, args) })
    }

    /// Billions of weights that are certainly multiplied for a token.
    pub fn multiplied_billions(&self) -> f64 {
        self.billions * if self.billions < SMALL_BILLIONS { SHARE_OF_SMALL } else { SHARE }
    }

    /// GB that are certainly read for a pass.
    pub fn read_gb(&self) -> f64 {
        derived(self.multiplied_billions() * f64::from(self.bits) / 8.0)
    }
}

/// What is read in a model's name, to stand behind a sign that takes the name's place: `-14b-fp8`.
pub(crate) fn told(model: &str) -> String {
    let name = last_part(model).to_ascii_lowercase();
    let words = words(&name).filter(|word| sizes(word).active.or(sizes(word).all).is_some());
    let mixture = MIXTURES.iter().any(|family| name.contains(family)).then_some("moe");
    let precision = BITS_4.iter().chain(&BITS_8).find(|mark| name.contains(**mark)).copied();
    words.chain(mixture).chain(precision).map(|word| format!("-{word}")).collect()
}

/// A model's name without the organisation or the folder that it is in.
fn last_part(model: &str) -> &str {
    model.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(model)
}

/// Words of a name in which a size can stand. `8x7b`: a token uses at least one expert.
fn words(name: &str) -> impl Iterator<Item = &str> {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    words.map(|word| word.rsplit('x').next().unwrap_or(word))
}

/// Sizes in a name, billions: the smallest marked as active (`A3B`), and the smallest of the others.
struct Sizes {
    active: Option<f64>,
    all: Option<f64>,
}

fn sizes(name: &str) -> Sizes {
    let mut sizes = Sizes { active: None, all: None };
    for word in words(name) {
        let (slot, number) = match word.strip_prefix('a') {
            Some(number) => (&mut sizes.active, number),
            None => (&mut sizes.all, word),
        };
        let scaled = |unit: char, scale: f64| Some(number.strip_suffix(unit)?.parse::<f64>().ok()? * scale);
        let plain = number.starts_with(|c: char| c.is_ascii_digit());
        if let Some(size) = scaled('b', 1.0).or_else(|| scaled('m', 0.001)).filter(|size| plain && *size > 0.0) {
            *slot = Some(slot.map_or(size, |known: f64| known.min(size)));
        }
    }
    sizes
}

/// Bits a weight, by a model's name and the arguments that change its precision; 16 where neither says.
pub(crate) fn bits_of(model: &str, args: &[String]) -> u8 {
    bits(&model.to_ascii_lowercase(), args)
}

/// Bits a weight. A way to quantize that is not known counts as 4 bits, which allows the most.
fn bits(name: &str, args: &[String]) -> u8 {
    let word = |marks: &[&str]| marks.iter().any(|mark| name.contains(mark));
    let of_name = if word(&BITS_4) {
        4
    } else if word(&BITS_8) {
        8
    } else {
        16
    };
    let asked = flags(args).into_iter().filter(|flag| matches!(flag.name.as_str(), "--quantization" | "-q"));
    let of_args = asked.map(|flag| match flag.value.as_deref().unwrap_or_default() {
        "fp8" | "w8a8_fp8" | "w8a8_int8" | "w8a8" | "int8" | "fbgemm_fp8" | "ptpc_fp8" => 8,
        "none" | "None" => 16,
        _ => 4,
    });
    of_args.min().map_or(of_name, |asked| asked.min(of_name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_sizes_and_precision_or_nothing() {
        let of = |model: &str| Weights::of(model, &[]).map(|weights| (weights.billions, weights.bits));
        for (model, expected) in [
            ("Qwen/Qwen3.5-9B", Some((9.0, 16))),
            ("Qwen/Qwen3-14B-FP8", Some((14.0, 8))),
            ("qwen3-8b-shape-dummy", Some((8.0, 16))),
            ("/models/70B/meta-llama-3.1-8b-instruct/", Some((8.0, 16))),
            ("Qwen/Qwen2.5-72B-Instruct-AWQ", Some((72.0, 4))),
            ("Qwen/Qwen3-30B-A3B-Instruct-2507", Some((3.0, 16))),
            ("Qwen/Qwen1.5-MoE-A2.7B", Some((2.7, 16))),
            ("nvidia/Llama-3.1-8B-Instruct-NVFP4", Some((8.0, 4))),
            ("google/gemma-3-270m-it", None),
            ("google/gemma-3n-E4B-it", None),
            ("openai/gpt-oss-120b", None),
            ("mistralai/Mixtral-8x7B-v0.1", None),
            ("deepseek-ai/DeepSeek-V3", None),
            ("deepseek-ai/DeepSeek-R1-Distill-Qwen-32B", Some((32.0, 16))),
            ("zai-org/GLM-4.5-355B", None),
            ("my-model", None),
            ("", None),
        ] {
            assert_eq!(of(model), expected, "{model}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_told_of_a_name_says_of_its_weights_what_the_name_says(
            words in proptest::collection::vec("qwen3|14b|8x7b|a3b|moe|fp8|awq|4-bit|secret|projx9b|700m|kimi|q8|/|[a-z0-9.]{1,5}", 0..6),
        ) {
            let name = words.join("-");
            for sign in ["[path-1]", "[model-12]"] {
                let told = format!("{sign}{}", told(&name));
                proptest::prop_assert_eq!(Weights::of(&told, &[]), Weights::of(&name, &[]), "{}", told);
            }
        }
    }

    #[test]
    fn arguments_change_the_precision_only_downwards() {
        let of = |model: &str, arg: &str| Weights::of(model, &[arg.to_owned()]).map(|weights| weights.bits);
        assert_eq!(of("a-7b", "--quantization=fp8"), Some(8));
        assert_eq!(of("a-7b", "--quantization=something-new"), Some(4));
        assert_eq!(of("a-7b-awq", "--quantization=fp8"), Some(4));
        assert_eq!(of("a-7b", "--max-num-seqs=4"), Some(16));
    }
}
