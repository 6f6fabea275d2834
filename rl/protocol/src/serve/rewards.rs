//! `maquette.v1.Rewards`.

use super::{Served, bounds, non_empty};
use crate::{
    DomainError, Subject,
    convert::InvalidField,
    wire::{self, score_request},
};
use std::sync::Arc;
use tonic::{Request, Response, Status};

const MAX_LOGGED_CALLS: usize = 10_000;

pub(super) struct RewardsService(pub(super) Arc<Served>);

#[tonic::async_trait]
impl wire::rewards_server::Rewards for RewardsService {
    /// What no session holds is scored only as long as somebody waits for it.
    async fn score(&self, request: Request<wire::ScoreRequest>) -> Result<Response<wire::ScoreResponse>, Status> {
        let (metadata, _, asked) = request.into_parts();
        let in_session = matches!(asked.subject, Some(score_request::Subject::SessionId(_)));
        let scoring = score(Arc::clone(&self.0), asked);
        let reward = if in_session {
            self.0.run(&metadata, scoring).await?
        } else {
            self.0.run_while_awaited(&metadata, scoring).await?
        };
        Ok(Response::new(wire::ScoreResponse { reward: Some(reward) }))
    }
}

async fn score(served: Arc<Served>, asked: wire::ScoreRequest) -> Result<wire::Reward, DomainError> {
    bounds::names(&[("profile", &asked.profile)])?;
    let profile = non_empty(asked.profile);
    let profile = profile.as_deref();
    let reward = match asked.subject {
        Some(score_request::Subject::SessionId(id)) => {
            bounds::names(&[("session_id", &id)])?;
            let session = served.sessions.find(&id)?;
            session.score(profile).await?
        }
        Some(score_request::Subject::Artifact(artifact)) => {
            let wire::Artifact { domain, task_id, mime, .. } = &artifact;
            bounds::names(&[("domain", domain), ("task_id", task_id), ("mime", mime)])?;
            let domain = served.domain(domain)?;
            let task_id = non_empty(artifact.task_id);
            let subject = Subject::Artifact { task_id, mime: artifact.mime, data: artifact.data.into() };
            domain.score(subject, profile).await?
        }
        Some(score_request::Subject::CallLog(log)) => {
            bounds::names(&[("domain", &log.domain), ("task_id", &log.task_id)])?;
            bounds::at_most(MAX_LOGGED_CALLS, log.calls.len(), "TOO_MANY_CALLS", "call_log.calls")?;
            bounds::groups("tool_groups", &log.tool_groups)?;
            let domain = served.domain(&log.domain)?;
            let wire::CallLog { task_id, seed, calls, tool_groups, .. } = log;
            let calls = calls.into_iter().map(Into::into).collect();
            domain.score(Subject::CallLog { task_id, seed, calls, tool_groups }, profile).await?
        }
        None => return Err(InvalidField::missing("subject").in_request()),
    };
    wire::Reward::try_from(reward).map_err(InvalidField::in_reply)
}
