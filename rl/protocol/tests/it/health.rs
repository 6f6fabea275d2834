//! Readiness per domain.

use crate::faulty::Faulty;
use rl_conformance::Loopback;
use rl_protocol::{ServeConfig, ServeError, connect, serve};
use std::{future::pending, sync::Arc};
use tokio::net::TcpListener;
use tonic_health::pb::{HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient};

#[tokio::test]
async fn every_domain_has_its_own_readiness() {
    let broken = Faulty { name: Some("broken"), out_of_order: true, ..Faulty::default() };
    let server =
        Loopback::start(vec![Arc::new(Faulty::default()), Arc::new(broken)], ServeConfig::default()).await.unwrap();
    let mut client = HealthClient::new(connect(server.uri()).await.unwrap());
    for (service, expected) in
        [("counter", ServingStatus::Serving), ("broken", ServingStatus::NotServing), ("", ServingStatus::Serving)]
    {
        let reply = client.check(HealthCheckRequest { service: service.into() }).await.unwrap().into_inner();
        assert_eq!(reply.status(), expected, "{service:?}");
    }
    let status = client.check(HealthCheckRequest { service: "none".into() }).await.unwrap_err();
    assert_eq!(status.code(), tonic::Code::NotFound);
}

#[tokio::test]
async fn two_domains_of_one_name_are_refused() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let domains: Vec<Arc<dyn rl_protocol::Domain>> = vec![Arc::new(Faulty::default()), Arc::new(Faulty::default())];
    let error = serve(listener, domains, ServeConfig::default(), pending()).await.unwrap_err();
    assert!(matches!(error, ServeError::DuplicateDomain(name) if name == "counter"));
}
