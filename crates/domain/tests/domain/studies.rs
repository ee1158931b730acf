//! The two reference studies, read from the folders that the demo ships.

use std::fs;
use std::path::{Path, PathBuf};

use touchstone_domain::study::{MANIFEST, StudyFolder, load};

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
