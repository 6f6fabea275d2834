//! Capacity, siblings, idempotency keys.

use crate::{
    harness::{Server, open, reason},
    wire,
};
use rl_protocol::ServeConfig;
use std::time::Duration;
use tonic::Code;
use tonic_types::StatusExt as _;

#[tokio::test]
async fn a_full_server_says_when_to_come_again() {
    let mut server = Server::start(ServeConfig { max_sessions: 2, ..ServeConfig::default() }).await;
    let siblings = server.client.open(open(2)).await.unwrap().into_inner().sessions;
    assert_eq!(siblings.len(), 2);
    assert_ne!(siblings[0].session_id, siblings[1].session_id);
    assert_eq!(siblings[0].state_hash, siblings[1].state_hash);

    let status = server.client.open(open(1)).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::ResourceExhausted, "NO_SESSION_FREE"));
    assert!(status.get_details_retry_info().unwrap().retry_delay.unwrap() >= Duration::from_millis(100));

    let session_id = siblings[0].session_id.clone();
    server.client.close(wire::CloseRequest { session_id }).await.unwrap();
    server.open().await.unwrap();
}

#[tokio::test]
async fn more_siblings_than_the_server_holds_are_refused_for_good() {
    let mut server = Server::start(ServeConfig { max_sessions: 2, ..ServeConfig::default() }).await;
    let status = server.client.open(open(3)).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::InvalidArgument, "TOO_MANY_SIBLINGS"));
}

#[tokio::test]
async fn a_failed_open_frees_its_places() {
    let mut server = Server::start(ServeConfig { max_sessions: 1, ..ServeConfig::default() }).await;
    for _ in 0..3 {
        let unknown = wire::OpenRequest { task_id: "no/such-task".into(), ..open(1) };
        let status = server.client.open(unknown).await.unwrap_err();
        assert_eq!((status.code(), reason(&status).as_str()), (Code::NotFound, "TASK_NOT_FOUND"));
    }
    server.open().await.unwrap();
}

#[tokio::test]
async fn a_repeated_key_opens_nothing() {
    let mut server = Server::start(ServeConfig { max_sessions: 2, ..ServeConfig::default() }).await;
    let keyed = wire::OpenRequest { idempotency_key: "k".into(), ..open(2) };
    let first = server.client.open(keyed.clone()).await.unwrap().into_inner();
    let again = server.client.open(keyed.clone()).await.unwrap().into_inner();
    assert_eq!(first, again);

    let other = wire::OpenRequest { seed: 1, ..keyed };
    let status = server.client.open(other).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::InvalidArgument, "KEY_REUSED"));
}

#[tokio::test]
async fn keys_are_forgotten_beyond_four_times_the_sessions() {
    let mut server = Server::start(ServeConfig { max_sessions: 1, ..ServeConfig::default() }).await;
    let keyed = |key: String| wire::OpenRequest { idempotency_key: key, ..open(1) };
    let mut ids = Vec::new();
    for number in 0..5 {
        let session_id =
            server.client.open(keyed(number.to_string())).await.unwrap().into_inner().sessions[0].session_id.clone();
        server.client.close(wire::CloseRequest { session_id: session_id.clone() }).await.unwrap();
        ids.push(session_id);
    }
    for number in [1, 4, 0] {
        let again = server.client.open(keyed(number.to_string())).await.unwrap().into_inner().sessions.remove(0);
        assert_eq!(again.session_id == ids[number], number != 0, "key {number}");
    }
}

#[tokio::test]
async fn an_unknown_domain_is_not_found_with_those_there_are() {
    let mut server = Server::start(ServeConfig::default()).await;
    let unknown = wire::OpenRequest { domain: "scene".into(), ..open(1) };
    let status = server.client.open(unknown).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::NotFound, "DOMAIN_NOT_FOUND"));
    assert_eq!(status.get_details_error_info().unwrap().metadata["nearest"], "[\"counter\"]");
}
