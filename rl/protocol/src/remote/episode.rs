//! An episode in another process. Its lease is kept alive as long as this value lives.

use super::{
    retry::{DEADLINE, request, retrying},
    score,
};
use crate::{
    Body, Budget, Code, Content, DomainError, Episode, ObserveOptions, Opening, Reward, StepOutcome, ToolCall,
    convert::{InvalidField, duration},
    token::token,
    wire::{self, episodes_client::EpisodesClient, rewards_client::RewardsClient, score_request},
};
use async_trait::async_trait;
use std::time::Duration;
use tokio::{
    runtime::Handle,
    task::AbortHandle,
    time::{MissedTickBehavior, interval, timeout},
};
use tonic::{Code as GrpcCode, transport::Channel};

/// Renewals per lease; one may be lost.
const RENEWALS: u32 = 3;
const SHORTEST_RENEWAL: Duration = Duration::from_millis(50);

/// After `DeadlineExceeded` the step may have been played: the same calls get its reply, other calls are refused.
/// Dropping it closes the session.
pub struct RemoteEpisode {
    client: EpisodesClient<Channel>,
    rewards: RewardsClient<Channel>,
    session_id: String,
    next_seq: u64,
    opening: Opening,
    renewal: AbortHandle,
}

impl RemoteEpisode {
    /// Called on a runtime.
    pub(super) fn new(
        client: EpisodesClient<Channel>,
        rewards: RewardsClient<Channel>,
        session: wire::Session,
    ) -> Result<Self, DomainError> {
        let session_id = session.session_id.clone();
        let lease =
            session.lease.and_then(duration).ok_or_else(|| InvalidField::missing("sessions.lease").in_reply())?;
        let opening = Opening::try_from(session).map_err(InvalidField::in_reply)?;
        let renewal = tokio::spawn(keep_alive(client.clone(), session_id.clone(), lease)).abort_handle();
        Ok(Self { client, rewards, session_id, next_seq: 1, opening, renewal })
    }

    #[must_use]
    pub fn session_id(&self) -> &str {
        &self.session_id
    }

    /// The id of a snapshot of the state as it stands; the same one as before where nothing has changed since.
    pub async fn snapshot(&mut self) -> Result<String, DomainError> {
        let asked = wire::SnapshotRequest { session_id: self.session_id.clone() };
        let reply =
            retrying(&self.client, asked, |mut client, request| async move { client.snapshot(request).await }).await?;
        Ok(reply.snapshot_id)
    }

    /// Puts the session back to a snapshot, also after its end; returns state hash and budget. `FailedPrecondition`
    /// where a step of unknown fate was played: step with the same calls for its reply first.
    pub async fn rollback(&mut self, snapshot_id: &str) -> Result<(Vec<u8>, Budget), DomainError> {
        let asked = wire::RollbackRequest {
            session_id: self.session_id.clone(),
            snapshot_id: snapshot_id.to_owned(),
            next_seq: self.next_seq,
        };
        let reply =
            retrying(&self.client, asked, |mut client, request| async move { client.rollback(request).await }).await?;
        let budget = reply.budget.ok_or_else(|| InvalidField::missing("budget").in_reply())?;
        Ok((reply.state_hash, budget.into()))
    }

    /// `count` sessions of their own that stand at the snapshot, or (`None`) where this one stands.
    pub async fn forks(&mut self, snapshot_id: Option<&str>, count: u32) -> Result<Vec<Self>, DomainError> {
        let asked = wire::ForkRequest {
            session_id: self.session_id.clone(),
            snapshot_id: snapshot_id.unwrap_or_default().to_owned(),
            count,
            lease: None,
            idempotency_key: token()?,
        };
        let reply =
            retrying(&self.client, asked, |mut client, request| async move { client.fork(request).await }).await?;
        let fork = |session| Self::new(self.client.clone(), self.rewards.clone(), session);
        reply.sessions.into_iter().map(fork).collect()
    }

    /// The way to the state as it stands, for [`RemoteDomain::import`](crate::RemoteDomain::import); 16 MiB at most.
    pub async fn export(&mut self) -> Result<Vec<u8>, DomainError> {
        match timeout(DEADLINE, self.exported()).await {
            Ok(exported) => exported,
            Err(_) => Err(late("the export")),
        }
    }

    async fn exported(&mut self) -> Result<Vec<u8>, DomainError> {
        let asked = wire::ExportRequest { session_id: self.session_id.clone() };
        let mut pieces =
            retrying(&self.client, asked, |mut client, request| async move { client.export(request).await }).await?;
        let mut export = Vec::new();
        while let Some(piece) = pieces.message().await? {
            export.extend_from_slice(&piece.data);
        }
        Ok(export)
    }

    async fn contents(&self, want: &[String], options: ObserveOptions) -> Result<Vec<Content>, DomainError> {
        let ObserveOptions { since_revision, max_tokens } = options;
        let session_id = self.session_id.clone();
        let asked = wire::ObserveRequest { session_id, want: want.to_vec(), since_revision, max_tokens };
        let mut stream =
            retrying(&self.client, asked, |mut client, request| async move { client.observe(request).await }).await?;
        let mut contents = Vec::with_capacity(want.len());
        let mut begun: Option<Content> = None;
        while let Some(piece) = stream.message().await? {
            if let Some(error) = piece.error {
                return Err(error.into());
            }
            let content = piece.content.ok_or_else(|| malformed("a piece has no content"))?;
            let content = Content::try_from(content).map_err(InvalidField::in_reply)?;
            let whole = match begun.take() {
                None => content,
                Some(begun) => joined(begun, content)?,
            };
            if piece.last {
                contents.push(whole);
            } else {
                begun = Some(whole);
            }
        }
        if begun.is_some() {
            return Err(malformed("the last piece is missing"));
        }
        Ok(contents)
    }
}

#[async_trait]
impl Episode for RemoteEpisode {
    fn opening(&self) -> &Opening {
        &self.opening
    }

    async fn step(&mut self, calls: Vec<ToolCall>) -> Result<StepOutcome, DomainError> {
        let asked = wire::StepRequest {
            session_id: self.session_id.clone(),
            seq: self.next_seq,
            calls: calls.into_iter().map(Into::into).collect(),
        };
        let reply =
            retrying(&self.client, asked, |mut client, request| async move { client.step(request).await }).await?;
        self.next_seq += 1;
        StepOutcome::try_from(reply).map_err(InvalidField::in_reply)
    }

    async fn observe(&mut self, want: &[String], options: ObserveOptions) -> Result<Vec<Content>, DomainError> {
        match timeout(DEADLINE, self.contents(want, options)).await {
            Ok(contents) => contents,
            Err(_) => Err(late("the observations")),
        }
    }

    async fn fork(&mut self) -> Result<Box<dyn Episode>, DomainError> {
        match self.forks(None, 1).await?.pop() {
            Some(fork) => Ok(Box::new(fork)),
            None => Err(malformed("no session was forked")),
        }
    }

    async fn score(&mut self, profile: Option<&str>) -> Result<Reward, DomainError> {
        score(&self.rewards, score_request::Subject::SessionId(self.session_id.clone()), profile).await
    }
}

impl Drop for RemoteEpisode {
    /// Closes the session, if that can be done at all; its lease ends it otherwise.
    fn drop(&mut self) {
        self.renewal.abort();
        if let Ok(runtime) = Handle::try_current() {
            let mut client = self.client.clone();
            let asked = request(wire::CloseRequest { session_id: self.session_id.clone() });
            runtime.spawn(async move {
                if let Err(status) = client.close(asked).await {
                    tracing::debug!(%status, "a session was left to its lease");
                }
            });
        }
    }
}

async fn keep_alive(mut client: EpisodesClient<Channel>, session_id: String, lease: Duration) {
    let mut ticks = interval((lease / RENEWALS).max(SHORTEST_RENEWAL));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks.tick().await;
    loop {
        ticks.tick().await;
        let asked = wire::RenewRequest { session_id: session_id.clone(), lease: None };
        match client.renew(request(asked)).await {
            Err(status) if status.code() == GrpcCode::NotFound => return,
            Err(status) => tracing::debug!(%status, "a lease was not renewed"),
            Ok(_) => {}
        }
    }
}

fn joined(begun: Content, next: Content) -> Result<Content, DomainError> {
    if begun.name != next.name {
        return Err(malformed("a content ends without its last piece"));
    }
    let body = match (begun.body, next.body) {
        (Body::Text(mut text), Body::Text(more)) => {
            text.push_str(&more);
            Body::Text(text)
        }
        (Body::Data(mut data), Body::Data(more)) => {
            data.extend_from_slice(&more);
            Body::Data(data)
        }
        _ => return Err(malformed("a content is text and data at once")),
    };
    Ok(Content { name: begun.name, mime: begun.mime, body })
}

fn late(what: &str) -> DomainError {
    let message = format!("no end of {what} within {DEADLINE:?}");
    DomainError::new(Code::DeadlineExceeded, "DEADLINE_EXCEEDED", message)
}

fn malformed(problem: &str) -> DomainError {
    DomainError::new(Code::Internal, "INVALID_REPLY", problem)
}
