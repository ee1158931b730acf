//! One at a time at each preview: a second click on "save" must find what became of the first.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::OwnedMutexGuard;

/// Who is at which preview. Clones share it.
#[derive(Clone, Default)]
pub struct Turns(Arc<Mutex<BTreeMap<String, Weak<tokio::sync::Mutex<()>>>>>);

impl Turns {
    /// Waits until nobody else is at the preview; nobody else is until the guard goes.
    pub async fn at(&self, id: &str) -> OwnedMutexGuard<()> {
        let turn = {
            let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            turns.retain(|_, turn| turn.strong_count() > 0);
            let there = turns.get(id).and_then(Weak::upgrade);
            there.unwrap_or_else(|| {
                let turn = Arc::default();
                turns.insert(id.to_owned(), Arc::downgrade(&turn));
                turn
            })
        };
        turn.lock_owned().await
    }
}
