//! The ceiling: a unary service of tonic alone, without sessions, that gives back the bytes it gets.

use super::{CONNECTIONS, Callers, Failure, IN_FLIGHT, of_all};
use rl_conformance::{Load, Stopwatch};
use rl_protocol::connect;
use std::{
    convert::Infallible,
    future::{Ready, ready},
    task::{Context, Poll},
    time::Instant,
};
use tokio::net::TcpListener;
use tonic::{
    Request, Response, Status,
    body::Body,
    client,
    codegen::{BoxFuture, Service, http},
    server::{self, NamedService, UnaryService},
    transport::{Channel, Server, server::TcpIncoming},
};
use tonic_prost::ProstCodec;

const METHOD: &str = "/bare.Echo/Echo";
/// About those of a no-op step.
const BYTES: usize = 64;

/// Bytes are a message of protobuf, `google.protobuf.BytesValue`.
type Codec = ProstCodec<Vec<u8>, Vec<u8>>;

pub(crate) async fn load() -> Result<Load, Failure> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let uri = format!("http://{}", listener.local_addr()?);
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let serving = tokio::spawn(Server::builder().add_service(Echo).serve_with_incoming(incoming));
    let mut channels = Vec::new();
    for _ in 0..CONNECTIONS {
        channels.push(connect(&uri).await?);
    }
    let (watch, mut callers) = (Stopwatch::start(), Callers::new());
    for channel in channels {
        for _ in 0..IN_FLIGHT / CONNECTIONS {
            callers.spawn(call(channel.clone(), watch.clone()));
        }
    }
    let load = of_all(callers).await;
    serving.abort();
    load
}

async fn call(channel: Channel, mut watch: Stopwatch) -> Result<Stopwatch, Failure> {
    let mut client = client::Grpc::new(channel);
    while watch.is_running() {
        let sent = Instant::now();
        client.ready().await?;
        let asked = Request::new(vec![1; BYTES]);
        client.unary(asked, http::uri::PathAndQuery::from_static(METHOD), Codec::default()).await?;
        watch.note(sent);
    }
    Ok(watch)
}

#[derive(Clone)]
struct Echo;

impl NamedService for Echo {
    const NAME: &'static str = "bare.Echo";
}

impl Service<http::Request<Body>> for Echo {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Infallible>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        Box::pin(async move {
            let mut grpc = server::Grpc::new(Codec::default());
            Ok(grpc.unary(GiveBack, request).await)
        })
    }
}

struct GiveBack;

impl UnaryService<Vec<u8>> for GiveBack {
    type Response = Vec<u8>;
    type Future = Ready<Result<Response<Vec<u8>>, Status>>;

    fn call(&mut self, request: Request<Vec<u8>>) -> Self::Future {
        ready(Ok(Response::new(request.into_inner())))
    }
}
