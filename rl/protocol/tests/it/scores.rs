//! Scores of sessions, artifacts and call logs; a reward that is no reward.

use crate::{
    harness::{Server, reason, step},
    wire::{self, reward::Outcome, rewards_client::RewardsClient, score_request::Subject},
};
use rl_conformance::CounterDomain;
use rl_protocol::ServeConfig;
use std::time::Duration;
use tokio::time::{sleep, timeout};
use tonic::{Code, Request, Status};

async fn score(server: &Server, subject: Option<Subject>) -> Result<Option<Outcome>, Status> {
    let request = wire::ScoreRequest { subject, profile: String::new() };
    let reply = RewardsClient::new(server.channel.clone()).score(request).await?.into_inner();
    Ok(reply.reward.unwrap().outcome)
}

fn log(task_id: String) -> Subject {
    let calls = vec![wire::ToolCall { name: "add".into(), arguments_json: r#"{"n":7}"#.into() }];
    Subject::CallLog(wire::CallLog { domain: "counter".into(), task_id, seed: 0, calls, tool_groups: Vec::new() })
}

#[tokio::test]
async fn a_session_an_artifact_and_a_log_of_seven_score_the_same() {
    let mut server = Server::start(ServeConfig::default()).await;
    let id = server.open().await.unwrap();
    server.client.step(step(&id, 1, &[("add", r#"{"n":7}"#)])).await.unwrap();
    let artifact = wire::Artifact {
        domain: "counter".into(),
        task_id: String::new(),
        mime: "text/plain".into(),
        data: b"7".to_vec().into(),
    };
    for subject in [Subject::SessionId(id), Subject::Artifact(artifact), log(CounterDomain::sample().task_id)] {
        assert_eq!(score(&server, Some(subject)).await.unwrap(), Some(Outcome::Value(0.7)));
    }
}

#[tokio::test]
async fn a_reward_that_is_not_a_number_is_an_error_and_not_zero() {
    let server = Server::start(ServeConfig::default()).await;
    let status = score(&server, Some(log("nan".into()))).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::Internal, "INVALID_REPLY"));
}

#[tokio::test]
async fn a_score_of_nothing_is_invalid() {
    let server = Server::start(ServeConfig::default()).await;
    let status = score(&server, None).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::InvalidArgument, "INVALID_FIELD"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_waits_for_is_not_scored() {
    let server = Server::start(ServeConfig::default()).await;
    let mut client = RewardsClient::new(server.channel.clone());
    let asked = || wire::ScoreRequest { subject: Some(log("slow".into())), profile: String::new() };

    let mut request = Request::new(asked());
    request.set_timeout(Duration::from_millis(200));
    client.score(request).await.unwrap_err();
    timeout(Duration::from_millis(100), client.score(asked())).await.unwrap_err();
    sleep(Duration::from_millis(1000)).await;
    assert_eq!(server.scored(), 0);

    let status = client.score(asked()).await.unwrap_err();
    assert_eq!((status.code(), server.scored()), (Code::NotFound, 1), "the counter knows no task \"slow\"");
}

#[tokio::test]
async fn a_panic_while_scoring_is_an_answer() {
    let server = Server::start(ServeConfig::default()).await;
    let artifact = wire::Artifact { domain: "counter".into(), task_id: "panic".into(), ..wire::Artifact::default() };
    let status = score(&server, Some(Subject::Artifact(artifact))).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::Internal, "PANICKED"));
}
