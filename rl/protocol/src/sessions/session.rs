//! One session: its state, and its lease.

use super::{
    newcomer::Newcomer,
    state::{Observed, State},
};
use crate::{
    DomainError, ObserveOptions, Reward, ToolCall,
    journal::{Leg, Origin},
    wire,
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{Mutex, OwnedSemaphorePermit},
    time::Instant,
};

pub(crate) struct Session {
    opened: Instant,
    lease: Duration,
    /// Since `opened`; only grows.
    alive_until_ms: AtomicU64,
    state: Mutex<State>,
    _place: OwnedSemaphorePermit,
}

impl Session {
    pub(super) fn new(state: State, lease: Duration, place: OwnedSemaphorePermit) -> Self {
        Self {
            opened: Instant::now(),
            lease,
            alive_until_ms: AtomicU64::new(milliseconds(lease)),
            state: Mutex::new(state),
            _place: place,
        }
    }

    /// Lengthens the lease to `lease` from now (`None`: as agreed at Open), never shortens it. Returns what is left.
    pub(crate) fn renew(&self, lease: Option<Duration>) -> Duration {
        let now_ms = milliseconds(self.opened.elapsed());
        let until_ms = now_ms.saturating_add(milliseconds(lease.unwrap_or(self.lease)));
        let before_ms = self.alive_until_ms.fetch_max(until_ms, Ordering::Relaxed);
        Duration::from_millis(before_ms.max(until_ms) - now_ms)
    }

    pub(crate) fn expired(&self) -> bool {
        milliseconds(self.opened.elapsed()) >= self.alive_until_ms.load(Ordering::Relaxed)
    }

    /// Plays the calls once per `seq`; a repeated seq gets the kept reply. Concurrent steps wait for each other.
    pub(crate) async fn step(&self, seq: u64, calls: Vec<ToolCall>) -> Result<wire::StepResponse, DomainError> {
        let mut state = self.state.lock().await;
        let reply = state.step(seq, calls).await;
        self.renew(None);
        reply
    }

    /// One name at a time: an observation that cannot be made now does not cost the others.
    pub(crate) async fn observe(&self, name: String, options: ObserveOptions) -> Result<Vec<Observed>, DomainError> {
        let mut state = self.state.lock().await;
        let observed = state.observe(name, options).await;
        self.renew(None);
        observed
    }

    pub(crate) async fn score(&self, profile: Option<&str>) -> Result<Reward, DomainError> {
        let mut state = self.state.lock().await;
        let scored = state.score(profile).await;
        self.renew(None);
        scored
    }

    pub(crate) async fn snapshot(&self) -> Result<String, DomainError> {
        let mut state = self.state.lock().await;
        let id = state.snapshot().await;
        self.renew(None);
        id
    }

    pub(crate) async fn rollback(&self, id: &str, next_seq: u64) -> Result<wire::RollbackResponse, DomainError> {
        let mut state = self.state.lock().await;
        let reply = state.rollback(id, next_seq).await;
        self.renew(None);
        reply
    }

    pub(super) async fn forks(&self, snapshot_id: &str, count: u32) -> Result<Vec<Newcomer>, DomainError> {
        let mut state = self.state.lock().await;
        let forks = state.forks(snapshot_id, count).await;
        self.renew(None);
        forks
    }

    pub(crate) async fn way(&self) -> Result<(Arc<Origin>, Vec<Arc<Leg>>), DomainError> {
        self.state.lock().await.way()
    }

    /// When what runs in it has ended.
    pub(super) async fn forget(&self) {
        self.state.lock().await.forget().await;
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
