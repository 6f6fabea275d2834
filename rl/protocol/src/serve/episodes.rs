//! `maquette.v1.Episodes`.

use super::{ServeConfig, Served, bounds, non_empty, pieces::pieces};
use crate::{
    Code, DomainError, OpenSpec,
    convert::{InvalidField, duration},
    panics,
    sessions::Wish,
    wire,
};
use std::{pin::Pin, sync::Arc, time::Duration};
use tokio::sync::mpsc;
use tokio_stream::{Stream, StreamExt as _, wrappers::ReceiverStream};
use tonic::{Request, Response, Status};

const MAX_CALLS_PER_STEP: usize = 64;
const MAX_OBSERVATIONS: usize = 64;
/// A reader that leaves one piece lying for this long is given up.
const READ_WITHIN: Duration = Duration::from_secs(30);

type Piece = Result<wire::ObserveResponse, Status>;

pub(super) struct EpisodesService(pub(super) Arc<Served>);

#[tonic::async_trait]
impl wire::episodes_server::Episodes for EpisodesService {
    async fn open(&self, request: Request<wire::OpenRequest>) -> Result<Response<wire::OpenResponse>, Status> {
        let (metadata, _, asked) = request.into_parts();
        let sessions = self.0.run(&metadata, open(Arc::clone(&self.0), asked)).await?;
        Ok(Response::new(wire::OpenResponse { sessions }))
    }

    async fn step(&self, request: Request<wire::StepRequest>) -> Result<Response<wire::StepResponse>, Status> {
        let (metadata, _, asked) = request.into_parts();
        Ok(Response::new(self.0.run(&metadata, step(Arc::clone(&self.0), asked)).await?))
    }

    type ObserveStream = Pin<Box<dyn Stream<Item = Piece> + Send>>;

    /// An error before the first piece answers the call; a later one ends the stream.
    async fn observe(&self, request: Request<wire::ObserveRequest>) -> Result<Response<Self::ObserveStream>, Status> {
        let (metadata, _, asked) = request.into_parts();
        let (sender, mut receiver) = mpsc::channel::<Piece>(2);
        // One place is kept for the status: no slow reader may take a stream that was cut short for a whole one.
        let Ok(end) = sender.clone().try_reserve_owned() else {
            return Err(Status::internal("a new queue has no place"));
        };
        let served = Arc::clone(&self.0);
        tokio::spawn(async move {
            let observing = observe(Arc::clone(&served), asked, sender);
            if let Err(status) = served.run(&metadata, observing).await {
                end.send(Err(status));
            }
        });
        let first = receiver.recv().await.transpose()?;
        let stream: Self::ObserveStream =
            Box::pin(tokio_stream::iter(first.map(Ok)).chain(ReceiverStream::new(receiver)));
        Ok(Response::new(stream))
    }

    async fn renew(&self, request: Request<wire::RenewRequest>) -> Result<Response<wire::RenewResponse>, Status> {
        let left = panics::caught(renew(&self.0, request.into_inner())).await?;
        Ok(Response::new(wire::RenewResponse { lease: prost_types::Duration::try_from(left).ok() }))
    }

    async fn close(&self, request: Request<wire::CloseRequest>) -> Result<Response<wire::CloseResponse>, Status> {
        panics::caught(close(&self.0, request.into_inner())).await?;
        Ok(Response::new(wire::CloseResponse {}))
    }
}

async fn open(served: Arc<Served>, asked: wire::OpenRequest) -> Result<Vec<wire::Session>, DomainError> {
    let wish = wish(asked, &served.config)?;
    let domain = served.domain(&wish.domain)?;
    served.sessions.open(domain.as_ref(), wish).await
}

async fn step(served: Arc<Served>, asked: wire::StepRequest) -> Result<wire::StepResponse, DomainError> {
    bounds::names(&[("session_id", &asked.session_id)])?;
    bounds::at_most(MAX_CALLS_PER_STEP, asked.calls.len(), "TOO_MANY_CALLS", "calls")?;
    if asked.seq == 0 {
        return Err(DomainError::new(Code::InvalidArgument, "INVALID_FIELD", "seq starts at 1").field("seq"));
    }
    let session = served.sessions.find(&asked.session_id)?;
    session.step(asked.seq, asked.calls.into_iter().map(Into::into).collect()).await
}

/// Makes each observation when the one before it has been read.
async fn observe(
    served: Arc<Served>,
    asked: wire::ObserveRequest,
    reader: mpsc::Sender<Piece>,
) -> Result<(), DomainError> {
    bounds::names(&[("session_id", &asked.session_id)])?;
    bounds::at_most(MAX_OBSERVATIONS, asked.want.len(), "TOO_MANY_OBSERVATIONS", "want")?;
    for name in &asked.want {
        bounds::names(&[("want", name)])?;
    }
    bounds::distinct("want", &asked.want)?;
    let session = served.sessions.find(&asked.session_id)?;
    for name in asked.want {
        for piece in session.observe(name).await?.into_iter().flat_map(pieces) {
            if reader.send_timeout(Ok(piece), READ_WITHIN).await.is_err() {
                let message = format!("nobody read a piece within {READ_WITHIN:?}");
                return Err(DomainError::new(Code::DeadlineExceeded, "NOBODY_READS", message));
            }
        }
    }
    Ok(())
}

/// What is left of the lease.
async fn renew(served: &Served, asked: wire::RenewRequest) -> Result<Duration, DomainError> {
    bounds::names(&[("session_id", &asked.session_id)])?;
    let lease = lease(asked.lease, served.config.max_lease)?;
    Ok(served.sessions.find(&asked.session_id)?.renew(lease))
}

async fn close(served: &Served, asked: wire::CloseRequest) -> Result<(), DomainError> {
    bounds::names(&[("session_id", &asked.session_id)])?;
    served.sessions.close(&asked.session_id);
    Ok(())
}

fn wish(asked: wire::OpenRequest, config: &ServeConfig) -> Result<Wish, DomainError> {
    bounds::names(&[
        ("domain", &asked.domain),
        ("task_id", &asked.task_id),
        ("profile", &asked.profile),
        ("idempotency_key", &asked.idempotency_key),
    ])?;
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
    match duration(asked) {
        Some(lease) if !lease.is_zero() => Ok(Some(lease.min(max_lease))),
        _ => {
            let prost_types::Duration { seconds, nanos } = asked;
            let problem = format!("{seconds} s and {nanos} ns are no lease; it must be positive");
            Err(InvalidField::new("lease", problem).in_request())
        }
    }
}
