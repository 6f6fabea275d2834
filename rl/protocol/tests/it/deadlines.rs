//! `grpc-timeout` is law; without one there is a default.

use crate::harness::{Server, reason, step};
use rl_protocol::ServeConfig;
use std::time::{Duration, Instant};
use tonic::{Code, Request};

#[tokio::test(flavor = "multi_thread")]
async fn the_reply_comes_by_the_deadline_and_the_step_is_not_lost() {
    let mut server = Server::start(ServeConfig::default()).await;
    let id = server.open().await.unwrap();
    let calls = [("sleep", "2000"), ("add", r#"{"n":4}"#)];
    let mut request = Request::new(step(&id, 1, &calls));
    request.set_timeout(Duration::from_millis(800));
    let sent = Instant::now();
    let status = server.client.step(request).await.unwrap_err();
    assert!(sent.elapsed() < Duration::from_millis(1500), "{:?}", sent.elapsed());
    assert_eq!((status.code(), reason(&status).as_str()), (Code::DeadlineExceeded, "DEADLINE_EXCEEDED"));

    let reply = server.client.step(step(&id, 1, &calls)).await.unwrap().into_inner();
    assert!(reply.replayed);
    assert_eq!(server.played(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_without_a_deadline_gets_the_default() {
    let config = ServeConfig { default_deadline: Duration::from_millis(200), ..ServeConfig::default() };
    let mut server = Server::start(config).await;
    let id = server.open().await.unwrap();
    let status = server.client.step(step(&id, 1, &[("sleep", "2000")])).await.unwrap_err();
    assert_eq!(status.code(), Code::DeadlineExceeded);
}
