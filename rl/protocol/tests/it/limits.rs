//! Requests out of bounds are refused before they reach a domain.

use crate::harness::{Server, reason, step};
use rl_protocol::ServeConfig;
use tonic::Code;

#[tokio::test]
async fn one_step_takes_64_calls_at_most() {
    let mut server = Server::start(ServeConfig::default()).await;
    let id = server.open().await.unwrap();
    let status = server.client.step(step(&id, 1, &[("add", "{}"); 65])).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::InvalidArgument, "TOO_MANY_CALLS"));
    server.client.step(step(&id, 1, &[("add", "{}"); 10])).await.unwrap();
}

#[tokio::test]
async fn arguments_end_at_one_mebibyte() {
    let mut server = Server::start(ServeConfig::default()).await;
    let id = server.open().await.unwrap();
    let long = "x".repeat((1 << 20) + 1);
    let status = server.client.step(step(&id, 1, &[("add", long.as_str())])).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::InvalidArgument, "ARGUMENTS_TOO_LONG"));
    assert_eq!(server.played(), 0);
}

#[tokio::test]
async fn a_message_beyond_the_servers_bound_is_refused() {
    let mut server = Server::start(ServeConfig { max_request_bytes: 4096, ..ServeConfig::default() }).await;
    let id = server.open().await.unwrap();
    let long = "x".repeat(10_000);
    let status = server.client.step(step(&id, 1, &[("add", long.as_str())])).await.unwrap_err();
    assert_eq!(status.code(), Code::OutOfRange);
    server.client.step(step(&id, 1, &[])).await.unwrap();
}
