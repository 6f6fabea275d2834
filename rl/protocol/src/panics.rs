//! A panic costs the call it happened in, not the process.

use crate::{Code, DomainError};
use std::{
    any::Any,
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    task::Poll,
};
use tokio::task::JoinError;

/// Runs `work`; a panic in it becomes `Internal`, reason `PANICKED`.
pub(crate) async fn caught<T>(work: impl Future<Output = Result<T, DomainError>>) -> Result<T, DomainError> {
    let mut work = pin!(work);
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
        Ok(polled) => polled,
        Err(payload) => Poll::Ready(Err(panicked(&*payload))),
    })
    .await
}

/// Why a task gave no result: it panicked, or its runtime is going down.
pub(crate) fn lost(join: JoinError) -> DomainError {
    match join.try_into_panic() {
        Ok(payload) => panicked(&*payload),
        Err(_) => DomainError::new(Code::Unavailable, "SHUTTING_DOWN", "the runtime is shutting down"),
    }
}

fn panicked(payload: &(dyn Any + Send)) -> DomainError {
    let text = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    DomainError::new(Code::Internal, "PANICKED", format!("a panic: {text}"))
}
