//! Calls that are safe to repeat, repeated when the connection fails.

use crate::{Code, DomainError};
use std::time::Duration;
use tokio::time::sleep;
use tonic::{Request, Response, Status};

pub(super) const DEADLINE: Duration = Duration::from_secs(60);
/// Before the second, third and fourth try.
const DELAYS: [Duration; 3] = [Duration::from_millis(50), Duration::from_millis(250), Duration::from_millis(1000)];
/// However long the server asks to wait.
const MAX_DELAY: Duration = Duration::from_secs(5);

pub(super) fn request<M>(message: M) -> Request<M> {
    let mut request = Request::new(message);
    request.set_timeout(DEADLINE);
    request
}

/// Makes one call on clones of `client` and `message`. Only `Unavailable` is tried again: every other error would come
/// again.
pub(super) async fn retrying<C: Clone, M: Clone, T, F>(
    client: &C,
    message: M,
    call: impl Fn(C, Request<M>) -> F,
) -> Result<T, DomainError>
where
    F: Future<Output = Result<Response<T>, Status>>,
{
    let mut delays = DELAYS.into_iter();
    loop {
        let error = match call(client.clone(), request(message.clone())).await {
            Ok(reply) => return Ok(reply.into_inner()),
            Err(status) => DomainError::from(status),
        };
        match delays.next() {
            Some(delay) if error.code == Code::Unavailable => {
                tracing::debug!(%error, ?delay, "trying again");
                sleep(error.retry_after_ms.map_or(delay, Duration::from_millis).min(MAX_DELAY)).await;
            }
            _ => return Err(error),
        }
    }
}
