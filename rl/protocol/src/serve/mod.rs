//! A gRPC server for any domains.

mod catalog;
mod deadline;
mod episodes;
mod health;
mod pieces;
mod rewards;

use crate::{Code, Domain, DomainError, panics, sessions::Sessions, wire};
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use tokio::{
    net::TcpListener,
    sync::{Semaphore, oneshot},
    task::JoinSet,
    time::{interval, sleep, timeout},
};
use tonic::{
    Status,
    metadata::MetadataMap,
    transport::{Server, server::TcpIncoming},
};

/// Calls that may run at once, over all connections.
const MAX_CALLS: usize = 4096;
/// Calls that may run at once on one connection; HTTP/2 makes the client hold back the rest.
const MAX_CALLS_PER_CONNECTION: u32 = 1024;
const BUSY_RETRY_AFTER_MS: u64 = 200;
/// A connection whose peer does not answer a ping for this long is closed.
const KEEPALIVE: Duration = Duration::from_secs(20);
const REAP_EVERY: Duration = Duration::from_secs(1);
/// After the shutdown signal, calls in flight have this long to end.
const DRAIN: Duration = Duration::from_secs(10);
/// HTTP/2 flow-control windows in bytes: large artifacts should not wait for acknowledgements.
const STREAM_WINDOW: u32 = 1 << 20;
const CONNECTION_WINDOW: u32 = 4 << 20;

#[derive(Debug, Clone)]
pub struct ServeConfig {
    pub max_sessions: u32,
    pub default_lease: Duration,
    pub max_lease: Duration,
    /// For calls without a `grpc-timeout`.
    pub default_deadline: Duration,
    pub max_request_bytes: usize,
}

impl Default for ServeConfig {
    fn default() -> Self {
        Self {
            max_sessions: 1024,
            default_lease: Duration::from_secs(120),
            max_lease: Duration::from_secs(3600),
            default_deadline: Duration::from_secs(30),
            max_request_bytes: 64 << 20,
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("two domains are named {0:?}")]
    DuplicateDomain(String),
    #[error("a domain does not describe itself: {0}")]
    Describe(#[from] DomainError),
    #[error("reflection: {0}")]
    Reflection(#[from] tonic_reflection::server::Error),
    #[error("transport: {0}")]
    Transport(#[from] tonic::transport::Error),
}

/// Serves `domains`, each under the name of its description, until `shutdown` completes and the calls in flight have
/// ended (ten seconds at most). Health is reported per domain; the service `""` serves while any domain does.
pub async fn serve(
    listener: TcpListener,
    domains: Vec<Arc<dyn Domain>>,
    config: ServeConfig,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let max_request_bytes = config.max_request_bytes;
    let served = Arc::new(Served::new(domains, config).await?);
    let (reporter, health_server) = tonic_health::server::health_reporter();
    let mut last = BTreeMap::new();
    health::report(&served.domains, &reporter, &mut last).await;

    let mut background = JoinSet::new();
    background.spawn(health::watch(Arc::clone(&served), reporter, last));
    background.spawn(reap(Arc::clone(&served)));

    let reflection = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(wire::DESCRIPTORS)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    let catalog = wire::catalog_server::CatalogServer::new(catalog::CatalogService(Arc::clone(&served)));
    let episodes = wire::episodes_server::EpisodesServer::new(episodes::EpisodesService(Arc::clone(&served)));
    let rewards = wire::rewards_server::RewardsServer::new(rewards::RewardsService(served));
    let router = Server::builder()
        .http2_keepalive_interval(Some(KEEPALIVE))
        .http2_keepalive_timeout(Some(KEEPALIVE))
        // Clients may cancel many calls at once; that is no attack.
        .http2_max_pending_accept_reset_streams(Some(MAX_CALLS))
        .max_concurrent_streams(MAX_CALLS_PER_CONNECTION)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .add_service(catalog.max_decoding_message_size(max_request_bytes))
        .add_service(episodes.max_decoding_message_size(max_request_bytes))
        .add_service(rewards.max_decoding_message_size(max_request_bytes))
        .add_service(health_server)
        .add_service(reflection().build_v1()?)
        .add_service(reflection().build_v1alpha()?);

    let (stop, stopped) = oneshot::channel::<()>();
    let serving = router.serve_with_incoming_shutdown(TcpIncoming::from(listener).with_nodelay(Some(true)), async {
        let _ = stopped.await;
    });
    let draining = async {
        shutdown.await;
        let _ = stop.send(());
        sleep(DRAIN).await;
    };
    tokio::select! {
        ended = serving => ended?,
        () = draining => tracing::warn!("calls were still in flight at the end of the drain"),
    }
    Ok(())
}

async fn reap(served: Arc<Served>) {
    let mut ticks = interval(REAP_EVERY);
    loop {
        ticks.tick().await;
        served.sessions.reap();
    }
}

/// What the services share.
struct Served {
    domains: BTreeMap<String, Arc<dyn Domain>>,
    sessions: Sessions,
    config: ServeConfig,
    calls: Arc<Semaphore>,
}

impl Served {
    async fn new(domains: Vec<Arc<dyn Domain>>, config: ServeConfig) -> Result<Self, ServeError> {
        let mut by_name = BTreeMap::new();
        for domain in domains {
            let name = panics::caught(domain.describe()).await?.domain;
            if by_name.contains_key(&name) {
                return Err(ServeError::DuplicateDomain(name));
            }
            by_name.insert(name, domain);
        }
        let sessions = Sessions::new(config.max_sessions);
        Ok(Self { domains: by_name, sessions, config, calls: Arc::new(Semaphore::new(MAX_CALLS)) })
    }

    fn domain(&self, name: &str) -> Result<&Arc<dyn Domain>, DomainError> {
        self.domains.get(name).ok_or_else(|| {
            DomainError::new(Code::NotFound, "DOMAIN_NOT_FOUND", format!("no domain {name:?}"))
                .field("domain")
                .nearest(self.domains.keys().cloned().collect())
        })
    }

    /// Runs `work` to its end, whatever becomes of the caller; answers by the call's deadline.
    async fn run<T: Send + 'static>(
        &self,
        metadata: &MetadataMap,
        work: impl Future<Output = Result<T, DomainError>> + Send + 'static,
    ) -> Result<T, Status> {
        let permit = Arc::clone(&self.calls).try_acquire_owned().map_err(|_| {
            DomainError::new(Code::ResourceExhausted, "BUSY", format!("{MAX_CALLS} calls run already"))
                .retry_after(BUSY_RETRY_AFTER_MS)
        })?;
        let deadline = deadline::of_call(metadata, self.config.default_deadline);
        let task = tokio::spawn(async move {
            let _permit = permit;
            panics::caught(work).await
        });
        match timeout(deadline, task).await {
            Ok(ended) => Ok(ended.map_err(panics::lost)??),
            Err(_) => {
                let message = format!("no reply within {deadline:?}; the work goes on");
                Err(DomainError::new(Code::DeadlineExceeded, "DEADLINE_EXCEEDED", message).into())
            }
        }
    }
}

/// proto3 has no absent strings: empty means absent.
fn non_empty(text: String) -> Option<String> {
    if text.is_empty() { None } else { Some(text) }
}
