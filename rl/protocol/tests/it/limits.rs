//! Requests out of bounds are refused before they reach a domain.

use crate::{
    harness::{Server, field, open, reason, step},
    wire::{self, catalog_client::CatalogClient, rewards_client::RewardsClient, score_request::Subject},
};
use rl_conformance::CounterDomain;
use rl_protocol::{Domain, OpenSpec, RemoteDomain, ServeConfig, ToolCall};
use tonic::{Code, Status};

#[tokio::test]
async fn one_step_takes_64_calls_at_most() {
    let mut server = Server::start(ServeConfig::default()).await;
    let id = server.open().await.unwrap();
    let status = server.client.step(step(&id, 1, &[("add", "{}"); 65])).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::InvalidArgument, "TOO_MANY_CALLS"));
    server.client.step(step(&id, 1, &[("add", "{}"); 10])).await.unwrap();
}

#[tokio::test]
async fn long_arguments_are_for_the_domain_to_judge() {
    let mut server = Server::start(ServeConfig::default()).await;
    let id = server.open().await.unwrap();
    let long = "x".repeat((1 << 20) + 1);
    let reply = server.client.step(step(&id, 1, &[("add", long.as_str())])).await.unwrap().into_inner();
    assert!(!reply.results[0].ok);
}

#[tokio::test]
async fn one_request_takes_64_observations_at_most() {
    let mut server = Server::start(ServeConfig::default()).await;
    let session_id = server.open().await.unwrap();
    let mut asked = wire::ObserveRequest {
        session_id,
        want: (0..64).map(|index| format!("too_early_{index}")).collect(),
        ..wire::ObserveRequest::default()
    };
    server.client.observe(asked.clone()).await.unwrap();
    asked.want.push("value".into());
    let status = server.client.observe(asked).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::InvalidArgument, "TOO_MANY_OBSERVATIONS"));
    assert_eq!(field(&status), "want");
}

#[tokio::test]
async fn a_call_log_has_10_000_calls_at_most() {
    let server = Server::start(ServeConfig::default()).await;
    let mut client = RewardsClient::new(server.channel.clone());
    let log = |calls| wire::CallLog {
        domain: "counter".into(),
        task_id: CounterDomain::sample().task_id,
        seed: 0,
        calls: vec![wire::ToolCall { name: "add".into(), arguments_json: r#"{"n":0}"#.into() }; calls],
        tool_groups: Vec::new(),
    };
    let asked = |calls| wire::ScoreRequest { subject: Some(Subject::CallLog(log(calls))), profile: String::new() };
    client.score(asked(10_000)).await.unwrap();
    let status = client.score(asked(10_001)).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::InvalidArgument, "TOO_MANY_CALLS"));
    assert_eq!(field(&status), "call_log.calls");
}

#[tokio::test]
async fn a_message_beyond_the_servers_bound_is_refused() {
    let mut server = Server::start(ServeConfig { max_request_bytes: 4096, ..ServeConfig::default() }).await;
    let id = server.open().await.unwrap();
    let long = "x".repeat(10_000);
    let status = server.client.step(step(&id, 1, &[("add", long.as_str())])).await.unwrap_err();
    assert_eq!(status.code(), Code::OutOfRange);
    server.client.step(step(&id, 1, &[])).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_mebibytes_are_an_artifact_but_no_step() {
    let server = Server::start(ServeConfig::default()).await;
    let remote = RemoteDomain::new(server.channel.clone(), "counter");
    let task_id = CounterDomain::sample().task_id;
    let spec = OpenSpec { task_id, count: 1, seed: 0, profile: None, tool_groups: Vec::new() };
    let mut episode = remote.open(spec).await.unwrap().remove(0);
    let call = ToolCall { name: "add".into(), arguments_json: "x".repeat(10 << 20) };
    let error = episode.step(vec![call]).await.unwrap_err();
    assert_eq!((error.code, error.reason.as_ref()), (rl_protocol::Code::InvalidArgument, "GRPC_OUT_OF_RANGE"));
    assert!(error.message.contains("8388608"), "{}", error.message);
    episode.step(Vec::new()).await.unwrap();

    let data = [vec![b' '; 10 << 20], b"7".to_vec()].concat().into();
    let artifact =
        wire::Artifact { domain: "counter".into(), mime: "text/plain".into(), data, ..wire::Artifact::default() };
    let request = wire::ScoreRequest { subject: Some(Subject::Artifact(artifact)), profile: String::new() };
    RewardsClient::new(server.channel.clone()).score(request).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_that_no_client_would_take_costs_its_episode() {
    let mut server = Server::start(ServeConfig::default()).await;
    let id = server.open().await.unwrap();
    let bytes = (64 << 20).to_string();
    let status = server.client.step(step(&id, 1, &[("picture", bytes.as_str())])).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::Internal, "REPLY_TOO_LARGE"));
    let status = server.client.step(step(&id, 1, &[])).await.unwrap_err();
    assert_eq!(reason(&status), "ENV_ERROR");
    let other = server.open().await.unwrap();
    server.client.step(step(&other, 1, &[])).await.unwrap();
}

fn is_named(named: &str, status: &Status) {
    assert_eq!((status.code(), field(status).as_str()), (Code::InvalidArgument, named));
    assert!(status.message().len() < 100, "{}", status.message());
}

#[tokio::test]
async fn ids_and_names_have_256_bytes_at_most() {
    let mut server = Server::start(ServeConfig::default()).await;
    let keyed = wire::OpenRequest { idempotency_key: "k".repeat(256), ..open(1) };
    server.client.open(keyed).await.unwrap();

    let long = "x".repeat(257);
    for (named, request) in [
        ("domain", wire::OpenRequest { domain: long.clone(), ..open(1) }),
        ("task_id", wire::OpenRequest { task_id: long.clone(), ..open(1) }),
        ("profile", wire::OpenRequest { profile: long.clone(), ..open(1) }),
        ("idempotency_key", wire::OpenRequest { idempotency_key: long.clone(), ..open(1) }),
    ] {
        is_named(named, &server.client.open(request).await.unwrap_err());
    }
    is_named("session_id", &server.client.step(step(&long, 1, &[])).await.unwrap_err());
    let renewing = wire::RenewRequest { session_id: long.clone(), lease: None };
    is_named("session_id", &server.client.renew(renewing).await.unwrap_err());
    let closing = wire::CloseRequest { session_id: long.clone() };
    is_named("session_id", &server.client.close(closing).await.unwrap_err());
    let session_id = server.open().await.unwrap();
    let observing = wire::ObserveRequest { session_id, want: vec![long.clone()], ..wire::ObserveRequest::default() };
    is_named("want", &server.client.observe(observing).await.unwrap_err());

    let mut rewards = RewardsClient::new(server.channel.clone());
    let subject = Some(Subject::SessionId(long.clone()));
    let scoring = wire::ScoreRequest { subject, profile: String::new() };
    is_named("session_id", &rewards.score(scoring).await.unwrap_err());
    let log = wire::CallLog { domain: "counter".into(), task_id: long.clone(), ..wire::CallLog::default() };
    let scoring = wire::ScoreRequest { subject: Some(Subject::CallLog(log)), profile: String::new() };
    is_named("task_id", &rewards.score(scoring).await.unwrap_err());

    let listing =
        wire::ListTasksRequest { domain: "counter".into(), page_token: long, ..wire::ListTasksRequest::default() };
    let mut catalog = CatalogClient::new(server.channel.clone());
    is_named("page_token", &catalog.list_tasks(listing).await.unwrap_err());
}
