//! A domain in another process.

mod episode;
mod retry;

use crate::{
    Code, Description, Domain, DomainError, Episode, OpenSpec, Reward, Subject, TaskInfo,
    convert::InvalidField,
    token::token,
    transport::{CONNECTION_WINDOW, KEEPALIVE, MAX_MESSAGE_BYTES, STREAM_WINDOW},
    wire::{
        self, catalog_client::CatalogClient, episodes_client::EpisodesClient, rewards_client::RewardsClient,
        score_request,
    },
};
use async_trait::async_trait;
use retry::retrying;
use std::{error::Error, time::Duration};
use tonic::transport::{Channel, Endpoint};
use tonic_health::pb::{HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient};

pub use episode::RemoteEpisode;

const CONNECT_WITHIN: Duration = Duration::from_secs(10);
const TASKS_PER_PAGE: u32 = 1000;
/// Of one message of an import.
const IMPORT_PIECE_BYTES: usize = 1 << 20;

/// Connects to `http://host:port` or `unix:path`; the channel reconnects by itself and is cheap to clone.
pub async fn connect(uri: &str) -> Result<Channel, DomainError> {
    let endpoint = Endpoint::from_shared(uri.to_owned())
        .map_err(|error| {
            let message = format!("{uri:?}: {}; http://host:port or unix:path is allowed", causes(&error));
            DomainError::new(Code::InvalidArgument, "BAD_ADDRESS", message).field("uri")
        })?
        .connect_timeout(CONNECT_WITHIN)
        .http2_keep_alive_interval(KEEPALIVE)
        .keep_alive_timeout(KEEPALIVE)
        .keep_alive_while_idle(true)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW);
    endpoint
        .connect()
        .await
        .map_err(|error| DomainError::new(Code::Unavailable, "NO_CONNECTION", format!("{uri}: {}", causes(&error))))
}

/// tonic's own text says only "transport error".
fn causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

/// One domain of a server, as if it were in this process. Every call is safe to repeat, so a broken connection is
/// bridged by three more tries; every call has a deadline of 60 s. A step takes 64 calls at most, an observation 64
/// different names, a call log 10,000 calls.
pub struct RemoteDomain {
    name: String,
    catalog: CatalogClient<Channel>,
    episodes: EpisodesClient<Channel>,
    rewards: RewardsClient<Channel>,
    health: HealthClient<Channel>,
}

impl RemoteDomain {
    #[must_use]
    pub fn new(channel: Channel, name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            catalog: CatalogClient::new(channel.clone()).max_decoding_message_size(MAX_MESSAGE_BYTES),
            episodes: EpisodesClient::new(channel.clone()).max_decoding_message_size(MAX_MESSAGE_BYTES),
            rewards: RewardsClient::new(channel.clone()).max_decoding_message_size(MAX_MESSAGE_BYTES),
            health: HealthClient::new(channel),
        }
    }

    /// As `open`, with the verbs that only a session has.
    pub async fn open_sessions(&self, spec: OpenSpec) -> Result<Vec<RemoteEpisode>, DomainError> {
        let asked = wire::OpenRequest {
            domain: self.name.clone(),
            task_id: spec.task_id,
            count: spec.count,
            seed: spec.seed,
            profile: spec.profile.unwrap_or_default(),
            lease: None,
            idempotency_key: token()?,
            tool_groups: spec.tool_groups,
        };
        let reply =
            retrying(&self.episodes, asked, |mut client, request| async move { client.open(request).await }).await?;
        reply.sessions.into_iter().map(|session| self.episode(session)).collect()
    }

    /// Another session, of the same or of another server, from what its `export` gave. `FailedPrecondition` names the
    /// step that does not lead to the same state here.
    pub async fn import(&self, export: &[u8]) -> Result<RemoteEpisode, DomainError> {
        let key = token()?;
        let piece =
            |data: &[u8]| wire::ImportRequest { data: data.to_vec(), lease: None, idempotency_key: key.clone() };
        let pieces: Vec<wire::ImportRequest> = export.chunks(IMPORT_PIECE_BYTES).map(piece).collect();
        let reply = retrying(&self.episodes, pieces, |mut client, request| async move {
            client.import(request.map(tokio_stream::iter)).await
        })
        .await?;
        self.episode(reply.session.ok_or_else(|| InvalidField::missing("session").in_reply())?)
    }

    fn episode(&self, session: wire::Session) -> Result<RemoteEpisode, DomainError> {
        RemoteEpisode::new(self.episodes.clone(), self.rewards.clone(), session)
    }
}

#[async_trait]
impl Domain for RemoteDomain {
    async fn describe(&self) -> Result<Description, DomainError> {
        let asked = wire::DescribeDomainRequest { domain: self.name.clone() };
        let reply =
            retrying(&self.catalog, asked, |mut client, request| async move { client.describe_domain(request).await })
                .await?;
        Description::try_from(reply).map_err(InvalidField::in_reply)
    }

    async fn tasks(&self, split: Option<&str>) -> Result<Vec<TaskInfo>, DomainError> {
        let mut asked = wire::ListTasksRequest {
            domain: self.name.clone(),
            split: split.unwrap_or_default().to_owned(),
            page_size: TASKS_PER_PAGE,
            page_token: String::new(),
        };
        let mut tasks = Vec::new();
        loop {
            let page = retrying(&self.catalog, asked.clone(), |mut client, request| async move {
                client.list_tasks(request).await
            })
            .await?;
            tasks.extend(page.tasks.into_iter().map(TaskInfo::from));
            if page.next_page_token.is_empty() {
                return Ok(tasks);
            }
            asked.page_token = page.next_page_token;
        }
    }

    async fn open(&self, spec: OpenSpec) -> Result<Vec<Box<dyn Episode>>, DomainError> {
        let episodes = self.open_sessions(spec).await?;
        Ok(episodes.into_iter().map(|episode| -> Box<dyn Episode> { Box::new(episode) }).collect())
    }

    async fn score(&self, subject: Subject, profile: Option<&str>) -> Result<Reward, DomainError> {
        let domain = self.name.clone();
        let subject = match subject {
            Subject::Artifact { task_id, mime, data } => {
                let task_id = task_id.unwrap_or_default();
                score_request::Subject::Artifact(wire::Artifact { domain, task_id, mime, data: data.into() })
            }
            Subject::CallLog { task_id, seed, calls, tool_groups } => {
                let calls = calls.into_iter().map(Into::into).collect();
                score_request::Subject::CallLog(wire::CallLog { domain, task_id, seed, calls, tool_groups })
            }
        };
        score(&self.rewards, subject, profile).await
    }

    async fn ready(&self) -> Result<(), DomainError> {
        let asked = HealthCheckRequest { service: self.name.clone() };
        let reply =
            retrying(&self.health, asked, |mut client, request| async move { client.check(request).await }).await?;
        if reply.status == i32::from(ServingStatus::Serving) {
            return Ok(());
        }
        Err(DomainError::new(
            Code::Unavailable,
            "NOT_READY",
            format!("the server says that {} is not ready", self.name),
        ))
    }
}

async fn score(
    client: &RewardsClient<Channel>,
    subject: score_request::Subject,
    profile: Option<&str>,
) -> Result<Reward, DomainError> {
    let asked = wire::ScoreRequest { subject: Some(subject), profile: profile.unwrap_or_default().to_owned() };
    let reply = retrying(client, asked, |mut client, request| async move { client.score(request).await }).await?;
    let reward = reply.reward.ok_or_else(|| InvalidField::missing("reward").in_reply())?;
    Reward::try_from(reward).map_err(InvalidField::in_reply)
}
