//! The sessions that the server holds. They outlive connections; leases reap the abandoned; a journal, where there is
//! one, brings them back after a restart.

mod newcomer;
mod recovery;
mod remembered;
mod replies;
mod session;
mod state;
mod way;

use crate::{
    Code, Domain, DomainError, OpenSpec,
    journal::{Export, Journal},
    panics,
    token::token,
    wire,
};
use newcomer::{Newcomer, may_pass};
use recovery::recovered;
use remembered::{Remembered, fingerprint};
use state::State;
use std::{
    collections::BTreeMap,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task::JoinSet,
};

pub(crate) use session::Session;
pub(crate) use state::Observed;

const RETRY_AFTER_MS: u64 = 1000;
/// Sessions that are remembered by key, for each that may be held: most of them are closed.
const REMEMBERED_TIMES: usize = 4;
/// Files that are played again at once when a server starts.
const RECOVERED_AT_ONCE: usize = 16;

pub(crate) struct Sessions {
    table: RwLock<BTreeMap<String, Arc<Session>>>,
    /// One permit per session that may still be opened.
    places: Arc<Semaphore>,
    max_sessions: u32,
    remembered: Remembered,
    journal: Option<Journal>,
}

/// How the sessions that a request asks for are held, and how it is told from another one.
pub(crate) struct Terms {
    pub(crate) lease: Duration,
    /// Empty for none. A repeated key answers the sessions opened before.
    pub(crate) idempotency_key: String,
}

impl Sessions {
    pub(crate) fn new(max_sessions: u32, journal: Option<Journal>) -> Self {
        let places = usize::try_from(max_sessions).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS);
        Self {
            table: RwLock::default(),
            places: Arc::new(Semaphore::new(places)),
            max_sessions,
            remembered: Remembered::new(places.saturating_mul(REMEMBERED_TIMES)),
            journal,
        }
    }

    /// Opens `spec.count` siblings.
    pub(crate) async fn open(
        &self,
        domain: &dyn Domain,
        name: &str,
        spec: OpenSpec,
        terms: &Terms,
    ) -> Result<Vec<wire::Session>, DomainError> {
        let asked = fingerprint(("open", name, &spec, terms.lease));
        let work = move || async move {
            let places = self.reserve(spec.count)?;
            let opened = Newcomer::opened(domain, name, spec).await?;
            self.admit(opened, terms.lease, places).await
        };
        self.remembered.once(&terms.idempotency_key, asked, work).await
    }

    /// Opens `count` sessions that stand at a snapshot of this one, or (`""`) where it stands.
    pub(crate) async fn fork(
        &self,
        id: &str,
        snapshot_id: &str,
        count: u32,
        terms: &Terms,
    ) -> Result<Vec<wire::Session>, DomainError> {
        let asked = fingerprint(("fork", id, snapshot_id, count, terms.lease));
        let work = move || async move {
            let session = self.find(id)?;
            let places = self.reserve(count)?;
            let forks = session.forks(snapshot_id, count).await?;
            self.admit(forks, terms.lease, places).await
        };
        self.remembered.once(&terms.idempotency_key, asked, work).await
    }

    /// Opens one session by playing a way again.
    pub(crate) async fn import(
        &self,
        domain: &dyn Domain,
        export: Export,
        terms: &Terms,
    ) -> Result<Vec<wire::Session>, DomainError> {
        let asked = fingerprint(("import", export.sum, terms.lease));
        let work = move || async move {
            let places = self.reserve(1)?;
            let played = Newcomer::played(domain, export.origin, export.legs).await?;
            self.admit(vec![played], terms.lease, places).await
        };
        self.remembered.once(&terms.idempotency_key, asked, work).await
    }

    /// Gives each a session, kept in the journal before anybody is told of it.
    async fn admit(
        &self,
        newcomers: Vec<Newcomer>,
        lease: Duration,
        mut places: OwnedSemaphorePermit,
    ) -> Result<Vec<wire::Session>, DomainError> {
        let ids: Vec<String> = newcomers.iter().map(|_| token()).collect::<Result<_, _>>()?;
        let files = match &self.journal {
            None => Vec::new(),
            Some(journal) => {
                let beginnings: Result<Vec<_>, DomainError> = ids
                    .iter()
                    .zip(&newcomers)
                    .map(|(id, newcomer)| newcomer.lines(id, lease).map(|lines| (id.clone(), lines)))
                    .collect();
                journal.begin(beginnings?).await?
            }
        };
        let mut files = files.into_iter();
        let mut opened = BTreeMap::new();
        let mut replies = Vec::with_capacity(newcomers.len());
        for (id, newcomer) in ids.into_iter().zip(newcomers) {
            let place = places.split(1).ok_or_else(|| {
                DomainError::new(Code::Internal, "MISCOUNTED", "more sessions were opened than there are places for")
            })?;
            replies.push(newcomer.reply(&id, lease));
            opened.insert(id, Arc::new(Session::new(State::new(newcomer, files.next()), lease, place)));
        }
        self.table.write().unwrap_or_else(PoisonError::into_inner).append(&mut opened);
        Ok(replies)
    }

    /// Plays again what the journal holds; leases begin anew. Before anything else. What cannot be played again is set
    /// aside, and what cannot be played now is left for the next start; both are logged.
    pub(crate) async fn recover(
        &self,
        domains: &BTreeMap<String, Arc<dyn Domain>>,
        max_lease: Duration,
    ) -> Result<(), DomainError> {
        let Some(journal) = &self.journal else { return Ok(()) };
        let files = journal.files().await?;
        if u32::try_from(files.len()).unwrap_or(u32::MAX) > self.max_sessions {
            let (given, most) = (files.len(), self.max_sessions);
            let message = format!("the journal holds {given} sessions; the server holds {most} at most");
            return Err(DomainError::new(Code::FailedPrecondition, "JOURNAL_TOO_LARGE", message));
        }
        tracing::info!(count = files.len(), "recovering sessions");
        let domains = Arc::new(domains.clone());
        let mut files = files.into_iter();
        let mut replays = JoinSet::new();
        let mut done = Vec::new();
        loop {
            while replays.len() < RECOVERED_AT_ONCE
                && let Some(path) = files.next()
            {
                let replay = panics::caught(recovered(Arc::clone(&domains), path.clone()));
                replays.spawn(async move { (path, replay.await) });
            }
            let Some(replayed) = replays.join_next().await else { break };
            match replayed.map_err(panics::lost)? {
                (_, Ok(recovered)) => done.push(recovered),
                (path, Err(error)) if may_pass(&error) => {
                    tracing::error!(%error, path = %path.display(), "a session is left for the next start");
                }
                (path, Err(error)) => {
                    tracing::error!(%error, path = %path.display(), "a session is damaged and set aside");
                    journal.set_aside(path).await?;
                }
            }
        }
        tracing::info!(count = done.len(), "sessions were recovered");
        for recovery::Recovered { id, lease, state } in done {
            let session = Session::new(state, lease.min(max_lease), self.reserve(1)?);
            self.table.write().unwrap_or_else(PoisonError::into_inner).insert(id, Arc::new(session));
        }
        Ok(())
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
    pub(crate) async fn close(&self, id: &str) {
        // Dropped after the lock: an episode may be large.
        let closed = self.table.write().unwrap_or_else(PoisonError::into_inner).remove(id);
        if let (Some(session), Some(_)) = (closed, &self.journal) {
            session.forget().await;
        }
    }

    /// Removes the sessions whose lease has run out.
    pub(crate) fn reap(&self) {
        let mut reaped = Vec::new();
        let ids: Vec<String>;
        {
            let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
            ids = table.iter().filter(|(_, session)| abandoned(session)).map(|(id, _)| id.clone()).collect();
            reaped.extend(ids.iter().filter_map(|id| table.remove(id)));
        }
        if reaped.is_empty() {
            return;
        }
        tracing::info!(count = reaped.len(), "leases ran out");
        if let Some(journal) = &self.journal {
            journal.discard(&ids);
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
