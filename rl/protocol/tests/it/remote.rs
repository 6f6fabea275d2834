//! A remote domain behaves as the domain itself.

use crate::{
    faulty::{BIG_BYTES, busy, pattern},
    harness::Server,
};
use rl_conformance::{CounterDomain, Loopback};
use rl_protocol::{
    Body, Code, Domain, ObserveOptions, OpenSpec, RemoteDomain, ServeConfig, Subject, ToolCall, connect,
};
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, sleep};

pub(crate) fn spec(count: u32) -> OpenSpec {
    let task_id = CounterDomain::sample().task_id;
    OpenSpec { task_id, count, seed: 3, profile: None, tool_groups: Vec::new() }
}

fn call(name: &str, arguments: &str) -> ToolCall {
    ToolCall { name: name.into(), arguments_json: arguments.into() }
}

#[tokio::test]
async fn what_it_says_is_what_the_domain_says() {
    let server = Server::start(ServeConfig::default()).await;
    let remote = RemoteDomain::new(server.channel.clone(), "counter");
    assert_eq!(remote.describe().await.unwrap(), CounterDomain.describe().await.unwrap());
    assert_eq!(remote.tasks(None).await.unwrap(), CounterDomain.tasks(None).await.unwrap());
    remote.ready().await.unwrap();
}

#[tokio::test]
async fn errors_come_through_whole() {
    let server = Server::start(ServeConfig::default()).await;
    let remote = RemoteDomain::new(server.channel.clone(), "counter");
    let unknown = OpenSpec { task_id: "counter/reach-tne".into(), ..spec(1) };
    let here = CounterDomain.open(unknown.clone()).await.err().unwrap();
    let there = remote.open(unknown).await.err().unwrap();
    assert_eq!(here, there);

    let artifact = Subject::Artifact { task_id: None, mime: "image/png".into(), data: Vec::new() };
    let here = CounterDomain.score(artifact.clone(), None).await.unwrap_err();
    assert_eq!(here, remote.score(artifact, None).await.unwrap_err());

    let mut episode = remote.open(spec(1)).await.unwrap().remove(0);
    assert_eq!(episode.observe(&["busy".into()], ObserveOptions::default()).await.unwrap_err(), busy());

    let nowhere = RemoteDomain::new(server.channel.clone(), "nowhere");
    let error = nowhere.describe().await.unwrap_err();
    assert_eq!((error.code, error.nearest), (Code::NotFound, vec!["counter".to_owned()]));
}

#[tokio::test]
async fn large_observations_are_joined() {
    let server = Server::start(ServeConfig::default()).await;
    let remote = RemoteDomain::new(server.channel.clone(), "counter");
    let mut episode = remote.open(spec(1)).await.unwrap().remove(0);
    let contents = episode.observe(&["big".into(), "value".into()], ObserveOptions::default()).await.unwrap();
    assert_eq!(contents[0].body, Body::Data(pattern(BIG_BYTES)));
    assert_eq!(contents[1].body, Body::Text("0".into()));
    assert_eq!(
        episode.observe(&["unavailable".into()], ObserveOptions::default()).await.unwrap_err().code,
        Code::Unavailable
    );
    assert_eq!(
        episode.observe(&["too_early".into()], ObserveOptions::default()).await.unwrap_err().code,
        Code::FailedPrecondition
    );
}

#[tokio::test]
async fn pictures_come_with_the_results_they_belong_to() {
    let server = Server::start(ServeConfig::default()).await;
    let remote = RemoteDomain::new(server.channel.clone(), "counter");
    let mut episode = remote.open(spec(1)).await.unwrap().remove(0);
    // More than a client takes that was not told of pictures.
    let large = 6 << 20;
    let calls = vec![call("add", r#"{"n":4}"#), call("picture", "7"), call("picture", &large.to_string())];
    let results = episode.step(calls).await.unwrap().results;
    assert!(results[0].contents.is_empty());
    let bodies: Vec<&Body> = results.iter().flat_map(|result| &result.contents).map(|content| &content.body).collect();
    assert_eq!(bodies, [&Body::Data(pattern(7)), &Body::Data(pattern(large))]);
    assert_eq!((results[1].contents[0].name.as_str(), results[1].contents[0].mime.as_str()), ("picture", "image/png"));
}

#[tokio::test]
async fn a_step_that_fails_for_now_is_tried_again() {
    let server = Server::start(ServeConfig::default()).await;
    let remote = RemoteDomain::new(server.channel.clone(), "counter");
    let mut episode = remote.open(spec(1)).await.unwrap().remove(0);
    let outcome = episode.step(vec![call("away", ""), call("add", r#"{"n":4}"#)]).await.unwrap();
    assert_eq!(outcome.results[0].json["value"], 4);
    assert_eq!(server.played(), 2);
}

#[tokio::test]
async fn an_episode_that_is_dropped_is_closed() {
    let server = Server::start(ServeConfig { max_sessions: 1, ..ServeConfig::default() }).await;
    let remote = RemoteDomain::new(server.channel.clone(), "counter");
    for _ in 0..3 {
        let begin = Instant::now();
        let episode = loop {
            match remote.open(spec(1)).await {
                Ok(mut episodes) => break episodes.remove(0),
                Err(error) => assert_eq!(error.code, Code::ResourceExhausted),
            }
            assert!(begin.elapsed() < Duration::from_secs(5), "the place is not free");
            sleep(Duration::from_millis(20)).await;
        };
        drop(episode);
    }
}

#[tokio::test]
async fn a_lease_is_kept_as_long_as_the_episode() {
    let config = ServeConfig { default_lease: Duration::from_millis(600), ..ServeConfig::default() };
    let server = Server::start(config).await;
    let remote = RemoteDomain::new(server.channel.clone(), "counter");
    let mut episode = remote.open(spec(1)).await.unwrap().remove(0);
    sleep(Duration::from_millis(2500)).await;
    episode.step(vec![call("add", r#"{"n":1}"#)]).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_remote_domain_can_be_served_again() {
    let server = Server::start(ServeConfig::default()).await;
    let middle = RemoteDomain::new(server.channel.clone(), "counter");
    let outer = Loopback::start(vec![Arc::new(middle)], ServeConfig::default()).await.unwrap();
    let remote = RemoteDomain::new(connect(outer.uri()).await.unwrap(), "counter");
    let mut episode = remote.open(spec(1)).await.unwrap().remove(0);
    let outcome = episode.step(vec![call("add", r#"{"n":10}"#), call("submit", "{}")]).await.unwrap();
    assert_eq!(outcome.reward.unwrap().value(), Some(1.0));
}

#[tokio::test]
async fn nobody_listening_is_unavailable() {
    let error = connect("http://127.0.0.1:1").await.unwrap_err();
    assert_eq!((error.code, error.reason.as_ref()), (Code::Unavailable, "NO_CONNECTION"));
    assert_eq!(connect("not a uri").await.unwrap_err().code, Code::InvalidArgument);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_without_a_server_is_unavailable() {
    let server = Loopback::start(vec![Arc::new(CounterDomain)], ServeConfig::default()).await.unwrap();
    let remote = RemoteDomain::new(connect(server.uri()).await.unwrap(), "counter");
    let mut episode = remote.open(spec(1)).await.unwrap().remove(0);
    server.stop().await.unwrap();
    let error = episode.step(Vec::new()).await.unwrap_err();
    assert_eq!(error.code, Code::Unavailable);
}
