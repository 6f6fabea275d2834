//! The pool for CPU work, apart from the I/O runtime. Scoring leaves a place to steps, however long it takes.

use crate::{Code, DomainError, panics};
use std::{num::NonZeroUsize, sync::LazyLock, thread::available_parallelism};
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    task::spawn_blocking,
};

const MAX_WAITING: usize = 1024;
const RETRY_AFTER_MS: u64 = 500;

static CORES: LazyLock<usize> = LazyLock::new(|| available_parallelism().map_or(1, NonZeroUsize::get));
static RUNNING: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(*CORES));
static SCORING: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(CORES.saturating_sub(1).max(1)));
static WAITING: Semaphore = Semaphore::const_new(MAX_WAITING);
static WAITING_TO_SCORE: Semaphore = Semaphore::const_new(MAX_WAITING);

/// Runs `work` on a thread that may block, at most as many at a time as there are cores. Work whose caller is gone
/// is not begun; once begun, it ends.
///
/// `ResourceExhausted` when 1024 others wait; `Internal` with reason `PANICKED` when `work` panics.
pub async fn compute<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, DomainError> {
    let waiting = WAITING.try_acquire().map_err(|_| queue_full())?;
    let place = place(&RUNNING).await?;
    drop(waiting);
    run(work, place).await
}

/// As [`compute`], for rewards: all but one of the cores at most (the only one, where there is but one), and a queue of
/// its own.
pub async fn compute_scoring<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, DomainError> {
    let waiting = WAITING_TO_SCORE.try_acquire().map_err(|_| queue_full())?;
    let places = (place(&SCORING).await?, place(&RUNNING).await?);
    drop(waiting);
    run(work, places).await
}

async fn place(places: &'static Semaphore) -> Result<SemaphorePermit<'static>, DomainError> {
    places.acquire().await.map_err(|_| queue_full())
}

async fn run<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
    places: impl Send + 'static,
) -> Result<T, DomainError> {
    spawn_blocking(move || {
        let _places = places;
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
