//! Snapshots, rollbacks, forks and exports, and what they must not do to steps.

use crate::{
    harness::{Server, field, open, reason, step},
    wire,
};
use rl_protocol::{RemoteDomain, ServeConfig};
use tonic::{Code, Status};

/// Adds and tells the counter's value.
async fn add(server: &mut Server, id: &str, seq: u64, n: i64) -> String {
    let arguments = format!("{{\"n\":{n}}}");
    let reply = server.client.step(step(id, seq, &[("add", arguments.as_str())])).await.unwrap().into_inner();
    reply.results[0].json.clone()
}

async fn snapshot(server: &mut Server, id: &str) -> Result<String, Status> {
    let reply = server.client.snapshot(wire::SnapshotRequest { session_id: id.into() }).await?;
    Ok(reply.into_inner().snapshot_id)
}

fn rollback(id: &str, snapshot_id: &str, next_seq: u64) -> wire::RollbackRequest {
    wire::RollbackRequest { session_id: id.into(), snapshot_id: snapshot_id.into(), next_seq }
}

fn fork(id: &str, snapshot_id: &str, count: u32, key: &str) -> wire::ForkRequest {
    wire::ForkRequest {
        session_id: id.into(),
        snapshot_id: snapshot_id.into(),
        count,
        lease: None,
        idempotency_key: key.into(),
    }
}

#[tokio::test]
async fn a_seq_is_never_used_twice() {
    let mut server = Server::start(ServeConfig::default()).await;
    let id = server.open().await.unwrap();
    add(&mut server, &id, 1, 4).await;
    let first = snapshot(&mut server, &id).await.unwrap();
    assert_eq!(add(&mut server, &id, 2, 5).await, r#"{"value":9}"#);
    let reply = server.client.rollback(rollback(&id, &first, 3)).await.unwrap().into_inner();
    assert_eq!((reply.next_seq, reply.budget.unwrap().calls_left), (3, 19));
    // The step that was rolled back is answered as before, and not played again.
    let again = server.client.step(step(&id, 2, &[("add", r#"{"n":5}"#)])).await.unwrap().into_inner();
    assert!(again.replayed);
    assert_eq!(again.results[0].json, r#"{"value":9}"#);
    assert_eq!(add(&mut server, &id, 3, 1).await, r#"{"value":5}"#);
    assert_eq!(server.played(), 3);
}

#[tokio::test]
async fn a_rollback_that_comes_late_undoes_nothing() {
    let mut server = Server::start(ServeConfig::default()).await;
    let id = server.open().await.unwrap();
    let first = snapshot(&mut server, &id).await.unwrap();
    add(&mut server, &id, 1, 4).await;
    let status = server.client.rollback(rollback(&id, &first, 1)).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::FailedPrecondition, "SEQ_PASSED"));
    assert_eq!(field(&status), "next_seq");
    assert_eq!(add(&mut server, &id, 2, 1).await, r#"{"value":5}"#);
    server.client.rollback(rollback(&id, &first, 0)).await.unwrap();
    assert_eq!(add(&mut server, &id, 3, 1).await, r#"{"value":1}"#);
}

#[tokio::test]
async fn a_session_keeps_64_snapshots() {
    let mut server = Server::start(ServeConfig::default()).await;
    let id = server.open().await.unwrap();
    let first = snapshot(&mut server, &id).await.unwrap();
    for seq in 1..64 {
        // Back each time, since an episode has twenty calls.
        server.client.rollback(rollback(&id, &first, seq)).await.unwrap();
        add(&mut server, &id, seq, 1).await;
        snapshot(&mut server, &id).await.unwrap();
    }
    add(&mut server, &id, 64, 1).await;
    let status = snapshot(&mut server, &id).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::ResourceExhausted, "TOO_MANY_SNAPSHOTS"));
    assert!(status.message().contains("64"), "{}", status.message());
    server.client.rollback(rollback(&id, "s_64", 65)).await.unwrap();
    assert_eq!(add(&mut server, &id, 65, 1).await, r#"{"value":2}"#);
}

#[tokio::test]
async fn forks_are_opened_once_per_key_and_take_places() {
    let mut server = Server::start(ServeConfig { max_sessions: 3, ..ServeConfig::default() }).await;
    let id = server.open().await.unwrap();
    add(&mut server, &id, 1, 4).await;
    let first = server.client.fork(fork(&id, "", 2, "k")).await.unwrap().into_inner();
    let again = server.client.fork(fork(&id, "", 2, "k")).await.unwrap().into_inner();
    assert_eq!(first, again);
    let ids: Vec<String> = first.sessions.iter().map(|session| session.session_id.clone()).collect();
    assert_eq!(first.sessions[0].budget.as_ref().unwrap().calls_left, 19);
    assert_eq!(add(&mut server, &ids[0], 1, 5).await, r#"{"value":9}"#);
    assert_eq!(add(&mut server, &ids[1], 1, 1).await, r#"{"value":5}"#);
    assert_eq!(add(&mut server, &id, 2, 2).await, r#"{"value":6}"#);
    let status = server.client.fork(fork(&id, "", 1, "")).await.unwrap_err();
    assert_eq!(reason(&status), "NO_SESSION_FREE");
    let status = server.client.open(wire::OpenRequest { idempotency_key: "k".into(), ..open(1) }).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::InvalidArgument, "KEY_REUSED"));
    let status = server.client.fork(fork("nobody", "", 1, "")).await.unwrap_err();
    assert_eq!(reason(&status), "SESSION_NOT_FOUND");
}

#[tokio::test]
async fn an_ended_session_is_forked_from_a_snapshot_only() {
    let mut server = Server::start(ServeConfig::default()).await;
    let id = server.open().await.unwrap();
    let start = snapshot(&mut server, &id).await.unwrap();
    server.client.step(step(&id, 1, &[("submit", "{}")])).await.unwrap();
    for status in
        [server.client.fork(fork(&id, "", 1, "")).await.unwrap_err(), snapshot(&mut server, &id).await.unwrap_err()]
    {
        assert_eq!((status.code(), reason(&status).as_str()), (Code::FailedPrecondition, "EPISODE_ENDED"));
    }
    let forks = server.client.fork(fork(&id, &start, 1, "")).await.unwrap().into_inner().sessions;
    assert_eq!(add(&mut server, &forks[0].session_id, 1, 4).await, r#"{"value":4}"#);
}

#[tokio::test]
async fn a_lost_episode_is_not_rolled_back_but_exported() {
    let mut server = Server::start(ServeConfig::default()).await;
    let id = server.open().await.unwrap();
    add(&mut server, &id, 1, 4).await;
    let first = snapshot(&mut server, &id).await.unwrap();
    server.client.step(step(&id, 2, &[("panic", "")])).await.unwrap_err();
    let status = server.client.rollback(rollback(&id, &first, 2)).await.unwrap_err();
    assert_eq!(reason(&status), "ENV_ERROR");
    assert_eq!(exported(&mut server, &id).await.iter().filter(|byte| **byte == b'\n').count(), 3);
}

async fn exported(server: &mut Server, id: &str) -> Vec<u8> {
    let asked = wire::ExportRequest { session_id: id.into() };
    let mut pieces = server.client.export(asked).await.unwrap().into_inner();
    let mut export = Vec::new();
    while let Some(piece) = pieces.message().await.unwrap() {
        export.extend(piece.data);
    }
    export
}

#[tokio::test]
async fn an_export_has_no_branches() {
    let mut server = Server::start(ServeConfig::default()).await;
    let (id, other) = (server.open().await.unwrap(), server.open().await.unwrap());
    let start = snapshot(&mut server, &id).await.unwrap();
    add(&mut server, &id, 1, 900).await;
    server.client.rollback(rollback(&id, &start, 2)).await.unwrap();
    add(&mut server, &id, 2, 4).await;
    server.client.step(step(&id, 3, &[])).await.unwrap();
    add(&mut server, &other, 1, 4).await;
    assert_eq!(exported(&mut server, &id).await, exported(&mut server, &other).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_export_comes_in_pieces_and_another_server_takes_it() {
    let mut server = Server::start(ServeConfig::default()).await;
    let other = Server::start(ServeConfig::default()).await;
    let id = server.open().await.unwrap();
    // The counter quotes what it refuses, which costs a call and changes nothing.
    let long = format!("\"{}\"", "é\\\"".repeat(700_000));
    server.client.step(step(&id, 1, &[("add", long.as_str()), ("add", r#"{"n":4}"#)])).await.unwrap();
    let export = exported(&mut server, &id).await;
    assert!(export.len() > 3 << 20, "{} bytes", export.len());
    let domain = RemoteDomain::new(other.channel.clone(), "counter");
    let mut imported = domain.import(&export).await.unwrap();
    assert_eq!(imported.export().await.unwrap(), export);
    assert_eq!(other.played(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_way_that_is_too_long_cannot_be_exported_but_goes_on() {
    let mut server = Server::start(ServeConfig::default()).await;
    let id = server.open().await.unwrap();
    let start = snapshot(&mut server, &id).await.unwrap();
    let long = format!("{}{}", r#"{"n":0}"#, " ".repeat(5 << 20));
    for seq in 1..=2 {
        server.client.step(step(&id, seq, &[("add", long.as_str())])).await.unwrap();
    }
    let asked = wire::ExportRequest { session_id: id.clone() };
    let status = server.client.export(asked).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::ResourceExhausted, "HISTORY_TOO_LONG"));
    server.client.rollback(rollback(&id, &start, 3)).await.unwrap();
    exported(&mut server, &id).await;
}

#[tokio::test]
async fn an_import_that_comes_to_another_state_names_the_step() {
    let mut server = Server::start(ServeConfig::default()).await;
    let id = server.open().await.unwrap();
    add(&mut server, &id, 1, 4).await;
    server.client.step(step(&id, 2, &[("tick", "")])).await.unwrap();
    let export = exported(&mut server, &id).await;
    let domain = RemoteDomain::new(server.channel.clone(), "counter");
    let error = domain.import(&export).await.err().unwrap();
    assert_eq!((error.code, error.reason.as_ref()), (rl_protocol::Code::FailedPrecondition, "REPLAY_DIFFERS"));
    assert!(error.message.contains("step 2 of 2"), "{error}");
}
