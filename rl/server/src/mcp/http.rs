//! Many clients, over streamable HTTP. Each message is a request of its own here, so a client that does not wait for a
//! reply before its next call leaves the order of both to chance.

use super::offer::Offer;
use super::session::Session;
use crate::interrupted::interrupted;
use crate::report;
use anyhow::{Context, Result, ensure};
use axum::Router;
use axum::extract::Request;
use axum::http::HeaderMap;
use axum::routing::any;
use rmcp::transport::streamable_http_server::session::SessionManager as _;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep, timeout};

/// Sessions held at once, each with its episode.
const MOST_SESSIONS: usize = 64;
/// Without a message; people think between two of theirs.
const IDLE: Duration = Duration::from_secs(3600);
/// From a signal to the end, for replies that are on their way.
const GRACE: Duration = Duration::from_secs(5);
const PATH: &str = "/mcp";

/// Of a command line.
pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "an IP address and a port are wanted, e.g. 127.0.0.1:8808".to_owned())
}

/// Listens there, if its clients have a name to ask it by.
pub(super) async fn listen(address: SocketAddr, names: &[String]) -> Result<TcpListener> {
    let is_nameless = address.ip().is_unspecified() && names.is_empty();
    ensure!(
        !is_nameless,
        "{address} is no address that a client can ask for: give the names by which this machine is reached, e.g. \
         --allow-host studio.example, or listen on one of its addresses"
    );
    TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))
}

/// Until a signal. Requests must name this machine's loopback, the address listened on or one of `names`, so that no
/// web page reaches it by a name of its own; requests of web pages are refused.
pub(super) async fn serve(offer: Arc<Offer>, listener: TcpListener, names: Vec<String>) -> Result<()> {
    let interrupted = interrupted()?;
    let address = listener.local_addr()?;
    if !address.ip().is_loopback() {
        tracing::warn!(%address, "whoever reaches this address may use it: there is no password");
    }
    let hosts = ["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned(), address.ip().to_string()];
    let hosts = hosts.into_iter().chain(names);
    let config = StreamableHttpServerConfig::default().with_allowed_hosts(hosts).enforce_origin_validation();
    let (stop, stopped) = (config.cancellation_token.clone(), config.cancellation_token.clone());
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(IDLE);
    let sessions = Arc::new(sessions);
    let begin = move || Ok(Session::new(Arc::clone(&offer)));
    let service = Arc::new(StreamableHttpService::new(begin, Arc::clone(&sessions), config));
    let held = Arc::new(Held { sessions, asked: Mutex::new(BTreeMap::new()) });
    let answer = move |request: Request| {
        let (service, held) = (Arc::clone(&service), Arc::clone(&held));
        async move {
            held.ask(request.headers()).await;
            let response = service.handle(request).await;
            held.begin(response.headers()).await;
            response
        }
    };
    let router = Router::new().route(PATH, any(answer));
    report::say(&format!("listening on http://{address}{PATH}"))?;
    let serving = axum::serve(listener, router).with_graceful_shutdown(async move {
        interrupted.await;
        stop.cancel();
    });
    tokio::select! {
        served = serving.into_future() => served.context("the HTTP server failed"),
        () = async { stopped.cancelled().await; sleep(GRACE).await } => Ok(()),
    }
}

/// The sessions, and when each was asked last: many clients go without a word, and make room for new ones.
struct Held {
    sessions: Arc<LocalSessionManager>,
    asked: Mutex<BTreeMap<String, Instant>>,
}

impl Held {
    async fn ask(&self, headers: &HeaderMap) {
        let Some(id) = session_id(headers) else { return };
        if let Some(asked) = self.asked.lock().await.get_mut(id) {
            *asked = Instant::now();
        }
    }

    /// Closes the session that was idle longest where there is one too many.
    async fn begin(&self, headers: &HeaderMap) {
        let Some(id) = session_id(headers) else { return };
        let mut asked = self.asked.lock().await;
        asked.insert(id.to_owned(), Instant::now());
        if asked.len() > MOST_SESSIONS {
            let open = self.sessions.sessions.read().await;
            asked.retain(|id, _| open.contains_key(id.as_str()));
        }
        while asked.len() > MOST_SESSIONS {
            let longest = asked.iter().min_by_key(|(_, asked)| **asked).map(|(id, _)| id.clone());
            let Some(longest) = longest else { return };
            asked.remove(&longest);
            tracing::info!(session = %longest, "closed for a new one: it was idle longest");
            if timeout(GRACE, self.sessions.close_session(&longest.into())).await.is_err() {
                tracing::warn!("a session does not close");
            }
        }
    }
}

fn session_id(headers: &HeaderMap) -> Option<&str> {
    headers.get("mcp-session-id")?.to_str().ok()
}
