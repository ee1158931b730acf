//! What outsiders must not read, out of a study: host names, addresses, people, keys, and where internal files lie.
//!
//! Works on a study's data before its report is built, so that every form of the report is redacted alike and no form can
//! be forgotten.
//!
//! Invariants: no figure, order or verdict changes. The same secret gets the same sign everywhere, two secrets never get
//! one, and ids stay apart. Redacting twice is redacting once.
//!
//! A study is read first and written then: what is known to be a host, a person or a model of the house from one place (an
//! address, `--host`, `/home/NAME`, `--model /mnt/…/NAME`) is taken everywhere, as a word. Where a text could be a secret or
//! not, it is taken: a word too few is a nuisance, a word too many a leak. What cannot be told from its shape stays: a bare
//! name in prose that nothing else in the study explains, a private `org/name` of a model.

mod address;
mod context;
mod host;
mod known;
mod path;
mod scan;
mod study;

use serde::Serialize;

use crate::compare::{Selection, Subject};
use crate::mask::MASK;
use crate::study::StudyData;
use known::Pen;

/// What kind of secret was taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The name of a machine or a domain.
    Host,
    /// An IPv4 or IPv6 address.
    Ip,
    /// Somebody's name on a machine.
    User,
    /// A mail address.
    Mail,
    /// A key, token or password.
    Key,
    /// Where files of the house lie.
    Path,
    /// What a model of the house is called.
    Model,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 7] = [Self::Host, Self::Ip, Self::User, Self::Mail, Self::Key, Self::Path, Self::Model];

    /// The word in its signs: `[host-1]`.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Ip => "ip",
            Self::User => "user",
            Self::Mail => "mail",
            Self::Key => "key",
            Self::Path => "path",
            Self::Model => "model",
        }
    }

    /// What stands in the place of the secret with this number. Keys are all alike: they get the sign that masking gives
    /// them when raw outputs come in.
    fn sign(self, number: usize) -> String {
        match self {
            Self::Key => MASK.to_owned(),
            Self::Host | Self::Ip | Self::User | Self::Mail | Self::Path | Self::Model => {
                format!("[{}-{number}]", self.key())
            }
        }
    }
}

/// A secret that was taken out: never the secret itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Taken {
    /// What it was.
    pub kind: Kind,
    /// What stands in its place.
    pub placeholder: String,
    /// How often.
    pub count: usize,
}

/// A study for outsiders.
#[derive(Debug, Clone, PartialEq)]
pub struct Redacted {
    /// Without its secrets.
    pub data: StudyData,
    /// What was taken, by kind, in the order in which the study has it.
    pub taken: Vec<Taken>,
}

/// Takes out of a study what outsiders must not read.
#[must_use]
pub fn redact(data: &StudyData) -> Redacted {
    let (mut all, taken) = redact_together(vec![data.clone()]);
    Redacted { data: all.remove(0), taken }
}

/// The same for studies that stand side by side: a secret has one sign in all of them.
#[must_use]
pub fn redact_together(mut all: Vec<StudyData>) -> (Vec<StudyData>, Vec<Taken>) {
    let mut pen = Pen::new(all.iter().flat_map(study::public_models).collect());
    for data in &mut all {
        study::walk(data, &mut pen);
    }
    pen.write();
    for data in &mut all {
        study::walk(data, &mut pen);
    }
    (all, pen.taken())
}

/// A comparison of studies, with both as outsiders see them.
#[must_use]
pub fn redact_comparison(selection: &Selection, all: Vec<StudyData>) -> (Selection, Vec<StudyData>) {
    let (outside, _) = redact_together(all.clone());
    let subject = |subject: &Subject| match subject {
        Subject::Run(id) => Subject::Run(id.clone()),
        Subject::Variant { study, variant, profile } => {
            let at = all.iter().position(|data| data.study.slug == *study);
            let (Some(before), Some(after)) = (at.map(|at| &all[at].study), at.map(|at| &outside[at].study)) else {
                return subject.clone();
            };
            // Redacting changes names and never places.
            let variant_at = before.variants.iter().position(|one| one.id == *variant);
            let profile_at = before.profiles.iter().position(|one| one.id == *profile);
            Subject::Variant {
                study: after.slug.clone(),
                variant: variant_at.map_or_else(|| variant.clone(), |at| after.variants[at].id.clone()),
                profile: profile_at.map_or_else(|| profile.clone(), |at| after.profiles[at].id.clone()),
            }
        }
    };
    let subjects = selection.subjects.iter().map(subject).collect();
    (Selection { subjects, ..selection.clone() }, outside)
}

#[cfg(test)]
mod tests;
