//! When a server is asked to end.

use std::io;
use tokio::signal::unix::{SignalKind, signal};

/// Ends at the first SIGINT or SIGTERM from now on, also where it is awaited later.
pub(crate) fn interrupted() -> io::Result<impl Future<Output = ()>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}
