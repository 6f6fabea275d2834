//! The scene domain keeps the protocol's rules, in this process and over a socket.

use crate::logs::{Log, call, component, values};
use rl_conformance::{Sample, in_process_and_loopback};
use rl_protocol::{
    Body, Code, Domain, EndReason, Episode, ObserveOptions, OpenSpec, Outcome, Reward, Subject, ToolCall,
};
use scene_api::{Profile, SceneDomain, play, score_glb, stand_alone_seed};
use scene_document::gltf::write_glb;
use serde_json::json;
use std::sync::Arc;

fn domain() -> SceneDomain {
    SceneDomain::new().unwrap()
}

async fn opened(task: &str) -> Box<dyn Episode> {
    let spec = OpenSpec { task_id: task.into(), count: 1, seed: 7, profile: None, tool_groups: Vec::new() };
    domain().open(spec).await.unwrap().pop().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_rules_of_the_protocol_are_kept() {
    let sample = Sample {
        task_id: "scene/crate".into(),
        calls: Log::reference("crate").tool_calls(),
        bad_call: ToolCall { name: "node.create".into(), arguments_json: r#"{"name": 7}"#.into() },
    };
    let report = in_process_and_loopback(Arc::new(domain()), sample).await;
    println!("{report}");
    assert!(report.violations.is_empty(), "{report}");
}

#[tokio::test]
async fn an_episode_ends_with_its_reward_and_can_still_be_seen() {
    let mut episode = opened("scene/table").await;
    let outcome = episode.step(Log::reference("table").tool_calls()).await.unwrap();
    assert_eq!(outcome.end.unwrap().reason, EndReason::Submitted);
    let reward = outcome.reward.unwrap();
    assert!(reward.value().unwrap() >= 0.9);
    assert_eq!(episode.score(None).await.unwrap(), reward);
    assert_eq!(episode.step(Vec::new()).await.unwrap_err().code, Code::FailedPrecondition);

    let wanted =
        ["task", "scene.json", "scene.glb", "preview.png", "ids.png", "depth.png", "normals.png"].map(String::from);
    let seen = episode.observe(&wanted, ObserveOptions::default()).await.unwrap();
    assert_eq!(seen.iter().map(|content| content.name.as_str()).collect::<Vec<_>>(), wanted);
    let Body::Data(glb) = &seen[2].body else { panic!("scene.glb is text") };
    let pictures: Vec<_> = seen[3..].iter().map(|content| &content.body).collect();
    let all_differ = (1..pictures.len()).all(|index| !pictures[..index].contains(&pictures[index]));
    assert!(all_differ, "two of the pictures are the same");
    let Body::Data(png) = &seen[3].body else { panic!("preview.png is text") };
    assert_eq!((&glb[..4], &png[..4]), (&b"glTF"[..], &b"\x89PNG"[..]));
    let subject =
        Subject::Artifact { task_id: Some("scene/table".into()), mime: "model/gltf-binary".into(), data: glb.clone() };
    assert!(domain().score(subject, None).await.unwrap().value().unwrap() >= 0.9);
}

#[tokio::test]
async fn calls_run_out() {
    let mut episode = opened("scene/crate").await;
    let calls = vec![ToolCall { name: "scene.describe".into(), arguments_json: "{}".into() }; 201];
    let outcome = episode.step(calls).await.unwrap();
    let end = outcome.end.unwrap();
    assert_eq!((end.terminated, end.truncated, end.reason), (false, true, EndReason::CallLimit));
    assert_eq!((outcome.results.len(), outcome.budget.calls_left), (201, 0));
    assert_eq!(outcome.results[200].json["error"]["code"], "BUDGET_EXHAUSTED");
    assert!(matches!(outcome.reward.unwrap().outcome, Outcome::Value(value) if value <= 0.05));
}

#[tokio::test]
async fn unknown_names_are_explained() {
    let domain = domain();
    let spec = |task: &str, profile: Option<&str>| OpenSpec {
        task_id: task.into(),
        count: 1,
        seed: 0,
        profile: profile.map(Into::into),
        tool_groups: Vec::new(),
    };
    let error = domain.open(spec("scene/tabel", None)).await.err().unwrap();
    assert_eq!((error.code, error.nearest[0].as_str()), (Code::NotFound, "scene/table"));
    let error = domain.tasks(Some("trian")).await.unwrap_err();
    assert_eq!((error.code, error.nearest[0].as_str()), (Code::NotFound, "train"));
    assert_eq!(error.field, "split");
    let error = domain.open(spec("scene/table", Some("r3d/1"))).await.err().unwrap();
    assert_eq!((error.code, error.nearest[0].as_str()), (Code::NotFound, "r3d/0"));
    assert_eq!(error.field, "profile");
    let grouped = OpenSpec { tool_groups: vec!["histroy".into()], ..spec("scene/table", None) };
    let error = domain.open(grouped).await.err().unwrap();
    assert_eq!((error.code, error.nearest[0].as_str()), (Code::InvalidArgument, "history"));
    assert_eq!(error.field, "tool_groups");
    let subject = Subject::Artifact { task_id: None, mime: "image/png".into(), data: Vec::new() };
    assert_eq!(domain.score(subject, None).await.unwrap_err().code, Code::InvalidArgument);
    let mut episode = opened("scene/crate").await;
    let error = episode.observe(&["preview.png".into()], ObserveOptions::default()).await.unwrap_err();
    assert_eq!(error.reason, "NO_CAMERA");
}

#[tokio::test]
async fn the_description_lists_the_observations() {
    let description = domain().describe().await.unwrap().description;
    let mut episode = opened("scene/table").await;
    let names = episode.observe(&["everything".into()], ObserveOptions::default()).await.unwrap_err().message;
    let pictures = ["beauty.png", "preview.png", "ids.png", "depth.png", "normals.png"];
    for name in ["task", "history", "scene.json", "scene.glb"].iter().chain(&pictures) {
        assert!(description.contains(name) && names.contains(name), "{name}: {description}");
    }
}

#[tokio::test]
async fn a_file_scores_as_by_itself() {
    let log = Log::reference("table");
    let (workspace, ..) = play(&log.task, &log.tool_calls(), 0);
    let data = write_glb(&workspace.scene).unwrap();
    let profile = Profile::for_task(Some(&log.task));
    let seed = stand_alone_seed(Some(&log.task), &profile);
    let expected = score_glb(&data, &|_| None, Some(&log.task), &profile, seed);
    let subject = Subject::Artifact { task_id: Some(log.task.id), mime: "model/gltf-binary".into(), data };
    assert_eq!(domain().score(subject, None).await.unwrap(), expected);
}

/// Of a log that was played with these groups of tools.
async fn scored_with(log: &Log, tool_groups: &[&str]) -> Reward {
    let tool_groups = tool_groups.iter().map(|name| (*name).to_owned()).collect();
    let subject = Subject::CallLog { task_id: log.task.id.clone(), seed: 0, calls: log.tool_calls(), tool_groups };
    domain().score(subject, None).await.unwrap()
}

#[tokio::test]
async fn fixes_name_tools_that_the_episode_has() {
    let mut log = Log::reference("table-and-chairs");
    log.making("key")["intensity"] = json!(100.0);
    log.making("fill")["intensity"] = json!(50.0);
    let exposure = |reward: &Reward| {
        let evidence = component(reward, "lighting").evidence.iter().find(|e| e.unit.starts_with("EV"));
        evidence.map(|evidence| evidence.fix.clone())
    };
    let (core, look) = (scored_with(&log, &[]).await, scored_with(&log, &["look"]).await);
    assert_eq!((core.value(), values(&core)), (look.value(), values(&look)), "only words differ");
    let (of_core, of_look) = (exposure(&core).unwrap(), exposure(&look).unwrap());
    assert!(of_core.contains("light.add again n_21 with intensity") && !of_core.contains("light.update"), "{of_core}");
    // The calls can be made as they stand.
    let calls = of_look.split("light.update ").skip(1).map(|arguments| arguments.trim_end_matches(", "));
    let calls: Vec<_> = calls.map(|arguments| call("light.update", arguments.parse().unwrap())).collect();
    assert_eq!(calls.len(), 2, "{of_look}");
    log.insert_at_the_end(calls);
    assert_eq!(exposure(&scored_with(&log, &["look"]).await), None);
}
