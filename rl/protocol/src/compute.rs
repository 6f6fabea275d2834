//! The pool for CPU work, apart from the I/O runtime.

use crate::{Code, DomainError, panics};
use std::{num::NonZeroUsize, sync::LazyLock, thread::available_parallelism};
use tokio::{sync::Semaphore, task::spawn_blocking};

const MAX_WAITING: usize = 1024;
const RETRY_AFTER_MS: u64 = 500;

static RUNNING: LazyLock<Semaphore> =
    LazyLock::new(|| Semaphore::new(available_parallelism().map_or(1, NonZeroUsize::get)));
static WAITING: Semaphore = Semaphore::const_new(MAX_WAITING);

/// Runs `work` on a thread that may block, at most as many at a time as there are cores. Work whose caller is gone
/// still ends.
///
/// `ResourceExhausted` when 1024 others wait; `Internal` with reason `PANICKED` when `work` panics.
pub async fn compute<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, DomainError> {
    let place = WAITING.try_acquire().map_err(|_| queue_full())?;
    let permit = LazyLock::force(&RUNNING).acquire().await.map_err(|_| queue_full())?;
    drop(place);
    spawn_blocking(move || {
        let _permit = permit;
        work()
    })
    .await
    .map_err(panics::lost)
}

fn queue_full() -> DomainError {
    DomainError::new(
        Code::ResourceExhausted,
        "COMPUTE_QUEUE_FULL",
        format!("{MAX_WAITING} pieces of work wait already"),
    )
    .retry_after(RETRY_AFTER_MS)
}
