//! Open requests by idempotency key, so that a repeated request opens nothing.

use crate::{Code, DomainError, OpenSpec, wire};
use std::{
    collections::{BTreeMap, VecDeque},
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{sync::OnceCell, time::Instant};

const REMEMBERED_FOR: Duration = Duration::from_secs(600);
const MAX_KEYS: usize = 4096;

/// What one Open request asks for.
pub(crate) struct Wish {
    pub(crate) domain: String,
    pub(crate) spec: OpenSpec,
    pub(crate) lease: Duration,
    /// Empty for none.
    pub(crate) idempotency_key: String,
}

pub(crate) type Slot = Arc<OnceCell<Vec<wire::Session>>>;

#[derive(Default)]
pub(crate) struct Remembered(Mutex<Keys>);

#[derive(Default)]
struct Keys {
    by_key: BTreeMap<String, (u64, Slot)>,
    /// Oldest first.
    order: VecDeque<(Instant, String)>,
}

impl Remembered {
    /// The place for the reply to this key. `InvalidArgument` when the key stood for another request.
    pub(crate) fn slot(&self, wish: &Wish) -> Result<Slot, DomainError> {
        let key = wish.idempotency_key.as_str();
        let asked = fingerprint(wish);
        let now = Instant::now();
        let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
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
}

fn fingerprint(wish: &Wish) -> u64 {
    let mut hasher = DefaultHasher::new();
    let spec = &wish.spec;
    (&wish.domain, &spec.task_id, spec.count, spec.seed, &spec.profile, wish.lease).hash(&mut hasher);
    hasher.finish()
}
