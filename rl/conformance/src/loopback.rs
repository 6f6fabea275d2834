//! A server on this machine, for tests and measurements.

use rl_protocol::{Domain, ServeConfig, ServeError, serve};
use std::{io, sync::Arc};
use tokio::{
    net::TcpListener,
    sync::oneshot,
    task::{JoinError, JoinHandle},
};

#[derive(Debug, thiserror::Error)]
pub enum LoopbackError {
    #[error("no port of 127.0.0.1 can be listened on: {0}")]
    Listen(#[from] io::Error),
    #[error("the server failed: {0}")]
    Serve(#[from] ServeError),
    #[error("the server panicked or was cancelled: {0}")]
    Lost(#[from] JoinError),
}

/// Serves until it is stopped or dropped.
#[derive(Debug)]
pub struct Loopback {
    uri: String,
    stop: oneshot::Sender<()>,
    server: JoinHandle<Result<(), ServeError>>,
}

impl Loopback {
    /// On a free port of 127.0.0.1.
    pub async fn start(domains: Vec<Arc<dyn Domain>>, config: ServeConfig) -> Result<Self, LoopbackError> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let uri = format!("http://{}", listener.local_addr()?);
        let (stop, stopped) = oneshot::channel::<()>();
        let server = tokio::spawn(serve(listener, domains, config, async {
            let _ = stopped.await;
        }));
        Ok(Self { uri, stop, server })
    }

    #[must_use]
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Ends when the calls in flight have ended.
    pub async fn stop(self) -> Result<(), LoopbackError> {
        let _ = self.stop.send(());
        self.server.await??;
        Ok(())
    }
}
