//! The reward of single artifacts: what is a value, what is none, what the stamps say.

use crate::logs::{Log, component};
use rl_protocol::{FailureClass, Outcome, Reward};
use scene_api::{Profile, play, score_glb};
use scene_document::Scene;
use scene_document::gltf::write_glb;

fn without_task(glb: &[u8]) -> Reward {
    score_glb(glb, &|_| None, None, &Profile::for_task(None), 0)
}

fn reference_glb() -> Vec<u8> {
    let log = Log::reference("table-and-chairs");
    let (workspace, ..) = play(&log.task, &log.tool_calls(), 0);
    write_glb(&workspace.scene).unwrap()
}

#[test]
fn a_file_is_scored_without_a_task() {
    let reward = without_task(&reference_glb());
    assert_eq!(reward.profile_id, "file/0");
    assert!(reward.value().unwrap() >= 0.9, "{reward:?}");
    let names: Vec<&str> = reward.components.iter().map(|component| component.name.as_str()).collect();
    assert_eq!(names, ["overlap", "normals", "mesh", "visibility", "lighting"]);
    let sum: f64 = reward.components.iter().map(|component| component.weight).sum();
    assert!((sum - 1.0).abs() < 1e-12, "{sum}");
}

#[test]
fn a_delivered_file_scores_as_its_episode() {
    let log = Log::reference("table-and-chairs");
    let reward = score_glb(&reference_glb(), &|_| None, Some(&log.task), &Profile::for_task(Some(&log.task)), 0);
    assert_eq!(reward, log.reward());
}

#[test]
fn a_broken_file_is_a_value_with_a_place() {
    let mut truncated = reference_glb();
    truncated.truncate(100);
    for broken in [b"not a model".as_slice(), truncated.as_slice(), b"".as_slice()] {
        let reward = without_task(broken);
        assert_eq!(reward.outcome, Outcome::Value(0.0));
        let export = &reward.gates[0];
        assert_eq!((export.name.as_str(), export.passed), ("export", false));
        assert!(!export.evidence[0].message.is_empty());
        assert!(reward.gates.iter().all(|gate| !gate.passed));
    }
}

#[test]
fn a_file_without_a_mesh_is_not_scored() {
    let reward = without_task(&write_glb(&Scene::default()).unwrap());
    let Outcome::Unscorable(why) = reward.outcome else { panic!("{:?}", reward.outcome) };
    assert_eq!((why.class, why.code.as_str(), why.retryable), (FailureClass::Task, "NO_MESH", false));
}

#[test]
fn a_task_profile_needs_a_task() {
    let reward = score_glb(&reference_glb(), &|_| None, None, &Profile::by_id("r3d/0").unwrap(), 0);
    let Outcome::Unscorable(why) = reward.outcome else { panic!("{:?}", reward.outcome) };
    assert_eq!(why.code, "TASK_REQUIRED");
}

#[test]
fn profiles_are_told_apart_by_their_hashes() {
    let hashes: Vec<[u8; 32]> = Profile::all().iter().map(Profile::hash).collect();
    assert_ne!(hashes[0], hashes[1]);
    assert_eq!(Profile::by_id("file/0").unwrap().hash(), hashes[0]);
    assert!(Profile::by_id("file/1").is_none());
}

#[test]
fn weights_are_shared_out_over_the_mask() {
    let reward = Log::reference("crate").reward();
    assert!((component(&reward, "overlap").weight - 0.21 / 0.92).abs() < 1e-12);
    assert_eq!(component(&reward, "task").weight, 0.0);
    assert_eq!(reward.factors.iter().map(|factor| factor.name.as_str()).collect::<Vec<_>>(), ["G", "T", "Q", "c"]);
}

#[test]
fn the_seed_moves_the_hidden_cameras_only() {
    let log = Log::reference("table-and-chairs");
    let rewards: Vec<Reward> = (0..4).map(|seed| play(&log.task, &log.tool_calls(), seed).2).collect();
    for reward in &rewards {
        assert!(reward.value().unwrap() >= 0.9, "{reward:?}");
        assert_eq!(component(reward, "lighting").value, component(&rewards[0], "lighting").value);
    }
}
