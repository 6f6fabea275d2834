//! A panic, or an internal error, costs one episode.

use crate::harness::{Server, reason, step};
use rl_protocol::ServeConfig;
use tonic::Code;

#[tokio::test]
async fn a_panicking_tool_costs_one_session_only() {
    let mut server = Server::start(ServeConfig::default()).await;
    let (lost, sound) = (server.open().await.unwrap(), server.open().await.unwrap());
    let before = server.client.step(step(&lost, 1, &[("add", r#"{"n":1}"#)])).await.unwrap().into_inner();

    let status = server.client.step(step(&lost, 2, &[("panic", "")])).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::Internal, "PANICKED"));
    for seq in [2, 2] {
        let status = server.client.step(step(&lost, seq, &[("panic", "")])).await.unwrap_err();
        assert_eq!((status.code(), reason(&status).as_str()), (Code::Internal, "ENV_ERROR"));
    }
    let replayed = server.client.step(step(&lost, 1, &[("add", r#"{"n":1}"#)])).await.unwrap().into_inner();
    assert_eq!(replayed.state_hash, before.state_hash);

    server.client.step(step(&sound, 1, &[("add", r#"{"n":4}"#)])).await.unwrap();
}

#[tokio::test]
async fn an_internal_error_is_never_a_step() {
    let mut server = Server::start(ServeConfig::default()).await;
    let id = server.open().await.unwrap();
    let status = server.client.step(step(&id, 1, &[("internal", "")])).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::Internal, "BROKEN"));
    let status = server.client.step(step(&id, 1, &[])).await.unwrap_err();
    assert_eq!(reason(&status), "ENV_ERROR");
    assert_eq!(server.played(), 1);
}
