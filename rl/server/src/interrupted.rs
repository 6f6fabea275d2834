//! When a server is asked to end.

use tokio::signal::ctrl_c;
use tokio::signal::unix::{SignalKind, signal};

/// At the first SIGINT or SIGTERM.
pub(crate) async fn interrupted() {
    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        let _ = ctrl_c().await;
        return;
    };
    tokio::select! {
        _ = ctrl_c() => {}
        _ = terminate.recv() => {}
    }
}
