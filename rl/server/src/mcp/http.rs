//! Many clients, over streamable HTTP.

use super::offer::Offer;
use super::session::Session;
use crate::interrupted::interrupted;
use crate::report;
use anyhow::{Context, Result};
use axum::Router;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::sleep;

/// Sessions held at once, each with its episode.
const MOST_SESSIONS: usize = 64;
/// Without a message; people think between two of theirs.
const IDLE: Duration = Duration::from_secs(3600);
/// From a signal to the end, for replies that are on their way.
const GRACE: Duration = Duration::from_secs(5);
const PATH: &str = "/mcp";

/// Until a signal. Requests must name this machine's loopback or the address listened on, so that no web page reaches it
/// by a name of its own; requests of web pages are refused.
pub(super) async fn serve(offer: Arc<Offer>, listener: TcpListener) -> Result<()> {
    let address = listener.local_addr()?;
    if !address.ip().is_loopback() {
        tracing::warn!(%address, "whoever reaches this address may use it: there is no password");
    }
    let hosts = ["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned(), address.ip().to_string()];
    let config = StreamableHttpServerConfig::default().with_allowed_hosts(hosts).enforce_origin_validation();
    let (stop, stopped) = (config.cancellation_token.clone(), config.cancellation_token.clone());
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(IDLE);
    let places = Arc::new(Semaphore::new(MOST_SESSIONS));
    let begin = move || -> io::Result<Session> {
        let place = Arc::clone(&places).try_acquire_owned();
        let place = place.map_err(|_| io::Error::other(format!("{MOST_SESSIONS} sessions are held already")))?;
        Ok(Session::new(Arc::clone(&offer), Some(place)))
    };
    let router = Router::new().route_service(PATH, StreamableHttpService::new(begin, Arc::new(sessions), config));
    report::say(&format!("listening on http://{address}{PATH}"))?;
    let serving = axum::serve(listener, router).with_graceful_shutdown(async move {
        interrupted().await;
        stop.cancel();
    });
    tokio::select! {
        served = serving.into_future() => served.context("the HTTP server failed"),
        () = async { stopped.cancelled().await; sleep(GRACE).await } => Ok(()),
    }
}
