//! Exactly once per (session, seq).

use crate::harness::{Server, field, reason, step};
use prost::Message as _;
use rl_protocol::ServeConfig;
use std::time::Duration;
use tokio::{task::JoinSet, time::timeout};
use tonic::Code;
use tonic_types::StatusExt as _;

#[tokio::test]
async fn a_repeated_seq_gets_the_same_bytes_and_is_not_played_again() {
    let mut server = Server::start(ServeConfig::default()).await;
    let id = server.open().await.unwrap();
    let first = server.client.step(step(&id, 1, &[("add", r#"{"n":4}"#)])).await.unwrap().into_inner();
    let mut again = server.client.step(step(&id, 1, &[("add", r#"{"n":4}"#)])).await.unwrap().into_inner();
    assert_eq!((first.replayed, again.replayed), (false, true));
    again.replayed = false;
    assert_eq!(first.encode_to_vec(), again.encode_to_vec());
    assert_eq!(first.usage.unwrap().calls, 1);
    assert_eq!(server.played(), 1);
}

#[tokio::test]
async fn a_gap_names_the_expected_seq() {
    let mut server = Server::start(ServeConfig::default()).await;
    let id = server.open().await.unwrap();
    server.client.step(step(&id, 1, &[])).await.unwrap();
    let status = server.client.step(step(&id, 4, &[])).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::FailedPrecondition, "SEQ_GAP"));
    assert!(status.message().contains("expected 2"), "{}", status.message());
    let details = status.get_error_details();
    assert_eq!(details.error_info().unwrap().metadata["nearest"], "[\"2\"]");
    assert_eq!(details.bad_request().unwrap().field_violations[0].field, "seq");
}

#[tokio::test]
async fn seq_starts_at_1() {
    let mut server = Server::start(ServeConfig::default()).await;
    let id = server.open().await.unwrap();
    let status = server.client.step(step(&id, 0, &[])).await.unwrap_err();
    assert_eq!((status.code(), status.message()), (Code::InvalidArgument, "seq starts at 1"));
    assert_eq!(field(&status), "seq");
}

#[tokio::test]
async fn a_seq_does_not_stand_for_two_steps() {
    let mut server = Server::start(ServeConfig::default()).await;
    let id = server.open().await.unwrap();
    server.client.step(step(&id, 1, &[("add", r#"{"n":4}"#)])).await.unwrap();
    let status = server.client.step(step(&id, 1, &[("add", r#"{"n":5}"#)])).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::FailedPrecondition, "SEQ_REUSED"));
}

#[tokio::test]
async fn a_step_that_failed_has_played_nothing_and_its_seq_is_free() {
    let mut server = Server::start(ServeConfig::default()).await;
    let id = server.open().await.unwrap();
    let calls = [("add", r#"{"n":4}"#), ("away", "")];
    let status = server.client.step(step(&id, 1, &calls)).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::Unavailable, "AWAY"));
    let reply = server.client.step(step(&id, 1, &calls)).await.unwrap().into_inner();
    assert_eq!((reply.replayed, reply.results[0].json.as_str()), (false, r#"{"value":4}"#));
    assert!(server.client.step(step(&id, 1, &calls)).await.unwrap().into_inner().replayed);
    assert_eq!(server.played(), 2);
}

#[tokio::test]
async fn the_last_32_replies_are_kept() {
    let mut server = Server::start(ServeConfig::default()).await;
    let id = server.open().await.unwrap();
    for seq in 1..=33 {
        server.client.step(step(&id, seq, &[])).await.unwrap();
    }
    assert!(server.client.step(step(&id, 2, &[])).await.unwrap().into_inner().replayed);
    let status = server.client.step(step(&id, 1, &[])).await.unwrap_err();
    assert_eq!(reason(&status), "SEQ_FORGOTTEN");
}

#[tokio::test]
async fn one_mebibyte_of_replies_is_kept_and_the_last_one_always() {
    let mut server = Server::start(ServeConfig::default()).await;
    let id = server.open().await.unwrap();
    // The counter quotes what it refuses.
    let quoted = |bytes| format!(r#"{{"n":"{}"}}"#, "x".repeat(bytes));
    let (half, whole) = (quoted(600 << 10), quoted(1200 << 10));
    for (seq, arguments) in [(1, "{}"), (2, half.as_str()), (3, half.as_str()), (4, whole.as_str())] {
        server.client.step(step(&id, seq, &[("add", arguments)])).await.unwrap();
        assert!(server.client.step(step(&id, seq, &[("add", arguments)])).await.unwrap().into_inner().replayed);
        let before = server.client.step(step(&id, 1, &[("add", "{}")])).await;
        assert_eq!(before.is_ok(), seq <= 2, "the first reply after {seq} steps");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_duplicates_are_played_once() {
    let mut server = Server::start(ServeConfig::default()).await;
    let id = server.open().await.unwrap();
    let mut asking = JoinSet::new();
    for _ in 0..8 {
        let mut client = server.client.clone();
        let request = step(&id, 1, &[("sleep", "200"), ("add", r#"{"n":4}"#)]);
        asking.spawn(async move { client.step(request).await.unwrap().into_inner() });
    }
    let replies = asking.join_all().await;
    assert_eq!(replies.iter().filter(|reply| !reply.replayed).count(), 1);
    assert_eq!(server.played(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_dies_mid_call_loses_nothing() {
    let mut server = Server::start(ServeConfig::default()).await;
    let id = server.open().await.unwrap();
    let request = || step(&id, 1, &[("sleep", "500"), ("add", r#"{"n":4}"#)]);
    let mut dying = server.client.clone();
    timeout(Duration::from_millis(100), dying.step(request())).await.unwrap_err();
    let reply = server.client.step(request()).await.unwrap().into_inner();
    assert!(reply.replayed);
    assert_eq!(reply.results[0].json, r#"{"value":4}"#);
    assert_eq!(server.played(), 1);
}
