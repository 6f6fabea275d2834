//! Leases end the abandoned sessions and no others.

use crate::{
    harness::{Server, field, open, reason, step},
    wire,
};
use rl_protocol::ServeConfig;
use std::time::Duration;
use tokio::time::sleep;
use tonic::{Code, Status};

fn config(lease_ms: u64) -> ServeConfig {
    ServeConfig { max_sessions: 1, default_lease: Duration::from_millis(lease_ms), ..ServeConfig::default() }
}

/// Seconds left.
async fn renew(server: &mut Server, id: &str, seconds: i64) -> Result<i64, Status> {
    renew_exactly(server, id, seconds, 0).await
}

async fn renew_exactly(server: &mut Server, id: &str, seconds: i64, nanos: i32) -> Result<i64, Status> {
    let lease = Some(prost_types::Duration { seconds, nanos });
    let reply = server.client.renew(wire::RenewRequest { session_id: id.to_owned(), lease }).await?;
    Ok(reply.into_inner().lease.unwrap().seconds)
}

#[tokio::test]
async fn a_lease_that_ran_out_ends_the_session_and_frees_its_place() {
    let mut server = Server::start(config(200)).await;
    let id = server.open().await.unwrap();
    sleep(Duration::from_millis(400)).await;
    let status = server.client.step(step(&id, 1, &[])).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::NotFound, "SESSION_NOT_FOUND"));
    server.open().await.unwrap();
}

#[tokio::test]
async fn every_call_renews_the_lease() {
    let mut server = Server::start(config(1000)).await;
    let id = server.open().await.unwrap();
    for seq in 1..=4 {
        sleep(Duration::from_millis(400)).await;
        server.client.step(step(&id, seq, &[])).await.unwrap();
    }
}

#[tokio::test]
async fn a_step_may_take_longer_than_the_lease() {
    let mut server = Server::start(config(300)).await;
    let id = server.open().await.unwrap();
    server.client.step(step(&id, 1, &[("sleep", "1500")])).await.unwrap();
    server.client.step(step(&id, 2, &[])).await.unwrap();
}

#[tokio::test]
async fn renewing_lengthens_up_to_the_most_that_is_granted() {
    let mut server = Server::start(config(60_000)).await;
    let id = server.open().await.unwrap();
    assert!((1799..=1800).contains(&renew(&mut server, &id, 1800).await.unwrap()));
    assert!((1799..=1800).contains(&renew(&mut server, &id, 1).await.unwrap()), "a lease is never shortened");
    assert!((3599..=3600).contains(&renew(&mut server, &id, 1_000_000).await.unwrap()));
}

#[tokio::test]
async fn what_is_no_lease_is_refused_by_name() {
    let mut server = Server::start(config(60_000)).await;
    let id = server.open().await.unwrap();
    for (seconds, nanos) in
        [(0, 0), (-5, 0), (i64::MIN, 0), (i64::MIN, i32::MIN), (1, -1), (1, 1_000_000_000), (i64::MAX, i32::MAX)]
    {
        let renewed = renew_exactly(&mut server, &id, seconds, nanos).await.unwrap_err();
        let lease = Some(prost_types::Duration { seconds, nanos });
        let opened = server.client.open(wire::OpenRequest { lease, ..open(1) }).await.unwrap_err();
        for status in [renewed, opened] {
            assert_eq!((status.code(), field(&status).as_str()), (Code::InvalidArgument, "lease"), "{seconds} {nanos}");
        }
    }
    assert!((3599..=3600).contains(&renew_exactly(&mut server, &id, i64::MAX, 999_999_999).await.unwrap()));
}

#[tokio::test]
async fn closing_twice_is_fine_and_frees_the_place_once() {
    let mut server = Server::start(config(60_000)).await;
    let id = server.open().await.unwrap();
    for _ in 0..2 {
        server.client.close(wire::CloseRequest { session_id: id.clone() }).await.unwrap();
    }
    server.open().await.unwrap();
    let status = server.client.open(open(1)).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted);
}
