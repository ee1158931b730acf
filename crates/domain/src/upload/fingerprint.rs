//! A variant's identity: what was under test, however it was spelled.

use crate::command::flags;
use crate::digest::Digest;
use crate::study::Variant;

impl Variant {
    /// Over engine (in any case), version, model, flags in their order (`--a_b=1` is `--a-b 1`), environment and GPUs. Its
    /// id and name do not matter.
    pub fn fingerprint(&self) -> Digest {
        let flags: Vec<_> = flags(&self.args).into_iter().map(|flag| (flag.name, flag.value)).collect();
        let identity =
            (self.engine.to_ascii_lowercase(), &self.engine_version, &self.model, flags, &self.env, self.gpus);
        let text = serde_json::to_string(&identity).expect("texts, numbers and lists can be written as JSON");
        Digest::of(text.as_bytes())
    }

    /// An id for a variant that came without one: its engine and the start of its fingerprint.
    pub(super) fn id_of_its_own(&self) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
        let engine: String = self.engine.chars().take(30).map(plain).collect();
        format!("{engine}-{}", self.fingerprint().short())
    }
}
