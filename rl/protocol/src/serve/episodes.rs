//! `maquette.v1.Episodes`.

use super::{ServeConfig, Served, non_empty, pieces::pieces};
use crate::{Code, DomainError, OpenSpec, convert::InvalidField, sessions::Wish, wire};
use std::{sync::Arc, time::Duration};
use tonic::{Request, Response, Status};

const MAX_CALLS_PER_STEP: usize = 64;
const MAX_ARGUMENTS_BYTES: usize = 1 << 20;

pub(super) struct EpisodesService(pub(super) Arc<Served>);

#[tonic::async_trait]
impl wire::episodes_server::Episodes for EpisodesService {
    async fn open(&self, request: Request<wire::OpenRequest>) -> Result<Response<wire::OpenResponse>, Status> {
        let (metadata, _, asked) = request.into_parts();
        let served = Arc::clone(&self.0);
        let domain = Arc::clone(self.0.domain(&asked.domain)?);
        let wish = wish(asked, &self.0.config)?;
        let opening = async move { served.sessions.open(domain.as_ref(), wish).await };
        let sessions = self.0.run(&metadata, opening).await?;
        Ok(Response::new(wire::OpenResponse { sessions }))
    }

    async fn step(&self, request: Request<wire::StepRequest>) -> Result<Response<wire::StepResponse>, Status> {
        let (metadata, _, asked) = request.into_parts();
        check_calls(&asked.calls)?;
        let session = self.0.sessions.find(&asked.session_id)?;
        let calls = asked.calls.into_iter().map(Into::into).collect();
        let reply = self.0.run(&metadata, async move { session.step(asked.seq, calls).await }).await?;
        Ok(Response::new(reply))
    }

    type ObserveStream = tokio_stream::Iter<Box<dyn Iterator<Item = Result<wire::ObserveResponse, Status>> + Send>>;

    async fn observe(&self, request: Request<wire::ObserveRequest>) -> Result<Response<Self::ObserveStream>, Status> {
        let (metadata, _, asked) = request.into_parts();
        let session = self.0.sessions.find(&asked.session_id)?;
        let observed = self.0.run(&metadata, async move { session.observe(asked.want).await }).await?;
        let messages: Box<dyn Iterator<Item = _> + Send> = Box::new(observed.into_iter().flat_map(pieces).map(Ok));
        Ok(Response::new(tokio_stream::iter(messages)))
    }

    async fn renew(&self, request: Request<wire::RenewRequest>) -> Result<Response<wire::RenewResponse>, Status> {
        let asked = request.into_inner();
        let lease = lease(asked.lease, self.0.config.max_lease)?;
        let left = self.0.sessions.find(&asked.session_id)?.renew(lease);
        Ok(Response::new(wire::RenewResponse { lease: prost_types::Duration::try_from(left).ok() }))
    }

    async fn close(&self, request: Request<wire::CloseRequest>) -> Result<Response<wire::CloseResponse>, Status> {
        self.0.sessions.close(&request.into_inner().session_id);
        Ok(Response::new(wire::CloseResponse {}))
    }
}

fn wish(asked: wire::OpenRequest, config: &ServeConfig) -> Result<Wish, DomainError> {
    let lease = lease(asked.lease, config.max_lease)?.unwrap_or(config.default_lease);
    Ok(Wish {
        domain: asked.domain,
        spec: OpenSpec {
            task_id: asked.task_id,
            count: asked.count.max(1),
            seed: asked.seed,
            profile: non_empty(asked.profile),
        },
        lease,
        idempotency_key: asked.idempotency_key,
    })
}

/// Positive, and shortened to what the server grants at most.
fn lease(asked: Option<prost_types::Duration>, max_lease: Duration) -> Result<Option<Duration>, DomainError> {
    let Some(asked) = asked else { return Ok(None) };
    match Duration::try_from(asked) {
        Ok(lease) if !lease.is_zero() => Ok(Some(lease.min(max_lease))),
        _ => {
            let problem = format!("{asked} is no lease; it must be positive");
            Err(InvalidField { field: "lease", problem }.in_request())
        }
    }
}

fn check_calls(calls: &[wire::ToolCall]) -> Result<(), DomainError> {
    if calls.len() > MAX_CALLS_PER_STEP {
        let message = format!("{} calls; one step takes {MAX_CALLS_PER_STEP} at most", calls.len());
        return Err(DomainError::new(Code::InvalidArgument, "TOO_MANY_CALLS", message).field("calls"));
    }
    for call in calls {
        if call.arguments_json.len() > MAX_ARGUMENTS_BYTES {
            let given = call.arguments_json.len();
            let message = format!("{given} bytes of arguments; a call takes {MAX_ARGUMENTS_BYTES} at most");
            return Err(
                DomainError::new(Code::InvalidArgument, "ARGUMENTS_TOO_LONG", message).field("calls.arguments_json")
            );
        }
    }
    Ok(())
}
