//! What is done with a session that is there.

use super::{Reader, opening::lease};
use crate::{
    Code, DomainError, ObserveOptions, compute,
    journal::write_export,
    serve::{
        Served, bounds,
        pieces::{PIECE_BYTES, pieces},
    },
    wire,
};
use std::{sync::Arc, time::Duration};

pub(super) const MAX_CALLS_PER_STEP: usize = 64;
const MAX_OBSERVATIONS: usize = 64;
/// A reader that leaves one piece lying for this long is given up.
const READ_WITHIN: Duration = Duration::from_secs(30);

pub(super) async fn step(served: Arc<Served>, asked: wire::StepRequest) -> Result<wire::StepResponse, DomainError> {
    bounds::names(&[("session_id", &asked.session_id)])?;
    bounds::at_most(MAX_CALLS_PER_STEP, asked.calls.len(), "TOO_MANY_CALLS", "calls")?;
    if asked.seq == 0 {
        return Err(DomainError::new(Code::InvalidArgument, "INVALID_FIELD", "seq starts at 1").field("seq"));
    }
    let session = served.sessions.find(&asked.session_id)?;
    session.step(asked.seq, asked.calls.into_iter().map(Into::into).collect()).await
}

/// Makes each observation when the one before it has been read.
pub(super) async fn observe(
    served: Arc<Served>,
    asked: wire::ObserveRequest,
    reader: Reader<wire::ObserveResponse>,
) -> Result<(), DomainError> {
    bounds::names(&[("session_id", &asked.session_id)])?;
    bounds::at_most(MAX_OBSERVATIONS, asked.want.len(), "TOO_MANY_OBSERVATIONS", "want")?;
    for name in &asked.want {
        bounds::names(&[("want", name)])?;
    }
    bounds::distinct("want", &asked.want)?;
    let session = served.sessions.find(&asked.session_id)?;
    let options = ObserveOptions { since_revision: asked.since_revision, max_tokens: asked.max_tokens };
    for name in asked.want {
        for piece in session.observe(name, options).await?.into_iter().flat_map(pieces) {
            sent(&reader, piece).await?;
        }
    }
    Ok(())
}

pub(super) async fn snapshot(served: Arc<Served>, asked: wire::SnapshotRequest) -> Result<String, DomainError> {
    bounds::names(&[("session_id", &asked.session_id)])?;
    served.sessions.find(&asked.session_id)?.snapshot().await
}

pub(super) async fn rollback(
    served: Arc<Served>,
    asked: wire::RollbackRequest,
) -> Result<wire::RollbackResponse, DomainError> {
    bounds::names(&[("session_id", &asked.session_id), ("snapshot_id", &asked.snapshot_id)])?;
    served.sessions.find(&asked.session_id)?.rollback(&asked.snapshot_id, asked.next_seq).await
}

pub(super) async fn export(
    served: Arc<Served>,
    asked: wire::ExportRequest,
    reader: Reader<wire::ExportResponse>,
) -> Result<(), DomainError> {
    bounds::names(&[("session_id", &asked.session_id)])?;
    let (origin, legs) = served.sessions.find(&asked.session_id)?.way().await?;
    let data = compute(move || write_export(origin, &legs)).await??;
    for piece in data.chunks(PIECE_BYTES) {
        sent(&reader, wire::ExportResponse { data: piece.to_vec() }).await?;
    }
    Ok(())
}

/// What is left of the lease.
pub(super) async fn renew(served: &Served, asked: wire::RenewRequest) -> Result<Duration, DomainError> {
    bounds::names(&[("session_id", &asked.session_id)])?;
    let lease = lease(asked.lease, served.config.max_lease)?;
    Ok(served.sessions.find(&asked.session_id)?.renew(lease))
}

pub(super) async fn close(served: Arc<Served>, asked: wire::CloseRequest) -> Result<(), DomainError> {
    bounds::names(&[("session_id", &asked.session_id)])?;
    served.sessions.close(&asked.session_id).await;
    Ok(())
}

async fn sent<P>(reader: &Reader<P>, piece: P) -> Result<(), DomainError> {
    reader.send_timeout(Ok(piece), READ_WITHIN).await.map_err(|_| {
        let message = format!("nobody read a piece within {READ_WITHIN:?}");
        DomainError::new(Code::DeadlineExceeded, "NOBODY_READS", message)
    })
}
