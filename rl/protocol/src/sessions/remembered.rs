//! Requests for sessions by idempotency key, so that a repeated request opens nothing.

use crate::{Code, DomainError, wire};
use std::{
    collections::{BTreeMap, VecDeque},
    hash::{DefaultHasher, Hash, Hasher as _},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{sync::OnceCell, time::Instant};

const REMEMBERED_FOR: Duration = Duration::from_secs(600);
const MAX_KEYS: usize = 4096;

type Slot = Arc<OnceCell<Vec<wire::Session>>>;

pub(super) struct Remembered {
    keys: Mutex<Keys>,
    /// Of all keys together.
    max_sessions: usize,
}

#[derive(Default)]
struct Keys {
    by_key: BTreeMap<String, (u64, Slot)>,
    /// Oldest first.
    order: VecDeque<(Instant, String)>,
}

impl Remembered {
    pub(super) fn new(max_sessions: usize) -> Self {
        Self { keys: Mutex::default(), max_sessions }
    }

    /// Does `work` once per key, even while the first call still runs; without a key each time. `asked` stands for the
    /// request: `InvalidArgument` when the key stood for another one.
    pub(super) async fn once<F>(
        &self,
        key: &str,
        asked: u64,
        work: impl FnOnce() -> F,
    ) -> Result<Vec<wire::Session>, DomainError>
    where
        F: Future<Output = Result<Vec<wire::Session>, DomainError>>,
    {
        if key.is_empty() {
            return work().await;
        }
        let slot = self.slot(key, asked)?;
        let sessions = slot.get_or_try_init(work).await.cloned();
        self.keys.lock().unwrap_or_else(PoisonError::into_inner).forget_beyond(self.max_sessions);
        sessions
    }

    fn slot(&self, key: &str, asked: u64) -> Result<Slot, DomainError> {
        let now = Instant::now();
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        while keys.order.front().is_some_and(|(since, _)| now.duration_since(*since) >= REMEMBERED_FOR) {
            keys.forget_oldest();
        }
        if let Some((before, slot)) = keys.by_key.get(key) {
            return if *before == asked {
                Ok(Arc::clone(slot))
            } else {
                let message = "this key stood for another request";
                Err(DomainError::new(Code::InvalidArgument, "KEY_REUSED", message).field("idempotency_key"))
            };
        }
        if keys.order.len() >= MAX_KEYS {
            keys.forget_oldest();
        }
        let slot = Slot::default();
        keys.by_key.insert(key.to_owned(), (asked, Arc::clone(&slot)));
        keys.order.push_back((now, key.to_owned()));
        Ok(slot)
    }
}

impl Keys {
    fn forget_oldest(&mut self) {
        if let Some((_, key)) = self.order.pop_front() {
            self.by_key.remove(&key);
        }
    }

    /// The oldest, until no more than `max_sessions` are remembered; not what is being opened now.
    fn forget_beyond(&mut self, max_sessions: usize) {
        let Self { by_key, order } = self;
        let mut held: usize = by_key.values().map(|(_, slot)| opened(slot)).sum();
        order.retain(|(_, key)| {
            let sessions = by_key.get(key).map_or(0, |(_, slot)| opened(slot));
            if held <= max_sessions || sessions == 0 {
                return true;
            }
            held = held.saturating_sub(sessions);
            by_key.remove(key);
            false
        });
    }
}

fn opened(slot: &Slot) -> usize {
    slot.get().map_or(0, Vec::len)
}

/// Of everything that a request asks for, its verb included.
pub(super) fn fingerprint(request: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    request.hash(&mut hasher);
    hasher.finish()
}
