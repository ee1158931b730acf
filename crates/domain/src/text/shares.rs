//! Words of share links, and of what is redacted in them.

/// Words before which four numbers are a version and no address, in lower case: products with such versions, and the word
/// itself in both languages.
pub(crate) const VERSION_WORDS: [&str; 16] = [
    "version",
    "ver",
    "release",
    "rev",
    "tensorrt",
    "trt",
    "cudnn",
    "cuda",
    "nccl",
    "cublas",
    "nvshmem",
    "driver",
    "バージョン",
    "版",
    "ドライバー",
    "ドライバ",
];
