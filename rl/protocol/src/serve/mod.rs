//! A gRPC server for any domains.

mod bounds;
mod catalog;
mod deadline;
mod episodes;
mod health;
mod pieces;
mod rewards;

use crate::{
    Code, Domain, DomainError,
    journal::Journal,
    panics,
    sessions::Sessions,
    token::token,
    transport::{CONNECTION_WINDOW, KEEPALIVE, STREAM_WINDOW},
    wire,
};
use std::{collections::BTreeMap, path::PathBuf, sync::Arc, time::Duration};
use tokio::{
    net::TcpListener,
    sync::{OwnedSemaphorePermit, Semaphore, oneshot},
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
/// Of a request to the catalog, and to the episodes; `ServeConfig.max_request_bytes` where that is less.
const CATALOG_BYTES: usize = 1 << 20;
const EPISODES_BYTES: usize = 8 << 20;
const BUSY_RETRY_AFTER_MS: u64 = 200;
const REAP_EVERY: Duration = Duration::from_secs(1);
/// After the shutdown signal, calls in flight have this long to end.
const DRAIN: Duration = Duration::from_secs(10);

#[derive(Debug, Clone)]
pub struct ServeConfig {
    pub max_sessions: u32,
    pub default_lease: Duration,
    pub max_lease: Duration,
    /// For calls without a `grpc-timeout`.
    pub default_deadline: Duration,
    /// Of a score, which carries an artifact; other requests are smaller. Larger ones are `OUT_OF_RANGE`.
    pub max_request_bytes: usize,
    /// The folder where sessions are kept, so that a server that starts with it goes on with them: each step is written
    /// before it is replied to. That survives the end of the process (kill -9), not a loss of power. `None`: nowhere.
    pub journal: Option<PathBuf>,
}

impl Default for ServeConfig {
    fn default() -> Self {
        Self {
            max_sessions: 1024,
            default_lease: Duration::from_secs(120),
            max_lease: Duration::from_secs(3600),
            default_deadline: Duration::from_secs(30),
            max_request_bytes: 40 << 20,
            journal: None,
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("two domains are named {0:?}")]
    DuplicateDomain(String),
    #[error("the server cannot start: {0}")]
    Start(#[from] DomainError),
    #[error("reflection: {0}")]
    Reflection(#[from] tonic_reflection::server::Error),
    #[error("transport: {0}")]
    Transport(#[from] tonic::transport::Error),
}

/// Serves `domains`, as `Service` does, once their sessions were recovered.
pub async fn serve(
    listener: TcpListener,
    domains: Vec<Arc<dyn Domain>>,
    config: ServeConfig,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    Service::recovered(domains, config).await?.serve(listener, shutdown).await
}

/// Domains and their sessions, before the first call.
pub struct Service(Arc<Served>);

impl Service {
    /// Each domain goes by the name of its description. Sessions of a journal are played again; those that cannot be
    /// are logged and not served.
    ///
    /// # Errors
    /// `DuplicateDomain`; `Start` where a domain or the journal cannot be used.
    pub async fn recovered(domains: Vec<Arc<dyn Domain>>, config: ServeConfig) -> Result<Self, ServeError> {
        Ok(Self(Arc::new(Served::new(domains, config).await?)))
    }

    /// Answers calls until `shutdown` completes and the calls in flight have ended (ten seconds at most). Health is
    /// reported per domain; the service `""` serves while any domain does.
    ///
    /// # Errors
    /// `Reflection`, `Transport`.
    pub async fn serve(self, listener: TcpListener, shutdown: impl Future<Output = ()>) -> Result<(), ServeError> {
        answer(self.0, listener, shutdown).await
    }
}

async fn answer(
    served: Arc<Served>,
    listener: TcpListener,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let max_request_bytes = served.config.max_request_bytes;
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
            // The details of errors, so that grpcurl can print them.
            .register_encoded_file_descriptor_set(tonic_types::pb::FILE_DESCRIPTOR_SET)
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
        .add_service(catalog.max_decoding_message_size(max_request_bytes.min(CATALOG_BYTES)))
        .add_service(episodes.max_decoding_message_size(max_request_bytes.min(EPISODES_BYTES)))
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
    /// The journal's, or new at every start.
    instance_id: String,
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
        let journal = match &config.journal {
            Some(folder) => Some(Journal::open(folder.clone()).await?),
            None => None,
        };
        let instance_id = journal.as_ref().map_or_else(token, |journal| Ok(journal.instance_id().to_owned()))?;
        let sessions = Sessions::new(config.max_sessions, journal);
        sessions.recover(&by_name, config.max_lease).await?;
        let calls = Arc::new(Semaphore::new(MAX_CALLS));
        Ok(Self { domains: by_name, sessions, config, calls, instance_id })
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
        let permit = self.permit()?;
        let task = tokio::spawn(async move {
            let _permit = permit;
            panics::caught(work).await
        });
        self.in_time(metadata, "the work goes on", async move { task.await.map_err(panics::lost)? }).await
    }

    /// Runs `work` until the call's deadline, or until the caller has gone.
    async fn run_while_awaited<T: Send>(
        &self,
        metadata: &MetadataMap,
        work: impl Future<Output = Result<T, DomainError>> + Send,
    ) -> Result<T, Status> {
        let _permit = self.permit()?;
        self.in_time(metadata, "the work was given up", panics::caught(work)).await
    }

    fn permit(&self) -> Result<OwnedSemaphorePermit, DomainError> {
        Arc::clone(&self.calls).try_acquire_owned().map_err(|_| {
            DomainError::new(Code::ResourceExhausted, "BUSY", format!("{MAX_CALLS} calls run already"))
                .retry_after(BUSY_RETRY_AFTER_MS)
        })
    }

    async fn in_time<T: Send>(
        &self,
        metadata: &MetadataMap,
        late: &str,
        work: impl Future<Output = Result<T, DomainError>> + Send,
    ) -> Result<T, Status> {
        let deadline = deadline::of_call(metadata, self.config.default_deadline);
        match timeout(deadline, work).await {
            Ok(done) => Ok(done?),
            Err(_) => {
                let message = format!("no reply within {deadline:?}; {late}");
                Err(DomainError::new(Code::DeadlineExceeded, "DEADLINE_EXCEEDED", message).into())
            }
        }
    }
}

/// proto3 has no absent strings: empty means absent.
fn non_empty(text: String) -> Option<String> {
    if text.is_empty() { None } else { Some(text) }
}
