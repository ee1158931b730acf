//! The engines whose commands are known: how they are launched, where they listen, what their image is called.

/// An engine that Touchstone can write commands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Engine {
    /// `vllm serve`.
    Vllm,
    /// `python3 -m sglang.launch_server`.
    Sglang,
    /// `trtllm-serve`.
    TrtLlm,
}

impl Engine {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Vllm, Self::Sglang, Self::TrtLlm];

    /// Found by its name, in any case.
    pub fn named(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "vllm" => Some(Self::Vllm),
            "sglang" => Some(Self::Sglang),
            "tensorrt-llm" | "trt-llm" | "tensorrt_llm" | "trtllm" => Some(Self::TrtLlm),
            _ => None,
        }
    }

    /// As people write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vllm => "vLLM",
            Self::Sglang => "SGLang",
            Self::TrtLlm => "TensorRT-LLM",
        }
    }

    /// For names of services: lower case, no dot.
    pub(super) fn slug(self) -> &'static str {
        match self {
            Self::Vllm => "vllm",
            Self::Sglang => "sglang",
            Self::TrtLlm => "trtllm",
        }
    }

    /// The words before the model.
    pub(super) fn program(self) -> &'static [&'static str] {
        match self {
            Self::Vllm => &["vllm", "serve"],
            Self::Sglang => &["python3", "-m", "sglang.launch_server", "--model-path"],
            Self::TrtLlm => &["trtllm-serve"],
        }
    }

    /// Where it listens when nobody says otherwise.
    pub(super) fn default_port(self) -> u16 {
        match self {
            Self::Vllm | Self::TrtLlm => 8000,
            Self::Sglang => 30000,
        }
    }

    /// Whether it listens on the loopback address when nobody says otherwise; vLLM listens on all of them.
    pub(super) fn listens_on_loopback(self) -> bool {
        match self {
            Self::Vllm => false,
            Self::Sglang | Self::TrtLlm => true,
        }
    }

    /// The published image, without a tag.
    pub(super) fn image(self) -> &'static str {
        match self {
            Self::Vllm => "vllm/vllm-openai",
            Self::Sglang => "lmsysorg/sglang",
            Self::TrtLlm => "nvcr.io/nvidia/tensorrt-llm/release",
        }
    }

    /// How many words of the command replace the image's own entry point. vLLM's images of different ages start either
    /// `vllm serve` or an API server that wants `--model`; naming the program holds for both. SGLang's and TensorRT-LLM's
    /// entry points only prepare the environment and then run the command, so they stay.
    pub(super) fn entrypoint_words(self) -> usize {
        match self {
            Self::Vllm => self.program().len(),
            Self::Sglang | Self::TrtLlm => 0,
        }
    }
}

/// The words before the arguments. An engine that is not known keeps its own name as program.
pub(super) fn launcher(engine: &str, model: &str) -> Vec<String> {
    let lower = engine.to_ascii_lowercase();
    let known = Engine::named(engine);
    let words = known.map_or_else(|| vec![lower.as_str()], |known| known.program().to_vec());
    words.into_iter().chain([model]).map(str::to_owned).collect()
}
