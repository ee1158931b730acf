//! Published versions as pages show them: how the live report stands to the newest, and what a form that publishes held.
//! Plain data.

use std::time::{SystemTime, UNIX_EPOCH};

use domain::{
    report::Report,
    text::versions::{Standing, VersionNotice, summary},
    version::{Snapshot, compare},
};
use store::Version;

use crate::lang::Lang;

/// The version of this program, which is kept with every version that it writes.
pub const PROGRAM: &str = env!("CARGO_PKG_VERSION");

/// What the server knows about a visit of the versions' page.
#[derive(Clone, Debug, Default)]
pub struct VersionsDesk {
    /// Whether the form asks for a token.
    pub token: bool,
    /// The form that this page answers.
    pub sent: Option<Sent>,
    /// What went wrong with it, and the answer's status.
    pub notice: Option<(VersionNotice, u16)>,
}

/// A form as it was filled in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// Its remark, secrets masked.
    pub remark: String,
}

/// How the live report stands to the newest version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Since {
    /// That version's number.
    pub number: u32,
    /// How long ago it was published, milliseconds.
    pub age_ms: i64,
    /// What has changed since.
    pub standing: Standing,
}

impl Since {
    /// Holds a report against the newest version. A reader's own limits make another report of it, which is not compared.
    #[must_use]
    pub fn of(report: &Report, newest: &Version, lang: Lang) -> Self {
        let standing = if report.limits_of_reader {
            Standing::Unknown
        } else {
            let differences = compare(&newest.snapshot, &Snapshot::of(report, PROGRAM));
            if differences.is_empty() { Standing::Same } else { Standing::Moved(summary(lang, &differences)) }
        };
        Self { number: newest.number, age_ms: now_ms() - newest.published_at, standing }
    }
}

/// Milliseconds since 1970 UTC.
fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
