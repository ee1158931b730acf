//! Published versions: what is kept of a report besides its frozen files, so that it can still be compared with others when
//! the program that wrote it is long gone.
//!
//! Invariant: an [`Outline`] never leans on the shape of [`Report`]. Fields may be added; what an older outline does not
//! have is unknown, which is no difference.

mod diff;
mod difference;
mod outline;

pub use diff::diff;
pub use difference::{Difference, FigureMoved, Gain, Group, NoteOn, PartKind, Place, Setting, SideOf};
pub use outline::{
    Figures, FindingOutline, Named, Outline, ProfileOutline, RowOutline, RunOutline, StepOutline, VariantOutline,
};

use std::collections::BTreeSet;

use crate::digest::Digest;
use crate::note::normalised;
use crate::report::Report;
use crate::text::versions::TEXT_VERSION;

/// A remark on a version, in characters: a line or two in a list.
pub const MAX_REMARK: usize = 500;

/// A remark as it is kept: one line, without the space around it, and without U+0000, which no database keeps.
#[must_use]
pub fn remark(text: &str) -> String {
    normalised(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// One state of a report: what to compare it by.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// The facts.
    pub outline: Outline,
    /// Of all that a reader sees: see [`content`].
    pub content: Digest,
    /// The wording.
    pub text_version: u32,
    /// The version of the program.
    pub program: String,
}

impl Snapshot {
    /// A report as this program would freeze it.
    #[must_use]
    pub fn of(report: &Report, program: &str) -> Self {
        Self {
            outline: Outline::of(report),
            content: content(report),
            text_version: TEXT_VERSION,
            program: program.to_owned(),
        }
    }
}

impl Snapshot {
    /// Raw outputs behind the report.
    #[must_use]
    pub fn raw_outputs(&self) -> BTreeSet<Digest> {
        self.outline.runs.iter().filter_map(|run| Digest::from_hex(&run.digest)).collect()
    }
}

/// The digest of everything that a reader of the report sees, notes and wording included: two states with the same digest
/// are one.
#[must_use]
pub fn content(report: &Report) -> Digest {
    let mut document = serde_json::to_vec(report).expect("a report has text keys, so it can always be written as JSON");
    document.extend(format!("\n{TEXT_VERSION}").bytes());
    Digest::of(&document)
}

/// What changed from one state to another; empty where nothing did.
#[must_use]
pub fn compare(from: &Snapshot, to: &Snapshot) -> Vec<Difference> {
    if from.content == to.content {
        return Vec::new();
    }
    let mut all = diff(&from.outline, &to.outline);
    if from.text_version != to.text_version {
        all.push(Difference::Wording { from: from.text_version, to: to.text_version });
    }
    if all.is_empty() {
        let programs = (from.program != to.program).then(|| (from.program.clone(), to.program.clone()));
        all.push(Difference::Other { programs });
    }
    all
}
