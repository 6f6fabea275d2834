//! The profile that asks a renderer, and those that do not.

use crate::logs::Log;
use crate::studio::{BY, FakeStudio, lost};
use rl_protocol::{Domain, DomainError, Episode, FailureClass, Gate, OpenSpec, Outcome, Reward, Subject, Unscorable};
use scene_api::{Profile, play, score_glb, score_with};
use scene_document::gltf::write_glb;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::timeout;

const RENDERED: &str = "r3d/0+render";

fn subject(log: &Log) -> Subject {
    Subject::CallLog { task_id: log.task.id.clone(), seed: 0, calls: log.tool_calls(), tool_groups: Vec::new() }
}

async fn scored(studio: &Arc<FakeStudio>, log: &Log, profile: &str) -> Reward {
    studio.domain().score(subject(log), Some(profile)).await.unwrap()
}

async fn opened(studio: &Arc<FakeStudio>, log: &Log) -> Box<dyn Episode> {
    let (profile, tool_groups) = (Some(RENDERED.into()), Vec::new());
    let spec = OpenSpec { task_id: log.task.id.clone(), count: 1, seed: 0, profile, tool_groups };
    studio.domain().open(spec).await.unwrap().pop().unwrap()
}

fn last_gate(reward: &Reward) -> &Gate {
    let gate = reward.gates.last().unwrap();
    assert_eq!((gate.name.as_str(), reward.gates.len()), ("renderability", 7), "{reward:?}");
    gate
}

fn unscorable(reward: Reward) -> Unscorable {
    let Outcome::Unscorable(why) = reward.outcome else { panic!("{:?}", reward.outcome) };
    why
}

#[tokio::test]
async fn what_is_drawn_scores_as_without_a_renderer() {
    let (studio, log) = (Arc::new(FakeStudio::default()), Log::reference("crate"));
    let plain = scored(&studio, &log, "r3d/0").await;
    assert!(plain.value().unwrap() >= 0.9);
    assert!(studio.asked().is_empty(), "r3d/0 asks no renderer");
    let rendered = scored(&studio, &log, RENDERED).await;
    let gate = last_gate(&rendered);
    assert!(gate.passed && gate.evidence.is_empty() && !gate.thresholds.is_empty(), "{gate:?}");
    assert_eq!((rendered.value(), &rendered.components), (plain.value(), &plain.components));
    assert_eq!((rendered.profile_id.as_str(), rendered.factors), (RENDERED, plain.factors));
    assert_eq!(studio.asked().len(), 1);
}

#[tokio::test]
async fn a_blank_picture_fails_the_gate_and_says_who_drew_it() {
    let (studio, log) = (Arc::new(FakeStudio::default()), Log::reference("crate"));
    studio.blank.store(true, Ordering::SeqCst);
    let reward = scored(&studio, &log, RENDERED).await;
    assert!((reward.value().unwrap() - 0.05 * 6.0 / 7.0).abs() < 1e-12, "{reward:?}");
    let gate = last_gate(&reward);
    let [evidence] = gate.evidence.as_slice() else { panic!("{gate:?}") };
    assert!(!gate.passed && evidence.message.contains(BY), "{evidence:?}");
    assert_eq!((evidence.value, evidence.threshold), (0.0, 0.0));
    assert!(evidence.fix.starts_with("camera.look_at"), "{evidence:?}");
    assert_eq!(evidence.ids, [log.node("camera")]);
    assert!(reward.gates[..6].iter().all(|gate| gate.passed));
}

#[tokio::test]
async fn a_studio_that_fails_is_no_zero() {
    let (studio, log) = (Arc::new(FakeStudio::default()), Log::reference("crate"));
    studio.fail(Some(lost()));
    let reward = scored(&studio, &log, RENDERED).await;
    assert_eq!((reward.profile_id.as_str(), reward.profile_hash.len()), (RENDERED, 32));
    let why = unscorable(reward);
    assert_eq!((why.class, why.code.as_str(), why.retryable), (FailureClass::Infra, "RENDERER_FAILED", true));
}

#[tokio::test]
async fn what_has_failed_before_is_not_rendered() {
    let studio = Arc::new(FakeStudio::default());
    let mut unseen = Log::reference("crate");
    unseen.calls.retain(|call| call["name"] != "camera.add" && call["name"] != "camera.look_at");
    let reward = scored(&studio, &unseen, RENDERED).await;
    assert!(!last_gate(&reward).passed && !reward.components.is_empty(), "{reward:?}");
    assert!(last_gate(&reward).evidence[0].message.contains("an earlier gate failed"), "{reward:?}");

    let task_id = Some("scene/crate".into());
    let broken = Subject::Artifact { task_id, mime: "model/gltf-binary".into(), data: b"no model".to_vec() };
    let reward = studio.domain().score(broken, Some(RENDERED)).await.unwrap();
    assert!(!last_gate(&reward).passed && reward.value() == Some(0.0), "{reward:?}");
    assert!(studio.asked().is_empty());
}

#[tokio::test]
async fn an_episode_ends_even_where_the_renderer_fails() {
    let (studio, log) = (Arc::new(FakeStudio::default()), Log::reference("crate"));
    let mut episode = opened(&studio, &log).await;
    studio.fail(Some(lost()));
    let outcome = episode.step(log.tool_calls()).await.unwrap();
    assert!(outcome.end.is_some());
    assert!(unscorable(outcome.reward.unwrap()).retryable);
    studio.fail(None);
    let reward = episode.score(None).await.unwrap();
    assert!(last_gate(&reward).passed && reward.value().unwrap() >= 0.9, "{reward:?}");
    assert_eq!(scored(&studio, &log, RENDERED).await, reward);
}

/// Waiting for a renderer takes no place of the pool that scores.
#[tokio::test(flavor = "multi_thread")]
async fn scores_that_need_no_picture_do_not_wait_for_one() {
    let (studio, log) = (Arc::new(FakeStudio::default()), Log::reference("crate"));
    let busy = studio.busy.lock().await;
    let mut waiting: JoinSet<Result<Reward, DomainError>> = JoinSet::new();
    for _ in 0..64 {
        let (domain, subject) = (studio.domain(), subject(&log));
        waiting.spawn(async move { domain.score(subject, Some(RENDERED)).await });
    }
    let all_ask = async {
        while studio.asked().len() < 64 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(Duration::from_secs(60), all_ask).await.expect("all are measured, however many wait for the studio");
    timeout(Duration::from_secs(30), scored(&studio, &log, "r3d/0")).await.expect("a score that needs no picture");
    drop(busy);
    for reward in waiting.join_all().await {
        assert!(reward.unwrap().value().unwrap() >= 0.9);
    }
}

#[tokio::test]
async fn a_file_is_scored_with_the_renderers_word() {
    let (studio, log) = (FakeStudio::default(), Log::reference("crate"));
    let (workspace, ..) = play(&log.task, &log.tool_calls(), 0);
    let glb = write_glb(&workspace.scene).unwrap();
    let profile = Profile::by_id(RENDERED).unwrap();
    assert!(profile.needs_renderer() && !Profile::by_id("r3d/0").unwrap().needs_renderer());
    let no_file = |_: &str| -> Option<Vec<u8>> { None };
    let scored = || score_with(&glb, &no_file, Some(&log.task), &profile, 0, &studio);
    assert!(scored().await.value().unwrap() >= 0.9);
    studio.blank.store(true, Ordering::SeqCst);
    assert!(!last_gate(&scored().await).passed);
    studio.fail(Some(lost()));
    assert_eq!(unscorable(scored().await).code, "RENDERER_FAILED");
    let why = unscorable(score_glb(&glb, &no_file, Some(&log.task), &profile, 0));
    assert_eq!((why.class, why.code.as_str(), why.retryable), (FailureClass::Infra, "NO_RENDERER", false));
    assert_eq!(json!(why.class), "INFRA");
}

/// A floor of many layers, below a crate that is all right.
#[tokio::test]
async fn what_is_too_much_to_draw_fails_the_gate_and_nobody_is_asked() {
    let (studio, log) = (Arc::new(FakeStudio::default()), Log::reference("crate"));
    let mut calls = log.tool_calls();
    let submit = calls.pop().unwrap();
    let corner = |index: usize| {
        let y = -1.0 - 0.001 * (index / 3) as f64;
        [json!([-400, y, 400]), json!([400, y, 400]), json!([0, y, -400])][index % 3].clone()
    };
    let positions: Vec<_> = (0..6000).map(corner).collect();
    let triangles: Vec<[usize; 3]> = (0..6000).step_by(3).map(|first| [first, first + 1, first + 2]).collect();
    let (workspace, ..) = play(&log.task, &calls, 0);
    let node = format!("n_{}", workspace.scene.nodes().keys().next_back().unwrap().0 + 1);
    calls.extend(crate::studio::calls(&[
        ("node.create", json!({"name": "floor"})),
        ("mesh.set_data", json!({"node": node, "positions": positions, "triangles": triangles})),
    ]));
    calls.push(submit);
    let subject = Subject::CallLog { task_id: log.task.id.clone(), seed: 0, calls, tool_groups: Vec::new() };
    let reward = studio.domain().score(subject, Some(RENDERED)).await.unwrap();
    let gate = last_gate(&reward);
    assert!(!gate.passed && gate.evidence[0].message.contains("too many pixels"), "{gate:?}");
    assert!(reward.gates[..6].iter().all(|gate| gate.passed), "{:?}", reward.gates);
    assert!(studio.asked().is_empty());
}
