//! `maquette.v1.Rewards`.

use super::{Served, non_empty};
use crate::{
    DomainError, Subject,
    convert::InvalidField,
    wire::{self, score_request},
};
use std::sync::Arc;
use tonic::{Request, Response, Status};

pub(super) struct RewardsService(pub(super) Arc<Served>);

#[tonic::async_trait]
impl wire::rewards_server::Rewards for RewardsService {
    async fn score(&self, request: Request<wire::ScoreRequest>) -> Result<Response<wire::ScoreResponse>, Status> {
        let (metadata, _, asked) = request.into_parts();
        let scoring = score(Arc::clone(&self.0), asked);
        let reward = self.0.run(&metadata, scoring).await?;
        Ok(Response::new(wire::ScoreResponse { reward: Some(reward) }))
    }
}

async fn score(served: Arc<Served>, asked: wire::ScoreRequest) -> Result<wire::Reward, DomainError> {
    let profile = non_empty(asked.profile);
    let profile = profile.as_deref();
    let reward = match asked.subject {
        Some(score_request::Subject::SessionId(id)) => {
            let session = served.sessions.find(&id)?;
            session.score(profile).await?
        }
        Some(score_request::Subject::Artifact(artifact)) => {
            let domain = served.domain(&artifact.domain)?;
            let task_id = non_empty(artifact.task_id);
            let subject = Subject::Artifact { task_id, mime: artifact.mime, data: artifact.data };
            domain.score(subject, profile).await?
        }
        Some(score_request::Subject::CallLog(log)) => {
            let domain = served.domain(&log.domain)?;
            let calls = log.calls.into_iter().map(Into::into).collect();
            domain.score(Subject::CallLog { task_id: log.task_id, seed: log.seed, calls }, profile).await?
        }
        None => return Err(InvalidField { field: "subject", problem: "is not set".into() }.in_request()),
    };
    wire::Reward::try_from(reward).map_err(InvalidField::in_reply)
}
