//! What makes sessions: Open, Fork, Import.

use super::running::MAX_CALLS_PER_STEP;
use crate::{
    Code, DomainError, OpenSpec, compute,
    convert::{InvalidField, duration},
    journal::{Export, read_export},
    serve::{ServeConfig, Served, bounds, non_empty},
    sessions::Terms,
    wire,
};
use std::{sync::Arc, time::Duration};
use tonic::Streaming;

const MAX_IMPORT_BYTES: usize = 16 << 20;

/// A request to import, whole.
pub(super) struct Gathered {
    data: Vec<u8>,
    lease: Option<prost_types::Duration>,
    idempotency_key: String,
}

pub(super) async fn open(served: Arc<Served>, asked: wire::OpenRequest) -> Result<Vec<wire::Session>, DomainError> {
    bounds::names(&[("domain", &asked.domain), ("task_id", &asked.task_id), ("profile", &asked.profile)])?;
    bounds::groups("tool_groups", &asked.tool_groups)?;
    let terms = terms(asked.lease, asked.idempotency_key, &served.config)?;
    let spec = OpenSpec {
        task_id: asked.task_id,
        count: asked.count.max(1),
        seed: asked.seed,
        profile: non_empty(asked.profile),
        tool_groups: asked.tool_groups,
    };
    let domain = served.domain(&asked.domain)?;
    served.sessions.open(domain.as_ref(), &asked.domain, spec, &terms).await
}

pub(super) async fn fork(served: Arc<Served>, asked: wire::ForkRequest) -> Result<Vec<wire::Session>, DomainError> {
    bounds::names(&[("session_id", &asked.session_id), ("snapshot_id", &asked.snapshot_id)])?;
    let terms = terms(asked.lease, asked.idempotency_key, &served.config)?;
    served.sessions.fork(&asked.session_id, &asked.snapshot_id, asked.count.max(1), &terms).await
}

pub(super) async fn gathered(mut pieces: Streaming<wire::ImportRequest>) -> Result<Gathered, DomainError> {
    let first = pieces.message().await?.ok_or_else(|| InvalidField::missing("data").in_request())?;
    let wire::ImportRequest { mut data, lease, idempotency_key } = first;
    while let Some(piece) = pieces.message().await? {
        if data.len().saturating_add(piece.data.len()) > MAX_IMPORT_BYTES {
            let message = format!("an export has {MAX_IMPORT_BYTES} bytes at most");
            return Err(DomainError::new(Code::InvalidArgument, "EXPORT_TOO_LARGE", message).field("data"));
        }
        data.extend_from_slice(&piece.data);
    }
    Ok(Gathered { data, lease, idempotency_key })
}

pub(super) async fn import(served: Arc<Served>, asked: Gathered) -> Result<wire::ImportResponse, DomainError> {
    let Gathered { data, lease, idempotency_key } = asked;
    let terms = terms(lease, idempotency_key, &served.config)?;
    let export = compute(move || read_export(&data)).await??;
    bounded(&export)?;
    let (task_id, seed) = (export.origin.task_id.clone(), export.origin.seed);
    let name = export.origin.domain.clone();
    let domain = served.domain(&name)?;
    let session = served.sessions.import(domain.as_ref(), export, &terms).await?.pop();
    Ok(wire::ImportResponse { session, task_id, seed })
}

/// An export may come from anybody, so it keeps the bounds of the requests that it stands for.
fn bounded(export: &Export) -> Result<(), DomainError> {
    let origin = &export.origin;
    let profile = origin.profile.as_deref().unwrap_or_default();
    bounds::names(&[("domain", &origin.domain), ("task_id", &origin.task_id), ("profile", profile)])?;
    bounds::groups("tool_groups", &origin.tool_groups)?;
    for (number, leg) in (1_usize..).zip(&export.legs) {
        let calls = leg.call_count();
        if calls == 0 || calls > MAX_CALLS_PER_STEP {
            let problem = format!("step {number} has {calls} calls; 1 to {MAX_CALLS_PER_STEP} are allowed");
            return Err(InvalidField::new("data", problem).in_request());
        }
    }
    Ok(())
}

fn terms(
    asked: Option<prost_types::Duration>,
    idempotency_key: String,
    config: &ServeConfig,
) -> Result<Terms, DomainError> {
    bounds::names(&[("idempotency_key", &idempotency_key)])?;
    let lease = lease(asked, config.max_lease)?.unwrap_or(config.default_lease);
    Ok(Terms { lease, idempotency_key })
}

/// Positive, and shortened to what the server grants at most.
pub(super) fn lease(
    asked: Option<prost_types::Duration>,
    max_lease: Duration,
) -> Result<Option<Duration>, DomainError> {
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
