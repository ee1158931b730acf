//! Social cards, drawn off the async threads, one at a time, and kept while few others were asked for.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use app::lang::Lang;
use domain::{id::StudySlug, redact::redact, report};
use render::card::{self, Fonts};
use store::StoredStudy;
use tokio::{sync::Semaphore, task::JoinError};

use super::Known;

/// Bytes kept at most: some forty cards of 80 to 110 KB.
const KEPT_BYTES: usize = 4 * 1024 * 1024;

/// Slug, last change and language name one picture.
type Key = (StudySlug, i64, Lang);
type Picture = Option<Arc<Known>>;

/// The pictures of one server.
#[derive(Clone)]
pub struct Pictures {
    shelf: Arc<Mutex<Shelf>>,
    /// Drawing takes a core for some hundredths of a second: who asks for many waits, and the pages do not.
    turn: Arc<Semaphore>,
}

impl Default for Pictures {
    fn default() -> Self {
        Self { shelf: Arc::default(), turn: Arc::new(Semaphore::new(1)) }
    }
}

impl Pictures {
    /// The card of a study; none where no font of this machine can draw it.
    pub async fn of(&self, study: StoredStudy, lang: Lang) -> Result<Picture, JoinError> {
        let key = (study.data.study.slug.clone(), study.updated_at, lang);
        if let Some(kept) = self.kept(&key) {
            return Ok(kept);
        }
        let _turn = self.turn.acquire().await.expect("nobody closes it");
        // Who waited may find that it was drawn meanwhile.
        if let Some(kept) = self.kept(&key) {
            return Ok(kept);
        }
        let draw = move || card::png(&report::build(&redact(&study.data).data), lang, Fonts::system());
        let picture = tokio::task::spawn_blocking(draw).await?.map(|png| Arc::new(Known::new(png)));
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner).put(key, picture.clone());
        Ok(picture)
    }

    fn kept(&self, key: &Key) -> Option<Picture> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner).take(key)
    }
}

/// The latest asked for stands last.
#[derive(Default)]
struct Shelf {
    kept: VecDeque<(Key, Picture)>,
}

impl Shelf {
    fn take(&mut self, key: &Key) -> Option<Picture> {
        let at = self.kept.iter().position(|(known, _)| known == key)?;
        let found = self.kept.remove(at)?;
        let picture = found.1.clone();
        self.kept.push_back(found);
        Some(picture)
    }

    fn put(&mut self, key: Key, picture: Picture) {
        // An older state of the same study is asked for no more.
        self.kept.retain(|((slug, _, lang), _)| (slug, *lang) != (&key.0, key.2));
        self.kept.push_back((key, picture));
        while self.bytes() > KEPT_BYTES {
            self.kept.pop_front();
        }
    }

    fn bytes(&self) -> usize {
        /// What an entry takes besides its picture, roughly: entries without one count, too.
        const ENTRY: usize = 256;
        self.kept.iter().map(|(_, picture)| ENTRY + picture.as_ref().map_or(0, |picture| picture.body.len())).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(slug: usize, updated_at: i64) -> Key {
        (StudySlug::new(format!("s{slug}")), updated_at, Lang::En)
    }

    fn picture(bytes: usize) -> Picture {
        Some(Arc::new(Known::new(vec![0; bytes])))
    }

    #[test]
    fn few_pictures_are_kept_those_asked_for_last() {
        let mut shelf = Shelf::default();
        for slug in 0..100 {
            shelf.put(key(slug, 1), picture(100_000));
            assert!(shelf.take(&key(0, 1)).is_some(), "what is asked for again stays");
            assert!(shelf.bytes() <= KEPT_BYTES);
        }
        assert!(shelf.take(&key(1, 1)).is_none() && shelf.take(&key(99, 1)).is_some());
        for slug in 0..20_000 {
            shelf.put(key(slug, 2), None);
        }
        assert!(shelf.kept.len() * 256 <= KEPT_BYTES, "entries without a picture are bounded, too");
    }

    #[test]
    fn a_changed_study_takes_the_place_of_what_it_was() {
        let mut shelf = Shelf::default();
        shelf.put(key(1, 1), picture(10));
        shelf.put(key(1, 2), picture(20));
        assert!(shelf.take(&key(1, 1)).is_none());
        assert_eq!(shelf.kept.len(), 1);
    }
}
