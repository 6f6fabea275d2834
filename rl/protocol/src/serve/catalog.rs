//! `maquette.v1.Catalog`.

use super::{Served, bounds, non_empty};
use crate::{convert::InvalidField, wire};
use std::{sync::Arc, time::Duration};
use tonic::{Request, Response, Status};

const DEFAULT_PAGE: usize = 100;
const MAX_PAGE: usize = 1000;
/// Abilities that a client may count on.
const FEATURES: [&str; 8] = [
    "open.idempotency",
    "open.siblings",
    "open.tool_groups",
    "score.artifact",
    "score.call_log",
    "session.export",
    "session.fork",
    "session.snapshot",
];
/// Sessions come back after a restart.
const FEATURE_OF_JOURNAL: &str = "session.journal";

pub(super) struct CatalogService(pub(super) Arc<Served>);

#[tonic::async_trait]
impl wire::catalog_server::Catalog for CatalogService {
    async fn get_server_info(
        &self,
        _: Request<wire::GetServerInfoRequest>,
    ) -> Result<Response<wire::GetServerInfoResponse>, Status> {
        let config = &self.0.config;
        let with_journal = config.journal.is_some().then_some(FEATURE_OF_JOURNAL);
        let mut features: Vec<String> = FEATURES.into_iter().chain(with_journal).map(str::to_owned).collect();
        features.sort();
        let wire_duration = |duration: Duration| prost_types::Duration::try_from(duration).ok();
        Ok(Response::new(wire::GetServerInfoResponse {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            features,
            max_sessions: config.max_sessions,
            max_request_bytes: u32::try_from(config.max_request_bytes).unwrap_or(u32::MAX),
            default_lease: wire_duration(config.default_lease),
            max_lease: wire_duration(config.max_lease),
            default_deadline: wire_duration(config.default_deadline),
            instance_id: self.0.instance_id.clone(),
        }))
    }

    async fn list_domains(
        &self,
        _: Request<wire::ListDomainsRequest>,
    ) -> Result<Response<wire::ListDomainsResponse>, Status> {
        let domains = self.0.domains.keys().cloned().collect();
        Ok(Response::new(wire::ListDomainsResponse { domains }))
    }

    async fn describe_domain(
        &self,
        request: Request<wire::DescribeDomainRequest>,
    ) -> Result<Response<wire::DescribeDomainResponse>, Status> {
        let (metadata, _, asked) = request.into_parts();
        bounds::names(&[("domain", &asked.domain)])?;
        let domain = Arc::clone(self.0.domain(&asked.domain)?);
        let description = self.0.run(&metadata, async move { domain.describe().await }).await?;
        Ok(Response::new(description.into()))
    }

    /// A page token is the id of the last task sent, so that pages stay true when tasks are added.
    async fn list_tasks(
        &self,
        request: Request<wire::ListTasksRequest>,
    ) -> Result<Response<wire::ListTasksResponse>, Status> {
        let (metadata, _, asked) = request.into_parts();
        bounds::names(&[("domain", &asked.domain), ("split", &asked.split), ("page_token", &asked.page_token)])?;
        let domain = Arc::clone(self.0.domain(&asked.domain)?);
        let split = non_empty(asked.split);
        let all = self.0.run(&metadata, async move { domain.tasks(split.as_deref()).await }).await?;
        let size = match usize::try_from(asked.page_size) {
            Ok(0) => DEFAULT_PAGE,
            Ok(size) => size.min(MAX_PAGE),
            Err(_) => MAX_PAGE,
        };
        let sent = match asked.page_token.as_str() {
            "" => 0,
            token => match all.iter().position(|task| task.id == token) {
                Some(last) => last + 1,
                None => {
                    let problem = format!("{token:?} was not given for a page of these tasks");
                    return Err(InvalidField::new("page_token", problem).in_request().into());
                }
            },
        };
        let mut rest = all.into_iter().skip(sent);
        let tasks: Vec<wire::Task> = rest.by_ref().take(size).map(Into::into).collect();
        let more = rest.next().is_some();
        let next_page_token = match tasks.last() {
            Some(task) if more => task.id.clone(),
            _ => String::new(),
        };
        Ok(Response::new(wire::ListTasksResponse { tasks, next_page_token }))
    }
}
