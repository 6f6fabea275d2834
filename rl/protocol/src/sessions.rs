//! The sessions that the server holds. They outlive connections; leases reap the abandoned.

mod remembered;
mod session;

use crate::{Code, Domain, DomainError, Episode, OpenSpec, token::token, wire};
use remembered::Remembered;
use std::{
    collections::BTreeMap,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

pub(crate) use remembered::Wish;
pub(crate) use session::{Observed, Session};

const RETRY_AFTER_MS: u64 = 1000;

pub(crate) struct Sessions {
    table: RwLock<BTreeMap<String, Arc<Session>>>,
    /// One permit per session that may still be opened.
    places: Arc<Semaphore>,
    max_sessions: u32,
    remembered: Remembered,
}

impl Sessions {
    pub(crate) fn new(max_sessions: u32) -> Self {
        let places = usize::try_from(max_sessions).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS);
        Self {
            table: RwLock::default(),
            places: Arc::new(Semaphore::new(places)),
            max_sessions,
            remembered: Remembered::default(),
        }
    }

    /// Opens `wish.spec.count` siblings. A repeated idempotency key answers the sessions opened before, even while the
    /// first call still runs.
    pub(crate) async fn open(&self, domain: &dyn Domain, wish: Wish) -> Result<Vec<wire::Session>, DomainError> {
        let lease = wish.lease;
        if wish.idempotency_key.is_empty() {
            return self.open_anew(domain, wish.spec, lease).await;
        }
        let slot = self.remembered.slot(&wish)?;
        slot.get_or_try_init(|| self.open_anew(domain, wish.spec, lease)).await.cloned()
    }

    async fn open_anew(
        &self,
        domain: &dyn Domain,
        spec: OpenSpec,
        lease: Duration,
    ) -> Result<Vec<wire::Session>, DomainError> {
        let count = spec.count;
        let mut places = self.reserve(count)?;
        let episodes = domain.open(spec).await?;
        let mut opened = BTreeMap::new();
        let mut replies = Vec::with_capacity(episodes.len());
        for episode in episodes {
            let place = places.split(1).ok_or_else(|| miscounted(count))?;
            let id = token()?;
            replies.push(reply(&id, episode.as_ref(), lease));
            opened.insert(id, Arc::new(Session::new(episode, lease, place)));
        }
        if places.num_permits() > 0 {
            return Err(miscounted(count));
        }
        self.table.write().unwrap_or_else(PoisonError::into_inner).append(&mut opened);
        Ok(replies)
    }

    /// The session, its lease renewed.
    pub(crate) fn find(&self, id: &str) -> Result<Arc<Session>, DomainError> {
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        match table.get(id) {
            Some(session) if !abandoned(session) => {
                session.renew(None);
                Ok(Arc::clone(session))
            }
            _ => Err(DomainError::new(
                Code::NotFound,
                "SESSION_NOT_FOUND",
                format!("no session {id:?}: it expired, was closed, or the server was restarted"),
            )
            .field("session_id")),
        }
    }

    /// A step that still runs in it ends first; its place is free thereafter.
    pub(crate) fn close(&self, id: &str) {
        // Dropped after the lock: an episode may be large.
        let _closed = self.table.write().unwrap_or_else(PoisonError::into_inner).remove(id);
    }

    /// Removes the sessions whose lease has run out.
    pub(crate) fn reap(&self) {
        let mut reaped = Vec::new();
        {
            let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
            let ids: Vec<String> =
                table.iter().filter(|(_, session)| abandoned(session)).map(|(id, _)| id.clone()).collect();
            reaped.extend(ids.iter().filter_map(|id| table.remove(id)));
        }
        if !reaped.is_empty() {
            tracing::info!(count = reaped.len(), "leases ran out");
        }
    }

    fn reserve(&self, count: u32) -> Result<OwnedSemaphorePermit, DomainError> {
        if count > self.max_sessions {
            let message = format!("{count} sessions asked for; the server holds {} at most", self.max_sessions);
            return Err(DomainError::new(Code::InvalidArgument, "TOO_MANY_SIBLINGS", message).field("count"));
        }
        let take = || Arc::clone(&self.places).try_acquire_many_owned(count);
        take()
            .or_else(|_| {
                self.reap();
                take()
            })
            .map_err(|_| {
                let message = format!("all {} sessions are in use", self.max_sessions);
                DomainError::new(Code::ResourceExhausted, "NO_SESSION_FREE", message).retry_after(RETRY_AFTER_MS)
            })
    }
}

/// Expired, and nobody is in a call on it: whoever is holds another reference, taken under the table's lock.
fn abandoned(session: &Arc<Session>) -> bool {
    session.expired() && Arc::strong_count(session) == 1
}

fn reply(id: &str, episode: &dyn Episode, lease: Duration) -> wire::Session {
    let opening = episode.opening();
    wire::Session {
        session_id: id.to_owned(),
        observation: opening.observation.iter().cloned().map(Into::into).collect(),
        lease: prost_types::Duration::try_from(lease).ok(),
        state_hash: opening.state_hash.clone(),
        budget: Some(opening.budget.clone().into()),
    }
}

fn miscounted(count: u32) -> DomainError {
    DomainError::new(Code::Internal, "MISCOUNTED", format!("the domain did not open {count} episodes as it was asked"))
}
