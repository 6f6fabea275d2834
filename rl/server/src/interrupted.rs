//! When a server is asked to end.

use std::io;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;

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

/// Ends when standard input is at its end: who holds the other end of a pipe has closed it, or has died of whatever.
pub(crate) fn stdin_closed() -> io::Result<impl Future<Output = ()>> {
    let (reached, end) = oneshot::channel::<()>();
    // Not by the runtime, which would wait for the read when the server ends by a signal.
    std::thread::Builder::new().name("stdin".into()).spawn(move || {
        // An input that cannot be read is at its end too.
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        let _ = reached.send(());
    })?;
    Ok(async move {
        let _ = end.await;
    })
}
