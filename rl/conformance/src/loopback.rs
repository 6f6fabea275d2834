//! A server on this machine, for tests and measurements.

use rl_protocol::{Domain, ServeConfig, ServeError, serve};
use std::sync::Arc;
use tokio::{net::TcpListener, sync::oneshot, task::JoinHandle};

/// Serves until it is stopped or dropped.
#[derive(Debug)]
pub struct Loopback {
    uri: String,
    stop: oneshot::Sender<()>,
    server: JoinHandle<Result<(), ServeError>>,
}

impl Loopback {
    /// On a free port of 127.0.0.1.
    pub async fn start(domains: Vec<Arc<dyn Domain>>, config: ServeConfig) -> Result<Self, String> {
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(|error| format!("bind: {error}"))?;
        let address = listener.local_addr().map_err(|error| format!("address: {error}"))?;
        let (stop, stopped) = oneshot::channel::<()>();
        let server = tokio::spawn(serve(listener, domains, config, async {
            let _ = stopped.await;
        }));
        Ok(Self { uri: format!("http://{address}"), stop, server })
    }

    #[must_use]
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Ends when the calls in flight have ended.
    pub async fn stop(self) -> Result<(), String> {
        let _ = self.stop.send(());
        let served = self.server.await.map_err(|error| format!("server: {error}"))?;
        served.map_err(|error| format!("server: {error}"))
    }
}
