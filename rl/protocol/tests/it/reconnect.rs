//! A connection that breaks, and comes back.

use crate::harness::Server;
use rl_conformance::CounterDomain;
use rl_protocol::{Domain, OpenSpec, RemoteDomain, ServeConfig, ToolCall, connect};
use std::{sync::Arc, time::Duration};
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::Notify,
    time::sleep,
};

/// Forwards connections to `address` until it is told to cut all of them; later ones are forwarded again.
async fn proxy(listener: TcpListener, address: String, cut: Arc<Notify>) {
    loop {
        let (mut near, _) = listener.accept().await.unwrap();
        let mut far = TcpStream::connect(&address).await.unwrap();
        let cut = Arc::clone(&cut);
        tokio::spawn(async move {
            tokio::select! {
                _ = copy_bidirectional(&mut near, &mut far) => {}
                () = cut.notified() => {}
            }
        });
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_outlives_its_connection_and_is_played_once() {
    let server = Server::start(ServeConfig::default()).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let uri = format!("http://{}", listener.local_addr().unwrap());
    let cut = Arc::new(Notify::new());
    tokio::spawn(proxy(listener, server.address().to_owned(), Arc::clone(&cut)));

    let remote = RemoteDomain::new(connect(&uri).await.unwrap(), "counter");
    let task_id = CounterDomain::sample().task_id;
    let spec = OpenSpec { task_id, count: 1, seed: 0, profile: None, tool_groups: Vec::new() };
    let mut episode = remote.open(spec).await.unwrap().remove(0);
    let calls = [("sleep", "400"), ("add", r#"{"n":4}"#)]
        .map(|(name, arguments)| ToolCall { name: name.into(), arguments_json: arguments.into() });
    let cutting = async {
        while server.played() == 0 {
            sleep(Duration::from_millis(10)).await;
        }
        cut.notify_waiters();
    };
    let (outcome, ()) = tokio::join!(episode.step(calls.to_vec()), cutting);
    assert_eq!(outcome.unwrap().results[0].json["value"], 4);
    assert_eq!(server.played(), 1);
}
