//! Large contents in pieces; one that cannot be made does not cost the others.

use crate::{
    faulty::BIG_BYTES,
    harness::{Server, field, reason},
    wire::{self, content::Body},
};
use rl_protocol::ServeConfig;
use std::time::{Duration, Instant};
use tonic::Code;

async fn observed(server: &mut Server, want: &[&str]) -> Vec<wire::ObserveResponse> {
    let session_id = server.open().await.unwrap();
    let want = want.iter().map(|name| (*name).to_owned()).collect();
    let mut stream = server
        .client
        .observe(wire::ObserveRequest { session_id, want, ..wire::ObserveRequest::default() })
        .await
        .unwrap()
        .into_inner();
    let mut pieces = Vec::new();
    while let Some(piece) = stream.message().await.unwrap() {
        pieces.push(piece);
    }
    pieces
}

#[tokio::test]
async fn a_large_observation_comes_in_pieces() {
    let mut server = Server::start(ServeConfig::default()).await;
    let pieces = observed(&mut server, &["big", "value"]).await;
    let shape: Vec<(String, usize, bool)> = pieces
        .iter()
        .map(|piece| {
            let content = piece.content.clone().unwrap();
            let bytes = match content.body.unwrap() {
                Body::Data(data) => data.len(),
                Body::Text(text) => text.len(),
            };
            (content.name, bytes, piece.last)
        })
        .collect();
    let big = |bytes, last| ("big".to_owned(), bytes, last);
    let rest = BIG_BYTES - 3 * 65536;
    let expected =
        [big(65536, false), big(65536, false), big(65536, false), big(rest, true), ("value".to_owned(), 1, true)];
    assert_eq!(shape, expected);
}

#[tokio::test]
async fn an_observation_that_cannot_be_made_is_an_item() {
    let mut server = Server::start(ServeConfig::default()).await;
    let pieces = observed(&mut server, &["unavailable", "too_early", "busy", "value"]).await;
    let expected = [
        ("unavailable", "NO_RENDERER", Code::Unavailable, None),
        ("too_early", "TOO_EARLY", Code::FailedPrecondition, None),
        ("busy", "QUEUE_FULL", Code::ResourceExhausted, Some((1, 500_000_000))),
    ];
    for (piece, (name, reason, code, retry_after)) in pieces.iter().zip(expected) {
        let error = piece.error.clone().unwrap();
        assert_eq!((error.reason.as_str(), Code::from(error.code)), (reason, code));
        assert_eq!(error.retry_after.map(|delay| (delay.seconds, delay.nanos)), retry_after);
        assert_eq!(piece.content.clone().unwrap().name, name);
    }
    assert_eq!(pieces[3].content.clone().unwrap().body, Some(Body::Text("0".into())));
}

#[tokio::test]
async fn an_unknown_observation_is_invalid() {
    let mut server = Server::start(ServeConfig::default()).await;
    let session_id = server.open().await.unwrap();
    let request = wire::ObserveRequest { session_id, want: vec!["valeu".into()], ..wire::ObserveRequest::default() };
    let status = server.client.observe(request).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::InvalidArgument, "UNKNOWN_OBSERVATION"));
}

#[tokio::test]
async fn a_name_is_wanted_once() {
    let mut server = Server::start(ServeConfig::default()).await;
    let session_id = server.open().await.unwrap();
    let want = ["value", "big", "value"].map(str::to_owned).to_vec();
    let status = server
        .client
        .observe(wire::ObserveRequest { session_id, want, ..wire::ObserveRequest::default() })
        .await
        .unwrap_err();
    assert_eq!((status.code(), field(&status).as_str()), (Code::InvalidArgument, "want"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_observation_does_not_wait_for_those_after_it() {
    let mut server = Server::start(ServeConfig::default()).await;
    let session_id = server.open().await.unwrap();
    let want = ["value", "slow", "valeu"].map(str::to_owned).to_vec();
    let asked = Instant::now();
    let mut stream = server
        .client
        .observe(wire::ObserveRequest { session_id, want, ..wire::ObserveRequest::default() })
        .await
        .unwrap()
        .into_inner();
    assert_eq!(stream.message().await.unwrap().unwrap().content.unwrap().name, "value");
    assert!(asked.elapsed() < Duration::from_secs(1), "{:?}", asked.elapsed());
    let status = stream.message().await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::InvalidArgument, "UNKNOWN_OBSERVATION"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_is_not_made_in_time_ends_with_an_error() {
    let config = ServeConfig { default_deadline: Duration::from_millis(300), ..ServeConfig::default() };
    let mut server = Server::start(config).await;
    let session_id = server.open().await.unwrap();
    let want = ["value", "slow"].map(str::to_owned).to_vec();
    let mut stream = server
        .client
        .observe(wire::ObserveRequest { session_id, want, ..wire::ObserveRequest::default() })
        .await
        .unwrap()
        .into_inner();
    stream.message().await.unwrap().unwrap();
    assert_eq!(stream.message().await.unwrap_err().code(), Code::DeadlineExceeded);
}
