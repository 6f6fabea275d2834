//! Large contents in pieces; one that cannot be made does not cost the others.

use crate::{
    faulty::BIG_BYTES,
    harness::{Server, reason},
    wire::{self, content::Body},
};
use rl_protocol::ServeConfig;
use tonic::Code;

async fn observed(server: &mut Server, want: &[&str]) -> Vec<wire::ObserveResponse> {
    let session_id = server.open().await.unwrap();
    let want = want.iter().map(|name| (*name).to_owned()).collect();
    let mut stream = server.client.observe(wire::ObserveRequest { session_id, want }).await.unwrap().into_inner();
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
    let pieces = observed(&mut server, &["unavailable", "value"]).await;
    assert_eq!(pieces[0].error.clone().unwrap().reason, "NO_RENDERER");
    assert_eq!(pieces[0].content.clone().unwrap().name, "unavailable");
    assert_eq!(pieces[1].content.clone().unwrap().body, Some(Body::Text("0".into())));
}

#[tokio::test]
async fn an_unknown_observation_is_invalid() {
    let mut server = Server::start(ServeConfig::default()).await;
    let session_id = server.open().await.unwrap();
    let request = wire::ObserveRequest { session_id, want: vec!["valeu".into()] };
    let status = server.client.observe(request).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::InvalidArgument, "UNKNOWN_OBSERVATION"));
}
