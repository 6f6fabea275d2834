//! `maquette.v1.Episodes`.

mod opening;
mod running;

use super::Served;
use crate::{DomainError, panics, wire};
use std::{pin::Pin, sync::Arc};
use tokio::sync::mpsc;
use tokio_stream::{Stream, StreamExt as _, wrappers::ReceiverStream};
use tonic::{Request, Response, Status, Streaming, metadata::MetadataMap};

type Pieces<P> = Pin<Box<dyn Stream<Item = Result<P, Status>> + Send>>;
/// Where the pieces of a reply go.
type Reader<P> = mpsc::Sender<Result<P, Status>>;

pub(super) struct EpisodesService(pub(super) Arc<Served>);

#[tonic::async_trait]
impl wire::episodes_server::Episodes for EpisodesService {
    async fn open(&self, request: Request<wire::OpenRequest>) -> Result<Response<wire::OpenResponse>, Status> {
        let (metadata, _, asked) = request.into_parts();
        let sessions = self.0.run(&metadata, opening::open(Arc::clone(&self.0), asked)).await?;
        Ok(Response::new(wire::OpenResponse { sessions }))
    }

    async fn step(&self, request: Request<wire::StepRequest>) -> Result<Response<wire::StepResponse>, Status> {
        let (metadata, _, asked) = request.into_parts();
        Ok(Response::new(self.0.run(&metadata, running::step(Arc::clone(&self.0), asked)).await?))
    }

    type ObserveStream = Pieces<wire::ObserveResponse>;

    async fn observe(&self, request: Request<wire::ObserveRequest>) -> Result<Response<Self::ObserveStream>, Status> {
        let (metadata, _, asked) = request.into_parts();
        let served = Arc::clone(&self.0);
        self.streamed(metadata, |reader| running::observe(served, asked, reader)).await
    }

    async fn snapshot(
        &self,
        request: Request<wire::SnapshotRequest>,
    ) -> Result<Response<wire::SnapshotResponse>, Status> {
        let (metadata, _, asked) = request.into_parts();
        let snapshot_id = self.0.run(&metadata, running::snapshot(Arc::clone(&self.0), asked)).await?;
        Ok(Response::new(wire::SnapshotResponse { snapshot_id }))
    }

    async fn rollback(
        &self,
        request: Request<wire::RollbackRequest>,
    ) -> Result<Response<wire::RollbackResponse>, Status> {
        let (metadata, _, asked) = request.into_parts();
        Ok(Response::new(self.0.run(&metadata, running::rollback(Arc::clone(&self.0), asked)).await?))
    }

    async fn fork(&self, request: Request<wire::ForkRequest>) -> Result<Response<wire::ForkResponse>, Status> {
        let (metadata, _, asked) = request.into_parts();
        let sessions = self.0.run(&metadata, opening::fork(Arc::clone(&self.0), asked)).await?;
        Ok(Response::new(wire::ForkResponse { sessions }))
    }

    type ExportStream = Pieces<wire::ExportResponse>;

    async fn export(&self, request: Request<wire::ExportRequest>) -> Result<Response<Self::ExportStream>, Status> {
        let (metadata, _, asked) = request.into_parts();
        let served = Arc::clone(&self.0);
        self.streamed(metadata, |reader| running::export(served, asked, reader)).await
    }

    /// What is not sent whole is not begun.
    async fn import(
        &self,
        request: Request<Streaming<wire::ImportRequest>>,
    ) -> Result<Response<wire::ImportResponse>, Status> {
        let (metadata, _, pieces) = request.into_parts();
        let asked = self.0.run_while_awaited(&metadata, opening::gathered(pieces)).await?;
        Ok(Response::new(self.0.run(&metadata, opening::import(Arc::clone(&self.0), asked)).await?))
    }

    async fn renew(&self, request: Request<wire::RenewRequest>) -> Result<Response<wire::RenewResponse>, Status> {
        let left = panics::caught(running::renew(&self.0, request.into_inner())).await?;
        Ok(Response::new(wire::RenewResponse { lease: prost_types::Duration::try_from(left).ok() }))
    }

    async fn close(&self, request: Request<wire::CloseRequest>) -> Result<Response<wire::CloseResponse>, Status> {
        let (metadata, _, asked) = request.into_parts();
        self.0.run(&metadata, running::close(Arc::clone(&self.0), asked)).await?;
        Ok(Response::new(wire::CloseResponse {}))
    }
}

impl EpisodesService {
    /// Runs `work`, which makes the pieces of a reply. An error before the first piece answers the call; a later one
    /// ends the stream.
    async fn streamed<P: Send + 'static, F>(
        &self,
        metadata: MetadataMap,
        work: impl FnOnce(Reader<P>) -> F,
    ) -> Result<Response<Pieces<P>>, Status>
    where
        F: Future<Output = Result<(), DomainError>> + Send + 'static,
    {
        let (sender, mut receiver) = mpsc::channel::<Result<P, Status>>(2);
        // One place is kept for the status: no slow reader may take a stream that was cut short for a whole one.
        let Ok(end) = sender.clone().try_reserve_owned() else {
            return Err(Status::internal("a new queue has no place"));
        };
        let (served, working) = (Arc::clone(&self.0), work(sender));
        tokio::spawn(async move {
            if let Err(status) = served.run(&metadata, working).await {
                end.send(Err(status));
            }
        });
        let first = receiver.recv().await.transpose()?;
        let stream: Pieces<P> = Box::pin(tokio_stream::iter(first.map(Ok)).chain(ReceiverStream::new(receiver)));
        Ok(Response::new(stream))
    }
}
