//! Descriptions of studies as they were at the last upload, so that the next one need not read them again.
//!
//! Invariants: only what was committed is kept, and it is used only by who holds the study's lock and found it at the
//! same `updated_at`. Whatever anybody else changed meanwhile, another process included, has given the study another one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use domain::id::StudySlug;
use domain::study::Study;

use crate::study::Before;

/// Uploads come to few studies at a time.
const STUDIES: usize = 64;

/// By study.
#[derive(Debug, Default)]
pub(super) struct Seen(Mutex<BTreeMap<StudySlug, Known>>);

/// What is known of a study in one state.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub created_at: i64,
    pub updated_at: i64,
    /// Without its runs.
    pub study: Arc<Study>,
    /// Place of the next run.
    pub next: i64,
}

impl Seen {
    pub fn get(&self, slug: &StudySlug, now: &Before) -> Option<Known> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |known: &&Known| (known.created_at, known.updated_at) == (now.created_at, now.updated_at);
        seen.get(slug).filter(same).cloned()
    }

    pub fn keep(&self, states: Vec<(StudySlug, Known)>) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (slug, known) in states {
            if seen.len() >= STUDIES && !seen.contains_key(&slug) {
                seen.pop_first();
            }
            seen.insert(slug, known);
        }
    }
}
